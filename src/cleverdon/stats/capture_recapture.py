"""Capture-recapture: the size of a population from overlapping lists, and their dependence.

Tables of two lists are combined by Mantel and Haenszel's method: `halves` are, for each stratum,
the products of the two diagonals of its table, divided by its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from math import exp, floor, log, nan, sqrt

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.stats.intervals import normal_quantile

_LAST_BITS = 1e-9
"""A sum may miss a whole number by the last bits."""


@dataclass(frozen=True)
class Unseen:
    """The estimated number that no list has, and its variance."""

    found: int  # in any list
    missing: float
    variance: float
    captures: int  # how often they were found, in all lists together

    @classmethod
    def sum(cls, parts: Iterable[Unseen]) -> Unseen:
        """Add the estimates and variances of independent parts."""
        return cls(*map(sum, zip(*map(astuple, parts), strict=True)))

    def interval(self, confidence: float, *, whole: bool = True) -> tuple[float, float]:
        """Return an interval of the total (Chao 1987, doi:10.2307/2531532).

        The total is a whole number, so the lower end is rounded down, though not below what was
        found; without that, 24.1 would exclude a total of 24 that chance gives often.

        >>> low, high = Unseen(76, 57.78, 577.0, captures=142).interval(0.95)
        >>> low, round(high, 1)
        (102.0, 202.4)
        """
        low, high = self._interval(confidence)
        return (max(float(self.found), floor(low + _LAST_BITS) + 0.0) if whole else low), high

    def _interval(self, confidence: float) -> tuple[float, float]:
        found, missing = self.found, self.missing
        reach = normal_quantile(confidence)
        if missing > 0:
            factor = exp(reach * sqrt(log(1 + self.variance / missing**2)))
            return found + missing / factor, found + missing * factor
        if not found:
            return 0.0, 0.0
        # As Colwell's EstimateS has it: the probability that one is never captured, if captures
        # fall on all evenly.
        never = exp(-self.captures / found)
        return float(found), (found + reach * sqrt(found * never)) / (1 - never)


def chapman(first: int, second: int, both: int) -> Unseen:
    """Estimate by Lincoln and Petersen, without most of the bias (Chapman 1951; Seber 1970).

    >>> found = chapman(10, 15, 5)
    >>> round(found.found + found.missing, 2), round(found.variance, 2)
    (28.33, 34.92)
    """
    if not 0 <= both <= min(first, second):
        raise OptionError(f"both={both}: at most as many as either found, {first} and {second}")
    found = first + second - both
    total = (first + 1) * (second + 1) / (both + 1) - 1
    spread = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance = spread / ((both + 1) ** 2 * (both + 2))
    # What rounding leaves below 0 is 0.
    return Unseen(found, max(total - found, 0.0), variance, first + second)


def chao(found: int, once: int, twice: int, *, captures: int, lists: int | None = None) -> Unseen:
    """Return Chao's lower bound, by the numbers that were found once and twice.

    `lists` is how many lists there were (Chao2); without it, captures are without number
    (Chao1). The form without bias, which is defined where nothing was found twice. Chao 1984 and
    1987, doi:10.2307/2531532; the variances are those of Colwell's EstimateS.

    >>> barro_colorado = chao(93, 31, 18, captures=448)
    >>> round(93 + barro_colorado.missing, 4), round(barro_colorado.variance**0.5, 4)
    (117.4737, 11.5854)
    """
    share = 1.0 if lists is None else (lists - 1) / lists
    pairs = once * (once - 1)
    missing = share * pairs / (2 * (twice + 1))
    if not missing:
        return Unseen(found, 0.0, 0.0, captures)
    if twice:
        of_twice = share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    else:
        of_twice = -(share**2) * once**4 / (4 * (found + missing))
    of_once = share**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    return Unseen(found, missing, max(missing + of_once + of_twice, 0.0), captures)


_FEWEST_STRATA = 5  # fewer do not show how an odds ratio varies


def odds_ratio(halves: Floats) -> float:
    """Return the ratio with a half added to both, so that few observations say little; or NaN."""
    return float((halves[0] + 0.5) / (halves[1] + 0.5)) if halves.any() else nan


def odds_ratio_interval(halves: Floats, confidence: float) -> tuple[float, float]:
    """Return an interval by the jackknife over strata; NaN where these are too few."""
    told = halves[:, halves.any(axis=0)]
    strata = told.shape[1]
    if strata < _FEWEST_STRATA:
        return nan, nan
    whole = told.sum(axis=1)
    logs = np.array([log(odds_ratio(whole - told[:, at])) for at in range(strata)])
    error = sqrt((strata - 1) / strata * float(((logs - logs.mean()) ** 2).sum()))
    reach = normal_quantile(confidence) * error
    middle = log(odds_ratio(whole))
    return exp(middle - reach), exp(middle + reach)
