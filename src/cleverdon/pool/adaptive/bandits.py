"""Systems as the arms of a bandit: each judgment is a reward of the system that was played.

Losada, Parapar & Barreiro 2016 ("Feeling lucky?", SAC), and 2017,
doi:10.1016/j.ipm.2017.04.005. What is believed of a system's next document is a Beta distribution:
uniform at first, then Beta(1 + hits, 1 + misses). With a `memory` below 1, what was seen earlier
fades: at each new judgment of a system, its counts are multiplied by it before the judgment is
added. With memory 1 nothing fades (the stationary kind); with memory 0 the last judgment counts
alone. Among systems that promise the same, the one is played that has been read least far.

Which judgments teach something about a system is said by `credit`: `giver`, those of documents that
were taken from its ranking; `all`, those of all documents that it returned. A document that was
judged and never given, as by old judgments that are handed over, was taken from no ranking: with
`giver`, the system that ranks it best has the credit, or each of them where several do. Documents
that are given and not judged yet count as misses until they are, so that the documents of a batch
come from several systems.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import check_word
from cleverdon.pool.adaptive.base import Holders, Method, State, method
from cleverdon.pool.contributions import OfTopic

CREDITS = ("giver", "all")

_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Bandit(Method):
    """What all bandits share: how fast they forget, and whom a judgment teaches about."""

    memory: float = 1.0
    credit: str = "giver"

    def __post_init__(self) -> None:
        self._check("memory", 0, 1)
        check_word("credit", self.credit, CREDITS)

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        return _Arms(of, self, random)

    @abstractmethod
    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        """Of each system, what its next document promises."""


@method
@dataclass(frozen=True)
class MaxMean(_Bandit):
    """The system of which the mean is highest."""

    name: ClassVar[str] = "max-mean"
    summary: ClassVar[str] = "a bandit: from the system with the largest share of relevant so far"

    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        means: Floats = (1 + hits) / (2 + hits + misses)
        return means


@method
@dataclass(frozen=True)
class MaxMeanFading(MaxMean):
    """The same where the last judgment counts most: systems run dry further down."""

    name: ClassVar[str] = "max-mean-ns"
    summary: ClassVar[str] = "the same, non-stationary: earlier judgments fade"

    memory: float = 0.0


@method
@dataclass(frozen=True)
class Thompson(_Bandit):
    """A draw from each system's distribution; the highest is played. Non-stationary by default."""

    name: ClassVar[str] = "thompson"
    summary: ClassVar[str] = "a bandit: Thompson sampling, non-stationary, drawn by the seed"

    memory: float = 0.9

    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        return random.beta(1 + hits, 1 + misses)


class _Arms(State):
    """What is known of each system."""

    def __init__(self, of: OfTopic, how: _Bandit, random: np.random.Generator) -> None:
        super().__init__(of)
        self._how, self._random = how, random
        self._rankings: list[list[int]] = [ranking.tolist() for ranking in of.rankings]
        self._holders = Holders(of)
        self._shown = np.zeros(of.systems, dtype=np.int64)
        self._dry = np.array([not ranking for ranking in self._rankings])
        self._hits = np.zeros(of.systems)
        self._misses = np.zeros(of.systems)
        self._waiting = np.zeros(of.systems)
        self._judged = np.zeros(of.systems, dtype=np.int64)
        self._giver: dict[int, int] = {}
        self._taught: dict[int, tuple[Ints, Ints]] = {}  # which systems, and as their how-manieth

    def _choose(self) -> int:
        misses = self._misses + self._waiting
        values = self._how.values(self._hits, misses, self._random)
        values[self._dry] = -1
        while True:
            equals = (values >= values.max() - _ROUNDING).nonzero()[0]
            system = int(equals[self._shown[equals].argmin()])
            ranking, place = self._rankings[system], int(self._shown[system])
            while place < len(ranking) and self.seen[ranking[place]]:
                place += 1
            self._shown[system] = place
            if place < len(ranking):
                self._giver[ranking[place]] = system
                self._waiting[system] += 1
                return ranking[place]
            self._dry[system] = True
            values[system] = -1

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        if before is not None:
            self._correct(doc, relevant)
            return
        giver = self._giver.get(doc)
        if giver is not None:
            self._waiting[giver] -= 1
        systems = self._credited(doc, giver)
        self._hits[systems] = self._how.memory * self._hits[systems] + relevant
        self._misses[systems] = self._how.memory * self._misses[systems] + (not relevant)
        self._judged[systems] += 1
        self._taught[doc] = systems, self._judged[systems]

    def _credited(self, doc: int, giver: int | None) -> Ints:
        if self._how.credit == "giver" and giver is not None:
            return np.array([giver], dtype=np.int64)
        systems, places = self._holders.of(doc)
        return systems if self._how.credit == "all" else systems[places == places.min()]

    def _correct(self, doc: int, relevant: bool) -> None:
        """Turn a hit into a miss or a miss into a hit, as far as it has not faded."""
        systems, then = self._taught[doc]
        change = self._how.memory ** (self._judged[systems] - then).astype(float)
        change *= 1 if relevant else -1
        self._hits[systems] += change
        self._misses[systems] -= change
