"""Effect sizes of paired differences: Cohen's d_z, Hedges' g, Cliff's delta."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, lgamma, nan, sqrt

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError

DECIMALS = 12
"""Differences that agree so far count as equal: 0.3 - 0.2 is 0.2 - 0.1, and 1e-17 is nothing."""


@dataclass(frozen=True)
class EffectSizes:
    """The sizes of the difference between two systems, by one measure.

    Attributes:
        up: The number of units on which the system's value is higher.
        even: The number on which both are equal.
        down: The number on which it is lower.
        difference: The mean difference over units.
        relative: That as a share of the baseline's mean, without its sign; NaN where that is 0.
        cohens_dz: The mean difference in standard deviations of the differences. 0 where all
            differences are 0, infinite where they are all the same and not 0, NaN of one unit.
            Cohen's small, medium and large are about unpaired samples. Cohen 1988, section 2.3.5.
        hedges_g: Cohen's d_z without its bias, by the exact factor; NaN of two units. Hedges
            1981, doi:10.3102/10769986006002107.
        cliffs_delta: The share of pairs of values in which the system's is higher, less the share
            in which it is lower. It ignores which values are of the same unit. Cliff 1993,
            doi:10.1037/0033-2909.114.3.494.

    >>> effect_sizes(np.array([0.5, 0.7]), np.array([0.4, 0.7])).up
    1
    """

    up: int
    even: int
    down: int
    difference: float
    relative: float
    cohens_dz: float
    hedges_g: float
    cliffs_delta: float

    @property
    def pairs(self) -> int:
        return self.up + self.even + self.down


def effect_sizes(ours: Floats, theirs: Floats) -> EffectSizes:
    """Return the sizes of the differences between two systems' values, unit by unit."""
    if ours.shape != theirs.shape or ours.ndim != 1 or len(ours) == 0:
        raise OptionError(
            f"{len(ours)} values and {len(theirs)}: sizes need values on the same units"
        )
    difference = ours - theirs
    if np.isnan(difference).any():
        raise OptionError("a value is NaN, and its difference has no size")
    mean, baseline = float(difference.mean()), float(theirs.mean())
    dz = _cohens_dz(difference)
    settled = np.round(difference, DECIMALS)  # as the tests have it
    return EffectSizes(
        up=int(np.sum(settled > 0)),
        even=int(np.sum(settled == 0)),
        down=int(np.sum(settled < 0)),
        difference=mean,
        relative=mean / abs(baseline) if baseline else nan,
        cohens_dz=dz,
        hedges_g=dz * _hedges_factor(len(difference) - 1),
        cliffs_delta=_cliffs_delta(ours, theirs),
    )


def standard_deviation(differences: Floats) -> float:
    """Return the standard deviation, 0 where all values are the same; NaN of one value."""
    if len(differences) < 2:
        return nan
    # Values that are the same but for rounding would have one of 1e-17 or so.
    found = float(np.std(differences, ddof=1))
    return found if found > 1e-12 * float(np.abs(differences).max()) else 0.0


def one_sample_t(values: Floats) -> float:
    """Return the mean over its standard error; NaN where there is no spread."""
    deviation = standard_deviation(values)
    return float(values.mean()) / deviation * sqrt(len(values)) if deviation > 0 else nan


def pearson_residuals(values: Floats) -> Floats:
    """Return each cell's distance from what its row and column predict, in standard deviations.

    The squares of these residuals add up to the chi-squared statistic of a table of counts.
    """
    total = values.sum()
    if total == 0:
        return np.zeros_like(values)
    expected = np.outer(values.sum(axis=1), values.sum(axis=0)) / total
    # Where a row or a column is all 0, nothing is expected and nothing was found.
    return np.asarray((values - expected) / np.sqrt(np.where(expected > 0, expected, 1)))


def _cohens_dz(difference: Floats) -> float:
    mean, spread = float(difference.mean()), standard_deviation(difference)
    if spread == 0:
        return float(np.sign(mean)) * inf if mean else 0.0
    return mean / spread


def _hedges_factor(freedom: int) -> float:
    # J(m) = Γ(m/2) / (√(m/2) Γ((m-1)/2)), of which 1 - 3 / (4m - 1) is the usual approximation.
    if freedom < 2:
        return nan
    return exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2)) / sqrt(freedom / 2)


def _cliffs_delta(ours: Floats, theirs: Floats) -> float:
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, side="left").sum()
    above = (len(ordered) - np.searchsorted(ordered, ours, side="right")).sum()
    return float(below - above) / (len(ours) * len(theirs))
