"""Reading labels: a file a judge, or one table with a column that says who judged.

Files with a header may leave grades empty, as judges' sheets do that are not filled in yet. The
second column of TREC's judgments is who judged only where that is said: mostly it is 0.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.judge.labels import Labels, Row
from cleverdon.read import distinct_names, head_of, open_source
from cleverdon.read.columns import DOCUMENT, GRADE, QUERY, is_header, position, split_columns
from cleverdon.read.detect import detect, first_line

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
    if assessors:
        yield from _by_assessor(source.head(2**62), source=source.name)
        return
    head = head_of(source)
    kind = _tabled(head, source=source.name) if format is None else None
    if kind is None:
        for query, doc, grade in Judgments.read(source, format=format, name=name).rows():
            yield name, query, doc, grade
        return
    if kind in ("parquet", "arrow"):
        from cleverdon.read.table import load

        table = load(source.head(2**62), format=kind, name=source.name)
        names, records = _of_arrow(table)
    else:
        text = _decoded(source.head(2**62), source=source.name)
        lines = _of_json_lines if kind == "jsonl" else _of_lines
        names, records = lines(text, source=source.name)
    yield from _of_records(names, records, judge=name, source=source.name)


def _tabled(head: bytes, *, source: str) -> str | None:
    """What kind of table a file that starts like this is; None where it is no table."""
    if not head.strip():
        raise InputError("is empty", source=source)
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    line = first_line(text, comments=False)
    if line.startswith("{"):
        try:
            fields = json.loads(line)
        except ValueError:
            return None
        return "jsonl" if isinstance(fields, dict) and is_header(list(fields)) else None
    if _separator(line):
        return "columns"
    found = detect(head, kind="grade", source=source)
    return found if found in ("parquet", "arrow") else None


def _separator(line: str) -> str | None:
    """What separates the names of columns; None where a line does not hold any."""
    fits = (mark for mark in "\t;," if is_header(split_columns(line, separator=mark)))
    return next(fits, None)


def _decoded(data: bytes, *, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8", source=source, line=line) from None


Records = Iterable[tuple[int, Sequence[Any]]]
"""Line numbers and cells."""


def _of_lines(text: str, *, source: str) -> tuple[list[str], Records]:
    separator = _separator(first_line(text, comments=False)) or ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows = ((reader.line_num, cells) for cells in _checked(reader, source) if any(cells))
    _, names = next(rows)
    return names, rows


def _checked(reader: Any, source: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise InputError(str(error), source=source, line=reader.line_num) from None


def _of_json_lines(text: str, *, source: str) -> tuple[list[str], Records]:
    names: list[str] = []
    rows: list[tuple[int, Sequence[Any]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
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
    query, doc, grade = (
        _place(names, known, what, source=source)
        for what, known in (("query", QUERY), ("document", DOCUMENT), ("grade", GRADE))
    )
    who = position(names, JUDGE)
    for line, cells in records:
        if len(cells) != len(names):
            expected = f"{len(names)} columns ({', '.join(names)})"
            raise InputError(f"expected {expected}, found {len(cells)}", source=source, line=line)
        value = _grade(cells[grade], source=source, line=line)
        if value is None:
            continue
        ids = [str(cells[at]).strip() for at in (query, doc)]
        by = judge if who is None else str(cells[who] if cells[who] is not None else "").strip()
        if not all((by, *ids)):
            raise InputError(
                "the judge, the query or the document is empty", source=source, line=line
            )
        yield by, ids[0], ids[1], value


def _place(names: list[str], known: Sequence[str], what: str, *, source: str) -> int:
    found = position(names, known)
    if found is None:
        raise InputError(
            f"no column for the {what}: expected one of {', '.join(known)}; found "
            f"{', '.join(names)}",
            source=source,
        )
    return found


def _grade(cell: Any, *, source: str, line: int) -> float | None:
    """A grade; None where the cell is empty or `?`, since the item is not judged yet."""
    if cell is None or (isinstance(cell, str) and cell.strip() in ("", "?")):
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
    for number, line in enumerate(_decoded(data, source=source).split("\n"), start=1):
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
