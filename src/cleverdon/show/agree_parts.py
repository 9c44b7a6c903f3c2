"""What the tables about judges are made of: titled parts, and values with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from cleverdon.arrays import plain
from cleverdon.compare.intervals import Interval
from cleverdon.judge.agreement import Estimate
from cleverdon.show.grid import Grid, laid_out
from cleverdon.show.numbers import decimal

FORMATS = ("table", "markdown", "csv", "tsv", "json")
"""How it can be printed; the first is the default."""


@dataclass(frozen=True)
class Part:
    """A table with its heading."""

    title: str
    grid: Grid


def written(parts: Sequence[Part], format: str, **terminal: Any) -> str:
    """Parts one below the other, as text or Markdown."""
    heading = "### {}\n\n" if format == "markdown" else "{}\n\n"
    return "\n\n".join(
        (heading.format(part.title) if part.title else "")
        + laid_out(part.grid, format, **(terminal if format == "table" else {})).strip("\n")
        for part in parts
    )


def with_interval(found: Estimate, *, signed: bool = False) -> str:
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


def estimated(found: Estimate | None) -> dict[str, Any] | None:
    """A value with its interval, for JSON."""
    if found is None:
        return None
    low, high = found.interval.low, found.interval.high
    return {"value": plain(found.value), "interval": [plain(low), plain(high)]}
