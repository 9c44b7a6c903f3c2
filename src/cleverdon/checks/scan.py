"""A file that is checked: one pass through its lines gives rows as columns of numbers.

Text is taken in pieces of some thousand lines. A piece whose lines all look alike, as nearly
all do, is cut into its fields by one call. A line with which something may be wrong is looked
at by itself, which is slow. An error here is what the core refuses, in the same words; tests
hold the two together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.progress import Progress
from cleverdon._common.text import counted
from cleverdon.checks.findings import Findings
from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import InputError
from cleverdon.formats.columns import field_spans
from cleverdon.formats.detection import detect_format, guess_kind
from cleverdon.formats.inputs import head_of, open_source
from cleverdon.formats.lines import LineShape, line_shape

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # Windows programs write it

_FIELD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(
    rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
_ODD_SPACE = re.compile(rb"[\x0b\x0c]|\xc2[\x85\xa0]|\xe2\x80[\x80-\x8b\xa8\xa9]|\xe3\x80\x80")
"""White space that separates no fields: vertical tabs, form feeds, no-break spaces and such."""


class FileRow(NamedTuple):
    """The fields of one line that checks look at."""

    query: bytes
    doc: bytes
    value: float
    rank: float
    tag: bytes
    iteration: bytes


def _read_line(line: bytes, number: int, shape: LineShape, found: Findings) -> FileRow | None:
    """Read the row of a line (without its newline), or None; add findings."""
    line = line.removesuffix(b"\r")
    odd = _ODD_SPACE.search(line)
    if odd:
        character = f"U+{ord(odd[0].decode()):04X}"
        message = f"the white space {character} does not separate fields; it is part of one"
        found.add("odd-space", message, line=number, column=odd.start() + 1)
    fields = fields_of(line, shape)
    width = len(shape.names)
    if len(fields) < width or (len(fields) > width and not shape.more):
        _wrong_width(line, len(fields), number, shape, found)
        return None
    if len(fields) > width:
        message = f"{len(fields)} fields, where {width} are usual ({shape.text})"
        found.add_once("further-fields", message, line=number, column=fields[width][0] + 1)
    texts = [line[start:end] for start, end in fields]
    if len(fields) > width and shape.separator is None:
        # As `check_tabs` of the core does.
        tabs = [field.strip(b" ") for field in line.rstrip(b"\r").split(b"\t")]
        places = (shape.query, shape.doc, shape.value)
        if len(tabs) >= width and any(tabs[at] != texts[at] for at in places):
            message = f"there are blanks within fields: {len(tabs)} fields by tabs, more by blanks"
            found.add("too-many-fields", message, line=number, column=1)
            return None
    if shape.separator not in (None, "\t"):
        for start, end in fields:
            if line[start : start + 1] == b'"' and b'"' not in line[start + 1 : end]:
                found.add("open-quote", "this quote is not closed", line=number, column=start + 1)
                return None
    for what, at in (("query", shape.query), ("document", shape.doc)):
        quote = shape.separator is not None and b'"' in texts[at]
        if quote or not texts[at]:
            name, problem = (
                ("quote-in-id", "has a quote in it") if quote else ("empty-id", "is empty")
            )
            message = f"the {what} id (field {at + 1}) {problem}"
            found.add(name, message, line=number, column=fields[at][0] + 1)
            return None
    value = _value(texts[shape.value], fields[shape.value][0], number, shape, found)
    if value is None:
        return None
    return FileRow(
        query=texts[shape.query],
        doc=texts[shape.doc],
        value=value,
        rank=float("nan") if shape.rank is None else _rank(texts[shape.rank], number, found),
        tag=b"" if shape.tag is None else texts[shape.tag],
        iteration=b"" if shape.iteration is None else texts[shape.iteration],
    )


def fields_of(line: bytes, shape: LineShape) -> list[tuple[int, int]]:
    """Find where the fields of a line begin and end."""
    if shape.separator is None:
        return [match.span() for match in _FIELD.finditer(line)]
    return field_spans(line, separator=shape.separator.encode())


def quoted(text: bytes) -> str:
    """Text from the file as it may stand in a message: short, on one line, printable."""
    shown = text.decode("utf-8", errors="replace")
    short = shown[:40] + ("…" if len(shown) > 40 else "")
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
    return f"'{''.join(escaped)}'"


def _float_or_none(text: bytes) -> float | None:
    """Return a number, or NaN, as the core would read it; None where it is neither."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _is_text(line: bytes, number: int, found: Findings) -> bool:
    """Tell whether a line is text; add a finding where it is not."""
    if (at := line.find(b"\0")) >= 0:
        name, message = "nul-byte", "there is a NUL byte; expected UTF-8 text"
    elif (at := _not_utf_8(line)) >= 0:
        name, message = "not-utf-8", f"the byte 0x{line[at]:02x} is not UTF-8"
    elif (at := line.find(b"\r", 0, -1)) >= 0:
        name = "carriage-return"
        message = "there is a carriage return within the line; lines end in newlines"
    else:
        return True
    found.add(name, message, line=number, column=at + 1)
    return False


