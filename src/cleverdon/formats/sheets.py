"""The files in which judges hand in grades: sheets, and journals of adaptive judging.

A sheet has a line a document, with its grade left empty. Nothing in it names the systems that
returned a document: judges are to see the document and no more. What comes back may have been
through a spreadsheet, so commas, semicolons, quotes, further columns, a byte order mark and
UTF-16 are no obstacle. Grades are people's work: no sheet is written over them.

`cleverdon.pooling.adaptive` writes journals and goes on from them, for which it needs the runs
as they were. Here only the grades are read, so that they are never lost with a run, or with one
line of the file.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleverdon._common.files import unreadable_error, write_file
from cleverdon._common.text import counted
from cleverdon.data import Judgments, Nested
from cleverdon.errors import InputError
from cleverdon.formats.columns import (
    choose_columns,
    column_position,
    is_column_header,
    without_separator_line,
)
from cleverdon.formats.inputs import open_source
from cleverdon.formats.streams import csv_rows, decode_text

if TYPE_CHECKING:
    from cleverdon.formats.texts import Text


JOURNAL_FORMAT = "cleverdon judging 1"
JOURNAL_START = f'{{"format": "{JOURNAL_FORMAT}"'.encode()  # the first bytes of a journal

CUT_MESSAGE = (
    "the journal is cut within its first line, and holds no judgments: is there a copy of it?"
)

_ENTRY_KINDS = frozenset(("given", "judged", "limits"))
"""The kinds of lines after the first."""

_ANY_VERSION = b'{"format": "cleverdon judging '


def is_journal(head: bytes) -> bool:
    """Tell whether a file with this head is a journal of judging, of any version."""
    return head.startswith(_ANY_VERSION)


def journal_grades(
    content: bytes, *, source: str, notes: list[str] | None = None
) -> dict[str, dict[str, float]]:
    """Query to document to grade; of a document that was judged twice, the last grade holds.

    A line that is damaged is an error, or left out with a note where there are `notes`. One that
    was cut short at the end is left out: what it says was handed to nobody.
    """
    if not content.startswith(JOURNAL_START):
        raise InputError(
            f"is a journal of another version of Cleverdon; this is read: {JOURNAL_FORMAT!r}",
            source=source,
            line=1,
        )
    found: dict[str, dict[str, float]] = {}
    damaged: list[int] = []
    *lines, torn = content.split(b"\n")
    if not lines:
        raise InputError(CUT_MESSAGE, source=source, line=1)
    for number, line in enumerate(lines[1:], start=2):
        entry = parse_entry(line)
        if entry is None or ("judged" in entry and not _is_judgment(entry["judged"])):
            damaged.append(number)
        elif "judged" in entry:
            query, doc, grade = entry["judged"]
            found.setdefault(query, {})[doc] = float(grade)
    if damaged and notes is None:
        raise InputError(
            "the journal is damaged here: a judgment may be missing; `cleverdon pool next "
            f"{source} -n 0 --write-qrels FILE` writes those that can be read",
            source=source,
            line=damaged[0],
        )
    if notes is not None:
        notes += [
            f"{source}:{number}: the line is damaged, and left out: was it a judgment, it is to be "
            "handed in again"
            for number in damaged
        ]
        if torn:
            notes.append(f"{source}:{len(lines) + 1}: the last line was cut short, and is left out")
    return found


def parse_entry(line: bytes) -> dict[str, Any] | None:
    """Parse a line, one of `_ENTRY_KINDS`; None where it is damaged."""
    try:
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and len(entry.keys() & _ENTRY_KINDS) == 1 else None


def _is_judgment(value: object) -> bool:
    """Tell whether it is a query, a document and a grade."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    query, doc, grade = value
    named = isinstance(query, str) and isinstance(doc, str)
    return named and isinstance(grade, (int, float)) and isfinite(grade)


def judgments_of(path: str | os.PathLike[str]) -> list[tuple[str, str, float]]:
    """Return all judgments that can be read, with those that others took the place of."""
    try:
        *lines, _ = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise unreadable_error(os.fspath(path), error) from None
    read = [(parse_entry(line) or {}).get("judged", ()) for line in lines[1:]]
    return [(query, doc, float(grade)) for query, doc, grade in filter(_is_judgment, read)]


COLUMNS = ("query_id", "doc_id", "grade")
_TEXTS = ("query_text", "document_text")
_LONGEST = 5_000
"""Characters of a text that a cell shows: some spreadsheets take no more than 32,767."""
UNJUDGED = ("", "?")  # cells of the grade's column where there is no grade yet

_Entry = tuple[int, str, str, str, str]
"""Line, judge, query, document, and the grade as it stands there."""

