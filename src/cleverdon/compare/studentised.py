"""The studentised range: how far apart the best and the worst of equal systems are.

scipy has it too, but integrates for each distance by itself, at ten milliseconds or more: half a
minute for all pairs of 20 systems by 10 measures. Here all distances share their nodes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.legendre import leggauss

from cleverdon.arrays import Floats
from cleverdon.compare.needs import scipy_stats
from cleverdon.compare.randomisation import BLOCK

_FARTHEST = 16.0
"""Normal values are never further apart."""
_NEVER = 1e-16
_KNOWN_TO = 1e-11


def beyond(distances: Floats, *, systems: int, freedom: int) -> Floats:
    """The chance that equal systems are so far apart, in estimated standard errors of a mean.

    `freedom` is that of the estimate. Right to some 1e-11, with a freedom of 1 or 2 to 1e-5; what
    would be lower is given as 1e-11, lest it be taken for none. Only of endless distances it is 0.

    >>> beyond(np.array([0.0, 3.5]), systems=3, freedom=20).round(4).tolist()
    [1.0, 0.0559]
    """
    within = _within(systems)
    errors, weights = _errors(freedom)
    found = np.empty(len(distances))
    size = max(1, BLOCK // len(errors))
    for start in range(0, len(distances), size):
        block = np.minimum(distances[start : start + size, None] * errors, _FARTHEST)
        found[start : start + size] = (1 - within(block)) @ weights
    found = np.where(np.isinf(distances), 0.0, np.clip(found, _KNOWN_TO, 1))
    return np.where(distances > 0, found, 1.0)


@lru_cache(maxsize=32)
def _within(systems: int) -> Chebyshev:
    """The chance that all systems are so near each other, where the error is known to be 1.

    Any of them is the lowest, and all others stand between it and the distance from it.
    """
    normal = scipy_stats("Tukey's test").norm
    nodes, weights = leggauss(128)
    lowest, likely = 9 * nodes, 9 * weights * normal.pdf(9 * nodes)

    def chance(distances: Floats) -> Floats:
        others = normal.cdf(lowest + distances[:, None]) - normal.cdf(lowest)
        found: Floats = systems * (others ** (systems - 1) @ likely)
        return found

    return Chebyshev.interpolate(chance, 200, domain=(0, _FARTHEST))


@lru_cache(maxsize=32)
def _errors(freedom: int) -> tuple[Floats, Floats]:
    """How large the error may be estimated to be, and how likely that is."""
    chi2 = scipy_stats("Tukey's test").chi2(freedom)
    least, most = np.sqrt(np.array([chi2.ppf(_NEVER), chi2.isf(_NEVER)]) / freedom)
    nodes, weights = leggauss(200)
    errors = (most + least) / 2 + (most - least) / 2 * nodes
    # In logarithms and up to a factor, since powers of it are beyond floats.
    density = (freedom - 1) * np.log(errors) - freedom * errors**2 / 2
    weights = weights * np.exp(density - density.max())
    return errors, weights / weights.sum()
