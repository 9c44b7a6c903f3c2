"""Measures of rankings judged as relevant or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, OverRelevant, Promise, WeightedGain, cutoff_weight
from cleverdon.measures.registry import measure
from cleverdon.measures.sets import f_of
from cleverdon.measures.ties import (
    chance_in_top,
    chance_of_any_in_top,
    expected_mean_precision,
    expected_precision_sum,
    expected_reciprocal_rank,
)

_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"


@measure
class P(Measure):
    """Precision at k: the share of the first k results that is relevant.

    Divided by k even where fewer came back, since an empty place on the page is no success either.
    """

    formula = r"\frac{1}{k} \sum_{i \le k} r_i"
    user = "Reads exactly k results, each with the same attention."
    undefined = "never; with norm=returned, where nothing was returned"
    source = _BOOK
    trec_eval = ("P_{k}",)
    aliases = ("Precision", "Prec")
    uncut = "SetP"
    promises = frozenset({"in range", "swap", "gain"})
    worked = """
        P@3                 1 0 1       = 0.6667
        P@5                 1 0 1       = 0.4
        P(norm=returned)@5  1 0 1       = 0.6667
        P(rel=2)@2          1 2         = 0.5
        P@5                 | 1         = 0
        P(norm=returned)@5  | 1         = undefined
    """

    meanings = {
        "norm": "What to divide by: k, or returned, the number of results among the first k.",
    }

    k: int
    rel: float = 1
    norm: Literal["k", "returned"] = "k"

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        top = hits.top(self.k)
        read = top.returned if self.norm == "returned" else np.full(len(hits), self.k)
        return top.count(top.relevant(self.rel)), read

    def expected(self, hits: Hits) -> Floats:
        return _expected_found(hits, self.rel, self.k) / self.parts(hits)[1]

    def as_share(self) -> WeightedGain:
        def gain(hits: Hits) -> Floats:
            return hits.relevant(self.rel) / self.parts(hits)[1][hits.query]

        return WeightedGain(gain, cutoff_weight(self.k))


@measure
class R(OverRelevant):
    """Recall at k: the share of the relevant documents that is among the first k results.

    With cap=true divided by min(R, k), so that a perfect ranking gets 1 at every k: then it is also
    called relative precision, `RelP`.
    """

    formula = r"\frac{1}{R} \sum_{i \le k} r_i"
    user = "Needs all there is, and reads k results to find it."
    source = _BOOK
    trec_eval = ("recall_{k}", "relative_P_{k}(cap=true)")
    aliases = ("Recall",)
    presets = {"RelP": {"cap": True}}
    worked = """
        R@2            1 0 1 | 1      = 0.3333
        R              1 0 1 | 1      = 0.6667
        R(cap=true)@2  1 0 1 | 1      = 0.5
        RelP@2         1 0 1 | 1      = 0.5
        R@5            | 1            = 0
        R@5            0 -            = undefined
    """

    meanings = {"cap": "true divides by k at most, false by all relevant documents."}

    k: int | None = None
    rel: float = 1
    cap: bool = False

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        top = hits.top(self.k)
        wanted = self.wanted(hits)
        if self.cap and self.k is not None:
            wanted = np.minimum(wanted, self.k)
        return top.count(top.relevant(self.rel)), wanted

    def expected(self, hits: Hits) -> Floats:
        return _expected_found(hits, self.rel, self.k) / self.parts(hits)[1]

    def as_share(self) -> WeightedGain:
        most = self.k if self.cap and self.k else np.inf
        return WeightedGain(
            _relevance(self.rel), cutoff_weight(self.k), lambda n: np.minimum(n, most)
        )


@measure
class F(OverRelevant):
    """F-measure at k: precision and recall at k in one number.

    Their harmonic mean, recall weighed beta times as much as precision; 0 where both are 0.
    `alpha` is the weight of precision instead, from 0 to 1: alpha = 1 / (1 + beta^2).
    """

    formula = r"\frac{(1 + \beta^2)\, P@k\, R@k}{\beta^2 P@k + R@k}"
    user = "Reads k results, and cares beta times as much for recall as for precision."
    source = _BOOK
    shared_names = ("FMeasure", "F-measure")
    uncut = "SetF"
    promises = frozenset({"in range", "swap"})
    presets = {"F1": {"beta": 1}, "F2": {"beta": 2}, "F0.5": {"beta": 0.5}}
    worked = """
        F@2             1 0 1 | 1   = 0.4
        F(beta=2)@2     1 0 1 | 1   = 0.3571
        F(alpha=0.2)@2  1 0 1 | 1   = 0.3571
        F(alpha=1)@2    1 0 1 | 1   = 0.5
        F@2             0 0   | 1   = 0
        F@2             0 0         = undefined
    """

    limits = ("0 <= beta <= 1e6", "0 < alpha <= 1")

    meanings = {
        "beta": "How many times as much recall weighs as precision.",
        "alpha": "The weight of precision, 1 / (1 + beta^2), in place of beta; none takes beta.",
    }

    k: int
    beta: float = 1
    rel: float = 1
    alpha: float | None = None

    def check(self) -> None:
        super().check()
        if self.alpha is not None and self.beta != 1:
            raise NotationError(f"{type(self).__name__} takes beta or alpha, not both")

    @property
    def square(self) -> float:
        """The square of beta, which alpha may give instead."""
        return self.beta**2 if self.alpha is None else (1 - self.alpha) / self.alpha

    def parts(self, hits: Hits) -> tuple[Ints, Ints, Ints]:
        top = hits.top(self.k)
        read = np.full(len(hits), self.k)
        return top.count(top.relevant(self.rel)), read, self.wanted(hits)

    def of_parts(self, found: Floats, read: Floats, wanted: Floats) -> Floats:
        value = (1 + self.square) * found / (read + self.square * wanted)
        return np.where(wanted > 0, value, np.nan)

    def components(self, found: Floats, read: Floats, wanted: Floats) -> dict[Measure, Floats]:
        precision = P(k=self.k, rel=self.rel)
        return {precision: found / read, R(k=self.k, rel=self.rel): found / wanted}

    def of_means(self, precision: float, recall: float) -> float:
        return f_of(precision, recall, self.square)

    def expected(self, hits: Hits) -> Floats:
        found = _expected_found(hits, self.rel, self.k)
        _, *others = (part.astype(float) for part in self.parts(hits))
        return self.of_parts(found, *others)

    def as_share(self) -> WeightedGain:
        def whole(n: Ints) -> Floats:
            both: Floats = np.asarray(self.k + self.square * n, dtype=float)
            return both / (1 + self.square)

        return WeightedGain(_relevance(self.rel), cutoff_weight(self.k), whole)


def _expected_found(hits: Hits, rel: float, k: int | None) -> Floats:
    return hits.total(hits.relevant(rel) * chance_in_top(hits, k))


def _relevance(rel: float) -> Callable[[Hits], Floats]:
    return lambda hits: hits.relevant(rel).astype(float)


@measure
class Success(Measure):
    """Success at k: at least one of the first k results is relevant.

    Averaged over queries, the share of them that is answered on a page of k results.
    """

    formula = r"\max_{i \le k} r_i"
    user = "Wants one good result, and reads k to find it."
    undefined = "never"
    source = "Craswell & Hawking 2004, Overview of the TREC 2004 Web track"
    trec_eval = ("success_{k}",)
    aliases = ("HitRate", "Hit", "hit_rate")
    shared_names = ("Accuracy", "ACC@")
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        Success@2  0 1      = 1
        Success@1  0 1      = 0
        Success@1  | 1      = 0
    """

    k: int
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        return (top.count(top.relevant(self.rel)) > 0).astype(float)

    def expected(self, hits: Hits) -> Floats:
        return chance_of_any_in_top(hits.where(hits.relevant(self.rel)), self.k)


