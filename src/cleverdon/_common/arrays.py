"""Array types, and grouping operations that numpy lacks."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def group_numbers(*keys: NDArray[Any]) -> Ints:
    """Number the groups of neighbouring rows that agree in all keys, from 0."""
    if len(keys[0]) == 0:
        return np.zeros(0, dtype=np.int64)
    changes = np.zeros(len(keys[0]), dtype=bool)
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.cumsum(changes)


def ordinal_in(group: Ints) -> Ints:
    """Number the rows of each group of equal neighbours, from 1."""
    if len(group) == 0:
        return group
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    sizes = np.diff(np.concatenate((starts, [len(group)])))
    return np.arange(1, len(group) + 1) - np.repeat(starts, sizes)


def ranges(first: Ints | int, size: Ints) -> Ints:
    """Return all ranges that begin at `first` and have `size` numbers, joined together."""
    before = np.cumsum(size) - size
    numbers: Ints = np.arange(int(size.sum())) + np.repeat(first - before, size)
    return numbers


def summed(group: Ints, values: Floats, count: int) -> Floats:
    """Return the sum of the values of each group, added in their order."""
    # Of no values at all, `bincount` would make whole numbers.
    return np.bincount(group, weights=values, minlength=count).astype(np.float64)


def json_number(value: float | None) -> float | None:
    """Return a number for JSON, which has neither NaN nor infinity."""
    return None if value is None or not isfinite(value) else float(value)
