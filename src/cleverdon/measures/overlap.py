"""Overlap with the ideal ranking."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats, Ints, ordinal_in
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure


@measure
class Compat(Measure):
    """Compatibility: rank-biased overlap of the results with the best ranking there could be.

    Of documents with the same grade the ideal ranking has those first that the results have first:
    of all ideal rankings it is the one most like them. The overlap is taken down to the last result
    or the last document of the ideal, whichever is deeper, or down to `depth`; normalised, it is a
    share of the overlap that the ideal has with itself.
    """

    formula = (
        r"\frac{\sum_{i} p^{i-1} |A_i \cap I_i| / i}{\sum_{i} p^{i-1} |I_i| / i}, "
        r"\quad A_i, I_i \text{ the first } i \text{ results, and of the ideal}"
    )
    user = "Goes on to the next rank with probability p, and looks at what both lists have by then."
    undefined = "no judged document has a positive grade"
    source = (
        "Clarke, Smucker & Vtyurina 2020, doi:10.1145/3340531.3411915; "
        "Clarke, Vtyurina & Smucker 2021, doi:10.1145/3451161"
    )
    aliases = ("Compatibility",)
    promises = frozenset({"in range", "swap"})
    worked = """
        Compat(p=0.5)                   2 1          = 1
        Compat(p=0.5)                   1 2          = 0.3333
        Compat(p=0.5)                   1 1          = 1
        Compat(p=0.5)                   - 1          = 0.2
        Compat(p=0.5,normalize=false)   - 1          = 0.1667
        Compat(p=0.5,depth=1)           - 1          = 0
        Compat                          | 1          = 0
        Compat                          0 -          = undefined
    """

    p: float = 0.95
    depth: int | None = None
    normalize: bool = True

    def check(self) -> None:
        if not 0 < self.p < 1:
            raise NotationError(f"Compat(p={self.p}): p is above 0 and below 1")
        if self.depth is not None and not 1 <= self.depth <= 2**31:
            raise NotationError(f"Compat(depth={self.depth}): a depth is a rank from 1 on")

    def score(self, hits: Hits) -> Floats:
        judged = hits.judgments
        wanted = judged.count(judged.grade > 0)
        depth = np.maximum(hits.returned, wanted)
        if self.depth is not None:
            depth = np.full(len(hits), self.depth)
        # What both lists have, they have from the deeper of its two ranks on. A document that is in
        # both from rank m on adds p^(i-1) / i at each rank i from m down to the depth.
        query, both_from = _shared(hits)
        within = both_from <= depth[query]
        query, both_from = query[within], both_from[within]
        longest = int(max(depth[wanted > 0].max(initial=1), 1))
        share = _shares_down_to(self.p, min(longest, _beyond(self.p)))

        def at(rank: Ints) -> Floats:
            return share[np.minimum(rank, len(share) - 1)]

        overlap = np.bincount(
            query, weights=at(depth[query]) - at(both_from - 1), minlength=len(hits)
        )
        fixed = np.minimum(wanted, depth)
        ranks = -np.expm1(fixed * np.log(self.p)) / (1 - self.p)
        if self.normalize:
            # The ideal with itself: i documents at rank i, and all of them from the last one on.
            whole = ranks + wanted * (at(depth) - at(fixed))
        else:
            whole = -np.expm1(depth * np.log(self.p)) / (1 - self.p)
        return overlap / np.where(wanted > 0, whole, np.nan)


def _shared(hits: Hits) -> tuple[Ints, Ints]:
    """The documents that are in both lists: their query, and the deeper of their two ranks."""
    judged = hits.judgments
    unreturned = np.iinfo(np.int64).max
    rank = np.full(len(judged.grade), unreturned)
    known = hits.doc >= 0  # what was assumed to be relevant is in no ideal
    rank[hits.doc[known]] = hits.rank[known]
    rows = np.flatnonzero(judged.grade > 0)
    rows = rows[np.lexsort((rank[rows], -judged.grade[rows], judged.query[rows]))]
    query = judged.query[rows]
    returned = rank[rows] < unreturned
    return query[returned], np.maximum(ordinal_in(query), rank[rows])[returned]


def _beyond(p: float) -> int:
    """A rank from which on nothing adds to a sum of p^(i-1) / i."""
    return int(np.ceil(np.log(1e-18) / np.log(p))) + 1


def _shares_down_to(p: float, depth: int) -> Floats:
    """The sums of p^(i-1) / i down to each rank i, from 0 on."""
    rank = np.arange(1.0, depth + 1)
    return np.concatenate(([0.0], np.cumsum(np.power(p, rank - 1) / rank)))
