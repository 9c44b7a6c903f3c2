"""What holds of the p-values of a right test where there is no difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cleverdon.stats.tests import PValue

ERRORS = 3.3
"""So many standard errors are left to chance: one run in a thousand is outside on a side."""


def assert_level(
    found: Sequence[PValue] | Sequence[float], *, never_below: bool, level: float = 0.05
) -> None:
    """The share of p <= level is the level, within its binomial error; or not above it."""
    values = np.array([p.p if isinstance(p, PValue) else p for p in found])
    share = float(np.mean(values <= level))
    error = ERRORS * (level * (1 - level) / len(values)) ** 0.5
    assert share <= level + error, f"{share} of {len(values)} at {level}"
    if never_below:
        assert share >= level - error, f"{share} of {len(values)} at {level}"
