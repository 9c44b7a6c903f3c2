"""Time on an axis: what a clock on the wall said, whatever the zone of the reader's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.online.days import as_time
from cleverdon.online.series import Point
from cleverdon.show.plot.base import LIMIT, alt

_WRITTEN = {"minute": 16, "hour": 16, "day": 10}


def when(at: int, span: str) -> str:
    """`2026-11-15`, or with the hour and minute where spans are shorter than days."""
    return as_time(at)[: _WRITTEN[span]]


def time_axis(field: str = "at", **options: Any) -> alt.X:
    """Milliseconds as dates. They are those of the clock on the wall, as if that were in UTC."""
    return alt.X(f"{field}:T", scale=alt.Scale(type="utc"), title=None, **options)


def drawable(points: Sequence[Point], limit: int = LIMIT) -> list[Point]:
    """All of them; or where they are too many to be drawn, the busiest, in the order of time."""
    if len(points) <= limit:
        return list(points)
    busiest = sorted(points, key=lambda point: -point.searches)[:limit]
    return sorted(busiest, key=lambda point: point.at)
