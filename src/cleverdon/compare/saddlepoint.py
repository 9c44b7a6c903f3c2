"""The randomisation test's p-value by formula: fast, for where many of them are needed.

The sum of differences under random signs has a cumulant generating function in closed form, the
sum of log cosh(t d). The saddlepoint approximation makes of it a tail probability that is right to
some percent even far out, and where a few topics have most of the difference. Lugannani & Rice
1980, doi:10.2307/1426607; for randomisation tests, Robinson 1982.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from cleverdon.arrays import Floats

_ROUNDS = 60
_CLOSE = 1e-9
_LARGEST_PART = 20
"""A step of which the smallest difference has no more is looked for: P@20 has 1 in 20."""


def saddlepoint(rows: Floats, *, alternative: str = "two-sided", step: float = 0.0) -> Floats:
    """About the p-value of each row of differences, of which some are not 0.

    `step` is what all differences are whole multiples of, where there is such a number: then the
    sum is one of a few, and is as likely as not to be the one seen.

    >>> rows = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, -0.15, 0.25, 0.35, -0.05]])
    >>> round(float(saddlepoint(rows, step=0.05)[0]), 4)  # by enumeration: 0.0137
    0.014
    """
    scaled = rows / np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
    spacing = 2 * step / np.sqrt(np.sum(rows**2, axis=1))  # a turned sign moves the sum by two
    seen = scaled.sum(axis=1)
    towards = {"two-sided": np.abs(seen), "greater": seen, "less": -seen}[alternative]
    p = np.where(towards > 0, 0.5, 1.0)
    largest = np.abs(scaled).sum(axis=1)
    all_one_way = towards >= largest * (1 - _CLOSE)
    p[all_one_way] = 0.5 ** np.count_nonzero(rows[all_one_way], axis=1)
    # Near 0 the formula divides by 0, and p is no small number anyway.
    usual = (towards > 0.1) & ~all_one_way
    p[usual] = _tail(scaled[usual], towards[usual], spacing[usual])
    return np.minimum(1.0, 2 * p) if alternative == "two-sided" else p


def step_of(values: Floats) -> float:
    """What all values are whole multiples of; 0 where nothing is.

    >>> round(step_of(np.array([0.2, -0.3, 0.0, 0.5])), 4), step_of(np.array([0.1234, 0.1, 0.3]))
    (0.1, 0.0)
    """
    sizes = np.unique(np.abs(values[values != 0]))
    if len(sizes) == 0:
        return 0.0
    for parts in range(1, _LARGEST_PART + 1):
        multiples = sizes / (sizes[0] / parts)
        if np.all(np.abs(multiples - np.round(multiples)) < 1e-6):
            return float(sizes[0] / parts)
    return 0.0


def _tail(rows: Floats, sums: Floats, spacing: Floats) -> Floats:
    """How likely random signs give a row at least its sum; rows have length 1."""
    at = sums.copy()  # below the solution, which Newton's method then never passes
    for _ in range(_ROUNDS):
        level = np.tanh(at[:, None] * rows)
        short = sums - np.sum(rows * level, axis=1)
        curve = np.sum(rows**2 * (1 - level**2), axis=1)
        at += short / curve
        if np.all(short <= _CLOSE):
            break
    reach = np.abs(at[:, None] * rows)
    # log cosh x, without its overflow.
    cumulant = np.sum(reach + np.log1p(np.exp(-2 * reach)) - np.log(2), axis=1)
    w = np.sqrt(2 * (at * sums - cumulant))
    paced = np.where(spacing > 0, -np.expm1(-spacing * at) / np.where(spacing > 0, spacing, 1), at)
    normal = NormalDist()
    beyond = np.array([normal.cdf(-one) for one in w])
    density = np.exp(-(w**2) / 2) / sqrt(2 * np.pi)
    found: Floats = beyond + density * (1 / (paced * np.sqrt(curve)) - 1 / w)
    return found
