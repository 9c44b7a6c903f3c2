"""What changed from some judgments to others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from cleverdon import _core
from cleverdon.annotations import Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError

Grade = float | None
"""None where a document is not mentioned."""
Transitions = dict[tuple[Grade, Grade], int]
"""From grade to grade, and how many judgments went there."""
Moved = tuple[str, list[tuple[Any, tuple[Grade, Grade]]]]
"""A query, and its documents (or each with a subtopic) whose grades changed."""
Key = TypeVar("Key", bound=Hashable)
"""A document, or a document and a subtopic of its query."""
Progress = Callable[[int, int], object]
"""Is told how many queries are compared, and of how many."""

_BESIDE = ("subtopics", "stratum", "probability")
"""What judgments may say beside grades."""


@dataclass(frozen=True)
class Change:
    """One judgment that is not as it was."""

    query: str
    doc: str
    before: Grade
    after: Grade
    subtopic: str | None = None  # where subtopics are judged


@dataclass(frozen=True)
class TopicDiff:
    """What changed for one topic."""

    query: str
    same: int
    added: int
    removed: int
    changed: int
    relevant_before: int  # documents
    relevant_after: int


@dataclass(frozen=True, eq=False)
class Diff:
    """What changed from some judgments to others; of subtopics, each grade is one judgment."""

    names: tuple[str, str]
    rel: float
    moved: tuple[Moved, ...]  # a query each, where anything changed
    topics: tuple[TopicDiff, ...]  # all topics of both
    only_before: tuple[str, ...]  # topics
    only_after: tuple[str, ...]
    transitions: Transitions  # the same grades among them
    beside: int  # judgments of the same grade whose stratum or probability changed
    by_subtopic: bool  # whether both judge subtopics, and these were compared
    one_sided: tuple[str, ...]  # what one of the two says beside grades, and the other does not

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every judgment that is not as it was: records of what there may be millions of."""
        if self.by_subtopic:
            return tuple(
                Change(query, doc, *grades, subtopic)
                for query, of_query in self.moved
                for (doc, subtopic), grades in of_query
            )
        return tuple(
            Change(query, doc, *grades)
            for query, of_query in self.moved
            for doc, grades in of_query
        )

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


def diff(before: Any, after: Any, *, rel: float = 1, progress: Progress | None = None) -> Diff:
    """Compare two judgments document by document; where both judge subtopics, these one by one.

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
    have = [{what for what in _BESIDE if getattr(of.notes, what) is not None} for of in (old, new)]
    by_subtopic = "subtopics" in have[0] & have[1]
    noted = sorted((have[0] & have[1]) - {"subtopics"})
    moved: list[Moved] = []
    topics: list[TopicDiff] = []
    transitions: Counter[tuple[Grade, Grade]] = Counter()
    beside = 0
    queries = list(dict.fromkeys([*old.queries, *new.queries]))
    for at, query in enumerate(queries):
        were, are = (_grades(of, query) for of in (old, new))
        changed: list[tuple[Any, tuple[Grade, Grade]]]
        if by_subtopic:
            found, changed = _compared(_pairs(old, query), _pairs(new, query))
        else:
            found, changed = _compared(were, are)
        if changed:
            moved.append((query, changed))
        transitions.update(found)
        topics.append(_topic(query, found, were, are, rel))
        if noted:
            same = (doc for doc, grade in were.items() if are.get(doc) == grade)
            beside += sum(
                _noted(old, noted, query, d) != _noted(new, noted, query, d) for d in same
            )
        if progress is not None:
            progress(at + 1, len(queries))
    return Diff(
        names=_labels(old, new),
        rel=rel,
        moved=tuple(moved),
        topics=tuple(topics),
        only_before=tuple(query for query in old.queries if query not in new),
        only_after=tuple(query for query in new.queries if query not in old),
        transitions=dict(transitions),
        beside=beside,
        by_subtopic=by_subtopic,
        one_sided=tuple(sorted(have[0] ^ have[1])),
    )


def _compared(
    were: Mapping[Key, float], are: Mapping[Key, float]
) -> tuple[Counter[tuple[Grade, Grade]], list[tuple[Key, tuple[Grade, Grade]]]]:
    """How many went from which grade to which, and those that changed."""
    now = are.get
    pairs: list[tuple[Grade, Grade]] = [(grade, now(key)) for key, grade in were.items()]
    moved = [(key, pair) for key, pair in zip(were, pairs, strict=True) if pair[0] != pair[1]]
    new: list[tuple[Key, tuple[Grade, Grade]]] = [
        (key, (None, grade)) for key, grade in are.items() if key not in were
    ]
    return Counter([*pairs, *(pair for _, pair in new)]), [*moved, *new]


def _topic(
    query: str,
    found: Mapping[tuple[Grade, Grade], int],
    were: Mapping[str, float],
    are: Mapping[str, float],
    rel: float,
) -> TopicDiff:
    counts = Counter[str]()
    for pair, count in found.items():
        counts[_kind(*pair)] += count
    return TopicDiff(
        query=query,
        **{name: counts[name] for name in ("same", "added", "removed", "changed")},
        relevant_before=_relevant(were.values(), rel),
        relevant_after=_relevant(are.values(), rel),
    )


def applied(found: Diff, judgments: Any) -> Judgments:
    """Judgments with the changes made; they have to be what was compared, and plain grades.

    >>> old, new = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2, "c": 0}}
    >>> applied(diff(old, new), old).to_dict() == new
    True
    """
    given = Judgments.read(judgments)
    if any(getattr(given.notes, what) is not None for what in _BESIDE):
        raise OptionError(
            "changes can be made to plain grades only: these judgments have subtopics, strata or "
            "probabilities, of which a difference does not say what became"
        )
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


def _grades(judgments: Judgments, query: str) -> dict[str, float]:
    return judgments[query] if query in judgments else {}  # noqa: SIM401 (there is no `get`)


def _pairs(judgments: Judgments, query: str) -> dict[tuple[str, str], float]:
    """The grades of documents for each subtopic."""
    return {
        (doc, subtopic): grade
        for doc, grades in (judgments.notes.subtopics or {}).get(query, {}).items()
        for subtopic, grade in grades.items()
    }


def _kind(before: Grade, after: Grade) -> str:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    return "same" if before == after else "changed"


def _relevant(grades: Iterable[float], rel: float) -> int:
    return sum(grade >= rel for grade in grades)


def _label(judgments: Judgments) -> str:
    return judgments.source or judgments.name


def _labels(old: Judgments, new: Judgments) -> tuple[str, str]:
    """What both are called, so that they can be told apart."""
    names = _label(old), _label(new)
    return names if names[0] != names[1] else (f"first {names[0]}", f"second {names[1]}")


def _noted(judgments: Judgments, what: Iterable[str], query: str, doc: str) -> list[Any]:
    """What is said of a document beside its grade, so that it can be compared."""
    found = [getattr(judgments.notes, name).get(query, {}).get(doc) for name in what]
    # NaN, of what was not drawn, would not even equal itself.
    return ["not drawn" if value is not None and math.isnan(value) else value for value in found]
