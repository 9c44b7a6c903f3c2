"""Judgments with subtopics, strata or sampling probabilities, read and written.

These files are small (people made them), and there are three layouts with four or five fields
that cannot be told apart by looking. So each is read line by line, and its format is always
named. What was written reads back as the same data. Two columns say nothing that is kept: the
iteration of strata is always 0, and the method of a sample is 1 for what was drawn, 0 for what
was not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from cleverdon._common.digests import PendingDigest
from cleverdon.data import Annotations, Judgments, Rows
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import choose_columns
from cleverdon.formats.detection import ANNOTATED
from cleverdon.formats.mappings import from_mapping
from cleverdon.formats.streams import decode_text
from cleverdon.formats.writers import number_text, refuse_ids


@dataclass(frozen=True)
class _Line:
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


def read_annotated(
    text: bytes,
    *,
    format: str,
    name: str,
    source: str,
    digest: str | PendingDigest,
    duplicates: str,
) -> Judgments:
    """Read the judgments of such a file."""
    lines = _lines(text, source=source, layout=_layout(format))
    facts: dict[str, Any] = {"name": name, "source": source, "digest": digest}
    return _judgments(lines, format=format, duplicates=duplicates, **facts)


def read_annotated_rows(
    rows: Iterable[Any], *, format: str, name: str, duplicates: str
) -> Judgments:
    """Read judgments from tuples with the fields of such a file, in their order.

    Subtopics may also be in objects with attributes, as ir_datasets has them.

    >>> rows = [("q1", "a", "d1", 2), ("q1", "b", "d1", 1), ("q1", "b", "d2", 0)]
    >>> judgments = read_annotated_rows(rows, format="subtopics", name="mine", duplicates="error")
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
    return ANNOTATED[format].partition(": ")[2].split()


def _judgments(lines: Iterable[_Line], *, format: str, duplicates: str, **facts: str) -> Judgments:
    listed = list(lines)
    if not listed:
        raise InputError("has no rows", source=facts.get("source") or facts["name"])
    kept = _distinct(listed, format=format, duplicates=duplicates)
    subtopics = format == "subtopics"
    plain, notes = _read_subtopics(kept) if subtopics else _read_noted(kept, format=format)
    table = from_mapping(plain, kind="grade", duplicates="error")
    return Judgments(table, **facts, notes=notes)


def _fields(row: Any, number: int, *, layout: list[str]) -> list[str]:
    """Return the fields of a row in memory as texts."""
    names = getattr(row, "_fields", None) or getattr(row, "__dataclass_fields__", None)
    if names and "subtopic" in layout:
        known = list(names)
        (query, doc, grade), _ = choose_columns(known, kind="grade", source=type(row).__name__)
        subtopic = next((known.index(name) for name in SUBTOPIC if name in known), None)
        if subtopic is not None:
            return [str(getattr(row, known[at])) for at in (query, subtopic, doc, grade)]
    if not isinstance(row, (tuple, list)) or len(row) != len(layout):
        message = f"expected ({', '.join(layout)}), found {row!r}"
        raise InputError(message, source="row", line=number)
    return [str(field) for field in row]


SUBTOPIC = ("subtopic_id", "subtopic", "intent_id", "intent", "iteration")
"""Names of the subtopic of a judgment."""


