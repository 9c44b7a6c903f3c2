"""The bins of histograms: by the measure's range where it has one, else by round numbers."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.measures.base import Measure

COUNT = 20
"""How many bins a histogram has, or a few less."""
_DIGITS = 12
"""Behind which values and edges are the same: 3 * 0.05 is to be in the bin that starts at 0.15."""


def value_edges(measure: Measure, values: Floats) -> Floats:
    """The edges of bins of a measure's values."""
    low, high = measure.range
    if isfinite(low) and isfinite(high):
        return np.round(np.linspace(low, high, COUNT + 1), _DIGITS)
    low, high = float(values.min()), float(values.max())
    step = _round_step(high - low, COUNT)
    if measure.average == "sum":  # whole numbers, and nothing between two of them
        step = max(step, 1.0)
    first = floor(low / step)
    last = max(first, floor(high / step)) + 1
    return np.round(np.arange(first, last + 1) * step, _DIGITS)


def difference_edges(differences: Floats) -> Floats:
    """The edges of bins of differences, as many on both sides of 0, which is one of them."""
    largest = float(np.abs(differences).max())
    step = _round_step(2 * largest, 3 * COUNT // 2)
    beside = max(1, ceil(round(largest / step, _DIGITS)))
    return np.round(np.arange(-beside, beside + 1) * step, _DIGITS)


def difference_counts(differences: Floats, edges: Floats) -> Ints:
    """How many differences each bin has, those that are 0 left out.

    A bin has the end that is nearer to 0, on either side, so that no bin mixes gains and losses.
    """
    above = edges[len(edges) // 2 :]
    losses, wins = -differences[differences < 0], differences[differences > 0]
    return np.concatenate((counts(losses, above)[::-1], counts(wins, above)))


def counts(values: Floats, edges: Floats) -> Ints:
    """How many values each bin has; the last one has its upper end as well."""
    bins = len(edges) - 1
    place = np.searchsorted(edges, np.round(values, _DIGITS), side="right") - 1
    found: Ints = np.bincount(np.clip(place, 0, bins - 1), minlength=bins)
    return found


def _round_step(span: float, count: int) -> float:
    """1, 2, 2.5 or 5 times a power of ten, so that `count` of them at most span it."""
    least = (span or 1.0) / count
    power = 10.0 ** floor(log10(least))
    return next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= least * (1 - 1e-9))
