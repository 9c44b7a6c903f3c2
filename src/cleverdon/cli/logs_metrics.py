"""cleverdon logs metrics: what a log says of how users fare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import logs_options, options
from cleverdon.cli.logs_settings import counting

if TYPE_CHECKING:
    from cleverdon.online.settings import Settings


@click.command()
@logs_options.log
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A metric, such as PageCTR; again for more.  [default: all that the log supports]",
)
@click.option(
    "--by",
    multiple=True,
    metavar="NAME",
    help="Split by day, by variant, or by a segment of the log's own; again for more.",
)
@logs_options.check
@click.option("--sql", is_flag=True, help="Print the queries that run, and not what they give.")
@options.level("One minus the level of the intervals.")
@options.formats("How to print; csv and tsv hold the values, or else the one list asked for.")
@counting
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    check: bool,
    sql: bool,
    level: float,
    format_: str,
    settings: Settings,
) -> None:
    """Say what LOG tells of how users fare.

    \b
    Examples:
      cleverdon logs metrics made_up
      cleverdon logs metrics made_up -m PageCTR -m Abandonment --by day
      cleverdon logs metrics ubi_queries.jsonl ubi_events.jsonl --sql
    """
    from cleverdon.cli.progress import bar, say
    from cleverdon.errors import OptionError

    with bar("reading the log"):
        from cleverdon.online.observing import observe
        from cleverdon.show.grid import EXACT
        from cleverdon.show.observed import render

        log = logs_options.opened(sources, reading)
        with bar("counting"):
            observed = observe(
                log,
                metrics or None,
                by=by,
                settings=settings,
                level=1 - level,
                check=check and not sql,
            )
    if sql:
        for name, text in observed.sql.items():
            click.echo(f"-- {name}\n{text};\n")
        return
    if format_ in ("csv", "tsv") and not observed.values and len(observed.lists) != 1:
        raise OptionError(f"{format_} holds values or one list; name one with --metric")
    if metrics and observed.missing:
        for name in observed.missing:
            observed.stages.log.need(name, *observed.missing[name])
    if format_ in ("csv", "tsv") and observed.values and observed.lists:
        say(f"cleverdon: lists are not in {format_} with values; name one with --metric")
    if format_ in ("csv", "tsv") and not observed.values and not observed.lists[0].rows:
        for note in observed.lists[0].notes:
            say(f"cleverdon: {note}")  # there is no row to stand beside
    click.echo(render(observed, format_, **({} if format_ in EXACT else options.terminal())))
