"""Bootstrap intervals of what is no plain mean: each topic is drawn with all that belongs to it.

What is drawn comes as counts, how often each topic is in a resample. So a statistic of thousands of
resamples is a few products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval
from cleverdon.compare.resampling import draws
from cleverdon.errors import OptionError

RESAMPLES = 2_000
_BLOCK = 4_000_000
"""How many numbers are held at a time."""

OfCounts = Callable[[Floats], Floats]
"""From resamples x topics, how often each was drawn, to statistics x resamples."""


def percentile_intervals(
    statistic: OfCounts,
    n: int,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """The percentile interval of each statistic, over resamples of n topics.

    A resample in which a statistic is undefined is passed over; where such are so many that they
    could hide an end, there is no interval, and its ends are NaN.
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence}: it lies between 0 and 1")
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: there is at least one")
    parts = []
    for _, topics in draws(n, resamples, block=max(1, _BLOCK // n), seed=seed):
        rows = np.arange(len(topics))[:, None] * n
        counts = np.bincount((topics + rows).ravel(), minlength=topics.size)
        parts.append(statistic(counts.reshape(topics.shape).astype(float)))
    return [_interval(drawn, n, confidence) for drawn in np.concatenate(parts, axis=1)]


def _interval(drawn: Floats, n: int, confidence: float) -> Interval:
    tail = (1 - confidence) / 2
    defined = drawn[~np.isnan(drawn)]
    low = high = nan
    if n > 1 and len(defined) >= (1 - tail) * len(drawn):
        low, high = np.quantile(defined, [tail, 1 - tail]).tolist()
    return Interval(low, high, confidence, "percentile")
