"""The clock: wall time, monotonic time and ISO 8601.

Everything reads the time here, as `clock.now()`, so that tests can set it.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> float:
    """Return the seconds since 1970, UTC."""
    return time.time()


def ticks() -> float:
    """Return seconds that only measure durations: setting the clock does not change them."""
    return time.monotonic()


def iso(moment: float) -> str:
    """Return a moment in ISO 8601.

    >>> iso(0)
    '1970-01-01T00:00:00.000Z'
    """
    return (
        datetime.fromtimestamp(moment, UTC)
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )
