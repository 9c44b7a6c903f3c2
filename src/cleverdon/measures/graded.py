"""Measures of rankings judged in grades."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import InputError, NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import (
    CollectionFact,
    Measure,
    Promise,
    WeightedGain,
    cumulative_weight,
    cutoff_weight,
)
from cleverdon.measures.registry import measure
from cleverdon.measures.ties import expected_stopping, expected_weight

_JK = "Järvelin & Kekäläinen 2002, doi:10.1145/582415.582418"


def listed_gain(gain: Floats, grade: Floats, gains: Mapping[float, float] | None) -> Floats:
    """Replace the gain of the grades that a table of gains lists."""
    for listed, worth in (gains or {}).items():
        gain = np.where(grade == listed, float(worth), gain)
    return gain


class Gained(Measure):
    """Base class of measures with a gain for each grade."""

    meanings = {
        "gain": "The gain of a grade g: linear, g itself; exponential, 2^g - 1; binary, 1 from "
        "grade 1 on.",
        "gains": "The gains of some grades, as in {1:3,2:9}; other grades keep the gain that "
        "`gain` gives.",
    }

    k: int | None = None
    gain: Literal["linear", "exponential", "binary"] = "linear"
    gains: Mapping[float, float] | None = None

    def check(self) -> None:
        super().check()
        if min((self.gains or {0: 0}).values()) < 0:
            raise NotationError(f"{type(self).__name__}(gains=...): no gain is below 0")

    def gain_of(self, hits: Hits) -> Floats:
        """Return the gain of each row; grades that `gains` leaves out keep their ordinary gain."""
        grade = np.maximum(hits.grade, 0)  # pooled but unjudged documents gain nothing
        if self.gain == "binary":  # relevant from grade 1 on, as for AP and P
            gain = (grade >= 1).astype(np.float64)
        else:
            gain = grade if self.gain == "linear" else np.exp2(grade) - 1
        return listed_gain(gain, hits.grade, self.gains)


class Discounted(Gained):
    """Base class of DCG and nDCG, with the discount of a rank."""

    limits = ("1 < base",)

    meanings = {
        "discount": "What divides the gain at rank i: log, log(i + 1); jk, log(i), but 1 down to "
        "rank `base`.",
        "base": "The base of the logarithm in `discount`.",
    }

    discount: Literal["log", "jk"] = "log"
    base: float | Literal["e"] = 2
    """The base of the logarithm, a number above 1 or e."""

    def dcg(self, hits: Hits) -> Floats:
        """Return the discounted gain down to rank k."""
        top = hits.top(self.k)
        return top.total(self.gain_of(top) / self.discount_at(top.rank))

    def expected_dcg(self, hits: Hits) -> Floats:
        """Return the discounted gain down to rank k that is to be expected over ties."""
        weight = expected_weight(hits, lambda rank: 1 / self.discount_at(rank), self.k)
        return hits.total(self.gain_of(hits) * weight)

    def weight_at(self, rank: Ints) -> Floats:
        """Return the weight of a gain at each rank: 0 below rank k."""
        return cutoff_weight(self.k)(rank) / self.discount_at(rank)

    def working(self, hits: Hits) -> dict[str, Floats]:
        return {"gain": self.gain_of(hits), "discount": self.weight_at(hits.rank)}

    def discount_at(self, rank: Ints) -> Floats:
        """Return the divisor of the gain at each rank."""
        deepest = int(rank.max(initial=0))
        if deepest < len(rank):  # a logarithm for each rank there is, not for each row
            return self._discount(np.arange(deepest + 1.0))[rank]
        return self._discount(rank.astype(np.float64))

    def _discount(self, rank: Floats) -> Floats:
        base = math.e if self.base == "e" else self.base
        shifted = rank + 1 if self.discount == "log" else np.maximum(rank, base)
        # log2 is exact at powers of two; a quotient of logarithms is not.
        return np.log2(shifted) if base == 2 else np.log(shifted) / np.log(base)


@measure
class DCG(Discounted):
    """Discounted cumulative gain.

    The gain read down to rank k, each result's discounted by its depth.
    """

    formula = r"\sum_{i \le k} \frac{g_i}{\log_2(i+1)}"
    user = "Reads down to rank k in any case, with attention 1 / log2(rank + 1)."
    undefined = "never"
    source = _JK
    trec_eval = ("dcg",)
    range = (0.0, np.inf)
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        DCG@6                    3 2 3 0 1 2                = 6.8611
        DCG(gain=exponential)@3  3 2 3 0 0 1                = 12.3928
        DCG(discount=jk)@6       3 2 3 0 0 1                = 7.2796
        DCG(gains={1:3,2:9})@2   1 2                        = 8.6784
        DCG(discount=jk,base=3)  1 1 1                      = 3
        DCG(base=e)@2            1 1                        = 2.3529
        DCG                      | 1                        = 0
    """

    def score(self, hits: Hits) -> Floats:
        return self.dcg(hits)

    def expected(self, hits: Hits) -> Floats:
        return self.expected_dcg(hits)

    def as_share(self) -> WeightedGain:
        return WeightedGain(self.gain_of, self.weight_at)


