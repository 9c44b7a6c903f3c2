"""Searches and their latency over time: a row for each minute, hour or day.

Spans are those of the clock on the wall: an hour that it shows twice is two spans, and an hour that
it skips is none; see `days.Clock`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isclose
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from cleverdon.online import days
from cleverdon.online.metrics.load import LEAST_SEARCHES, SPIKE
from cleverdon.online.percentiles import label, percentiles

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages

Span = Literal["minute", "hour", "day"]

_MOST = 1500
"""So many spans at most make a series that can be drawn; else longer ones are taken."""
_MOST_EMPTY = 200_000
"""In a log of more spans, one of whose times is wrong by decades, empty ones are left out."""


@dataclass(frozen=True)
class Point:
    """A span of time."""

    at: int
    """When it begins, in milliseconds of the clock on the wall."""
    searches: int
    latency: Mapping[str, float | None] = field(default_factory=dict)
    """Percentiles of what is known of it, in milliseconds: None where nothing is."""
    timed: int = 0
    """Of how many searches the latency is known."""
    times: float | None = None
    """Where latency spikes: how many times the usual it is."""
    ahead: int | None = None
    """Where the clock shows this time twice: how far it is ahead of UTC, in milliseconds."""


@dataclass(frozen=True, eq=False)
class Series:
    """What happened in every span of time from the first search to the last, one after the other.

    A span without a search is there, and has 0 searches and no latency; unless the log has a time
    that is wrong by decades, and most of its spans are empty.
    """

    span: Span
    points: tuple[Point, ...]
    asked: Mapping[str, Table]
    """What was asked of the engine, by what it was for."""
    whole: bool = True
    """Whether every span is there."""

    @property
    def length(self) -> int:
        """Of a span, in milliseconds."""
        return days.SPANS[self.span]

    @property
    def usual(self) -> float | None:
        """The median of the 90th percentiles of spans with enough searches to tell."""
        known = [point.latency["p90"] for point in self.points if point.timed >= LEAST_SEARCHES]
        return median(value for value in known if value is not None) if known else None


def fitting_span(stages: Stages) -> Span:
    """The shortest span of which the log has no more than can be drawn."""
    first, last = stages.local_span
    spans: tuple[Span, ...] = ("minute", "hour", "day")
    for span in spans[:-1]:
        if (last - first) // days.SPANS[span] < _MOST:
            return span
    return spans[-1]


def searches(stages: Stages, span: Span | None = None) -> Series:
    """How many searches there were in every span of time."""
    chosen = span or fitting_span(stages)
    counts = _counts(stages, chosen)
    found = {row["bucket"]: row["searches"] for row in counts.to_pyarrow().to_pylist()}
    clock, length = stages.clock, days.SPANS[chosen]
    whole, every = True, clock.days()
    if chosen != "day":
        whole = clock.count(length) <= _MOST_EMPTY
        every = list(clock.starts(length)) if whole else sorted(found)
    points = []
    for bucket in every:
        at, ahead = _shown(stages, bucket, chosen)
        points.append(Point(at, found.get(bucket, 0), ahead=ahead))
    return Series(chosen, tuple(points), {f"searches by {chosen}": counts}, whole)


def latencies(
    stages: Stages, span: Span | None = None, *, which: Sequence[float] = (50, 90, 99)
) -> Series:
    """The same with percentiles of latency, and with spikes flagged.

    A span spikes where its 90th percentile is at least 3 times the median of those of all spans
    with at least 20 searches, and it has so many itself.
    """
    stages.log.need("latency over time", "queries.latency_ms")
    wanted = sorted({*which, 90})
    counted = searches(stages, span)
    pages = stages.pages
    bucket = _bucket(stages, pages, counted.span)
    table = percentiles(pages, pages.latency_ms, wanted, by=[bucket])
    rows = table.to_pyarrow().to_pylist()
    found = {_shown(stages, row["bucket"], counted.span): row for row in rows}
    nothing = dict.fromkeys([*map(label, wanted)]) | {"n": 0}
    points = []
    for point in counted.points:
        row = found.get((point.at, point.ahead), nothing)
        latency = {label(one): row[label(one)] for one in wanted}
        points.append(replace(point, latency=latency, timed=row["n"]))
    asked = {**counted.asked, f"latency by {counted.span}": table}
    return _flagged(replace(counted, points=tuple(points), asked=asked))


def _flagged(series: Series) -> Series:
    usual = series.usual
    if not usual:
        return series
    return replace(series, points=tuple(_with_times(point, usual) for point in series.points))


def _with_times(point: Point, usual: float) -> Point:
    value = point.latency["p90"]
    if value is None or point.timed < LEAST_SEARCHES:
        return point
    if value < SPIKE * usual and not isclose(value, SPIKE * usual, rel_tol=1e-12):
        return point
    return replace(point, times=value / usual)


@dataclass(frozen=True)
class BusyHour:
    """An hour of the week."""

    weekday: int
    """From 0, which is Monday."""
    hour: int
    searches: int
    """In all such hours together."""
    hours: int
    """How many such hours the log spans."""

    @property
    def mean(self) -> float:
        return self.searches / self.hours


def busy_hours(hours: Series) -> list[BusyHour]:
    """How many searches each hour of the week has; of a series by hour that is whole."""
    found: dict[tuple[int, int], list[int]] = {}
    for point in hours.points:
        hour = point.at // days.HOUR
        # The first of January 1970 was a Thursday.
        found.setdefault(((hour // 24 + 3) % 7, hour % 24), []).append(point.searches)
    return [BusyHour(*key, sum(counts), len(counts)) for key, counts in sorted(found.items())]


def _bucket(stages: Stages, pages: Table, span: Span) -> Any:
    """The day of the calendar, or the instant at which a shorter span begins."""
    if span == "day":
        return days.floor_to(stages.local(pages.time), days.DAY).name("bucket")
    return stages.clock.start(pages.time, days.SPANS[span]).name("bucket")


def _shown(stages: Stages, bucket: int, span: Span) -> tuple[int, int | None]:
    """`at` and `ahead` of the point for a bucket."""
    if span == "day":
        return bucket * days.DAY, None
    return stages.clock.shown(bucket, days.SPANS[span])


def _counts(stages: Stages, span: Span) -> Table:
    pages = stages.pages
    buckets = pages.select(_bucket(stages, pages, span))
    return buckets.group_by("bucket").agg(searches=buckets.count())
