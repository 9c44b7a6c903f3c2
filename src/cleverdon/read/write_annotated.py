"""Writing judgments that say more than a grade: of subtopics, and of sampled pools.

What was written reads back as the same data. Two columns say nothing that is kept: the iteration of
strata is always 0, and the method of a sample is 1 for what was drawn, 0 for what was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

from cleverdon.annotations import Annotations
from cleverdon.data import Judgments, Rows
from cleverdon.errors import InputError, OptionError
from cleverdon.read.detect import ANNOTATED
from cleverdon.read.write import number_text, refuse_ids

Value = TypeVar("Value")

NOTED = {"subtopics": "subtopics", "strata": "stratum", "sampled": "probability"}
"""Which of the annotations each format writes beside grades."""


def format_needed(notes: Annotations) -> str | None:
    """The format that keeps what judgments say beside grades; None where grades are all.

    >>> format_needed(Judgments.read([("q1", "a", "d1", 2)], format="subtopics").notes)
    'subtopics'
    """
    noted = [format for format, name in NOTED.items() if getattr(notes, name) is not None]
    if len(noted) > 1:
        raise OptionError(
            f"no format keeps both {' and '.join(NOTED[format] for format in noted)}; "
            f"name one of them: {', '.join(noted)}"
        )
    return noted[0] if noted else None


def annotated_lines(rows: Rows, path: str, *, format: str) -> Iterator[str]:
    """The lines of such a file."""
    if not isinstance(rows, Judgments):
        raise OptionError(f"format={format!r} is one of judgments, and {rows.name!r} is a run")
    if getattr(rows.notes, NOTED[format]) is None:
        raise OptionError(
            f"format={format!r} is for {ANNOTATED[format].partition(':')[0]}, and these judgments "
            f"({rows.name}) have no {NOTED[format]} beside their grades"
        )
    writers = {"subtopics": _subtopics, "strata": _strata, "sampled": _sampled}
    return (" ".join(fields) + "\n" for fields in writers[format](rows, path))


def _graded(judgments: Judgments, path: str) -> Iterator[tuple[str, str, float]]:
    """Every judgment, once its ids are known to read back."""
    remedy = "rename the ids: this format separates by blanks"
    for query in judgments.queries:
        grades = judgments[query]
        refuse_ids(r"[\s\0]|^[#\ufeff]", [query], path, remedy=remedy)
        refuse_ids(r"[\s\0]", list(grades), path, remedy=remedy)
        for doc, grade in grades.items():
            yield query, doc, grade


def _noted(
    nested: dict[str, dict[str, Value]], query: str, doc: str, *, what: str, path: str
) -> Value:
    try:
        return nested[query][doc]
    except KeyError:
        raise InputError(
            f"document {doc!r} of query {query!r} has a grade and no {what}, which every line of "
            "this format needs",
            source=path,
        ) from None


def _subtopics(judgments: Judgments, path: str) -> Iterator[tuple[str, ...]]:
    covered = judgments.notes.subtopics or {}
    for query, doc, grade in _graded(judgments, path):
        grades = _noted(covered, query, doc, what="subtopic", path=path)
        if not grades or max(grades.values()) != grade:
            raise InputError(
                f"document {doc!r} of query {query!r} has grade {number_text(judgments, grade)}, "
                "which is not the largest of its grades for subtopics",
                source=path,
            )
        refuse_ids(r"[\s\0]", list(grades), path, remedy="rename the subtopics")
        if "" in grades:
            raise InputError(f"a subtopic of query {query!r} has no name", source=path)
        for subtopic, of_subtopic in grades.items():
            yield query, subtopic, doc, number_text(judgments, of_subtopic)


def _strata(judgments: Judgments, path: str) -> Iterator[tuple[str, ...]]:
    strata = judgments.notes.stratum or {}
    for query, doc, grade in _graded(judgments, path):
        stratum = _noted(strata, query, doc, what="stratum", path=path)
        yield query, "0", doc, str(int(stratum)), number_text(judgments, grade)


def _sampled(judgments: Judgments, path: str) -> Iterator[tuple[str, ...]]:
    probabilities = judgments.notes.probability or {}
    for query, doc, grade in _graded(judgments, path):
        probability = _noted(probabilities, query, doc, what="probability", path=path)
        drawn = not math.isnan(probability)
        method, text = ("1", number_text(judgments, probability)) if drawn else ("0", "NA")
        yield query, doc, number_text(judgments, grade), method, text