def _lines(text: bytes, *, source: str, layout: list[str]) -> Iterator[_Line]:
    decoded = decode_text(text, source=source, line=1, encoding="utf-8-sig")
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    for number, line in enumerate(decoded.split("\n"), start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != len(layout):
            message = f"expected {len(layout)} fields ({', '.join(layout)}), found {len(fields)}"
            raise InputError(message, source=source, line=number)
        yield _Line(source, number, fields)


_DISTINCT = {"subtopics": ((0, 1, 2), 3), "strata": ((0, 2), 4), "sampled": ((0, 1), 2)}
"""The fields of each format that identify a line, query first, and the field of the grade."""


def _distinct(lines: list[_Line], *, format: str, duplicates: str) -> list[_Line]:
    """Leave out, or refuse, lines that judge a document again."""
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


def _read_subtopics(lines: list[_Line]) -> tuple[Any, Annotations]:
    plain: dict[str, dict[str, float]] = {}
    covered: dict[str, dict[str, dict[str, float]]] = {}
    for line in lines:
        query, subtopic, doc, _ = line.fields
        grade = line.value(3, "a grade")
        grades = plain.setdefault(query, {})
        # A document is as relevant as it is to the subtopic that it serves best.
        grades[doc] = max(grade, grades.get(doc, grade))
        covered.setdefault(query, {}).setdefault(doc, {})[subtopic] = grade
    return plain, Annotations(subtopics=covered)


def _read_noted(lines: list[_Line], *, format: str) -> tuple[Any, Annotations]:
    """Read grades with a stratum or a probability of each document."""
    ((_, doc), grade), note = _DISTINCT[format], _stratum if format == "strata" else _probability
    plain: dict[str, dict[str, float]] = {}
    noted: dict[str, dict[str, float]] = {}
    for line in lines:
        query, name = line.fields[0], line.fields[doc]
        noted.setdefault(query, {})[name] = note(line)
        plain.setdefault(query, {})[name] = line.value(grade, "a grade")
    return plain, Annotations(**{_NOTED[format]: noted})  # type: ignore[arg-type]


def _stratum(line: _Line) -> float:
    stratum = line.value(3, "the number of a stratum")
    if stratum != int(stratum) or stratum < 0:
        raise line.error(f"expected the number of a stratum, found {line.fields[3]!r}")
    return stratum


def _probability(line: _Line) -> float:
    """Return the probability with which a document was drawn; NaN where it was not."""
    # TREC's Million Query tracks chose documents by two methods in turn: 0 took those that told
    # systems apart best, and left nothing to chance; 1 (and 4) drew at random; 2 is what both
    # chose. As in the track's own programs (statAP_MQ_eval, versions 3 and 4), what 0 chose as well
    # was certain to be judged.
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


Value = TypeVar("Value")

_NOTED = {"subtopics": "subtopics", "strata": "stratum", "sampled": "probability"}
"""The annotation that each format writes in addition to grades."""


def format_needed(notes: Annotations) -> str | None:
    """Return the format that keeps the annotations of judgments; None if there are only grades.

    >>> format_needed(Judgments.read([("q1", "a", "d1", 2)], format="subtopics").notes)
    'subtopics'
    """
    noted = [format for format, name in _NOTED.items() if getattr(notes, name) is not None]
    if len(noted) > 1:
        raise OptionError(
            f"no format keeps both {' and '.join(_NOTED[format] for format in noted)}; "
            f"name one of them: {', '.join(noted)}"
        )
    return noted[0] if noted else None


def annotated_lines(rows: Rows, path: str, *, format: str) -> Iterator[str]:
    """Write the lines of such a file."""
    if not isinstance(rows, Judgments):
        raise OptionError(f"format={format!r} is one of judgments, and {rows.name!r} is a run")
    if getattr(rows.notes, _NOTED[format]) is None:
        raise OptionError(
            f"format={format!r} is for {ANNOTATED[format].partition(':')[0]}, and these judgments "
            f"({rows.name}) have no {_NOTED[format]}"
        )
    if format == "subtopics":
        lines = _subtopic_lines(rows, path)
    else:
        lines = _noted_lines(rows, path, what=_NOTED[format])
    return (" ".join(fields) + "\n" for fields in lines)


def _graded(judgments: Judgments, path: str) -> Iterator[tuple[str, str, float]]:
    """Yield every judgment, once its ids are known to read back."""
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


def _subtopic_lines(judgments: Judgments, path: str) -> Iterator[tuple[str, ...]]:
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


def _noted_lines(judgments: Judgments, path: str, *, what: str) -> Iterator[tuple[str, ...]]:
    """Yield the fields of strata, or of a sample."""
    for query, doc, grade in _graded(judgments, path):
        note = _noted(getattr(judgments.notes, what), query, doc, what=what, path=path)
        number = number_text(judgments, grade)
        if what == "stratum":
            yield query, "0", doc, str(int(note)), number
        elif math.isnan(note):
            yield query, doc, number, "0", "NA"
        else:
            yield query, doc, number, "1", number_text(judgments, note)
