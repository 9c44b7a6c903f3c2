"""Positions of relevant results."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import CollectionFact, Measure, OverRelevant, Promise
from cleverdon.measures.registry import measure

_COOPER = "Cooper 1968, doi:10.1002/asi.5090190108"


class Searching(Measure):
    """Base class of search lengths: a person wants q relevant documents."""

    user = "Wants q relevant documents, and reads on until they are found."
    undefined = "fewer than q relevant documents were returned"
    source = _COOPER
    better = "lower"
    range = (0.0, np.inf)

    limits = ("1 <= q",)

    meanings = {
        "q": "The number of relevant documents that the user wants.",
        "count": "Which results count: others, those that are not relevant, as Cooper defined; "
        "all, every result down to the last that is wanted.",
    }

    q: int = 1
    rel: float = 1
    count: Literal["others", "all"] = "others"

    @property
    def also(self) -> int:
        """The number of relevant results that count."""
        return self.q if self.count == "all" else 0

    def ends(self, hits: Hits) -> Hits:
        """Return the rows at which searches end: each query's q-th relevant one."""
        relevant = hits.where(hits.relevant(self.rel))
        return relevant.where(relevant.ordinal == self.q)


def _of_the_row(hits: Hits, values: Floats | Ints) -> Floats:
    """Return the value of each query's single row; NaN where it has none."""
    result = np.full(len(hits), np.nan)
    result[hits.query] = values
    return result


@measure
class SearchLength(Searching):
    """Search length: the number of non-relevant results above the q-th relevant one.

    It measures the effort of a search. Some textbooks count all results that are read, the relevant
    ones too: with count=all it is the rank of the q-th relevant result. Tied results count in their
    given order; ExpectedSearchLength averages over their orders.
    """

    formula = r"|\{ j < i : r_j = 0 \}|, \quad i \text{ the rank of the } q\text{-th relevant}"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        SearchLength                  0 - 1 1  = 2
        SearchLength(count=all)       0 - 1 1  = 3
        SearchLength(q=2)             1 0 1    = 1
        SearchLength(q=2,count=all)   1 0 1    = 3
        SearchLength(rel=2)           1 2      = 1
        SearchLength(q=2)             1 0 | 1  = undefined
        SearchLength                  0        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        last = self.ends(hits)
        return _of_the_row(last, last.rank - self.q + self.also)


@measure
class ExpectedSearchLength(Searching):
    """The search length to be expected where tied results are read in random order.

    All that is not relevant in the groups above counts, and of the group in which the search ends
    its share: with r relevant results and i others in it, and s of the relevant still wanted,
    i * s / (r + 1). With count=all the q relevant results count too: the rank to be expected.
    """

    formula = r"j + \frac{i \cdot s}{r + 1}"
    promises = frozenset({"in range"})
    worked = """
        ExpectedSearchLength              0 (1 - 0) 1  = 2
        ExpectedSearchLength(q=2)         1 (0 1 1)    = 0.3333
        ExpectedSearchLength(q=2)         (1 0 1)      = 0.6667
        ExpectedSearchLength(count=all)   0 (1 - 0) 1  = 3
        ExpectedSearchLength              0 - 1        = 2
        ExpectedSearchLength(q=2)         (1 0) | 1    = undefined
        ExpectedSearchLength              0            = undefined
    """

    def score(self, hits: Hits) -> Floats:
        relevant, last = hits.where(hits.relevant(self.rel)), self.ends(hits)
        above = relevant.rows_up_to(last.tied_from - 1, last.query)
        wanted, found = self.q - above, relevant.rows_up_to(last.tied_to, last.query) - above
        others = last.tied_to - last.tied_from + 1 - found
        length = last.tied_from - 1 - above + others * wanted / (found + 1)
        return _of_the_row(last, length + self.also)


