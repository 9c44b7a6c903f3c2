"""How many subtopics a ranking serves, and how well all of them together."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats, summed
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.diversity import served
from cleverdon.measures.intent import with_a_positive_grade
from cleverdon.measures.registry import measure
from cleverdon.subtopics import numbered, shares, subtopics_of, total_over_subtopics

_NONE = "no judged document is relevant to any subtopic"


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
        return recalled(hits, served(hits, self.rel), rel=self.rel, k=self.k)


def recalled(hits: Hits, counted: Bools, *, rel: float, k: int | None) -> Floats:
    """The share of the subtopics that count of which something relevant is found."""
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
    undefined = "no judged document has a positive grade for any subtopic"
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

    k: int | None = None
    gamma: float = 0.5
    gain: Literal["linear", "exponential"] = "linear"

    def check(self) -> None:
        if not 0 <= self.gamma <= 1:
            raise NotationError(f"Dsharp_nDCG(gamma={self.gamma}): gamma is from 0 to 1")

    def score(self, hits: Hits) -> Floats:
        counted = with_a_positive_grade(hits)
        smallest = np.nextafter(0, 1)  # any positive grade
        recall = recalled(hits, counted, rel=smallest, k=self.k)
        worth = self._global_gain(hits, counted)

        def gain_of(rows: Hits) -> Floats:
            return np.where(rows.doc >= 0, worth[rows.doc], 0)

        def dcg(ranking: Hits) -> Floats:
            top = ranking.top(self.k)
            return top.total(gain_of(top) / np.log2(top.rank + 1))

        return self.gamma * recall + (1 - self.gamma) * dcg(hits) / dcg(hits.best_by(gain_of))

    def _global_gain(self, hits: Hits, counted: Bools) -> Floats:
        """What each judged document is worth to all subtopics together."""
        judged = hits.judgments
        subtopics = subtopics_of(judged)
        grade = np.maximum(subtopics.grade, 0)
        gain = grade if self.gain == "linear" else np.exp2(grade) - 1
        share = np.nan_to_num(shares(hits, counted))[numbered(judged)]
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

    k: int | None = None
    p: float = 0.8
    alpha: float | None = 0.5
    e: float = 0.03
    rel: float = 1

    def check(self) -> None:
        limits = {"p": self.p, "alpha": self.alpha or 0.0, "e": self.e}
        for name, value in limits.items():
            if not 0 <= value <= 1:
                raise NotationError(f"RBU({name}={value}): {name} is from 0 to 1")

    def score(self, hits: Hits) -> Floats:
        read = hits.by_subtopic.top(self.k)
        satisfied = np.where(read.relevant(self.rel), self._satisfaction(read), 0)
        unsatisfied = read.running(1 - satisfied, np.multiply)
        # Down to the result above: that down to this one, shifted by a row.
        reached = np.ones(len(satisfied))
        later = read.ordinal > 1
        reached[later] = unsatisfied[np.flatnonzero(later) - 1]
        attention = (1 - self.p) * np.power(self.p, read.rank - 1.0)
        brought = read.total(attention * satisfied * reached)
        utility = total_over_subtopics(hits, brought * shares(hits, served(hits, self.rel)))
        effort = self.e * (1 - np.power(self.p, hits.top(self.k).returned))
        return np.asarray(utility - effort)

    def _satisfaction(self, hits: Hits) -> Floats:
        if self.alpha is not None:
            return np.full(len(hits.grade), float(self.alpha))
        highest = hits.judgments.top_grade
        satisfied: Floats = np.exp2(np.maximum(hits.grade, 0) - highest) - np.exp2(-highest)
        return satisfied
