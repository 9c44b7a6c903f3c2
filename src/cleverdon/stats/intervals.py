"""Confidence intervals of averages and of differences between averages.

Student's interval, the default, is for means and takes them to be normal; of paired differences
between systems it covers as often as it says from 10 queries on (docs/statistics.md has the
measurements). The bootstrap draws units with replacement and looks at how the average varies: any
average, no shape assumed, and too narrow where there are few units. The percentile interval takes
the quantiles of the draws as they are; BCa corrects them for bias and for a spread that grows with
the average (Efron 1987, doi:10.1080/01621459.1987.10478410); the studentised interval takes the
quantiles of t on the draws in place of Student's. For retrieval: Sakai 2006,
doi:10.1145/1148170.1148261.

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
from functools import lru_cache
from math import comb, exp, inf, isfinite, isinf, lgamma, log, log1p, nan, pi, sqrt
from statistics import NormalDist
from typing import Any, TypedDict, Unpack

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
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
    studentised_means,
)

METHODS = {
    "t": "Student's t",
    "bca": "bootstrap, corrected for bias and acceleration",
    "percentile": "bootstrap, the shares as they are",
    "studentised": "bootstrap of Student's t",
}
"""The methods for intervals; the first is the default, and needs no other library."""


def normal_quantile(confidence: float) -> float:
    """Return how many standard errors a normal interval extends to each side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


@lru_cache(maxsize=1024)  # a family asks for the same one again and again
def why_disagree(confidence: float, level: float, *, sides: int = 1) -> str:
    """Say why an interval and the verdict of a test can disagree.

    The sides are 2 where a one-sided test at a level goes with an interval that has two ends.

    >>> why_disagree(0.95, 0.05), why_disagree(0.9, 0.05)
    ('they are by different methods', 'the confidence of 0.9 is not that of the level 0.05')
    """
    if abs(1 - confidence - sides * level) < 1e-9:
        return "they are by different methods"
    return f"the confidence of {confidence:.6g} is not that of the level {level:g}"


@lru_cache(maxsize=4096)  # reports ask for each again and again, and it takes 50 steps
def t_quantile(confidence: float, freedom: float) -> float:
    """Return how many standard errors Student's interval extends to each side.

    >>> round(t_quantile(0.95, 9), 6), round(t_quantile(0.95, 1e9), 6)
    (2.262157, 1.959964)
    """
    outside = 1 - confidence
    if outside <= 0 or freedom <= 0:
        return inf
    if outside >= 1:
        return 0.0
    # Where t is beyond a value in this share of cases: between two bounds, halved until they meet.
    low, high = 0.0, 1.0
    while t_outside(high, freedom) > outside:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if t_outside(middle, freedom) > outside else (low, middle)
    return high


def t_outside(t: float, freedom: float) -> float:
    """Return how often Student's t is at least as far from 0 as this.

    >>> round(t_outside(2.262157, 9), 6), t_outside(inf, 3)
    (0.05, 0.0)
    """
    if t == 0 or isinf(t):
        return float(t == 0)
    half, square = freedom / 2, t * t
    # The regularised incomplete beta function of freedom / (freedom + t²), by the continued
    # fraction that converges fast there. Abramowitz & Stegun 1964, 26.5.8 and 26.7.1.
    if square * (half + 1.5) > freedom * 1.5:
        return _beta_share(freedom / (freedom + square), square / (freedom + square), half, 0.5)
    return 1 - _beta_share(square / (freedom + square), freedom / (freedom + square), 0.5, half)


