"""Diversity and novelty: a result that serves a subtopic again gains less."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np

from cleverdon._common.arrays import Bools, Floats, summed
from cleverdon.errors import NotationError
from cleverdon.hits import (
    Hits,
    greedy_ideal,
    subtopic_numbers,
    subtopic_shares,
    subtopics_of,
    total_over_subtopics,
)
from cleverdon.measures.base import CollectionFact, Composed, Measure
from cleverdon.measures.graded import Gained, nDCG
from cleverdon.measures.ranked import AP, P
from cleverdon.measures.registry import measure

_CLARKE = "Clarke et al. 2008, doi:10.1145/1390334.1390446"
_CHAPELLE = "Chapelle et al. 2009, doi:10.1145/1645953.1646033; Clarke et al. 2011, ndeval"
_KOLLA = "Clarke, Kolla & Vechtomova 2009, doi:10.1007/978-3-642-04417-5_17"
_NONE = "no judged document is relevant to any subtopic"
_NOTHING_POSITIVE = "no judged document has a positive grade for any subtopic"


def _served(hits: Hits, rel: float) -> Bools:
    """Mark the subtopics that count: those that some judged document is relevant to."""
    return hits.by_subtopic.judgments.relevant(rel) > 0


class Novelty(Measure, ABC):
    """Base class of measures in which a subtopic's gain fades each time that it is served."""

    undefined = _NONE
    needs = "subtopics"
    promises = frozenset({"in range", "unjudged tail"})

    limits = ("0 <= alpha <= 1",)

    meanings = {"alpha": "The share of its gain that a subtopic loses with each relevant result."}

    k: int | None = None
    alpha: float = 0.5
    rel: float = 1

    @abstractmethod
    def weight_at(self, rank: Floats) -> Floats:
        """Return the factor of a gain at each rank."""

    def gained(self, hits: Hits) -> Floats:
        """Return the gain read down to rank k, averaged over the subtopics."""
        read = hits.by_subtopic.top(self.k)
        relevant = read.where(read.relevant(self.rel))
        fading = np.power(1 - self.alpha, relevant.ordinal - 1.0)
        gain = relevant.total(fading * self.weight_at(relevant.rank.astype(np.float64)))
        return total_over_subtopics(hits, gain * subtopic_shares(hits, _served(hits, self.rel)))

    def ideal(self, hits: Hits) -> Floats:
        """Return the gain of the ranking that greedy choice finds."""
        relevant = subtopics_of(hits.judgments).grade >= self.rel
        weight = np.nan_to_num(subtopic_shares(hits, _served(hits, self.rel)))
        return self.gained(greedy_ideal(hits, relevant, weight, alpha=self.alpha, k=self.k))


class OverGreedyIdeal(Novelty):
    """Base class of novelty measures that divide by the gain of the greedy ideal ranking."""

    # The greedy ranking may fall short of the best one, and then a run may pass it.
    range = (0.0, np.inf)

    def score(self, hits: Hits) -> Floats:
        return self.gained(hits) / self.ideal(hits)


class IdealOfIdeals(Novelty):
    """Base class of alphaDCG and ERR_IA, which ndeval normalises by an ideal of ideals."""

    meanings = {
        "norm": "What to divide by: ideal_ideal, the value of a ranking in which every result "
        "serves all subtopics; none, nothing.",
    }

    norm: Literal["ideal_ideal", "none"] = "ideal_ideal"

    def check(self) -> None:
        super().check()
        if self.norm == "ideal_ideal" and self._depth > _DEEPEST:
            raise NotationError(
                f"{type(self).__name__}(alpha={self.alpha}) needs a cut-off of {_DEEPEST:,} at "
                "most: where hardly a gain fades, the ideal of ideals has no end"
            )

    @property
    def _depth(self) -> float:
        """The last rank of the ideal of ideals: k, or the rank below which gains vanish."""
        faded = 40 / self.alpha if self.alpha > 0 else np.inf
        return min(faded, self.k or np.inf)

    def ideal_of_ideals(self) -> float:
        """Return the gain of a ranking in which every result is relevant to all subtopics."""
        rank = np.arange(1.0, self._depth + 1)
        return float(np.sum(np.power(1 - self.alpha, rank - 1) * self.weight_at(rank)))


_DEEPEST = 1_000_000


