"""Expressions that every engine understands, and understands alike."""

from __future__ import annotations

from typing import Any


def whole(condition: Any) -> Any:
    """1 where it holds and 0 where it does not, or where nobody knows."""
    import ibis

    # Not by a cast: PostgreSQL makes no whole number of a truth value.
    return ibis.ifelse(condition, 1, 0)


def quotient(above: Any, below: Any) -> Any:
    """One number divided by another, as floating point: some engines have other ideas."""
    return above.cast("float64") / below.cast("float64")
