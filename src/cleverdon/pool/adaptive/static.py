"""Orders that no judgment changes: what adaptive methods are to be better than."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.pool.adaptive.base import Method, State, method
from cleverdon.pool.contributions import OfTopic
from cleverdon.pool.fusion import RRF_CONSTANT, reciprocal_ranks


class _InOrder(State):
    """Documents one after the other."""

    def __init__(self, of: OfTopic, order: Ints) -> None:
        super().__init__(of)
        docs: list[int] = order.tolist()
        self._rest = iter(docs)

    def _choose(self) -> int:
        return next(doc for doc in self._rest if not self.seen[doc])

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        pass


@method
@dataclass(frozen=True)
class Depth(Method):
    """By the best rank that any system gave a document, as pools of growing depth.

    Of equal ones, what more systems returned comes first.
    """

    name: ClassVar[str] = "depth"
    summary: ClassVar[str] = "by the best rank that any system gave it: pools of growing depth"

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        systems = np.bincount(of.doc, minlength=len(of.docs))
        return _InOrder(of, np.lexsort((-systems, of.best_rank)))


@method
@dataclass(frozen=True)
class ReciprocalRanks(Method):
    """By reciprocal rank fusion: the sum of 1 / (k + rank) over the systems that returned it."""

    name: ClassVar[str] = "rrf"
    summary: ClassVar[str] = "by reciprocal rank fusion of all systems"

    k: float = RRF_CONSTANT

    def __post_init__(self) -> None:
        self._check("k", 0, 1e9)

    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        fused = reciprocal_ranks(of.doc, of.rank, len(of.docs), constant=self.k)
        return _InOrder(of, np.argsort(-fused, kind="stable"))