def _beta_share(x: float, rest: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function of x = 1 - rest, where a or b is 1/2."""
    logs = [log1p(-other) if other < 0.5 else log(one) for one, other in ((x, rest), (rest, x))]
    front = exp(_log_gamma_ratio(max(a, b)) + a * logs[0] + b * logs[1]) / (a * sqrt(pi))
    fraction = over = 1.0
    under = 0.0
    for step in range(1, 10_000):  # Lentz's way: from the front, until a term changes nothing
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        under = 1 / (1 + term * under)
        over = 1 + term / over
        fraction *= over * under
        if abs(over * under - 1) < 1e-16:
            break
    return front / fraction


def _log_gamma_ratio(a: float) -> float:
    """Return log Γ(a + 1/2) - log Γ(a), which are too large to subtract where a is."""
    if a < 25:
        return lgamma(a + 0.5) - lgamma(a)
    return log(a) / 2 - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5) + 17 / (14336 * a**7)


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
    method: str = "t"


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

    method: str | None
    confidence: float
    statistic: str | Statistic
    resamples: int
    seed: int


def interval(values: Floats, **options: Unpack[IntervalOptions]) -> Interval:
    """Return the interval of an average of values; the same on every call.

    Args:
        values: A value for each unit.
        options: method, one of `METHODS`, by default Student's t for means and BCa for all else;
            confidence; statistic, one of `STATISTICS` or a function that makes one number of the
            values along the last axis; resamples and seed of the bootstrap.

    Returns:
        The interval; its ends are NaN where there is only one value or all values are equal, which
        show no spread.

    >>> values = np.array([0.1, 0.2, 0.2, 0.3, 0.9, 0.4, 0.2, 0.6])
    >>> found = interval(values)
    >>> round(found.low, 2), round(found.high, 2)
    (0.14, 0.59)
    """
    return intervals(np.asarray(values, dtype=float)[None], **options)[0]


def intervals(
    values: Floats,
    *,
    method: str | None = None,
    confidence: float = 0.95,
    statistic: str | Statistic = "mean",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Return the intervals of many averages at once, all of them from the same resamples.

    `values` are averages x units; or 2 x averages x units for differences between two systems'
    averages on the same units, drawn together.
    """
    if isinstance(statistic, str):
        check_word("statistic", statistic, STATISTICS)
    function = STATISTICS[statistic] if isinstance(statistic, str) else statistic
    of_means = isinstance(function, FunctionOfMean)
    if values.ndim == 3 and statistic == "geometric":  # no mean of anything on both sides
        of_means = False
    if method is None:
        method = "t" if of_means else "bca"
    check_word("method", method, METHODS)
    if method in ("t", "studentised") and not of_means:
        raise OptionError(
            f"method={method!r} is for means; 'bca' and 'percentile' are for medians, differences "
            "of geometric means and all else"
        )
    check_within("confidence", confidence, 0, 1)
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    if not np.isfinite(values).all():
        raise OptionError("a value is NaN or infinite, and an average of it has no interval")
    sides = values[None] if values.ndim == 2 else values
    if sides.shape[-1] < 2 or sides.shape[1] == 0:
        return [Interval(nan, nan, confidence, method)] * sides.shape[1]
    if method in ("t", "studentised") and isinstance(function, FunctionOfMean):
        ends = _t_intervals(sides, confidence, function, method, resamples=resamples, seed=seed)
    else:
        ends = bootstrap(
            sides,
            corrected=method == "bca",
            confidence=confidence,
            statistic=function,
            resamples=resamples,
            seed=seed,
        )
    # Equal values show no spread, and an interval of no width would be a claim of certainty.
    across = sides[0] - sides[1] if len(sides) == 2 and of_means else sides
    spread = np.ptp(across, axis=-1) > 1e-12 * np.abs(across).max(axis=-1)
    ends[~(spread if spread.ndim == 1 else spread.any(axis=0))] = nan
    # Two systems may vary alike: then the difference of their averages does not.
    ends[np.ptp(ends, axis=1) <= 1e-12 * np.abs(values).max()] = nan
    return [Interval(float(low), float(high), confidence, method) for low, high in ends]


def difference_intervals(
    pairs: Sequence[tuple[Floats, Floats]],
    averages: Sequence[str],
    *,
    method: str | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Interval]:
    """Return the intervals of differences between two systems' averages, of several kinds."""
    found: dict[int, Interval] = {}
    for average in dict.fromkeys(averages):
        rows = [i for i, name in enumerate(averages) if name == average]
        values = np.array([[pairs[i][side] for i in rows] for side in (0, 1)])
        if average in ("mean", "sum"):  # half the work, and the same
            values = values[0] - values[1]
        of = intervals(
            values,
            method=method,
            confidence=confidence,
            statistic=average,
            resamples=resamples,
            seed=seed,
        )
        found |= dict(zip(rows, of, strict=True))
    return [found[i] for i in range(len(pairs))]


def _t_intervals(
    sides: Floats,
    confidence: float,
    function: FunctionOfMean,
    method: str,
    *,
    resamples: int,
    seed: int,
) -> Floats:
    """Averages x 2: intervals of means by Student's t, or by the bootstrap's quantiles of t."""
    n = sides.shape[-1]
    before = function.before(sides)
    rows = before[0] - before[1] if len(sides) == 2 else before[0]
    means = rows.mean(axis=1)
    errors = np.array([standard_deviation(row) for row in rows]) / sqrt(n)
    if method == "t":
        quantile = t_quantile(confidence, n - 1)
        reaches = np.broadcast_to([[-quantile, quantile]], (len(rows), 2))
    else:
        tail = (1 - confidence) / 2
        drawn = studentised_means(rows, resamples=resamples, seed=seed)
        reaches = -np.quantile(drawn, [1 - tail, tail], axis=1, method="closest_observation").T
        reaches[~np.isfinite(reaches).all(axis=1)] = nan  # most resamples of three are flat
    ends = means[:, None] + reaches * errors[:, None]
    return np.stack([function.after(end, n) for end in ends.T], axis=1)


def ratio_interval(
    ours: Floats, theirs: Floats, *, confidence: float = 0.95, errors: float | None = None
) -> Interval:
    """Return the interval of the ratio of two means over the same units, by Fieller's theorem.

    Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x.

    Args:
        ours: The values above the line.
        theirs: Those below it, of the same units.
        confidence: The confidence.
        errors: How many standard errors the interval reaches; by default Student's quantile. With
            those of an interval of the difference, one has 1 outside where the other has 0.

    Returns:
        The interval; its ends are NaN where the mean below the line may be 0, so that the ratio
        could be anything.

    >>> found = ratio_interval(np.array([2.0, 3, 4, 3]), np.array([1.0, 2, 2, 1.2]))
    >>> round(found.low, 2), round(found.high, 2)
    (1.4, 3.08)
    """
    n = len(ours)
    unknown = Interval(nan, nan, confidence, "Fieller")
    if n < 2:
        return unknown
    reach = (t_quantile(confidence, n - 1) if errors is None else errors) ** 2
    above, below = float(ours.mean()), float(theirs.mean())
    (ours_error, shared), (_, theirs_error) = np.cov(ours, theirs) / n
    a = below**2 - reach * theirs_error
    b = above * below - reach * shared
    c = above**2 - reach * ours_error
    if not a > 1e-12 * below**2 or b * b < a * c:
        return unknown
    ends = sorted((b + sign * sqrt(b * b - a * c)) / a for sign in (-1, 1))
    if ends[1] - ends[0] <= 1e-12 * abs(ends[1]):
        return unknown
    return Interval(float(ends[0]), float(ends[1]), confidence, "Fieller")


def jackknife_interval(
    value: float,
    left_out: Floats,
    *,
    sizes: Ints | None = None,
    confidence: float = 0.95,
    freedom: float | None = None,
    within: tuple[float, float] = (-inf, inf),
) -> Interval:
    """Return Student's interval of a statistic, its error from leaving out one unit at a time.

    Args:
        value: The statistic of all units.
        left_out: Its value without each unit; NaN where it is then undefined.
        sizes: How many units each of these values stands for; by default one.
        confidence: The confidence.
        freedom: The degrees of freedom; by default one less than there are units.
        within: What the statistic can be.

    Returns:
        The interval; its ends are NaN where there are fewer than two units, or all give one value,
        which show no spread.

    >>> values = np.array([0.1, 0.2, 0.2, 0.3, 0.9, 0.4, 0.2, 0.6])
    >>> found = jackknife_interval(float(values.mean()), (values.sum() - values) / 7)
    >>> round(found.low, 2), round(found.high, 2)
    (0.14, 0.59)
    """
    check_within("confidence", confidence, 0, 1)
    known = ~np.isnan(left_out)
    times = np.ones(len(left_out)) if sizes is None else np.asarray(sizes, dtype=float)
    left, times = left_out[known], times[known]
    n = float(times.sum())
    unknown = Interval(nan, nan, confidence, "jackknife")
    if n < 2 or not isfinite(value):
        return unknown
    off = left - times @ left / n
    error = sqrt((n - 1) / n * float(times @ off**2))
    if error <= 1e-12 * max(abs(value), 1e-300):
        return unknown
    reach = t_quantile(confidence, n - 1 if freedom is None else freedom) * error
    low, high = (min(max(end, within[0]), within[1]) for end in (value - reach, value + reach))
    return Interval(low, high, confidence, "jackknife")


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
    if not cut or values[cut - 1] == values[n - cut]:  # no interval of no width
        return None, None
    return values[cut - 1], values[n - cut]


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
        The interval; its ends are NaN where it would have no width.

    >>> found = percentile_interval(np.arange(101.0), 0.9)
    >>> round(found.low, 2), round(found.high, 2)
    (5.0, 95.0)
    """
    values = drawn[~np.isnan(drawn)]
    if not known or len(values) == 0 or len(values) < defined * len(drawn):
        return Interval(nan, nan, confidence, "percentile")
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail]).tolist()
    if high - low <= 1e-12 * max(abs(low), abs(high)):  # no interval of no width
        low = high = nan
    return Interval(low, high, confidence, "percentile")