def _not_utf_8(line: bytes) -> int:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


def _wrong_width(line: bytes, width: int, number: int, shape: LineShape, found: Findings) -> None:
    least = len(shape.names)
    expected = (
        f"expected {'at least ' if shape.more else ''}{counted(least, 'field')} ({shape.text})"
    )
    if width < least:
        message = f"{expected}, found only {counted(width, 'field')}"
        found.add("too-few-fields", message, line=number, column=len(line) + 1)
    else:
        message = f"{expected}, found {counted(width, 'field')}"
        found.add("too-many-fields", message, line=number, column=1)


def _value(text: bytes, at: int, number: int, shape: LineShape, found: Findings) -> float | None:
    value = _float_or_none(text)
    if value is None:
        name, why = "not-a-number", "is not a number"
    elif math.isnan(value):
        name, why = "not-a-number", "is not a number that can be ordered"
    elif shape.kind == "grade" and math.isinf(value):
        name, why = "not-finite", "is not finite"
    elif shape.kind == "rank" and not value.is_integer():
        name = "not-a-rank"
        why = "is not a whole number; if these are scores, name the columns in a header"
    else:
        return 0.0 - value if shape.kind == "rank" else value
    message = f"the {shape.kind} {quoted(text)} {why}"
    found.add(name, message, line=number, column=at + 1)
    return None


def _rank(text: bytes, number: int, found: Findings) -> float:
    rank = _float_or_none(text)
    if rank is None:
        message = f"the rank {quoted(text)} is not a number"
        found.add_once("rank-not-a-number", message, line=number)
    return math.nan if rank is None else rank


class IdCodes(dict[bytes, int]):
    """Numbers for ids, from 0, in the order in which they are first asked for."""

    def __missing__(self, key: bytes) -> int:
        self[key] = code = len(self)
        return code


class RankCodes(dict[bytes, float]):
    """Ranks by their text; they are few and come again and again, so that looking up is faster."""

    def __missing__(self, key: bytes) -> float:
        if len(self) > 1_000_000:
            self.clear()
        rank = _float_or_none(key)
        self[key] = rank = math.nan if rank is None else rank
        return rank


@dataclass(frozen=True, eq=False)
class FileRows:
    """The rows of a file as parallel arrays, in the order of the file."""

    queries: list[bytes]  # in a run, also those that found nothing
    query: Ints  # an index into `queries`
    doc: Ints  # the hash of the id: enough to see repetitions, in a fifth of the memory
    value: Floats
    rank: Floats  # NaN where there is none
    line: Ints  # 0 where the file has no lines
    lines: int = 0
    tags: frozenset[bytes] = frozenset()
    iterations: frozenset[bytes] = frozenset()

    def __len__(self) -> int:
        return len(self.query)


_KINDS = (np.int64, np.int64, np.float64, np.float64, np.int64)  # of the columns of FileRows


class _GrowingColumns:
    """Arrays that grow piece by piece."""

    def __init__(self) -> None:
        self.pieces: list[list[Any]] = [[np.empty(0, kind)] for kind in _KINDS]

    def add(self, *columns: Any) -> None:
        for pieces, column in zip(self.pieces, columns, strict=True):
            pieces.append(column)

    def rows(self, codes: IdCodes, **about: Any) -> FileRows:
        # Each column's pieces are let go before the next is put together.
        query, doc, value, rank, line = (np.concatenate(self.pieces.pop(0)) for _ in range(5))
        return FileRows(list(codes), query, doc, value, rank, line, **about)


_CHUNK = 1 << 17
"""The text that is looked at in one go: what its fields take up still fits into a core's cache."""