@measure
class nDCG(Discounted):
    """Normalised discounted cumulative gain.

    The gain read down to rank k, discounted by depth, as a share of what the same judgments
    would give in their best order.
    """

    formula = (
        r"\sum_{i \le k} \frac{g_i}{\log_2(i+1)} \Big/ \sum_{i \le k} \frac{g^*_i}{\log_2(i+1)}"
    )
    user = "Reads down to rank k in any case, with attention 1 / log2(rank + 1)."
    undefined = "no judged document has a positive gain"
    source = _JK
    trec_eval = ("ndcg", "ndcg_cut_{k}")
    aliases = ("NDCG",)
    spellings = {"dcg": {"log2": {"gain": "linear"}, "exp-log2": {"gain": "exponential"}}}
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        nDCG@3                        2 - 1 | 1                 = 0.7985
        nDCG@1                        - 2 | 1                   = 0
        nDCG(gain=exponential)@10     3 2 3 0 0 1 2 2 3 0       = 0.8951
        nDCG@6                        3 2 3 0 1 2 | 3 2         = 0.7850
        nDCG(ideal=retrieved)@3       2 - 1 | 1                 = 0.9502
        nDCG(ideal=short)@3           1 - | 1 1                 = 0.6131
        nDCG(gain=binary)@2           1 3 | 2                   = 1
        nDCG(gains={1:9,2:3})@2       1 2                       = 1
        nDCG(discount=jk,base=e)@3    0 1 1                     = 0.9551
        nDCG                          0 -                       = undefined
    """

    meanings = {
        "ideal": "What the best order consists of: judged, all judged documents; retrieved, "
        "only those returned; short, as many judged documents as were returned.",
    }

    ideal: Literal["judged", "retrieved", "short"] = "judged"

    def score(self, hits: Hits) -> Floats:
        return self.dcg(hits) / self.ideal_dcg(hits)

    def expected(self, hits: Hits) -> Floats:
        # The order of what was retrieved changes neither ideal.
        return self.expected_dcg(hits) / self.ideal_dcg(hits)

    def keeps(self, promise: Promise) -> bool:
        # With one more result, unjudged or not, there is a place more in the ideal.
        grows = promise == "unjudged tail" and self.ideal == "short"
        return super().keeps(promise) and not grows

    def as_share(self) -> WeightedGain | None:
        whole = cumulative_weight(self.weight_at)
        return WeightedGain(self.gain_of, self.weight_at, whole) if self.ideal == "judged" else None

    def ideal_dcg(self, hits: Hits) -> Floats:
        """Return the discounted gain of the best order; NaN where no document has any gain."""
        best = hits.best_by(self.gain_of)
        ideal = self.dcg(best)
        wanted = ideal > 0
        if self.ideal == "short":  # the ideal is no longer than the ranking, as in mlflow
            ideal = self.dcg(best.where(best.rank <= hits.returned[best.query]))
            ideal = np.where(ideal > 0, ideal, 1)
        if self.ideal == "retrieved":
            found = np.zeros(len(hits.judgments.grade), dtype=bool)
            found[hits.doc[hits.doc >= 0]] = True
            ideal = self.dcg(_from_rank_one(best.where(found[best.doc])))
            # A ranking that found nothing has no best order, yet the query has a value: 0.
            ideal = np.where(ideal > 0, ideal, 1)
        return np.where(wanted, ideal, np.nan)


def _from_rank_one(hits: Hits) -> Hits:
    return replace(hits, rank=hits.ordinal)


@measure
class ERR(Measure):
    """Expected reciprocal rank: of the result at which a person stops, being satisfied.

    The grade says how likely a result is to satisfy: (2^g - 1) / 2^max, where max is the largest
    grade of the whole collection's judgments, so that one query alone scores as among others.
    """

    formula = (
        r"\sum_{i \le k} \frac{1}{i} R_i \prod_{j < i} (1 - R_j), "
        r"\quad R_i = \frac{2^{g_i} - 1}{2^{\max}}"
    )
    user = "Reads down, and stops at a result with the probability that its grade gives."
    undefined = "never"
    source = "Chapelle et al. 2009, doi:10.1145/1645953.1646033"
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        ERR           1               max=1   = 0.5
        ERR           0 1 2           max=2   = 0.3125
        ERR@2         0 1 2           max=2   = 0.125
        ERR(max=4)@2  0 1 2                   = 0.0312
        ERR           | 1                     = 0
    """

    meanings = {
        "max": "The highest grade of the scale; none means the highest grade in the judgments.",
    }

    k: int | None = None
    max: float | None = None

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"top_grade"} if self.max is None else ())

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        satisfied = self._satisfied(top)
        return top.total(_reached(top, satisfied) * satisfied / top.rank)

    def expected(self, hits: Hits) -> Floats:
        read = hits if self.k is None else hits.where(hits.tied_from <= self.k)
        return expected_stopping(read, self._satisfied(read), self.k)

    def working(self, hits: Hits) -> dict[str, Floats]:
        read = hits.rank <= (self.k or np.inf)
        satisfied = self._satisfied(hits)
        columns = {
            "reached": _reached(hits, satisfied),
            "satisfies": satisfied,
            "1/rank": 1 / hits.rank,
        }
        return {name: np.where(read, column, np.nan) for name, column in columns.items()}

    def _satisfied(self, hits: Hits) -> Floats:
        highest = hits.judgments.top_grade if self.max is None else self.max
        grade = np.maximum(hits.grade, 0)
        if len(grade) and grade.max() > highest:
            raise InputError(f"{self}: there is a grade of {grade.max():g}, above max={highest:g}")
        satisfied: Floats = np.exp2(grade - highest) - np.exp2(-highest)
        return satisfied


