"""Records with an id, a title and a text, from JSON, from columns of text and from tables.

A format's reader yields records one after the other. It asks `keep` about each id as soon as it
has seen it, and skips a record that is not wanted. What a record says in addition to its title
and text, such as a document's address or a query's narrative, is in its `fields`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from cleverdon._common.extras import require
from cleverdon.errors import InputError
from cleverdon.formats.arrow import load_table
from cleverdon.formats.columns import (
    DESCRIPTIONS,
    DOCUMENT,
    GRADE,
    IDS,
    NARRATIVES,
    QUERY_IDS,
    QUERY_TEXTS,
    RANK,
    SCORE,
    SEPARATORS,
    TEXTS,
    TITLES,
    URLS,
    column_position,
    ending_of,
    first_known,
    fold,
    is_quepid_detailed,
    likely_separator,
    named_columns,
)
from cleverdon.formats.mappings import parse_json
from cleverdon.formats.streams import csv_rows, decode_lines, decode_text

_FURTHER = (*URLS, "html", *DESCRIPTIONS, *NARRATIVES)
"""Fields of a table that are read in addition to the title and the text."""

_FOLDED_IDS = frozenset(map(fold, IDS))

Keep = Callable[[str], bool]

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Record(NamedTuple):
    """A title and a text by their id, and the line they begin on (0 where there are no lines)."""

    id: str
    title: str
    text: str
    line: int
    fields: Mapping[str, Any] = _NOTHING  # all fields, or those other than title and text

    def field(self, wanted: Sequence[str]) -> str:
        """Return the first field with one of these names; empty where there is none.

        Collections in the format of BEIR have further fields in one that is called metadata.
        """
        for fields in (self.fields, self.fields.get("metadata")):
            if isinstance(fields, Mapping) and (name := first_known(list(fields), wanted)):
                return _plain_text(fields[name]).strip()
        return ""


Records = Generator[Record, None, None]


def from_json(lines: Iterator[bytes], *, first: bytes, source: str, keep: Keep) -> Records:
    """Read records of JSON: an object a line, or all in one object or list."""
    # An object that is closed on its line, with another one below it, is a line of JSONL.
    try:
        start = json.loads(first)
    except (ValueError, RecursionError):
        start = None
    if isinstance(start, dict):
        seen: list[bytes] = []
        for line in lines:
            seen.append(line)
            if sum(map(bool, map(bytes.strip, seen))) == 2:
                return _from_lines(chain(seen, lines), source=source, keep=keep)
        has_text = first_known(list(start), (*TEXTS, *TITLES)) is not None
        id = _id_field(list(start))
        if has_text and id is not None and isinstance(start[id], (str, int)):
            return _from_lines(iter(seen), source=source, keep=keep)
        lines = iter(seen)
    whole = parse_json(b"".join(lines), source=source)
    if isinstance(whole, dict):
        listed = next(
            (whole[key] for key in _QUERY_LISTS if isinstance(whole.get(key), list)), None
        )
        if listed is not None:
            from cleverdon.formats.ratings import queries_of  # only for such files

            objects = ((0, each) for each in queries_of(listed))
            return from_objects(objects, source=source, keep=keep)
        return from_mapping(whole, source=source, keep=keep)
    return from_objects(((0, found) for found in whole), source=source, keep=keep)


_QUERY_LISTS = ("judgmentRatings", "requests", "queries")  # as in lists of ratings


def _id_field(names: Sequence[str]) -> str | None:
    """The field that is the id: of a query without one, its text."""
    named = named_columns()
    for role in ("query", "document"):
        if (place := named.position(role, names)) is not None:
            return names[place]
    text = first_known(names, QUERY_TEXTS)
    if text is None or first_known(names, ("text", "contents", *TITLES)) is not None:
        return first_known(names, IDS)
    # A document's id beside the text of a query is not the query's.
    return first_known(names, QUERY_IDS) or text


def _text_field(names: Sequence[str]) -> str | None:
    place = named_columns().position("text", names)
    return first_known(names, TEXTS) if place is None else names[place]


def _title_field(names: Sequence[str]) -> str | None:
    place = named_columns().position("title", names)
    return first_known(names, TITLES) if place is None else names[place]


def _from_lines(lines: Iterable[bytes], *, source: str, keep: Keep) -> Records:
    name = b""

    def objects() -> Iterator[tuple[int, Any]]:
        nonlocal name
        for number, line in enumerate(lines, start=1):
            if (name and not _may_be_kept(line, name, keep)) or not line.strip():
                continue
            try:
                found = json.loads(decode_text(line, source=source, line=number))
            except json.JSONDecodeError as error:
                place = {"line": number, "column": error.colno}
                raise InputError(error.msg, source=source, **place) from None
            except (RecursionError, ValueError) as error:
                raise InputError(f"is no JSON: {error}", source=source, line=number) from None
            if not name and isinstance(found, dict):
                name = b'"%s"' % (_id_field(list(found)) or "").encode()
            yield number, found

    return from_objects(objects(), source=source, keep=keep)


_VALUE = re.compile(rb'\s*:\s*(?:"([^"\\]*)"|(-?\d+)(?=[\s,}]))')


def _may_be_kept(line: bytes, name: bytes, keep: Keep) -> bool:
    """Tell whether a line of JSON may have a wanted id, without parsing it."""
    # Where the id is not the first field, its name may also occur within a nested object. Where a
    # value is not as plain as ids are, parsing has to decide.
    at = line.find(name)
    if at < 0:
        return True
    comes_first = line[:at].strip() == b"{"
    while at >= 0:
        value = _VALUE.match(line, at + len(name))
        if value is None or keep(str(value[value.lastindex or 0], "utf-8", "replace").strip()):
            return True
        at = -1 if comes_first else line.find(name, value.end())
    return False


def from_objects(objects: Iterable[tuple[int, Any]], *, source: str, keep: Keep) -> Records:
    """Read records of objects (line, fields). The first one shows which field is the id."""
    name: str | None = None
    for place, (line, found) in enumerate(objects, start=1):
        where: dict[str, Any] = {"source": source, "line": line or None}
        what = "the object" if line else f"record {place}"
        if not isinstance(found, Mapping):
            raise InputError(f"expected an object with id and text, found {found!r:.40}", **where)
        if name is None:
            name = _id_field(list(found))
            if name is None:
                raise InputError(_no_field(what, "an id", IDS, found), **where)
        if name not in found:
            raise InputError(f"{what} has no {name!r}, which is the id of those before", **where)
        id = _id_of(found[name], **where)
        if keep(id):
            yield Record(id, *_title_and_text(found, what=what, where=where), line, found)


def from_mapping(texts: Mapping[Any, Any], *, source: str, keep: Keep) -> Records:
    """Read records of a dict: an id to its text, or to a dict with title and text."""
    for key, value in texts.items():
        id = _id_of(key, source=source)
        if not keep(id):
            continue
        if isinstance(value, Mapping):
            where = {"source": source}
            yield Record(id, *_title_and_text(value, what=repr(id), where=where), 0, value)
        elif isinstance(value, str) or value is None:
            yield Record(id, "", value or "", 0)
        else:
            expected = "a text, or a dict with title and text"
            message = f"{id!r}: expected {expected}, found {type(value).__name__}"
            raise InputError(message, source=source)


def _id_of(value: Any, *, source: str, line: int | None = None) -> str:
    """Return an id as text; numbers are ids as well."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise InputError(f"expected an id, found {value!r:.40}", source=source, line=line)