@measure
class RR(Measure):
    """Reciprocal rank of the first relevant result; 0 where there is none.

    Whether means of it say anything is disputed. Fuhr 2017 (doi:10.1145/3190580.3190586) holds that
    its scale is ordinal, since from rank 1 to 2 it falls as far as from 2 to infinity; Sakai 2020
    (doi:10.1145/3451964.3451976) and Moffat 2022 (arXiv:2207.03103) disagree. Say which ranks the
    means come from.
    """

    formula = r"\frac{1}{\min \{ i \le k : r_i = 1 \}}"
    user = "Stops at the first relevant result; one at rank 2 is half as good as one at rank 1."
    undefined = "never"
    source = "Kantor & Voorhees 2000, doi:10.1023/A:1009902609570"
    trec_eval = ("recip_rank",)
    aliases = ("MRR",)
    promises = frozenset({"in range", "swap", "unjudged tail", "gain"})
    worked = """
        RR          0 - 1 1  = 0.3333
        RR@2        0 - 1 1  = 0
        RR(rel=2)   1 2      = 0.5
        RR          | 1      = 0
    """

    k: int | None = None
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        top = hits.top(self.k)
        relevant = top.where(top.relevant(self.rel))
        first = relevant.where(relevant.ordinal == 1)
        return first.total(1 / first.rank)

    def expected(self, hits: Hits) -> Floats:
        return expected_reciprocal_rank(hits.where(hits.relevant(self.rel)), self.k)

    def working(self, hits: Hits) -> dict[str, Floats]:
        read = hits.relevant(self.rel) & (hits.rank <= (self.k or np.inf))
        first = read & (hits.running(read.astype(float)) == 1)
        return {"1/rank": np.where(first, 1 / hits.rank, np.nan)}


