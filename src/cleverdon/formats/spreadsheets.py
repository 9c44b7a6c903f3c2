"""Excel workbooks: runs, judgments and texts in a sheet, under a row of column names.

python-calamine reads them (also the older .xls, and LibreOffice's .ods), XlsxWriter writes them.
Excel has one kind of number, so that a whole one is an id without a point: 12, not 12.0. Cells that
hold dates are no ids: Excel makes dates of ids such as 3-4, and the id is lost. Nor are numbers of
more than 15 digits, of which Excel keeps the first 15. An id that a format shows with leading zeros
has them. What python-calamine does not tell of a cell (format, error, formula), its XML does.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

from cleverdon import _core
from cleverdon._common.extras import require
from cleverdon.errors import InputError
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    GRADE,
    HEAD,
    RANK,
    SCORE,
    column_position,
    document_column,
    fold,
    is_column_header,
    misplaced_header,
    named_columns,
    query_column,
)
from cleverdon.formats.detection import is_json_lines, is_workbook
from cleverdon.formats.mappings import as_cells, parse_json, parse_json_lines

_MOST_ROWS = 1_048_576  # of a sheet, by Excel's own limit
_MOST_SHOWN = 8  # sheets in a message


class Sheet(NamedTuple):
    """A sheet: the names of its columns, its rows, and the row of the sheet that each one is."""

    name: str
    columns: list[str]
    cells: list[list[Any]]
    lines: list[int]
    left: int = 0  # the column of the sheet that the first one is, from 0
    merged: Sequence[tuple[tuple[int, int], tuple[int, int]]] = ()  # corners, rows from 0


def _split_sheet(path: str) -> tuple[str, str | None]:
    """The file and the part of it that a path names.

    >>> _split_sheet("book.xlsx#Ratings"), _split_sheet("run.txt")
    (('book.xlsx', 'Ratings'), ('run.txt', None))
    """
    file, mark, part = path.rpartition("#")
    if not mark or os.path.exists(path):
        return path, None
    return file, part


def read_sheet(content: bytes, *, path: str, known: Iterable[Sequence[str]] = ()) -> Sheet:
    """Read the sheet that a path names, or the only one that can be meant.

    Args:
        content: The workbook.
        path: Its name, for messages, with the sheet behind `#`.
        known: Groups of column names of which a sheet must have one each to be meant; by default
            those of a query and a document.
    """
    calamine = require(
        "python_calamine", "reading Excel files", package="python-calamine", extra="excel"
    )
    file, wanted = _split_sheet(path)
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = list(book.sheet_names)
        if wanted is not None and wanted not in names:
            matching = [name for name in names if name.casefold() == wanted.casefold()]
            if len(matching) != 1:
                raise InputError(f"has no sheet {wanted!r}: {_listed(names)}", source=file)
            wanted = matching[0]
        chosen = names if wanted is None else [wanted]
        sheets = [_sheet(name, book.get_sheet_by_name(name)) for name in chosen]
    except InputError:
        raise
    except Exception as error:  # calamine has no base class for what may be wrong with a file
        reason = str(error).partition("\n")[0]
        raise InputError(f"is not a readable Excel file: {reason}", source=file) from None
    filled = [sheet for sheet in sheets if sheet.columns]
    if not filled:
        what = "is empty" if wanted is None else f"the sheet {wanted!r} is empty"
        raise InputError(what, source=file)
    groups = list(known)
    meant = [sheet for sheet in filled if _is_meant(sheet.columns, groups)] or filled
    if len(meant) > 1:
        either = " or ".join(repr(sheet.name) for sheet in meant[:_MOST_SHOWN])
        message = f"which sheet is meant, {either}? Answer with {file}#{meant[0].name}"
        raise InputError(f"{message}. {_previews(meant)}", source=file)
    if not groups:
        _check_cells(meant[0], content, source=file)
    return meant[0]


def read_table(opened: _core.Source, *, known: Iterable[Sequence[str]] = ()) -> Sheet | None:
    """Read a table of Excel, JSON, JSON Lines, Parquet or Arrow; None where a file is no such.

    Args:
        opened: The file.
        known: As `read_sheet` has it.
    """
    head, source = opened.head(HEAD), opened.name
    if is_workbook(head, source):
        sheet = read_sheet(opened.head(2**62), path=opened.path, known=known)
        return sheet._replace(cells=[[_whole(cell) for cell in row] for row in sheet.cells])
    lines: list[int] = []
    if head.startswith((PARQUET, ARROW, ARROW_STREAM)):
        from cleverdon.formats.arrow import records_of_file  # only for such files

        format = "parquet" if head.startswith(PARQUET) else "arrow"
        records: list[Any] = records_of_file(opened.path, opened, format=format)
    elif head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        records = parse_json(opened.head(2**62), source=source, shape="a list of objects")
    elif is_json_lines(head, source):
        records, lines = parse_json_lines(opened.head(2**62), source=source)
    else:
        return None
    columns, cells = as_cells(records, source=source, lines=lines)
    return Sheet("", columns, cells, lines or [0] * len(cells))


def _whole(cell: Any) -> Any:
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _check_cells(sheet: Sheet, content: bytes, *, source: str) -> None:
    """Refuse cells of ids and numbers that do not hold what they show, and pad ids by zeros."""
    if not is_column_header(sheet.columns):
        misplaced_header(sheet.cells, sheet.lines, source=source)
    ids = {
        at for at in (query_column(sheet.columns), document_column(sheet.columns)) if at is not None
    }
    numbers = set(map(fold, (*GRADE, *SCORE, *RANK, *named_columns().names.values())))
    read = ids | {at for at, name in enumerate(sheet.columns) if fold(name) in numbers}
    for (top, left), (bottom, right) in sheet.merged:
        covers = any(left <= at + sheet.left <= right for at in read)
        if covers and (bottom > top or right > left) and bottom + 1 in sheet.lines:
            cells = f"{_cell_name(top + 1, left)}:{_cell_name(bottom + 1, right)}"
            message = f"the cells {cells} are merged; unmerge them, and fill in each one"
            raise InputError(message, source=source, line=top + 1)
    counted = False
    empty = False
    for line, row in zip(sheet.lines, sheet.cells, strict=True):
        empty = empty or any(row[at] is None for at in read)
        for at in ids:
            if isinstance(row[at], (int, float)) and not isinstance(row[at], bool):
                counted = True
                if abs(row[at]) >= _EXACT:
                    cell = _cell_name(line, at + sheet.left)
                    message = (
                        f"the id in cell {cell} is a number of more than 15 digits, and Excel "
                        "keeps 15; format the column as text, and enter it again"
                    )
                    raise InputError(message, source=source, line=line)
    if counted or empty:
        _look_into_cells(sheet, content, ids, read, source=source)


_EXACT = 1e15


def _cell_name(row: int, column: int) -> str:
    """The name of a cell: the row counts from 1, the column from 0.

    >>> _cell_name(2, 0), _cell_name(10, 27)
    ('A2', 'AB10')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row}"


