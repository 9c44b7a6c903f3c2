"""The data of plots: searches over time, distributions, the funnel of sessions.

The engine counts, and only counts are transferred. Spans of time are those of the local clock: an
hour that it shows twice is two spans, and an hour that it skips is none. Bins of distributions are
fixed, so they are the same on every engine and for every log.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from statistics import median
from typing import Any, Literal

import ibis
from ibis import Table
from ibis import _ as row

from cleverdon.errors import OptionError, suggest
from cleverdon.logs import calendar
from cleverdon.logs.metrics.lists import LEAST_SEARCHES, SPIKE
from cleverdon.logs.session_tables import SessionTables
from cleverdon.logs.sql import percentile_label, percentiles, zero_or_one

_Span = Literal["minute", "hour", "day"]

_MOST = 1500  # more points cannot be drawn; longer spans are chosen
_MOST_EMPTY = 200_000
"""With more spans, as by a time that is wrong by decades, empty ones are left out."""


@dataclass(frozen=True)
class SeriesPoint:
    """A span of time."""

    at: int  # the start in local time, in milliseconds
    searches: int
    latency: Mapping[str, float | None] = field(default_factory=dict)
    """Percentiles in milliseconds; None without any."""
    timed: int = 0  # the searches whose latency is known
    times: float | None = None  # at a spike, the multiple of the usual latency
    ahead: int | None = None
    """The offset from UTC in milliseconds, if the clock shows this time twice."""


@dataclass(frozen=True, eq=False)
class Series:
    """The searches of every span of time, empty ones included, from first search to last."""

    span: _Span
    points: tuple[SeriesPoint, ...]
    asked: Mapping[str, Table]  # the queries that ran, by purpose
    whole: bool = True  # False if empty spans are left out

    @property
    def length(self) -> int:
        """In milliseconds."""
        return calendar.SPANS[self.span]

    @property
    def usual(self) -> float | None:
        """The median of the 90th percentiles of spans with enough searches."""
        known = [point.latency["p90"] for point in self.points if point.timed >= LEAST_SEARCHES]
        return median(value for value in known if value is not None) if known else None


def _fitting_span(tables: SessionTables) -> _Span:
    """Return the shortest span that gives few enough points to draw."""
    first, last = tables.local_span
    spans: tuple[_Span, ...] = ("minute", "hour")
    short = (span for span in spans if (last - first) // calendar.SPANS[span] < _MOST)
    return next(short, "day")


def search_series(tables: SessionTables, span: _Span | None = None) -> Series:
    chosen = span or _fitting_span(tables)
    buckets = tables.pages.select(_bucket(tables, chosen))
    counts = buckets.group_by("bucket").agg(searches=buckets.count())
    found = {row["bucket"]: row["searches"] for row in counts.to_pyarrow().to_pylist()}
    clock, length = tables.clock, calendar.SPANS[chosen]
    whole, every = True, clock.days()
    if chosen != "day":
        whole = clock.count(length) <= _MOST_EMPTY
        every = list(clock.starts(length)) if whole else sorted(found)
    points = []
    for bucket in every:
        at, ahead = _shown(tables, bucket, chosen)
        points.append(SeriesPoint(at, found.get(bucket, 0), ahead=ahead))
    return Series(chosen, tuple(points), {f"searches by {chosen}": counts}, whole)


def latency_series(
    tables: SessionTables, span: _Span | None = None, *, which: Sequence[float] = (50, 90, 99)
) -> Series:
    """Compute percentiles of latency for every span of time, and flag spikes."""
    tables.log.need("latency over time", "queries.latency_ms")
    wanted = sorted({*which, 90})
    counted = search_series(tables, span)
    latency_ms = tables.pages.latency_ms
    table = percentiles(tables.pages, latency_ms, wanted, by=[_bucket(tables, counted.span)])
    rows = table.to_pyarrow().to_pylist()
    found = {_shown(tables, row["bucket"], counted.span): row for row in rows}
    names = [percentile_label(one) for one in wanted]
    points = []
    for point in counted.points:
        row = found.get((point.at, point.ahead), dict.fromkeys(names) | {"n": 0})
        latency = {name: row[name] for name in names}
        points.append(replace(point, latency=latency, timed=row["n"]))
    asked = {**counted.asked, f"latency by {counted.span}": table}
    series = replace(counted, points=tuple(points), asked=asked)
    usual = series.usual
    return replace(series, points=tuple(_flagged(point, usual) for point in points))


def _flagged(point: SeriesPoint, usual: float | None) -> SeriesPoint:
    value = point.latency["p90"]
    if not usual or value is None or point.timed < LEAST_SEARCHES:
        return point
    spikes = value >= SPIKE * usual or isclose(value, SPIKE * usual, rel_tol=1e-12)
    return replace(point, times=value / usual) if spikes else point


@dataclass(frozen=True)
class BusyHour:
    """An hour of the week."""

    weekday: int  # Monday is 0
    hour: int
    searches: int
    hours: int  # the number of such hours in the log

    @property
    def mean(self) -> float:
        return self.searches / self.hours


def weekly_hours(hours: Series) -> list[BusyHour]:
    """Count the searches of each hour of the week, from a series by hour."""
    found: dict[tuple[int, int], list[int]] = {}
    for point in hours.points:
        hour = point.at // calendar.HOUR
        # The first of January 1970 was a Thursday.
        found.setdefault(((hour // 24 + 3) % 7, hour % 24), []).append(point.searches)
    return [BusyHour(*key, sum(counts), len(counts)) for key, counts in sorted(found.items())]


def _bucket(tables: SessionTables, span: _Span) -> Any:
    """Return the day, or the instant at which a shorter span begins."""
    time = tables.pages.time
    if span == "day":
        return calendar.floor_to(tables.local(time), calendar.DAY).name("bucket")
    return tables.clock.start(time, calendar.SPANS[span]).name("bucket")


def _shown(tables: SessionTables, bucket: int, span: _Span) -> tuple[int, int | None]:
    if span == "day":
        return bucket * calendar.DAY, None
    return tables.clock.shown(bucket, calendar.SPANS[span])


_STEPS = (1, 1.25, 1.6, 2, 2.5, 3.15, 4, 5, 6.3, 8)  # ten steps to a decade: Renard's numbers
_EDGES = (*(round(step * 10**power, 2) for power in range(7) for step in _STEPS), 10_000_000)
"""The edges of bins of times, in milliseconds, up to nearly three hours."""

_Scale = Literal["time", "count"]


@dataclass(frozen=True)
class Bin:
    """The number of values from `low` to below `high`; None for no end."""

    low: float
    high: float | None
    count: int


@dataclass(frozen=True, eq=False)
class Distribution:
    """The counts of values in bins, without empty bins at both ends."""

    kind: DistributionKind
    bins: tuple[Bin, ...]
    asked: Table

    @property
    def total(self) -> int:
        return sum(one.count for one in self.bins)


@dataclass(frozen=True)
class DistributionKind:
    """A value whose distribution can be counted."""

    name: str
    title: str
    value: str  # the name of the axis
    of: str  # the name of what is counted
    values: Callable[[SessionTables], Any]
    """Returns a column: milliseconds, or whole numbers from 1."""
    scale: _Scale = "time"  # bins of times grow; counts have a bin each, up to `most`
    needs: tuple[str, ...] = ()
    needs_persons: bool = False
    divisor: int = 1  # 1000 to show milliseconds as seconds
    most: int = 20

    def missing(self, tables: SessionTables) -> list[str]:
        return tables.log.missing(self.needs, persons=self.needs_persons)


def _first_click_times(tables: SessionTables) -> Any:
    pages = tables.pages.filter(tables.pages.first_click >= tables.pages.time)
    return pages.first_click - pages.time


def _clicks(tables: SessionTables) -> Table:
    events = tables.log.events.filter(tables.log.events.action == "click")
    return events.semi_join(tables.pages, "query_id")


_DISTRIBUTIONS = {
    kind.name: kind
    for kind in (
        DistributionKind(
            *("queries_per_session", "Queries per session", "queries", "sessions"),
            lambda tables: tables.sessions.queries,
            scale="count",
            needs_persons=True,
            most=12,
        ),
        DistributionKind(
            *("click_rank", "Ranks of clicks", "rank of the clicked result", "clicks"),
            lambda tables: _clicks(tables).position,
            scale="count",
            needs=("events.action", "events.position"),
        ),
        DistributionKind(
            "time_to_click",
            "Time to the first click",
            "seconds to the first click",
            "result pages",
            _first_click_times,
            needs=("events.action", "events.time"),
            divisor=1000,
        ),
        DistributionKind(
            *("dwell", "Dwell time on clicked documents", "seconds", "clicks"),
            lambda tables: _clicks(tables).dwell_ms,
            needs=("events.action", "events.dwell_ms"),
            divisor=1000,
        ),
        DistributionKind(
            *("latency", "Latency of searches", "milliseconds", "searches"),
            lambda tables: tables.pages.latency_ms,
            needs=("queries.latency_ms",),
        ),
    )
}


def _distribution(tables: SessionTables, name: str) -> Distribution:
    """Count the distribution of that name; unknown values are left out."""
    if name not in _DISTRIBUTIONS:
        raise OptionError(f"there is no distribution {name!r}{suggest(name, _DISTRIBUTIONS)}")
    kind = _DISTRIBUTIONS[name]
    tables.log.need(f"the distribution {name}", *kind.missing(tables))
    values = kind.values(tables).name("value").as_table()
    values = values.filter(values.value.notnull())
    edges = _edges(values) if kind.scale == "time" else range(1, kind.most + 2)
    binned = values.select(bin=_number(values.value, edges, kind))
    counts = binned.group_by("bin").agg(n=binned.count())
    found = {row["bin"]: row["n"] for row in counts.to_pyarrow().to_pylist()}
    return Distribution(kind, _bins(kind, found, edges), counts)


def distributions(tables: SessionTables) -> list[Distribution]:
    """Count all distributions that the log supports and that are not empty."""
    supported = [name for name, kind in _DISTRIBUTIONS.items() if not kind.missing(tables)]
    found = [_distribution(tables, name) for name in supported]
    return [one for one in found if one.bins]


def _edges(values: Table) -> Sequence[float]:
    """Return only the edges that the values need."""
    (ends,) = values.agg(low=values.value.min(), high=values.value.max()).to_pyarrow().to_pylist()
    if ends["low"] is None:
        return ()
    low, high = bisect_right(_EDGES, ends["low"]), bisect_right(_EDGES, ends["high"])
    return _EDGES[max(low - 1, 0) : high + 1]


def _number(value: Any, edges: Sequence[float], kind: DistributionKind) -> Any:
    """Return the number of the bin: of the edges that the value has reached."""
    if kind.scale == "count":
        return ibis.ifelse(value > kind.most, kind.most + 1, value)
    if not edges:
        return value.cast("int64")  # there is none
    return ibis.cases(*((value < edge, at) for at, edge in enumerate(edges)), else_=len(edges))


def _bins(
    kind: DistributionKind, counts: dict[int, int], edges: Sequence[float]
) -> tuple[Bin, ...]:
    bins = []
    for number in range(min(counts), max(counts) + 1) if counts else ():
        low = edges[number - 1] if number else 0
        high = edges[number] / kind.divisor if number < len(edges) else None
        bins.append(Bin(low / kind.divisor, high, counts.get(number, 0)))
    return tuple(bins)


@dataclass(frozen=True)
class FunnelStep:
    """A step of a funnel, and the sessions that came to it."""

    name: str
    count: int


@dataclass(frozen=True)
class Funnel:
    """Steps, none of which has more sessions than the one before."""

    group: str | None
    """The value that was split by; None for all sessions, and for those without a value."""
    steps: tuple[FunnelStep, ...]

    def share(self, at: int) -> float | None:
        """Return the share of all sessions that came to a step."""
        whole = self.steps[0].count
        return self.steps[at].count / whole if whole else None

    def passed(self, at: int) -> float | None:
        """Return the share of the sessions of the previous step that came to this one."""
        before = self.steps[at - 1].count if at else 0
        return self.steps[at].count / before if before else None


_FUNNEL_STEPS = {
    "all": "sessions",
    "found": "with results",
    "clicked": "with a click",
    "success": "a success",
}
"""A session has results unless all its searches found nothing and none was clicked."""


def count_funnels(tables: SessionTables, *, by: str | None = None) -> tuple[Funnel, ...]:
    tables.log.need("a funnel", *tables.log.missing((), persons=True))
    rows = funnel_query(tables, by=by).to_pyarrow().to_pylist()
    if by is not None:
        rows.sort(key=lambda row: (row[by] is None, row[by] or ""))
    funnels = []
    for counts in rows:
        there = ((name, step) for step, name in _FUNNEL_STEPS.items() if step in counts)
        steps = tuple(FunnelStep(name, counts[step] or 0) for name, step in there)
        funnels.append(Funnel(counts[by] if by else None, steps))
    return tuple(funnels)


def funnel_query(tables: SessionTables, *, by: str | None = None) -> Table:
    """Return the query: a row for each group, a column for each step."""
    sessions = tables.sessions
    columns: dict[str, Any] = {"all": zero_or_one(row.queries > 0)}
    if tables.log.has("queries.results"):
        sessions = _with_found(tables)
        columns["found"] = row.found
    if tables.log.has("events.action"):
        columns["clicked"] = zero_or_one(row.clicks > 0)
        columns["success"] = zero_or_one((row.clicks > 0) & (row.signals > 0))
    rows = sessions.select(*([by] if by else []), **columns)
    return rows.agg(by=[by] if by else [], **{name: rows[name].sum() for name in columns})


def _with_found(tables: SessionTables) -> Table:
    """Add whether something may have been found in a session."""
    queries = tables.queries
    may = queries.found.isnull() | (queries.found > 0) | (queries.clicks > 0)
    rows = queries.select("person", "session_number", found=zero_or_one(may))
    found = rows.group_by("person", "session_number").agg(found=rows.found.max())
    return tables.sessions.join(found, ["person", "session_number"])
