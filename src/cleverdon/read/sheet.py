"""The sheet that judges fill in: a line a document, with its grade left empty.

Nothing in it says who returned a document, or where: judges are to see the document and no more.
What comes back may have been through a spreadsheet, so commas, semicolons, quotes, further columns,
a byte order mark and UTF-16 are no obstacle. Grades are people's work: no sheet is written over
them.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

from cleverdon.annotations import Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.read import open_source
from cleverdon.read.columns import choose, is_header, position
from cleverdon.read.judging_journal import is_journal, journal_grades
from cleverdon.read.texts import Text
from cleverdon.read.unpacked import decoded
from cleverdon.read.write import write_file

COLUMNS = ("query_id", "doc_id", "grade")
TEXTS = ("query_text", "document_text")
LONGEST = 5_000
"""Characters of a text that a cell shows: some spreadsheets take no more than 32,767."""
UNJUDGED = ("", "?")
"""What stands in the column of the grade where there is none yet."""

_Entry = tuple[int, str, str, str, str]
"""Line, judge, query, document, and the grade as it stands there."""

_SEPARATORS = ("\t", ";", ",")
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
        (name, texts) for name, texts in zip(TEXTS, (queries, documents), strict=True) if texts
    ]
    writer.writerow((*COLUMNS, *(name for name, _ in shown)))
    for query, doc in rows:
        check_ids((query, doc), source=source)
        ids = {TEXTS[0]: query, TEXTS[1]: doc}
        writer.writerow((query, doc, "", *(_shown(texts.get(ids[name])) for name, texts in shown)))
    check_replaceable(path)
    write_file(path, text.getvalue().encode())


def _shown(text: Text | None) -> str:
    """A text in a cell, which no spreadsheet takes for a formula."""
    if text is None:
        return ""
    whole = " ".join(f"{text.title} {text.text}".split())
    cell = whole if len(whole) <= LONGEST else whole[: LONGEST - 1] + "…"
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@")) else cell


def check_ids(ids: Iterable[str], *, source: str = "") -> None:
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
        raise InputError(
            "is there, and is no sheet without grades: a sheet would overwrite it; name another "
            "file",
            source=path,
        )
    if count:
        raise InputError(
            f"has {count:,} grade{'s' if count > 1 else ''}, which a new sheet would overwrite; "
            "name another file, or hand this one in and put it away first",
            source=path,
        )


def _count_grades(path: str) -> int | None:
    """How many documents of a sheet have something for a grade; None where it is no sheet."""
    content = open_source(path).head(2**62)
    separator = None if is_journal(content) else _separator(content)
    if separator is None:
        return None
    _, entries = _entries(_text(content, path), separator, source=path)
    return sum(grade not in UNJUDGED for *_, grade in entries)


def read_sheet(
    path: str | os.PathLike[str], *, format: str | None = None, notes: list[str] | None = None
) -> Nested:
    """The grades of a sheet that was filled in; documents without one are left out.

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
    """Whether a file that begins so has columns with names, as sheets have."""
    return _separator(head) is not None


def grades_by_judge(
    content: bytes, *, source: str, judge: str, judges: Sequence[str]
) -> dict[str, Nested]:
    """The grades of a sheet's content by who judged; it has a header (see `has_header`).

    `judges` are the names that a column of judges may have; where there is none, all are of one
    `judge`.
    """
    separator = _separator(content) or ","
    column, entries = _entries(_text(content, source), separator, source=source, judges=judges)
    found = _grades(entries, separator, source=source, is_sheet=column == COLUMNS[2])
    return {name or judge: grades for name, grades in found.items()}


def read_sheets(paths: Iterable[str | os.PathLike[str]]) -> Nested:
    """The grades of several sheets together; an error where two of them contradict each other."""
    return merged_sheets({os.fspath(path): read_sheet(path) for path in paths})


def merged_sheets(sheets: Mapping[str, Nested]) -> Nested:
    """The grades of sheets by their names; an error where two of them contradict each other.

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
    """What separates the columns of a sheet that begins so; None where it has no header."""
    text = content[: 1 << 12].decode(_encoding(content), "replace").lstrip("\r\n")
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    separator = max(_SEPARATORS, key=first.count)
    return separator if separator in first and is_header(first.split(separator)) else None


def _text(content: bytes, source: str) -> str:
    return decoded(content, source=source, line=1, encoding=_encoding(content))


def _encoding(content: bytes) -> str:
    """Spreadsheets save "Unicode text" as UTF-16, which its first two bytes tell."""
    return "utf-16" if content.startswith(_UTF_16) else "utf-8-sig"


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


def _entries(
    text: str, separator: str, *, source: str, judges: Sequence[str] = ()
) -> tuple[str, Iterator[_Entry]]:
    """The name of the grades' column, and what the rows say."""
    rows = _rows(text, separator, source=source)
    _, header = next(rows)
    positions, _ = choose(header, kind="grade", source=source)
    entries = _of_columns(rows, header, positions, position(header, judges), source=source)
    return header[positions[2]].casefold(), entries


def _of_columns(
    rows: Iterator[tuple[int, list[str]]],
    header: list[str],
    positions: tuple[int, int, int],
    by: int | None,
    *,
    source: str,
) -> Iterator[_Entry]:
    for line, cells in rows:
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
        if not query or not doc or not (judge or by is None):
            what = "query's" if not query else "document's" if not doc else "judge's"
            raise InputError(f"the {what} id is missing", source=source, line=line)
        yield line, judge, query, doc, grade


def _grades(
    entries: Iterator[_Entry], separator: str, *, source: str, is_sheet: bool
) -> dict[str, Nested]:
    """The grades of each judge."""
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