class Discounted(Novelty):
    """Base class of novelty measures with the discount of DCG."""

    user = "Reads to rank k, and finds a result about what is known already less and less useful."
    source = _CLARKE

    def weight_at(self, rank: Floats) -> Floats:
        return 1 / np.log2(rank + 1)


class Stopping(Novelty):
    """Base class of novelty measures whose user stops as that of ERR does."""

    user = "Comes for one subtopic, and stops at a result about it with probability alpha."
    source = _CHAPELLE

    def weight_at(self, rank: Floats) -> Floats:
        return 1 / rank


@measure
class alphaDCG(IdealOfIdeals, Discounted):
    """Discounted cumulative gain of novelty: the more often a subtopic came, the less it gains.

    By default over the gain of an ideal of ideals, whose every result serves all subtopics, as
    ndeval prints it; norm=none is the sum of the paper. (At k=1, which it never prints, ndeval
    forgets to normalise.) Subtopics that nothing is relevant to are left out.
    """

    formula = r"\sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_s r_{i,s} (1-\alpha)^{\sum_{j<i} r_{j,s}}"
    aliases = ("alpha_DCG", "alpha-DCG", "α_DCG", "α-DCG", "αDCG")
    range = (0.0, np.inf)
    worked = """
        alphaDCG(norm=none)@3  ab a c    = 2.8155
        alphaDCG@2             ab b      = 0.8801
        alphaDCG(alpha=0)@2    a a | b   = 0.5
        alphaDCG               ab        = 0.6495
        alphaDCG@2             - | a     = 0
        alphaDCG@2             a0        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        if self.norm == "none":
            counted = _served(hits, self.rel).astype(float)
            return self.gained(hits) * total_over_subtopics(hits, counted)
        return self.gained(hits) / self.ideal_of_ideals()


@measure
class alphanDCG(OverGreedyIdeal, Discounted):
    """Normalised discounted cumulative gain of novelty.

    alphaDCG as a share of what the best ranking of the judged documents would have. To find that
    one is NP-hard; as everywhere, it is made by choosing the document that adds most, rank by rank,
    of equal ones that with the larger id.
    """

    formula = r"\frac{\alpha\text{-DCG}@k}{\alpha\text{-DCG}^*@k}"
    aliases = ("alpha_nDCG", "alpha-nDCG", "α_nDCG", "α-nDCG", "αnDCG")
    worked = """
        alphanDCG@3           ab a c     = 0.9773
        alphanDCG@2           a a | b    = 0.8066
        alphanDCG(alpha=0)@2  a a | b    = 1
        alphanDCG             | ab       = 0
        alphanDCG@5           a0         = undefined
    """


@measure
class ERR_IA(IdealOfIdeals, Stopping):
    """Intent-aware expected reciprocal rank, averaged over the subtopics.

    A result that is relevant to what a person came for satisfies with probability alpha. By default
    over the value of an ideal of ideals, whose every result serves all subtopics, as ndeval prints
    it. With norm=none, and alpha as it is, it is IntentAware(ERR) of judgments without grades.
    """

    formula = (
        r"\frac{1}{S} \sum_s \sum_{i \le k} \frac{1}{i} \alpha\, r_{i,s} "
        r"(1-\alpha)^{\sum_{j<i} r_{j,s}}"
    )
    aliases = ("ERR-IA",)
    worked = """
        ERR_IA(norm=none)@3  ab a c     = 0.4306
        ERR_IA@2             ab b       = 0.9
        ERR_IA               ab         = 0.7213
        ERR_IA@5             - | a      = 0
        ERR_IA@5             a0         = undefined
    """

    def score(self, hits: Hits) -> Floats:
        if self.norm == "none":
            return self.alpha * self.gained(hits)
        return self.gained(hits) / self.ideal_of_ideals()


@measure
class nERR_IA(OverGreedyIdeal, Stopping):
    """Normalised intent-aware expected reciprocal rank.

    ERR_IA as a share of what the ranking made by greedy choice would have.
    """

    formula = r"\frac{\text{ERR-IA}@k}{\text{ERR-IA}^*@k}"
    aliases = ("nERR-IA",)
    worked = """
        nERR_IA@3   ab a c     = 0.9688
        nERR_IA@2   a a | b    = 0.8333
        nERR_IA     | ab       = 0
        nERR_IA@5   a0         = undefined
    """


class RankBiased(Novelty):
    """Base class of novelty measures whose user reads on with probability beta."""

    user = "Goes on with probability beta; what is known already is less and less useful."
    source = _KOLLA

    limits = ("0 <= beta <= 1",)

    meanings = {"beta": "The probability that the user goes on to the next result."}

    beta: float = 0.5

    def weight_at(self, rank: Floats) -> Floats:
        return np.power(self.beta, rank - 1)


@measure
class NRBP(RankBiased):
    """Novelty- and rank-biased precision.

    Rank-biased precision with gains that fade each time that a subtopic is served, over what an
    endless ranking would have whose every result serves all subtopics.
    """

    formula = (
        r"\frac{1 - (1-\alpha)\beta}{S} \sum_{i} \beta^{i-1} "
        r"\sum_s r_{i,s} (1-\alpha)^{\sum_{j<i} r_{j,s}}"
    )
    worked = """
        NRBP              ab b      = 0.8438
        NRBP(beta=0.8)    a a | b   = 0.42
        NRBP              - | a     = 0
        NRBP              a0        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return (1 - (1 - self.alpha) * self.beta) * self.gained(hits)


