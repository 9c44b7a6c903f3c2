"""Options of all commands that count in logs: where sessions end, what success is, and so on."""

from __future__ import annotations

from functools import wraps
from typing import Any, get_args

import click

from cleverdon.cli.options import COUNT, Count, Number, together
from cleverdon.online.settings import IDLE_MINUTES, SIGNALS, Sessions, Settings

_OPTIONS = (
    "sessions",
    "idle_minutes",
    "success",
    "dwell_seconds",
    "keystroke_seconds",
    "fold",
    "stem",
    "timezone",
    "top",
    "least_users",
    "percentiles",
)


def counting(command: Any) -> Any:
    """How to count; the command gets all of it in one parameter, `settings`."""

    @wraps(command)
    def gathered(**given: Any) -> Any:
        chosen = {name: given.pop(name) for name in _OPTIONS}
        chosen = {name: value for name, value in chosen.items() if value not in (None, ())}
        return command(settings=Settings(**chosen), **given)

    defaults = Settings()
    return together(
        click.option(
            "--sessions",
            type=click.Choice(get_args(Sessions)),
            help="What a session is. idle: it ends where its user does nothing for a while; "
            "log: the log's own ids tell.  [default: log where the log has such ids and no --idle "
            "is given, else idle]",
        ),
        click.option(
            "--idle",
            "idle_minutes",
            type=Number(),
            metavar="MINUTES",
            help=f"After how long a session has ended.  [default: {IDLE_MINUTES:g}]",
        ),
        click.option(
            "--success",
            multiple=True,
            type=click.Choice(SIGNALS),
            help="What makes a session a success; again for more.  [default: each of them]",
        ),
        click.option(
            "--dwell",
            "dwell_seconds",
            type=Number(),
            default=defaults.dwell_seconds,
            show_default=True,
            metavar="SECONDS",
            help="How long a clicked document is to be looked at, to be a success.",
        ),
        click.option(
            "--keystrokes",
            "keystroke_seconds",
            type=Number(),
            metavar="SECONDS",
            help="Count searches made while typing, each so soon after the other, as the last of "
            "them.",
        ),
        click.option(
            "--fold/--as-written",
            default=True,
            help="Whether texts that differ in case or white space are the same query.  "
            "[default: they are]",
        ),
        click.option(
            "--stem",
            metavar="LANGUAGE",
            help="Queries of the same words are the same, whatever their endings: english.",
        ),
        click.option(
            "--days-in",
            "timezone",
            default=defaults.timezone,
            show_default=True,
            metavar="ZONE",
            help="The time zone in which days begin: Europe/Berlin.",
        ),
        click.option(
            "--top",
            type=Count(1, 1_000_000),
            default=defaults.top,
            show_default=True,
            metavar="N",
            help="How many queries a list has.",
        ),
        click.option(
            "--least-users",
            type=COUNT,
            default=defaults.least_users,
            show_default=True,
            metavar="N",
            help="List only queries of at least N users, since a rare one may give away who "
            "asked it.",
        ),
        click.option(
            "--percentile",
            "percentiles",
            multiple=True,
            type=Number(),
            metavar="P",
            help="Which percentiles of times to show; again for more.  [default: 50 90 95 99]",
        ),
    )(gathered)
