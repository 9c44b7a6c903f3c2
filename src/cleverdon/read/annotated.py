"""Judgments that say more than a grade: of subtopics, and of sampled pools.

These files are small (people made them), and there are three layouts with four or five fields that
cannot be told apart by looking. So each is read line by line, and its format is always named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cleverdon.data import Annotations, Judgments
from cleverdon.errors import InputError
from cleverdon.read.detect import ANNOTATED


@dataclass(frozen=True)
class _Line:
    """One line of such a file, and where it stands."""

    source: str
    number: int
    fields: list[str]

    def error(self, message: str) -> InputError:
        return InputError(message, source=self.source, line=self.number)

    def value(self, field: int, what: str) -> float:
        try:
            number = float(self.fields[field])
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            found = self.fields[field]
            raise self.error(f"expected {what}, found {found!r} in field {field + 1}")
        return number


def read_annotated(text: bytes, *, format: str, source: str) -> tuple[Any, Annotations]:
    """The plain grades, query to document to grade, and what else the lines say."""
    readers = {"subtopics": _subtopics, "strata": _strata, "sampled": _sampled}
    layout = ANNOTATED[format].partition(": ")[2].split()
    lines = list(_lines(text, source=source, layout=layout))
    if not lines:
        raise InputError("has no rows", source=source)
    return readers[format](lines)


def _lines(text: bytes, *, source: str, layout: list[str]) -> Iterator[_Line]:
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = text[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8", source=source, line=place) from None
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    for number, line in enumerate(decoded.split("\n"), start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != len(layout):
            raise InputError(
                f"expected {len(layout)} fields ({', '.join(layout)}), found {len(fields)}",
                source=source,
                line=number,
            )
        yield _Line(source, number, fields)


def _once(line: _Line, seen: dict[tuple[str, ...], int], key: tuple[str, ...]) -> None:
    if key in seen:
        what = " of ".join(repr(part) for part in reversed(key))
        raise InputError(
            f"{what} is judged twice, first in line {seen[key]}",
            source=line.source,
            line=line.number,
        )
    seen[key] = line.number


def _subtopics(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    covered: dict[str, dict[str, dict[str, float]]] = {}
    seen: dict[tuple[str, ...], int] = {}
    for line in lines:
        topic, subtopic, doc, _ = line.fields
        _once(line, seen, (topic, subtopic, doc))
        grade = line.value(3, "a grade")
        grades = plain.setdefault(topic, {})
        # A document is as relevant as it is to the subtopic that it serves best.
        grades[doc] = max(grade, grades.get(doc, grade))
        covered.setdefault(topic, {}).setdefault(doc, {})[subtopic] = grade
    return plain, Annotations(subtopics=covered)


def _strata(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    strata: dict[str, dict[str, float]] = {}
    seen: dict[tuple[str, ...], int] = {}
    for line in lines:
        topic, _, doc, _, _ = line.fields
        _once(line, seen, (topic, doc))
        stratum = line.value(3, "the number of a stratum")
        if stratum != int(stratum) or stratum < 0:
            raise line.error(f"expected the number of a stratum, found {line.fields[3]!r}")
        plain.setdefault(topic, {})[doc] = line.value(4, "a grade")
        strata.setdefault(topic, {})[doc] = stratum
    return plain, Annotations(stratum=strata)


def _sampled(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    probabilities: dict[str, dict[str, float]] = {}
    seen: dict[tuple[str, ...], int] = {}
    for line in lines:
        topic, doc, _, _, _ = line.fields
        _once(line, seen, (topic, doc))
        probability = line.value(4, "a probability")
        if not 0 <= probability <= 1:
            raise line.error(f"expected a probability, found {line.fields[4]!r}")
        plain.setdefault(topic, {})[doc] = line.value(2, "a grade")
        probabilities.setdefault(topic, {})[doc] = probability
    return plain, Annotations(probability=probabilities)


def annotated(text: bytes, *, format: str, name: str, source: str, digest: str) -> Judgments:
    """Judgments of such a file."""
    from cleverdon.read.mapping import from_mapping

    plain, notes = read_annotated(text, format=format, source=source)
    table = from_mapping(plain, kind="grade", duplicates="error")
    return Judgments(table, name=name, source=source, digest=digest, notes=notes)
