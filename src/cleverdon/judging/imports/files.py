"""Judgment files, which are recognised by their content.

Quepid's formats are those of o19s/quepid at f80322f3 (August 2026): the CSV of ratings, which is
`query,docid,rating` (app/controllers/api/v1/export/ratings_controller.rb), the CSV of detailed
exports, with columns `Query Text`, `Doc ID` and `Rating` before fields of the documents, which may
have the same names (caseCSVSvc.js), the CSV of a book, a column a judge by their full names
(judgements_controller.rb), the JSON of cases, ratings and books (app/views/api/v1/export), that of
the Rated Ranking Evaluator, and the text for learning to rank. All of them
name queries by their texts; only TREC's text has numbers, of Quepid's own.

Label Studio's formats are those of its guide ("Export results", "Task format") and of the converter
in HumanSignal/label-studio-sdk at 97fcff19 (August 2026): a task of the JSON holds its `data` and
`annotations`, each with a `result` of controls, `completed_by`, `was_cancelled` and `lead_time`; in
JSON-MIN, CSV and TSV an annotation is a flat record, in which what is not text is JSON. There the
fields of the data and the controls share one level, and a control that was not used is missing. A
grade is a choice, a rating or a number. The fields of the query and the document, and the control
of the grade, are guessed by their names, or given.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from zipfile import BadZipFile, ZipFile

from cleverdon.agreement.labels import read_label_rows
from cleverdon.errors import InputError, check_word
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    DOCUMENT,
    GRADE,
    QUERY,
    first_known,
    first_line,
    is_column_header,
    split_columns,
    without_separator_line,
)
from cleverdon.formats.detection import is_workbook
from cleverdon.formats.inputs import head_of, open_source
from cleverdon.formats.records import allow_long_cells
from cleverdon.formats.streams import decode_text
from cleverdon.judging import clock, imports
from cleverdon.judging.imports import IMPORT_FORMS, Fields, FileContent, FileJudgment


def too_large(path: str) -> InputError:
    """Return the error for a file that is too large, packed or unpacked."""
    return InputError(
        f"has more than {imports.LARGEST:,} bytes once it is unpacked: split it into several files",
        source=path,
    )


_NOBODY = "\0"  # the judge where a file names none; no name can be that


def read_judgments(
    path: str, *, form: str | None = None, judge_column: bool = False, fields: Fields | None = None
) -> FileContent:
    """Read all judgments of a file; with `judge_column`, TREC's second column is the judge."""
    if form is not None:
        check_word("form", form, IMPORT_FORMS)
    source = open_source(path)
    head = head_of(source)
    if not head.strip():
        raise InputError("is empty", source=source.name)
    content = source.head(imports.LARGEST + 1)
    if len(content) > imports.LARGEST:
        raise too_large(path)
    is_book = is_workbook(head, source.name)
    if is_book:
        _check_workbook(content, path)
    binary = head.startswith((PARQUET, ARROW, ARROW_STREAM)) or is_book
    if not judge_column and form != "qrels" and not binary:
        text = decode_text(content, source=source.name, line=1, encoding="utf-8-sig")
        found = _of_tools(without_separator_line(text)[1], fields or Fields(), source.name)
        if found is not None:
            return found
    if head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        _check_table(content, path)
    if form not in (None, "qrels"):
        raise InputError(f"is nothing that {form} exports, as far as can be seen", source=path)
    return _of_qrels(path, judge_column=judge_column)


def _check_workbook(content: bytes, path: str) -> None:
    """Raise an InputError if a workbook says that it unpacks to more than is allowed."""
    # It may be wrong: the memory limit of the process (worker.py) stops what gets past this check.
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except (BadZipFile, ValueError, EOFError):
        return  # the older .xls is no archive; reading a damaged one raises the error
    if size > imports.LARGEST:
        raise too_large(path)


