"""One of several judgments, and where they contradict each other.

Two files contradict each other where they give one document different grades. A grade below 0 says
that a document was pooled and not judged: it gives way to any that was given by a judge.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon import _core
from cleverdon.annotations import Annotations, Nested
from cleverdon.collection.places import place_of
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_word

_SHOWN = 5
"""So many contradictions are told in one error."""


def _majority(grades: Sequence[float]) -> float:
    # Of grades that are given equally often, `most_common` has the one that was met first.
    return Counter(grades).most_common(1)[0][0]


RULES: dict[str, Callable[[Sequence[float]], float]] = {
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "max": max,
    "min": min,
    "mean": lambda grades: math.fsum(grades) / len(grades),
    "majority": _majority,
}
"""How one grade is made of several, that of the first file first."""

POLICIES = {
    "error": "stop, and say where",
    "first": "the grade of the file that is named first",
    "last": "of the file that is named last",
    "max": "the highest grade",
    "min": "the lowest grade",
    "mean": "the mean of the grades",
    "majority": "the grade that most files give; of several such, the one that is met first",
}
"""What may become of contradictions."""


@dataclass(frozen=True)
class Contradiction:
    """A document to which files give different grades."""

    query: str
    doc: str
    subtopic: str | None
    grades: tuple[tuple[str, float], ...]  # the file and its grade
    taken: float


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


def merge(
    several: Mapping[str, Any] | Iterable[Any], *, policy: str = "error", name: str = "merged"
) -> Merged:
    """Judgments of several files, or of what is given by name.

    All of them have to say the same kind of thing beside grades: strata, probabilities, subtopics,
    or nothing. Subtopics are merged one by one; the stratum or the probability of a document has to
    be the same wherever it is.

    >>> found = merge({"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 2, "d2": 0}}}, policy="max")
    >>> found.judgments.to_dict(), len(found.contradictions)
    ({'q1': {'d1': 2.0, 'd2': 0.0}}, 1)
    """
    check_word("policy", policy, POLICIES)
    named = _named(several)
    covered = {label: given.notes.subtopics for label, given in named.items()}
    _check_alike(named)
    by_subtopic = all(found is not None for found in covered.values())
    given: dict[tuple[str, str, str | None], list[tuple[str, float]]] = {}
    seen: dict[tuple[str, str], int] = {}
    inputs = []
    for label, judgments in named.items():
        new = 0
        for query, doc, grade in judgments.rows():
            new += (query, doc) not in seen
            seen[query, doc] = seen.get((query, doc), 0) + 1
            of_subtopics = (covered[label] or {})[query][doc] if by_subtopic else {None: grade}
            for subtopic, value in of_subtopics.items():
                given.setdefault((query, doc, subtopic), []).append((label, value))
        inputs.append(Input(label, len(judgments), len(judgments.queries), new))
    contradictions = []
    taken: dict[tuple[str, str, str | None], float] = {}
    for key, grades in given.items():
        by_judges = [pair for pair in grades if pair[1] >= 0] or grades
        if len({grade for _, grade in by_judges}) == 1:
            taken[key] = by_judges[0][1]
            continue
        rule = RULES.get(policy, RULES["first"])
        taken[key] = float(rule([grade for _, grade in by_judges]))
        contradictions.append(Contradiction(*key, tuple(grades), taken[key]))
    if contradictions and policy == "error":
        raise InputError(_told(contradictions, named))
    return Merged(
        judgments=_made(taken, named, by_subtopic=by_subtopic, name=name),
        inputs=tuple(inputs),
        policy=policy,
        repeated=sum(count > 1 for count in seen.values()),
        contradictions=tuple(contradictions),
    )


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
    rest = f"; and {more:,} more" if more > 0 else ""
    policies = ", ".join(RULES)
    return f"{shown}{rest}; say which to take (--on-contradiction, or policy=): {policies}"


def _one(found: Contradiction, named: Mapping[str, Judgments]) -> str:
    of = f"subtopic {found.subtopic!r} of " if found.subtopic is not None else ""
    grades = " and ".join(
        f"{grade:g} in {place_of(label, named[label], found.query, found.doc)}"
        for label, grade in found.grades
    )
    return f"document {found.doc!r} of {of}query {found.query!r} has grade {grades}"


def _made(
    taken: Mapping[tuple[str, str, str | None], float],
    named: Mapping[str, Judgments],
    *,
    by_subtopic: bool,
    name: str,
) -> Judgments:
    plain: Nested = {}
    covered: dict[str, dict[str, dict[str, float]]] = {}
    for (query, doc, subtopic), grade in taken.items():
        grades = plain.setdefault(query, {})
        grades[doc] = max(grade, grades.get(doc, grade))
        if subtopic is not None:
            covered.setdefault(query, {}).setdefault(doc, {})[subtopic] = grade
    notes = Annotations(
        docs=_one_size(named),
        second=_united(named, "second"),
        subtopics=covered if by_subtopic else None,
        weights=_united(named, "weights"),
        stratum=_united(named, "stratum"),
        probability=_united(named, "probability"),
    )
    table = _core.Table.from_dict(plain, Judgments.kind, "unchecked")
    return Judgments(table, name=name, notes=notes)


def _one_size(named: Mapping[str, Judgments]) -> int | None:
    sizes = {of.notes.docs for of in named.values() if of.notes.docs is not None}
    if len(sizes) > 1:
        raise InputError(f"the collection has {' and '.join(f'{n:,}' for n in sizes)} documents")
    return next(iter(sizes), None)


def _united(named: Mapping[str, Judgments], what: str) -> Nested | None:
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
