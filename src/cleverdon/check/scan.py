"""Going through a file once: its rows as columns of numbers, and what is wrong with single lines.

Text is taken in pieces of some thousand lines. A piece whose lines all look alike, as nearly
all do, is cut into its fields by one call and never looked at line by line.
"""

from __future__ import annotations

from itertools import repeat

import numpy as np

from cleverdon.check.file import File, Progress
from cleverdon.check.findings import Findings
from cleverdon.check.lines import MARK, ODD_SPACE, is_text, read_line
from cleverdon.check.rows import Codes, Columns, Ranks, Rows
from cleverdon.errors import InputError
from cleverdon.read.lines import Shape
from cleverdon.read.mapping import from_json
from cleverdon.read.table import from_file

_END = b"\0"
"""Stands for the end of a line among the fields; text that has it is refused anyway."""

_FEW = 50
"""So many lines are looked at one by one rather than cut up further."""

_MANY = 1000
"""More different tags, or values of the second column, are not told apart."""


def scan(file: File, found: Findings, *, progress: Progress | None = None) -> Rows:
    """Go through a file, and add to `found` what is wrong with its lines."""
    if file.problem is not None:
        return _unreadable(file.problem, found)
    if file.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        found.add("utf-16", "the file is in UTF-16; expected UTF-8 text", line=1, column=1)
        return Columns().rows(Codes())
    try:
        if file.shape is None:
            return _from_memory(file)
        scanned = _Scan(file.shape, found)
        for text in file.chunks(progress):
            scanned.take(text)
        return scanned.rows()
    except InputError as error:
        return _unreadable(error, found)


def _unreadable(error: InputError, found: Findings) -> Rows:
    found.add("unreadable", error.message, line=error.line, column=error.column)
    return Columns().rows(Codes())


def _from_memory(file: File) -> Rows:
    """The rows of JSON, Parquet and Arrow, which have no lines."""
    kind = "score" if file.kind == "run" else "grade"
    unlisted: list[str] = []
    if file.format == "json":
        text = file.source.head(2**62)
        table, unlisted = from_json(text, kind=kind, duplicates="error", source=file.name)
    else:
        table = from_file(file.path, file.source, format=file.format, kind=kind, duplicates="error")
    count = len(table.values)
    return Rows(
        queries=[query.encode() for query in (*table.queries, *unlisted)],
        query=np.repeat(np.arange(len(table.queries)), np.diff(table.starts)),
        doc=np.fromiter((hash(doc.encode()) for doc in table.docs(0, count)), np.int64, count),
        value=table.values,
        rank=np.full(count, np.nan),
        line=np.zeros(count, np.int64),
    )


class _Scan:
    """What is known so far of a file that is being gone through."""

    def __init__(self, shape: Shape, found: Findings) -> None:
        self.shape = shape
        self.found = found
        self.codes = Codes()
        self.ranks = Ranks()
        self.columns = Columns()
        self.lines = 0
        self.header = shape.header
        self.tags: set[bytes] = set()
        self.iterations: set[bytes] = set()
        self.blank: bytes | None = None
        """What separates the first row's fields: a blank or a tab."""
        self.crlf = 0
        self.first_crlf = 0
        self.ends_with_newline = True

    def take(self, text: bytes) -> None:
        """Take in a piece of whole lines."""
        if self.lines == 0 and text.startswith(MARK):
            message = "the file starts with a byte order mark"
            self.found.add("byte-order-mark", message, line=1, column=1)
            text = text[len(MARK) :]
        self._look_at_whole(text)
        self._take_in(text)
        self.ends_with_newline = text.endswith(b"\n")

    def rows(self) -> Rows:
        """All rows, once the end is reached."""
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
        """What can be seen without cutting the text into lines."""
        # Single bytes first: they are found many times faster than pairs.
        crlf = text.count(b"\r\n") if b"\r" in text else 0
        if crlf and not self.crlf:
            self.first_crlf = self.lines + 1 + text.count(b"\n", 0, text.index(b"\r\n"))
        self.crlf += crlf
        at = -1 if MARK[:1] in text else len(text)
        while (at := text.find(b"\n" + MARK, at + 1)) >= 0:
            line = self.lines + 2 + text.count(b"\n", 0, at)
            message = "a byte order mark within the file becomes part of the first id on its line"
            self.found.add("byte-order-mark", message, line=line, column=1, severity="warning")

    def _take_in(self, text: bytes) -> None:
        """Take in lines: all at once, or by halves, so that few are looked at one by one."""
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
        """Take in text whose lines all have the same fields; False where one does not."""
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
        if shape.kind == "rank" and not (np.floor(value) == value).all():
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
        """Whether that of which is told only once has been."""
        return self.found.counts[name] > 0

    def _cut(self, text: bytes) -> list[bytes] | None:
        """The fields of all lines in one list, an _END behind each line's; None where unsure."""
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
        """Whether the fields are separated by what separated the first ones."""
        if self.blank is None:
            self.blank = b"\t" if b"\t" in text.partition(b"\n")[0] else b" "
        other = b" " if self.blank == b"\t" else b"\t"
        return other not in text or self._told("mixed-separators")

    def _remember(self, fields: list[bytes], width: int) -> None:
        for seen, at in ((self.tags, self.shape.tag), (self.iterations, self.shape.iteration)):
            if at is not None and len(seen) < _MANY:
                seen.update(fields[at::width])

    def _take_lines(self, text: bytes) -> None:
        """Take in text line by line."""
        rows = []
        for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), start=self.lines + 1):
            if not is_text(line, number, self.found):
                continue
            if not line.strip(b" \t\r"):
                self.found.add("empty-line", "the line is empty", line=number)
                continue
            if self.shape.comments and line.startswith(b"#"):
                continue
            if self.header:
                self.header = False
                continue
            self._look_at_separators(line, number)
            row = read_line(line, number, self.shape, self.found)
            if row is not None:
                rows.append((row, number))
                self._remember_one(row.tag, row.iteration)
        count = len(rows)
        self.columns.add(
            np.fromiter((self.codes[row.query] for row, _ in rows), np.int64, count),
            np.fromiter((hash(row.doc) for row, _ in rows), np.int64, count),
            np.fromiter((row.value for row, _ in rows), np.float64, count),
            np.fromiter((row.rank for row, _ in rows), np.float64, count),
            np.fromiter((number for _, number in rows), np.int64, count),
        )

    def _remember_one(self, tag: bytes, iteration: bytes) -> None:
        for seen, text in ((self.tags, tag), (self.iterations, iteration)):
            if len(seen) < _MANY:
                seen.add(text)

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
    """Whether this is UTF-8 whose white space is blanks, tabs and ends of lines."""
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
    return ODD_SPACE.search(text) is None
