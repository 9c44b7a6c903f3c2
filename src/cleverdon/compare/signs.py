"""The sign test: on how many topics is one system ahead?

It looks at the direction of differences and never at their size. Topics on which both are even
say nothing about a direction, and are left out.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import scipy_stats
from cleverdon.compare.pvalue import PValue, by_formula


def sign(differences: Floats, *, alternative: str = "two-sided", seed: int = 0) -> list[PValue]:
    """Whether either system is as often ahead. Nothing is drawn, whatever the seed.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.0]]))[0].p
    0.25
    """
    up, down = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    coin = scipy_stats("the sign test").binom(up + down, 0.5)
    if alternative == "two-sided":
        return by_formula(np.minimum(1.0, 2 * coin.cdf(np.minimum(up, down))))
    return by_formula(coin.cdf(down if alternative == "greater" else up))