_CELL = re.compile(rb"<(?:\w+:)?c\s([^>]*?)(?:/>|>(.*?)</(?:\w+:)?c>)", re.DOTALL)
_STATED = re.compile(rb"\b(r|s|t)=[\"']([^\"']*)")


def _look_into_cells(
    sheet: Sheet, content: bytes, ids: set[int], read: set[int], *, source: str
) -> None:
    """Look at what python-calamine does not tell, where the file is one of Excel's."""
    try:
        book = zipfile.ZipFile(io.BytesIO(content))
        formats = _number_formats(book)
        text = book.read(_part_of(book, sheet.name))
    except (KeyError, ValueError, zipfile.BadZipFile, SyntaxError):
        return  # an older file, or one of LibreOffice's
    columns = {_cell_name(1, at + sheet.left)[:-1]: at for at in read}
    rows = {line: at for at, line in enumerate(sheet.lines)}
    for stated, inside in _CELL.findall(text):
        facts = {name: value.decode() for name, value in _STATED.findall(stated)}
        found = re.fullmatch(r"([A-Z]+)(\d+)", facts.get(b"r", ""))
        if found is None or found[1] not in columns or int(found[2]) not in rows:
            continue
        column, row, cell = columns[found[1]], rows[int(found[2])], sheet.cells[rows[int(found[2])]]
        place: dict[str, Any] = {"source": source, "line": int(found[2])}
        if facts.get(b"t") == "e":
            shown = re.search(rb"v>(.*?)<", inside)
            error = shown[1].decode("utf-8", "replace") if shown else "an error"
            raise InputError(f"the cell {found[0]} holds {error}; put a value there", **place)
        if cell[column] is None and re.search(rb"<(?:\w+:)?f\b", inside):
            message = f"the cell {found[0]} holds a formula without a value"
            raise InputError(f"{message}; open the file in Excel, and save it", **place)
        format = formats.get(facts.get(b"s", "0"))
        if column in ids and format and isinstance(cell[column], (int, float)):
            if format.strip("0"):
                message = f"the id in cell {found[0]} is a number that is shown as {format}"
                raise InputError(
                    f"{message}; format the column as text, and enter it again", **place
                )
            if float(cell[column]).is_integer():
                sheet.cells[row][column] = f"{int(cell[column]):0{len(format)}d}"


