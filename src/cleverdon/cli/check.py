"""cleverdon check: find what is wrong with runs and judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.check import Checked


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--qrels",
    type=click.Path(allow_dash=True),
    help="Judgments with which to compare the queries and documents of runs.",
)
@options.qrels_format
@click.option(
    "--kind",
    type=click.Choice(["run", "qrels"]),
    help="What the files are, if not to be guessed from the number of fields.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)
@click.option(
    "--limit",
    type=options.Count(min=0),
    default=5,
    show_default=True,
    help="How many findings of one name to list for a file; 0 lists all.",
)
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
def command(
    files: tuple[str, ...],
    qrels: str | None,
    qrels_format: str | None,
    kind: Literal["run", "qrels"] | None,
    format_: str,
    limit: int,
    strict: bool,
) -> None:
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
    from cleverdon.check import check
    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments
    from cleverdon.errors import InputError

    if [*files, qrels].count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    # Read here rather than by `check`, once for all files; an error in them is not one of a run.
    options.check_of_use(qrels, ("qrels_format",), "--qrels")
    judgments = None if qrels is None else Judgments.read(qrels, format=qrels_format)
    reports = []
    missing = False
    for file in files:
        try:
            with bar(f"checking {file}") as update:
                report = check(
                    file, kind=kind, qrels=judgments, limit=limit or None, progress=update
                )
        except InputError as error:
            click.echo(f"cleverdon: error: {error}", err=True)
            missing = True
            continue
        reports.append(report)
        if format_ == "text":
            _print(report)
    if format_ == "json":
        import json

        click.echo(json.dumps([_as_dict(report) for report in reports], indent=2))
    if missing or not all(report.passes(strict=strict) for report in reports):
        raise click.exceptions.Exit(1)


def _print(report: Checked) -> None:
    for finding in report.findings:
        place = ":".join(str(part) for part in (finding.line, finding.column) if part)
        where = f"{report.path}:{place}" if place else report.path
        click.echo(f"{where}: {finding.severity}: {finding.message} ({finding.name})")
        click.echo(f"    {finding.fix}")
    for name, count in report.hidden.items():
        click.echo(f"{report.path}: {count:,} more: {name} (--limit 0 lists all)")
    counts = (
        _plural(report.errors, "error"),
        _plural(report.warnings, "warning"),
        _plural(report.notes, "note"),
    )
    what = "judgments" if report.kind == "qrels" else "results"
    click.echo(
        f"{report.path}: {', '.join(counts)}; {report.rows:,} {what} of {report.queries:,} "
        f"{'query' if report.queries == 1 else 'queries'}"
    )


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _as_dict(report: Checked) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(report)
