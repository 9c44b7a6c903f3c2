"""The command `cleverdon check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from cleverdon._common.text import counted
from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, flag, option, requires

if TYPE_CHECKING:
    from cleverdon.checks.linter import CheckResult


_SEVERITIES = ("error", "warning", "note")


class CheckOptions(Options):
    """The options of `cleverdon check`."""

    files: tuple[str, ...] = argument(options.INPUT, nargs=-1, required=True)
    qrels: str | None = option(
        options.INPUT, "Judgments with which to compare the queries and documents of runs."
    )
    qrels_format: str | None = options.qrels_format
    kind: Literal["run", "qrels"] | None = option(
        click.Choice(["run", "qrels"]),
        "What the files are, if not to be guessed from the number of fields.",
    )
    format_: str = option(click.Choice(["text", "json"]), "How to print.", default="text")
    limit: int = option(
        options.Count(min=0),
        "How many findings of one name to list for a file; 0 lists all.",
        default=5,
    )
    strict: bool = flag("Fail on warnings, too.")


@command(CheckOptions)
@requires("--qrels-format", "--qrels")
def check_command(given: CheckOptions) -> int:
    """Find what is wrong with runs and judgments, line by line, and say what to do about it.

    Errors keep a file from being read; warnings are likely mistakes; notes are good to know. The
    exit code is 0 where there are no errors, and 1 where there are.

    \b
    Examples:
      cleverdon check bm25.run dense.run.gz
      cleverdon check bm25.run --qrels qrels.txt --strict
      cleverdon check --kind qrels judged.txt
      zcat bm25.run.gz | cleverdon check - --format json
    """
    from cleverdon.checks.linter import check
    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments
    from cleverdon.errors import InputError

    if [*given.files, given.qrels].count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    # Read here rather than by `check`, once for all files; an error in them is not one of a run.
    qrels = given.qrels and Judgments.read(given.qrels, format=given.qrels_format)
    limit = given.limit or None
    reports = []
    for file in given.files:
        try:
            with bar(f"checking {file}") as update:
                report = check(file, kind=given.kind, qrels=qrels, limit=limit, progress=update)
        except InputError as error:
            click.echo(f"cleverdon: error: {error}", err=True)
            continue
        reports.append(report)
        if given.format_ == "text":
            _print_findings(report)
    if given.format_ == "json":
        from cleverdon.tables.result import Results

        click.echo(Results(reports).render("json"))
    missing = len(reports) < len(given.files)
    return int(missing or not all(report.passes(strict=given.strict) for report in reports))


def _print_findings(report: CheckResult) -> None:
    for finding in report.findings:
        place = ":".join(str(part) for part in (finding.line, finding.column) if part)
        where = f"{report.path}:{place}" if place else report.path
        click.echo(f"{where}: {finding.severity}: {finding.message} ({finding.name})")
        click.echo(f"    {finding.fix}")
    for name, count in report.hidden.items():
        click.echo(f"{report.path}: {count:,} more: {name} (--limit 0 lists all)")
    counts = ", ".join(counted(getattr(report, f"{what}s"), what) for what in _SEVERITIES)
    what = "judgments" if report.kind == "qrels" else "results"
    click.echo(
        f"{report.path}: {counts}; {report.rows:,} {what} of {counted(report.queries, 'query')}"
    )