@measure
class nNRBP(RankBiased, OverGreedyIdeal):
    """Normalised novelty- and rank-biased precision.

    NRBP as a share of what the ranking made by greedy choice would have.
    """

    formula = r"\frac{\text{NRBP}}{\text{NRBP}^*}"
    worked = """
        nNRBP             ab b      = 1
        nNRBP(beta=0.8)   a a | b   = 0.6604
        nNRBP             - | a     = 0
        nNRBP             a0        = undefined
    """


def _averaged(hits: Hits, values: Floats, counted: Bools) -> Floats:
    """Return the mean of the values of subtopics that count, weighted where there are weights."""
    share = subtopic_shares(hits, counted & ~np.isnan(values))
    # A value of no weight may be NaN; where no value has any, the share itself is.
    return total_over_subtopics(hits, np.where(share == 0, 0, share * values))


def _with_a_positive_grade(hits: Hits) -> Bools:
    """Mark the subtopics that have a judged document of a positive grade."""
    judged = hits.by_subtopic.judgments
    return judged.count(judged.grade > 0) > 0


class AveragedOverSubtopics(Measure, ABC):
    """Base class of measures that are taken of each subtopic, and averaged."""

    user = "Comes for one subtopic, with the probability of its weight, and for nothing else."
    undefined = _NONE
    source = "Agrawal et al. 2009, doi:10.1145/1498759.1498766"
    needs = "subtopics"
    promises = frozenset({"in range", "unjudged tail"})

    @abstractmethod
    def of_one(self) -> Measure:
        """Return the measure that is taken of each subtopic."""

    def counted(self, hits: Hits) -> Bools:
        """Mark the subtopics that count."""
        return _with_a_positive_grade(hits)

    def score(self, hits: Hits) -> Floats:
        return _averaged(hits, self.of_one()(hits.by_subtopic), self.counted(hits))

    def expected(self, hits: Hits) -> Floats:
        # The mean of expected values is the expected value of the mean.
        return _averaged(hits, self.of_one().over_ties(hits.by_subtopic), self.counted(hits))


@measure
class IntentAware(Composed, AveragedOverSubtopics):
    """Any measure, taken of each subtopic as if it were the query, and averaged.

    Over the subtopics that have a positive grade and for which the measure is defined, by weight
    where weights are given. A subtopic's judgments are those that name it, and no others.
    IntentAware(ERR) uses grades; ERR_IA does not, and has ndeval's normalisation.
    """

    formula = r"\sum_s w_s\, M_s \Big/ \sum_s w_s"
    undefined = "no subtopic has a positive grade and a value of the measure"
    promises = frozenset()
    worked = """
        IntentAware(AP)             ab a | b      = 0.75
        IntentAware(RR)             a b - c       = 0.5833
        IntentAware(nDCG@2)         a2 a1b1       = 0.8155
        IntentAware(AP(rel=2))      a2 b1         = 1
        IntentAware(P@1)            - | ab        = 0
        IntentAware(P@1)            a0            = undefined
    """

    def of_one(self) -> Measure:
        return self.measure


@measure
class AP_IA(AveragedOverSubtopics):
    """Intent-aware average precision: averaged over the subtopics.

    Over those that some document is relevant to; ndeval calls the mean over queries MAP-IA.
    """

    formula = r"\frac{1}{S} \sum_s \text{AP}_s"
    aliases = ("MAP_IA", "AP-IA", "MAP-IA")
    worked = """
        AP_IA          ab a | b    = 0.75
        AP_IA(rel=2)   a2 b1       = 1
        AP_IA@1        b a         = 0.5
        AP_IA          - | a       = 0
        AP_IA          a0          = undefined
    """

    k: int | None = None
    rel: float = 1

    def of_one(self) -> Measure:
        return AP(k=self.k, rel=self.rel)

    def counted(self, hits: Hits) -> Bools:
        return _served(hits, self.rel)