def _title_and_text(
    fields: Mapping[str, Any], *, what: str, where: dict[str, Any]
) -> tuple[str, str]:
    names = list(fields)
    title, text = _title_field(names), _text_field(names)
    if title is None and text is None and first_known(names, URLS) is None:
        raise InputError(_no_field(what, "a text", (*TEXTS, *TITLES), names), **where)
    shown = [_plain_text(fields[name]) if name else "" for name in (title, text)]
    return shown[0], shown[1]


def _plain_text(value: Any) -> str:
    """Return the text in a JSON value: some collections keep theirs as a list of paragraphs.

    >>> _plain_text(["One.", None, {"type": "caption", "content": "Two."}])
    'One.\\nTwo.'
    """
    found, waiting = [], [value]
    while waiting:  # not by recursion: JSON may be nested almost as deeply as Python goes
        part = waiting.pop()
        if isinstance(part, Mapping):
            name = first_known(list(part), TEXTS)
            waiting += [part[name]] if name else []
        elif isinstance(part, (list, tuple)):
            waiting += reversed(part)
        elif part is not None:
            found.append(str(part))
    return "\n".join(filter(None, found))


def _no_field(what: str, lacking: str, expected: Iterable[str], found: Iterable[str]) -> str:
    allowed = ", ".join(expected)
    there = ", ".join(" ".join(str(name).split()) for name in found) or "none"
    return f"{what} has no field for {lacking}: expected one of {allowed}; found {there}"


_NUMBERED = re.compile(rb"\d+:(\d+:)?[^\t]*$")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

# By how many columns there are, which is the title and which the text, where no header tells.
_PLACES = {2: (None, 1), 3: (1, 2), 4: (2, 3)}
_WITH_URL = 4

_LONGEST_CELL = 2**31 - 1  # characters: Python's own limit is shorter than some documents are


