"""How large a difference is, beside whether it is chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, lgamma, nan, sqrt

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.tests import DECIMALS
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class Sizes:
    """How far two systems are apart, by one measure."""

    up: int  # topics on which the system's value is higher
    even: int
    down: int
    difference: float
    """The mean difference over topics."""
    relative: float
    """That as a share of the baseline's mean, without its sign; NaN where the latter is 0."""
    cohens_dz: float
    """The mean difference in standard deviations of the differences.

    0 where all differences are 0, infinite where they are all the same and not 0, NaN of one topic.
    Not to be held against Cohen's small, medium and large, which are of unpaired samples. Cohen
    1988, section 2.3.5.
    """
    hedges_g: float
    """Cohen's d_z without its bias: times J(n-1), J(m) = Γ(m/2) / (√(m/2) Γ((m-1)/2)).

    The exact factor, of which 1 - 3 / (4m - 1) is the usual approximation. NaN of two topics, where
    no unbiased estimate exists. Hedges 1981, doi:10.3102/10769986006002107.
    """
    cliffs_delta: float
    """How much more often a value of the system is above one of the baseline than below it.

    Of any two topics, whether or not they are the same: it ignores the pairing, and so hardly moves
    where a system is a little better on every topic and topics differ much. Cliff 1993,
    doi:10.1037/0033-2909.114.3.494.
    """

    @property
    def topics(self) -> int:
        return self.up + self.even + self.down


def sizes(ours: Floats, theirs: Floats) -> Sizes:
    """The sizes of the differences between two systems' values, topic by topic.

    >>> found = sizes(np.array([0.5, 0.7, 0.9]), np.array([0.4, 0.7, 0.4]))
    >>> found.up, found.even, found.down
    (2, 1, 0)
    >>> [round(size, 4) for size in (found.difference, found.relative, found.cohens_dz)]
    [0.2, 0.4, 0.7559]
    >>> round(found.hedges_g, 4), round(found.cliffs_delta, 4)
    (0.4265, 0.6667)
    """
    if ours.shape != theirs.shape or ours.ndim != 1 or len(ours) == 0:
        raise OptionError(
            f"{len(ours)} values and {len(theirs)}: sizes are of two systems' on the same topics"
        )
    difference = ours - theirs
    if np.isnan(difference).any():
        raise OptionError("a value is NaN, and its difference has no size")
    mean, baseline = float(difference.mean()), float(theirs.mean())
    dz = _standardised(difference)
    settled = np.round(difference, DECIMALS)  # as the tests have it
    return Sizes(
        up=int(np.sum(settled > 0)),
        even=int(np.sum(settled == 0)),
        down=int(np.sum(settled < 0)),
        difference=mean,
        relative=mean / abs(baseline) if baseline else nan,
        cohens_dz=dz,
        hedges_g=dz * _unbiased(len(difference) - 1),
        cliffs_delta=_dominance(ours, theirs),
    )


def deviation(differences: Floats) -> float:
    """The standard deviation, 0 where all values are the same; NaN of one value.

    Values that are the same but for rounding would have one of 1e-17 or so.
    """
    if len(differences) < 2:
        return nan
    found = float(np.std(differences, ddof=1))
    return found if found > 1e-12 * float(np.abs(differences).max()) else 0.0


def _standardised(difference: Floats) -> float:
    mean, spread = float(difference.mean()), deviation(difference)
    if spread == 0:
        return float(np.sign(mean)) * inf if mean else 0.0
    return mean / spread


def _unbiased(freedom: int) -> float:
    """Hedges' factor for so many degrees of freedom."""
    if freedom < 2:
        return nan
    return exp(lgamma(freedom / 2) - lgamma((freedom - 1) / 2)) / sqrt(freedom / 2)


def _dominance(ours: Floats, theirs: Floats) -> float:
    """The share of all pairs in which ours is higher, less the share in which it is lower."""
    ordered = np.sort(theirs)
    below = np.searchsorted(ordered, ours, side="left").sum()
    above = (len(ordered) - np.searchsorted(ordered, ours, side="right")).sum()
    return float(below - above) / (len(ours) * len(theirs))
