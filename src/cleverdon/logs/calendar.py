"""Days, hours and months of times that are whole milliseconds in UTC.

Arithmetic on whole numbers is the same on every engine, which dates and time zones are not. So the
offsets of a time zone are looked up here, and are given to the engine as numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cleverdon.errors import OptionError, suggest

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

SPANS = {"second": SECOND, "minute": MINUTE, "hour": HOUR, "day": DAY}
"""Spans of constant length."""


def find_time_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = suggest(name, sorted(available_timezones()))
        raise OptionError(
            f"timezone={name!r} is not known{hint}; zones have names such as Europe/Berlin"
        ) from None


def _utc_offsets(name: str, first: int, last: int) -> list[tuple[int, int]]:
    """Return the offsets from UTC in milliseconds, each with its first instant."""
    local = find_time_zone(name)

    def ahead(at: int) -> int:
        offset = (_EPOCH + timedelta(milliseconds=at)).astimezone(local).utcoffset()
        return round((offset or timedelta()).total_seconds() * 1000)

    found = [(first, ahead(first))]
    at = first
    while at < last:
        following = min(at + DAY, last)
        if ahead(following) != ahead(at):
            # Clocks change at most once in a day: search for the millisecond at which they do.
            low, high = at, following
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if ahead(middle) != ahead(at) else (middle, high)
            found.append((high, ahead(following)))
        at = following
    return found


@dataclass(frozen=True)
class Clock:
    """The local clock of a time zone, from the first time of a log to the last.

    When clocks are put back, they show an hour twice: these are two hours. When they are put
    forward, they skip an hour. So a second, minute or hour is identified by the instant in UTC at
    which it begins; if clocks change within it, the part before and the part after are two. Days
    and months are those of the calendar, whatever their length.
    """

    zone: str
    first: int
    last: int

    @cached_property
    def _around(self) -> list[tuple[int, int]]:
        """The offsets, from a day before to a day after."""
        return _utc_offsets(self.zone, self.first - DAY, self.last + DAY)

    @cached_property
    def _parts(self) -> list[tuple[int, int, int]]:
        """The times between two changes: first and last instant, and offset."""
        ends = [at - 1 for at, _ in self._around[1:]] + [self.last]
        return [
            (max(start, self.first), min(end, self.last), ahead)
            for (start, ahead), end in zip(self._around, ends, strict=True)
            if start <= self.last and end >= self.first
        ]

    @property
    def ends(self) -> tuple[int, int]:
        """The earliest and the latest time that the clock shows, in milliseconds."""
        return (
            min(start + ahead for start, _, ahead in self._parts),
            max(end + ahead for _, end, ahead in self._parts),
        )

    def local(self, time: Any) -> Any:
        return time + self._ahead(time)

    def start(self, time: Any, span: int) -> Any:
        """Return the instant at which the span of a time begins; spans are below a day."""
        import ibis

        ahead = self._ahead(time)
        start = floor_to(time + ahead, span) * span - ahead
        _, *later = self._parts
        if not later:
            return start
        cases = [(time >= at, at) for at, _, _ in reversed(later)]
        return ibis.greatest(start, ibis.cases(*cases, else_=self.first - DAY))

    def _ahead(self, time: Any) -> Any:
        import ibis

        (_, _, first), *later = self._parts
        if not later:
            return first
        return ibis.cases(*((time >= at, ahead) for at, _, ahead in reversed(later)), else_=first)

    def count(self, span: int) -> int:
        return sum(
            (end + ahead) // span - (start + ahead) // span + 1 for start, end, ahead in self._parts
        )

    def starts(self, span: int) -> Iterator[int]:
        """Yield the instants at which all spans begin, as in `start`."""
        for number, (start, end, ahead) in enumerate(self._parts):
            for bucket in range((start + ahead) // span, (end + ahead) // span + 1):
                begins = bucket * span - ahead
                yield max(begins, start) if number else begins

    def days(self) -> list[int]:
        """Return all days as numbers since 1970, without days that a zone skips."""
        return sorted(
            {
                day
                for start, end, ahead in self._parts
                for day in range((start + ahead) // DAY, (end + ahead) // DAY + 1)
            }
        )

    def shown(self, start: int, span: int) -> tuple[int, int | None]:
        """Return what the clock shows at the start of a span, and its offset if it shows it twice.

        >>> night = Clock("Europe/Berlin", 1792886400000, 1792893600000)
        >>> [night.written(start, HOUR) for start in night.starts(HOUR)]
        ['2026-10-25 02h (UTC+02:00)', '2026-10-25 02h (UTC+01:00)', '2026-10-25 03h']
        """
        # A span may begin before the first time, but not before the change before that.
        ahead = next(
            (ahead for at, _, ahead in reversed(self._parts) if at <= start), self._parts[0][2]
        )
        local = (start + ahead) // span * span
        twice = any(
            local < at + before and at + after < local + span
            for (_, before), (at, after) in pairwise(self._around)
        )
        return local, ahead if twice else None

    def written(self, start: int, span: int) -> str:
        """Write the start of a span by the clock: `2026-11-15 13h`, `2026-11-15 13:07`."""
        local, ahead = self.shown(start, span)
        text = as_time(local)[: {HOUR: 13, MINUTE: 16, SECOND: 19}[span]]
        return (f"{text}h" if span == HOUR else text) + as_offset(ahead)


def as_offset(ahead: int | None) -> str:
    if ahead is None:
        return ""
    hours, minutes = divmod(abs(ahead) // MINUTE, 60)
    return f" (UTC{'-' if ahead < 0 else '+'}{hours:02}:{minutes:02})"


def floor_to(time: Any, span: int) -> Any:
    """Return the number of whole spans since 1970."""
    return (time // span).cast("int64")


def months(first: int, last: int) -> list[int]:
    """Return the start of each month from the first to the last time, in milliseconds."""
    start = (_EPOCH + timedelta(milliseconds=first)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    found = []
    while (at := round((start - _EPOCH).total_seconds() * 1000)) <= last:
        found.append(at)
        start = (start + timedelta(days=32)).replace(day=1)
    return found


def as_date(day: int) -> str:
    return (_EPOCH + timedelta(days=day)).date().isoformat()


def as_time(at: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%d %H:%M:%S")
    except OverflowError:
        return f"{at} ms"  # beyond the years that datetime supports
