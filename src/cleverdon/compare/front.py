"""The Pareto front: what is not beaten on everything at once."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Bools, Floats


def front(*merits: Floats) -> Bools:
    """Which points no other is as good as on every axis, and better than on one.

    An axis has a number for each point, higher ones being better. Equals are both on the front.

    >>> quality, speed = np.array([0.5, 0.4, 0.6]), np.array([9.0, 8.0, 1.0])
    >>> front(quality, speed).tolist()
    [True, False, True]
    """
    values = np.array(merits)
    no_worse = (values[:, :, None] >= values[:, None, :]).all(axis=0)
    better = (values[:, :, None] > values[:, None, :]).any(axis=0)
    return np.asarray(~(no_worse & better).any(axis=0))
