"""Annotations that Label Studio exports: JSON, JSON-MIN, CSV and TSV.

The forms are those of its guide ("Export results", "Task format") and of the converter in
HumanSignal/label-studio-sdk at 97fcff19 (August 2026): a task of the JSON holds its `data` and
`annotations`, each with a `result` of controls, `completed_by`, `was_cancelled` and `lead_time`; in
JSON-MIN, CSV and TSV an annotation is a flat record, in which what is not text is JSON. There the
fields of the data and the controls stand side by side, and a control that was not used is missing.

A grade is a choice, a rating or a number. Which fields of the data are the topic and the document,
and which control is the grade, is guessed by their names, or said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from cleverdon.assess import clock
from cleverdon.assess.importing.rows import Content, Fields, Row, named, records, table
from cleverdon.errors import InputError
from cleverdon.read.columns import DOCUMENT, GRADE, QUERY

_GRADES = (*GRADE, "rating", "choice", "choices", "number")
_FLAT_GRADES = tuple(name for name in _GRADES if name != "score")
"""Beside the data, a score may as well be that of the search engine."""
_MINIMAL = ("annotation_id", "annotator")
_CONTROLS = ("choices", "rating", "number")
"""Controls that can say a grade."""
_A_DAY = 86_400.0
_A_YEAR = 366 * _A_DAY


def is_export(content: Any) -> bool:
    """Whether JSON is an export of Label Studio."""
    if not isinstance(content, list) or not content or not isinstance(content[0], dict):
        return False
    return _is_task(content[0]) or is_header(list(content[0]))


def is_header(names: Iterable[str]) -> bool:
    """Whether these are the fields of a flat record."""
    return set(_MINIMAL) <= {name.strip() for name in names}


def of_json(content: Any, fields: Fields, *, source: str) -> Content:
    """Tasks, or flat records."""
    found = records(content, "tasks", source=source)
    if not _is_task(found[0]):
        nowhere = [None] * len(found)
        return _of_flat("Label Studio's JSON-MIN", found, fields, source, nowhere)
    predicted = sum(
        len(records(task.get("predictions"), "predictions", source=source)) for task in found
    )
    cautions = []
    if predicted:
        cautions.append(f"{predicted:,} predictions of models are left out: they are no judgments")
    return _made("Label Studio's JSON", _of_tasks(found, fields, source), cautions)


def of_table(text: str, fields: Fields, *, separator: str, source: str) -> Content:
    """Flat records in columns."""
    rows = list(table(text, separator=separator, source=source))
    flat = [record for _, record in rows]
    return _of_flat("Label Studio's CSV", flat, fields, source, [line for line, _ in rows])


def _made(form: str, rows: Iterable[Row], others: Iterable[str] = ()) -> Content:
    found = list(rows)
    cautions = []
    # Somebody may annotate a task again; the later word holds.
    latest: dict[tuple[str, str, str], Row] = {}
    for row in sorted(
        (row for row in found if row.grade), key=lambda row: (row.said_at or 0.0, row.line or 0)
    ):
        latest[row.topic, row.document, row.judge] = row
    again = sum(bool(row.grade) for row in found) - len(latest)
    if again:
        cautions.append(f"{again:,} annotations were made anew by the same person: the last holds")
    cautions += others
    ungraded = sum(not row.grade for row in found)
    return Content(form, tuple(latest.values()), ungraded, by_title=True, cautions=tuple(cautions))


def _is_task(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("data"), dict) and bool(
        {"annotations", "completions"} & set(record)
    )


def _of_tasks(tasks: Sequence[Mapping[str, Any]], fields: Fields, source: str) -> Iterator[Row]:
    control = fields.grade or _only_control(tasks, source)
    for task in tasks:
        (data,) = records([task.get("data")], "data", source=source)
        topic, document = _ids(data, fields, source)
        for annotation, results in _annotations(task, source):
            said = (each for each in results if each.get("from_name") == control)
            grade = next((_grade(each.get("value")) for each in said), "")
            yield _row(topic, document, grade, annotation, annotation.get("completed_by"))


def _annotations(
    task: Mapping[str, Any], source: str
) -> Iterator[tuple[Mapping[str, Any], list[dict[str, Any]]]]:
    """Annotations of a task, and what their controls say: nothing where it was cancelled."""
    made = task.get("annotations") or task.get("completions")
    for annotation in records(made, "annotations", source=source):
        results = records(annotation.get("result"), "results", source=source)
        cancelled = annotation.get("was_cancelled") or annotation.get("skipped")
        yield annotation, [] if cancelled else results


def _only_control(tasks: Sequence[Mapping[str, Any]], source: str) -> str:
    """The control that grades, where there is one only."""
    found: dict[str, None] = {}
    for task in tasks:
        for _, results in _annotations(task, source):
            for each in results:
                if each.get("type") in _CONTROLS and each.get("from_name"):
                    found[str(each["from_name"])] = None
    if not found:
        raise InputError(
            "nothing in it is a choice, a rating or a number: there are no grades", source=source
        )
    known = found if len(found) == 1 else [name for name in found if _is_called(name, _GRADES)]
    return _only(list(known), list(found), source)


def _only(may_be: Sequence[str], names: Sequence[str], source: str) -> str:
    """What is left of the names; where that is not one, somebody has to say which it is."""
    if len(may_be) != 1:
        listed = ", ".join(may_be or names)
        raise InputError(f"which of {listed} is the grade? name the grade field", source=source)
    return may_be[0]


def _is_called(name: str, known: Sequence[str]) -> bool:
    return name.strip().casefold() in known


def _of_flat(
    form: str,
    flat: Sequence[Mapping[str, Any]],
    fields: Fields,
    source: str,
    lines: Sequence[int | None],
) -> Content:
    """What all records are of; one that was not graded does not have the control."""
    names = list(dict.fromkeys(name for record in flat for name in record))
    sure = {name for name in names if any(_is_result(_loaded(each.get(name))) for each in flat)}
    may_be = [name for name in names if name in sure or _is_called(name, _FLAT_GRADES)]
    control = fields.grade or _only(may_be, names, source)
    rows = []
    for record, line in zip(flat, lines, strict=True):
        topic, document = _ids(record, fields, source)
        said = _loaded(record.get(control))
        # A field of the data that is called as the control shows where this is missing.
        hidden = control in sure and not _is_result(said)
        cancelled = str(record.get("was_cancelled", "")).casefold() == "true"
        grade = "" if hidden or cancelled else _grade(said)
        row = _row(topic, document, grade, record, record.get("annotator"))
        rows.append(replace(row, line=line))
    guessed = not fields.grade and control not in sure
    cautions = [f"its field {control!r} was taken for the grade"] if guessed else []
    return _made(form, rows, cautions)


def _is_result(value: Any) -> bool:
    """Whether it is what becomes of a rating or a number: no field of the data looks so."""
    return (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], Mapping)
        and value[0].keys() in ({"rating"}, {"number"})
    )


def _ids(data: Mapping[str, Any], fields: Fields, source: str) -> tuple[str, str]:
    found = []
    for what, given, known in (
        ("topic", fields.topic, QUERY),
        ("document", fields.document, DOCUMENT),
    ):
        name = given or named(list(data), known)
        if name is None or data.get(name) in (None, ""):
            listed = ", ".join(map(str, data))
            raise InputError(
                f"which field is the {what}? there are {listed}: name the {what} field",
                source=source,
            )
        found.append(str(data[name]).strip())
    return found[0], found[1]


def _row(topic: str, document: str, grade: str, about: Mapping[str, Any], judge: Any) -> Row:
    if isinstance(judge, Mapping):
        judge = judge.get("email") or judge.get("id")
    who = "" if judge is None else str(judge).strip()
    seconds, said_at = _seconds(about.get("lead_time")), _moment(about.get("created_at"))
    return Row(topic, document, grade, who, seconds=seconds, said_at=said_at)


def _loaded(cell: Any) -> Any:
    """What a cell of CSV holds: JSON where it looks like it."""
    if isinstance(cell, str) and cell.startswith(("[", "{")):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def _grade(value: Any) -> str:
    """The choice, rating or number that a control says; nothing where it says several."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in _CONTROLS if name in value), None)
    if isinstance(value, list):
        return _grade(value[0]) if len(value) == 1 else ""
    if value is None:
        return ""
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    )


def _seconds(given: Any) -> float | None:
    """How long it took; nothing where it says what cannot be."""
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < _A_YEAR else None


def _moment(text: Any) -> float | None:
    """When it was said, by UTC where it does not say otherwise."""
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    moment = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return moment if 0 <= moment <= clock.now() + _A_DAY else None
