"""Texts in columns: a line a record, or a table under a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence

from cleverdon.errors import InputError
from cleverdon.read.records import IDS, TEXTS, TITLES, URLS, Keep, Record, Records, known
from cleverdon.read.unpacked import decoded, decoded_lines

_NUMBERED = re.compile(rb"\d+:(\d+:)?[^\t]*$")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

# By how many columns there are, which is the title and which the text, where no header tells.
_PLACES = {2: (None, 1), 3: (1, 2), 4: (2, 3)}
_WITH_URL = 4

_LONGEST_CELL = 2**31 - 1
"""Characters: Python's own limit is shorter than some documents are."""


def from_columns(
    lines: Iterable[bytes], *, first: bytes, source: str, keep: Keep
) -> Records | None:
    """Records of columns by tabs or commas, or of `12:text`; None where it looks like neither."""
    line = first.rstrip(b"\r\n")
    separator = "\t" if b"\t" in line else ","
    header = [name.strip().strip('"') for name in line.decode("utf-8", "replace").split(separator)]
    if len(header) > 1 and _is_header(header, separator=separator):
        return _from_table(lines, separator=separator, source=source, keep=keep)
    if separator == "\t":
        return _from_tabs(lines, columns=_counted(line, source), source=source, keep=keep)
    if numbered := _NUMBERED.match(line):
        return _from_numbered(lines, parts=3 if numbered[1] else 2, source=source, keep=keep)
    return None


def _is_header(names: Sequence[str], *, separator: str) -> bool:
    """Whether a line names columns.

    A query may well be the word "text". So lines with tabs must also name an id; commas are too
    common in queries for a file without a header to be read by them.
    """
    has_id, has_text = known(names, IDS) is not None, known(names, (*TEXTS, *TITLES)) is not None
    names_id_first = names[0].casefold() in IDS
    return names_id_first or (has_text and (has_id or separator == ","))


def _from_table(lines: Iterable[bytes], *, separator: str, source: str, keep: Keep) -> Records:
    """Rows under a header, quotes and line breaks within them as read_topics reads them."""
    reader = csv.reader(decoded_lines(lines, source=source), delimiter=separator)
    allow_long_cells()
    names: list[str] = []
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if not any(map(str.strip, cells)):
                continue
            if not names:
                names = [" ".join(name.split()) for name in cells]
                id, title, text = places_of(names, source=source, line=line)
                continue
            if len(cells) != len(names):
                expected = f"{len(names)} columns ({', '.join(names)})"
                message = f"expected {expected}, found {len(cells)}; is a quote never closed?"
                raise InputError(message, source=source, line=line)
            found = _id(cells[id], source=source, line=line)
            if keep(found):
                chosen = ["" if at is None else cells[at] for at in (title, text)]
                fields = dict(zip(names, cells, strict=True))
                yield Record(found, chosen[0], chosen[1], line, fields)
    except csv.Error as error:
        raise InputError(str(error), source=source, line=reader.line_num) from None


def allow_long_cells() -> None:
    """Let Python read cells as long as documents are.

    The limit is the whole process's. It is never put back: a table that is read at the same time
    would fail in the middle.
    """
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)


def places_of(
    names: Sequence[str], *, source: str, line: int | None = None
) -> tuple[int, int | None, int | None]:
    """Where id, title and text stand; the first column is the id if none is so called."""
    named = [known(names, some) for some in (IDS, TITLES, TEXTS)]
    id, title, text = (None if name is None else names.index(name) for name in named)
    id = 0 if id is None else id
    lacking = title is None and text is None and known(names, URLS) is None
    if lacking or id in (title, text):
        raise InputError(
            f"no column for the text: expected one of {', '.join((*TEXTS, *TITLES))}; "
            f"found {', '.join(names)}",
            source=source,
            line=line,
        )
    return id, title, text


def _counted(line: bytes, source: str) -> int:
    """How many columns lines without a header have, as the first one shows."""
    cells = line.split(b"\t")
    if len(cells) not in _PLACES:
        raise InputError(
            f"expected id and text, id, title and text, or id, url, title and text, by tabs; found "
            f"{len(cells)} columns. Name them in a header: {', '.join(('id', 'title', 'text'))}",
            source=source,
            line=1,
        )
    if len(cells) > 2 and _NUMBER.fullmatch(cells[-1].strip()):
        message = "looks like judgments or a run, and not like texts: its last column is a number"
        raise InputError(message, source=source, line=1)
    return len(cells)


def _from_tabs(lines: Iterable[bytes], *, columns: int, source: str, keep: Keep) -> Records:
    title, text = _PLACES[columns]
    for number, line in enumerate(lines, start=1):
        id = line.partition(b"\t")[0]
        if not keep(str(id.strip(), "utf-8", "replace")):
            continue
        row = decoded(line, source=source, line=number).rstrip("\r\n")
        if not row.strip():
            continue
        # A tab too many belongs to the text, which is the last column.
        cells = row.split("\t", columns - 1)
        if len(cells) < columns:
            message = f"expected {columns} columns by tabs, found {len(cells)}"
            raise InputError(message, source=source, line=number)
        found = _id(cells[0], source=source, line=number)
        fields = {"url": cells[1]} if columns == _WITH_URL else {}
        yield Record(found, "" if title is None else cells[title], cells[text], number, fields)


def _from_numbered(lines: Iterable[bytes], *, parts: int, source: str, keep: Keep) -> Records:
    """`12:text`, and `12:1:text` with a priority: the queries of TREC's Million Query tracks."""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or not keep(str(line.partition(b":")[0].strip(), "utf-8", "replace")):
            continue
        cells = decoded(line, source=source, line=number).rstrip("\r\n").split(":", parts - 1)
        if len(cells) < parts:
            shape = ":".join(("id", "priority", "text") if parts == 3 else ("id", "text"))
            raise InputError(f"expected {shape}", source=source, line=number)
        yield Record(_id(cells[0], source=source, line=number), "", cells[-1], number)


def _id(cell: str, *, source: str, line: int) -> str:
    if not cell.strip():
        raise InputError("the id is missing", source=source, line=line)
    return cell.strip()
