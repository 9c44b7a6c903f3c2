"""Measures weighted by propensity: a relevant document that is often missed counts for more."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import CollectionFact, Measure
from cleverdon.measures.registry import measure

# The constants, and the micro-averages with norm=ideal, are those of pyxclib and napkinXC, which
# evaluate submissions to the Extreme Classification Repository.
_JAIN = "Jain, Prabhu & Varma 2016, doi:10.1145/2939672.2939756"


class PropensityScored(Measure):
    """Base class: a relevant document counts 1 / p, p the probability that it was judged so.

    Documents that are relevant for few queries are missed more often than those that are relevant
    for many. With N_l the number of queries for which document l is relevant (grade above 0),
    p = 1 / (1 + C exp(-A log(N_l + B))).
    """

    source = _JAIN
    needs = "positives"
    range = (0.0, np.inf)
    promises = frozenset({"in range"})

    limits = ("0 <= A <= 100", "0 <= B <= 1e9", "0 <= C")

    k: int
    meanings = {
        "A": "How fast propensity rises with the number of queries for which a document is "
        "relevant.",
        "B": "A constant that is added to the number of queries.",
        "C": "The weight of missing labels; none is (log N - 1)(B + 1)^A for N queries, at least "
        "0.",
        "norm": "The divisor: k, the number of places, as in the paper; ideal, the most that any "
        "ranking could get.",
    }

    A: float = 0.55
    B: float = 1.5
    C: float | None = None
    norm: Literal["k", "ideal"] = "k"

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"positives", "queries"} if self.C is None else {"positives"})

    def gain_of(self, hits: Hits) -> Floats:
        """Return 1 / p for each relevant row, and 0 for others."""
        judged = hits.judgments
        assert judged.positives is not None  # `needs` was checked
        positives = np.where(hits.doc >= 0, judged.positives[hits.doc], 1.0)
        missed = self.C
        if missed is None:
            missed = max(np.log(judged.all_queries) - 1, 0.0) * (self.B + 1) ** self.A
        # A document that no query has as relevant gains nothing, and may divide by 0.
        times = np.where(hits.grade > 0, np.maximum(positives, 1) + self.B, 1.0)
        return np.where(hits.grade > 0, 1 + missed * times**-self.A, 0.0)

    def weight_at(self, rank: Floats) -> Floats:
        """Return the weight of each rank."""
        raise NotImplementedError

    def places(self, relevant: Floats) -> Floats:
        """Return by query how many of the first k places a ranking could fill."""
        return np.full(len(relevant), float(self.k))

    def parts(self, hits: Hits) -> tuple[Floats, Floats]:
        weights = np.append(0.0, np.cumsum(self.weight_at(np.arange(1.0, self.k + 1))))
        if self.norm == "k":
            return self._weighted(hits), np.full(len(hits), weights[-1])
        best = hits.best_by(self.gain_of)
        # The same divisor of both: it only decides what each query adds to the micro-average.
        places = np.maximum(self.places(best.returned.astype(float)), 1).astype(int)
        return self._weighted(hits) / weights[places], self._weighted(best) / weights[places]

    def _weighted(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.total(self.gain_of(top) * self.weight_at(top.rank.astype(float)))

    def working(self, hits: Hits) -> dict[str, Floats]:
        read = hits.rank <= self.k
        weight = np.where(read, self.weight_at(hits.rank.astype(float)), 0.0)
        return {"1/propensity": self.gain_of(hits), "weight": weight}


@measure
class PSP(PropensityScored):
    """Propensity-scored precision at k: precision where rarely relevant documents count for more.

    An estimate of precision as it would be if no relevant document were missing from the
    judgments. It may be above 1. norm=ideal divides by the most that can be reached; the
    micro-average of that is what leaderboards of extreme classification report.
    """

    formula = (
        r"\frac{1}{k} \sum_{i \le k} \frac{r_i}{p_i}, "
        r"\quad p = \frac{1}{1 + C e^{-A \log(N_l + B)}}"
    )
    user = "Reads exactly k results, and values what is hard to find."
    undefined = "never; with norm=ideal, where no judged document is relevant"
    worked = """
        PSP(A=1,B=1,C=2)@2              1#1 0#0 | 1#3     = 1
        PSP(A=1,B=1,C=2)@3              1#3 - 1#1         = 1.1667
        PSP(A=1,B=1,C=2,norm=ideal)@1   1#3 1#1           = 0.75
        PSP@1                           1#1 queries=20    = 2.9957
        PSP@1                           1#1 queries=2     = 1
        PSP@5                           | 1#1             = 0
        PSP(norm=ideal)@5               0#0               = undefined
    """

    def weight_at(self, rank: Floats) -> Floats:
        return np.ones(len(rank))


@measure
class PSnDCG(PropensityScored):
    """Propensity-scored nDCG at k: rarely relevant documents gain more, and lower ranks less.

    An estimate of nDCG as it would be if no relevant document were missing from the judgments. It
    is divided by the sum of the first k discounts and may be above 1. norm=ideal divides by the
    most that can be reached; the micro-average of that, in which each query is first divided by the
    discounts of as many places as it has relevant documents, is what leaderboards report.
    """

    formula = (
        r"\sum_{i \le k} \frac{r_i}{p_i \log_2(i+1)} \Big/ \sum_{i \le k} \frac{1}{\log_2(i+1)}, "
        r"\quad p = \frac{1}{1 + C e^{-A \log(N_l + B)}}"
    )
    user = "Reads down to rank k with less and less attention, and values what is hard to find."
    undefined = "never; with norm=ideal, where no judged document is relevant"
    worked = """
        PSnDCG(A=1,B=1,C=2)@2              0#0 1#1         = 0.7737
        PSnDCG(A=1,B=1,C=2)@1              1#3 1#1         = 1.5
        PSnDCG(A=1,B=1,C=2,norm=ideal)@2   1#3 1#1         = 0.9374
        PSnDCG@1                           1#1 queries=20  = 2.9957
        PSnDCG@5                           | 1#1           = 0
        PSnDCG(norm=ideal)@5               0#0             = undefined
    """

    def places(self, relevant: Floats) -> Floats:
        return np.minimum(relevant, self.k)

    def weight_at(self, rank: Floats) -> Floats:
        weight: Floats = 1 / np.log2(rank + 1)
        return weight
