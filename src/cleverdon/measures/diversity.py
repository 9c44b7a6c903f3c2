"""Rankings that are to serve every subtopic of a query, and none too often."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import measure
from cleverdon.subtopics import best_covering, shares, subtopics_of, total_over_subtopics

_CLARKE = "Clarke et al. 2008, doi:10.1145/1390334.1390446"
_NONE = "no judged document is relevant to any subtopic"


def served(hits: Hits, rel: float) -> Bools:
    """Which subtopics count: those that some judged document is relevant to."""
    return hits.by_subtopic.judgments.relevant(rel) > 0


class Novelty(Measure, ABC):
    """What they share: a subtopic's gain fades each time that it is served."""

    needs = "subtopics"

    k: int | None = None
    alpha: float = 0.5
    rel: float = 1

    def check(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise NotationError(f"{type(self).__name__}(alpha={self.alpha}): alpha is from 0 to 1")

    @abstractmethod
    def weight_at(self, rank: Floats) -> Floats:
        """What a gain at each rank is multiplied by."""

    def gained(self, hits: Hits) -> Floats:
        """The gain read down to rank k, averaged over the subtopics."""
        read = hits.by_subtopic.top(self.k)
        relevant = read.where(read.relevant(self.rel))
        fading = np.power(1 - self.alpha, relevant.ordinal - 1.0)
        gain = relevant.total(fading * self.weight_at(relevant.rank.astype(np.float64)))
        return total_over_subtopics(hits, gain * shares(hits, served(hits, self.rel)))

    def ideal(self, hits: Hits) -> Floats:
        """What the best ranking that greedy choice finds would gain."""
        relevant = subtopics_of(hits.judgments).grade >= self.rel
        weight = np.nan_to_num(shares(hits, served(hits, self.rel)))
        return self.gained(best_covering(hits, relevant, weight, alpha=self.alpha, k=self.k))


class IdealOfIdeals(Novelty):
    """What alphaDCG and ERR_IA share: the normalisation of ndeval."""

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
        """Where the ideal of ideals ends: at rank k, or where gains are below the last digit."""
        faded = 40 / self.alpha if self.alpha > 0 else np.inf
        return min(faded, self.k or np.inf)

    def ideal_of_ideals(self) -> float:
        """The gain of a ranking in which every result is relevant to all subtopics."""
        rank = np.arange(1.0, self._depth + 1)
        return float(np.sum(np.power(1 - self.alpha, rank - 1) * self.weight_at(rank)))


_DEEPEST = 1_000_000


@measure
class alphaDCG(IdealOfIdeals):
    """Discounted cumulative gain of novelty: the more often a subtopic came, the less it gains.

    By default over the gain of an ideal of ideals, whose every result serves all subtopics, as
    ndeval prints it; norm=none is the sum of the paper. (At k=1, which it never prints, ndeval
    forgets to normalise.) Subtopics that nothing is relevant to are left out.
    """

    formula = r"\sum_{i \le k} \frac{1}{\log_2(i+1)} \sum_s r_{i,s} (1-\alpha)^{\sum_{j<i} r_{j,s}}"
    user = "Reads to rank k, and finds a result about what is known already less and less useful."
    undefined = _NONE
    source = _CLARKE
    aliases = ("alpha_DCG", "alpha-DCG")
    range = (0.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        alphaDCG(norm=none)@3  ab a c    = 2.8155
        alphaDCG@2             ab b      = 0.8801
        alphaDCG(alpha=0)@2    a a | b   = 0.5
        alphaDCG               ab        = 0.6495
        alphaDCG@2             - | a     = 0
        alphaDCG@2             a0        = undefined
    """

    def weight_at(self, rank: Floats) -> Floats:
        weight: Floats = 1 / np.log2(rank + 1)
        return weight

    def score(self, hits: Hits) -> Floats:
        if self.norm == "none":
            counted = served(hits, self.rel).astype(float)
            return self.gained(hits) * total_over_subtopics(hits, counted)
        return self.gained(hits) / self.ideal_of_ideals()


@measure
class alphanDCG(Novelty):
    """Normalised discounted cumulative gain of novelty.

    alphaDCG as a share of what the best ranking of the judged documents would have. To find that
    one is NP-hard; as everywhere, it is made by choosing the document that adds most, rank by rank,
    of equal ones that with the larger id.
    """

    formula = r"\frac{\alpha\text{-DCG}@k}{\alpha\text{-DCG}^*@k}"
    user = "Reads to rank k, and finds a result about what is known already less and less useful."
    undefined = _NONE
    source = _CLARKE
    aliases = ("alpha_nDCG", "alpha-nDCG")
    # The greedy ranking may fall short of the best one, and then a run may pass it.
    range = (0.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        alphanDCG@3           ab a c     = 0.9773
        alphanDCG@2           a a | b    = 0.8066
        alphanDCG(alpha=0)@2  a a | b    = 1
        alphanDCG             | ab       = 0
        alphanDCG@5           a0         = undefined
    """

    def weight_at(self, rank: Floats) -> Floats:
        weight: Floats = 1 / np.log2(rank + 1)
        return weight

    def score(self, hits: Hits) -> Floats:
        return self.gained(hits) / self.ideal(hits)


@measure
class ERR_IA(IdealOfIdeals):
    """Intent-aware expected reciprocal rank, averaged over the subtopics.

    A result that is relevant to what a person came for satisfies with probability alpha. By default
    over the value of an ideal of ideals, whose every result serves all subtopics, as ndeval prints
    it. With norm=none, and alpha as it is, it is IntentAware(ERR) of judgments without grades.
    """

    formula = (
        r"\frac{1}{S} \sum_s \sum_{i \le k} \frac{1}{i} \alpha\, r_{i,s} "
        r"(1-\alpha)^{\sum_{j<i} r_{j,s}}"
    )
    user = "Comes for one subtopic, and stops at a result about it with probability alpha."
    undefined = _NONE
    source = "Chapelle et al. 2009, doi:10.1145/1645953.1646033; Clarke et al. 2011, ndeval"
    aliases = ("ERR-IA",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        ERR_IA(norm=none)@3  ab a c     = 0.4306
        ERR_IA@2             ab b       = 0.9
        ERR_IA               ab         = 0.7213
        ERR_IA@5             - | a      = 0
        ERR_IA@5             a0         = undefined
    """

    def weight_at(self, rank: Floats) -> Floats:
        return 1 / rank

    def score(self, hits: Hits) -> Floats:
        if self.norm == "none":
            return self.alpha * self.gained(hits)
        return self.gained(hits) / self.ideal_of_ideals()


@measure
class nERR_IA(Novelty):
    """Normalised intent-aware expected reciprocal rank.

    ERR_IA as a share of what the ranking made by greedy choice would have.
    """

    formula = r"\frac{\text{ERR-IA}@k}{\text{ERR-IA}^*@k}"
    user = "Comes for one subtopic, and stops at a result about it with probability alpha."
    undefined = _NONE
    source = "Chapelle et al. 2009, doi:10.1145/1645953.1646033; Clarke et al. 2011, ndeval"
    aliases = ("nERR-IA",)
    range = (0.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        nERR_IA@3   ab a c     = 0.9688
        nERR_IA@2   a a | b    = 0.8333
        nERR_IA     | ab       = 0
        nERR_IA@5   a0         = undefined
    """

    def weight_at(self, rank: Floats) -> Floats:
        return 1 / rank

    def score(self, hits: Hits) -> Floats:
        return self.gained(hits) / self.ideal(hits)


class NoveltyRankBiased(Novelty):
    """What NRBP and nNRBP share: the patience of the user."""

    beta: float = 0.5

    def check(self) -> None:
        super().check()
        if not 0 <= self.beta <= 1:
            raise NotationError(f"{type(self).__name__}(beta={self.beta}): beta is from 0 to 1")

    def weight_at(self, rank: Floats) -> Floats:
        weight: Floats = np.power(self.beta, rank - 1)
        return weight


@measure
class NRBP(NoveltyRankBiased):
    """Novelty- and rank-biased precision.

    Rank-biased precision with gains that fade each time that a subtopic is served, over what an
    endless ranking would have whose every result serves all subtopics.
    """

    formula = (
        r"\frac{1 - (1-\alpha)\beta}{S} \sum_{i} \beta^{i-1} "
        r"\sum_s r_{i,s} (1-\alpha)^{\sum_{j<i} r_{j,s}}"
    )
    user = "Goes on with probability beta; what is known already is less and less useful."
    undefined = _NONE
    source = "Clarke, Kolla & Vechtomova 2009, doi:10.1007/978-3-642-04417-5_17"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        NRBP              ab b      = 0.8438
        NRBP(beta=0.8)    a a | b   = 0.42
        NRBP              - | a     = 0
        NRBP              a0        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return (1 - (1 - self.alpha) * self.beta) * self.gained(hits)


@measure
class nNRBP(NoveltyRankBiased):
    """Normalised novelty- and rank-biased precision.

    NRBP as a share of what the ranking made by greedy choice would have.
    """

    formula = r"\frac{\text{NRBP}}{\text{NRBP}^*}"
    user = "Goes on with probability beta; what is known already is less and less useful."
    undefined = _NONE
    source = "Clarke, Kolla & Vechtomova 2009, doi:10.1007/978-3-642-04417-5_17"
    range = (0.0, np.inf)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        nNRBP             ab b      = 1
        nNRBP(beta=0.8)   a a | b   = 0.6604
        nNRBP             - | a     = 0
        nNRBP             a0        = undefined
    """

    def score(self, hits: Hits) -> Floats:
        return self.gained(hits) / self.ideal(hits)
