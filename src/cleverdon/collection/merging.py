"""One of several judgments, and where they contradict each other.

Two files contradict each other where they give one document different grades. A grade below 0 says
that a document was pooled and not judged: it gives way to any that was given by a judge.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from cleverdon import _core
from cleverdon.annotations import Annotations, Nested
from cleverdon.collection.places import place_of
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.settings import CONTRADICTIONS

_SHOWN = 2
"""So many contradictions are told in one error."""

Key = TypeVar("Key", bound=Hashable)
"""A document, or a document and a subtopic of its query."""
Progress = Callable[[int, int], object]
"""Is told how many queries are merged, and of how many."""


def _majority(grades: Sequence[float]) -> float:
    times = Counter(grades)
    most = max(times.values())
    # The lowest of several, as where the labels of judges are aggregated.
    return min(grade for grade, count in times.items() if count == most)


RULES: dict[str, Callable[[Sequence[float]], float]] = {
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "max": max,
    "min": min,
    "mean": lambda grades: math.fsum(grades) / len(grades),
    "majority": _majority,
}
"""How one grade is made of several, that of the first file first."""

POLICIES = CONTRADICTIONS
"""What may become of contradictions."""


@dataclass(frozen=True)
class Contradiction:
    """A document to which files give different grades."""

    query: str
    doc: str
    subtopic: str | None
    grades: tuple[tuple[str, float], ...]  # the file and its grade
    taken: float | None  # None where they stop the merge


@dataclass(frozen=True)
class Input:
    """What one of the files brought."""

    name: str
    judgments: int
    topics: int
    new: int  # judgments that no file before it has


@dataclass(frozen=True, eq=False)
class Merged:
    """Judgments made of several, and how."""

    judgments: Judgments
    inputs: tuple[Input, ...]
    policy: str
    repeated: int  # documents that several files judge
    contradictions: tuple[Contradiction, ...]


class Contradicting(InputError):
    """Judgments contradict each other, and nothing says which grade to take."""

    def __init__(self, message: str, contradictions: tuple[Contradiction, ...]) -> None:
        super().__init__(message)
        self.contradictions = contradictions


def merge(
    several: Mapping[str, Any] | Iterable[Any],
    *,
    policy: str = "error",
    name: str = "merged",
    progress: Progress | None = None,
) -> Merged:
    """Judgments of several files, or of what is given by name.

    All of them have to say the same kind of thing beside grades: strata, probabilities, subtopics,
    or nothing. Subtopics are merged one by one; the stratum or the probability of a document has to
    be the same wherever it is. With policy="error", what contradicts each other is in the
    `Contradicting` that is raised.

    >>> found = merge({"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 2, "d2": 0}}}, policy="max")
    >>> found.judgments.to_dict(), len(found.contradictions)
    ({'q1': {'d1': 2.0, 'd2': 0.0}}, 1)
    """
    check_word("policy", policy, POLICIES)
    named = _named(several)
    _check_alike(named)
    work = _Merging(named, RULES.get(policy, RULES["first"]))
    queries = list(dict.fromkeys(query for of in named.values() for query in of.queries))
    for at, query in enumerate(queries):
        work.merge(query)
        if progress is not None:
            progress(at + 1, len(queries))
    contradictions = tuple(work.contradictions)
    if contradictions and policy == "error":
        none_taken = tuple(replace(each, taken=None) for each in contradictions)
        raise Contradicting(_told(contradictions, named), none_taken)
    return Merged(
        judgments=work.judgments(name),
        inputs=tuple(
            Input(label, len(of), len(of.queries), work.new[label]) for label, of in named.items()
        ),
        policy=policy,
        repeated=work.repeated,
        contradictions=contradictions,
    )


@dataclass(eq=False)
class _Merging:
    """What was merged so far, a query after the other."""

    named: Mapping[str, Judgments]
    rule: Callable[[Sequence[float]], float]
    plain: Nested = field(default_factory=dict)
    covered: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    new: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    contradictions: list[Contradiction] = field(default_factory=list)

    def merge(self, query: str) -> None:
        """One query's judgments."""
        held = {label: of[query] for label, of in self.named.items() if query in of}
        seen: set[str] = set()
        again: set[str] = set()
        for label, grades in held.items():
            again |= seen & grades.keys()
            self.new[label] += len(grades.keys() - seen)
            seen |= grades.keys()
        self.repeated += len(again)
        if not self.by_subtopic:
            self.plain[query], differing = _united(held, self.rule)
            for doc, given in differing:
                taken = self.plain[query][doc]
                self.contradictions.append(Contradiction(query, doc, None, given, taken))
            return
        of_pairs, apart = _united({label: self._pairs(label, query) for label in held}, self.rule)
        for (doc, subtopic), given in apart:
            taken = of_pairs[doc, subtopic]
            self.contradictions.append(Contradiction(query, doc, subtopic, given, taken))
        covered = self.covered.setdefault(query, {})
        for (doc, subtopic), grade in of_pairs.items():
            covered.setdefault(doc, {})[subtopic] = grade
        # A document is as relevant as it is to the subtopic that it serves best.
        self.plain[query] = {doc: max(grades.values()) for doc, grades in covered.items()}

    @property
    def by_subtopic(self) -> bool:
        return next(iter(self.named.values())).notes.subtopics is not None

    def _pairs(self, label: str, query: str) -> dict[tuple[str, str], float]:
        covered = self.named[label].notes.subtopics or {}
        return {
            (doc, subtopic): grade
            for doc, grades in covered[query].items()
            for subtopic, grade in grades.items()
        }

    def judgments(self, name: str) -> Judgments:
        """All of it."""
        notes = Annotations(
            docs=_one_size(self.named),
            second=_noted(self.named, "second"),
            subtopics=self.covered if self.by_subtopic else None,
            weights=_noted(self.named, "weights"),
            stratum=_noted(self.named, "stratum"),
            probability=_noted(self.named, "probability"),
        )
        table = _core.Table.from_dict(self.plain, Judgments.kind, "unchecked")
        return Judgments(table, name=name, notes=notes)


Given = tuple[tuple[str, float], ...]
"""The files, and the grade that each gives."""


def _united(
    held: Mapping[str, Mapping[Key, float]], rule: Callable[[Sequence[float]], float]
) -> tuple[dict[Key, float], list[tuple[Key, Given]]]:
    """The grades of all files, and what they contradict each other on, with what each says."""
    first, *others = held.values()
    united = dict(first)
    differing: set[Key] = set()
    for grades in others:
        for key, grade in grades.items():
            if united.setdefault(key, grade) != grade:
                differing.add(key)
    apart = []
    for key in [key for key in united if key in differing] if differing else ():
        given = tuple((label, grades[key]) for label, grades in held.items() if key in grades)
        by_judges = [grade for _, grade in given if grade >= 0] or [grade for _, grade in given]
        if len(set(by_judges)) == 1:
            united[key] = by_judges[0]
            continue
        united[key] = float(rule(by_judges))
        apart.append((key, given))
    return united, apart


def _named(several: Mapping[str, Any] | Iterable[Any]) -> dict[str, Judgments]:
    if isinstance(several, Mapping):
        named = {str(label): Judgments.read(given) for label, given in several.items()}
    else:
        named = {}
        for at, given in enumerate(several, start=1):
            judgments = Judgments.read(given)
            label = judgments.source or judgments.name
            named[label if label not in named else f"{label} ({at})"] = judgments
    if len(named) < 2:
        raise OptionError("merging takes two judgments at least")
    return named


def _check_alike(named: Mapping[str, Judgments]) -> None:
    """All have the same kinds of annotations."""
    for what in ("subtopics", "stratum", "probability"):
        have = [label for label, of in named.items() if getattr(of.notes, what) is not None]
        lack = [label for label in named if label not in have]
        if have and lack:
            raise InputError(
                f"{have[0]} has a {what} beside each grade, and {lack[0]} has none: both have to "
                "be of one format"
            )


def _told(contradictions: Sequence[Contradiction], named: Mapping[str, Judgments]) -> str:
    shown = "; ".join(_one(found, named) for found in contradictions[:_SHOWN])
    more = len(contradictions) - _SHOWN
    rest = f"; and {more:,} more contradictions" if more > 0 else ""
    policies = ", ".join(RULES)
    return f"{shown}{rest}; say which to take (--on-contradiction, or policy=): {policies}"


def _one(found: Contradiction, named: Mapping[str, Judgments]) -> str:
    of = "" if found.subtopic is None else f"subtopic {found.subtopic!r} of "
    grades = " and ".join(
        f"{grade:g} in {place_of(label, named[label], found.query, found.doc, found.subtopic)}"
        for label, grade in found.grades
    )
    return f"document {found.doc!r} of {of}query {found.query!r} has grade {grades}"


def _one_size(named: Mapping[str, Judgments]) -> int | None:
    sizes = {of.notes.docs for of in named.values() if of.notes.docs is not None}
    if len(sizes) > 1:
        raise InputError(f"the collection has {' and '.join(f'{n:,}' for n in sizes)} documents")
    return next(iter(sizes), None)


def _noted(named: Mapping[str, Judgments], what: str) -> Nested | None:
    """Numbers of all; where two files have one, it is the same."""
    found: Nested | None = None
    for label, of in named.items():
        nested: Nested | None = getattr(of.notes, what)
        for query, numbers in (nested or {}).items():
            found = found or {}
            held = found.setdefault(query, {})
            for key, number in numbers.items():
                before = held.setdefault(key, number)
                if before != number and not (math.isnan(before) and math.isnan(number)):
                    raise InputError(
                        f"{key!r} of query {query!r} has {what} {number:g} in {label}, and "
                        f"{before:g} in a file before it: no policy can make one of them"
                    )
    return found