@measure
class P_IA(AveragedOverSubtopics):
    """Intent-aware precision at k: averaged over the subtopics.

    Over those that some document is relevant to.
    """

    formula = r"\frac{1}{S} \sum_s \text{P}_s@k"
    aliases = ("P-IA",)
    worked = """
        P_IA@2          ab a | c   = 0.5
        P_IA(rel=2)@2   a2 b1      = 0.5
        P_IA@5          - | a      = 0
        P_IA@5          a0         = undefined
    """

    k: int
    rel: float = 1

    def of_one(self) -> Measure:
        return P(k=self.k, rel=self.rel)

    def counted(self, hits: Hits) -> Bools:
        return _served(hits, self.rel)


@measure
class nDCG_IA(AveragedOverSubtopics):
    """Intent-aware nDCG: averaged over the subtopics.

    Over those that have a positive grade. No ranking need be ideal for all of them at once, so that
    even the best may stay below 1.
    """

    formula = r"\frac{1}{S} \sum_s \text{nDCG}_s@k"
    undefined = _NOTHING_POSITIVE
    aliases = ("nDCG-IA",)
    worked = """
        nDCG_IA@2                    a2 a1b1   = 0.8155
        nDCG_IA(gain=exponential)@2  a1 a2b1   = 0.714
        nDCG_IA                      - | a     = 0
        nDCG_IA                      a0        = undefined
    """

    meanings = {"gain": Gained.meanings["gain"]}

    k: int | None = None
    gain: Literal["linear", "exponential"] = "linear"

    def of_one(self) -> Measure:
        return nDCG(k=self.k, gain=self.gain)


@measure
class StRecall(Measure):
    """Subtopic recall: the share of the subtopics that the first k results serve.

    Of those that some document is relevant to.
    """

    formula = r"\frac{1}{S} \sum_s \max_{i \le k} r_{i,s}"
    user = "Wants something about every subtopic, once, and reads k results."
    undefined = _NONE
    source = "Zhai, Cohen & Lafferty 2003, doi:10.1145/860435.860440"
    needs = "subtopics"
    aliases = ("SRecall", "S-recall", "Irec", "I-rec", "strec")
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        StRecall@2         ab a c    = 0.6667
        StRecall           ab a c    = 1
        StRecall(rel=2)@1  a1 a2     = 0
        StRecall@5         - | a     = 0
        StRecall@5         a0        = undefined
    """

    k: int | None = None
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        return _recalled(hits, _served(hits, self.rel), rel=self.rel, k=self.k)


def _recalled(hits: Hits, counted: Bools, *, rel: float, k: int | None) -> Floats:
    """Return the share of the subtopics that count of which something relevant is found."""
    read = hits.by_subtopic.top(k)
    found = counted & (read.count(read.relevant(rel)) > 0)
    wanted = total_over_subtopics(hits, counted.astype(float))
    return total_over_subtopics(hits, found.astype(float)) / wanted


@measure
class Dsharp_nDCG(Measure):
    """D#-nDCG: how many subtopics are served, and how well all of them together.

    Subtopic recall, gamma of the value, and nDCG by global gain: the sum of a document's gains over
    the subtopics, each by its weight. With gamma=0 it is D-nDCG. Whatever has a positive grade for
    a subtopic serves it.
    """

    formula = r"\gamma\, \text{I-rec}@k + (1-\gamma)\, \text{D-nDCG}@k"
    user = "Wants something about every subtopic, and the likely and the relevant first."
    undefined = _NOTHING_POSITIVE
    source = "Sakai & Song 2011, doi:10.1145/2009916.2010055"
    needs = "subtopics"
    aliases = ("DsharpnDCG",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        Dsharp_nDCG@2            a2 b1 | a1b1    = 0.9033
        Dsharp_nDCG(gamma=0)@2   a2 b1 | a1b1    = 0.8066
        Dsharp_nDCG(gamma=1)@1   a2 b1 | a1b1    = 0.5
        Dsharp_nDCG              - | a           = 0
        Dsharp_nDCG              a0              = undefined
    """

    limits = ("0 <= gamma <= 1",)

    meanings = {
        "gamma": "The weight of subtopic recall; the rest is the weight of D-nDCG.",
        "gain": Gained.meanings["gain"],
    }

    k: int | None = None
    gamma: float = 0.5
    gain: Literal["linear", "exponential"] = "linear"

    def score(self, hits: Hits) -> Floats:
        counted = _with_a_positive_grade(hits)
        smallest = np.nextafter(0, 1)  # any positive grade
        recall = _recalled(hits, counted, rel=smallest, k=self.k)
        worth = self._global_gain(hits, counted)

        def gain_of(rows: Hits) -> Floats:
            return np.where(rows.doc >= 0, worth[rows.doc], 0)

        def dcg(ranking: Hits) -> Floats:
            top = ranking.top(self.k)
            return top.total(gain_of(top) / np.log2(top.rank + 1))

        return self.gamma * recall + (1 - self.gamma) * dcg(hits) / dcg(hits.best_by(gain_of))

    def _global_gain(self, hits: Hits, counted: Bools) -> Floats:
        judged = hits.judgments
        subtopics = subtopics_of(judged)
        grade = np.maximum(subtopics.grade, 0)
        gain = grade if self.gain == "linear" else np.exp2(grade) - 1
        share = np.nan_to_num(subtopic_shares(hits, counted))[subtopic_numbers(judged)]
        return summed(subtopics.doc, gain * share, len(judged.grade))


