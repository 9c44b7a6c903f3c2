"""Judgments that say more than a grade: of subtopics, and of sampled pools.

These files are small (people made them), and there are three layouts with four or five fields that
cannot be told apart by looking. So each is read line by line, and its format is always named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cleverdon.annotations import Annotations
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.read.columns import choose
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


def annotated(
    text: bytes, *, format: str, name: str, source: str, digest: str, duplicates: str
) -> Judgments:
    """Judgments of such a file."""
    lines = _lines(text, source=source, layout=_layout(format))
    facts = {"name": name, "source": source, "digest": digest}
    return _judgments(lines, format=format, duplicates=duplicates, **facts)


def annotated_rows(rows: Iterable[Any], *, format: str, name: str, duplicates: str) -> Judgments:
    """Judgments of rows in memory: tuples with the fields of such a file, in their order.

    Subtopics may also be in objects with attributes, as ir_datasets has them.

    >>> rows = [("q1", "a", "d1", 2), ("q1", "b", "d1", 1), ("q1", "b", "d2", 0)]
    >>> judgments = annotated_rows(rows, format="subtopics", name="mine", duplicates="error")
    >>> judgments["q1"], judgments.judged.subtopics.names
    ({'d1': 2.0, 'd2': 0.0}, [['a', 'b']])
    """
    layout = _layout(format)
    lines = (
        _Line("row", number, _fields(row, number, layout=layout))
        for number, row in enumerate(rows, start=1)
    )
    return _judgments(lines, format=format, duplicates=duplicates, name=name)


def _layout(format: str) -> list[str]:
    """What the fields of a line are."""
    return ANNOTATED[format].partition(": ")[2].split()


def _judgments(lines: Iterable[_Line], *, format: str, duplicates: str, **facts: str) -> Judgments:
    from cleverdon.read.mapping import from_mapping

    readers = {"subtopics": _subtopics, "strata": _strata, "sampled": _sampled}
    listed = list(lines)
    if not listed:
        raise InputError("has no rows", source=facts.get("source") or facts["name"])
    plain, notes = readers[format](_distinct(listed, format=format, duplicates=duplicates))
    table = from_mapping(plain, kind="grade", duplicates="error")
    return Judgments(table, **facts, notes=notes)


def _fields(row: Any, number: int, *, layout: list[str]) -> list[str]:
    """The fields of a row in memory, as if they stood on a line."""
    names = getattr(row, "_fields", None) or getattr(row, "__dataclass_fields__", None)
    if names and "subtopic" in layout:
        known = list(names)
        (query, doc, grade), _ = choose(known, kind="grade", source=type(row).__name__)
        subtopic = next((known.index(name) for name in _SUBTOPIC if name in known), None)
        if subtopic is not None:
            return [str(getattr(row, known[at])) for at in (query, subtopic, doc, grade)]
    if not isinstance(row, (tuple, list)) or len(row) != len(layout):
        raise InputError(
            f"expected ({', '.join(layout)}), found {row!r}", source="row", line=number
        )
    return [str(field) for field in row]


_SUBTOPIC = ("subtopic_id", "subtopic", "intent_id", "intent", "iteration")
"""What the subtopic of a judgment is called where fields have names."""


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


_DISTINCT = {"subtopics": ((0, 1, 2), 3), "strata": ((0, 2), 4), "sampled": ((0, 1), 2)}
"""Of each format: the fields that no two lines share, query first, and the field of the grade."""


def _distinct(lines: list[_Line], *, format: str, duplicates: str) -> list[_Line]:
    """The lines without those that judge once more what was judged before."""
    fields, grade = _DISTINCT[format]
    kept: dict[tuple[str, ...], _Line] = {}
    for line in lines:
        key = tuple(line.fields[field] for field in fields)
        earlier = kept.setdefault(key, line)
        if earlier is line:
            continue
        if duplicates == "error":
            query, *subtopic, doc = (repr(part) for part in key)
            asked = "".join(f"subtopic {name} of " for name in subtopic) + f"query {query}"
            first = f"first on line {earlier.number}"
            raise line.error(f"document {doc} occurs twice for {asked}, {first}")
        values = [each.value(grade, "a grade") for each in (earlier, line)]
        if duplicates == "best" and values[1] > values[0]:
            kept[key] = line
    return list(kept.values())


def _subtopics(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    covered: dict[str, dict[str, dict[str, float]]] = {}
    for line in lines:
        topic, subtopic, doc, _ = line.fields
        grade = line.value(3, "a grade")
        grades = plain.setdefault(topic, {})
        # A document is as relevant as it is to the subtopic that it serves best.
        grades[doc] = max(grade, grades.get(doc, grade))
        covered.setdefault(topic, {}).setdefault(doc, {})[subtopic] = grade
    return plain, Annotations(subtopics=covered)


def _strata(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    strata: dict[str, dict[str, float]] = {}
    for line in lines:
        topic, _, doc, _, _ = line.fields
        stratum = line.value(3, "the number of a stratum")
        if stratum != int(stratum) or stratum < 0:
            raise line.error(f"expected the number of a stratum, found {line.fields[3]!r}")
        plain.setdefault(topic, {})[doc] = line.value(4, "a grade")
        strata.setdefault(topic, {})[doc] = stratum
    return plain, Annotations(stratum=strata)


def _sampled(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    probabilities: dict[str, dict[str, float]] = {}
    for line in lines:
        topic, doc, _, _, _ = line.fields
        plain.setdefault(topic, {})[doc] = line.value(2, "a grade")
        probabilities.setdefault(topic, {})[doc] = _probability(line)
    return plain, Annotations(probability=probabilities)


def _probability(line: _Line) -> float:
    """With which probability a document was drawn; NaN where it was not.

    TREC's Million Query tracks chose documents by two methods in turn: 0 took those that told
    systems apart best, and left nothing to chance; 1 (and 4) drew at random; 2 is what both chose.
    As in the track's own programs (statAP_MQ_eval, versions 3 and 4), what 0 chose as well was
    certain to be judged, whatever the probability of drawing it.
    """
    method, given = line.fields[3:]
    if given == "NA":
        return math.nan
    probability = line.value(4, "a probability, or NA")
    if not 0 <= probability <= 1:
        raise line.error(f"expected a probability, found {given!r}")
    if method == "0" and probability != 1:
        raise line.error(
            f"expected probability 1 or NA, found {given!r}: what method 0 chose was not drawn"
        )
    return 1.0 if method == "2" else probability
