"""Cells of tables of load tests: quantities, intervals, p-values; for people or exact."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from cleverdon.tables.numbers import (
    MISSING,
    format_bytes,
    format_p_value,
    format_rate,
    format_seconds,
)


def share(value: float) -> str:
    """Write a share of requests in per cent; a small one is not rounded to 0."""
    return f"{100 * value:.3g}%"


QUANTITY_FORMATS: dict[str, Callable[[float], str]] = {
    "p50": format_seconds,
    "p90": format_seconds,
    "p99": format_seconds,
    "throughput": format_rate,
    "errors": share,
    "memory": format_bytes,
}


def quantity(name: str, value: float, *, exact: bool) -> str:
    """Write a quantity, for programs with all digits; an unknown one is `-`, or empty."""
    if exact:
        return exact_number(value)
    return MISSING if isnan(value) else QUANTITY_FORMATS[name](value)


def signed_quantity(name: str, value: float, *, exact: bool = False) -> str:
    """Write a difference of a quantity with its sign."""
    if exact or isnan(value):
        return quantity(name, value, exact=exact)
    return ("+" if value > 0 else "−" if value < 0 else "") + QUANTITY_FORMATS[name](abs(value))


def exact_number(value: float | None) -> str:
    """Write a number with all digits; an unknown one is empty."""
    return "" if value is None or isnan(value) else repr(float(value))


def p_value(p: float, level: float, *, exact: bool = False) -> str:
    if exact:
        return exact_number(p)
    if isnan(p):
        return MISSING
    return format_p_value(p, level=level).removeprefix("p = ").removeprefix("p ")


def interval_header(confidence: float, *, exact: bool) -> list[str]:
    """Return the heading of the column that `interval` fills, or of both for programs."""
    return ["low", "high"] if exact else [f"{share(confidence)} interval"]


def interval(
    low: float | None, high: float | None, write: Callable[[float], str], *, exact: bool
) -> list[str]:
    if exact:
        return [exact_number(low), exact_number(high)]
    if low is not None and high is not None and write(low) == write(high):
        return [MISSING]  # an interval of no width would be a claim of certainty
    if low is None or isnan(low):
        return ["-" if high is None or isnan(high) else f"up to {write(high)}"]
    return [f"{write(low)} or more" if high is None else f"{write(low)} to {write(high)}"]