@measure
class AP(OverRelevant):
    """Average precision: the precision at each relevant document, averaged over all of them.

    Those that were not returned count as 0. The mean over queries is what is called MAP.
    """

    formula = r"\frac{1}{R} \sum_{i \le k} r_i\, P@i"
    user = (
        "Stops at a relevant document, each as likely, and is content with the share found so far."
    )
    source = (
        "Harman 1992, doi:10.1016/0306-4573(92)90001-G; Robertson 2008, doi:10.1145/1390334.1390453"
    )
    trec_eval: ClassVar[tuple[str, ...]] = ("map", "map_cut_{k}")
    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    worked = """
        AP                1 0 1 1 1 1 0 0 0 1  = 0.7750
        AP                1 0 0 0 0 1 0 0 0 1  = 0.5444
        AP@2              1 0 1 | 1            = 0.3333
        AP(norm=min)@2    1 0 1 | 1            = 0.5
        AP(norm=hits)     1 0 1 | 1            = 0.8333
        AP(norm=hits)     0     | 1            = 0
        AP                0 -                  = undefined
    """

    meanings = {
        "norm": "What to divide by: R, all relevant documents; min, k of them at most; hits, "
        "those among the first k.",
    }

    k: int | None = None
    rel: float = 1
    norm: Literal["R", "min", "hits"] = "R"

    def score(self, hits: Hits) -> Floats:
        relevant, wanted = self.relevant(hits.top(self.k)), self.wanted(hits)
        precisions = relevant.total(relevant.ordinal / relevant.rank)
        if self.norm == "hits":
            found = np.maximum(np.diff(relevant.starts), 1)
            return np.where(wanted > 0, precisions / found, np.nan)
        return precisions / self._capped(wanted)

    def expected(self, hits: Hits) -> Floats:
        relevant, wanted = self.relevant(hits), self.wanted(hits)
        if self.norm == "hits":
            return np.where(wanted > 0, expected_mean_precision(relevant, self.k), np.nan)
        return expected_precision_sum(relevant, self.k) / self._capped(wanted)

    def keeps(self, promise: Promise) -> bool:
        # The mean over what was found falls when one more is found at the bottom of the page.
        falls = promise == "swap" and self.norm == "hits" and self.k is not None
        return super().keeps(promise) and not falls

    def as_found(self, hits: Hits, turned: Hits, *, downwards: bool) -> Floats:
        relevant, query, k = self.relevant(hits.top(self.k)), turned.query, self.k or np.inf
        above = relevant.rows_up_to(turned.rank, query)
        inverse = 1 / relevant.rank
        before = np.concatenate(([0.0], relevant.running(inverse)))
        passed = np.where(above > 0, before[relevant.starts[query] + above], 0)
        below = relevant.total(inverse)[query] - passed
        # One more is relevant: it has a precision of its own, and adds to those below it.
        read = (turned.rank <= k).astype(float)
        own = read / turned.rank
        if downwards:
            gained = (turned.ordinal + above) * own + read * below
        else:
            gained = (above + 1) * own + read * (below + turned.running(own) - own)
        precisions = relevant.total(relevant.ordinal * inverse)[query] + turned.running(gained)
        if self.norm == "hits":
            found = np.diff(relevant.starts)[query] + turned.running(read)
            return precisions / np.maximum(found, 1)
        wanted = self.wanted(hits)[query] + turned.ordinal
        return precisions / self._capped(wanted)

    def working(self, hits: Hits) -> dict[str, Floats]:
        read = hits.relevant(self.rel) & (hits.rank <= (self.k or np.inf))
        precision = np.where(read, hits.running(read.astype(float)) / hits.rank, np.nan)
        if self.norm == "hits":  # with each that is found, all others count for less
            return {"precision": precision}
        wanted = self._capped(self.wanted(hits))
        each = np.where(read, 1 / wanted[hits.query], np.nan)
        return {"precision": precision, "1/R" if self.norm == "R" else "1/min(R, k)": each}

    def _capped(self, wanted: Ints) -> Ints:
        return np.minimum(wanted, self.k) if self.norm == "min" and self.k else wanted