def from_columns(
    lines: Iterable[bytes], *, first: bytes, separator: str | None, source: str, keep: Keep
) -> Records | None:
    """Read records of columns by tabs or commas, or of `12:text`; None of anything else.

    `separator` is the one that Excel's line `sep=;` names, if there is one.
    """
    if separator is not None:
        return _from_table(lines, separator=separator, source=source, keep=keep)
    line = first.rstrip(b"\r\n")
    text = line.decode("utf-8", "replace")
    is_csv = ending_of(source) == ".csv"
    for mark in SEPARATORS:
        names = [name.strip().strip('"') for name in text.split(mark)]
        if len(names) > 1 and _is_header(names, separator=mark):
            return _from_table(lines, separator=mark, source=source, keep=keep)
    if is_csv:
        return _from_table(lines, separator=likely_separator(text), source=source, keep=keep)
    separator = "\t" if b"\t" in line else ","
    if separator == "\t":
        return _from_tabs(lines, columns=_counted(line, source), source=source, keep=keep)
    if numbered := _NUMBERED.match(line):
        return _from_numbered(lines, parts=3 if numbered[1] else 2, source=source, keep=keep)
    return None


def _is_header(names: Sequence[str], *, separator: str) -> bool:
    """Tell whether a line names columns."""
    # A query may be the word "text". So lines with tabs must also name an id; commas are too common
    # in queries for a file without a header to be read by them.
    named = named_columns()
    if named.names and any(
        named.position(role, names) is not None for role in ("query", "document")
    ):
        return not named.numbered
    has_id, has_text = (first_known(names, known) for known in (IDS, (*TEXTS, *TITLES)))
    is_short = max(map(len, names)) < _LONGEST_NAME  # a name, and no query with commas in it
    by_commas = separator == "," or (separator in ";|" and is_short)
    return fold(names[0]) in _FOLDED_IDS or bool(has_text and (has_id or by_commas))


_LONGEST_NAME = 40


def _from_table(lines: Iterable[bytes], *, separator: str, source: str, keep: Keep) -> Records:
    allow_long_cells()
    names: list[str] = []
    for line, cells in csv_rows(decode_lines(lines, source=source), separator, source=source):
        if not names:
            names = [" ".join(name.split()) for name in cells]
            id, title, text = _text_columns(names, source=source, line=line)
            continue
        if len(names) == 1:
            cells = [separator.join(cells)]  # a text with separators in it
        elif is_quepid_detailed(names) and len(cells) == id + 1:
            cells += [""] * (len(names) - len(cells))  # a query that found nothing
        if len(cells) != len(names):
            expected = f"{len(names)} columns ({', '.join(names)})"
            message = f"expected {expected}, found {len(cells)}; is a quote never closed?"
            raise InputError(message, source=source, line=line)
        found = _id(cells[id], source=source, line=line)
        if keep(found):
            chosen = ["" if at is None else cells[at] for at in (title, text)]
            fields = dict(zip(names, cells, strict=True))
            yield Record(found, chosen[0], chosen[1], line, fields)


def allow_long_cells() -> None:
    """Let Python read cells as long as documents are.

    The limit is the whole process's. It is never put back: a table that is read at the same time
    would fail in the middle.
    """
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)


def _text_columns(
    names: Sequence[str], *, source: str, line: int | None = None
) -> tuple[int, int | None, int | None]:
    """Find the columns of id, title and text; the id is by default the first.

    Where there is the text of a query and no id, the text is the id.
    """
    found = [_id_field(names), _title_field(names), _text_field(names)]
    id, title, text = (None if name is None else names.index(name) for name in found)
    if id is not None and id == text and fold(names[id]) in map(fold, QUERY_TEXTS):
        # The first column may be an id of another name.
        known = (*DOCUMENT, *GRADE, *SCORE, *RANK)
        if id == 0 or column_position(names[:1], known) is not None:
            return id, title, text
        id = None
    id = 0 if id is None else id
    lacking = title is None and text is None and first_known(names, URLS) is None
    if lacking or id in (title, text):
        raise InputError(
            f"no column for the text: expected one of {', '.join((*TEXTS, *TITLES))}; "
            f"found {', '.join(names)}. Which one has the text? Answer with --columns text=NAME, "
            "in Python columns={'text': 'NAME'}",
            source=source,
            line=line,
        )
    return id, title, text


def _counted(line: bytes, source: str) -> int:
    """Count the columns of lines without a header, by the first one."""
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
        row = decode_text(line, source=source, line=number).rstrip("\r\n")
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
    """Read `12:text`, or `12:1:text` with a priority: queries of TREC's Million Query tracks."""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or not keep(str(line.partition(b":")[0].strip(), "utf-8", "replace")):
            continue
        cells = decode_text(line, source=source, line=number).rstrip("\r\n").split(":", parts - 1)
        if len(cells) < parts:
            shape = ":".join(("id", "priority", "text") if parts == 3 else ("id", "text"))
            raise InputError(f"expected {shape}", source=source, line=number)
        yield Record(_id(cells[0], source=source, line=number), "", cells[-1], number)


