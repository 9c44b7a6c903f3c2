"""The bootstrap test by the shift method.

Differences are shifted to a mean of 0, which makes a world in which the systems are alike. Topics
are drawn from it with replacement; p is the share of draws with a mean at least as extreme as the
one seen. Noreen 1989; for retrieval, Smucker et al. 2007, doi:10.1145/1321440.1321528.

Means are divided by their own spread, as in Sakai 2006, doi:10.1145/1148170.1148261: without that,
draws spread too little, and with few topics p is too small too often.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.compare.needs import check_topics
from cleverdon.compare.pvalue import PValue, by_counting
from cleverdon.compare.randomisation import BLOCK, DRAWS, TOLERANCE
from cleverdon.compare.resampling import draws as resamples
from cleverdon.errors import check_count

_ROWS = 2048
"""So many draws at a time are enough for a matrix product to be fast."""


def shift(
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    draws: int = DRAWS,
    studentised: bool = True,
) -> list[PValue]:
    """Whether the mean difference of each comparison is 0; the same p on every call.

    All comparisons share their draws. `studentised=False` gives the test of Smucker et al.

    >>> round(shift(np.array([[0.3, 0.1, 0.3, 0.2, 0.4]]))[0].p, 2)
    0.02
    """
    check_count("draws", draws)
    topics = check_topics("the bootstrap test", differences)
    towards = -differences if alternative == "less" else differences
    mean = towards.mean(axis=1)
    null = towards - mean[:, None]
    spread = np.sqrt((null**2).mean(axis=1))
    slack = TOLERANCE * np.abs(towards).max(axis=1, initial=0)
    wanted = ((np.abs(mean) if alternative == "two-sided" else mean) - slack)[:, None]
    extreme = np.zeros(len(towards), dtype=np.int64)
    size = min(_ROWS, max(1, BLOCK // (topics + 2 * len(towards))))
    for _, places in resamples(topics, draws, block=size, seed=seed):
        counts = _times(places)
        found = null @ counts.T / topics
        if alternative == "two-sided":
            found = np.abs(found)
        enough = wanted
        if studentised:
            # found / its spread >= wanted / spread, without dividing by what may be 0.
            squares = (null**2) @ counts.T / topics
            enough = wanted * np.sqrt(np.maximum(squares - found**2, 0))
            found = found * spread[:, None]
        extreme += np.count_nonzero(found >= enough, axis=1)
    # Where all differences are the same, so are all draws: 0, once shifted.
    without = np.where(wanted[:, 0] > 0, 0, draws)
    return by_counting(np.where(spread <= slack, without, extreme), draws)


def _times(places: Ints) -> Floats:
    """Draws x topics: how often each topic was drawn."""
    rows = np.arange(len(places))[:, None] * places.shape[1]
    times = np.bincount((places + rows).ravel(), minlength=places.size)
    return times.reshape(places.shape).astype(np.float64)
