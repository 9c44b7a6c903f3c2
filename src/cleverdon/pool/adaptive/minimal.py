"""Minimal test collections: the document that most separates the systems now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats, summed
from cleverdon.errors import OptionError
from cleverdon.pool.adaptive.base import Holders, Method, State, method
from cleverdon.pool.contributions import OfTopic


@method
@dataclass(frozen=True)
class MinimalCollections(Method):
    """The document whose relevance changes the differences of average precision most.

    Carterette, Allan & Sitaraman 2006, doi:10.1145/1148170.1148219. With x = 1 for relevant
    documents, average precision times R is the sum over pairs of documents i <= j of
    x_i x_j / max(rank i, rank j). So a document i, were it relevant, adds to it

        1 / rank i  +  sum over the others j of x_j / max(rank i, rank j),

    and the difference of that between two systems is the weight of the document for them. A
    document that is not judged yet stands in the sum with its `chance` to be relevant. Over all
    pairs of systems, the squares of the weights are summed.
    """

    name: ClassVar[str] = "mtc"
    summary: ClassVar[str] = "the document that most separates the systems now, by AP"

    chance: float = 0.5

    def __post_init__(self) -> None:
        self._check("chance", 0, 1)

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        if of.systems < 2:
            raise OptionError("mtc separates systems, and there is one only; give more runs")
        return _Separating(of, self.chance)


class _Separating(State):
    """What each document would add to each system's average precision."""

    def __init__(self, of: OfTopic, chance: float) -> None:
        super().__init__(of)
        self._chance = chance
        self._holders = Holders(of)
        counts = np.bincount(of.system, minlength=of.systems)
        self._starts = np.concatenate(([0], np.cumsum(counts))).tolist()
        self._inverse = 1 / np.arange(1, counts.max() + 1)
        harmonic = np.cumsum(self._inverse)
        above = (of.rank - 1) / of.rank
        below = harmonic[counts[of.system] - 1] - harmonic[of.rank - 1]
        self._added = 1 / of.rank + chance * (above + below)
        self._weights: Floats | None = None

    def _see(self, doc: int) -> None:
        super()._see(doc)
        if self._weights is not None:
            self._weights[doc] = -1

    def _choose(self) -> int:
        if self._weights is None:
            self._weights = self._separation()
        return int(self._weights.argmax())

    def _separation(self) -> Floats:
        """Of each document, the sum of its squared weights over all pairs of systems.

        What it adds to systems that did not return it is 0.
        """
        doc, size = self.of.doc, len(self.seen)
        total = summed(doc, self._added, size)
        squares = summed(doc, self._added * self._added, size)
        weights = self.of.systems * squares - total * total
        # Rounding must not make a difference where there is none.
        weights[weights < 1e-12 * squares] = 0
        weights[np.frombuffer(self.seen, dtype=np.uint8) > 0] = -1
        return weights

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        change = relevant - (self._chance if before is None else float(before))
        for system, place in zip(*map(np.ndarray.tolist, self._holders.of(doc)), strict=True):
            start, stop = self._starts[system : system + 2]
            added = self._added[start:stop]
            added[:place] += change * self._inverse[place]
            added[place + 1 :] += change * self._inverse[place + 1 : stop - start]
        self._weights = None
