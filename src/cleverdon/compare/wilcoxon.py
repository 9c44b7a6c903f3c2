"""Wilcoxon's signed-rank test: the sizes of differences count by their order only.

Ties and zeros are handled as scipy documents for its `wilcoxon`, for each comparison by itself.
Wilcoxon 1945, doi:10.2307/3001968; zeros: Pratt 1959, doi:10.1080/01621459.1959.10501526.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import scipy_stats
from cleverdon.compare.pvalue import PValue, by_formula
from cleverdon.compare.randomisation import enumerated
from cleverdon.errors import check_word

ZEROS = {
    "wilcox": "topics without a difference are left out",
    "pratt": "they are ranked, and their ranks then left out",
    "zsplit": "they are ranked, and half of their ranks count for each side",
}
"""What happens to topics on which both systems are even."""

_TABLE_UP_TO = 50
"""So many topics have an exact table, if no two differences are of one size and none is 0."""
_TIES_UP_TO = 13
"""So many topics have all signs tried where there are ties or zeros."""


def wilcoxon(
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    zeros: str = "wilcox",
    continuity: bool = False,
) -> list[PValue]:
    """Whether the differences of each comparison lie evenly around 0. Nothing is drawn.

    Exact up to 50 topics, or up to 13 where there are ties or zeros; the normal curve beyond, where
    `continuity` moves the statistic half a step towards its mean.

    >>> wilcoxon(np.array([[0.1, 0.2, 0.3]]))[0].p, wilcoxon(np.array([[0.1, 0.2, 0.2]]))[0].p
    (0.25, 0.25)
    """
    check_word("zeros", zeros, ZEROS)
    stats = scipy_stats("Wilcoxon's test")
    topics = differences.shape[1]
    sizes = np.sort(np.abs(differences), axis=1)
    plain = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)

    def by_scipy(rows: Floats, method: str) -> Floats:
        options = {"zero_method": zeros, "correction": continuity, "alternative": alternative}
        p: Floats = stats.wilcoxon(rows, axis=1, method=method, **options).pvalue
        return p

    def by_enumeration(row: Floats) -> PValue:
        towards = -row if alternative == "less" else row
        ranked = towards[towards != 0] if zeros == "wilcox" else towards
        ranks = np.sign(ranked) * stats.rankdata(np.abs(ranked))
        return enumerated(ranks, both=alternative == "two-sided")

    tabled = plain if topics <= _TABLE_UP_TO else np.zeros_like(plain)
    found: dict[int, PValue] = {}
    if tabled.any():
        exact = by_formula(by_scipy(differences[tabled], "exact"))
        found |= zip(np.flatnonzero(tabled).tolist(), exact, strict=True)
    rest = np.flatnonzero(~tabled).tolist()
    if topics <= _TIES_UP_TO:
        found |= {i: by_enumeration(differences[i]) for i in rest}
    elif rest:
        near = by_formula(by_scipy(differences[rest], "approx"), exact=False)
        found |= zip(rest, near, strict=True)
    return [found[i] for i in range(len(differences))]
