"""What time it is: in one place, so that tests can set it."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> float:
    """Seconds since 1970, UTC."""
    return time.time()


def ticks() -> float:
    """Seconds since some moment: for how long something takes, whoever sets the clock meanwhile."""
    return time.monotonic()


def iso(moment: float) -> str:
    """A moment as people and files write it.

    >>> iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    return (
        datetime.fromtimestamp(moment, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
