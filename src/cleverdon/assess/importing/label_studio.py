"""Annotations that Label Studio exports: JSON, JSON-MIN, CSV and TSV.

The forms are those of its guide ("Export results", "Task format") and of the converter in
HumanSignal/label-studio-sdk at 97fcff19 (August 2026): a task of the JSON holds its `data` and
`annotations`, each with a `result` of controls, `completed_by`, `was_cancelled` and `lead_time`; in
JSON-MIN, CSV and TSV an annotation is a flat record, in which what is not text is JSON.

A grade is a choice, a rating or a number. Which fields of the data are the topic and the document,
and which control is the grade, is guessed by their names, or said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cleverdon.assess import clock
from cleverdon.assess.importing.rows import Content, Fields, Row, named, records, table
from cleverdon.errors import InputError
from cleverdon.read.columns import DOCUMENT, GRADE, QUERY

_GRADES = (*GRADE, "rating", "choice", "choices", "number")
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
        return _made("Label Studio's JSON-MIN", _of_records(enumerate(found), fields, source, {}))
    predicted = sum(
        len(records(task.get("predictions"), "predictions", source=source)) for task in found
    )
    return _made("Label Studio's JSON", _of_tasks(found, fields, source), predicted)


def of_table(text: str, fields: Fields, *, separator: str, source: str) -> Content:
    """Flat records in columns."""
    rows = list(table(text, separator=separator, source=source))
    lines = {at: line for at, (line, _) in enumerate(rows)}
    flat = ((at, record) for at, (_, record) in enumerate(rows))
    return _made("Label Studio's CSV", _of_records(flat, fields, source, lines))


def _made(form: str, rows: Iterable[Row], predictions: int = 0) -> Content:
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
    if predictions:
        cautions.append(
            f"{predictions:,} predictions of models are left out: they are no judgments"
        )
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
    chosen = next(iter(found)) if len(found) == 1 else named(list(found), _GRADES)
    if chosen is None:
        raise InputError(
            f"which of {', '.join(found)} is the grade? say --grade-field NAME", source=source
        )
    return chosen


def _of_records(
    flat: Iterable[tuple[int, Mapping[str, Any]]],
    fields: Fields,
    source: str,
    lines: Mapping[int, int],
) -> Iterator[Row]:
    for at, record in flat:
        topic, document = _ids(record, fields, source)
        control = fields.grade or named(list(record), _GRADES)
        if control is None:
            raise InputError(
                f"which of {', '.join(record)} is the grade? say --grade-field NAME", source=source
            )
        grade = _grade(_loaded(record.get(control)))
        cancelled = str(record.get("was_cancelled", "")).casefold() == "true"
        row = _row(topic, document, "" if cancelled else grade, record, record.get("annotator"))
        yield Row(**{**vars(row), "line": lines.get(at)})


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
                f"which field is the {what}? there are {listed}: say --{what}-field NAME",
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
        except ValueError:
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