@measure
class Rprec(OverRelevant):
    """Precision at R: at the rank where a perfect ranking would have found everything.

    There precision and recall are the same number.
    """

    formula = r"\frac{1}{R} \sum_{i \le R} r_i"
    user = "Knows how many relevant documents there are, and reads as many results."
    source = "Buckley & Voorhees 2005, TREC, chapter 3"
    trec_eval = ("Rprec",)
    aliases = ("RPrec", "R-precision", "RPrecision", "R_precision")
    worked = """
        Rprec   1 0 1       = 0.5
        Rprec   1 | 1 1     = 0.3333
        Rprec   0           = undefined
    """

    def parts(self, hits: Hits) -> tuple[Ints, Ints]:
        wanted = self.wanted(hits)
        early = hits.relevant(self.rel) & (hits.rank <= wanted[hits.query])
        return hits.count(early), wanted


@measure
class Bpref(OverRelevant):
    """Binary preference: how often a relevant document precedes those judged not relevant.

    Results that nobody judged, and those pooled but not judged (grade below 0), are passed over, so
    that a ranking is not punished for holes in the judgments.
    """

    formula = r"\frac{1}{R} \sum_{r} \left( 1 - \frac{\min(n_r, R)}{\min(R, N)} \right)"
    user = "Compares pairs of judged documents, and minds how many are in the right order."
    source = "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000; as corrected in trec_eval 8"
    trec_eval: ClassVar[tuple[str, ...]] = ("bpref",)
    aliases: ClassVar[tuple[str, ...]] = ("BPref",)
    worked = """
        Bpref   1 0 1       = 0.5
        Bpref   - 1 - 1 0   = 1
        Bpref   0 0 1 1 | 1 = 0
        Bpref   1 -1 1 | 0  = 1
        Bpref   0           = undefined
    """

    def score(self, hits: Hits) -> Floats:
        _, credit = self._credit(hits)
        return hits.total(np.where(np.isnan(credit), 0, credit)) / self.wanted(hits)

    def working(self, hits: Hits) -> dict[str, Floats]:
        above, credit = self._credit(hits)
        each = np.where(np.isnan(credit), np.nan, 1 / self.wanted(hits)[hits.query])
        return {"above it": above, "credit": credit, "1/R": each}

    def _credit(self, hits: Hits) -> tuple[Floats, Floats]:
        """Return the non-relevant rows above each relevant one, and its credit; others NaN."""
        judged, wanted = hits.judgments, self.wanted(hits)
        unwanted = judged.count((judged.grade >= 0) & (judged.grade < self.rel))
        bound = np.maximum(np.minimum(wanted, unwanted), 1)
        known, relevant = hits.grade >= 0, hits.relevant(self.rel)
        above = hits.running((known & ~relevant).astype(float))
        credit = 1 - np.minimum(above, wanted[hits.query]) / bound[hits.query]
        counted = known & relevant
        return np.where(counted, above, np.nan), np.where(counted, credit, np.nan)


_SOURCE = "Robertson 2006, doi:10.1145/1183614.1183630"


@measure
class GMAP(AP):
    """Average precision, averaged over queries by the geometric mean.

    From 0.01 to 0.02 counts as much as from 0.4 to 0.8, so that it tells how a system fares on
    its worst queries. Values below 0.00001 count as that: one query without anything found would
    make the mean 0.
    """

    formula = r"\exp \frac{1}{|Q|} \sum_q \ln \max(\mathrm{AP}_q, 10^{-5})"
    source = _SOURCE
    average = "geometric"
    trec_eval = ("gm_map",)
    aliases = ()
    worked = """
        GMAP     1 0 1 1 1 1 0 0 0 1  = 0.7750
        GMAP@2   1 0 1 | 1            = 0.3333
        GMAP     0 -                  = undefined
    """


@measure
class GBpref(Bpref):
    """Binary preference, averaged over queries by the geometric mean.

    Values below 0.00001 count as that: one query on which nothing is in order would make the mean
    0.
    """

    formula = r"\exp \frac{1}{|Q|} \sum_q \ln \max(\mathrm{Bpref}_q, 10^{-5})"
    source = _SOURCE
    average = "geometric"
    trec_eval = ("gm_bpref",)
    aliases = ()
    worked = """
        GBpref   1 0 1       = 0.5
        GBpref   0 0 1 1 | 1 = 0
        GBpref   0           = undefined
    """
