"""Intervals of proportions: Wilson, hypergeometric, gamma, and ratios of sums over clusters.

Hypergeometric intervals are exact, by inversion: of `size` documents `relevant` are relevant, and
`drawn` were judged. An end of the interval is the last number of relevant documents with which the
observation, or a more extreme one on that side, still has half of the risk that the confidence
leaves. So the interval holds the truth at least as often as it says, also where nothing was found
and where everything was drawn. It is Clopper and Pearson's interval for a finite population;
Buonaccorsi 1987, The American Statistician 41.

The gamma interval of Fay & Feuer 1997 (Statistics in Medicine 16, 791) is for weighted sums of rare
counts: its upper end is what it would be with one more relevant document drawn in the stratum of
the largest weight. Two things are added: the correction for a finite population, and the factor
1 - x / (n + 4) for strata in which relevant documents are not rare, with four documents added to
the sample as in Agresti & Coull 1998, doi:10.1080/00031305.1998.10480550.

Ratios over clusters: sessions of one user are alike, so that a thousand of them tell less than a
thousand users would. The users are the sample: each adds to numerator and denominator (the delta
method).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.extras import scipy_special
from cleverdon.errors import OptionError, check_within
from cleverdon.stats.intervals import Interval, jackknife_interval, percentile_interval, t_quantile
from cleverdon.stats.resampling import BLOCK, draw_multinomial, resample


def wilson(share: float, size: int, *, z: float) -> tuple[float, float]:
    """Return Wilson's interval of a share in a sample: Wilson 1927, doi:10.2307/2276774.

    Args:
        share: The share in the sample.
        size: The size of the sample.
        z: The normal quantile.

    Returns:
        The lower and the upper end.

    >>> low, high = wilson(0.0, 10, z=1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2775)
    """
    middle = share + z * z / (2 * size)
    half = z * sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)


_LARGEST_POPULATION = 10**15  # no collection has more documents


def _hypergeometric_tails(size: int, relevant: int, drawn: int, seen: int) -> tuple[float, float]:
    """Return the chances that at most, and that at least, `seen` relevant documents are drawn."""
    fewest, most = max(0, drawn - (size - relevant)), min(drawn, relevant)
    if seen < fewest:
        return 0.0, 1.0
    if seen > most:
        return 1.0, 0.0
    chances = _hypergeometric_chances(size, relevant, drawn, fewest, most)
    at = seen - fewest
    return float(chances[: at + 1].sum()), float(chances[at:].sum())


def _hypergeometric_chances(size: int, relevant: int, drawn: int, fewest: int, most: int) -> Floats:
    """Return the chance of each count from `fewest` to `most`."""
    # By the ratios of neighbours, which keep digits that logarithms of large factorials lose.
    count = np.arange(fewest, most, dtype=float)
    up = (relevant - count) * (drawn - count)
    down = (count + 1) * (size - relevant - drawn + count + 1)
    logs = np.concatenate(([0.0], np.cumsum(np.log(up) - np.log(down))))
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def hypergeometric_interval(
    size: int, drawn: int, seen: int, *, confidence: float = 0.95
) -> tuple[int, int]:
    """Return how many of `size` documents are relevant, where `seen` of `drawn` were.

    Args:
        size: The number of documents.
        drawn: How many were judged.
        seen: How many of those are relevant.
        confidence: The confidence.

    Returns:
        The lower and the upper end.

    >>> hypergeometric_interval(1000, 200, 0), hypergeometric_interval(1000, 200, 3)
    ((0, 16), (4, 40))
    """
    low, high = _possible_counts(size, drawn, seen)
    risk = _hypergeometric_risk(confidence) / 2
    first = _first_count(
        low, high, lambda count: _hypergeometric_tails(size, count, drawn, seen)[1] > risk
    )

    def refused(count: int) -> bool:
        return _hypergeometric_tails(size, count, drawn, seen)[0] <= risk

    return first, _first_count(low, high, refused) - 1 if refused(high) else high


def population_size_interval(
    first: int, second: int, both: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of a population's size: `first` caught, then `second`, `both` twice.

    The upper end is infinite where nothing, or too little, was caught twice.
    """
    if not 0 <= both <= min(first, second):
        raise OptionError(
            f"both={both}: expected at most as many as each caught, {first} and {second}"
        )
    risk = _hypergeometric_risk(confidence) / 2
    least = first + second - both

    def low_enough(size: int) -> bool:
        return _hypergeometric_tails(size, first, second, both)[1] <= risk

    low = _first_count(
        least,
        _LARGEST_POPULATION,
        lambda size: _hypergeometric_tails(size, first, second, both)[0] > risk,
    )
    if not low_enough(_LARGEST_POPULATION):
        return float(low), inf
    beyond = least
    while not low_enough(beyond):
        beyond *= 2
    return float(low), float(_first_count(least, beyond, low_enough) - 1)


def _possible_counts(size: int, drawn: int, seen: int) -> tuple[int, int]:
    """Return the fewest and the most documents that can be relevant."""
    if not 0 <= seen <= drawn <= size:
        raise OptionError(
            f"{seen} relevant, {drawn} drawn, {size} in all: expected rising numbers from 0 on"
        )
    return seen, size - (drawn - seen)


def _hypergeometric_risk(confidence: float) -> float:
    check_within("confidence", confidence, 0, 1)
    return 1 - confidence


