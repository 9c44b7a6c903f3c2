"""Estimates from judgments of a sample of the pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, OverRelevant
from cleverdon.measures.registry import measure

_STRATIFIED = "Yilmaz, Kanoulas & Aslam 2008, doi:10.1145/1390334.1390437"


@measure
class infAP(OverRelevant):
    """Inferred average precision: AP, estimated from a pool of which a random part was judged.

    The precision above a relevant document is that of the judged documents above it, as far as the
    pool reaches, and 0 beyond. With a pool that was judged as a whole it is AP, but for the 0.00001
    that spares a division by 0.
    """

    formula = (
        r"\frac{1}{R} \sum_{i} r_i \left( \frac{1}{i} + \frac{i-1}{i} \cdot \frac{d_i}{i-1} "
        r"\cdot \frac{rel_i + \epsilon}{rel_i + nonrel_i + 2 \epsilon} \right)"
    )
    user = "As for AP, which it estimates."
    source = "Yilmaz & Aslam 2006, doi:10.1145/1183614.1183633"
    trec_eval = ("infAP",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        infAP         1 0 1            = 0.8333
        infAP         0 -1 -1 1        = 0.25
        infAP         1 -1 1           = 1.0000
        infAP         1 - 1            = 0.8333
        infAP(rel=2)  1 2              = 0.5
        infAP         | 1              = 0
        infAP         0 -1             = undefined
    """

    def score(self, hits: Hits) -> Floats:
        rows = np.flatnonzero(hits.relevant(self.rel))
        relevant, pooled = hits.where(rows), hits.ordinal[rows] - 1  # every row is of the pool
        found = relevant.ordinal - 1
        judged = np.append(0, np.cumsum(hits.grade >= 0))
        drawn = judged[rows] - judged[hits.starts[relevant.query]]
        inferred = (found + 1e-5) / (drawn + 2e-5)
        # Not simplified, so that the last digit is trec_eval's.
        rank, above = relevant.rank, np.maximum(relevant.rank - 1, 1)
        precision = 1 / rank + (above / rank) * (pooled / above) * inferred
        return relevant.total(precision) / self.wanted(hits)


