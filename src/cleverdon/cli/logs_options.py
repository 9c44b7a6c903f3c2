"""What every command of `cleverdon logs` shares: which log is read, and how."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import together
from cleverdon.show.grid import counted

if TYPE_CHECKING:
    from cleverdon.online.log import Log

READING = ("format", "mapping", "timezone", "queries", "events", "memory", "without_bots")
"""What `log` offers as options: the keywords of `read_log`, and whether to leave out programs."""


def log(command: Any) -> Any:
    """LOG..., and how it is read.

    The command gets the files in `sources`, and all else in one parameter, `reading`; `opened`
    makes a Log of both.
    """

    @wraps(command)
    def gathered(**given: Any) -> Any:
        reading = {name: given.pop(f"log_{name}") for name in READING}
        return command(reading=reading, **given)

    return together(
        click.argument("sources", metavar="LOG...", nargs=-1, required=True, type=click.Path()),
        click.option(
            "--log-format",
            "log_format",
            metavar="FORMAT",
            shell_complete=_complete_format,
            help="What wrote the log: cleverdon, ubi, algolia, matomo, snowplow or slowlog.  "
            "[default: seen from its columns]",
        ),
        click.option(
            "--mapping",
            "log_mapping",
            type=click.Path(),
            metavar="FILE",
            help="A YAML or TOML file that says which column is what.",
        ),
        click.option(
            "--timezone",
            "log_timezone",
            metavar="ZONE",
            help="Where clocks showed the times that have no zone, as Europe/Berlin.  "
            "[default: UTC]",
        ),
        click.option(
            "--queries",
            "log_queries",
            metavar="TABLE",
            help="The table of queries, where LOG is a database.",
        ),
        click.option(
            "--events",
            "log_events",
            metavar="TABLE",
            help="The table of events, where LOG is a database.",
        ),
        click.option(
            "--memory",
            "log_memory",
            metavar="SIZE",
            help="How much memory DuckDB may take before it goes on on disk, as in 4GB.  [default: "
            "four fifths of the machine's]",
        ),
        click.option(
            "--without-bots",
            "log_without_bots",
            is_flag=True,
            help="Leave out users that are programs: they search faster or more evenly than people "
            "do, and click nothing.",
        ),
    )(gathered)


def _complete_format(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from cleverdon.online.reading.formats import formats

    return [name for name in formats() if name.startswith(incomplete)]


def opened(sources: tuple[str, ...], reading: dict[str, Any], *, warn: bool = True) -> Log:
    """The log; rows that were set aside are told on standard error, in one line."""
    from cleverdon.cli.progress import say
    from cleverdon.online.bots import without_bots
    from cleverdon.online.reading import read_log

    people_only = reading["without_bots"]
    keywords = {name: value for name, value in reading.items() if name != "without_bots"}
    found = read_log(*sources, **keywords)
    count = sum(aside.count for aside in found.aside)
    if warn and count:
        rows = count + sum(
            int(table.count().to_pyarrow().as_py()) for table in (found.queries, found.events)
        )
        say(
            f"cleverdon: {count:,} of {rows:,} rows were set aside; "
            f"cleverdon logs check {found.source} shows them"
        )
    if people_only:
        found, users, gone = without_bots(found)
        say(f"cleverdon: {counted(users, 'user')} left out as programs, with {gone:,} rows")
    return found