def _check_table(content: bytes, path: str) -> None:
    """Raise an InputError if a Parquet or Arrow file unpacks to more than is allowed."""
    # The sizes in a Parquet file can be wrong, and a batch of Arrow is unpacked as a whole: the
    # memory limit of the process (worker.py) stops what gets past this check.
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        return  # polars may be there to read it
    rows = size = 0
    try:
        opened = pyarrow.BufferReader(content)
        if content.startswith(PARQUET):
            about = pyarrow.parquet.ParquetFile(opened).metadata
            groups = [about.row_group(number) for number in range(about.num_row_groups)]
            batches = ((group.num_rows, group.total_byte_size) for group in groups)
        else:
            batches = ((batch.num_rows, batch.nbytes) for batch in _batches(opened, content))
        for more_rows, more_bytes in batches:
            rows, size = rows + more_rows, size + more_bytes
            if size > imports.LARGEST:
                raise too_large(path)
            if rows > imports.MOST_ROWS:
                raise InputError(
                    f"has more than {imports.MOST_ROWS:,} rows: split it into several files",
                    source=path,
                )
    except MemoryError:
        raise
    except (pyarrow.ArrowException, OSError):
        return  # reading it raises the error


def _batches(opened: Any, content: bytes) -> Iterator[Any]:
    import pyarrow.ipc

    if content.startswith(ARROW_STREAM):
        yield from pyarrow.ipc.open_stream(opened)
        return
    reader = pyarrow.ipc.open_file(opened)
    for number in range(reader.num_record_batches):
        yield reader.get_batch(number)


def _of_tools(text: str, fields: Fields, source: str) -> FileContent | None:
    """Read a file of Quepid or Label Studio; return None for other files."""
    if text.lstrip().startswith(("{", "[")):
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError):
            return None  # lines of JSON, or broken: reading it as qrels tells which
        if _is_label_studio_json(content):
            return _label_studio_json(content, fields, source=source)
        if isinstance(content, dict):
            pairs = content.get("query_doc_pairs", content.get("queries"))
            return _quepid_json(content, source=source) if isinstance(pairs, list) else None
        first = next(iter(content), None) if isinstance(content, list) else {}
        names = list(first) if isinstance(first, dict) else []
        if isinstance(content, list) and not is_column_header(names):
            raise InputError(
                "is a list that neither Quepid nor Label Studio exports: expected tasks with data "
                "and annotations, records with annotation_id and annotator, or objects with a "
                "query, a document and a grade",
                source=source,
            )
        return None
    first = first_line(text, comments=False)
    if _LEARNING.match(first):
        return _quepid_lines(text, source=source)
    for separator in ("\t", ","):
        names = split_columns(first, separator=separator)
        if _is_label_studio_record(names):
            return _label_studio_table(text, fields, separator=separator, source=source)
        if _is_quepid_ratings(names) or (separator == "," and _is_quepid_book(names)):
            return _quepid_table(text, separator=separator, source=source)
    return None


def _of_qrels(path: str, *, judge_column: bool) -> FileContent:
    found = [
        FileJudgment(query, document, f"{grade:.17g}", "" if judge == _NOBODY else judge)
        for judge, query, document, grade in read_label_rows(
            {_NOBODY: path}, judge_column=judge_column
        )
    ]
    # Below 0 is pooled, and not judged.
    graded = tuple(row for row in found if float(row.grade) >= 0)
    return FileContent("qrels", graded, len(found) - len(graded))


def _records(found: Any, what: str, *, source: str) -> list[dict[str, Any]]:
    """Check a list of JSON objects and return it; None is an empty list."""
    given = [] if found is None else found
    if isinstance(given, list) and all(isinstance(each, dict) for each in given):
        return given
    raise InputError(
        f"its {what} are not a list of JSON objects: is the file complete?", source=source
    )


