"""cleverdon logs check: the log doctor."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import logs_options, options
from cleverdon.cli.options import Count, Number, together
from cleverdon.online.bots import BotRules
from cleverdon.online.doctor.limits import Limits

_LIMITS = Limits()
_BOTS = _LIMITS.bots


def _limit(option: str, name: str, default: float, metavar: str, help: str) -> Any:
    kind = Count(min=0) if isinstance(default, int) else Number(min=0)
    return click.option(
        option, name, type=kind, default=default, show_default=True, metavar=metavar, help=help
    )


_limits = together(
    _limit(
        "--bot-hour",
        "searches_per_hour",
        _BOTS.searches_per_hour,
        "N",
        "Whoever searches more often in an hour, and never clicks, is taken for a program.",
    ),
    _limit("--bot-day", "searches_per_day", _BOTS.searches_per_day, "N", "The same in a day."),
    _limit(
        "--long-session",
        "session_searches",
        _LIMITS.session_searches,
        "N",
        "How many searches a session may have.",
    ),
    _limit(
        "--skew",
        "skew_seconds",
        float(_LIMITS.skew_seconds),
        "SECONDS",
        "By how much an event may come before its page.",
    ),
    _limit(
        "--late",
        "late_hours",
        float(_LIMITS.late_hours),
        "HOURS",
        "How long after its page an event may come.",
    ),
    _limit(
        "--examples",
        "examples",
        _LIMITS.examples,
        "N",
        "How many rows to show of each thing that is found.",
    ),
)


@click.command()
@logs_options.log
@_limits
@options.formats("How to print.", ("text", "json"))
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    format_: str,
    strict: bool,
    searches_per_hour: int,
    searches_per_day: int,
    **limits: Any,
) -> None:
    """Find what is wrong with LOG, and say which metrics it supports.

    Errors make metrics wrong; warnings are likely mistakes; notes are good to know. The exit code
    is 0 where there are no errors, and 1 where there are.

    \b
    Examples:
      cleverdon logs check made_up
      cleverdon logs check ubi_queries.jsonl ubi_events.jsonl --strict
      cleverdon logs check visits.csv --mapping ours.yaml --format json
    """
    from cleverdon.cli.progress import bar

    rules = BotRules(searches_per_hour=searches_per_hour, searches_per_day=searches_per_day)
    wanted = Limits(bots=rules, **limits)
    with bar("examining the log"):
        from cleverdon.online.doctor import examine
        from cleverdon.show.doctor import render

        found = examine(logs_options.opened(sources, reading, warn=False), wanted)
    click.echo(render(found, format_))
    if not found.passes(strict=strict):
        raise click.exceptions.Exit(1)
