"""What trec_eval computes otherwise than Cleverdon's measures do, or with parameters they refuse.

None of these is registered: they exist for `cleverdon trec_eval` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from cleverdon.arrays import Floats, ranges
from cleverdon.hits import Hits
from cleverdon.judged import NOT_JUDGED
from cleverdon.measures.base import Measure
from cleverdon.measures.graded import RBPResidual
from cleverdon.measures.recall_levels import Interpolated, RprecMult, needed_for
from cleverdon.measures.trec import Gained

NOT_POOLED, POOLED = -1, -2
"""The grades that trec_eval itself gives: to results that the judgments do not mention, and to
those that they mention with a grade below 0. A table of gains may list them."""


def every_rank(hits: Hits) -> Hits:
    """A row for each result, whether the judgments mention it or not, in trec_eval's grades."""
    query = np.repeat(np.arange(len(hits)), hits.returned)
    rank = ranges(1, hits.returned)
    row = (np.cumsum(hits.returned) - hits.returned)[hits.query] + hits.rank - 1
    grade = np.full(len(query), float(NOT_POOLED))
    grade[row] = np.where(hits.grade < 0, POOLED, hits.grade)
    doc = np.full(len(query), NOT_JUDGED)
    doc[row] = hits.doc
    judged = hits.judgments
    return replace(
        hits,
        query=query,
        rank=rank,
        grade=grade,
        doc=doc,
        tied_from=rank,
        tied_to=rank,
        # Nothing that was not judged is part of the ideal ranking, whatever is listed for it.
        judgments=replace(judged, grade=np.where(judged.grade < 0, -np.inf, judged.grade)),
    )


class SignedDCG(Gained):
    """Discounted cumulative gain, where a listed gain may lie below 0."""

    def score(self, hits: Hits) -> Floats:
        return hits.total(self.discounted(hits))


class IdealDCG(Gained):
    """The discounted cumulative gain of the ideal ranking."""

    def score(self, hits: Hits) -> Floats:
        best = hits.best_by(self.gain_of)
        return best.total(self.discounted(best))


class SignedNDCG(Gained):
    """nDCG, where a listed gain may lie below 0: it counts against the run, not in the ideal."""

    def score(self, hits: Hits) -> Floats:
        best = hits.best_by(self.gain_of)
        ideal = best.total(self.discounted(best))
        found = hits.total(self.discounted(hits))
        return np.where(ideal > 0, found / np.where(ideal > 0, ideal, 1), np.nan)


class ListedRBP(Gained):
    """Rank-biased precision with any persistence and a table of gains.

    Where a gain is above 1 or below 0, all are scaled to lie between: those of the grades up to
    the topic's largest, and those listed.
    """

    p: float = 0.9

    def score(self, hits: Hits) -> Floats:
        lowest, highest = self._bounds(hits)
        scaled = (lowest < 0) | (highest > 1)
        shift = np.where(scaled, lowest, 0)[hits.query]
        width = np.where(scaled, highest - lowest, 1)[hits.query]
        known = (hits.grade >= 0) | np.isin(hits.grade, list(self.gains or {}))
        gain = np.where(known, (self.gain_of(hits) - shift) / width, 0)
        weight = np.power(self.p, hits.rank - 1.0)
        total: Floats = (1 - self.p) * hits.total(gain * weight)
        return total

    def _bounds(self, hits: Hits) -> tuple[Floats, Floats]:
        """The smallest and largest gain of each topic, 0 among them."""
        listed: Mapping[float, float] = self.gains or {}
        judged = hits.judgments
        largest = np.full(len(hits), -1.0)
        np.maximum.at(largest, judged.query, judged.grade)
        for grade in sorted(listed, reverse=True):
            largest[largest == grade] -= 1  # it has another gain, so the next lower one counts
        gains = [0.0, *listed.values()]
        return np.full(len(hits), min(gains)), np.maximum(largest, max(gains))


class AnyResidual(RBPResidual):
    """The residual of rank-biased precision with any persistence."""

    p: float = 0.9

    def check(self) -> None:
        """Nothing: trec_eval takes any number."""

    def score(self, hits: Hits) -> Floats:
        residual = super().score(hits)
        # The last digit of 1 - 1 may lie below 0.
        return np.where(np.abs(residual) < 1e-12, 0, residual)


class AnyMultiple(RprecMult):
    """Precision at any multiple of R; 0 where that is no rank."""

    def check(self) -> None:
        """Nothing: trec_eval takes any number."""

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) if self.m > 0 else np.zeros(len(hits))


class Utility(Measure):
    """What a result is worth, with a price for each of the four kinds of document.

    Where the size of the collection is not given, it counts as 0: the number of documents neither
    returned nor relevant then lies below 0.
    """

    w: tuple[float, ...] = (1, -1, 0, 0)
    rel: float = 1
    docs: float = 0

    def score(self, hits: Hits) -> Floats:
        found = hits.count(hits.relevant(self.rel))
        wanted = hits.judgments.relevant(self.rel)
        rest = self.docs + found - hits.returned - wanted
        p1, p2, p3, p4 = self.w
        worth: Floats = p1 * found + p2 * (hits.returned - found) + p3 * (wanted - found)
        return worth + p4 * rest


class SetF(Measure):
    """F of the whole result, with `x` the square of what is called beta elsewhere."""

    x: float = 1
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        found = hits.count(hits.relevant(self.rel))
        precision, recall = found / hits.returned, found / hits.judgments.relevant(self.rel)
        return (self.x + 1) * precision * recall / (self.x * precision + recall)


class ElevenPoint(Interpolated):
    """Interpolated precision, averaged over the levels of recall that are listed.

    They are gone through from the last to the first, and only downwards: from the first that lies
    above the one before it, all count as level 0.
    """

    at: tuple[float, ...] = (0.0,)

    def score(self, hits: Hits) -> Floats:
        values = self.at_levels(hits, (*self.at, 0.0))
        wanted = hits.judgments.relevant(self.rel)
        found = hits.count(hits.relevant(self.rel))
        lowest, stuck = found, np.zeros(len(hits), dtype=bool)
        started = np.zeros(len(hits), dtype=bool)
        total = np.zeros(len(hits))
        for level, value in zip(reversed(self.at), values[-2::-1], strict=True):
            needed = needed_for(level, wanted, self.rounding)
            started |= needed <= found
            stuck |= started & (needed > lowest)
            lowest = np.where(started, np.minimum(lowest, needed), lowest)
            total += np.where(stuck, values[-1], value)
        return total / len(self.at)
