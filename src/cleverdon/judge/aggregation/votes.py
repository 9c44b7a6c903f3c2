"""One grade of several by counting or ordering them: the majority, the median, the mean."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.judge.labels import Labels

Ties = Literal["lower", "higher", "median", "random"]
TIES: dict[str, str] = {
    "lower": "the lowest of the tied grades",
    "higher": "the highest of them",
    "median": "that of them which is nearest to the median of all grades, else the lower",
    "random": "any of them, by chance (see the seed)",
}
"""What is done where no grade has most votes."""

_Levels = NDArray[np.int64]


def votes(labels: Labels, items: Ints) -> Ints:
    """Items x grades: how many judges gave an item the grade."""
    level = labels.level[items]
    return np.stack([(level == k).sum(axis=1) for k in range(len(labels.grades))], axis=1)


def majority(counted: Ints, ties: Ties, *, seed: int = 0) -> tuple[_Levels, Floats, Bools]:
    """The grade with most votes, the share of judges who gave it, and whether others had as many.

    Grades are places on the scale.

    >>> level, share, tied = majority(np.array([[2, 1], [1, 1]]), "higher")
    >>> level.tolist(), share.tolist(), tied.tolist()
    ([0, 1], [0.6666666666666666, 0.5], [False, True])
    """
    best = counted == counted.max(axis=1, keepdims=True)
    tied: Bools = best.sum(axis=1) > 1
    places = np.arange(counted.shape[1])
    if ties == "higher":
        preferred: NDArray[np.float64] = -places.astype(float)[None, :]
    elif ties == "median":
        preferred = np.abs(places[None, :] - _median(counted, higher=False)[:, None]) + places / 1e6
    elif ties == "random":
        preferred = np.random.default_rng(seed).random(counted.shape)
    else:
        preferred = places.astype(float)[None, :]
    level = np.argmin(np.where(best, preferred, np.inf), axis=1)
    share = counted.max(axis=1) / counted.sum(axis=1)
    return level, share, tied


def median(counted: Ints, ties: Ties, *, seed: int = 0) -> tuple[_Levels, Floats, Bools]:
    """The grade in the middle, the share of judges who gave it, and whether two are there.

    Of an even number of judges two may be in the middle; a grade between the two, that nobody gave,
    is never made up.
    """
    low, high = _median(counted, higher=False), _median(counted, higher=True)
    take_high = np.full(len(counted), ties == "higher")
    if ties == "random":
        take_high = np.random.default_rng(seed).random(len(counted)) < 0.5
    level = np.where(take_high, high, low)
    share = counted[np.arange(len(counted)), level] / counted.sum(axis=1)
    return level, share, low != high


def mean(counted: Ints, grades: Floats) -> tuple[Floats, Floats]:
    """The mean grade, and the share of judges within half a grade of it."""
    total = counted.sum(axis=1)
    means: Floats = counted @ grades / total
    near = np.abs(grades[None, :] - means[:, None]) <= 0.5
    return means, (counted * near).sum(axis=1) / total


def _median(counted: Ints, *, higher: bool) -> _Levels:
    total = counted.sum(axis=1)
    before = total // 2 if higher else (total - 1) // 2
    found: _Levels = (np.cumsum(counted, axis=1) <= before[:, None]).sum(axis=1)
    return found
