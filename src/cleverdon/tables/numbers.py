"""Numbers, p-values, times, sizes and rates as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, isnan, log10

from cleverdon.tables.table import DIGITS


def format_decimal(
    value: float, *, digits: int = DIGITS, signed: bool = False, exact: bool = False
) -> str:
    """Round a number for people; write all digits (`exact`) for programs.

    >>> format_decimal(2 / 3), format_decimal(2 / 3, exact=True)
    ('0.6667', '0.6666666666666666')
    >>> format_decimal(float("nan")), format_decimal(-0.00001)
    ('-', '0.0000')
    """
    if exact:
        return "" if isnan(value) else repr(float(value))
    # What has no sign to show is not written as -0.00.
    return "-" if isnan(value) else f"{value:{'+' if signed else 'z'}.{digits}f}"


def format_p_value(p: float, *, at_most: bool = False, level: float | None = None) -> str:
    """Write a p-value with three decimals, or one digit; `at_most` if it is an upper bound.

    >>> format_p_value(0.0312), format_p_value(0.00021)
    ('p = 0.031', 'p = 0.0002')
    >>> format_p_value(0.00001199, at_most=True), format_p_value(0.0)
    ('p < 2e-05', 'p < 1e-300')
    >>> format_p_value(0.04968, level=0.05)
    'p = 0.0497'
    """
    if p == 0:
        return "p < 1e-300"  # as small as floating-point numbers get, and no proof of 0
    decimals = 3 if p >= 0.001 else -floor(log10(p))
    if at_most:
        p = min(1.0, ceil(p * 10**decimals * (1 - 1e-9)) / 10**decimals)
        return f"p < {p:.{decimals}f}" if decimals == 3 else f"p < {p:.1g}"
    # So many decimals that the side of the level shows.
    while level is not None and p != level and round(p, decimals) == level and decimals < 9:
        decimals += 1
    return f"p = {p:.{decimals}f}" if p >= 0.001 else f"p = {p:.1g}"


def round_up_to_two_digits(count: float) -> int:
    """Round a count up to two digits: an estimate from an estimate has no more.

    >>> round_up_to_two_digits(7), round_up_to_two_digits(1234)
    (7, 1300)
    """
    step = int(10 ** max(0, floor(log10(max(count, 1))) - 1))
    return ceil(count / step) * step


MISSING = "-"
"""The text for an unknown value."""

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))


def format_seconds(value: float | None, *, digits: int = 3) -> str:
    """Write a time; from two minutes on also in minutes.

    >>> format_seconds(0.0123), format_seconds(0.00085), format_seconds(2), format_seconds(4000)
    ('12.3 ms', '850 µs', '2 s', '4,000 s (66.7 min)')
    """
    text = _scaled(value, _SECONDS, digits)
    if value is None or not isfinite(value) or abs(value) < 120:
        return text
    longer, unit = (value / 60, "min") if abs(value) < 7200 else (value / 3600, "h")
    return f"{text} ({format_significant(longer)} {unit})"


def format_bytes(value: float | None, *, digits: int = 3) -> str:
    """Write a number of bytes.

    >>> format_bytes(1234567), format_bytes(999), format_bytes(1000)
    ('1.23 MB', '999 B', '1 kB')
    """
    return _scaled(value, _BYTES, digits)


def format_rate(value: float | None, *, digits: int = 3) -> str:
    """Write a number per second.

    >>> format_rate(12.34), format_rate(2010.4), format_rate(0.5)
    ('12.3/s', '2,010/s', '0.5/s')
    """
    return (
        MISSING
        if value is None or not isfinite(value)
        else f"{format_significant(value, digits)}/s"
    )


def format_amount(value: float | None, unit: str, *, digits: int = 3) -> str:
    """Write a value in one of the units of `cleverdon.costs`; a share in per cent.

    >>> format_amount(0.0123, "s"), format_amount(2e6, "B")
    ('12.3 ms', '2 MB')
    >>> format_amount(400, "1/s"), format_amount(0.001, "")
    ('400/s', '0.1%')
    """
    if unit == "":
        if value is None or not isfinite(value):
            return MISSING
        return f"{format_significant(100 * value, digits)}%"
    return {"s": format_seconds, "B": format_bytes, "1/s": format_rate}[unit](value, digits=digits)


def format_range(low: float, high: float, unit: str) -> str:
    """Write an interval; one value where it has no width.

    >>> format_range(0.0123, 0.02, "s"), format_range(5, 5, "1/s")
    ('12.3 ms to 20 ms', '5/s')
    >>> format_range(0.02, float("inf"), "s")
    '20 ms or more'
    """
    if not isfinite(high):
        return f"{format_amount(low, unit)} or more"
    ends = dict.fromkeys(format_amount(end, unit) for end in (low, high))
    return " to ".join(ends)


def format_significant(value: float, digits: int = 3) -> str:
    """Write a number with some digits, all before the point, and no zeros at its end.

    >>> format_significant(1234.5), format_significant(0.0123456), format_significant(2.0)
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
    """Return the power of ten of the first digit after rounding: 999.6 becomes 1000."""
    found = floor(log10(abs(value)))
    return found + (round(abs(value) / 10.0**found, digits - 1) >= 10)


def _scaled(value: float | None, units: Sequence[tuple[float, str]], digits: int) -> str:
    """Write a value in the largest unit of which it is at least one after rounding."""
    if value is None or not isfinite(value):
        return MISSING
    if value == 0:
        return f"0 {dict(units)[1.0]}"
    large = (unit for unit in units if float(f"{abs(value) / unit[0]:.{digits}g}") >= 1)
    factor, name = next(large, units[-1])
    return f"{format_significant(value / factor, digits)} {name}"
