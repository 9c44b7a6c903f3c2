"""Judging of one topic: its state, its documents by name, and its counts."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from cleverdon.pool.adaptive.base import Method, State
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import OfTopic


class JudgedTopic:
    """How far one topic has come."""

    def __init__(self, of: OfTopic, method: Method, seed: int) -> None:
        # Of the name and not of the position, so that it is the same with other topics beside it.
        random = np.random.default_rng([seed, crc32(of.topic.encode())])
        of = _shuffled(of, random)
        self.docs = of.docs
        self.number = {doc: number for number, doc in enumerate(of.docs)}
        self.state: State = method.begin(of, random)
        self.relevant = 0
        self.fruitless = 0  # given and judged in a row, and none of them relevant
        self._given: set[int] = set()
        self._row: list[int] = []  # given and judged, in the order of judgments

    @property
    def given(self) -> int:
        """How many documents were given."""
        return len(self._given)

    @property
    def judged(self) -> int:
        """How many are judged, given or not."""
        return len(self.state.relevant)

    def ended(self, limits: Limits) -> str:
        """Why nothing more is to be given; empty where something is."""
        if not self.state.left:
            return "all given"
        if limits.budget is not None and self.given >= limits.budget:
            return "budget"
        if limits.target is not None and self.relevant >= limits.target:
            return "target"
        if limits.patience is not None and self.fruitless >= limits.patience:
            return "patience"
        return ""

    def give(self) -> str | None:
        """The next document; None where all were given, or judged without that."""
        number = self.state.next()
        if number is None:
            return None
        self._given.add(number)
        return self.docs[number]

    def judge(self, doc: str, relevant: bool) -> None:
        """Take a judgment, of a document that was given or of another one."""
        number = self.number[doc]
        known = self.state.relevant
        before = known.get(number)
        self.state.judge(number, relevant)
        self.relevant += relevant - bool(before)
        # Judgments that were there before say nothing of how long the search has been in vain.
        if number not in self._given:
            return
        if before is None:
            self._row.append(number)
            self.fruitless = 0 if relevant else self.fruitless + 1
        elif before is not relevant:
            row = [known[number] for number in reversed(self._row)]
            self.fruitless = row.index(True) if True in row else len(row)


def _shuffled(of: OfTopic, random: np.random.Generator) -> OfTopic:
    """The same with documents and systems numbered by chance: by that, methods break ties."""
    docs = random.permutation(len(of.docs))
    systems = random.permutation(of.systems)
    number, place = np.argsort(docs), np.argsort(systems)
    order = np.argsort(place[of.system], kind="stable")
    return OfTopic(
        of.topic,
        [of.docs[doc] for doc in docs],
        place[of.system][order],
        number[of.doc][order],
        of.rank[order],
        of.score[order],
        of.systems,
    )
