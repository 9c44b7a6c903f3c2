"""Checks of content: values that are missing, constant or impossible, odd days and variants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import median
from typing import Any, ClassVar

import numpy as np
from ibis import _ as row

from cleverdon.logs import calendar
from cleverdon.logs.doctor.checks import (
    ALWAYS,
    CLICK_METRICS,
    Check,
    RowCheck,
    check,
    limits,
    table_counts,
)
from cleverdon.logs.doctor.diagnosis import EARLIEST_TIME, Finding
from cleverdon.logs.doctor.facts import LogFacts, fetch_rows
from cleverdon.logs.metrics.base import metrics
from cleverdon.stats.tests import chi_square_homogeneity

_ROWS = {
    "queries": "searches",
    "events.doc": "impressions and clicks",
    "events.position": "impressions and clicks",
    "events.dwell_ms": "clicks",
    "events.query_id": "events",
}
"""The rows that should have a value, by column or by table."""


def _rows_of(column: str) -> str:
    """Return the kind of rows that should have a value in this column."""
    return _ROWS.get(column) or _ROWS[column.partition(".")[0]]


def _metrics_needing(column: str) -> tuple[str, ...]:
    return tuple(cls.__name__ for cls in metrics() if column in cls.needs)


@check
class MissingValues(Check):
    """Rows without a value, in a column that the log has.

    A warning for users, and for a column without any value.
    """

    noun = "rows"
    matters = "Null is not zero: such rows are left out, and what is left may not be typical."
    remedy = "log the value, or check what the rows without it have in common"
    warning_from = 0.05

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        for name, column in facts.columns.items():
            # Events without a search have a check of their own.
            if not column.nulls or name == "events.query_id":
                continue
            serious = name == "queries.user" or column.nulls == column.rows
            yield self.finding(
                column.nulls,
                column.rows,
                what=f"{name} is null",
                noun=_rows_of(name),
                severity=None if serious else "note",
                spoils=_metrics_needing(name),
            )


_TELLING = ("user", "session", "text", "results", "latency_ms", "doc", "position", "dwell_ms")
"""Columns that hold more than one value in any correct log."""


@check
class ConstantColumns(Check):
    """Columns with the same value in every row."""

    noun = "rows"
    matters = "A default was logged rather than a value, or only a part of the log was taken."
    remedy = "check where the value comes from; do not map the column if it is a default"

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        for name, column in facts.columns.items():
            if column.constant is None or column.rows < facts.limits.least_rows:
                continue
            telling = name.partition(".")[2] in _TELLING
            yield self.finding(
                column.rows,
                column.rows,
                what=f"{name} is always {column.constant!r}",
                noun=_rows_of(name),
                severity="warning" if telling else "note",
                spoils=_metrics_needing(name) if telling else (),
            )


class _OfSearches(RowCheck):
    table = "queries"
    noun = "searches"


class _OfTexts(_OfSearches):
    needs = ("queries.text",)
    shows = ("query_id", "time", "user", "text")
    spoils = ("TopQueries", "DistinctQueries", "HeadTorsoTail")
    among = row.text.notnull()


@check
class EmptyTexts(_OfTexts):
    """Searches with an empty text."""

    matters = "To open a page without a query is browsing, but counts as a search here."
    remedy = "do not log them if nobody typed anything"
    warning_from = 0.01
    wrong = row.text.strip() == ""


@check
class HugeTexts(_OfTexts):
    """Searches whose text is far too long to be typed."""

    matters = "They come from bots or pasted documents, and are not queries that users type."
    remedy = "check who sends them; exclude bots with --without-bots"
    warning_from = 0.001
    wrong = row.text.length() > limits.text_length

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        return [f"Longer than {facts.limits.text_length:,} characters each."]

    def examples(self, facts: LogFacts) -> list[dict[str, Any]]:
        return [{**row, "text": f"{row['text'][:60]}..."} for row in super().examples(facts)]


class _OfLatency(_OfSearches):
    noun = "searches with a latency"
    needs = ("queries.latency_ms",)
    spoils = ("Latency", "LatencyByLoad", "LatencySpikes")
    shows = ("query_id", "time", "text", "latency_ms")
    among = row.latency_ms.notnull()


@check
class OddLatencies(_OfLatency):
    """Latencies of zero, below zero, or of many minutes."""

    matters = "They are not the time that users waited; a single long one can dominate the mean."
    remedy = "log null if latency was not measured; check its unit, which must be milliseconds"
    warning_from = 0.001
    error_from = 0.2
    wrong = (row.latency_ms <= 0) | (row.latency_ms > limits.latency_seconds * calendar.SECOND)
    more = {
        "zero": row.count(where=row.latency_ms == 0),
        "negative": row.count(where=row.latency_ms < 0),
    }

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        zero, negative = more["zero"], more["negative"]
        longest = facts.limits.latency_seconds
        return [
            f"{zero:,} are zero, {negative:,} below zero, {count - zero - negative:,} above "
            f"{longest:g} seconds."
        ]


@check
class LatencyUnit(_OfLatency):
    """Latencies that do not seem to be in milliseconds.

    Seconds if most are below 1 and nearly none above 60; microseconds if most are above a minute.
    """

    matters = "Every percentile of latency is wrong by a factor of a thousand."
    remedy = "name the unit in a mapping: latency_ms: {column: NAME, unit: s}, or us"
    warning_from = 0.5
    wrong = (row.latency_ms > 0) & (row.latency_ms < 1)
    more = {
        "above": row.count(where=row.latency_ms > 60),
        "minutes": row.count(where=row.latency_ms > calendar.MINUTE),
    }

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        below, total, more = table_counts(facts, self.table)[self.name]
        if total < facts.limits.least_rows:
            return
        if below > total / 2 and more["above"] <= total / 100:
            what = "latencies that seem to be seconds, not milliseconds"
            yield self.finding(below, total, what=what, examples=self.examples(facts))
        elif more["minutes"] > total / 2:
            what = "latencies that seem to be microseconds, not milliseconds"
            yield self.finding(more["minutes"], total, what=what)


@check
class OddNumbers(_OfSearches):
    """Searches with a negative number of results, or a page below 1."""

    matters = "-1 means unknown, which is not zero; pages count from 1."
    remedy = "log null if the number is unknown; say in a mapping that pages start at 0"
    spoils = ("ZeroResults", "Pagination")
    error_from = 0.05
    shows = ("query_id", "time", "text", "page", "results")
    wrong = ((row.results < 0) | (row.page < 1)).fill_null(False)


class _OfPositions(RowCheck):
    table = "acts"
    noun = "events with a position"
    spoils = ("ClickRank", "ReciprocalClickRank")
    needs: ClassVar[tuple[str, ...]] = ("events.action", "events.position")
    shows: ClassVar[tuple[str, ...]] = ("query_id", "time", "action", "doc", "position")
    among = row.position.notnull()


@check
class PositionsBelowOne(_OfPositions):
    """Positions below 1."""

    matters = "Every rank is off by one, and 1 / rank has no value for the first result."
    remedy = "say in a mapping where they start: position: {column: NAME, from: 0}"
    error_from = ALWAYS
    wrong = row.position < 1


@check
class HugePositions(_OfPositions):
    """Positions that are too deep to be real."""

    matters = "The column holds something other than ranks: ids, pixels or offsets."
    remedy = "check what the column holds, and name another one in a mapping"
    error_from = 0.01
    wrong = row.position > limits.position


@check
class PositionsWithinPages(_OfPositions):
    """Position 1 on later pages, as if positions restarted on each page."""

    noun = "results shown or clicked, with a position"
    matters = "A click on the second page looks as good as one on the first."
    remedy = "log positions over all pages: (page - 1) * results a page + position"
    needs = ("events.action", "events.position", "queries.page")
    shows = ("query_id", "time", "action", "doc", "position", "page")
    among = row.position.notnull() & row.action.isin(("impression", "click"))
    wrong = among & (row.position == 1) & (row.page > 1)


@check
class PositionGaps(RowCheck):
    """Pages with many missing positions between their impressions."""

    table = "shown"
    noun = "pages with impressions"
    matters = "Impressions are lost, or the column does not hold positions."
    remedy = "check that every shown result is logged"
    spoils = ("ImpressionCTR", "LinkCTR")
    needs = ("events.action", "events.position")
    needs_actions = ("impression",)
    shows = ("query_id", "impressions", "first_position", "last_position")
    wrong = row.last_position - row.first_position + 1 - row.impressions >= limits.position_gap


_SAME_WEEKDAYS = 3
"""With this many Mondays, a Monday is compared with Mondays, because weekends are quiet."""


def _searches_a_day(facts: LogFacts) -> dict[int, int]:
    """Count the searches of each day in UTC, without impossible times."""
    queries = facts.log.queries
    queries = queries.filter(queries.time >= EARLIEST_TIME, queries.time <= facts.limits.latest)
    queries = queries.mutate(day=calendar.floor_to(queries.time, calendar.DAY))
    return {
        row["day"]: row["n"] for row in fetch_rows(queries.group_by("day").agg(n=queries.count()))
    }


def _usual(counts: Mapping[int, float], day: int) -> float:
    """Return the usual count of such a day: the median of this weekday, or of all days.

    >>> _usual({day: 100 if day % 7 < 5 else 2 for day in range(28)}, 5)
    2.0
    """
    alike = [count for other, count in counts.items() if other % 7 == day % 7]
    return median(alike if len(alike) >= _SAME_WEEKDAYS else counts.values())


@check
class QuietDays(Check):
    """Days without searches, or with far fewer than usual.

    The first and the last day of the log may be incomplete, and are ignored.
    """

    noun = "days"
    matters = "If logging failed, usage did not really fall."
    remedy = "check that the log is complete; leave such days out of comparisons"
    spoils = ("QueriesPerTime",)

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        there = _searches_a_day(facts)
        if len(there) < 2:
            return
        first, last = min(there), max(there)
        counts = {day: there.get(day, 0) for day in range(first, last + 1)}
        least, share = facts.limits.least_a_day, facts.limits.low_day
        quiet = [
            {"day": calendar.as_date(day), "searches": count, "usual": round(expected)}
            for day, count in counts.items()
            if first < day < last
            and (expected := _usual(counts, day)) >= least
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
    matters = "If clicks were not logged, every search of the day looks abandoned."
    remedy = "check that events were logged on these days; leave out days without them"
    spoils = CLICK_METRICS
    needs = ("events.action",)

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        searches = _searches_a_day(facts)
        events = facts.log.events
        events = events.filter(events.action.isin(("impression", "click")))
        events = events.mutate(day=calendar.floor_to(events.time, calendar.DAY))
        done = {
            (row["action"], row["day"]): row["n"]
            for row in fetch_rows(events.group_by("action", "day").agg(n=events.count()))
        }
        low: list[dict[str, Any]] = []
        for action in ("impression", "click"):
            counts = {day: done.get((action, day), 0) for day in searches}
            rate = median(counts[day] / n for day, n in searches.items()) if searches else 0.0
            low += [
                {"day": calendar.as_date(day), "searches": n, f"{action}s": counts[day]}
                | {"usual": round(expected)}
                for day, n in sorted(searches.items())
                # Bots that search a lot lower the rate, but not the number.
                if (expected := min(rate * n, _usual(counts, day))) >= facts.limits.least_a_day
                and counts[day] < facts.limits.low_day * expected
            ]
        if low:
            yield self.finding(
                len({row["day"] for row in low}),
                len(searches),
                examples=low[: facts.limits.examples],
            )


_USERS_A_VARIANT = 10  # with fewer new users a day, their shares say nothing


@check
class UsersInSeveralVariants(RowCheck):
    """Users who saw more than one variant."""

    table = "assigned"
    noun = "users who saw a variant"
    matters = "Their behaviour is not the effect of one variant, which tests assume."
    remedy = "assign each user to one variant permanently; leave these users out of the test"
    error_from = 0.01
    needs = ("queries.variant",)
    needs_persons = True
    shows = ("person", "variant", "another", "searches", "since")
    wrong = row.variant != row.another


@check
class ChangingSplit(Check):
    """Variants whose shares of new users change from day to day.

    By a chi-squared test over the days on which users saw their first variant.
    """

    noun = "days"
    matters = "The variants ran at different times, which may cause differences."
    remedy = "compare only days with the same split, or give days the same weight in both variants"
    needs = ("queries.variant",)
    needs_persons = True

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        users = facts.table("assigned")
        users = users.filter(users.variant == users.another)
        users = users.mutate(day=calendar.floor_to(users.since, calendar.DAY))
        rows = fetch_rows(users.group_by("day", "variant").agg(users=users.count()))
        names = sorted({one["variant"] for one in rows})
        dates = sorted({one["day"] for one in rows})
        counts = np.zeros((len(dates), len(names)))
        for one in rows:
            counts[dates.index(one["day"]), names.index(one["variant"])] = one["users"]
        kept = counts.sum(axis=1) >= _USERS_A_VARIANT * len(names)
        counts, dates = counts[kept], [date for date, keep in zip(dates, kept, strict=True) if keep]
        if len(names) < 2 or len(dates) < 2:
            return
        p, odd = chi_square_homogeneity(counts)
        if p < facts.limits.least_p:
            worst = sorted(range(len(dates)), key=lambda day: (-odd[day], dates[day]))
            yield self.finding(
                int((odd > 0.2 * odd.max()).sum()),
                len(dates),
                details=[f"The probability of such a change by chance is {max(p, 1e-300):.0e}."],
                examples=[
                    {"day": calendar.as_date(dates[day])}
                    | {f"users in {name}": int(counts[day, at]) for at, name in enumerate(names)}
                    for day in worst[: facts.limits.examples]
                ],
            )
