"""Confidence intervals of averages and of differences between averages.

Student's interval is for means and takes them to be normal. The bootstrap draws units with
replacement and looks at how the average varies: any average, no shape assumed. The percentile
interval takes the quantiles of the draws as they are; BCa, the default, corrects them for bias and
for a spread that grows with the average. Efron 1987, doi:10.1080/01621459.1987.10478410; for
retrieval, Sakai 2006, doi:10.1145/1148170.1148261.

Interval of a quantile: were values independent, the number of them below the true quantile would be
binomial, and so would be the ranks between which it lies, whatever the distribution. Where
neighbouring values depend on each other the sample counts for less, n / deff: the design effect is
the variance of how many values of a block exceed the quantile, over the variance that independent
ones would have (Kish 1965; Woodruff 1952; the loss of degrees of freedom as by Korn and Graubard
1998).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, isfinite, nan, sqrt
from statistics import NormalDist
from typing import Any, TypedDict, Unpack

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.extras import scipy_special
from cleverdon.errors import OptionError, check_within, check_word
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.resampling import (
    BLOCK,
    FEWER_RESAMPLES,
    RESAMPLES,
    STATISTICS,
    FunctionOfMean,
    Statistic,
    bootstrap,
    draw_counts,
    resample,
)

METHODS = {
    "bca": "bootstrap, corrected for bias and acceleration",
    "percentile": "bootstrap, the shares as they are",
    "t": "Student's, of means",
}
"""The methods for intervals; the first is the default, and needs no other library."""


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors a normal interval extends to each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def t_quantile(
    confidence: float, freedom: float, *, purpose: str = "an interval", extra: str = "stats"
) -> float:
    """Return how many standard errors Student's interval extends to each side."""
    return float(scipy_special(purpose, extra=extra).stdtrit(freedom, (1 + confidence) / 2))


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: The lower end.
        high: The upper end.
        confidence: The confidence.
        method: The method, one of `METHODS` or the name of another.

    >>> Interval(0.1, 0.3).confidence
    0.95
    """

    low: float
    high: float
    confidence: float = 0.95
    method: str = "bca"


@dataclass(frozen=True)
class Estimate:
    """A value, NaN where it is undefined, with its interval.

    Attributes:
        value: The value.
        interval: Its interval.

    >>> Estimate(0.2, Interval(0.1, 0.3)).to_dict()
    {'value': 0.2, 'interval': [0.1, 0.3]}
    """

    value: float
    interval: Interval

    def to_dict(self) -> dict[str, Any]:
        """Return value and ends as JSON can hold them: None for NaN and infinity."""
        numbers = (self.value, self.interval.low, self.interval.high)
        value, *ends = (number if isfinite(number) else None for number in numbers)
        return {"value": value, "interval": ends}


class IntervalOptions(TypedDict, total=False):
    """The options of an interval: keywords of `intervals`."""

    method: str
    confidence: float
    statistic: str | Statistic
    resamples: int
    seed: int


def interval(values: Floats, **options: Unpack[IntervalOptions]) -> Interval:
    """Return the interval of an average of values; the same on every call.

    Args:
        values: A value for each unit.
        options: method, one of `METHODS`; confidence; statistic, one of `STATISTICS` or a function
            that makes one number of the values along the last axis; resamples and seed of the
            bootstrap.

    Returns:
        The interval; its ends are NaN where there is only one value, and the same where all values
        are equal.

    >>> values = np.array([0.1, 0.2, 0.2, 0.3, 0.9, 0.4, 0.2, 0.6])
    >>> found = interval(values)
    >>> round(found.low, 2), round(found.high, 2)
    (0.23, 0.6)
    """
    return intervals(np.asarray(values, dtype=float)[None], **options)[0]


def intervals(
    values: Floats,
    *,
    method: str = "bca",
    confidence: float = 0.95,
    statistic: str | Statistic = "mean",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Return the intervals of many averages at once, all of them from the same resamples.

    `values` are averages x units; or 2 x averages x units for differences between two systems'
    averages on the same units, drawn together.
    """
    check_word("method", method, METHODS)
    if isinstance(statistic, str):
        check_word("statistic", statistic, STATISTICS)
    check_within("confidence", confidence, 0, 1)
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    if not np.isfinite(values).all():
        raise OptionError("a value is NaN or infinite, and an average of it has no interval")
    sides = values[None] if values.ndim == 2 else values
    if sides.shape[-1] < 2 or sides.shape[1] == 0:
        return [Interval(nan, nan, confidence, method)] * sides.shape[1]
    if method == "t":
        ends = _t_intervals(sides, confidence, statistic)
    else:
        ends = bootstrap(
            sides,
            corrected=method == "bca",
            confidence=confidence,
            statistic=STATISTICS[statistic] if isinstance(statistic, str) else statistic,
            resamples=resamples,
            seed=seed,
        )
    return [Interval(float(low), float(high), confidence, method) for low, high in ends]


def difference_intervals(
    pairs: Sequence[tuple[Floats, Floats]],
    averages: Sequence[str],
    *,
    method: str = "bca",
    confidence: float = 0.95,
    seed: int = 0,
) -> list[Interval]:
    """Return the intervals of differences between two systems' averages, of several kinds."""
    found: dict[int, Interval] = {}
    for average in dict.fromkeys(averages):
        rows = [i for i, name in enumerate(averages) if name == average]
        values = np.array([[pairs[i][side] for i in rows] for side in (0, 1)])
        if average in ("mean", "sum"):  # half the work, and the same
            values = values[0] - values[1]
        of = intervals(values, method=method, confidence=confidence, statistic=average, seed=seed)
        found |= dict(zip(rows, of, strict=True))
    return [found[i] for i in range(len(pairs))]


