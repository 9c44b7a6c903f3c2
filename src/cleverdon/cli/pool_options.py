"""Options that commands about pools share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import Decorator, opened, runs_read, together

if TYPE_CHECKING:
    from cleverdon.pool import Contributions

runs = together(
    click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True)),
    runs_read,
)
"""The runs whose results are pooled, and how they are read."""


def gathered(
    runs: tuple[str, ...], *, depth: int | None, run_format: str | None, order_by: str
) -> Contributions:
    """What the runs returned, with a progress bar."""
    from cleverdon.cli.progress import bar
    from cleverdon.pool.contributions import gather

    with bar("reading runs") as update:
        return gather(
            opened(runs),
            depth=depth,
            format=run_format,
            order_by=order_by,
            progress=lambda name, done, total: update(done, total),
        )


def warn_of_missing(found: Contributions) -> None:
    """Say where queries are not in all runs: the files may be of different collections."""
    import numpy as np

    from cleverdon.cli.progress import say
    from cleverdon.show.grid import counted

    runs = len(found.contributors)
    empty = np.array([found.empty[topic] for topic in found.topics], dtype=np.int64)
    missing = int((found.systems_of_topic + empty < runs).sum())
    queries = counted(len(found.topics), "query")
    if empty.any():
        say(f"cleverdon: note: some run found nothing for {int((empty > 0).sum()):,} of {queries}")
    if missing:
        alone = " and no query is in two of them: do they belong together?"
        scattered = runs > 1 and int(found.systems_of_topic.max()) == 1
        say(
            f"cleverdon: warning: {missing:,} of {queries} are not in all runs"
            + ("," + alone if scattered else "")
        )


def judged(files: tuple[str, ...], qrels_format: str | None) -> dict[str, dict[str, float]]:
    """The grades in sheets that were filled in, or in qrels, whose format may be named."""
    from cleverdon.data import Judgments
    from cleverdon.read.sheet import read_sheets

    if qrels_format is None:
        return read_sheets(files)
    if len(files) > 1:
        raise click.UsageError("--qrels-format is of one file; merge several first")
    return Judgments.read(files[0], format=qrels_format).to_dict()


def sheet_beside(pool: Path) -> Path:
    """Where the judges' sheet of a pool goes.

    >>> sheet_beside(Path("made/pool.tsv.gz")).as_posix()
    'made/pool.sheet.tsv'
    """
    from cleverdon.read.write import PACKED

    plain = pool.with_suffix("") if pool.suffix in PACKED else pool
    return plain.with_name(f"{plain.stem}.sheet.tsv")


def output(help: str) -> Decorator[Any]:
    """The pool file to write."""

    def named(ctx: click.Context, param: click.Parameter, path: Path) -> Path:
        if str(path) == "-":
            raise click.BadParameter(
                "a pool goes to a file, and its sheet to another beside it: name one"
            )
        return path

    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        callback=named,
        help=help,
    )