@measure
class RBU(Measure):
    """Rank-biased utility: what a ranking brings to all subtopics, less the effort of reading it.

    A relevant result satisfies with probability alpha those who are not satisfied yet; with
    alpha=none with the probability that ERR gives to its grade, as in the authors' own program
    (which takes each subtopic's largest grade, where this takes the collection's).
    Every result read costs e, so that a long ranking without anything of use is below 0.
    """

    formula = (
        r"(1-p) \sum_{i \le k} p^{i-1} \left( \frac{1}{S} \sum_s R_{i,s} "
        r"\prod_{j<i} (1 - R_{j,s}) - e \right)"
    )
    user = "Goes on with probability p; is satisfied for a subtopic by chance; minds the effort."
    undefined = _NONE
    source = "Amigó, Spina & Carrillo-de-Albornoz 2018, doi:10.1145/3209978.3210024"
    needs = "subtopics"
    range = (-1.0, 1.0)
    promises = frozenset({"in range"})
    worked = """
        RBU(p=0.5,e=0)            ab a | c        = 0.1875
        RBU(p=0.5,e=0.1)          ab a | c        = 0.1125
        RBU(p=0.5,alpha=none,e=0) a1 a2     max=2 = 0.2656
        RBU(p=0.5,e=0.1)@1        - | a           = -0.05
        RBU                       | a             = 0
        RBU                       a0              = undefined
    """

    limits = ("0 <= p <= 1", "0 <= alpha <= 1", "0 <= e <= 1")

    meanings = {
        "p": "The probability that the user goes on to the next result.",
        "alpha": "The probability that a relevant result satisfies; none means that it depends "
        "on the grade, as in ERR.",
        "e": "What reading a result costs.",
    }

    k: int | None = None
    p: float = 0.8
    alpha: float | None = 0.5
    e: float = 0.03
    rel: float = 1

    @property
    def needs_of_collection(self) -> frozenset[CollectionFact]:
        return frozenset({"top_grade"} if self.alpha is None else ())

    def score(self, hits: Hits) -> Floats:
        read = hits.by_subtopic.top(self.k)
        satisfied = np.where(read.relevant(self.rel), self._satisfaction(read), 0)
        reached = read.running_above(1 - satisfied, np.multiply)
        attention = (1 - self.p) * np.power(self.p, read.rank - 1.0)
        brought = read.total(attention * satisfied * reached)
        utility = total_over_subtopics(
            hits, brought * subtopic_shares(hits, _served(hits, self.rel))
        )
        effort = self.e * (1 - np.power(self.p, hits.top(self.k).returned))
        return np.asarray(utility - effort)

    def _satisfaction(self, hits: Hits) -> Floats:
        if self.alpha is not None:
            return np.full(len(hits.grade), float(self.alpha))
        highest = hits.judgments.top_grade
        satisfied: Floats = np.exp2(np.maximum(hits.grade, 0) - highest) - np.exp2(-highest)
        return satisfied
