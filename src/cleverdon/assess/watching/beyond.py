"""What the pool may have missed: by how much systems found in common (capture-recapture).

The pool's file says which system returned which document at which rank. Rankings are made of it
again, once, and held against the judgments that there are, by the same code as `cleverdon recall`.
Where only a part of the pool is judged so far, in shuffled order, the shares stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path

from cleverdon.assess.project import POOL
from cleverdon.assess.watching.facts import Facts
from cleverdon.assess.watching.measured import Measured, not_yet, unknown
from cleverdon.assess.watching.recall import without_chosen
from cleverdon.data import Judgments, Run
from cleverdon.errors import CleverdonError
from cleverdon.pool.file import read_pool
from cleverdon.pool.recall import recall
from cleverdon.pool.recall.recalled import Recall
from cleverdon.show.grid import printable
from cleverdon.show.recall_words import bound, depends, next_step

FEWEST = 5
"""Relevant documents below which nothing is said of those that are missing."""


@dataclass(frozen=True)
class Beyond:
    """What of all that is relevant the pool holds, as far as systems tell."""

    recall: Measured  # of the pool: an upper bound, unless systems complement each other
    bounded: bool  # whether it is such a bound
    sentences: tuple[str, ...] = ()


class Systems:
    """The rankings of which a project's pool was made."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / POOL

    @cached_property
    def _read(self) -> tuple[Mapping[str, Run], int, str]:
        """Rankings by system, how deep the pool is, and why there are none."""
        if not self._path.is_file():
            return {}, 0, "the pool does not say which systems its documents are from"
        try:
            pool = read_pool(self._path)
        except CleverdonError as error:
            return {}, 0, f"the pool cannot be read: {error}"
        nested: dict[str, dict[str, dict[str, float]]] = {}
        deepest = 1
        for topic, at in pool.rows():
            for system, rank in pool.contributions(at).items():
                deepest = max(deepest, rank)
                nested.setdefault(system, {}).setdefault(topic, {})[pool.docs[at]] = -float(rank)
        if len(nested) < 2:
            return {}, 0, "it takes two systems at least to see what they found in common"
        depth = pool.how.get("k")
        runs = {name: Run.read(given, name=name) for name, given in nested.items()}
        return runs, depth if isinstance(depth, int) else deepest, ""

    def beyond(self, facts: Facts, grades: Mapping[int, int]) -> Beyond:
        """How much the pool may have missed, by the grades of items."""
        runs, depth, why = self._read
        if facts.adaptive:
            why = "an adaptive method judges first what many systems found, which would mislead"
        if why:
            return Beyond(unknown(why), False)
        line = facts.scale.relevant
        judged: dict[str, dict[str, float]] = {}
        pooled = list(chain.from_iterable(without_chosen(facts, grades).values()))
        for item in pooled:
            if item.id in grades:
                judged.setdefault(item.topic, {})[item.document] = float(grades[item.id])
        relevant = sum(grade >= line for of_topic in judged.values() for grade in of_topic.values())
        if relevant < FEWEST:
            why = f"it needs {FEWEST} relevant documents: {relevant} so far"
            return Beyond(unknown(why, of=relevant), False)
        # Of the others it is not known yet what they find.
        there = {name: run for name, run in runs.items() if not judged.keys().isdisjoint(run)}
        if len(there) < 2:
            why = f"not yet, since it needs two systems with a judged topic: {len(there)} so far"
            return Beyond(unknown(why, of=relevant), False)
        try:
            found = recall(Judgments.read(judged), there, depth=depth, rel=line, reusing=False)
        except CleverdonError as error:
            return Beyond(unknown(not_yet(error), of=relevant), False)
        without = [name for name in runs if name not in there]
        return _told(found, sum(map(len, judged.values())), len(pooled), without)


def _told(found: Recall, judged: int, pooled: int, without: Sequence[str]) -> Beyond:
    best = found.best
    if best is None:
        why = "more is known by now than systems would have in common"
        return Beyond(unknown(why, of=found.relevant), False)
    value, low, high = (end if isfinite(end) else None for end in best.all.recall())
    part = (
        f"Only {judged:,} of the pool's {pooled:,} documents are judged: the share stands for all "
        "of it, and the number that follows for the judged part alone."
    )
    named = ", ".join(map(printable, without))
    sentences = (
        f"Left out, since no topic of theirs is judged yet: {named}." if without else "",
        part if judged < pooled else "",
        bound(found, best.all),
        depends(found),
        next_step(found),
    )
    return Beyond(
        Measured(value, low, high, found.relevant),
        found.bounded,
        tuple(sentence for sentence in sentences if sentence),
    )
