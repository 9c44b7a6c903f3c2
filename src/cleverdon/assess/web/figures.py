"""Numbers as pages write them: rounded, with their intervals beside them."""

from __future__ import annotations

from cleverdon.assess.watching.measured import Measured
from cleverdon.show.numbers import decimal
from cleverdon.show.quantities import significant

NONE = "–"


def number(found: Measured, digits: int = 2, *, signed: bool = False) -> str:
    """A plain number.

    >>> number(Measured(0.5213)), number(Measured())
    ('0.52', '–')
    """
    if found.value is None:
        return NONE
    return _decimal(found.value, digits, signed)


def _decimal(value: float, digits: int, signed: bool) -> str:
    """Rounded first, so that nothing is written as -0.00."""
    return decimal(round(value, digits) + 0.0, digits=digits, signed=signed)


def ends(found: Measured, digits: int = 2, *, signed: bool = False) -> str:
    """Its interval in words; nothing where it has none.

    >>> ends(Measured(0.5, 0.4123, 0.6)), ends(Measured(0.1, -0.001, 0.6))
    ('0.41 to 0.60', '0.00 to 0.60')
    """
    if found.low is None or found.high is None:
        return ""
    return " to ".join(_decimal(end, digits, signed) for end in (found.low, found.high))


def percent(found: Measured) -> str:
    """A share.

    >>> percent(Measured(0.5)), percent(Measured())
    ('50%', '–')
    """
    return NONE if found.value is None else f"{found.value:.0%}"


def percent_ends(found: Measured) -> str:
    """Its interval.

    >>> percent_ends(Measured(0.5, 0.4, 0.6))
    '40% to 60%'
    """
    if found.low is None or found.high is None:
        return ""
    return f"{found.low:.0%} to {found.high:.0%}"


def amount(found: Measured) -> str:
    """An amount with three digits: judgments an hour, seconds.

    >>> amount(Measured(133.72)), amount(Measured(11.969))
    ('134', '12')
    """
    return NONE if found.value is None else significant(found.value)


def amount_ends(found: Measured) -> str:
    """Its range."""
    if found.low is None or found.high is None:
        return ""
    return f"{significant(found.low)} to {significant(found.high)}"


FIGURES = {
    "number": number,
    "ends": ends,
    "percent": percent,
    "percent_ends": percent_ends,
    "amount": amount,
    "amount_ends": amount_ends,
}
"""What the dashboard's templates call them."""