_SEPARATORS = ("\t", ";", ",", "|")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UNFIT = re.compile(r"[\x00-\x1f\x7f]|^\s|\s$|^$").search


def write_sheet(
    rows: Iterable[tuple[str, str]],
    path: str | os.PathLike[str],
    *,
    queries: Mapping[str, Text] | None = None,
    documents: Mapping[str, Text] | None = None,
) -> None:
    """Write queries and documents with an empty grade, to a file or to standard output for `-`.

    The texts of queries and documents, where they are given, stand in columns of their own. Columns
    are separated by tabs, or by commas where the name ends in `.csv`. The file appears when it is
    complete. A file that is there is only replaced where it is a sheet without grades.
    """
    path = os.fspath(path)
    source = "" if path == "-" else path
    text = io.StringIO(newline="")
    separator = "," if path.casefold().endswith(".csv") else "\t"
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    shown = [
        (name, texts) for name, texts in zip(_TEXTS, (queries, documents), strict=True) if texts
    ]
    writer.writerow((*COLUMNS, *(name for name, _ in shown)))
    for query, doc in rows:
        check_sheet_ids((query, doc), source=source)
        ids = {_TEXTS[0]: query, _TEXTS[1]: doc}
        writer.writerow((query, doc, "", *(_shown(texts.get(ids[name])) for name, texts in shown)))
    check_replaceable(path)
    write_file(path, text.getvalue().encode())


def _shown(text: Text | None) -> str:
    """Return the text of a cell, which no spreadsheet takes for a formula."""
    if text is None:
        return ""
    whole = " ".join(f"{text.title} {text.text}".split())
    cell = whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + "…"
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell


def check_sheet_ids(ids: Iterable[str], *, source: str = "") -> None:
    """Raise an InputError for an id that would not come back from a sheet as it is."""
    for id in ids:
        if _UNFIT(id):
            raise InputError(
                f"the id {id!r} is empty, or holds a tab, a line break or white space at its "
                "ends, which no sheet can hold; rename it in the runs",
                source=source,
            )


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Raise an InputError where a file is there that is no sheet, or one with grades in it."""
    path = os.fspath(path)
    if path == "-" or not os.path.isfile(path) or not os.path.getsize(path):
        return
    try:
        count = _count_grades(path)
    except InputError:
        count = None
    if count is None:
        message = "exists, and is not a sheet without grades; name another file"
        raise InputError(message, source=path)
    if count:
        remedy = "name another file, or hand this one in and put it away first"
        message = f"has {counted(count, 'grade')}, which a new sheet would overwrite; {remedy}"
        raise InputError(message, source=path)


def _count_grades(path: str) -> int | None:
    """Count the documents of a sheet that have a grade; None where it is no sheet."""
    content = open_source(path).head(2**62)
    separator = None if is_journal(content) else _separator(content)
    if separator is None:
        return None
    _, entries = _entries(_text(content, path), separator, source=path)
    return sum(grade not in UNJUDGED for *_, grade in entries)


def read_sheet(
    path: str | os.PathLike[str], *, format: str | None = None, notes: list[str] | None = None
) -> Nested:
    """Read the grades of a sheet that was filled in; documents without one are left out.

    Files without such a header (qrels of TREC, JSON, Parquet) are read as any judgments are, in
    the `format` that is named or guessed: there, a grade below 0 is of a document that is pooled
    and not judged. The journal of `cleverdon pool next` may be given as well: `notes` gets what
    could not be read of it, which is an error without them.
    """
    opened = open_source(os.fspath(path))
    head = opened.head(1 << 12)
    if is_journal(head):
        return journal_grades(opened.head(2**62), source=opened.name, notes=notes)
    separator = _separator(head)
    if separator is None:
        return Judgments.read(opened, format=format).to_dict()
    text = _text(opened.head(2**62), opened.name)
    column, entries = _entries(text, separator, source=opened.name)
    is_sheet = column == COLUMNS[2]
    return _grades(entries, separator, source=opened.name, is_sheet=is_sheet).get("", {})


def has_header(head: bytes) -> bool:
    """Tell whether a file with this head has named columns, as sheets have."""
    return _separator(head) is not None


def grades_by_judge(
    content: bytes, *, source: str, judge: str, judges: Sequence[str]
) -> dict[str, Nested]:
    """Return the grades of a sheet's content by who judged; it has a header (see `has_header`).

    `judges` are the names that a column of judges may have; where there is none, all are of one
    `judge`.
    """
    separator = _separator(content) or ","
    column, entries = _entries(_text(content, source), separator, source=source, judges=judges)
    found = _grades(entries, separator, source=source, is_sheet=column == COLUMNS[2])
    return {name or judge: grades for name, grades in found.items()}


def read_sheets(paths: Iterable[str | os.PathLike[str]]) -> Nested:
    """Read the grades of several sheets; refuse sheets that contradict each other."""
    return merged_sheets({os.fspath(path): read_sheet(path) for path in paths})


def merged_sheets(sheets: Mapping[str, Nested]) -> Nested:
    """Merge the grades of sheets by name; refuse sheets that contradict each other.

    A grade below 0 is none, and contradicts nothing.
    """
    found: Nested = {}
    source: dict[tuple[str, str], str] = {}
    for name, grades in sheets.items():
        for query, of_query in grades.items():
            known = found.setdefault(query, {})
            for doc, grade in of_query.items():
                before = known.get(doc, -1.0)
                if before < 0:
                    known[doc], source[query, doc] = grade, name
                elif grade >= 0 and grade != before:
                    raise InputError(
                        f"document {doc!r} of query {query!r} has the grade {grade:g}, and "
                        f"{before:g} in {source[query, doc]}; `cleverdon agree` makes one grade of "
                        "several judges'",
                        source=name,
                    )
    return found


def _separator(content: bytes) -> str | None:
    """Find the separator of a sheet's columns; None where it has no header."""
    text = content[: 1 << 12].decode(_encoding(content), "replace").lstrip("\r\n")
    named, text = without_separator_line(text)
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    separator = named or max(_SEPARATORS, key=first.count)
    return separator if separator in first and is_column_header(first.split(separator)) else None


