"""Judging topic by topic: gives the next documents, takes judgments, and knows when to stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from cleverdon.errors import InputError, OptionError, check_seed
from cleverdon.pool.adaptive.base import Method, parse_method
from cleverdon.pool.adaptive.judged_topic import JudgedTopic
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import Contributions

Judgment = tuple[str, str, float]
"""Topic, document, grade."""

Record = Callable[[list[dict[str, Any]]], object]
"""Keeps what happened; see `journal.py`."""


@dataclass(frozen=True)
class Tally:
    """How far judging has come."""

    pooled: int  # documents that could be given
    given: int
    judged: int  # of those that some system returned, given or not
    relevant: int  # of those
    waiting: int  # given and not judged yet
    elsewhere: int  # judged, and returned by no system
    topics: int
    ended: dict[str, int]  # why topics are over, and how many are
    total: int | None = None  # the limit over all topics, where it is reached


class Judging:
    """What to judge next, over all topics in turn.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> judging = Judging(gather(runs), "mtf")
    >>> for topic, doc in judging:
    ...     judging.judge(topic, doc, 1 if doc == "d3" else 0)
    >>> judging.tally.given, judging.tally.relevant
    (3, 1)

    Documents are relevant from the grade `rel` on. With the same seed and the same judgments, the
    same documents come in the same order. Nothing tells a judge who returned a document, or where.
    """

    def __init__(
        self,
        contributions: Contributions,
        method: str | Method = "mtf",
        *,
        seed: int = 0,
        rel: float = 1,
        topics: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        seed = check_seed(seed)
        if not isfinite(rel):
            raise OptionError(f"rel={rel!r}: the lowest grade that is relevant is a number")
        self.contributions = contributions
        self.method = parse_method(method)
        self.seed, self.rel = seed, rel
        self.topics = _chosen(contributions.topics, topics)
        self._places = {topic: place for place, topic in enumerate(self.topics)}
        self.limits = limits or Limits()
        self.given: list[tuple[str, str]] = []
        """What was given, in this order."""
        self.grades: dict[str, dict[str, float]] = {}
        """All judgments: topic to document to grade."""
        self._record: Record = _forget
        self._states: dict[str, JudgedTopic] = {}
        self._turn = 0
        self._waiting: dict[tuple[str, str], None] = {}
        self._again: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self

    def __next__(self) -> tuple[str, str]:
        found = self.next(1)
        if not found:
            raise StopIteration
        return found[0]

    def next(self, n: int) -> list[tuple[str, str]]:
        """The next documents, at most n: topics in turn, each topic's in a shuffled order.

        Fewer or none where limits are reached. After a stop, documents that were given and not
        judged come first, so that none is lost.
        """
        again = [pair for pair in self._again if pair in self._waiting]
        found, self._again = again[:n], again[n:]
        new: list[tuple[str, str]] = []
        while len(found) + len(new) < n and (pair := self._one()) is not None:
            new.append(pair)
        if new:
            self._record([{"given": new}])
        return self._blind([*found, *new])

    def judge(self, topic: str, doc: str, grade: float) -> None:
        """Take a judgment; of a document that was judged before, the last one holds.

        It may be of a document that was not given: one that some system returned teaches as any
        other and is not given any more; one that none did is only kept.
        """
        self.judge_all([(topic, doc, grade)])

    def judge_all(self, judgments: Iterable[Judgment]) -> int:
        """Take several; returns how many say something new.

        What is not judged has no grade: a grade below 0, as qrels have it for documents that are
        pooled and not judged, is refused.
        """
        new = [
            judgment
            for judgment in map(_checked, judgments)
            if self.grades.get(judgment[0], {}).get(judgment[1]) != judgment[2]
        ]
        if new:
            self._record([{"judged": judgment} for judgment in new])
        for judgment in new:
            self._learn(judgment)
        return len(new)

    @property
    def waiting(self) -> list[tuple[str, str]]:
        """What is given and not judged yet, in the order in which it was given."""
        return list(self._waiting)

    @property
    def tally(self) -> Tally:
        """How far judging has come."""
        states = [self._topic(topic) for topic in self.topics]
        judged = sum(state.judged for state in states)
        reasons = Counter(state.ended(self.limits) for state in states)
        return Tally(
            pooled=sum(len(state.docs) for state in states),
            given=len(self.given),
            judged=judged,
            relevant=sum(state.relevant for state in states),
            waiting=len(self._waiting),
            elsewhere=sum(map(len, self.grades.values())) - judged,
            topics=len(states),
            ended={reason: count for reason, count in reasons.items() if reason},
            total=self.limits.total if self._spent else None,
        )

    def limit(self, **changed: int | None) -> None:
        """Go on with other limits."""
        limits = replace(self.limits, **changed)
        if limits != self.limits:
            self._record([{"limits": vars(limits)}])
            self.limits = limits

    def replay(self, entry: dict[str, Any]) -> None:
        """Do again what a record says; raises a ValueError where it cannot have happened so."""
        if "judged" in entry:
            topic, doc, grade = entry["judged"]
            self._learn(_checked((topic, doc, grade)))
        elif "given" in entry:
            for topic, doc in entry["given"]:
                self._give_again(topic, doc)
        else:
            self.limits = Limits(**entry["limits"])

    def replayed(self, record: Record) -> None:
        """From here on things happen anew: they are recorded, and what waits comes first."""
        self._record = record
        self._again = self.waiting

    @property
    def _spent(self) -> bool:
        return self.limits.total is not None and len(self.given) >= self.limits.total

    def _topic(self, topic: str) -> JudgedTopic:
        if topic not in self._states:
            self._states[topic] = JudgedTopic(self.contributions.of(topic), self.method, self.seed)
        return self._states[topic]

    def _one(self) -> tuple[str, str] | None:
        if self._spent:
            return None
        for step in range(len(self.topics)):
            at = (self._turn + step) % len(self.topics)
            state = self._topic(self.topics[at])
            if not state.ended(self.limits):
                self._turn = at + 1
                return self._give(self.topics[at], state)
        return None

    def _give(self, topic: str, state: JudgedTopic) -> tuple[str, str]:
        doc = state.give()
        if doc is None:
            raise ValueError(f"no document of topic {topic!r} is left to give")
        pair = topic, doc
        self.given.append(pair)
        self._waiting[pair] = None
        return pair

    def _give_again(self, topic: str, doc: str) -> None:
        if topic not in self._places:
            raise ValueError(f"there is no topic {topic!r}")
        _, found = self._give(topic, self._topic(topic))
        if found != doc:
            raise ValueError(f"of topic {topic!r}, document {found!r} would be given, not {doc!r}")
        self._turn = self._places[topic] + 1

    def _learn(self, judgment: Judgment) -> None:
        topic, doc, grade = judgment
        self.grades.setdefault(topic, {})[doc] = grade
        self._waiting.pop((topic, doc), None)
        if topic in self._places and doc in self._topic(topic).number:
            self._topic(topic).judge(doc, bool(grade >= self.rel))

    def _blind(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Topic by topic, and within a topic in an order that says nothing."""
        if len(pairs) < 2:
            return pairs
        random = np.random.default_rng([self.seed, len(self.given), len(pairs)])
        mixed = [pairs[at] for at in random.permutation(len(pairs))]
        return sorted(mixed, key=lambda pair: self._places[pair[0]])


def _chosen(all_topics: tuple[str, ...], wanted: Sequence[str] | None) -> tuple[str, ...]:
    if wanted is None:
        return all_topics
    for topic in wanted:
        if topic not in all_topics:
            raise InputError(f"no system returned anything for topic {topic!r}")
    return tuple(dict.fromkeys(wanted))


def _forget(entries: list[dict[str, Any]]) -> None:
    """Without a journal, nothing is kept."""


def _checked(judgment: Judgment) -> Judgment:
    topic, doc, grade = judgment
    if not isinstance(grade, (int, float)) or not isfinite(grade):
        raise InputError(f"the grade {grade!r} of document {doc!r}, topic {topic!r}, is no number")
    if grade < 0:
        raise InputError(
            f"the grade {grade:g} of document {doc!r}, topic {topic!r}, is below 0: use 0 for "
            "junk, and leave out what is not judged"
        )
    return topic, doc, float(grade)
