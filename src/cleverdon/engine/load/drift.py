"""Whether something grows or shrinks over time, and how fast: no shape of its noise is assumed.

The slope is Theil and Sen's, the median of those between all pairs of points; whether it differs
from 0 is asked by Mann and Kendall's test. Neighbouring windows of a long load are alike, which
would make chance look like a trend: the variance is widened by the correlation of neighbours, as
Yue and Wang 2004 have it (doi:10.1023/B:WARM.0000043140.61082.60). In simulations of 8 to 60 points
false alarms at 0.05 are then up to 0.03 without any correlation, 0.09 at one of 0.6 (where they are
beyond 0.25 without the widening), and 0.13 at one of 0.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from statistics import NormalDist

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError, check_within

FEWEST = 8
"""With fewer points, the test's normal approximation is none."""
MOST = 2000
"""All pairs of more points would not fit into memory."""


@dataclass(frozen=True)
class Drift:
    """By how much something grows for each unit of time."""

    slope: float
    low: float
    high: float
    p: float  # of there being none
    confidence: float
    points: int
    inflation: float  # by how much dependence of neighbours widens the variance; 1 where it is none


def drift(times: Floats, values: Floats, *, confidence: float = 0.95) -> Drift:
    """The drift of values that were seen at rising times; NaN where there are fewer than `FEWEST`.

    Points without a value (NaN) are left out.

    >>> found = drift(np.arange(10.0), 2 * np.arange(10.0))
    >>> found.slope, found.p < 0.001
    (2.0, True)
    """
    check_within("confidence", confidence, 0, 1)
    known = np.isfinite(values)
    times, values = times[known], values[known]
    n = len(values)
    if n > MOST:
        raise OptionError(f"drift over {n:,} points: {MOST:,} at most, so make windows longer")
    if n < FEWEST:
        return Drift(nan, nan, nan, nan, confidence, n, nan)
    if (np.diff(times) <= 0).any():
        raise OptionError("drift is over rising times")
    first, second = np.triu_indices(n, 1)
    rises = values[second] - values[first]
    slopes = np.sort(rises / (times[second] - times[first]))
    slope = float(np.median(slopes))
    score = float(np.sign(rises).sum())
    inflation = _inflation(values - slope * times)
    deviation = float(np.sqrt(_variance(values) * inflation))
    if deviation == 0:  # all values are the same
        return Drift(slope, slope, slope, 1.0, confidence, n, inflation)
    normal = NormalDist()
    # One step of the score is 2, half of which is for its being discrete.
    z = max(0.0, abs(score) - 1) / deviation
    reach = normal.inv_cdf((1 + confidence) / 2) * deviation
    low, high = _ends(slopes, reach)
    return Drift(slope, low, high, 2 * normal.cdf(-z), confidence, n, inflation)


def _ends(slopes: Floats, reach: float) -> tuple[float, float]:
    """Sen's interval: as many slopes off the middle as the score may be off 0 by chance."""
    count = len(slopes)
    low = int(np.floor((count - reach) / 2)) - 1
    high = int(np.ceil((count + reach) / 2))
    return float(slopes[max(low, 0)]), float(slopes[min(high, count - 1)])


def _variance(values: Floats) -> float:
    """Of the score, were points independent; equal values count less."""
    n = len(values)
    _, ties = np.unique(values, return_counts=True)
    total = n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())
    return total / 18


def _inflation(rest: Floats) -> float:
    """By how much the score varies more, since neighbours are alike; of what is left of a trend.

    Each value is taken to depend on the one before it. That what is alike looks less so in short
    series from which a trend was taken is corrected for, as Marriott and Pope 1954 have it. Where
    neighbours are less alike than chance has it, nothing is gained by that.
    """
    n = len(rest)
    if np.ptp(rest) <= 1e-12 * np.abs(rest).max(initial=0.0):
        return 1.0
    ranks = np.argsort(np.argsort(rest, kind="stable"), kind="stable").astype(float)
    ranks -= ranks.mean()
    alike = float((ranks[1:] * ranks[:-1]).sum() / (ranks**2).sum())
    alike = min(max((n * alike + 2) / (n - 4), 0.0), 0.99)
    lags = np.arange(1, n)
    return 1 + 2 * float(((1 - lags / n) * alike**lags).sum())
