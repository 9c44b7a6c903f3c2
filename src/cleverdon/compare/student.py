"""Student's t test for paired differences.

Asks how many of its own standard errors the mean difference lies from 0. Robust to distributions
that are not normal as soon as there are some dozens of topics: Hull 1993,
doi:10.1145/160688.160758; Urbano et al. 2019, doi:10.1145/3331184.3331259.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import check_topics, scipy_stats
from cleverdon.compare.pvalue import PValue, by_formula


def student(differences: Floats, *, alternative: str = "two-sided", seed: int = 0) -> list[PValue]:
    """Whether the mean difference of each comparison is 0. Nothing is drawn, whatever the seed.

    Differences that are all the same and not 0 have p = 0: their mean has no error.

    >>> round(student(np.array([[0.1, 0.2, 0.3]]))[0].p, 4)
    0.0742
    """
    topics = check_topics("the t test", differences)
    t = scipy_stats("the t test").t(topics - 1)
    statistic = t_statistic(differences)
    if alternative == "two-sided":
        return by_formula(2 * t.sf(np.abs(statistic)))
    return by_formula(t.sf(statistic if alternative == "greater" else -statistic))


def t_statistic(differences: Floats) -> Floats:
    """The mean of each row over its standard error; infinite where a row has no spread."""
    mean = differences.mean(axis=1)
    # The mean of equal numbers may differ from them in the last digit, which is no spread.
    same = (differences == differences[:, :1]).all(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    endless = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    t: Floats = np.divide(mean, error, out=endless, where=~same)
    return t
