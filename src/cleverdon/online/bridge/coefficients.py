"""Correlations of two values of the same queries, over thousands of resamples at once.

`cleverdon.correlate` compares one pair of rankings at a time, and `cleverdon.compare.coefficients`
holds all pairs of items of every resample, which is too much for hundreds of queries. Here a
resample is how often it has each query, and pairs of queries are looked at once for all of them.
Tests hold each function to the one of the same name in `correlate`.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats, Ints

_BLOCK = 4_000_000
"""How many pairs of queries are held at a time."""


class Drawn:
    """One value of each query, as resamples see it; equal values are a group."""

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._order: Ints = np.argsort(values, kind="stable")
        distinct, self.group = np.unique(values, return_inverse=True)
        ordered = self.group[self._order]
        self._starts = np.searchsorted(ordered, np.arange(len(distinct)))

    def sizes(self, counts: Floats) -> Floats:
        """Resamples x groups: how many of what was drawn are in each group, lowest first."""
        found: Floats = np.add.reduceat(counts[:, self._order], self._starts, axis=1)
        return found

    def ranks(self, counts: Floats) -> Floats:
        """Resamples x queries: where each stands, less the middle; equals share their mean rank."""
        sizes = self.sizes(counts)
        middle = np.cumsum(sizes, axis=1) - sizes / 2 - counts.sum(axis=1, keepdims=True) / 2
        found: Floats = middle[:, self.group]
        return found


def kendall(x: Drawn, y: Drawn, counts: Floats) -> Floats:
    """Kendall's tau-b of each resample; NaN where all of one value are tied."""
    n = len(x.values)
    agreed = np.zeros(len(counts))
    single = counts.astype(np.float32)  # sums of whole numbers, exact up to 16 million
    at_a_time = max(1, _BLOCK // n)
    for start in range(0, n, at_a_time):
        rows = slice(start, start + at_a_time)
        signs = np.sign(x.values[rows, None] - x.values) * np.sign(y.values[rows, None] - y.values)
        agreed += (counts[:, rows] * (single @ signs.astype(np.float32).T)).sum(axis=1)
    pairs = counts.sum(axis=1) ** 2
    untied = [pairs - (of.sizes(counts) ** 2).sum(axis=1) for of in (x, y)]
    return _divided(agreed, untied[0], untied[1])


def spearman(x: Drawn, y: Drawn, counts: Floats) -> Floats:
    """Spearman's rho of each resample; NaN where all of one value are tied."""
    return _linear(x.ranks(counts), y.ranks(counts), counts)


def pearson(x: Drawn, y: Drawn, counts: Floats) -> Floats:
    """Pearson's r of each resample; NaN where all of one value are tied."""
    total = counts.sum(axis=1, keepdims=True)
    apart = []
    for of in (x, y):
        values = of.values - of.values.mean()
        apart.append(values - (counts @ values)[:, None] / total)
        # Rounding is no spread.
        apart[-1][(of.sizes(counts) > 0).sum(axis=1) < 2] = 0
    return _linear(apart[0], apart[1], counts)


def _linear(x: Floats, y: Floats, counts: Floats) -> Floats:
    """The linear correlation of what is centred already."""
    spread = [(counts * of * of).sum(axis=1) for of in (x, y)]
    return _divided((counts * x * y).sum(axis=1), spread[0], spread[1])


def _divided(above: Floats, one: Floats, other: Floats) -> Floats:
    below = np.sqrt(one * other)
    found: Floats = np.where(below > 0, above / np.where(below > 0, below, 1), np.nan)
    return np.clip(found, -1, 1)
