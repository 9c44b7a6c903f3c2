"""Times, sizes and rates as people read them: three significant digits, decimal units."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10

MISSING = "-"
"""What stands for a value that is not known."""

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def seconds(value: float | None, *, digits: int = 3) -> str:
    """A time. From two minutes on it is in minutes as well.

    >>> seconds(0.0123), seconds(0.00085), seconds(2), seconds(4000)
    ('12.3 ms', '850 µs', '2 s', '4,000 s (66.7 min)')
    """
    text = _scaled(value, _SECONDS, digits)
    if value is None or not isfinite(value) or abs(value) < 120:
        return text
    longer, unit = (value / 60, "min") if abs(value) < 7200 else (value / 3600, "h")
    return f"{text} ({significant(longer)} {unit})"


def size(value: float | None, *, digits: int = 3) -> str:
    """A number of bytes.

    >>> size(1234567), size(999), size(1000)
    ('1.23 MB', '999 B', '1 kB')
    """
    return _scaled(value, _BYTES, digits)


def rate(value: float | None, *, digits: int = 3) -> str:
    """So many a second.

    >>> rate(12.34), rate(2010.4), rate(0.5)
    ('12.3/s', '2,010/s', '0.5/s')
    """
    return MISSING if value is None or not isfinite(value) else f"{significant(value, digits)}/s"


def amount(value: float | None, unit: str, *, digits: int = 3) -> str:
    """A value in one of the units of `cleverdon.costs`; a share is in per cent.

    >>> amount(0.0123, "s"), amount(2e6, "B"), amount(400, "1/s"), amount(0.001, "")
    ('12.3 ms', '2 MB', '400/s', '0.1%')
    """
    if unit == "":
        if value is None or not isfinite(value):
            return MISSING
        return f"{significant(100 * value, digits)}%"
    return {"s": seconds, "B": size, "1/s": rate}[unit](value, digits=digits)


def between(low: float, high: float, unit: str) -> str:
    """An interval; one value where it has no width.

    >>> between(0.0123, 0.02, "s"), between(5, 5, "1/s"), between(0.02, float("inf"), "s")
    ('12.3 ms to 20 ms', '5/s', '20 ms or more')
    """
    if not isfinite(high):
        return f"{amount(low, unit)} or more"
    ends = dict.fromkeys(amount(end, unit) for end in (low, high))
    return " to ".join(ends)


def significant(value: float, digits: int = 3) -> str:
    """A number with so many digits, and all of those before the point; no zeros at its end.

    >>> significant(1234.5), significant(0.0123456), significant(2.0)
    ('1,234', '0.0123', '2')
    """
    if not isfinite(value):
        return MISSING
    if value == 0:
        return "0"
    after = max(0, digits - 1 - _magnitude(value, digits))
    text = f"{value:,.{after}f}"
    return text.rstrip("0").rstrip(".") if after else text


def _magnitude(value: float, digits: int) -> int:
    """The power of ten of the first digit, once the value is rounded: 999.6 becomes 1000."""
    found = floor(log10(abs(value)))
    return found + (round(abs(value) / 10.0**found, digits - 1) >= 10)


def _scaled(value: float | None, units: Sequence[tuple[float, str]], digits: int) -> str:
    """The value in the largest unit of which it is at least one, once it is rounded."""
    if value is None or not isfinite(value):
        return MISSING
    if value == 0:
        return f"0 {dict(units)[1.0]}"
    large = (unit for unit in units if float(f"{abs(value) / unit[0]:.{digits}g}") >= 1)
    factor, name = next(large, units[-1])
    return f"{significant(value / factor, digits)} {name}"
