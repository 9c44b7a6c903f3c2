"""The Hedge algorithm: systems as experts whose weights fall with their losses."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log
from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats, Ints, ranges
from cleverdon.pool.adaptive.base import Holders, Method, State, method
from cleverdon.pool.contributions import OfTopic

_NEGLIGIBLE = 40.0
"""A weight smaller than another by this factor, as a logarithm, is lost in rounding."""


@method
@dataclass(frozen=True)
class Hedge(Method):
    """The document that the systems, each by its weight, hold to be relevant most.

    Aslam, Pavlu & Savell 2003, doi:10.1145/956863.956953. A document at rank r of a system is
    worth g = ln(Z / r) / 2, where Z is how many documents all systems returned for the topic; one
    that it did not return, the mean of that over the ranks from its last one to Z. A system loses g
    by a document that is not relevant, and wins g by a relevant one; its weight is multiplied by
    beta to the power of its loss. The document is next of which the sum of weights times g is
    largest.
    """

    name: ClassVar[str] = "hedge"
    summary: ClassVar[str] = "by a fusion of all systems whose weights follow their losses"

    beta: float = 0.1

    def __post_init__(self) -> None:
        self._check("beta", 0, 1, open=True)

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        return _Experts(of, log(self.beta))


class _Experts(State):
    """The systems' weights, as logarithms, and what they say of each document."""

    def __init__(self, of: OfTopic, log_beta: float) -> None:
        super().__init__(of)
        self._log_beta = log_beta
        self._holders = Holders(of)
        size = len(of.docs)
        counts = np.bincount(of.system, minlength=of.systems)
        self._unseen = counts.copy()
        self._tail = np.array([_mean_below(n, size) for n in counts.tolist()])
        self._gain = _gain(of.rank, size)
        # What a system says of a document beyond what it says of all that it did not return.
        self._beyond = self._gain - self._tail[of.system]
        self._counts, self._starts = counts, np.cumsum(counts) - counts
        self._active = np.zeros(0, dtype=np.int64)
        self._rows = of.doc[:0], self._beyond[:0]  # those of the active systems
        self._closed = np.zeros(size)  # minus infinity for what has been seen
        self._weight = np.zeros(of.systems)
        self._scores: Floats | None = None

    def _see(self, doc: int) -> None:
        super()._see(doc)
        self._unseen[self._holders.of(doc)[0]] -= 1
        self._closed[doc] = -np.inf
        if self._scores is not None:
            self._scores[doc] = -np.inf

    def _choose(self) -> int:
        if self._scores is None:
            self._scores = self._summed()
        return int(self._scores.argmax())

    def _summed(self) -> Floats:
        """Of each document, what the systems say of it together.

        Only systems that still have a document to offer count, and of those the ones whose weight
        is not lost beside the largest.
        """
        best = self._weight[self._unseen > 0].max()
        active = ((self._unseen > 0) & (self._weight > best - _NEGLIGIBLE)).nonzero()[0]
        if not np.array_equal(active, self._active):  # most often the same as last time
            self._active = active
            rows = ranges(self._starts[active], self._counts[active])
            self._rows = self.of.doc[rows], self._beyond[rows]
        docs, beyond = self._rows
        weights = np.exp(self._weight[active] - best)
        said = np.repeat(weights, self._counts[active]) * beyond
        return np.bincount(docs, weights=said, minlength=len(self.seen)) + self._closed

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        systems, places = self._holders.of(doc)
        gain = self._tail.copy()
        gain[systems] = _gain(places + 1, len(self.of.docs))
        # Relevant: the loss is -gain. Where that was said otherwise before, that is undone as well.
        times = 1 if before is None else 2
        self._weight += self._log_beta * times * (-gain if relevant else gain)
        self._scores = None


def _gain(rank: Ints, size: int) -> Floats:
    return 0.5 * np.log(size / rank)


def _mean_below(n: int, size: int) -> float:
    """The mean of ln(size / r) / 2 over the ranks r below n, down to size."""
    if n == size:
        return 0.0
    return 0.5 * (log(size) - (lgamma(size + 1) - lgamma(n + 1)) / (size - n))
