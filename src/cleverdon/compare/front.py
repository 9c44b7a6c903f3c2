"""The Pareto front: what no other beats on everything at once."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Bools, Floats


def beats(*merits: Floats) -> Bools:
    """Points x points: whether the first is as good as the second on every axis, better on one.

    An axis has a number for each point, higher ones being better. Of equals, neither beats.
    """
    values = np.array(merits)
    no_worse = (values[:, :, None] >= values[:, None, :]).all(axis=0)
    better = (values[:, :, None] > values[:, None, :]).any(axis=0)
    return np.asarray(no_worse & better)


def front(*merits: Floats) -> Bools:
    """Which points are beaten by none.

    >>> quality, speed = np.array([0.5, 0.4, 0.6]), np.array([9.0, 8.0, 1.0])
    >>> front(quality, speed).tolist()
    [True, False, True]
    """
    return np.asarray(~beats(*merits).any(axis=0))
