"""Trends: drift over time, and growth by a power law.

Drift: the slope is Theil and Sen's, the median of the slopes between all pairs of points; whether
it differs from 0 is asked by Mann and Kendall's test. Neighbouring points of a series are alike,
which would make chance look like a trend: the variance is widened by the correlation of neighbours
(Yue and Wang 2004, doi:10.1023/B:WARM.0000043140.61082.60). In simulations of 8 to 60 points false
alarms at 0.05 are then up to 0.03 without any correlation, 0.09 at one of 0.6 (above 0.25 without
the widening), and 0.13 at one of 0.8.

Growth: the exponent is the slope of a straight line through the logarithms, one point a size: the
median of its repetitions. Repetitions of one size are no further points: they share whatever is
special about that size, and would make the interval too narrow; so it rests on sizes alone, and
three of them give a wide one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isnan, log, log10, nan, sqrt
from statistics import NormalDist

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError, check_within
from cleverdon.stats.intervals import normal_quantile, t_quantile

FEWEST_POINTS = 8  # with fewer, the normal approximation of the test is poor
MOST_POINTS = 2000  # all pairs of more would not fit into memory


@dataclass(frozen=True)
class Drift:
    """The growth of a value for each unit of time."""

    slope: float
    low: float
    high: float
    p: float  # of there being none
    confidence: float
    points: int
    inflation: float  # by how much dependence of neighbours widens the variance; 1 where it is none


def drift(times: Floats, values: Floats, *, confidence: float = 0.95) -> Drift:
    """Return the drift of values over rising times; NaN of fewer points than `FEWEST_POINTS`.

    Points without a value (NaN) are left out. The interval has no ends (NaN) where it would have
    no width.

    >>> found = drift(np.arange(10.0), 2 * np.arange(10.0))
    >>> found.slope, found.p < 0.001
    (2.0, True)
    """
    check_within("confidence", confidence, 0, 1)
    known = np.isfinite(values)
    times, values = times[known], values[known]
    n = len(values)
    if n > MOST_POINTS:
        raise OptionError(
            f"drift over {n:,} points: {MOST_POINTS:,} at most, so make windows longer"
        )
    if n < FEWEST_POINTS:
        return Drift(nan, nan, nan, nan, confidence, n, nan)
    if (np.diff(times) <= 0).any():
        raise OptionError("drift needs times in rising order")
    first, second = np.triu_indices(n, 1)
    rises = values[second] - values[first]
    slopes = np.sort(rises / (times[second] - times[first]))
    slope = float(np.median(slopes))
    score = float(np.sign(rises).sum())
    inflation = _variance_inflation(values - slope * times)
    deviation = float(np.sqrt(_score_variance(values) * inflation))
    if deviation == 0:  # all values are the same
        return Drift(slope, nan, nan, 1.0, confidence, n, inflation)
    normal = NormalDist()
    # One step of the score is 2, half of which is for its being discrete.
    z = max(0.0, abs(score) - 1) / deviation
    reach = normal_quantile(confidence) * deviation
    # Sen's interval: as many slopes off the middle as the score may be off 0 by chance.
    last = len(slopes) - 1
    low = float(slopes[max(int(np.floor((len(slopes) - reach) / 2)) - 1, 0)])
    high = float(slopes[min(int(np.ceil((len(slopes) + reach) / 2)), last)])
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        low = high = nan
    return Drift(slope, low, high, 2 * normal.cdf(-z), confidence, n, inflation)


def _score_variance(values: Floats) -> float:
    """Return the variance of the score of independent points; equal values count less."""
    n = len(values)
    _, ties = np.unique(values, return_counts=True)
    total = n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())
    return total / 18


def _variance_inflation(rest: Floats) -> float:
    """Return by how much correlation of neighbours widens the variance, without the trend."""
    # Correlation looks smaller in short series without their trend: corrected as by Marriott and
    # Pope 1954. Negative correlation narrows nothing.
    n = len(rest)
    if np.ptp(rest) <= 1e-12 * np.abs(rest).max(initial=0.0):
        return 1.0
    ranks = np.argsort(np.argsort(rest, kind="stable"), kind="stable").astype(float)
    ranks -= ranks.mean()
    alike = float((ranks[1:] * ranks[:-1]).sum() / (ranks**2).sum())
    alike = min(max((n * alike + 2) / (n - 4), 0.0), 0.99)
    lags = np.arange(1, n)
    return 1 + 2 * float(((1 - lags / n) * alike**lags).sum())


LEAST_SIZES = 3
_LEAST_SPAN = 10.0  # of the largest size to the smallest
_MOST_STRAY = 0.1  # from the line, as a share of the value
_MOST_BEND = 0.2  # of the exponent, between the smallest and the largest sizes


@dataclass(frozen=True)
class Prediction:
    """The predicted cost of another size, if growth goes on as it was."""

    documents: int
    value: float
    low: float
    high: float
    extrapolated: bool  # beyond the sizes that were measured


@dataclass(frozen=True)
class Growth:
    """value = factor * documents ** exponent, with an interval of the exponent."""

    exponent: float
    low: float
    high: float
    factor: float
    confidence: float
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    stray: float  # the residual standard deviation, in logarithms
    warnings: tuple[str, ...] = ()

    def fitted(self, documents: float) -> float:
        """Return the line's own value."""
        return float(self.factor * documents**self.exponent)

    def predict(self, documents: int) -> Prediction:
        """Predict the cost of so many documents, with an interval; it assumes the power law."""
        x = np.log(self.sizes)
        spread = float(((x - x.mean()) ** 2).sum())
        away = (log(documents) - float(x.mean())) ** 2 / spread
        width = _reach(self.confidence, len(x)) * self.stray * sqrt(1 + 1 / len(x) + away)
        width = nan if isnan(self.low) else width
        value = self.fitted(documents)
        outside = not self.sizes[0] <= documents <= self.sizes[-1]
        return Prediction(documents, value, value * exp(-width), value * exp(width), outside)


