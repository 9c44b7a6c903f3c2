"""The sheet that judges fill in: a line a document, with its grade left empty.

Nothing in it says who returned a document, or where: judges are to see the document and no more.
What comes back may have been through a spreadsheet, so commas, semicolons, quotes, further columns
and a byte order mark are no obstacle.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.read import open_source
from cleverdon.read.columns import choose, is_header
from cleverdon.read.unpacked import decoded
from cleverdon.read.write import write_file

COLUMNS = ("query_id", "doc_id", "grade")
UNJUDGED = ("", "?")
"""What stands in the column of the grade where there is none yet."""

Grades = dict[str, dict[str, float]]
"""Query to document to grade."""

_SEPARATORS = ("\t", ";", ",")
_UNFIT = re.compile(r"[\x00-\x1f\x7f]|^\s|\s$|^$").search


def write_sheet(rows: Iterable[tuple[str, str]], path: str | os.PathLike[str]) -> None:
    """Write queries and documents with an empty grade, to a file or to standard output for `-`.

    Columns are separated by tabs, or by commas where the name ends in `.csv`. The file appears when
    it is complete.
    """
    path = os.fspath(path)
    text = io.StringIO(newline="")
    separator = "," if path.casefold().endswith(".csv") else "\t"
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(COLUMNS)
    for query, doc in rows:
        for id in (query, doc):
            if _UNFIT(id):
                raise InputError(
                    f"the id {id!r} is empty, or holds a tab, a line break or white space at its "
                    "ends, which no sheet can hold; rename it in the runs",
                    source=path,
                )
        writer.writerow((query, doc, ""))
    write_file(path, text.getvalue().encode())


def read_sheet(path: str | os.PathLike[str]) -> Grades:
    """The grades of a sheet that was filled in; documents without one are left out.

    Files without such a header (qrels of TREC, JSON, Parquet) are read as any judgments are.
    """
    opened = open_source(os.fspath(path))
    head = opened.head(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    first = re.split(rb"[\r\n]", head, maxsplit=1)[0].decode("utf-8", "replace")
    separator = max(_SEPARATORS, key=first.count)
    if separator not in first or not is_header(first.split(separator)):
        return Judgments.read(opened).to_dict()
    text = decoded(opened.head(2**62), source=opened.name, line=1, encoding="utf-8-sig")
    return _grades(_rows(text, separator, source=opened.name), separator, source=opened.name)


def read_sheets(paths: Iterable[str | os.PathLike[str]]) -> Grades:
    """The grades of several sheets together; an error where two of them contradict each other."""
    found: Grades = {}
    source: dict[tuple[str, str], str] = {}
    for path in paths:
        for query, grades in read_sheet(path).items():
            for doc, grade in grades.items():
                first = source.setdefault((query, doc), os.fspath(path))
                if found.setdefault(query, {}).setdefault(doc, grade) != grade:
                    raise InputError(
                        f"document {doc!r} of query {query!r} has the grade {grade:g}, and "
                        f"{found[query][doc]:g} in {first}; `cleverdon agree` makes one grade of "
                        "several judges'",
                        source=os.fspath(path),
                    )
    return found


def _rows(text: str, separator: str, *, source: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, each with the line on which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    before = 0
    try:
        for cells in reader:
            # A quoted cell, as of a note, may hold line breaks.
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                yield line, [cell.strip() for cell in cells]
    except csv.Error as error:
        message = f"cannot be read as columns: {error}; is a quote not closed?"
        raise InputError(message, source=source, line=reader.line_num) from None


def _grades(rows: Iterator[tuple[int, list[str]]], separator: str, *, source: str) -> Grades:
    _, header = next(rows)
    positions, _ = choose(header, kind="grade", source=source)
    found: Grades = {}
    seen: dict[tuple[str, str], int] = {}
    for line, cells in rows:
        where: dict[str, Any] = {"source": source, "line": line}
        if len(cells) > len(header) and not any(cells[len(header) :]):
            cells = cells[: len(header)]  # spreadsheets add empty cells
        if len(cells) == len(header) - 1 and positions[2] == len(header) - 1:
            cells = [*cells, ""]  # and editors cut off what is empty at the end of a line
        if len(cells) != len(header):
            message = f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}"
            raise InputError(f"{message}; the sheet's columns are to stay as they are", **where)
        query, doc, grade = (cells[at] for at in positions)
        if not query or not doc:
            what = "query" if not query else "document"
            raise InputError(f"the {what}'s id is missing", **where)
        if grade in UNJUDGED:
            continue
        value = _number(grade, separator, where)
        if found.setdefault(query, {}).setdefault(doc, value) != value:
            raise InputError(
                f"document {doc!r} of query {query!r} has the grade {grade}, and "
                f"{found[query][doc]:g} on line {seen[query, doc]}; keep one of them",
                **where,
            )
        seen.setdefault((query, doc), line)
    return found


def _number(grade: str, separator: str, where: dict[str, Any]) -> float:
    # Where cells are separated by semicolons, the comma is the decimal point.
    text = grade.replace(",", ".") if separator == ";" else grade
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise InputError(
            f"expected a grade, found {grade!r}: it is a number such as 0 or 2; leave it empty, or "
            "write ?, where the document is not judged yet",
            **where,
        )
    return value
