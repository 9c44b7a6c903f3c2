"""Pairs of results: which of two comes first."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure


@measure
class AUC(Measure):
    """Area under the ROC curve: how likely a relevant document precedes one judged not relevant.

    Over all judged documents: those that were not returned are one last tied group. A tied pair
    counts half. Results that nobody judged are passed over.
    """

    formula = (
        r"\frac{1}{R N} \sum_{r} \sum_{n} \left( [r \prec n] + \tfrac{1}{2} [r \sim n] \right)"
    )
    user = "Is shown a relevant document and one that is not, and asks which the system prefers."
    undefined = "no judged document is relevant, or all are"
    source = "Hanley & McNeil 1982, doi:10.1148/radiology.143.1.7063747"
    aliases = ("ROCAUC",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        AUC          1 0 1 0         = 0.75
        AUC          (1 0) 0         = 0.75
        AUC          1 - 0 | 1 0     = 0.625
        AUC(rel=2)   1 2             = 0
        AUC          1 -1            = undefined
        AUC          0               = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        judged = hits.judgments
        wanted = judged.relevant(self.rel)
        unwanted = judged.count((judged.grade >= 0) & (judged.grade < self.rel))
        relevant = hits.where(hits.relevant(self.rel))
        others = hits.where((hits.grade >= 0) & ~hits.relevant(self.rel))
        query = relevant.query
        above = others.rows_up_to(relevant.tied_from - 1, query)
        tied = others.rows_up_to(relevant.tied_to, query) - above
        right = relevant.total(unwanted[query] - above - tied / 2)
        unseen = wanted - np.diff(relevant.starts)
        right += unseen * (unwanted - np.diff(others.starts)) / 2
        pairs = wanted * unwanted
        return right / pairs


@measure
class RankAccuracy(Measure):
    """How likely a relevant result precedes one that is not, among the first k results.

    What nobody judged counts as not relevant, and what was not returned does not count. Tied
    results are taken as they stand.
    """

    formula = r"\frac{|\{ (i, j) : r_i = 1, r_j = 0, i < j \le k \}|}{a (n - a)}"
    user = "Is shown two results, and asks whether the right one comes first."
    undefined = "none of the results is relevant, or all are"
    source = "ir_measures, where it is called Accuracy"
    shared_names = ("Accuracy",)
    promises = frozenset({"in range"})
    worked = """
        RankAccuracy     1 0 1 -       = 0.75
        RankAccuracy@3   1 0 1 -       = 0.5
        RankAccuracy     - - 1 | 1     = 0
        RankAccuracy     1 1           = undefined
        RankAccuracy     0 -           = undefined
    """

    k: int | None = None
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        relevant = top.where(top.relevant(self.rel))
        found = np.diff(relevant.starts)
        pairs = found * (top.returned - found)
        wrong = relevant.total((relevant.rank - relevant.ordinal).astype(float))
        return (pairs - wrong) / pairs


@measure
class LRAP(Measure):
    """Label-ranking average precision: AP with precision taken at the end of a tied group.

    So that a system gains nothing from giving many documents one score. Relevant documents that
    were not returned count 0. Without ties it is AP.
    """

    formula = r"\frac{1}{R} \sum_{i} r_i\, P@t(i), \quad t(i) \text{ the last rank tied with } i"
    user = "Stops at a relevant document, after all that is tied with it."
    undefined = "no judged document is relevant"
    source = "Schapire & Singer 2000, doi:10.1023/A:1007649029923"
    promises = frozenset({"in range"})
    worked = """
        LRAP   1 0 1        = 0.8333
        LRAP   (1 0) 1      = 0.5833
        LRAP   (1 0 1)      = 0.6667
        LRAP   (1 -) | 1    = 0.25
        LRAP   | 1          = 0
        LRAP   0 -          = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        relevant = hits.where(hits.relevant(self.rel))
        found = relevant.rows_up_to(relevant.tied_to)
        return relevant.total(found / relevant.tied_to) / hits.judgments.relevant(self.rel)
