"""Options that commands about pools share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import opened, runs_read, together

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


def sheet_beside(pool: Path) -> Path:
    """Where the judges' sheet of a pool goes.

    >>> sheet_beside(Path("made/pool.tsv")).as_posix()
    'made/pool.sheet.tsv'
    """
    return pool.with_name(f"{pool.stem}.sheet.tsv")


Decorator = Callable[[Any], Any]


def output(help: str) -> Decorator:
    """The pool file to write."""
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=help,
    )
