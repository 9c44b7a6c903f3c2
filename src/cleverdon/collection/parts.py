"""Some of the judgments, with everything that they say beside grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from cleverdon import _core
from cleverdon.annotations import Annotations, Grades, Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError

Value = TypeVar("Value")
Regrade = Callable[[str, str, float], float]
"""Of a query, a document and its grade, the grade that it becomes."""


def part(
    judgments: Judgments, kept: Grades, *, regrade: Regrade | None = None, name: str | None = None
) -> Judgments:
    """The judgments of these documents, with their strata, probabilities and subtopics.

    `kept` holds the grades as they were; `regrade` gives what becomes of each. The grade of a
    document with subtopics is the largest of those, before and after. Queries of which nothing is
    kept are left out; where that is all of them, that is an error.

    >>> judgments = Judgments.read([("q1", "a", "d1", 2), ("q1", "b", "d2", 1)], format="subtopics")
    >>> some = part(judgments, {"q1": {"d2": 1}})
    >>> some.to_dict(), some.notes.subtopics
    ({'q1': {'d2': 1.0}}, {'q1': {'d2': {'b': 1.0}}})
    """
    notes = _notes(judgments.notes, kept)
    grades = {query: dict(docs) for query, docs in kept.items() if docs}
    if not grades:
        raise InputError(
            "no judgment is left: none of it was chosen", source=judgments.source or judgments.name
        )
    if regrade is not None:
        if notes.subtopics is not None:
            notes = replace(notes, subtopics=_regraded(notes.subtopics, regrade))
        grades = _graded(grades, notes, regrade)
    table = _core.Table.from_dict(grades, Judgments.kind, "unchecked")
    return Judgments(table, name=name or judgments.name, notes=notes)


def _graded(grades: Nested, notes: Annotations, regrade: Regrade) -> Nested:
    """The new grades: of subtopics the largest, which are regraded already."""
    covered = notes.subtopics
    return {
        query: {
            doc: regrade(query, doc, grade)
            if covered is None
            else max(covered[query][doc].values())
            for doc, grade in docs.items()
        }
        for query, docs in grades.items()
    }


def _regraded(
    covered: dict[str, dict[str, dict[str, float]]], regrade: Regrade
) -> dict[str, dict[str, dict[str, float]]]:
    return {
        query: {
            doc: {subtopic: regrade(query, doc, grade) for subtopic, grade in of_doc.items()}
            for doc, of_doc in docs.items()
        }
        for query, docs in covered.items()
    }


def _notes(notes: Annotations, kept: Grades) -> Annotations:
    return replace(
        notes,
        second=_of_kept(notes.second, kept),
        subtopics=_of_kept(notes.subtopics, kept),
        weights=notes.weights and {q: w for q, w in notes.weights.items() if kept.get(q)},
        stratum=_of_kept(notes.stratum, kept),
        probability=_of_kept(notes.probability, kept),
    )


def _of_kept(
    nested: dict[str, dict[str, Value]] | None, kept: Grades
) -> dict[str, dict[str, Value]] | None:
    if nested is None:
        return None
    found = {
        query: {doc: nested[query][doc] for doc in docs if doc in nested[query]}
        for query, docs in kept.items()
        if query in nested
    }
    return {query: docs for query, docs in found.items() if docs}


def sampled(judgments: Judgments) -> bool:
    """Whether they are a sample, whose strata or probabilities estimates rest on."""
    return judgments.notes.stratum is not None or judgments.notes.probability is not None
