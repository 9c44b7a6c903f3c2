"""Measures taken of each subtopic by itself, and averaged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.composed import Composed
from cleverdon.measures.diversity import served
from cleverdon.measures.graded import nDCG
from cleverdon.measures.ranked import AP, P
from cleverdon.measures.registry import measure
from cleverdon.subtopics import shares, total_over_subtopics

_AGRAWAL = "Agrawal et al. 2009, doi:10.1145/1498759.1498766"
_NONE = "no judged document is relevant to any subtopic"
_NOTHING_POSITIVE = "no judged document has a positive grade for any subtopic"
_USER = "Comes for one subtopic, with the probability of its weight, and for nothing else."


def averaged(hits: Hits, values: Floats, counted: Bools) -> Floats:
    """The mean of the subtopics' values: of those that count, weighted where there are weights."""
    share = shares(hits, counted & ~np.isnan(values))
    # A value of no weight may be NaN; where no value has any, the share itself is.
    return total_over_subtopics(hits, np.where(share == 0, 0, share * values))


def with_a_positive_grade(hits: Hits) -> Bools:
    """Which subtopics have a judged document of a positive grade."""
    judged = hits.by_subtopic.judgments
    return judged.count(judged.grade > 0) > 0


class AveragedOverSubtopics(Measure, ABC):
    """What they share: a measure of each subtopic, and the mean of its values."""

    needs = "subtopics"

    @abstractmethod
    def of_one(self) -> Measure:
        """The measure that is taken of each subtopic."""

    def counted(self, hits: Hits) -> Bools:
        """Which subtopics count."""
        return with_a_positive_grade(hits)

    def score(self, hits: Hits) -> Floats:
        return averaged(hits, self.of_one()(hits.by_subtopic), self.counted(hits))

    def expected(self, hits: Hits) -> Floats:
        # The mean of expected values is the expected value of the mean.
        return averaged(hits, self.of_one().over_ties(hits.by_subtopic), self.counted(hits))


@measure
class IntentAware(Composed, AveragedOverSubtopics):
    """Any measure, taken of each subtopic as if it were the query, and averaged.

    Over the subtopics that have a positive grade and for which the measure is defined, by weight
    where weights are given. A subtopic's judgments are those that name it, and no others.
    IntentAware(ERR) knows of grades; ERR_IA does not, and has ndeval's normalisation beside.
    """

    formula = r"\sum_s w_s\, M_s \Big/ \sum_s w_s"
    user = _USER
    undefined = "no subtopic has a positive grade and a value of the measure"
    source = _AGRAWAL
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
    user = _USER
    undefined = _NONE
    source = _AGRAWAL
    aliases = ("MAP_IA", "AP-IA", "MAP-IA")
    promises = frozenset({"in range", "unjudged tail"})
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
        return served(hits, self.rel)


@measure
class P_IA(AveragedOverSubtopics):
    """Intent-aware precision at k: averaged over the subtopics.

    Over those that some document is relevant to.
    """

    formula = r"\frac{1}{S} \sum_s \text{P}_s@k"
    user = _USER
    undefined = _NONE
    source = _AGRAWAL
    aliases = ("P-IA",)
    promises = frozenset({"in range", "unjudged tail"})
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
        return served(hits, self.rel)


@measure
class nDCG_IA(AveragedOverSubtopics):
    """Intent-aware nDCG: averaged over the subtopics.

    Over those that have a positive grade. No ranking need be ideal for all of them at once, so that
    even the best may stay below 1.
    """

    formula = r"\frac{1}{S} \sum_s \text{nDCG}_s@k"
    user = _USER
    undefined = _NOTHING_POSITIVE
    source = _AGRAWAL
    aliases = ("nDCG-IA",)
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        nDCG_IA@2                    a2 a1b1   = 0.8155
        nDCG_IA(gain=exponential)@2  a1 a2b1   = 0.714
        nDCG_IA                      - | a     = 0
        nDCG_IA                      a0        = undefined
    """

    k: int | None = None
    gain: Literal["linear", "exponential"] = "linear"

    def of_one(self) -> Measure:
        return nDCG(k=self.k, gain=self.gain)
