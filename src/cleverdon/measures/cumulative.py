"""Cumulative gain and its kin: what is gained down to a rank, of all that could be."""

from __future__ import annotations

import numpy as np

from cleverdon._common.arrays import Floats, Ints, ordinal_in
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, WeightedGain, cutoff_weight
from cleverdon.measures.graded import ERR, Gained
from cleverdon.measures.registry import measure
from cleverdon.measures.ties import chance_in_top

_JK = "Järvelin & Kekäläinen 2000, doi:10.1145/345508.345545"


@measure
class CG(Gained):
    """Cumulative gain: the gain of the first k results, wherever among them they stand.

    With binary grades, the number of relevant results.
    """

    formula = r"\sum_{i \le k} g_i"
    user = "Reads exactly k results, each with the same attention."
    undefined = "never"
    source = _JK
    range = (0.0, np.inf)
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        CG@3                    3 2 3 0 1           = 8
        CG                      3 2 - 0 1 | 3       = 6
        CG(gain=exponential)@2  3 2 3               = 10
        CG(gains={1:5})@2       1 3 1               = 8
        CG                      | 1                 = 0
    """

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.total(self.gain_of(top))

    def expected(self, hits: Hits) -> Floats:
        return hits.total(self.gain_of(hits) * chance_in_top(hits, self.k))

    def as_share(self) -> WeightedGain:
        return WeightedGain(self.gain_of, cutoff_weight(self.k))


@measure
class nCG(CG):
    """Normalised cumulative gain: that of the first k results, as a share of the most possible.

    With binary grades, relevant results found over min(k, R): recall where k is at least R.
    """

    formula = r"\sum_{i \le k} g_i \Big/ \sum_{i \le k} g^*_i"
    user = "Reads exactly k results, each with the same attention, and knows what could be found."
    undefined = "no judged document has a positive gain"
    source = "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418"
    range = (0.0, 1.0)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        nCG@3                    3 2 3 0 1           = 1
        nCG@2                    2 - 3 | 1           = 0.4
        nCG                      2 0 | 2             = 0.5
        nCG(gain=exponential)@1  1 3                 = 0.1429
        nCG                      0 -                 = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) / self._most(hits)

    def expected(self, hits: Hits) -> Floats:
        return super().expected(hits) / self._most(hits)

    def as_share(self) -> WeightedGain:
        return WeightedGain(
            self.gain_of, cutoff_weight(self.k), lambda n: np.minimum(n, self.k or np.inf)
        )

    def _most(self, hits: Hits) -> Floats:
        most = super().score(hits.best_by(self.gain_of))
        return np.where(most > 0, most, np.nan)


@measure
class nERR(ERR):
    """Normalised expected reciprocal rank: ERR as a share of what the best order would give.

    ERR stays below 1 even where the best document comes first, and far below where the best there
    is has a low grade; this does not.
    """

    formula = r"\mathrm{ERR}@k \,\big/\, \mathrm{ERR}@k \text{ of the judged documents, best first}"
    user = (
        "As for ERR: reads down, and stops at a result with the probability that its grade gives."
    )
    undefined = "no judged document has a positive grade"
    source = (
        "Chapelle et al. 2009, doi:10.1145/1645953.1646033; normalised as in Clarke et al. 2011, "
        "doi:10.1145/1935826.1935847"
    )
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        nERR        2 1         max=2   = 1
        nERR        1 2         max=2   = 0.68
        nERR@1      1 | 2       max=2   = 0.3333
        nERR        | 1                 = 0
        nERR        0 -                 = undefined
    """

    limits = ("0 < max <= 1000",)  # above, no result satisfies with a probability that is not 0

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) / self._best(hits)

    def expected(self, hits: Hits) -> Floats:
        return super().expected(hits) / self._best(hits)

    def _best(self, hits: Hits) -> Floats:
        best = super().score(hits.best_by(lambda judged: np.maximum(judged.grade, 0)))
        return np.where(best > 0, best, np.nan)


@measure
class Q(Gained):
    """Q-measure: average precision that also minds the grades.

    At each relevant result the share of relevant results so far is blended with the share of the
    gain that could have been had by then; beta says how much the gain counts. With beta=0 it is
    AP(norm=min).
    """

    formula = (
        r"\frac{1}{\min(k, R)} \sum_{i \le k} r_i "
        r"\frac{\sum_{j \le i} r_j + \beta \sum_{j \le i} g_j}{i + \beta \sum_{j \le i} g^*_j}"
    )
    user = (
        "Stops at a relevant document, each as likely, content with what was found of what could."
    )
    undefined = "no judged document has a positive gain"
    source = "Sakai 2004, New performance metrics based on multigrade relevance, NTCIR-4"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        Q             2 1               = 1
        Q             1 2               = 0.8333
        Q             0 2 - 1           = 0.6571
        Q(beta=0)     0 2 - 1           = 0.5
        Q(beta=10)    1 2               = 0.7619
        Q@2           0 2 - 1           = 0.3
        Q             | 2               = 0
        Q             0 -               = undefined
    """

    limits = ("0 <= beta <= 1e6",)

    meanings = {
        "beta": "How much the gain counts beside the number of relevant results; 0 leaves it out.",
    }

    beta: float = 1

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        relevant = top.where(self.gain_of(top) > 0)
        ideal = hits.best_by(self.gain_of)
        wanted = np.diff(ideal.starts)
        # The gain that the ideal has at each rank; below its last one it stays as it is. Results
        # may be assumed relevant where nothing is: there is no ideal row for those then.
        down_to = np.append(ideal.running(self.gain_of(ideal)), 0)
        at = ideal.starts[relevant.query] + np.minimum(relevant.rank, wanted[relevant.query]) - 1
        got = relevant.running(self.gain_of(relevant))
        blended = (relevant.ordinal + self.beta * got) / (relevant.rank + self.beta * down_to[at])
        most = wanted if self.k is None else np.minimum(wanted, self.k)
        return relevant.total(blended) / np.where(most > 0, most, np.nan)


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

    limits = ("0 < p < 1", "1 <= depth <= 2147483648")

    meanings = {
        "p": "The probability that the user goes on to the next rank.",
        "depth": "The rank down to which the overlap is taken; none means down to the end of "
        "both rankings.",
        "normalize": "true divides by the overlap of the ideal with itself, false does not.",
    }

    p: float = 0.95
    depth: int | None = None
    normalize: bool = True

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
    """Return query and deeper rank of the documents that are in both lists."""
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
    """Return a rank below which p^(i-1) / i adds nothing to a sum."""
    return int(np.ceil(np.log(1e-18) / np.log(p))) + 1


def _shares_down_to(p: float, depth: int) -> Floats:
    """Return the sums of p^(i-1) / i down to each rank i, from 0 on."""
    rank = np.arange(1.0, depth + 1)
    return np.concatenate(([0.0], np.cumsum(np.power(p, rank - 1) / rank)))
