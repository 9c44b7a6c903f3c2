"""The coefficients of `cleverdon.correlate`, of thousands of pairs of orders at once.

A bootstrap asks how alike two orders of systems are, again and again: `correlate` takes a
millisecond for one pair, whatever its size. Here all pairs of systems of all resamples are
compared in arrays, which is right for orders of up to some hundred systems. Tests hold each
function to the one of the same name there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from cleverdon.arrays import Floats, Ints


class Orders:
    """Many orders of the same systems, from their scores: the highest first, equal ones tied."""

    def __init__(self, scores: Floats) -> None:
        """`scores` are orders x systems."""
        self.count = scores.shape[1]
        apart = scores[:, None, :] - scores[:, :, None]
        self.above = np.sign(apart).astype(np.int8)
        """Orders x systems x others: 1 where the other stands above, -1 below, 0 beside."""
        self.before: Ints = (self.above > 0).sum(axis=2)
        """How many stand above each."""
        self.size: Ints = (self.above == 0).sum(axis=2)
        """How many stand where it stands, itself among them."""


def kendall(a: Orders, b: Orders) -> Floats:
    """Kendall's tau-b."""
    agreed = (a.above * b.above).sum(axis=(1, 2))
    untied = [np.count_nonzero(orders.above, axis=(1, 2)) for orders in (a, b)]
    return _divided(agreed, np.sqrt(untied[0] * untied[1].astype(float)))


def spearman(a: Orders, b: Orders) -> Floats:
    """Spearman's rho: half of those above less those below is a mean rank less the mean of all."""
    x, y = (orders.above.sum(axis=2) / 2 for orders in (a, b))
    return _divided((x * y).sum(axis=1), np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)))


def tau_ap(estimate: Orders, truth: Orders, *, symmetric: bool = False) -> Floats:
    """AP correlation, the mean over all orders of tied systems; or the mean of both directions."""
    if symmetric:
        return (tau_ap(estimate, truth) + tau_ap(truth, estimate)) / 2
    n = estimate.count
    if n < 2:
        return np.full(len(estimate.above), np.nan)
    rightly = ((1 + truth.above) / 2 * (estimate.above > 0)).sum(axis=2)
    # Each rank's share of the mean is one over the number of systems above it; none at the top.
    share = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, n))))
    before, size = estimate.before, estimate.size
    outside = rightly * (share[before + size] - share[before]) / size
    # Of tied systems, half stand rightly above: a rank's number of those, over all above it.
    at = np.arange(n)
    within = np.where(at[:, None] + at > 0, at / 2 / np.maximum(at[:, None] + at, 1), 0)
    inside = np.cumsum(within, axis=1)[before, size - 1] / size
    found: Floats = 2 / (n - 1) * (outside + inside).sum(axis=1) - 1
    return found


def rbo(a: Orders, b: Orders, *, p: float = 0.9) -> Floats:
    """Rank-biased overlap, extrapolated; the mean over all orders of tied systems."""
    n = a.count
    depth = np.arange(1, n + 1)
    there_a, there_b = (
        np.clip((depth - orders.before[:, :, None]) / orders.size[:, :, None], 0, 1)
        for orders in (a, b)
    )
    common = np.einsum("osd,osd->od", there_a, there_b)
    found: Floats = (1 - p) / p * (common / depth) @ p**depth + p**n
    return found


def coefficients(*, symmetric: bool, p: float) -> Mapping[str, Callable[[Orders, Orders], Floats]]:
    """The functions by name, with their options."""
    return {
        "kendall": kendall,
        "tau_ap": partial(tau_ap, symmetric=symmetric),
        "spearman": spearman,
        "rbo": partial(rbo, p=p),
    }


def _divided(above: Floats, below: Floats) -> Floats:
    """The ratio; NaN where all systems of an order are tied."""
    tied = below == 0
    return np.where(tied, np.nan, above / np.where(tied, 1, below))
