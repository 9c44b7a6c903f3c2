"""cleverdon logs generate: a made-up search log whose truth is known."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from cleverdon.cli import options

_SCALES = {"": 1, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000}


def _amount(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """A whole number, also written as 500K, 10M or 1G."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)", value.replace("_", "").upper())
    if match is None:
        raise click.BadParameter(f"{value!r} is not a number; write 500000, 500K or 10M")
    return round(float(match[1]) * _SCALES[match[2]])


def _share(name: str, help: str, *, default: float) -> options.Decorator[Any]:
    return click.option(
        name, type=options.Number(0, 0.5), default=default, show_default=True, help=help
    )


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--events",
    callback=_amount,
    default="1M",
    show_default=True,
    metavar="N",
    help="About how many rows the two tables have together; K, M and G are understood.",
)
@options.seed("log")
@click.option(
    "--days", type=options.Count(1, 366), default=28, show_default=True, help="How long it spans."
)
@click.option(
    "--variants/--no-variants",
    default=True,
    show_default=True,
    help="Whether there is an experiment: users see variant A or B from half of the days on.",
)
@click.option(
    "--effect",
    type=options.Number(-1, 0.25),
    default=0.05,
    show_default=True,
    help="By what share B raises the chance that a result is clicked.",
)
@_share("--mismatch", "What share of the users that B should have had is missing.", default=0.0)
@_share("--bots", "What share of the users are programs, which click nothing.", default=0.0005)
@_share("--missing", "What share of latencies and dwell times is not known.", default=0.01)
@_share("--anonymous", "What share of the users has no id.", default=0.0)
@_share(
    "--faults",
    "What share of events is there twice, or has a wrong time; and of pages lost impressions.",
    default=0.0,
)
@click.option("--keystrokes", is_flag=True, help="Search while queries are typed.")
@click.option(
    "--force",
    is_flag=True,
    help="Write into a FOLDER that is not empty, over a log that was made up there before.",
)
def command(folder: Path, force: bool, **recipe: Any) -> None:
    """Write a made-up search log into FOLDER, to test and to measure with.

    FOLDER gets queries.parquet, events.parquet, and truth.json: all that was put in and that any
    metric must find, such as how many sessions have a click and what the experiment's effect is. A
    folder with files named queries* or events* of another origin is left alone, --force or not.

    \b
    Examples:
      cleverdon logs generate log
      cleverdon logs generate log --events 10M --seed 7 --force
      cleverdon logs generate broken --events 50K --faults 0.02 --mismatch 0.1
    """
    from cleverdon.cli.progress import bar
    from cleverdon.online.generating import check_foreign, generate, there_already
    from cleverdon.show.grid import counted

    options.check_output(folder)
    check_foreign(folder)
    there = there_already(folder)
    if there and not force:
        raise click.UsageError(
            f"{there[0]} is there already; name another folder, or use this one all the same: "
            "--force"
        )
    with bar("generating") as update:
        truth = generate(folder, progress=update, **recipe)
    queries, events = counted(truth.query_rows, "query"), counted(truth.event_rows, "event")
    users, sessions = counted(truth.total.users, "user"), counted(truth.total.sessions, "session")
    click.echo(f"{folder}: {queries} and {events} of {users} in {sessions}", err=True)
