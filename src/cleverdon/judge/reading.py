"""Reading labels: a file a judge, or one table with a column that says who judged.

Files with a header may leave grades empty, as judges' sheets do that are not filled in yet. The
second column of TREC's judgments is who judged only where that is said: mostly it is 0.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cleverdon._core import Source
from cleverdon.annotations import Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.judge.labels import Labels, Row, judgment_rows
from cleverdon.read import distinct_names, head_of, open_source
from cleverdon.read.columns import choose, is_header, position
from cleverdon.read.detect import detect, first_line
from cleverdon.read.judging_journal import is_journal, journal_grades
from cleverdon.read.sheet import UNJUDGED, grades_by_judge, has_header
from cleverdon.read.unpacked import decoded

JUDGE = ("judge", "assessor", "annotator", "rater", "judge_id", "assessor_id", "worker", "user")
"""What the column is called that says who judged."""


def read_labels(
    files: Sequence[str] | Mapping[str, str],
    *,
    assessors: bool = False,
    format: str | None = None,
) -> Labels:
    """Labels of files: a file that has a column of judges holds several, any other is one judge's.

    A dict gives the judges' names; in a list they are called as the files are. With `assessors`,
    the files are TREC's judgments whose second column is the judge.
    """
    if isinstance(files, Mapping):
        named = {name: os.fspath(file) for name, file in files.items()}
    else:
        named = {name: file for file, name in names_of([*map(os.fspath, files)]).items()}
    return Labels.of_rows(read_rows(named, assessors=assessors, format=format))


def names_of(files: list[str]) -> dict[str, str]:
    """A name for each judge's file: the file's own, without what says that it holds judgments.

    >>> names_of(["ann.qrels", "qrels.bob.txt"])
    {'ann.qrels': 'ann', 'qrels.bob.txt': 'bob'}
    """
    own = distinct_names(files)
    short = {file: _short(name) for file, name in own.items()}
    return short if len(set(short.values())) == len(short) else own


def _short(name: str) -> str:
    for word in ("qrels", "qrel"):
        for mark in (".", "-", "_"):
            name = name.removesuffix(f"{mark}{word}").removeprefix(f"{word}{mark}")
    return name


def read_rows(
    files: Mapping[str, str], *, assessors: bool = False, format: str | None = None
) -> list[Row]:
    """The rows of such files, by the names of those who judged where the file does not say it."""
    if not files:
        raise OptionError("there is no file with judgments")
    if assessors and format not in (None, "trec"):
        raise OptionError(f"assessors are a column of TREC's format, and not of {format!r}")
    return [row for name, file in files.items() for row in _rows(name, file, assessors, format)]


def _rows(name: str, file: str, assessors: bool, format: str | None) -> Iterator[Row]:
    source = open_source(file)
    head = head_of(source)
    if not head.strip():
        raise InputError("is empty", source=source.name)
    if assessors:
        yield from _by_assessor(source.head(2**62), source=source.name)
    elif is_journal(head):
        yield from _of_grades(name, journal_grades(source.head(2**62), source=source.name))
    elif format is None and has_header(head):
        by_judge = grades_by_judge(source.head(2**62), source=source.name, judge=name, judges=JUDGE)
        for judge, grades in by_judge.items():
            yield from _of_grades(judge, grades)
    elif format is None and (kind := _tabled(head, source=source.name)):
        yield from _of_table(source, kind, judge=name)
    else:
        yield from judgment_rows(name, Judgments.read(source, format=format, name=name))


def _of_grades(judge: str, grades: Nested) -> Iterator[Row]:
    for query, of_query in grades.items():
        for doc, grade in of_query.items():
            yield judge, query, doc, grade


def _tabled(head: bytes, *, source: str) -> str | None:
    """What kind of table a file that starts like this is; None where it is no table."""
    line = first_line(head.decode("utf-8", errors="replace").lstrip("\ufeff"), comments=False)
    if line.startswith("{"):
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return "jsonl" if isinstance(fields, dict) and is_header(list(fields)) else None
    found = detect(head, kind="grade", source=source)
    return found if found in ("parquet", "arrow") else None


Records = Iterable[tuple[int, Sequence[Any]]]
"""Line numbers and cells."""


def _of_table(source: Source, kind: str, *, judge: str) -> Iterator[Row]:
    content = source.head(2**62)
    if kind == "jsonl":
        names, records = _of_json_lines(content, source=source.name)
    else:
        from cleverdon.read.table import load

        names, records = _of_arrow(load(content, format=kind, name=source.name))
    yield from _of_records(names, records, judge=judge, source=source.name)


def _of_json_lines(content: bytes, *, source: str) -> tuple[list[str], Records]:
    names: list[str] = []
    rows: list[tuple[int, Sequence[Any]]] = []
    text = decoded(content, source=source, line=1, encoding="utf-8-sig")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}", source=source, line=number) from None
        if not isinstance(fields, dict):
            raise InputError("expected an object", source=source, line=number)
        names = names or list(fields)
        rows.append((number, [fields.get(name) for name in names]))
    return names, iter(rows)


def _of_arrow(table: Any) -> tuple[list[str], Records]:
    # pyarrow and polars, which stands in for it, differ in what they call the same.
    by_polars = not hasattr(table, "column_names")
    names = list(table.columns if by_polars else table.column_names)
    columns = (table[name] for name in names)
    cells = [column.to_list() if by_polars else column.to_pylist() for column in columns]
    return names, enumerate(zip(*cells, strict=True), start=1)


def _of_records(
    names: list[str], records: Iterable[tuple[int, Sequence[Any]]], *, judge: str, source: str
) -> Iterator[Row]:
    """Rows by the names of the columns; without one of judges, all are of `judge`."""
    (query, doc, grade), _ = choose(names, kind="grade", source=source)
    who = position(names, JUDGE)
    for line, cells in records:
        value = _grade(cells[grade], source=source, line=line)
        if value is None:
            continue
        ids = [_text(cells[at]) for at in (query, doc)]
        by = judge if who is None else _text(cells[who])
        if not all((by, *ids)):
            raise InputError(
                "the judge, the query or the document is empty", source=source, line=line
            )
        yield by, ids[0], ids[1], value


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _grade(cell: Any, *, source: str, line: int) -> float | None:
    """A grade; None where the cell is empty or `?`, since the item is not judged yet."""
    if cell is None or (isinstance(cell, str) and cell.strip() in UNJUDGED):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.inf
    if math.isnan(value) and not isinstance(cell, str):
        return None  # how data frames write an empty cell
    if not math.isfinite(value):
        raise InputError(f"the grade {cell!r} is not a number", source=source, line=line)
    return value


def _by_assessor(data: bytes, *, source: str) -> Iterator[Row]:
    """TREC's judgments: query, judge, document, grade."""
    text = decoded(data, source=source, line=1, encoding="utf-8-sig")
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != 4:
            raise InputError(
                f"expected 4 fields (query, judge, document, grade), found {len(fields)}",
                source=source,
                line=number,
            )
        query, judge, doc, grade = fields
        value = _grade(grade, source=source, line=number)
        if value is not None:
            yield judge, query, doc, value
