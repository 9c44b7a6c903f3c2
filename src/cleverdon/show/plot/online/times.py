"""Time on an axis: what a clock on the wall said, whatever the zone of the reader's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.online.days import as_offset, as_time
from cleverdon.online.series import Point, Series
from cleverdon.show.plot.base import LIMIT, alt

_WRITTEN = {"minute": 16, "hour": 16, "day": 10}


def when(point: Point, span: str) -> str:
    """`2026-11-15`, or with the hour and minute where spans are shorter than days."""
    return as_time(point.at)[: _WRITTEN[span]] + as_offset(point.ahead)


def places(series: Series) -> dict[tuple[int, int | None], tuple[int, int]]:
    """By `at` and `ahead` of each point: from where to where on the axis it is drawn.

    Two spans share a place if the clock shows them as the same time: each is drawn as a half of it.
    """
    found: dict[int, list[int | None]] = {}
    for point in series.points:
        found.setdefault(point.at, []).append(point.ahead)
    drawn = {}
    for at, same in found.items():
        width = series.length // len(same)
        for part, ahead in enumerate(same):
            drawn[at, ahead] = (at + part * width, at + (part + 1) * width)
    return drawn


def time_axis(field: str = "at", **options: Any) -> alt.X:
    """Milliseconds as dates. They are those of the clock on the wall, as if that were in UTC."""
    return alt.X(f"{field}:T", scale=alt.Scale(type="utc"), title=None, **options)


def drawable(points: Sequence[Point], limit: int = LIMIT) -> list[Point]:
    """All of them; or where they are too many to be drawn, the busiest, in the order of time."""
    if len(points) <= limit:
        return list(points)
    busiest = sorted(points, key=lambda point: -point.searches)[:limit]
    return sorted(busiest, key=lambda point: point.at)
