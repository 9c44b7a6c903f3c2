"""Weights of columns, as options give them."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from cleverdon.errors import OptionError


def checked_weights(weights: Any, *, most: float = inf) -> dict[str, float]:
    """Numbers by column, or an OptionError that says what is none."""
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise OptionError(f"weights={weights!r}: expected weights by column, as {{title = 1.0}}")
    expected = "from 0 on" if most == inf else f"from 0 to {most:g}"
    for column, weight in weights.items():
        number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not number or not 0 <= weight <= most or weight == inf:
            raise OptionError(f"weights: expected a number {expected} for {column!r}, not {weight}")
    return {column: float(weight) for column, weight in weights.items()}
