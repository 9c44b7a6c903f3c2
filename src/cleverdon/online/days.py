"""Days, hours and minutes of times that are whole milliseconds in UTC.

Arithmetic on whole numbers is the same on every engine, which dates and time zones are not. So the
shifts of a time zone are looked up here, and are given to the engine as numbers.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cleverdon.errors import OptionError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

SPANS = {"second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY}
"""Spans of time that are always as long; a month is made of days."""


def zone(name: str) -> ZoneInfo:
    """The time zone of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise OptionError(
            f"there is no time zone {name!r}; names are as in Europe/Berlin, or UTC"
        ) from None


def shifts(name: str, first: int, last: int) -> list[tuple[int, int]]:
    """From when on local time is ahead of UTC by how many milliseconds, from first to last.

    >>> shifts("Europe/Berlin", 1774700000000, 1774800000000)  # the clocks change in between
    [(1774700000000, 3600000), (1774746000000, 7200000)]
    """
    local = zone(name)

    def ahead(at: int) -> int:
        offset = datetime.fromtimestamp(at / 1000, UTC).astimezone(local).utcoffset()
        return round((offset or timedelta()).total_seconds() * 1000)

    found = [(first, ahead(first))]
    at = first
    while at < last:
        following = min(at + DAY, last)
        if ahead(following) != ahead(at):
            # Clocks change at most once in a day: search for the second at which they do.
            low, high = at, following
            while high - low > SECOND:
                middle = (low + high) // 2 // SECOND * SECOND
                low, high = (low, middle) if ahead(middle) != ahead(at) else (middle, high)
            found.append((high, ahead(following)))
        at = following
    return found


def local_time(time: Any, changes: list[tuple[int, int]]) -> Any:
    """Local milliseconds, as an Ibis expression: what the clock on the wall said."""
    import ibis

    (_, first), *later = changes
    if not later:
        return time + first
    cases = [(time >= at, ahead) for at, ahead in reversed(later)]
    return time + ibis.cases(*cases, else_=first)


def floor_to(time: Any, span: int) -> Any:
    """How many whole spans have passed since 1970, as an Ibis expression of whole numbers."""
    return (time // span).cast("int64")


def months(first: int, last: int) -> list[int]:
    """When each month from the first to the last time begins, in the same milliseconds.

    >>> [as_date(start // DAY) for start in months(1796000000000, 1799000000000)]
    ['2026-11-01', '2026-12-01', '2027-01-01']
    """
    start = (_EPOCH + timedelta(milliseconds=first)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    found = []
    while (at := round((start - _EPOCH).total_seconds() * 1000)) <= last:
        found.append(at)
        start = (start + timedelta(days=32)).replace(day=1)
    return found


def as_date(day: int) -> str:
    """`2026-11-15`, of a number of days since 1970."""
    return (_EPOCH + timedelta(days=day)).date().isoformat()


def as_time(at: int) -> str:
    """`2026-11-15 13:07:01`, of milliseconds."""
    try:
        return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%d %H:%M:%S")
    except OverflowError:
        return f"{at} ms"  # no year that there is