def _t_intervals(sides: Floats, confidence: float, statistic: str | Statistic) -> Floats:
    """Averages x 2: Student's intervals, of means and of what is a function of one mean."""
    function = STATISTICS.get(statistic) if isinstance(statistic, str) else statistic
    if not isinstance(function, FunctionOfMean) or (statistic == "geometric" and len(sides) == 2):
        raise OptionError(
            "method='t' is for means; 'bca' and 'percentile' are for medians, differences of "
            "geometric means and all else"
        )
    n = sides.shape[-1]
    before = function.before(sides)
    rows = before[0] - before[1] if len(sides) == 2 else before[0]
    means = rows.mean(axis=1)
    errors = np.array([standard_deviation(row) for row in rows]) / sqrt(n)
    reach = t_quantile(confidence, n - 1, purpose="method='t'") * errors
    return np.stack([function.after(end, n) for end in (means - reach, means + reach)], axis=1)


_DESIGN_EFFECT_BLOCKS = 20
"""So many stretches of neighbouring requests show how much those depend on each other."""


def design_effect(exceeds: Bools) -> tuple[float, int | None]:
    """Return how many requests count for one, never below 1, and its degrees of freedom."""
    count = len(exceeds)
    share = float(exceeds.mean())
    if count < 2 * _DESIGN_EFFECT_BLOCKS or share in (0.0, 1.0):
        return 1.0, None
    edges = np.linspace(0, count, _DESIGN_EFFECT_BLOCKS + 1).astype(np.int64)
    sizes = np.diff(edges)
    off = np.add.reduceat(exceeds.astype(np.float64), edges[:-1]) - share * sizes
    variance = float((off**2).sum()) * _DESIGN_EFFECT_BLOCKS / (_DESIGN_EFFECT_BLOCKS - 1)
    return max(1.0, variance / (count * share * (1 - share))), _DESIGN_EFFECT_BLOCKS - 1


def quantile_ranks(
    share: float, count: int, effect: float, *, degrees: int | None, confidence: float
) -> tuple[int | None, int | None]:
    """Return the ranks between which the quantile of a share lies, with this confidence."""
    special = scipy_special("an interval of a percentile")
    tail = (1 - confidence) / 2
    if degrees is not None:
        # The design effect is an estimate itself; what that costs, as Korn and Graubard have it.
        effect *= float(special.stdtrit(degrees, tail) / special.ndtri(tail)) ** 2
    size = count / effect

    def at_most(k: float) -> float:
        """Return how likely k of the requests at most are below the percentile, for any real k."""
        if k < 0 or k >= size:
            return float(k >= size)
        return float(special.betainc(size - k, k + 1, 1 - share))

    # Both round to the safe side where a request counts for less than one.
    ranks = range(1, count + 1)
    low = bisect_right(ranks, tail, key=lambda rank: at_most((rank - 1) / effect))
    high = bisect_left(ranks, 1 - tail, key=lambda rank: at_most(rank / effect - 1)) + 1
    return low or None, high if high <= count else None


MEDIAN_CONFIDENCE = 0.95
"""Of intervals of medians; from six repetitions on there is one."""


def median_interval(
    values: Sequence[float], confidence: float = MEDIAN_CONFIDENCE
) -> tuple[float | None, float | None]:
    """Return the interval of the median of independent, sorted values: two of them.

    >>> median_interval([1, 2, 3, 4, 5, 6]), median_interval([1, 2, 3])
    ((1, 6), (None, None))
    """
    # The true median is below the i-th smallest of n values with the chance of fewer than i heads
    # in n throws, whatever the distribution.
    n = len(values)
    below, cut = 0.0, 0  # the chance of one side, with so many values cut off
    while cut < n // 2:
        below += comb(n, cut) / 2**n
        if 2 * below > 1 - confidence:
            break
        cut += 1
    return (values[cut - 1], values[n - cut]) if cut else (None, None)


def percentile_intervals(
    statistic: Callable[[Floats], Floats],
    n: int,
    *,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Return the percentile interval of each statistic, over resamples of n units.

    `statistic` maps resamples x units (how often each was drawn) to statistics x resamples. The
    ends are NaN where so many resamples are undefined that they could hide an end.
    """
    check_within("confidence", confidence, 0, 1)
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    block = max(1, BLOCK // n)
    drawn = resample(statistic, draw_counts(n), resamples, seed=seed, block=block)
    least = 1 - (1 - confidence) / 2
    return [percentile_interval(row, confidence, defined=least, known=n > 1) for row in drawn]


def percentile_interval(
    drawn: Floats, confidence: float, *, defined: float = 0.0, known: bool = True
) -> Interval:
    """Return the middle part of a statistic's values on resamples, without those that are NaN.

    Args:
        drawn: The value of each resample.
        confidence: The share of values in the interval.
        defined: The share of resamples that must have a value for the interval to exist.
        known: False where the spread is unknown, as with one unit; then the ends are NaN.

    Returns:
        The interval.

    >>> found = percentile_interval(np.arange(101.0), 0.9)
    >>> round(found.low, 2), round(found.high, 2)
    (5.0, 95.0)
    """
    values = drawn[~np.isnan(drawn)]
    if not known or len(values) == 0 or len(values) < defined * len(drawn):
        return Interval(nan, nan, confidence, "percentile")
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail]).tolist()
    return Interval(low, high, confidence, "percentile")