@dataclass(frozen=True, eq=False)
class _Strata:
    """The strata of all queries, with one number for each pair of query and stratum."""

    of_judged: Ints  # which of them each judged document is of
    query: Ints  # whose they are
    pooled: Ints  # how many documents each has
    sampled: Ints  # and how many of these were judged

    @classmethod
    def of(cls, hits: Hits) -> _Strata:
        judged = hits.judgments
        assert judged.stratum is not None  # `needs` has seen to it
        stride = int(judged.stratum.max(initial=0)) + 2  # -1 is of no stratum
        keys, number = np.unique(judged.query * stride + judged.stratum + 1, return_inverse=True)
        sampled = np.bincount(number[judged.grade >= 0], minlength=len(keys))
        return cls(number, keys // stride, np.bincount(number, minlength=len(keys)), sampled)

    def estimated(self, count: Ints | int, of: Ints | slice = slice(None)) -> Floats:
        """Estimate the number in the whole of these strata from the count in the sample."""
        # A stratum of which nothing was judged tells nothing.
        return count * self.pooled[of] / np.maximum(self.sampled[of], 1)


class Stratified(Measure):
    """Base class of estimates from strata, each sampled at a rate of its own."""

    needs = "stratum"
    k: int | None = None

    def pooled(self, hits: Hits) -> Hits:
        """Return the first k results, as far as they are in the pool."""
        top = hits.top(self.k)
        return top.where(top.doc >= 0)


@measure
class xinfAP(Stratified):
    """Extended inferred AP: AP, estimated from a pool of strata, each sampled at its own rate.

    Each relevant document stands for as many of its stratum as were not drawn for one that was. The
    precision above it is put together from the strata: of each, the share of what was drawn above
    that is relevant, smoothed to (rel + 0.00001) / (drawn + 0.00003). With k=1000 it is what
    sample_eval.pl prints.
    """

    formula = (
        r"\frac{1}{\hat R} \sum_{i} \frac{r_i N_{s(i)}}{n_{s(i)}} \cdot \frac{1}{i} \Big( 1 + "
        r"\sum_s d_{s,i} \frac{rel_{s,i} + \epsilon}{drawn_{s,i} + 3 \epsilon} \Big), "
        r"\quad \hat R = \sum_s \frac{N_s}{n_s} R_s"
    )
    user = "As for AP, which it estimates."
    undefined = "no judged document is relevant"
    source = _STRATIFIED
    worked = """
        xinfAP       1@1 0@1 1@1                = 0.8333
        xinfAP       1@1 0@2 1@2 -1@2           = 0.8000
        xinfAP       1@1 -1@2 1@2               = 0.8518
        xinfAP@2     1@1 0@2 1@2 -1@2           = 0.4
        xinfAP       | 1@1                      = 0
        xinfAP       0@1                        = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        strata, pooled = _Strata.of(hits), self.pooled(hits)
        stratum = strata.of_judged[pooled.doc]
        relevant, drawn = pooled.relevant(self.rel), pooled.grade >= 0
        seen_above, drawn_above, found_above = (
            _above_in(stratum, rows) for rows in (np.ones_like(drawn), drawn, relevant)
        )
        # A row changes what its own stratum adds to the relevant documents above, and no other.
        before = _smoothed(seen_above, found_above, drawn_above)
        after = _smoothed(seen_above + 1, found_above + relevant, drawn_above + drawn)
        precision = (1 + pooled.running_above(after - before)) / pooled.rank
        weight = np.where(relevant, strata.estimated(1, stratum), 0)
        of_stratum = strata.of_judged[hits.judgments.grade >= self.rel]
        found = np.bincount(of_stratum, minlength=len(strata.query))
        wanted = np.bincount(strata.query, strata.estimated(found), minlength=len(hits))
        return pooled.total(weight * precision) / wanted


def _smoothed(seen: Ints, found: Ints, drawn: Ints) -> Floats:
    """Estimate the number of relevant documents seen from those that were drawn."""
    whole: Floats = seen * (found + 1e-5) / (drawn + 3e-5)
    return whole


def _above_in(stratum: Ints, rows: Bools) -> Ints:
    """Count for each row how many of these are above it in its own stratum."""
    order = np.argsort(stratum, kind="stable")
    counted = rows[order].astype(np.int64)
    before = np.cumsum(counted) - counted
    first = np.searchsorted(stratum[order], stratum[order])
    above = np.empty(len(rows), dtype=np.int64)
    above[order] = before - before[first]
    return above


@measure
class infNDCG(Stratified):
    """Inferred nDCG: nDCG, estimated from a pool of strata, each sampled at its own rate.

    A stratum's gain is that of the documents returned and drawn, scaled up to those returned. The
    ideal ranking has as many documents of each grade as are estimated to exist, to the nearest
    whole number. An estimate may exceed 1. With k=1000 it is what sample_eval.pl prints.
    """

    formula = (
        r"\sum_s \frac{d_s}{drawn_s} \sum_{i \in s} \frac{g_i}{\log_2(i+1)} "
        r"\Big/ \sum_i \frac{\hat g^*_i}{\log_2(i+1)}"
    )
    user = "As for nDCG, which it estimates."
    undefined = "no judged document has a positive grade"
    source = _STRATIFIED
    range = (0.0, np.inf)
    worked = """
        infNDCG      2@1 1@1              = 1
        infNDCG      - 2@1 | 1@1          = 0.4796
        infNDCG      1@1 0@2 1@2 -1@2     = 0.8212
        infNDCG@1    1@1 0@2 1@2 -1@2     = 1
        infNDCG      | 1@1                = 0
        infNDCG      0@1                  = undefined
    """

    def score(self, hits: Hits) -> Floats:
        strata, pooled = _Strata.of(hits), self.pooled(hits)
        stratum = strata.of_judged[pooled.doc]
        seen = np.bincount(stratum, minlength=len(strata.query))
        drawn = np.bincount(stratum[pooled.grade >= 0], minlength=len(strata.query))
        scale = seen / np.maximum(drawn, 1)
        gain = np.maximum(pooled.grade, 0) * scale[stratum]
        return pooled.total(gain / np.log2(pooled.rank + 1.0)) / self._ideal(hits, strata)

    def _ideal(self, hits: Hits, strata: _Strata) -> Floats:
        """Return the discounted gain of the documents that are estimated to exist, best first."""
        judged = hits.judgments
        rows = np.flatnonzero(judged.grade > 0)
        rows = rows[np.lexsort((strata.of_judged[rows], -judged.grade[rows], judged.query[rows]))]
        query, grade, stratum = judged.query[rows], judged.grade[rows], strata.of_judged[rows]
        of_grade = _starts(query, grade)
        in_stratum = _starts(query, grade, stratum)
        counts = np.diff(np.append(in_stratum, len(rows)))
        estimated = strata.estimated(counts, stratum[in_stratum])
        size = np.add.reduceat(estimated, np.searchsorted(in_stratum, of_grade))
        # Halves go up: also where the thirds that one is added from are rounded in binary.
        size = np.floor(size + 0.5 + 1e-9).astype(np.int64)
        query, grade = query[of_grade], grade[of_grade]
        last = np.cumsum(size)
        last -= np.append(0, last)[np.searchsorted(query, query)]
        first = last - size
        if self.k is not None:
            first, last = np.minimum(first, self.k), np.minimum(last, self.k)
        ranks = np.arange(1.0, int(last.max(initial=0)) + 1)
        discounts = np.append(0, np.cumsum(1 / np.log2(ranks + 1)))
        gain = grade * (discounts[last] - discounts[first])
        return np.bincount(query, gain, minlength=len(hits)).astype(np.float64)


def _starts(*keys: Ints | Floats) -> Ints:
    """Return the first row of each group of neighbouring rows that agree in all keys."""
    changes = np.zeros(len(keys[0]), dtype=bool)
    changes[:1] = True
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changes)


@measure
class statAP(Measure):
    """AP, estimated from documents that were each drawn with a probability of its own.

    A relevant document drawn with probability p stands for 1/p of them: in R, in the sum over
    relevant documents, and in the precision at those below it. An estimate may exceed 1.
    """

    formula = (
        r"\frac{1}{\hat R} \sum_i \frac{r_i}{\pi_i} \cdot \frac{1}{i} "
        r"\Big( 1 + \sum_{j < i} \frac{r_j}{\pi_j} \Big), \quad \hat R = \sum_d \frac{r_d}{\pi_d}"
    )
    user = "As for AP, which it estimates."
    undefined = "no document that was drawn is relevant"
    source = (
        "Aslam & Pavlu 2007, A practical sampling strategy for efficient retrieval evaluation, "
        "Northeastern University"
    )
    needs = "probability"
    range = (0.0, np.inf)
    worked = """
        statAP          1%1 0%1 1%1            = 0.8333
        statAP          1%1 0%.5 - 1%.5        = 0.6667
        statAP          - 1%.5 | 1%.25         = 0.1667
        statAP(rel=2)   1%1 2%.5               = 0.5
        statAP          | 1%.5                 = 0
        statAP          0%1                    = undefined
    """

    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        judged = hits.judgments
        probability = judged.probability
        assert probability is not None  # `needs` has seen to it
        drawn = (judged.grade >= self.rel) & (probability > 0)  # which NaN is not
        found = hits.where(hits.relevant(self.rel) & (hits.doc >= 0))
        found = found.where(drawn[found.doc])
        worth = 1 / probability[found.doc]
        precision = (1 + found.running_above(worth)) / found.rank
        wanted = np.bincount(judged.query[drawn], 1 / probability[drawn], minlength=len(hits))
        return found.total(worth * precision) / wanted
