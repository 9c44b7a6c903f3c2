"""Options and messages of commands that write qrels."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon._common.text import counted
from cleverdon.cli.declarations import option
from cleverdon.formats.detection import ANNOTATED, FORMATS

if TYPE_CHECKING:
    from cleverdon.data import Judgments


_STDOUT = "-"


output = option(
    click.Path(dir_okay=False, allow_dash=True),
    "The file to write, in the place of one that is there; - is standard output.  [default: -]",
    short="-o",
    default=_STDOUT,
)
to = option(
    click.Choice(list(FORMATS)), "The format to write. By default it follows from the file's name."
)


def read_qrels(path: str, format: str | None) -> Judgments:
    """Read judgments, with a progress bar."""
    from cleverdon._common.progress_bar import bar
    from cleverdon.data import Judgments

    with bar(f"reading {path}") as update:
        return Judgments.read(path, format=format, progress=update)


def format_to_write(judgments: Judgments, path: str, to: str | None) -> str | None:
    """Return the format that keeps everything; refuse one that does not."""
    from cleverdon.formats.annotated_qrels import format_needed
    from cleverdon.formats.writers import format_of

    needed = format_needed(judgments.notes)
    if needed is None:
        return to
    asked = to or (None if path == _STDOUT else format_of(path))
    if asked not in (None, "trec"):
        raise click.UsageError(
            f"{asked} has no place for what these judgments say beside grades: write a text file "
            f"without --to, which is in the format {needed!r}; or drop that first: cleverdon "
            f"convert IN OUT --from {needed}"
        )
    return needed


def check_two_outputs(one: str, other: str) -> None:
    if one == other or Path(one).resolve() == Path(other).resolve():
        raise click.UsageError(f"{one} would be written twice: name two files")


def _qrels_size(judgments: Judgments) -> str:
    """Describe the size of qrels: `12 judgments of 3 topics`, and documents that are not judged."""
    topics = counted(len(judgments.queries), "query")
    open_ = int((judgments.core.grades < 0).sum())
    beside = f" and {counted(open_, 'document')} not judged," if open_ else ""
    return f"{counted(len(judgments) - open_, 'judgment')}{beside} of {topics}"


def write_qrels(judgments: Judgments, path: str, to: str | None = None) -> None:
    from cleverdon.formats.writers import fractional_grades

    format = format_to_write(judgments, path, to)
    judgments.write(path, format=format)
    say(fractional_grades(judgments, path, format))
    if path != _STDOUT:
        say(
            [
                f"{path}: {_qrels_size(judgments)}"
                + (f", as {format}" if format in ANNOTATED else "")
            ]
        )


def say(lines: Iterable[str]) -> None:
    """Write lines to standard error: standard output may be the judgments."""
    for line in lines:
        warned = line.startswith("warning: ")
        click.echo(f"cleverdon: {line}" if warned else line, err=True)