def _reached(hits: Hits, satisfied: Floats) -> Floats:
    """Return how likely each row is read: the product over the results above."""
    return hits.running_above(1 - satisfied, np.multiply)


class RankBiased(Measure):
    """Base class of rank-biased precision and its residual, with the persistence of the user."""

    limits = ("0 < p < 1",)

    meanings = {"p": "The probability that the user goes on to the next result."}

    p: float = 0.8

    def weight_at(self, rank: Ints) -> Floats:
        """Return the share of a user's reading at each rank."""
        weight: Floats = (1 - self.p) * np.power(self.p, rank - 1.0)
        return weight


@measure
class RBP(RankBiased):
    """Rank-biased precision: the gain per result read, of a user who goes on with probability p.

    A result's gain is its grade over the largest grade of the collection (gain=query: of the query,
    if above 1, as in trec_eval). With `rel` it is 1 from that grade on, and 0 below. What the
    unjudged results could still add is `RBPResidual`.
    """

    formula = r"(1 - p) \sum_{i} g_i\, p^{i-1}"
    user = "Goes on to the next result with probability p, no matter what the last one was."
    undefined = "never"
    source = "Moffat & Zobel 2008, doi:10.1145/1416950.1416952"
    trec_eval = ("rbp(p=0.9,gain=query)",)
    spellings = {
        "gain": {
            "collection": {"gain": "collection"},
            "query": {"gain": "query"},
            "topic": {"gain": "query"},  # the old spelling
        }
    }
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        RBP(p=0.5)                1 0 1     max=1  = 0.625
        RBP(p=0.5)                1 0 2     max=2  = 0.375
        RBP(p=0.5,rel=1)          1 0 2     max=2  = 0.625
        RBP(p=0.5,gain=query)     2 1       max=4  = 0.625
        RBP(p=0.5)@1              1 0 1     max=1  = 0.5
        RBP                       0 -              = 0
    """

    meanings = {
        "rel": "The gain is 1 from this grade on and 0 below; none means that the grade decides.",
        "gain": "What divides the grade: collection, the highest grade of all judgments; "
        "query, that of the query, if above 1.",
    }

    k: int | None = None
    rel: float | None = None
    gain: Literal["collection", "query"] = "collection"

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"top_grade"} if self.rel is None and self.gain != "query" else ())

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return top.total(self._gain_of(top) * self.weight_at(top.rank))

    def expected(self, hits: Hits) -> Floats:
        return hits.total(self._gain_of(hits) * expected_weight(hits, self.weight_at, self.k))

    def keeps(self, promise: Promise) -> bool:
        # One better grade in a query makes all its other grades worth less.
        scaled = promise == "gain" and self.gain == "query" and self.rel is None
        return super().keeps(promise) and not scaled

    def as_share(self) -> WeightedGain | None:
        read = cutoff_weight(self.k)
        share = WeightedGain(self._gain_of, lambda rank: self.weight_at(rank) * read(rank))
        return share if self.keeps("gain") else None

    def working(self, hits: Hits) -> dict[str, Floats]:
        weight = self.weight_at(hits.rank) * cutoff_weight(self.k)(hits.rank)
        return {"gain": self._gain_of(hits), "weight": weight}

    def _gain_of(self, hits: Hits) -> Floats:
        if self.rel is not None:
            return hits.relevant(self.rel).astype(float)
        judged = hits.judgments
        largest = np.full(len(hits), max(judged.top_grade, 0))
        if self.gain == "query":
            largest = np.ones(len(hits))
            np.maximum.at(largest, judged.query, judged.grade)
        return np.maximum(hits.grade, 0) / np.where(largest > 0, largest, 1)[hits.query]


@measure
class RBPResidual(RankBiased):
    """The possible increase of rank-biased precision if all unjudged results were relevant.

    The weight of the results that nobody judged, and of all ranks below the last one.
    """

    formula = r"p^n + (1 - p) \sum_{i \text{ unjudged}} p^{i-1}"
    user = "As for RBP; this is the part of the reading about which nothing is known."
    undefined = "never"
    source = "Moffat & Zobel 2008, doi:10.1145/1416950.1416952"
    trec_eval = ("rbp_resid(p=0.9)",)
    better = "neither"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        RBPResidual(p=0.5)    1 - 0     = 0.375
        RBPResidual(p=0.5)    -1        = 1
        RBPResidual(p=0.5)@1  1 - 0     = 0.5
        RBPResidual           | 1       = 1
    """

    k: int | None = None

    def score(self, hits: Hits) -> Floats:
        # The weights of all ranks below rank i add up to p^i: so above each judged result those
        # down from the judged one before it, and at the end those below the last. Taking the known
        # ones from 1 instead would leave no digit where nearly all is known.
        known = hits.top(self.k)
        known = known.where(known.grade >= 0)
        before = np.where(known.ordinal > 1, np.roll(known.rank, 1), 0)
        last = np.zeros(len(hits))
        last[known.query] = known.rank  # the last that is written stays
        between = np.power(self.p, before) - np.power(self.p, known.rank - 1.0)
        return known.total(between) + np.power(self.p, last)
