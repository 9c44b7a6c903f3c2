"""Users that are programs: they search faster or more evenly than people do, and click nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from cleverdon.errors import OptionError
from cleverdon.online import days
from cleverdon.online.log import SIGNS, LeftOut, Log, actor_of, with_actors
from cleverdon.online.portable import whole

if TYPE_CHECKING:
    from ibis import Table

PAUSE = 30 * days.MINUTE
"""Longer gaps between searches say nothing of how evenly they come."""


@dataclass(frozen=True, kw_only=True)
class BotRules:
    """Who is taken for a program: whoever does one of these things, and never clicks."""

    searches_per_hour: int = 100
    """More searches than this within any sixty minutes."""
    searches_per_day: int = 1000
    """More searches than this within any 24 hours."""
    regular_searches: int = 50
    """At least so many gaps between searches, ..."""
    regular_spread: float = 0.05
    """... whose standard deviation is at most this share of their mean."""

    def __post_init__(self) -> None:
        for name in ("searches_per_hour", "searches_per_day", "regular_searches"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)}: it must be at least 1")
        if not 0 <= self.regular_spread < 1:
            raise OptionError(f"regular_spread={self.regular_spread}: it lies from 0 to below 1")

    def __str__(self) -> str:
        return (
            f"more than {self.searches_per_hour:,} searches in an hour or "
            f"{self.searches_per_day:,} in a day, or {self.regular_searches:,} gaps between "
            f"searches that vary by at most {self.regular_spread:.0%}; and not one click"
        )


class WithoutBots(NamedTuple):
    """A log without programs, and what was left out."""

    log: Log
    users: int
    rows: int
    """Searches and events together."""


def persons(log: Log, rules: BotRules) -> Table:
    """A row for each person who searched: how much, how fast, how evenly, and whether a program.

    `fast` counts searches that follow too many others within an hour or a day; `bot` is 1 for
    programs. A person is an actor, see `actor_of`; searches without one are in none of the rows.
    """
    asked = with_actors(log).select("query_id", "time", "results", person="actor")
    asked = asked.filter(asked.person.notnull())
    order = {"group_by": "person", "order_by": ["time", "query_id"]}
    asked = asked.mutate(
        gap=asked.time - asked.time.lag().over(**order),
        hour=asked.time - asked.time.lag(rules.searches_per_hour).over(**order),
        day=asked.time - asked.time.lag(rules.searches_per_day).over(**order),
    )
    short = asked.gap <= PAUSE
    paces = asked.group_by("person").agg(
        searches=asked.count(),
        empty=asked.count(where=asked.results == 0),
        first=asked.time.min(),
        last=asked.time.max(),
        fast=asked.count(where=(asked.hour <= days.HOUR) | (asked.day <= days.DAY)),
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
        bot=whole(is_bot),
    )


def _done_by(log: Log) -> Table:
    """How often each person clicked, copied or bought; the person as the page names them."""
    pages = with_actors(log).select(page_id="query_id", asker="actor")
    events = log.events.mutate(doer=actor_of(log.events))
    events = events.filter(events.action.isin(SIGNS))
    joined = events.left_join(pages, events.query_id == pages.page_id)
    acts = joined.select(whoever=joined.asker.coalesce(joined.doer))
    acts = acts.filter(acts.whoever.notnull())
    return acts.group_by("whoever").agg(done=acts.count())


def without_bots(log: Log, rules: BotRules | None = None) -> WithoutBots:
    """The log without users that are programs, their pages, and what was done on those.

    Where the log names no users, sessions or clients, nobody can be told apart or left out.

    >>> from cleverdon.online.worked import log_of
    >>> busy = [{"query_id": f"q{n}", "user": "bot", "time": n} for n in range(150)]
    >>> calm = [{"query_id": "q", "user": "ann", "time": 0}]
    >>> left = without_bots(log_of(busy + calm, []))
    >>> left.users, left.rows, left.log.queries.count().to_pyarrow().as_py()
    (1, 150, 1)
    """
    rules = rules or BotRules()
    if not log.actors:
        nothing = LeftOut(0, 0, 0, str(rules), can_tell=False)
        return WithoutBots(replace(log, without_bots=nothing), 0, 0)
    everyone = persons(log, rules)
    # Kept, since it would be worked out again by each query that asks for the log.
    bots = everyone.filter(everyone.bot == 1).select(bot="person").cache()
    queries = with_actors(log, "whoever")
    theirs = queries.semi_join(bots, queries.whoever == bots.bot).select(page_id="query_id").cache()
    users, pages = _size(bots), _size(theirs)
    if not users:
        nothing = log.without_bots or LeftOut(0, 0, 0, str(rules))
        return WithoutBots(replace(log, without_bots=nothing), 0, 0)
    events = log.events.mutate(whoever=actor_of(log.events))
    kept = events.anti_join(theirs, events.query_id == theirs.page_id)
    kept = kept.anti_join(bots, kept.whoever == bots.bot)
    gone = LeftOut(users, pages, _size(log.events) - _size(kept), str(rules))
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
