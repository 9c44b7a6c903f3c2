"""Holes in the log: days of which too little is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any

from cleverdon.online import days
from cleverdon.online.doctor.base import CLICK_METRICS, Check, check
from cleverdon.online.doctor.facts import Facts, asked
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.doctor.limits import EARLIEST

_SAME_WEEKDAYS = 3
"""With so many Mondays, a Monday is compared with Mondays, since weekends are quiet."""


def searches_a_day(facts: Facts) -> dict[int, int]:
    """How many searches there are on each day, in UTC; impossible times aside."""
    queries = facts.log.queries
    queries = queries.filter(queries.time >= EARLIEST, queries.time <= facts.limits.latest)
    queries = queries.mutate(day=days.floor_to(queries.time, days.DAY))
    return {row["day"]: row["n"] for row in asked(queries.group_by("day").agg(n=queries.count()))}


def usual(counts: Mapping[int, float], day: int) -> float:
    """What is usual for such a day: the median of this weekday, or of all days.

    >>> usual({day: 100 if day % 7 < 5 else 2 for day in range(28)}, 5)
    2.0
    """
    alike = [count for other, count in counts.items() if other % 7 == day % 7]
    return median(alike if len(alike) >= _SAME_WEEKDAYS else counts.values())


@check
class QuietDays(Check):
    """Days without searches, or with far fewer than usual.

    The first and the last day of the log may be cut, and are left alone.
    """

    noun = "days"
    matters = "Where logging failed, a fall in use is none."
    remedy = "see whether the log is complete; leave such days out of comparisons"
    spoils = ("QueriesPerTime",)

    def find(self, facts: Facts) -> Iterable[Finding]:
        there = searches_a_day(facts)
        if len(there) < 2:
            return
        first, last = min(there), max(there)
        counts = {day: there.get(day, 0) for day in range(first, last + 1)}
        least, share = facts.limits.least_a_day, facts.limits.low_day
        quiet = [
            {"day": days.as_date(day), "searches": count, "usual": round(expected)}
            for day, count in counts.items()
            if first < day < last
            and (expected := usual(counts, day)) >= least
            and count < share * expected
        ]
        if quiet:
            quiet.sort(key=lambda row: (row["searches"], row["day"]))
            yield self.finding(
                len(quiet),
                len(counts),
                details=[f"Fewer than {share:.0%} of the usual searches; days are in UTC."],
                examples=quiet[: facts.limits.examples],
            )


@check
class DaysWithoutEvents(Check):
    """Days with far fewer impressions or clicks than their searches usually have."""

    noun = "days"
    matters = "Where clicks were not logged, every search of the day looks abandoned."
    remedy = "see whether events were logged on these days; leave them out where they were not"
    spoils = CLICK_METRICS
    needs = ("events.action",)

    def find(self, facts: Facts) -> Iterable[Finding]:
        searches = searches_a_day(facts)
        events = facts.log.events
        events = events.filter(events.action.isin(("impression", "click")))
        events = events.mutate(day=days.floor_to(events.time, days.DAY))
        done = {
            (row["action"], row["day"]): row["n"]
            for row in asked(events.group_by("action", "day").agg(n=events.count()))
        }
        low: list[dict[str, Any]] = []
        for action in ("impression", "click"):
            counts = {day: done.get((action, day), 0) for day in searches}
            rate = median(counts[day] / n for day, n in searches.items()) if searches else 0.0
            low += [
                {"day": days.as_date(day), "searches": n, f"{action}s": counts[day]}
                | {"usual": round(expected)}
                for day, n in sorted(searches.items())
                # Programs that search a lot lower the rate, and not the number.
                if (expected := min(rate * n, usual(counts, day))) >= facts.limits.least_a_day
                and counts[day] < facts.limits.low_day * expected
            ]
        if low:
            yield self.finding(
                len({row["day"] for row in low}),
                len(searches),
                examples=low[: facts.limits.examples],
            )
