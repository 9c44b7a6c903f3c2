"""What changed from some judgments to others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cleverdon import _core
from cleverdon.annotations import Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError

Grade = float | None
"""None where a document is not mentioned."""


@dataclass(frozen=True)
class Change:
    """One judgment that is not as it was."""

    query: str
    doc: str
    before: Grade
    after: Grade


@dataclass(frozen=True)
class TopicDiff:
    """What changed for one topic."""

    topic: str
    same: int
    added: int
    removed: int
    changed: int
    relevant_before: int
    relevant_after: int


@dataclass(frozen=True, eq=False)
class Diff:
    """What changed from some judgments to others."""

    names: tuple[str, str]
    rel: float
    changes: tuple[Change, ...]
    topics: tuple[TopicDiff, ...]  # all topics of both
    only_before: tuple[str, ...]  # topics
    only_after: tuple[str, ...]
    transitions: dict[tuple[Grade, Grade], int]  # from grade to grade, the same ones among them
    beside: int  # judgments of the same grade whose subtopics, stratum or probability changed

    @property
    def same(self) -> int:
        return sum(topic.same for topic in self.topics)

    @cached_property
    def added(self) -> int:
        return sum(topic.added for topic in self.topics)

    @cached_property
    def removed(self) -> int:
        return sum(topic.removed for topic in self.topics)

    @cached_property
    def changed(self) -> int:
        return sum(topic.changed for topic in self.topics)

    @property
    def crossed(self) -> tuple[int, int]:
        """Documents of both that became relevant, and that no longer are."""
        moved = [
            ((before >= self.rel), (after >= self.rel), count)
            for (before, after), count in self.transitions.items()
            if before is not None and after is not None
        ]
        became = sum(count for was, now, count in moved if now and not was)
        return became, sum(count for was, now, count in moved if was and not now)


def diff(before: Any, after: Any, *, rel: float = 1) -> Diff:
    """Compare two judgments document by document.

    >>> found = diff({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2, "c": 0}})
    >>> [(change.doc, change.before, change.after) for change in found.changes]
    [('a', 1.0, 2.0), ('b', 0.0, None), ('c', None, 0.0)]
    """
    old, new = Judgments.read(before), Judgments.read(after)
    if not set(old.queries) & set(new.queries):
        raise InputError(
            f"the two have no query in common: {_label(old)} has {old.queries[0]!r}, "
            f"{_label(new)} has {new.queries[0]!r}"
        )
    changes: list[Change] = []
    topics: list[TopicDiff] = []
    transitions: Counter[tuple[Grade, Grade]] = Counter()
    beside = 0
    for query in dict.fromkeys([*old.queries, *new.queries]):
        # Judgments are no dict, and have no `get`.
        were, are = (of[query] if query in of else {} for of in (old, new))  # noqa: SIM401
        counts = Counter[str]()
        for doc in dict.fromkeys([*were, *are]):
            change = Change(query, doc, were.get(doc), are.get(doc))
            transitions[change.before, change.after] += 1
            counts[_kind(change)] += 1
            if change.before != change.after:
                changes.append(change)
            else:
                beside += _noted(old, query, doc) != _noted(new, query, doc)
        topics.append(
            TopicDiff(
                topic=query,
                **{name: counts[name] for name in ("same", "added", "removed", "changed")},
                relevant_before=_relevant(were.values(), rel),
                relevant_after=_relevant(are.values(), rel),
            )
        )
    return Diff(
        names=(_label(old), _label(new)),
        rel=rel,
        changes=tuple(changes),
        topics=tuple(topics),
        only_before=tuple(query for query in old.queries if query not in new),
        only_after=tuple(query for query in new.queries if query not in old),
        transitions=dict(transitions),
        beside=beside,
    )


def applied(found: Diff, judgments: Any) -> Judgments:
    """Judgments with the changes made; they have to be what was compared.

    >>> old, new = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2, "c": 0}}
    >>> applied(diff(old, new), old).to_dict() == new
    True
    """
    given = Judgments.read(judgments)
    nested: Nested = given.to_dict()
    for change in found.changes:
        held = nested.setdefault(change.query, {})
        if held.get(change.doc) != change.before:
            raise InputError(
                f"document {change.doc!r} of query {change.query!r} had grade {change.before}, and "
                f"has {held.get(change.doc)} here: these are other judgments"
            )
        if change.after is None:
            del held[change.doc]
        else:
            held[change.doc] = change.after
    left = {query: docs for query, docs in nested.items() if docs}
    return Judgments(_core.Table.from_dict(left, Judgments.kind, "unchecked"), name=given.name)


def _kind(change: Change) -> str:
    if change.before is None:
        return "added"
    if change.after is None:
        return "removed"
    return "same" if change.before == change.after else "changed"


def _relevant(grades: Iterable[float], rel: float) -> int:
    return sum(grade >= rel for grade in grades)


def _label(judgments: Judgments) -> str:
    return judgments.source or judgments.name


def _noted(judgments: Judgments, query: str, doc: str) -> tuple[Any, ...]:
    """What is said of a document beside its grade, so that it can be compared."""
    notes = judgments.notes
    kinds = (notes.subtopics, notes.stratum, notes.probability)
    found = [(kind or {}).get(query, {}).get(doc) for kind in kinds]
    # NaN, of what was not drawn, would not even equal itself.
    return tuple(
        "not drawn" if isinstance(value, float) and math.isnan(value) else value for value in found
    )