_LISTS = frozenset(map(fold, (*QUERY_IDS, *QUERY_TEXTS, "queries", "questions")))
"""What the first line of a list may call it."""

_JUDGED_OR_RUN = re.compile(r"\S+\s+Q?0\s+\S+\s+(-?\d+|\d+\s+\S+\s+\S+)", re.IGNORECASE)


def from_query_list(lines: Iterable[bytes], *, first: bytes, source: str, keep: Keep) -> Records:
    """Read queries, one a line, each of which is its own id; their name may stand above them."""
    if _JUDGED_OR_RUN.fullmatch(first.decode("utf-8", "replace").strip()):
        message = "looks like judgments or a run, and not like queries: expected one query a line; "
        message += "if it is a query, save the list as .csv, under the header query"
        raise InputError(message, source=source, line=1)
    is_first = True
    for number, line in enumerate(lines, start=1):
        text = decode_text(line, source=source, line=number).strip()
        if not text or (is_first and fold(text) in _LISTS):
            is_first = is_first and not text
            continue
        is_first = False
        if keep(text):
            yield Record(text, "", text, number)


def _id(cell: str, *, source: str, line: int) -> str:
    if not cell.strip():
        raise InputError("the id is missing", source=source, line=line)
    return cell.strip()


_TABLES = "reading texts of tables"
_PYARROW = ("pyarrow", "pyarrow.parquet")


def from_table(table: Any, *, source: str, keep: Keep) -> Records:
    """Read records of a polars, pandas, pyarrow, duckdb or other table, by its column names."""
    pyarrow = require("pyarrow", _TABLES, extra="tables")
    reader = pyarrow.RecordBatchReader.from_stream(table)
    return _from_batches(reader.schema.names, reader, source=source, keep=keep)


def from_sheet(content: bytes, *, path: str, keep: Keep) -> Records:
    """Records of a sheet of Excel's."""
    from cleverdon.formats.spreadsheets import read_sheet  # only for such files

    sheet = read_sheet(content, path=path, known=[(*IDS, *QUERY_TEXTS), (*TEXTS, *TITLES)])
    id, title, text = _text_columns(sheet.columns, source=path, line=1)
    for line, cells in zip(sheet.lines, sheet.cells, strict=True):
        value = cells[id]
        whole = isinstance(value, float) and value.is_integer()
        found = _id_of(int(value) if whole else value, source=path, line=line)
        if keep(found):
            chosen = [_plain_text(None if at is None else cells[at]) for at in (title, text)]
            fields = dict(zip(sheet.columns, cells, strict=True))
            yield Record(found, chosen[0], chosen[1], line, fields)


def from_table_file(file: str | bytes, *, format: str, source: str, keep: Keep) -> Records:
    """Read records of a Parquet or Arrow file: its path, or its bytes if it comes by a pipe."""
    if format == "arrow":
        # It is mapped, so that only what is looked at comes into memory.
        table = load_table(file, format=format, name=source)
        yield from from_table(table, source=source, keep=keep)
        return
    pyarrow, parquet = (require(name, _TABLES, extra="tables") for name in _PYARROW)
    try:
        opened = pyarrow.memory_map(file) if isinstance(file, str) else pyarrow.BufferReader(file)
        table = parquet.ParquetFile(opened)
        names = table.schema_arrow.names
        columns = [names[at] for at in _text_columns(names, source=source) if at is not None]
        columns += [name for name in _further(names) if name not in columns]
        batches = table.iter_batches(columns=columns)
        yield from _from_batches(columns, batches, source=source, keep=keep)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"is not a readable {format} file: {error}", source=source) from None


def _from_batches(names: list[str], batches: Iterable[Any], *, source: str, keep: Keep) -> Records:
    id, title, text = _text_columns(names, source=source)
    further = {name: names.index(name) for name in _further(names)}
    for batch in batches:
        batch.validate(full=True)  # damaged offsets lead out of the file
        for row, value in enumerate(batch.column(id).to_pylist()):
            found = _id_of(value, source=source)
            if keep(found):
                cells = [
                    "" if at is None else batch.column(at)[row].as_py() for at in (title, text)
                ]
                fields = {name: batch.column(at)[row].as_py() for name, at in further.items()}
                yield Record(found, _plain_text(cells[0]), _plain_text(cells[1]), 0, fields)


def _further(names: list[str]) -> list[str]:
    return [name for name in names if fold(name) in map(fold, _FURTHER)]