def table(
    text: str,
    *,
    separator: str,
    source: str,
    check: Callable[[list[str], int], None] = lambda names, line: None,
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield rows under a header as dicts, each with its line.

    Of columns with the same name the first counts: tools write their own columns before the data.
    `check` is called with the header and its line.
    """
    # Strict, or a quote that is never closed would silently swallow the rest.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    allow_long_cells()
    names: list[str] = []
    first: dict[str, int] = {}
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                for at, name in enumerate(names):
                    first.setdefault(name, at)
                check(names, reader.line_num)
                continue
            if len(cells) > len(names):
                raise InputError(
                    f"expected {len(names)} columns, found {len(cells)}; is a quote never closed?",
                    source=source,
                    line=reader.line_num,
                )
            padded = [*cells, *([""] * (len(names) - len(cells)))]
            yield reader.line_num, {name: padded[at] for name, at in first.items()}
    except csv.Error as error:
        raise InputError(
            f"{error}; is a quote never closed?", source=source, line=reader.line_num
        ) from None


def _named(names: Sequence[str], known: Sequence[str]) -> str | None:
    """Return the first of the known names that is present, as it is written."""
    return first_known(names, known)


_QUERY = ("query text", "query")
_DOCUMENT = ("doc id", "docid", "doc_id")
_RATING = ("rating",)
_LEARNING = re.compile(r"(?P<rating>\S+) qid:\d+ # (?P<document>\S+) (?P<query>.*)")


def _is_quepid_ratings(names: list[str]) -> bool:
    folded = {name.strip().casefold() for name in names}
    return bool(folded & set(_QUERY) and folded & set(_DOCUMENT)) and (
        "rating" in folded or "snapshot name" in folded
    )


def _is_quepid_book(names: list[str]) -> bool:
    # A book has one column per judge after query and document.
    folded = [name.strip().casefold() for name in names]
    return len(folded) > 2 and folded[:2] == ["query", "docid"] and not _is_quepid_ratings(names)


def _quepid_table(text: str, *, separator: str, source: str) -> FileContent:

    def check(names: list[str], line: int) -> None:
        again = [name for name, times in Counter(names).items() if times > 1]
        if again and _is_quepid_book(names):
            raise InputError(
                f"two columns are called {again[0]!r}: rename one of them, or export the book as "
                "JSON, which has the addresses of judges",
                source=source,
                line=line,
            )

    rows: list[FileJudgment] = []
    ungraded = 0
    for line, cells in table(text, separator=separator, source=source, check=check):
        names = list(cells)
        query_column, document_column = _named(names, _QUERY), _named(names, _DOCUMENT)
        rating = _named(names, _RATING)
        if (
            query_column is None
            or document_column is None
            or (rating is None and "Snapshot Name" in names)
        ):
            raise InputError(
                "has no ratings: in Quepid, export the ratings of the case, or the book",
                source=source,
            )
        judges = {rating: ""} if rating is not None else {name: name.strip() for name in names[2:]}
        for column, judge in judges.items():
            # Quepid writes a space before cells that look like formulas.
            query, doc, grade = (
                cells[name].strip() for name in (query_column, document_column, column)
            )
            if doc and grade:
                rows.append(FileJudgment(query, doc, grade, judge, line))
            elif rating is not None:
                ungraded += 1
    return FileContent("Quepid's CSV", tuple(rows), ungraded, by_title=True)


def _quepid_lines(text: str, *, source: str) -> FileContent:
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        found = _LEARNING.match(line.strip())
        if found is None:
            raise InputError(
                "expected a rating, qid:, #, a document and a query", source=source, line=number
            )
        rows.append(
            FileJudgment(found["query"].strip(), found["document"], found["rating"], line=number)
        )
    return FileContent("Quepid's text for learning to rank", tuple(rows), by_title=True)


def _quepid_json(content: Mapping[str, Any], *, source: str) -> FileContent:
    """Read a case, ratings, a book, or the input of the Rated Ranking Evaluator."""
    read = _pairs if "query_doc_pairs" in content else _queries
    found = list(read(content, source))
    graded = tuple(row for row in found if row.grade)
    return FileContent("Quepid's JSON", graded, len(found) - len(graded), by_title=True)


def _pairs(content: Mapping[str, Any], source: str) -> Iterator[FileJudgment]:
    for pair in _records(content["query_doc_pairs"], "query_doc_pairs", source=source):
        for each in _records(pair.get("judgements"), "judgements", source=source):
            yield FileJudgment(
                _text(pair.get("query_text")),
                _text(pair.get("doc_id")),
                "" if each.get("unrateable") else _text(each.get("rating")),
                _text(each.get("user_email")),
                note=_text(each.get("explanation")),
            )


def _queries(content: Mapping[str, Any], source: str) -> Iterator[FileJudgment]:
    for record in _records(content["queries"], "queries", source=source):
        if "relevant_documents" in record:
            (holder,) = _records([record.get("placeholders") or {}], "placeholders", source=source)
            what = "relevant_documents"
            (gains,) = _records([record[what] or {}], what, source=source)
            for doc, each in zip(
                gains, _records([*gains.values()], what, source=source), strict=True
            ):
                yield FileJudgment(_text(holder.get("$query")), doc, _text(each.get("gain")))
            continue
        query = _text(record.get("query_text", record.get("query")))
        ratings = record.get("ratings")
        if isinstance(ratings, Mapping):
            yield from (FileJudgment(query, doc, _text(rating)) for doc, rating in ratings.items())
            continue
        for each in _records(ratings, "ratings", source=source):
            judge = _text(each.get("user_email"))
            yield FileJudgment(query, _text(each.get("doc_id")), _text(each.get("rating")), judge)


def _text(value: Any) -> str:
    """Return a cell of JSON as text; a whole number without a point."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


_GRADES = (*GRADE, "rating", "choice", "choices", "number")
_FLAT_GRADES = tuple(name for name in _GRADES if name != "score")  # which may be the engine's score
_MINIMAL = ("annotation_id", "annotator")
_CONTROLS = ("choices", "rating", "number")  # that can hold a grade
_A_DAY = 86_400.0
_A_YEAR = 366 * _A_DAY


def _is_label_studio_json(content: Any) -> bool:
    if not isinstance(content, list) or not content or not isinstance(content[0], dict):
        return False
    return _is_task(content[0]) or _is_label_studio_record(list(content[0]))


def _is_label_studio_record(names: Iterable[str]) -> bool:
    return set(_MINIMAL) <= {name.strip() for name in names}


def _label_studio_json(content: Any, fields: Fields, *, source: str) -> FileContent:
    found = _records(content, "tasks", source=source)
    if not _is_task(found[0]):
        nowhere = [None] * len(found)
        return _of_flat("Label Studio's JSON-MIN", found, fields, source, nowhere)
    predicted = sum(
        len(_records(task.get("predictions"), "predictions", source=source)) for task in found
    )
    caution = f"{predicted:,} predictions of models are left out: they are not judgments"
    rows = _of_tasks(found, fields, source)
    return _content("Label Studio's JSON", rows, [caution] if predicted else [])


def _label_studio_table(text: str, fields: Fields, *, separator: str, source: str) -> FileContent:
    rows = list(table(text, separator=separator, source=source))
    flat = [record for _, record in rows]
    return _of_flat("Label Studio's CSV", flat, fields, source, [line for line, _ in rows])


def _content(form: str, rows: Iterable[FileJudgment], cautions: Sequence[str]) -> FileContent:
    """Return the last annotation of each person and document."""
    found = list(rows)
    graded = [row for row in found if row.grade]
    graded.sort(key=lambda row: (row.said_at or 0.0, row.line or 0))
    latest = {(row.query, row.document, row.judge): row for row in graded}
    if again := len(graded) - len(latest):
        caution = f"{again:,} annotations were repeated by the same person: the last one counts"
        cautions = [caution, *cautions]
    kept, ungraded = tuple(latest.values()), len(found) - len(graded)
    return FileContent(form, kept, ungraded, by_title=True, cautions=tuple(cautions))


def _is_task(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("data"), dict) and bool(
        {"annotations", "completions"} & set(record)
    )


def _of_tasks(
    tasks: Sequence[Mapping[str, Any]], fields: Fields, source: str
) -> Iterator[FileJudgment]:
    control = fields.grade or _only_control(tasks, source)
    for task in tasks:
        (data,) = _records([task.get("data")], "data", source=source)
        query, document = _ids(data, fields, source)
        for annotation, results in _annotations(task, source):
            values = (each for each in results if each.get("from_name") == control)
            grade = next((_grade(each.get("value")) for each in values), "")
            yield _row(query, document, grade, annotation, annotation.get("completed_by"))


def _annotations(
    task: Mapping[str, Any], source: str
) -> Iterator[tuple[Mapping[str, Any], list[dict[str, Any]]]]:
    """Return annotations of a task and the values of their controls, unless cancelled."""
    made = task.get("annotations") or task.get("completions")
    for annotation in _records(made, "annotations", source=source):
        results = _records(annotation.get("result"), "results", source=source)
        cancelled = annotation.get("was_cancelled") or annotation.get("skipped")
        yield annotation, [] if cancelled else results


def _only_control(tasks: Sequence[Mapping[str, Any]], source: str) -> str:
    """Return the control that grades, where there is only one."""
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
    known = [name for name in found if len(found) == 1 or name.strip().casefold() in _GRADES]
    return _only(known, list(found), source)


def _only(may_be: Sequence[str], names: Sequence[str], source: str) -> str:
    """Return the only name; raise an error that asks for it where there are several."""
    if len(may_be) != 1:
        listed = ", ".join(may_be or names)
        raise InputError(f"which of {listed} is the grade? name the grade field", source=source)
    return may_be[0]


def _of_flat(
    form: str,
    flat: Sequence[Mapping[str, Any]],
    fields: Fields,
    source: str,
    lines: Sequence[int | None],
) -> FileContent:
    """Read flat records; one that was not graded does not have the control."""
    names = list(dict.fromkeys(name for record in flat for name in record))
    sure = {name for name in names if any(_is_result(_loaded(each.get(name))) for each in flat)}
    may_be = [name for name in names if name in sure or name.strip().casefold() in _FLAT_GRADES]
    control = fields.grade or _only(may_be, names, source)
    rows = []
    for record, line in zip(flat, lines, strict=True):
        query, document = _ids(record, fields, source)
        values = _loaded(record.get(control))
        # A field of the data with the control's name shows up in records without the control.
        hidden = control in sure and not _is_result(values)
        cancelled = str(record.get("was_cancelled", "")).casefold() == "true"
        grade = "" if hidden or cancelled else _grade(values)
        row = _row(query, document, grade, record, record.get("annotator"))
        rows.append(replace(row, line=line))
    guessed = not fields.grade and control not in sure
    cautions = [f"its field {control!r} was taken for the grade"] if guessed else []
    return _content(form, rows, cautions)


def _is_result(value: Any) -> bool:
    """Tell whether a value comes from a rating or a number control."""
    return (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], Mapping)
        and value[0].keys() in ({"rating"}, {"number"})
    )