def _text(content: bytes, source: str) -> str:
    text = decode_text(content, source=source, line=1, encoding=_encoding(content))
    return without_separator_line(text)[1]


def _encoding(content: bytes) -> str:
    """Tell UTF-16, in which spreadsheets save "Unicode text", by its first two bytes."""
    return "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"


def _entries(
    text: str, separator: str, *, source: str, judges: Sequence[str] = ()
) -> tuple[str, Iterator[_Entry]]:
    """Return the name of the grades' column, and the entries of the rows."""
    rows = csv_rows(io.StringIO(text, newline=""), separator, source=source)
    header = [name.strip() for name in next(rows)[1]]
    positions, _ = choose_columns(header, kind="grade", source=source)
    entries = _of_columns(rows, header, positions, column_position(header, judges), source=source)
    return header[positions[2]].casefold(), entries


def _of_columns(
    rows: Iterator[tuple[int, list[str]]],
    header: list[str],
    positions: tuple[int, int, int],
    by: int | None,
    *,
    source: str,
) -> Iterator[_Entry]:
    for line, row in rows:
        cells = [cell.strip() for cell in row]
        if len(cells) > len(header) and not any(cells[len(header) :]):
            cells = cells[: len(header)]  # spreadsheets add empty cells
        if len(cells) == len(header) - 1 and positions[2] == len(header) - 1:
            cells = [*cells, ""]  # and editors cut off what is empty at the end of a line
        if len(cells) != len(header):
            message = f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}"
            raise InputError(
                f"{message}; the sheet's columns are to stay as they are", source=source, line=line
            )
        query, doc, grade = (cells[at] for at in positions)
        judge = "" if by is None else cells[by]
        if query and not doc and grade in UNJUDGED:
            continue  # a query of which nothing is judged
        if not query or not doc or not (judge or by is None):
            what = "query's" if not query else "document's" if not doc else "judge's"
            raise InputError(f"the {what} id is missing", source=source, line=line)
        yield line, judge, query, doc, grade


def _grades(
    entries: Iterator[_Entry], separator: str, *, source: str, is_sheet: bool
) -> dict[str, Nested]:
    found: dict[str, Nested] = {}
    seen: dict[tuple[str, str, str], int] = {}
    for line, judge, query, doc, grade in entries:
        if grade in UNJUDGED:
            continue
        value = _number(grade, separator, source=source, line=line)
        if is_sheet and value < 0:
            raise InputError(
                f"the grade {grade} of document {doc!r} is below 0; use 0 for junk; leave it "
                "empty where it is not judged yet",
                source=source,
                line=line,
            )
        of_query = found.setdefault(judge, {}).setdefault(query, {})
        if of_query.setdefault(doc, value) != value:
            raise InputError(
                f"document {doc!r} of query {query!r} has the grade {grade}, and "
                f"{of_query[doc]:g} on line {seen[judge, query, doc]}; keep one of them",
                source=source,
                line=line,
            )
        seen.setdefault((judge, query, doc), line)
    return found


def _number(grade: str, separator: str, *, source: str, line: int) -> float:
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
            source=source,
            line=line,
        )
    return value