def growth(
    sizes: Sequence[int], values: Sequence[float], *, confidence: float = 0.95
) -> Growth | None:
    """Fit a power law of growth.

    Args:
        sizes: The sizes, such as numbers of documents.
        values: What grows with them, such as seconds.
        confidence: The confidence of the intervals.

    Returns:
        The exponent with its interval, and predictions; None where a value is 0, which has no
        logarithm.

    >>> round(growth([1000, 10_000, 100_000], [0.11, 1.2, 13.9]).exponent, 2)
    1.05
    """
    check_within("confidence", confidence, 0, 1)
    if len(sizes) < LEAST_SIZES or not len(set(sizes)) == len(sizes) == len(values):
        raise OptionError(f"growth needs {LEAST_SIZES} sizes or more, each with one value")
    if min(values) <= 0:
        return None
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    counts, found = tuple(sizes[at] for at in order), tuple(float(values[at]) for at in order)
    x, y = np.log(counts), np.log(found)
    centred = x - x.mean()
    squares = float((centred**2).sum())
    exponent = float((centred * y).sum()) / squares
    residuals = y - y.mean() - exponent * centred
    stray = sqrt(float((residuals**2).sum()) / (len(x) - 2))
    width = _reach(confidence, len(x)) * stray / sqrt(squares)
    if stray <= 1e-12 * float(np.abs(y).max()):  # all on the line, which is no proof of it
        width = nan
    return Growth(
        exponent=exponent,
        low=exponent - width,
        high=exponent + width,
        factor=exp(float(y.mean()) - exponent * float(x.mean())),
        confidence=confidence,
        sizes=counts,
        values=found,
        stray=stray,
        warnings=_growth_warnings(counts, found, stray),
    )


def _growth_warnings(
    sizes: Sequence[int], values: Sequence[float], stray: float
) -> tuple[str, ...]:
    found = []
    if sizes[-1] < _LEAST_SPAN * sizes[0]:
        times = sizes[-1] / sizes[0]
        found.append(
            f"the largest size is only {times:.2g} times the smallest; take sizes that are "
            f"{_LEAST_SPAN:g} times apart or more"
        )
    first, last = (
        _log_slope(sizes[at : at + 2], values[at : at + 2]) for at in (0, len(sizes) - 2)
    )
    if abs(last - first) > _MOST_BEND:
        found.append(
            f"the exponent changes with size, from {first:.2f} to {last:.2f}: a fixed part, or "
            "another regime; the largest sizes say most about what comes"
        )
    elif stray > log(1 + _MOST_STRAY):
        found.append(f"sizes stray from the line by {exp(stray) - 1:.0%}; repeat more often")
    return tuple(found)


def _log_slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    return log10(values[1] / values[0]) / log10(sizes[1] / sizes[0])


def _reach(confidence: float, sizes: int) -> float:
    return t_quantile(confidence, sizes - 2)
