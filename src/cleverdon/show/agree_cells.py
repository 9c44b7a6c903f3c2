"""Values of agreement with their intervals, in a cell of a table and in JSON."""

from __future__ import annotations

from collections.abc import Collection
from math import isnan
from typing import Any

from cleverdon.arrays import plain
from cleverdon.compare.intervals import Interval
from cleverdon.compare.orderings import Coefficient
from cleverdon.judge.agreement import Estimate
from cleverdon.show.grid import printable
from cleverdon.show.numbers import decimal


def named(judge: str, models: Collection[str]) -> str:
    """A judge's name, with a word where it is a model.

    >>> named("llm", ["llm"]), named("ann", ["llm"])
    ('llm (model)', 'ann')
    """
    return f"{printable(judge)} (model)" if judge in models else printable(judge)


def with_interval(found: Estimate | Coefficient, *, signed: bool = False) -> str:
    """A value with its interval in brackets, in one cell."""
    if isnan(found.value):
        return "-"
    return f"{decimal(found.value, signed=signed)}{ends(found.interval, signed=signed)}"


def ends(interval: Interval, *, signed: bool = False) -> str:
    """An interval in brackets behind a value; nothing where there is none."""
    if isnan(interval.low):
        return ""
    # Rounded first, so that what is 0 but for the last digits has no sign.
    rounded = (round(end, 12) + 0.0 for end in (interval.low, interval.high))
    low, high = (decimal(end, signed=signed) for end in rounded)
    return f" [{low}, {high}]"


def estimated(found: Estimate | Coefficient | None) -> dict[str, Any] | None:
    """A value with its interval, for JSON."""
    if found is None:
        return None
    low, high = found.interval.low, found.interval.high
    return {"value": plain(found.value), "interval": [plain(low), plain(high)]}
