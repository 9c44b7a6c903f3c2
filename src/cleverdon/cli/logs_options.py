"""What every command of `cleverdon logs` shares: which log is read, and how."""

from __future__ import annotations

import shlex
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import together
from cleverdon.show.grid import counted

if TYPE_CHECKING:
    from cleverdon.online.log import Log

READING = ("format", "mapping", "timezone", "queries", "events", "memory", "without_bots")
"""What `log` offers as options: the keywords of `read_log`, and whether to leave out programs."""

_OPTIONS = {
    "format": "--log-format",
    "mapping": "--mapping",
    "timezone": "--timezone",
    "queries": "--queries",
    "events": "--events",
    "memory": "--memory",
}
"""The options that take a value, by what `READING` calls them."""


check = click.option(
    "--check/--no-check",
    default=True,
    help="Look for errors in the rows that the metrics rest on, as logs check does, and say so "
    "beside the numbers.  [default: do]",
)
"""Whether errors of the log are looked for, of commands that print metrics."""


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
            _OPTIONS["format"],
            "log_format",
            metavar="FORMAT",
            shell_complete=_complete_format,
            help="What wrote the log: cleverdon, ubi, algolia, matomo, snowplow or slowlog.  "
            "[default: seen from its columns]",
        ),
        click.option(
            _OPTIONS["mapping"],
            "log_mapping",
            type=click.Path(),
            metavar="FILE",
            help="A YAML or TOML file that says which column is what.",
        ),
        click.option(
            _OPTIONS["timezone"],
            "log_timezone",
            metavar="ZONE",
            help="Where clocks showed the times that have no zone, as Europe/Berlin.  "
            "[default: UTC]",
        ),
        click.option(
            _OPTIONS["queries"],
            "log_queries",
            metavar="TABLE",
            help="The table of queries, where LOG is a database.",
        ),
        click.option(
            _OPTIONS["events"],
            "log_events",
            metavar="TABLE",
            help="The table of events, where LOG is a database.",
        ),
        click.option(
            _OPTIONS["memory"],
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
    """The log; what could not be used is told on standard error, in one line."""
    from cleverdon.cli.progress import say
    from cleverdon.online.bots import without_bots
    from cleverdon.online.reading import read_log

    people_only = reading["without_bots"]
    keywords = {name: value for name, value in reading.items() if name != "without_bots"}
    found = read_log(*sources, **keywords)
    if warn and found.aside:
        say(f"cleverdon: {_told(found)}; to see them: {_check(sources, found, reading)}")
    if people_only:
        found = without_bots(found).log
        say(f"cleverdon: {found.without_bots}")
    return found


def _told(log: Log) -> str:
    """How many rows were set aside, and how many values read as unknown."""
    told = []
    if log.set_aside:
        rows = sum(log.rows.values())
        told.append(f"{log.set_aside:,} of {counted(rows, 'row')} {_were(log.set_aside)} set aside")
    if log.unknown:
        told.append(f"{counted(log.unknown, 'value')} {_were(log.unknown)} read as unknown")
    return ", and ".join(told)


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _check(sources: tuple[str, ...], log: Log, reading: dict[str, Any]) -> str:
    """The command that shows what is wrong with the log, to be pasted into a shell."""
    # A connection string may have a password in it, and what the log is called has not.
    named = [log.source if "://" in source else source for source in sources]
    words = ["cleverdon", "logs", "check", *named]
    for name, option in _OPTIONS.items():
        if reading[name] is not None:
            words += [option, str(reading[name])]
    return shlex.join(words)