@measure
class FirstRelRank(Measure):
    """The rank of the first relevant result.

    `otherwise` is the choice for a query without a relevant result. By default it is undefined, so
    that a mean is infinite unless undefined values are skipped. With otherwise=after it counts as
    found after the last place: at rank n + 1 after n results, and at k + 1 with a cut-off. A number
    is the rank itself.
    """

    formula = r"\min \{ i \le k : r_i = 1 \}"
    user = "Wants one good result, and reads on until it is found."
    undefined = "none of the results is relevant; with another choice of otherwise, never"
    source = "Cooper 1968, doi:10.1002/asi.5090190108; the reciprocal is RR"
    better = "lower"
    range = (1.0, np.inf)
    aliases = ("RankFirstRelevant",)
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        FirstRelRank                       0 - 1 1  = 3
        FirstRelRank(rel=2)                1 2      = 2
        FirstRelRank(otherwise=after)      0 - | 1  = 3
        FirstRelRank(otherwise=after)@10   0 - | 1  = 11
        FirstRelRank(otherwise=1000)@2     0 - 1    = 1000
        FirstRelRank@2                     0 - 1    = undefined
        FirstRelRank                       | 1      = undefined
    """

    limits = ("1 <= otherwise",)

    k: int | None = None
    meanings = {
        "otherwise": "The value where no result is relevant: undefined; after, the rank after the "
        "last result; or a number.",
    }

    rel: float = 1
    otherwise: Literal["undefined", "after"] | float = "undefined"

    def check(self) -> None:
        super().check()
        within = not isinstance(self.otherwise, str) and self.otherwise <= (self.k or 0)
        if within:
            raise NotationError(
                f"{type(self).__name__}(otherwise={self.otherwise})@{self.k}: a query without a "
                f"relevant result would count as one with it; expected a number above {self.k}"
            )

    def keeps(self, promise: Promise) -> bool:
        longer = self.otherwise == "after" and self.k is None  # with each result that is added
        return super().keeps(promise) and not (promise == "unjudged tail" and longer)

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        relevant = top.where(top.relevant(self.rel))
        first = relevant.where(relevant.ordinal == 1)
        rank = _of_the_row(first, first.rank)
        return np.where(np.isnan(rank), self._without(hits), rank)

    def _without(self, hits: Hits) -> Floats:
        if self.otherwise == "after":
            last = hits.returned if self.k is None else np.full(len(hits), self.k)
            return np.asarray(last + 1, dtype=np.float64)
        rank = np.nan if self.otherwise == "undefined" else float(self.otherwise)
        return np.full(len(hits), rank, dtype=np.float64)


@measure
class LastRelRank(Measure):
    """The rank of the last relevant result.

    A user must read so far to see every relevant result. Relevant documents that were not returned
    have no rank: look at R as well.
    """

    formula = r"\max \{ i : r_i = 1 \}"
    user = "Wants everything, and reads on to the last relevant result."
    undefined = "no relevant document was returned"
    source = "Kanoulas et al. 2017, CLEF, Technologically assisted reviews in empirical medicine"
    better = "lower"
    range = (1.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        LastRelRank          1 0 1 0 -   = 3
        LastRelRank(rel=2)   2 0 1       = 1
        LastRelRank          0 | 1       = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        last = np.zeros(len(hits))
        relevant = hits.relevant(self.rel)
        last[hits.query[relevant]] = hits.rank[relevant]  # the last that is written stays
        return np.where(last > 0, last, np.nan)


@measure
class WSS(Measure):
    """Work saved over sampling at recall x: the share left unread, beyond that of random order.

    Of N documents, those below the rank at which recall reaches x are spared; in random order, a
    share of 1 - x would be. N is the size of the collection, `docs`, where it is given, and else
    the number of results, as where a ranking orders all there is. Where recall never reaches x,
    everything must be read: x - 1.
    """

    formula = r"\frac{N - i}{N} - (1 - x), \quad i = \min \{ i : R@i \ge x \}"
    user = "Screens results until a share x of what is relevant is found."
    undefined = "no judged document is relevant, or there is nothing to read"
    source = "Cohen et al. 2006, doi:10.1197/jamia.M1929"
    range = (-1.0, 1.0)
    promises = frozenset({"in range", "swap"})
    cut = "x"
    worked = """
        WSS@0.95   1 1 - - - - - - - -           = 0.75
        WSS@0.5    1 1 - - - - - - - -           = 0.4
        WSS@1      1 0 1 docs=100                = 0.97
        WSS@0.95   1 0 | 1                       = -0.05
        WSS@0.95   | 1                           = undefined
        WSS@0.95   0                             = undefined
    """

    limits = ("0 < x <= 1",)

    meanings = {"x": "The level of recall to reach, as a share of the relevant documents."}

    x: float
    rel: float = 1

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"docs"})

    def score(self, hits: Hits) -> Floats:
        docs = hits.judgments.docs
        everything = hits.returned if docs is None else np.maximum(hits.returned, docs)
        wanted = hits.judgments.relevant(self.rel)
        needed = np.maximum(np.ceil(self.x * wanted - 1e-9), 1)
        relevant = hits.where(hits.relevant(self.rel))
        reached = relevant.where(relevant.ordinal == needed[relevant.query])
        read = everything.astype(np.float64)
        read[reached.query] = reached.rank
        saved = (everything - read) / everything - (1 - self.x)
        return np.where(wanted > 0, saved, np.nan)


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
    """The probability that a relevant result precedes another, among the first k results.

    What nobody judged counts as not relevant, and what was not returned does not count. Tied
    results are taken as they stand.
    """

    formula = r"\frac{|\{ (i, j) : r_i = 1, r_j = 0, i < j \le k \}|}{a (n - a)}"
    user = "Is shown two results, and asks whether the right one comes first."
    undefined = "none of the results is relevant, or all are"
    source = "ir_measures, where it is called Accuracy"
    shared_names = ("Accuracy", "ACC@")
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
class LRAP(OverRelevant):
    """Label-ranking average precision: AP with precision taken at the end of a tied group.

    So that a system gains nothing from giving many documents one score. Relevant documents that
    were not returned count 0. Without ties it is AP.
    """

    formula = r"\frac{1}{R} \sum_{i} r_i\, P@t(i), \quad t(i) \text{ the last rank tied with } i"
    user = "Stops at a relevant document, after all that is tied with it."
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

    def score(self, hits: Hits) -> Floats:
        relevant = self.relevant(hits)
        found = relevant.rows_up_to(relevant.tied_to)
        return relevant.total(found / relevant.tied_to) / self.wanted(hits)