@dataclass(frozen=True)
class CheckedFile:
    """A file, opened."""

    path: str
    source: _core.Source
    head: bytes
    kind: Literal["run", "qrels"]
    format: str
    shape: LineShape | None  # the layout of its lines; None where it is not text
    problem: InputError | None = None  # the reason why it cannot be read, if there is one

    @property
    def name(self) -> str:
        return self.source.name

    def chunks(self, progress: Progress | None = None) -> Iterator[bytes]:
        """Yield the text in pieces of whole lines."""
        for text, done, total in self._pieces():
            yield text
            if progress is not None:
                progress(f"checking {self.name}", done, total)

    def lines_at(self, numbers: set[int]) -> dict[int, bytes]:
        """Return the lines with these numbers, found by going through the file once more."""
        found: dict[int, bytes] = {}
        before = 0
        for text in self.chunks():
            count = text.count(b"\n")
            wanted = [number for number in numbers if before < number <= before + count + 1]
            if wanted:
                lines = text.split(b"\n")
                found.update((number, lines[number - before - 1]) for number in wanted)
            before += count
        return found

    def _pieces(self) -> Iterator[tuple[bytes, int, int]]:
        if not self._is_plain():
            # What is packed, or comes through a pipe, is read by the core, and held.
            text = self.source.head(2**62)
            start = 0
            while start < len(text):
                end = text.find(b"\n", start + _CHUNK) + 1 or len(text)
                yield text[start:end], end, len(text)
                start = end
            return
        total = self.source.size
        with Path(self.path).open("rb") as file:
            begun = b""
            while piece := file.read(_CHUNK):
                end = piece.rfind(b"\n") + 1
                if end:
                    yield begun + piece[:end], file.tell(), total
                    begun = piece[end:]
                else:
                    begun += piece
            if begun:
                yield begun, total, total

    def is_utf16(self) -> bool:
        """Tell whether the file has UTF-16's byte order mark."""
        if self.path == "-" or not Path(self.path).is_file():
            return False
        with Path(self.path).open("rb") as file:
            return file.read(3)[:2] in (b"\xff\xfe", b"\xfe\xff")

    def _is_plain(self) -> bool:
        if self.path == "-" or not Path(self.path).is_file():
            return False
        with Path(self.path).open("rb") as file:
            return file.read(max(len(self.head), 1)) == self.head  # an archive may hold nothing


def open_checked_file(
    given: str | _core.Source, *, kind: Literal["run", "qrels"] | None
) -> CheckedFile:
    """Open a file, unless it is open, and see what it is."""
    source = open_source(given) if isinstance(given, str) else given
    path = source.path
    try:
        head = head_of(source)
    except InputError as error:  # a damaged archive
        return CheckedFile(path, source, b"?", kind or "run", "trec", None, error)
    kind = kind or guess_kind(path, source, head) or "run"
    value = "score" if kind == "run" else "grade"
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    format, shape = "trec", None
    try:
        format = detect_format(head, kind=value, source=source.name)
        if format in ("trec", "msmarco", "beir", "csv", "tsv"):
            shape = line_shape(format, kind=value, head=text, source=source.name)
    except InputError as error:
        return CheckedFile(path, source, head, kind, format, None, error)
    return CheckedFile(path, source, head, kind, format, shape)


_END = b"\0"  # marks the end of a line among the fields; text with a NUL is refused

_FEW = 50  # fewer lines are read one by one

_MANY = 1000  # the most tags, or values of the second column, that are kept


def scan(file: CheckedFile, found: Findings, *, progress: Progress | None = None) -> FileRows:
    """Go through a file, and add to `found` what is wrong with its lines."""
    if file.problem is not None:
        return _unreadable(file.problem, found)
    if file.is_utf16():
        message = "the file is in UTF-16, which other tools do not read"
        found.add("utf-16", message, line=1, column=1)
    try:
        if file.shape is None:
            return _from_memory(file)
        by_line = Findings(limit=found.limit) if file.shape.separator else found
        scanned = _Scan(file.shape, by_line)
        for text in file.chunks(progress):
            scanned.take(text)
        rows = scanned.rows()
        if by_line is not found:
            if by_line.severities["error"] and (whole := _read_whole(file)) is not None:
                return whole
            found.take(by_line)
        return rows
    except InputError as error:
        return _unreadable(error, found)


