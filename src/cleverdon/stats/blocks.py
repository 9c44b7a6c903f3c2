"""Percentiles of observations that come in blocks, and the bootstrap over pairs of blocks.

What disturbs a measurement hits all observations of a block, so blocks are the sample. Intervals of
a handful of blocks come out too narrow; they are taken further out in the draws, by the quantiles
of Student's t for the number of blocks (Hesterberg 2015, doi:10.1080/00031305.2015.1089789).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.extras import scipy_stats

_SMALLEST_SHARE = 1e-300  # of draws: as small as floating-point numbers get, and no proof of 0


class BlockDifference(NamedTuple):
    """The interval of a difference, and the p-value of there being none."""

    low: float
    high: float
    p: float


def block_difference(
    difference: float, draws: Floats, *, blocks: int, level: float
) -> BlockDifference:
    """Return the interval and the p-value of a difference, by its bootstrap draws.

    Args:
        difference: The difference of the whole sample.
        draws: The same of each resample.
        blocks: The number of pairs of blocks that were drawn from.
        level: One minus the confidence of the interval, which has no ends (NaN) where all draws
            are the same.

    >>> found = block_difference(1.0, np.linspace(0.5, 1.5, 99), blocks=10, level=0.05)
    >>> found.low > 0.5, found.p < 0.05
    (True, True)
    """
    t = scipy_stats("comparing blocks").t(blocks - 1)
    widening = sqrt(blocks / (blocks - 1))
    tail = NormalDist().cdf(-widening * float(t.ppf(1 - level / 2)))
    low, high = np.quantile(draws, [tail, 1 - tail])
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low = high = np.nan
    beyond = min(float((draws <= 0).sum()), float((draws >= 0).sum()))
    share = min(0.5, (beyond + 1) / (len(draws) + 1))
    if not beyond:
        # All draws are on one side: how far that is, in their own spread, tells more.
        share = min(share, NormalDist().cdf(-abs(difference) / max(float(draws.std()), 1e-12)))
    p = 2 * float(t.cdf(NormalDist().inv_cdf(max(share, _SMALLEST_SHARE)) / widening))
    return BlockDifference(float(low), float(high), min(1.0, p))


def block_quantiles(blocks: Sequence[Floats], times: Floats, shares: Sequence[float]) -> Floats:
    """Return quantiles of all observations, of each resample of blocks: resamples x shares.

    Args:
        blocks: The observations of each block.
        times: How often each resample has each block: resamples x blocks.
        shares: The quantiles; each is the smallest observation that covers its share.

    >>> block_quantiles([np.array([1.0, 2.0]), np.array([3.0])], np.ones((1, 2)), [0.5, 0.99])
    array([[2., 3.]])
    """
    ordered = [np.sort(block) for block in blocks]
    values = np.unique(np.concatenate(ordered))
    sizes = times @ np.array([len(block) for block in ordered])
    found = np.empty((len(times), len(shares)))
    for at, share in enumerate(shares):
        needed = share * sizes - 1e-6  # shares are not exact in binary, and counts are
        low, high = np.zeros(len(times), dtype=int), np.full(len(times), len(values) - 1)
        while (low < high).any():
            middle = (low + high) // 2
            within = np.stack(
                [np.searchsorted(block, values[middle], side="right") for block in ordered], axis=1
            )
            enough = (times * within).sum(axis=1) >= needed
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        found[:, at] = values[low]
    return found