def _ids(data: Mapping[str, Any], fields: Fields, source: str) -> tuple[str, str]:
    found = []
    for what, given, known in (
        ("query", fields.query, QUERY),
        ("document", fields.document, DOCUMENT),
    ):
        name = given or _named(list(data), known)
        if name is None or data.get(name) in (None, ""):
            listed = ", ".join(map(str, data))
            raise InputError(
                f"which field is the {what}? there are {listed}: name the {what} field",
                source=source,
            )
        found.append(str(data[name]).strip())
    return found[0], found[1]


def _row(
    query: str, document: str, grade: str, about: Mapping[str, Any], judge: Any
) -> FileJudgment:
    if isinstance(judge, Mapping):
        judge = judge.get("email") or judge.get("id")
    who = "" if judge is None else str(judge).strip()
    seconds, said_at = _seconds(about.get("lead_time")), _moment(about.get("created_at"))
    return FileJudgment(query, document, grade, who, seconds=seconds, said_at=said_at)


def _loaded(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(("[", "{")):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def _grade(value: Any) -> str:
    """Return the choice, rating or number of a control; nothing where it has several."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in _CONTROLS if name in value), None)
    if isinstance(value, list):
        return _grade(value[0]) if len(value) == 1 else ""
    return _text(value)


def _seconds(given: Any) -> float | None:
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < _A_YEAR else None


def _moment(text: Any) -> float | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    moment = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return moment if 0 <= moment <= clock.now() + _A_DAY else None
