"""Tukey's honestly significant difference: every pair of systems at once.

A pair differs if it is further apart than the best and the worst of as many equal systems would
be. So the chance of even one false alarm among all pairs stays at the level, and the p-values need
no further correction. Topics are a factor of the model, as in Carterette 2012,
doi:10.1145/2094072.2094076; the randomised test is from there too, and assumes no normal curve.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.anova import two_way
from cleverdon.compare.pvalue import PValue, by_counting, by_formula
from cleverdon.compare.randomisation import BLOCK, DRAWS, TOLERANCE
from cleverdon.compare.studentised import beyond
from cleverdon.errors import check_count


def tukey(values: Floats, *, seed: int = 0) -> list[list[PValue]]:
    """Systems x systems: whether each pair differs, by the studentised range. Nothing is drawn.

    >>> round(tukey(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.6]]))[0][1].p, 4)  # as a t test
    0.1296
    """
    distances, freedom = _distances(values)
    systems = len(values)
    p = beyond(distances.ravel(), systems=systems, freedom=freedom).reshape(systems, systems)
    return [by_formula(row) for row in p]


def _distances(values: Floats) -> tuple[Floats, int]:
    """How far apart systems are, in standard errors of a mean, and the freedom of the error.

    Where systems and topics leave nothing unexplained, any distance is endless.
    """
    residual = two_way(values).residual
    means = values.mean(axis=1)
    apart = np.abs(means[:, None] - means)
    if residual.squares == 0:
        return np.where(apart > 1e-13 * np.abs(values).max(), np.inf, 0.0), residual.freedom
    return apart / np.sqrt(residual.mean_square / values.shape[1]), residual.freedom


def randomised_tukey(values: Floats, *, seed: int = 0, draws: int = DRAWS) -> list[list[PValue]]:
    """Systems x systems: whether each pair differs, by shuffling each topic's values among systems.

    >>> found = randomised_tukey(np.array([[0.1, 0.2], [0.2, 0.6]]), draws=5000)
    >>> round(found[0][1].p, 1)  # both up, or both down: 2 of 4 ways
    0.5
    """
    check_count("draws", draws)
    systems, topics = values.shape
    by_topic = (values - values.mean(axis=0)).T  # a topic's mean takes no part in any distance
    ranges = np.empty(draws)
    random = np.random.default_rng(seed)
    size = max(1, BLOCK // by_topic.size)
    for start in range(0, draws, size):
        shape = (min(size, draws - start), topics, systems)
        shuffled = np.empty(shape)
        shuffled[:] = by_topic
        random.permuted(shuffled, axis=2, out=shuffled)
        ranges[start : start + shape[0]] = np.ptp(shuffled.sum(axis=1), axis=1)
    ranges.sort()
    sums = by_topic.sum(axis=0)
    slack = TOLERANCE * np.abs(by_topic).sum(axis=0).max()
    extreme = draws - np.searchsorted(ranges, np.abs(sums[:, None] - sums) - slack)
    return [by_counting(row, draws) for row in extreme]
