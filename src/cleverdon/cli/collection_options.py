"""What commands share that make judgments of judgments: files, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.read.detect import ANNOTATED, FORMATS

if TYPE_CHECKING:
    from cleverdon.data import Judgments

_STDOUT = "-"


output = options.together(
    click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, allow_dash=True),
        default=_STDOUT,
        help="The file to write, in the place of one that is there; - is standard output.  "
        "[default: -]",
    ),
    click.option(
        "--to",
        type=click.Choice(list(FORMATS)),
        help="The format to write, if not to follow from the file's name.",
    ),
)


def read_qrels(path: str, format: str | None) -> Judgments:
    """Judgments of a file, with a progress bar."""
    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments

    with bar(f"reading {path}") as update:
        return Judgments.read(path, format=format, progress=update)


def format_to_write(judgments: Judgments, path: str, to: str | None) -> str | None:
    """The format that keeps everything; an error where what was asked for would not."""
    from cleverdon.read.write import format_of
    from cleverdon.read.write_annotated import format_needed

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


def check_output(path: str, *inputs: str | None) -> None:
    """Whether a file can be written there: looked at before any work is done."""
    if path != _STDOUT:
        options.check_output(Path(path), *inputs)


def check_two_outputs(one: str, other: str) -> None:
    """Two outputs are two files, however their names are written."""
    if one == other or Path(one).resolve() == Path(other).resolve():
        raise click.UsageError(f"{one} would be written twice: name two files")


def write_qrels(judgments: Judgments, path: str, to: str | None = None) -> None:
    """Write judgments in the format that they need."""
    from cleverdon.read.write import fractional_grades
    from cleverdon.show.qrels_made import size

    format = format_to_write(judgments, path, to)
    judgments.write(path, format=format)
    say(fractional_grades(judgments, path, format))
    if path != _STDOUT:
        say([f"{path}: {size(judgments)}" + (f", as {format}" if format in ANNOTATED else "")])


def say(lines: Iterable[str]) -> None:
    """Lines on standard error: standard output may be the judgments."""
    for line in lines:
        warned = line.startswith("warning: ")
        click.echo(f"cleverdon: {line}" if warned else line, err=True)


def telling(update: Any) -> Any:
    """Progress of several runs on one bar."""
    return lambda name, done, total: update(done, total)
