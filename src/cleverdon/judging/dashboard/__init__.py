"""The dashboard: progress, agreement, recall, drift and attention of a running project.

Every number on it is a `Measurement`: a value with its interval, or the reason why there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from cleverdon.errors import CleverdonError
from cleverdon.stats.intervals import Estimate, normal_quantile
from cleverdon.stats.proportions import wilson
from cleverdon.tables.numbers import format_decimal, format_significant

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Measurement:
    """A number with its interval; None where it is undefined, and `why` is the reason."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    of: int = 0
    """The number of documents or judgments behind it."""
    why: str = ""


def unknown(why: str, *, of: int = 0) -> Measurement:
    """Return a number that is not known yet."""
    return Measurement(of=of, why=why)


def not_yet(error: CleverdonError) -> str:
    """Return why a statistic is not known yet, though it could not be computed."""
    return f"not yet, since it cannot be computed of the judgments so far ({error})"


def from_estimate(estimate: Estimate, of: int, *, why: str = "") -> Measurement:
    """Return an estimate as a measurement; NaN is undefined."""
    value, ends = estimate.value, estimate.interval
    if not isfinite(value):
        return unknown(why or "it is not defined for these grades", of=of)
    low, high = (end if isfinite(end) else None for end in (ends.low, ends.high))
    return Measurement(value, low, high, of, why)


def from_share(count: int, size: int, *, why: str, confidence: float = CONFIDENCE) -> Measurement:
    """Return a share of a sample with Wilson's interval; `why` is for an empty sample."""
    if not size:
        return unknown(why)
    low, high = wilson(count / size, size, z=normal_quantile(confidence))
    return Measurement(count / size, low, high, size)


def _formats(name: str, ends: str, write: Callable[..., str]) -> dict[str, Callable[..., str]]:
    """Return two functions for templates, which write a value and the ends of its interval.

    >>> FORMATS["number"](Measurement(0.5213)), FORMATS["number"](Measurement())
    ('0.52', '–')
    >>> FORMATS["ends"](Measurement(0.1, -0.001, 0.6))
    '0.00 to 0.60'
    """

    def value_text(found: Measurement, *args: Any, **options: Any) -> str:
        return "–" if found.value is None else write(found.value, *args, **options)

    def ends_text(found: Measurement, *args: Any, **options: Any) -> str:
        if found.low is None or found.high is None:
            return ""
        return " to ".join(write(end, *args, **options) for end in (found.low, found.high))

    return {name: value_text, ends: ends_text}


def _decimal(value: float, digits: int = 2, *, signed: bool = False) -> str:
    # Rounded first, so that nothing is written as -0.00.
    return format_decimal(round(value, digits) + 0.0, digits=digits, signed=signed)


FORMATS = {
    **_formats("number", "ends", _decimal),
    **_formats("percent", "percent_ends", "{:.0%}".format),
    **_formats("amount", "amount_ends", format_significant),
}
"""Functions for templates, by their names there."""
