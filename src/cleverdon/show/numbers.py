"""How numbers are written for people."""

from __future__ import annotations

from math import ceil, floor, isfinite, isnan, log10

from cleverdon.measures.base import Measure
from cleverdon.show.grid import DIGITS


def number(
    measure: Measure,
    value: float,
    *,
    digits: int = DIGITS,
    signed: bool = False,
    exact: bool = False,
) -> str:
    """A measure's value, or a difference of two; counts without decimals.

    >>> from cleverdon.measures import nDCG
    >>> number(nDCG(k=10), 0.29149), number(nDCG(k=10), 0.034, digits=3, signed=True)
    ('0.2915', '+0.034')
    """
    sign = "+" if signed else ""
    if measure.average == "sum" and isfinite(value):
        close = 0.0 if exact else 1e-6
        if abs(value - round(value)) <= close:
            return f"{round(value):{sign}d}"
    return decimal(value, digits=digits, signed=signed, exact=exact)


def decimal(
    value: float, *, digits: int = DIGITS, signed: bool = False, exact: bool = False
) -> str:
    """Any other number: rounded for people, with all digits (`exact`) for programs.

    >>> decimal(2 / 3), decimal(2 / 3, exact=True), decimal(float("nan")), decimal(-0.00001)
    ('0.6667', '0.6666666666666666', '-', '0.0000')
    """
    if exact:
        return "" if isnan(value) else repr(float(value))
    # What has no sign to show is not written as -0.00.
    return "-" if isnan(value) else f"{value:{'+' if signed else 'z'}.{digits}f}"


def p_value(p: float, *, at_most: bool = False, level: float | None = None) -> str:
    """A p-value with its sign: three decimals, or one digit where that would show none.

    `at_most` where it is the smallest that could have come out: the true one is below, and what
    is written is rounded up. With `level`, so many decimals that one sees on which side of it p is.

    >>> p_value(0.0312), p_value(0.00021), p_value(0.00001199, at_most=True), p_value(0.0)
    ('p = 0.031', 'p = 0.0002', 'p < 2e-05', 'p < 1e-300')
    >>> p_value(0.04968, level=0.05)
    'p = 0.0497'
    """
    if p == 0:
        return "p < 1e-300"  # as small as floating-point numbers get, and no proof of 0
    decimals = 3 if p >= 0.001 else -floor(log10(p))
    if at_most:
        p = min(1.0, ceil(p * 10**decimals * (1 - 1e-9)) / 10**decimals)
        return f"p < {p:.{decimals}f}" if decimals == 3 else f"p < {p:.1g}"
    while level is not None and p != level and round(p, decimals) == level and decimals < 9:
        decimals += 1
    return f"p = {p:.{decimals}f}" if p >= 0.001 else f"p = {p:.1g}"


def two_digits(count: float) -> int:
    """A count, rounded up to two digits: an estimate from an estimate has no more.

    >>> two_digits(7), two_digits(1234)
    (7, 1300)
    """
    step = int(10 ** max(0, floor(log10(max(count, 1))) - 1))
    return ceil(count / step) * step