def _first_count(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first count for which a condition holds that then holds for all after it."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


_ADDED_DOCUMENTS = 4  # to a sample, so that its share is a cautious one


def gamma_interval(
    seen: Floats, drawn: Floats, probability: Floats, fixed: Bools, *, confidence: float
) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of many samples.

    `seen` is samples x parts, the others have a number for each part; `fixed` marks parts of which
    the number to draw was fixed beforehand.
    """
    check_within("confidence", confidence, 0, 1)
    weight, left = 1 / probability, 1 - probability
    share = np.where(fixed, seen / (drawn + _ADDED_DOCUMENTS), 0.0)
    total = (weight * seen).sum(axis=-1)
    variance = (weight**2 * left * seen * (1 - share)).sum(axis=-1)
    heaviest = int(np.argmax(weight * left))
    one_more = weight[heaviest]
    if left[heaviest] == 0:  # everything was drawn: nothing is left to chance
        return total, total
    tail = (1 - confidence) / 2
    low = np.where(variance > 0, _gamma_quantile(tail, total, variance), total)
    high = _gamma_quantile(1 - tail, total + one_more, variance + one_more**2 * left[heaviest])
    return low, high


def _gamma_quantile(share: float, mean: Floats, variance: Floats) -> Floats:
    """Return a quantile of the gamma distribution of this mean and variance; 0 without variance."""
    known = variance > 0
    shape = np.where(known, mean**2, 1.0) / np.where(known, variance, 1.0)
    scale = variance / np.where(known, mean, 1.0)
    inverse = scipy_special("an interval of a stratified sample").gammaincinv
    return np.asarray(scale * inverse(shape, share))


_ROUNDING_VARIANCE = 1e-24  # relative to the square of the ratio


@dataclass(frozen=True)
class RatioTotals:
    """Sums over users: of what they add to the numerator and the denominator, and of products."""

    users: int
    numerator: float
    denominator: float
    numerator_squared: float
    denominator_squared: float
    product: float

    @classmethod
    def of(cls, row: Mapping[str, Any], place: int) -> RatioTotals:
        """From the columns that `summed` gives: those of the metric in that place."""
        names = ("users", "n", "d", "nn", "dd", "nd")
        users, numerator, *others = (row[f"{name}{place}"] or 0 for name in names)
        if isinstance(numerator, float):
            numerator = _round_to_12(numerator)
        return cls(users, numerator, *others)

    @property
    def ratio(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None

    @property
    def variance(self) -> float | None:
        """The variance of the ratio, to first order; None where there is but one user.

        Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919.
        """
        ratio = self.ratio
        if ratio is None or self.users < 2:
            return None
        # The sum of (n - r d)^2 over users, whose mean is 0 by the choice of r.
        squares = (
            self.numerator_squared
            - 2 * ratio * self.product
            + ratio * ratio * self.denominator_squared
        )
        spread = max(squares, 0.0) / (self.users - 1)
        mean = self.denominator / self.users
        return spread / (self.users * mean * mean)


def ratio_interval(
    totals: RatioTotals, *, confidence: float, share: bool
) -> tuple[float | None, float | None, float | None]:
    """Return the ratio and its interval, cut at 0 and for shares at 1.

    Where all users agree, a share has Wilson's interval, with users as the sample; a mean has none.
    """
    ratio, variance = totals.ratio, totals.variance
    if ratio is None or variance is None:
        return ratio, None, None
    if variance <= _ROUNDING_VARIANCE * ratio * ratio:
        if not share:
            return ratio, None, None
        # Of scipy, whose last digit is not that of Python's own `normal_quantile`.
        z = float(scipy_special("an interval", extra="logs").ndtri((1 + confidence) / 2))
        return ratio, *wilson(ratio, totals.users, z=z)
    half = t_quantile(confidence, totals.users - 1) * sqrt(variance)
    low, high = max(ratio - half, 0.0), ratio + half
    return ratio, _round_to_12(low), _round_to_12(min(high, 1.0) if share else high)


def _round_to_12(number: float) -> float:
    """Drop the last digits, which depend on the order in which an engine adds up."""
    return float(f"{number:.12g}")


def jackknife_ratio_interval(
    numerators: Floats, denominators: Floats, *, confidence: float = 0.95
) -> Interval:
    """Return Student's interval of sum(numerators) / sum(denominators), one pair per cluster.

    The error is by leaving out one cluster at a time, which tells more than the delta method where
    few clusters have most of the sum. The degrees of freedom are the effective number of clusters
    less one. The ends are NaN where there are fewer than two clusters, or all have the same ratio.

    >>> import numpy as np
    >>> found = jackknife_ratio_interval(np.array([1.0, 0, 2, 1]), np.array([2.0, 1, 2, 2]))
    >>> round(found.low, 3), round(found.high, 3)
    (-0.007, 1.15)
    """
    total = float(denominators.sum())
    if len(numerators) < 2:
        return Interval(nan, nan, confidence)
    left = total - denominators
    known = np.where(left > 1e-12 * total, left, nan)
    value = float(numerators.sum()) / total
    effective = total**2 / float(denominators @ denominators)
    return jackknife_interval(
        round(value, 12),
        ((numerators.sum() - numerators) / known).round(12),
        confidence=confidence,
        freedom=max(effective - 1, 1.0),
    )


def bootstrap_ratio_interval(
    numerators: Floats, denominators: Floats, *, confidence: float, resamples: int, seed: int
) -> Interval:
    """Return the percentile interval of sum(numerators) / sum(denominators), drawing clusters."""
    n = len(numerators)
    if n < 2:
        return Interval(nan, nan, confidence, "percentile")
    # Clusters with equal sums are interchangeable: only the number of draws of each kind matters,
    # and there are few kinds however many clusters there are.
    kinds, sizes = np.unique(
        np.stack([numerators, denominators], axis=1), axis=0, return_counts=True
    )

    def ratios(times: Floats) -> Floats:
        above, below = (times @ kinds).T
        return np.asarray(above / below)

    block = max(1, BLOCK // len(kinds))
    drawn = resample(ratios, draw_multinomial(sizes), resamples, seed=seed, block=block)
    return percentile_interval(drawn, confidence)
