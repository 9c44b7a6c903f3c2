"""Expressions that every engine understands, and understands alike."""

from __future__ import annotations

from typing import Any


def whole(condition: Any) -> Any:
    """1 where it holds and 0 where it does not, or where nobody knows."""
    import ibis

    # Not by a cast: PostgreSQL makes no whole number of a truth value.
    return ibis.ifelse(condition, 1, 0)


def row_number(**window: Any) -> Any:
    """The place of each row in a window, from 0, as a 64-bit number.

    Spark numbers rows in 32 bits, so that a product with a place overflows. Ibis takes them for 64
    bits and leaves out a cast to "int64"; the cast to floating point first, which is exact for all
    places below 2**53, forces it.
    """
    import ibis

    return ibis.row_number().over(**window).cast("float64").cast("int64")


def quotient(above: Any, below: Any) -> Any:
    """One number divided by another, as floating point: some engines have other ideas."""
    return above.cast("float64") / below.cast("float64")
