"""The command `cleverdon check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, flag, one_stdin, option, requires

if TYPE_CHECKING:
    from cleverdon.checks.linter import FileChecks


class CheckOptions(Options):
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
    columns: str | None = options.columns


@command(CheckOptions)
@requires("--qrels-format", "--qrels")
@one_stdin("FILES", "--qrels")
def check_command(given: CheckOptions) -> tuple[FileChecks | None, int]:
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
    from cleverdon._common.progress_bar import bar
    from cleverdon.checks.linter import check_files

    with bar("checking") as update:
        how = given.keywords(check_files, limit=given.limit or None, progress=update)
        found = check_files(**how)
    for message in found.unreadable:
        click.echo(f"cleverdon: error: {message}", err=True)
    code = int(not found.passes(strict=given.strict))
    return (found, code) if found.items or given.format_ == "json" else (None, code)