def _number_formats(book: zipfile.ZipFile) -> dict[str, str]:
    """The formats that add zeros or texts to numbers, by the styles of cells."""
    from xml.etree import ElementTree  # only for such files

    styles = ElementTree.fromstring(book.read("xl/styles.xml"))
    codes = {
        each.get("numFmtId"): each.get("formatCode", "").partition(";")[0]
        for each in styles.iterfind("{*}numFmts/{*}numFmt")
    }
    found = {}
    for style, each in enumerate(styles.iterfind("{*}cellXfs/{*}xf")):
        code = codes.get(each.get("numFmtId"), "")
        if re.match(r"00|[^.]*\"[^\"]*\w", code):
            found[str(style)] = code
    return found


def _part_of(book: zipfile.ZipFile, name: str) -> str:
    """The file of a sheet within a workbook."""
    from xml.etree import ElementTree  # only for such files

    key = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
    sheets = ElementTree.fromstring(book.read("xl/workbook.xml")).iterfind("{*}sheets/{*}sheet")
    wanted = next((each.get(key) for each in sheets if each.get("name") == name), None)
    parts = ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    for part in parts:
        if part.get("Id") == wanted:
            target = part.get("Target", "")
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    raise KeyError(name)


def _is_meant(columns: list[str], groups: list[Sequence[str]]) -> bool:
    if not groups:
        return is_column_header(columns)
    return all(column_position(columns, names) is not None for names in groups)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:_MOST_SHOWN]))
    return f"it has {shown}{', ...' if len(names) > _MOST_SHOWN else ''}"


def _previews(sheets: list[Sheet]) -> str:
    lines = [
        f"    {sheet.name}: {' | '.join(map(str, row))[:70]}"
        for sheet in sheets[:_MOST_SHOWN]
        for row in [sheet.columns, *sheet.cells[:2]]
    ]
    return "The first rows:\n" + "\n".join(lines)


def _sheet(name: str, found: Any) -> Sheet:
    first = found.start[0] + 1 if found.start else 1
    columns: list[str] = []
    cells: list[list[Any]] = []
    lines: list[int] = []
    for number, row in enumerate(found.to_python(skip_empty_area=True), start=first):
        if all(cell == "" for cell in row):
            continue
        if not columns:
            columns = [" ".join(str(cell).split()) for cell in row]
        else:
            cells.append([_plain(cell) for cell in row])
            lines.append(number)
    while columns and not columns[-1] and all(row[-1] is None for row in cells):
        columns.pop()
        cells = [row[:-1] for row in cells]
    left = found.start[1] if found.start else 0
    return Sheet(name, columns, cells, lines, left, list(found.merged_cell_ranges or ()))


def _plain(cell: Any) -> Any:
    """A cell, None where it is empty."""
    return None if isinstance(cell, str) and not cell.strip() else cell


def write_sheet_file(
    names: Sequence[str], rows: Iterator[Sequence[Any]], out: BinaryIO, *, sheet: str, path: str
) -> None:
    """Write a workbook with one sheet. Texts stay texts, also where they look like numbers."""
    xlsxwriter = require("xlsxwriter", "writing Excel files", extra="excel")
    # Without links: an id that is an address is an id.
    options = {"in_memory": True, "strings_to_urls": False, "constant_memory": False}
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, options)
    try:
        found = book.add_worksheet(sheet)
        for column, name in enumerate(names):
            found.write_string(0, column, name)
        for row, cells in enumerate(rows, start=1):
            if row >= _MOST_ROWS:
                message = f"a sheet holds {_MOST_ROWS:,} rows, and there are more; write .csv"
                raise InputError(message, source=path)
            for column, cell in enumerate(cells):
                if isinstance(cell, str):
                    _write_text(found, row, column, cell, path)
                elif cell is not None:
                    _write_number(found, row, column, cell, path)
        found.freeze_panes(1, 0)
    finally:
        book.close()
    out.write(content.getvalue())


_LONGEST_CELL = 32_767  # characters, by Excel's own limit


def _write_text(sheet: Any, row: int, column: int, text: str, path: str) -> None:
    if len(text) > _LONGEST_CELL:
        message = f"the id {text[:40]!r}... has {len(text):,} characters, and a cell holds "
        raise InputError(f"{message}{_LONGEST_CELL:,}; write .json or .parquet", source=path)
    sheet.write_string(row, column, text)


def _write_number(sheet: Any, row: int, column: int, number: float, path: str) -> None:
    if number in (float("inf"), float("-inf")):
        message = f"row {row + 1}: Excel has no infinite numbers; write .csv or .json"
        raise InputError(message, source=path)
    sheet.write_number(row, column, number)
