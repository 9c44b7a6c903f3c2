"""Attributes of queries, systems or documents, from tables with a row for each.

A file of queries has columns under a header (CSV, TSV, Excel, JSON, Parquet), and its first column
is the query's id; in Python it may be a dict of dicts. An empty cell means that the query lacks
the attribute. Tables of two columns say which group a system is of, or from which stratum a
document is.
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from cleverdon._common.extras import require
from cleverdon._common.progress import Progress
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.formats.columns import IDS, QUERY, query_column, without_separator_line
from cleverdon.formats.inputs import open_source
from cleverdon.formats.spreadsheets import Sheet, read_table
from cleverdon.formats.streams import csv_rows, decode_text, name_of_stream, stripped_lines
from cleverdon.formats.texts import check_file_exists


@dataclass(frozen=True)
class QueryAttributes:
    """The attributes of queries."""

    names: tuple[str, ...]
    values: dict[str, dict[str, str]]  # query to attribute to value; what is lacking is not there
    source: str = ""

    def column(self, by: str | None = None) -> tuple[str, dict[str, str]]:
        """Return an attribute's name and its value for each query that has it.

        Where there is only one attribute, it need not be named.
        """
        if by is None:
            if len(self.names) > 1:
                listed = ", ".join(self.names)
                raise OptionError(f"there are several attributes of queries: {listed}; name one")
            by = self.names[0]
        if by not in self.names:
            where = f" in {self.source}" if self.source else ""
            raise OptionError(f"queries have no attribute {by!r}{where}{suggest(by, self.names)}")
        return by, {query: row[by] for query, row in self.values.items() if by in row}


def read_attributes(data: Any) -> QueryAttributes:
    """Read the attributes of queries from a file, a table, or a dict: query to attribute to value.

    >>> read_attributes({"q1": {"words": 3, "kind": "web"}, "q2": {"words": 4}}).column("words")
    ('words', {'q1': '3', 'q2': '4'})
    >>> read_attributes({"q1": "en", "q2": "de"}).column()
    ('slice', {'q1': 'en', 'q2': 'de'})
    """
    if isinstance(data, QueryAttributes):
        return data
    of_topics = getattr(data, "attributes", None)
    if isinstance(of_topics, QueryAttributes):
        if not of_topics.names:
            raise InputError("the topics have no attributes")
        return of_topics
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, (str, os.PathLike)):
        opened = open_source(os.fspath(data))
        sheet = read_table(opened, known=[(*QUERY, *IDS)])
        if sheet is not None:
            return _from_table(sheet, source=opened.name)
        return _from_text(opened.head(2**62), source=opened.name)
    if hasattr(data, "__arrow_c_stream__"):
        pyarrow = require("pyarrow", "reading tables", extra="tables")
        table = pyarrow.table(data)
        columns = [column.to_pylist() for column in table.columns]
        return _from_columns(table.column_names, zip(*columns, strict=True), source="")
    raise InputError(
        f"{type(data).__name__!r} cannot be read as attributes of queries: give a file, a table, "
        "or a dict"
    )


def _from_mapping(data: Mapping[Any, Any]) -> QueryAttributes:
    if not data:
        raise InputError("there are no queries with attributes")
    nested = [isinstance(row, Mapping) for row in data.values()]
    if not any(nested):
        data = {query: {"slice": value} for query, value in data.items()}
    elif not all(nested):
        odd = next(query for query, row in data.items() if not isinstance(row, Mapping))
        raise InputError(f"query {odd!r} has a value where others have a dict of attributes")
    rows = {
        str(query): {str(name): str(value) for name, value in row.items() if not _lacking(value)}
        for query, row in data.items()
    }
    if len(rows) < len(data):
        raise InputError("two queries have the same id, one as a number and one as text")
    names = dict.fromkeys(name for row in data.values() for name in row)
    return QueryAttributes(tuple(names), rows)


def _lacking(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _from_text(data: bytes, *, source: str) -> QueryAttributes:
    text = decode_text(data, source=source, line=1, encoding="utf-8-sig")
    named, text = without_separator_line(text)
    first = text.lstrip("\r\n").split("\n", 1)[0]
    separator = named or next((mark for mark in "\t,;|" if mark in first), ",")
    rows = csv_rows(io.StringIO(text, newline=""), separator, source=source)
    return _from_rows(rows, source=source)


def _from_table(sheet: Sheet, *, source: str) -> QueryAttributes:
    """Attributes of a table whose query is the column so called, or else its first."""
    return _from_columns(sheet.columns, sheet.cells, lines=sheet.lines, source=source)


def _from_columns(
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    lines: Iterable[int] | None = None,
    source: str,
) -> QueryAttributes:
    at = query_column(names) or 0
    order = [at, *(place for place in range(len(names)) if place != at)]
    numbered = zip(repeat(0) if lines is None else lines, rows, strict=lines is not None)
    cells = (
        (line, ["" if _lacking(row[at]) else str(row[at]) for at in order])
        for line, row in chain([(1 if lines is not None else 0, names)], numbered)
    )
    return _from_rows(cells, source=source)


def _from_rows(rows: Iterable[tuple[int, list[str]]], *, source: str) -> QueryAttributes:
    header: list[str] | None = None
    seen: dict[str, int] = {}
    values: dict[str, dict[str, str]] = {}
    for number, row in rows:
        line = number or None
        cells = [cell.strip() for cell in row]
        if header is None:
            header = _checked_header(cells, source=source, line=line)
            continue
        problem, query = "", cells[0]
        if len(cells) != len(header):
            problem = f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}"
        elif not query:
            problem = "the query's id is missing"
        elif query in seen:
            where = f", first on line {seen[query]}" if line else ""
            problem = f"query {query!r} is listed twice{where}"
        if problem:
            raise InputError(problem, source=source, line=line)
        seen[query] = number
        pairs = zip(header[1:], cells[1:], strict=True)
        values[query] = {name: cell for name, cell in pairs if cell}
    if header is None or not values:
        raise InputError("has no queries", source=source)
    return QueryAttributes(tuple(header[1:]), values, source)


def _checked_header(names: list[str], *, source: str, line: int | None) -> list[str]:
    if len(names) < 2:
        message = "expected a header: the query's id, then attributes, separated by commas or tabs"
        raise InputError(message, source=source, line=line)
    for place, name in enumerate(names[1:], start=2):
        if not name:
            raise InputError(f"column {place} has no name", source=source, line=line)
        if name in names[1 : place - 1]:
            raise InputError(f"two columns are called {name!r}", source=source, line=line)
    return names


def read_pairs(
    path: str | os.PathLike[str],
    names: tuple[str, str],
    *,
    headings: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, str]:
    """Read the second column by the first: by tabs, commas or white space, packed or not.

    `names` say what the columns are, for messages; a first line, comments aside, that begins with
    the first of them, or with one of `headings`, is a header.
    """
    path = os.fspath(path)
    check_file_exists(path)
    source = name_of_stream(path)
    found: dict[str, str] = {}
    may_be_header = True
    for number, text in stripped_lines(path, progress=progress):
        if text.startswith("#"):
            continue
        separator = next((mark for mark in "\t," if mark in text), None)
        cells = [cell.strip().strip('"') for cell in text.split(separator)]
        if len(cells) != 2 or not all(cells):
            expected = f"{' and '.join(names)}, separated by a tab, a comma or a space"
            message = f"expected {expected}; found {text[:60]!r}"
            raise InputError(message, source=source, line=number)
        first, second = cells
        header = may_be_header and first.casefold() in (names[0], *headings)
        may_be_header = False
        if not header and found.setdefault(first, second) != second:
            known = found[first]
            message = f"{names[0]} {first!r} has the {names[1]} {second!r}, and {known!r} above"
            raise InputError(message, source=source, line=number)
    if not found:
        raise InputError("is empty", source=source)
    return found
