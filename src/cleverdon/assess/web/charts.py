"""The geometry of small charts, which templates draw as SVG: bars over time, shares, intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cleverdon.assess import clock
from cleverdon.assess.scale import Scale
from cleverdon.assess.watching.grading import Grades
from cleverdon.assess.watching.measured import Measured
from cleverdon.assess.watching.pace import HOUR, Pace

WIDE, HIGH = 600.0, 100.0
"""The box that bars are drawn in; it is stretched to the room that there is."""

_NAMED = {HOUR: "hour", 6 * HOUR: "six hours", 24 * HOUR: "day", 7 * 24 * HOUR: "week"}
_LOWEST = -0.2
"""Where the axis of agreement begins: less than chance would give is rare, and hardly below."""

_FEWEST_BARS = 12
"""A first hour is a narrow bar at the end of an empty day, and not a wall."""


@dataclass(frozen=True)
class Bar:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Bars:
    """Judgments over time."""

    bars: tuple[Bar, ...]
    unit: str  # what each bar stands for
    most: int
    start: str
    end: str
    label: str  # for those who do not see it


@dataclass(frozen=True)
class Share:
    """A part of a bar of shares, in per cent of its length."""

    grade: int
    name: str
    start: float
    length: float
    count: int


@dataclass(frozen=True)
class Whisker:
    """A number and its interval on an axis, in per cent of its length."""

    low: float
    high: float
    at: float
    zero: float


def bars(pace: Pace) -> Bars | None:
    """Judgments in each hour, or day; None where there are none."""
    if not pace.counts:
        return None
    unit = _NAMED.get(pace.width, "month" if pace.width < 365 * 24 * HOUR else "year")
    empty = max(_FEWEST_BARS - len(pace.counts), 0)
    most, step = max(pace.counts), WIDE / (empty + len(pace.counts))
    start = pace.start - empty * pace.width
    found = []
    for place, count in enumerate(pace.counts, start=empty):
        height = HIGH * count / most
        begins = _short(start + place * pace.width)
        found.append(
            Bar(
                round(place * step + 0.1 * step, 2),
                round(HIGH - height, 2),
                round(0.8 * step, 2),
                round(height, 2),
                f"{count:,} from {begins} on",
            )
        )
    ends = pace.start + len(pace.counts) * pace.width
    label = (
        f"Judgments in each {unit}, from {_short(pace.start)} to {_short(ends)} UTC: "
        f"{pace.total:,} in all, {most:,} at most in one"
    )
    return Bars(tuple(found), unit, most, _short(start), _short(ends), label)


def shares(grades: Grades, scale: Scale) -> Sequence[Share]:
    """The grades as parts of one bar; none where nothing was graded."""
    if not grades.total:
        return ()
    found, start = [], 0.0
    for grade, count in zip(scale.grades, grades.counts, strict=True):
        length = 100 * count / grades.total
        found.append(Share(grade.value, grade.name, round(start, 3), round(length, 3), count))
        start += length
    return found


def whisker(number: Measured) -> Whisker | None:
    """A coefficient of agreement on an axis to 1; None where it has no interval."""
    if number.value is None or number.low is None or number.high is None:
        return None
    low, high, at, zero = (_place(value) for value in (number.low, number.high, number.value, 0.0))
    return Whisker(low, high, at, zero)


def _place(value: float) -> float:
    return round(100 * (max(value, _LOWEST) - _LOWEST) / (1 - _LOWEST), 2)


def _short(moment: float) -> str:
    """A moment to the minute.

    >>> _short(0)
    '1970-01-01 00:00'
    """
    return clock.iso(moment)[:16].replace("T", " ")
