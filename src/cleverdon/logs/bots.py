"""Bots: users that search faster or more evenly than people do, and never click.

The command line imports this module for the defaults of `BotRules`: no Ibis at import.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from cleverdon.errors import OptionError
from cleverdon.logs import calendar
from cleverdon.logs.log import INTERACTIONS, ExcludedBots, Log, actor_of, with_actors
from cleverdon.logs.sql import zero_or_one

if TYPE_CHECKING:
    from ibis import Table


_LONGEST_PAUSE = 30 * calendar.MINUTE
"""Longer gaps between searches do not count as regular or irregular."""


@dataclass(frozen=True, kw_only=True)
class BotRules:
    """The rules for bots: users without a click who meet one of them.

    Attributes:
        searches_per_hour: More searches than this within any sixty minutes.
        searches_per_day: More searches than this within any 24 hours.
        regular_searches: At least this number of gaps between searches, if they are regular.
        regular_spread: Gaps are regular if their standard deviation is at most this share of their
            mean.

    >>> print(BotRules(searches_per_hour=60))
    more than 60 searches in an hour or 1,000 in a day, or 50 gaps between searches that vary by at
    most 5%; and not one click
    """

    searches_per_hour: int = 100
    searches_per_day: int = 1000
    regular_searches: int = 50
    regular_spread: float = 0.05

    def __post_init__(self) -> None:
        for name in ("searches_per_hour", "searches_per_day", "regular_searches"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: it must be at least 1")
        if not 0 <= self.regular_spread < 1:
            raise OptionError(f"regular_spread={self.regular_spread}: it is from 0 to below 1")

    def __str__(self) -> str:
        return (
            f"more than {self.searches_per_hour:,} searches in an hour or "
            f"{self.searches_per_day:,} in a day, or {self.regular_searches:,} gaps between "
            f"searches that vary by at most {self.regular_spread:.0%}; and not one click"
        )


class WithoutBots(NamedTuple):
    """A log without bots, and the number of users and rows that were left out."""

    log: Log
    users: int
    rows: int  # searches and events together


def searcher_activity(log: Log, rules: BotRules) -> Table:
    """Return how many, how fast and how evenly each person searched, and whether it is a bot."""
    asked = with_actors(log).select("query_id", "time", "results", person="actor")
    asked = asked.filter(asked.person.notnull())
    order = {"group_by": "person", "order_by": ["time", "query_id"]}
    asked = asked.mutate(
        gap=asked.time - asked.time.lag().over(**order),
        hour=asked.time - asked.time.lag(rules.searches_per_hour).over(**order),
        day=asked.time - asked.time.lag(rules.searches_per_day).over(**order),
    )
    short = asked.gap <= _LONGEST_PAUSE
    paces = asked.group_by("person").agg(
        searches=asked.count(),
        empty=asked.count(where=asked.results == 0),
        first=asked.time.min(),
        last=asked.time.max(),
        fast=asked.count(where=(asked.hour <= calendar.HOUR) | (asked.day <= calendar.DAY)),
        gaps=asked.count(where=short),
        gap=asked.gap.cast("float64").mean(where=short),
        spread=asked.gap.cast("float64").std(where=short, how="pop"),
    )
    done = _done_by(log)
    joined = paces.left_join(done, paces.person == done.whoever)
    even = (joined.gaps >= rules.regular_searches) & (
        joined.spread <= rules.regular_spread * joined.gap
    )
    is_bot = ((joined.fast > 0) | even.fill_null(False)) & joined.done.isnull()
    return joined.select(
        "person",
        "searches",
        "empty",
        "first",
        "last",
        "fast",
        gap_ms=joined.gap,
        done=joined.done.fill_null(0),
        bot=zero_or_one(is_bot),
    )


def _done_by(log: Log) -> Table:
    """Count the clicks, copies and conversions of each person."""
    pages = with_actors(log).select(page_id="query_id", asker="actor")
    events = log.events.mutate(doer=actor_of(log.events))
    events = events.filter(events.action.isin(INTERACTIONS))
    joined = events.left_join(pages, events.query_id == pages.page_id)
    acts = joined.select(whoever=joined.asker.coalesce(joined.doer))
    acts = acts.filter(acts.whoever.notnull())
    return acts.group_by("whoever").agg(done=acts.count())


def without_bots(log: Log, rules: BotRules | None = None) -> WithoutBots:
    """Exclude bots, with their pages and the events on them.

    If the log names no users, sessions or clients, nothing is excluded.

    Args:
        log: The log.
        rules: The rules for bots.

    Returns:
        The log without bots, and their number.

    >>> from cleverdon.logs.log import log_of
    >>> busy = [{"query_id": f"q{n}", "user": "bot", "time": n} for n in range(150)]
    >>> calm = [{"query_id": "q", "user": "ann", "time": 0}]
    >>> left = without_bots(log_of(busy + calm, []))
    >>> left.users, left.rows, left.log.queries.count().to_pyarrow().as_py()
    (1, 150, 1)
    """
    rules = rules or BotRules()
    if not log.actors:
        nothing = ExcludedBots(0, 0, 0, str(rules), can_tell=False)
        return WithoutBots(replace(log, without_bots=nothing), 0, 0)
    everyone = searcher_activity(log, rules)
    # Cached, because every query on the log would compute it again.
    bots = everyone.filter(everyone.bot == 1).select(bot="person").cache()
    queries = with_actors(log, "whoever")
    theirs = queries.semi_join(bots, queries.whoever == bots.bot).select(page_id="query_id").cache()
    users, pages = _size(bots), _size(theirs)
    if not users:
        nothing = log.without_bots or ExcludedBots(0, 0, 0, str(rules))
        return WithoutBots(replace(log, without_bots=nothing), 0, 0)
    events = log.events.mutate(whoever=actor_of(log.events))
    kept = events.anti_join(theirs, events.query_id == theirs.page_id)
    kept = kept.anti_join(bots, kept.whoever == bots.bot)
    gone = ExcludedBots(users, pages, _size(log.events) - _size(kept), str(rules))
    thinned = replace(
        log,
        queries=queries.anti_join(bots, queries.whoever == bots.bot).drop("whoever"),
        events=kept.drop("whoever"),
        without_bots=gone,
    )
    return WithoutBots(thinned, users, gone.searches + gone.events)


def _size(table: Table) -> int:
    count: int = table.count().to_pyarrow().as_py()
    return count