def _read_whole(file: CheckedFile) -> FileRows | None:
    """Rows of columns that are not one a line, as where a quoted field has a line break."""
    try:
        return _from_memory(file)
    except InputError:
        return None


def _unreadable(error: InputError, found: Findings) -> FileRows:
    name = "no-rows" if error.message == "has no rows" else "unreadable"
    found.add(name, error.message, line=error.line, column=error.column)
    return _GrowingColumns().rows(IdCodes())


def _from_memory(file: CheckedFile) -> FileRows:
    """Return the rows of files without lines: JSON, Excel, Parquet, Arrow and others."""
    cls: type[Rows] = Run if file.kind == "run" else Judgments
    read = cls.read(file.source)
    table, unlisted = read._table, read._unlisted
    count = len(table.values)
    return FileRows(
        queries=[query.encode() for query in (*table.queries, *unlisted)],
        query=np.repeat(np.arange(len(table.queries)), np.diff(table.starts)),
        doc=np.fromiter((hash(doc.encode()) for doc in table.docs(0, count)), np.int64, count),
        value=table.values,
        rank=np.full(count, np.nan),
        line=np.zeros(count, np.int64),
    )


class _Scan:
    def __init__(self, shape: LineShape, found: Findings) -> None:
        self.shape = shape
        self.found = found
        self.codes = IdCodes()
        self.ranks = RankCodes()
        self.columns = _GrowingColumns()
        self.lines = 0
        self.header = shape.header
        self.tags: set[bytes] = set()
        self.iterations: set[bytes] = set()
        self.blank: bytes | None = None  # the separator of the first row's fields: a blank or a tab
        self.crlf = 0
        self.first_crlf = 0
        self.ends_with_newline = True

    def take(self, text: bytes) -> None:
        """Take in a piece of whole lines."""
        if self.lines == 0 and text.startswith(_BYTE_ORDER_MARK):
            message = "the file starts with a byte order mark"
            self.found.add("byte-order-mark", message, line=1, column=1)
            text = text[len(_BYTE_ORDER_MARK) :]
        self._look_at_whole(text)
        self._take_in(text)
        self.ends_with_newline = text.endswith(b"\n")

    def rows(self) -> FileRows:
        """Return all rows, once the end is reached."""
        if self.crlf:
            message = f"CR LF at the end of {self.crlf:,} of {self.lines:,} lines"
            self.found.add("crlf", message, line=self.first_crlf)
        if not self.ends_with_newline:
            self.found.add("no-final-newline", "the last line has no newline", line=self.lines)
        return self.columns.rows(
            self.codes,
            lines=self.lines,
            tags=frozenset(self.tags),
            iterations=frozenset(self.iterations),
        )

    def _look_at_whole(self, text: bytes) -> None:
        """Check what can be seen without splitting the text into lines."""
        # Single bytes first: they are found many times faster than pairs.
        crlf = text.count(b"\r\n") if b"\r" in text else 0
        if crlf and not self.crlf:
            self.first_crlf = self.lines + 1 + text.count(b"\n", 0, text.index(b"\r\n"))
        self.crlf += crlf
        at = -1 if _BYTE_ORDER_MARK[:1] in text else len(text)
        while (at := text.find(b"\n" + _BYTE_ORDER_MARK, at + 1)) >= 0:
            line = self.lines + 2 + text.count(b"\n", 0, at)
            message = "a byte order mark within the file becomes part of the first id on its line"
            self.found.add("byte-order-mark", message, line=line, column=1, severity="warning")

    def _take_in(self, text: bytes) -> None:
        """Read lines: all at once, or by halves, so that few are read one by one."""
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        if self._take_alike(text):
            self.lines += count
        elif count > _FEW:
            middle = text.find(b"\n", len(text) // 2) + 1 or text.find(b"\n") + 1
            self._take_in(text[:middle])
            self._take_in(text[middle:])
        else:
            self._take_lines(text)
            self.lines += count

    def _take_alike(self, text: bytes) -> bool:
        """Read text whose lines all have the same fields; return False where one does not."""
        shape = self.shape
        fields = self._cut(text)
        if fields is None:
            return False
        count = text.count(b"\n") + (not text.endswith(b"\n"))
        width, rest = divmod(len(fields), count)
        further = width - 1 - len(shape.names)
        if rest or further < 0 or (further and not shape.more):
            return False
        if fields[width - 1 :: width].count(_END) != count:
            return False
        if further and not self._told("further-fields"):
            return False
        queries, docs = fields[shape.query :: width], fields[shape.doc :: width]
        texts = fields[shape.value :: width]
        if b"" in queries or b"" in docs or b"_" in b"".join(texts):
            return False  # float() takes 1_000 for a number
        ranks = repeat(b"nan", count) if shape.rank is None else fields[shape.rank :: width]
        try:
            value = np.fromiter(map(float, texts), np.float64, count)
        except ValueError:
            return False
        if np.isnan(value).any() or (shape.kind == "grade" and np.isinf(value).any()):
            return False
        if shape.kind == "rank" and not (np.isfinite(value) & (np.floor(value) == value)).all():
            return False
        rank = np.fromiter(map(self.ranks.__getitem__, ranks), np.float64, count)
        if shape.rank is not None and np.isnan(rank).any() and not self._told("rank-not-a-number"):
            return False
        self.columns.add(
            np.fromiter(map(self.codes.__getitem__, queries), np.int64, count),
            np.fromiter(map(hash, docs), np.int64, count),
            0.0 - value if shape.kind == "rank" else value,
            rank,
            np.arange(self.lines + 1, self.lines + 1 + count),
        )
        self._remember(fields, width)
        return True

    def _told(self, name: str) -> bool:
        """Tell whether a finding that is reported only once has been reported."""
        return self.found.counts[name] > 0

    def _cut(self, text: bytes) -> list[bytes] | None:
        """Return the fields of all lines, an _END after each line; None where unsure."""
        shape = self.shape
        if self.header or not _is_clean(text):
            return None
        if shape.comments and b"#" in text and (text.startswith(b"#") or b"\n#" in text):
            return None
        if not text.endswith(b"\n"):
            text += b"\n"
        if shape.separator is None:
            if not self._one_separator(text):
                return None
            return text.replace(b"\n", b" \0 ").split()
        if b'"' in text or b" " in text or b"\r" in text:
            return None
        separator = shape.separator.encode()
        return text.replace(b"\n", separator + _END + separator).split(separator)[:-1]

    def _one_separator(self, text: bytes) -> bool:
        """Tell whether all fields have the separator of the first ones."""
        if self.blank is None:
            self.blank = b"\t" if b"\t" in text.partition(b"\n")[0] else b" "
        other = b" " if self.blank == b"\t" else b"\t"
        return other not in text or self._told("mixed-separators")

    def _remember(self, fields: list[bytes], width: int) -> None:
        for seen, at in ((self.tags, self.shape.tag), (self.iterations, self.shape.iteration)):
            if at is not None and len(seen) < _MANY:
                seen.update(fields[at::width])

    def _take_lines(self, text: bytes) -> None:
        rows: list[tuple[Any, ...]] = []
        for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), start=self.lines + 1):
            if not _is_text(line, number, self.found):
                continue
            if not line.strip(b" \t\r"):
                self.found.add("empty-line", "the line is empty", line=number)
                continue
            if self.shape.comments and line.startswith(b"#"):
                continue
            if self.header:
                self.header -= 1
                continue
            self._look_at_separators(line, number)
            row = _read_line(line, number, self.shape, self.found)
            if row is not None:
                rows.append((self.codes[row.query], hash(row.doc), row.value, row.rank, number))
                for seen, text in ((self.tags, row.tag), (self.iterations, row.iteration)):
                    if len(seen) < _MANY:
                        seen.add(text)
        if rows:
            self.columns.add(*map(np.array, zip(*rows, strict=True), _KINDS))

    def _look_at_separators(self, line: bytes, number: int) -> None:
        if self.shape.separator is not None:
            return
        if self.blank is None:
            self.blank = b"\t" if b"\t" in line else b" "
        other = b" " if self.blank == b"\t" else b"\t"
        at = line.find(other)
        if at >= 0:
            names = {b"\t": "a tab", b" ": "a blank"}
            message = f"{names[other]} separates fields here, and {names[self.blank]} elsewhere"
            self.found.add_once("mixed-separators", message, line=number, column=at + 1)


def _is_clean(text: bytes) -> bool:
    """Tell whether this is UTF-8 with no white space but blanks, tabs and line ends."""
    if b"\0" in text or b"\x0b" in text or b"\x0c" in text:
        return False
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return False
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return _ODD_SPACE.search(text) is None
