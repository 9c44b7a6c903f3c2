"""Move-to-front pooling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cleverdon.pool.adaptive.base import Holders, Method, State, method
from cleverdon.pool.contributions import OfTopic

_EXHAUSTED = np.iinfo(np.int64).min
_STEP = 1 << 40
"""What a place in the queue is worth, above any number of judgments."""


@method
@dataclass(frozen=True)
class MoveToFront(Method):
    """The next document of the system that has most recently returned a relevant one.

    Local move-to-front of Cormack, Palmer & Clarke 1998, doi:10.1145/290941.291009: each system
    shows its documents in the order of its ranking, and has a priority, which is set to the maximum
    by a relevant document and lowered by one by any other. A document that another system has
    already brought counts as well when a system comes to it, and costs nothing. The system of the
    highest priority is next; among equals, the one whose last relevant document is the most recent.
    A document that is not judged yet counts as not relevant until it is, so that the documents of
    a batch come from several systems.
    """

    name: ClassVar[str] = "mtf"
    summary: ClassVar[str] = "from the system that most recently returned a relevant document"

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        return _Queue(of)


class _Queue(State):
    """Systems with how many documents each has shown since its last relevant one."""

    def __init__(self, of: OfTopic) -> None:
        super().__init__(of)
        self._rankings: list[list[int]] = [ranking.tolist() for ranking in of.rankings]
        self._holders = Holders(of)
        self._shown = [0] * of.systems
        self._last = [-1] * of.systems  # where the last relevant document stood
        self._time = 0
        self._moved = [0] * of.systems  # when it was seen
        self._priority = np.zeros(of.systems, dtype=np.int64)
        for system in range(of.systems):
            self._place(system)

    def _place(self, system: int) -> None:
        shown = self._shown[system]
        if shown == len(self._rankings[system]):
            self._priority[system] = _EXHAUSTED
            return
        fruitless = shown - 1 - self._last[system]
        self._priority[system] = self._moved[system] - fruitless * _STEP

    def _choose(self) -> int:
        while True:
            system = int(self._priority.argmax())
            place = self._shown[system]
            doc = self._rankings[system][place]
            self._shown[system] += 1
            if self.relevant.get(doc):
                self._move(system, place)
            self._place(system)
            if not self.seen[doc]:
                return doc

    def _move(self, system: int, place: int) -> None:
        self._time += 1
        self._last[system], self._moved[system] = place, self._time

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        for system, place in zip(*map(np.ndarray.tolist, self._holders.of(doc)), strict=True):
            if place >= self._shown[system]:
                continue  # counts when the system comes to it
            if relevant and place > self._last[system]:
                self._move(system, place)
            elif before and place == self._last[system]:
                earlier = self._rankings[system][:place]
                hits = [at for at, doc in enumerate(earlier) if self.relevant.get(doc)]
                self._last[system] = hits[-1] if hits else -1
            self._place(system)
