"""One line, looked at closely: the slow way, for lines with which something may be wrong.

What is an error here is what the core refuses, in the same words; tests hold the two together.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from cleverdon.check.findings import Findings
from cleverdon.read.columns import spans
from cleverdon.read.lines import Shape

MARK = b"\xef\xbb\xbf"
"""The byte order mark, which Windows programs like to write."""

_FIELD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(
    rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE
)
ODD_SPACE = re.compile(rb"[\x0b\x0c]|\xc2[\x85\xa0]|\xe2\x80[\x80-\x8b\xa8\xa9]|\xe3\x80\x80")
"""White space that separates no fields: vertical tabs, form feeds, no-break spaces and such."""


class Row(NamedTuple):
    """What matters of a line."""

    query: bytes
    doc: bytes
    value: float
    rank: float
    tag: bytes
    iteration: bytes


def read_line(line: bytes, number: int, shape: Shape, found: Findings) -> Row | None:
    """The row on a line (without its newline), or None where there is none; findings are added."""
    line = line.removesuffix(b"\r")
    odd = ODD_SPACE.search(line)
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
    for what, at in (("query", shape.query), ("document", shape.doc)):
        name = _wrong_id(texts[at], shape)
        if name:
            message = f"the {what} id (field {at + 1}) {_WRONG_ID[name]}"
            found.add(name, message, line=number, column=fields[at][0] + 1)
            return None
    value = _value(texts[shape.value], fields[shape.value][0], number, shape, found)
    if value is None:
        return None
    return Row(
        query=texts[shape.query],
        doc=texts[shape.doc],
        value=value,
        rank=float("nan") if shape.rank is None else _rank(texts[shape.rank], number, found),
        tag=b"" if shape.tag is None else texts[shape.tag],
        iteration=b"" if shape.iteration is None else texts[shape.iteration],
    )


def fields_of(line: bytes, shape: Shape) -> list[tuple[int, int]]:
    """Where the fields of a line begin and end."""
    if shape.separator is None:
        return [match.span() for match in _FIELD.finditer(line)]
    return spans(line, separator=shape.separator.encode())


def quoted(text: bytes) -> str:
    """Text from the file as it may stand in a message: short, on one line, printable."""
    shown = text.decode("utf-8", errors="replace")
    short = shown[:40] + ("…" if len(shown) > 40 else "")
    escaped = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in short)
    return f"'{''.join(escaped)}'"


def is_number(text: bytes) -> bool:
    """Whether the core would read this as a number, or as NaN."""
    return _NUMBER.fullmatch(text) is not None


def float_or_nan(text: bytes) -> float:
    """The number that is written so; NaN where none is."""
    return float(text) if is_number(text) else float("nan")


def is_text(line: bytes, number: int, found: Findings) -> bool:
    """Whether a line is text at all; where it is not, that is added to what was found."""
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


def _wrong_width(line: bytes, width: int, number: int, shape: Shape, found: Findings) -> None:
    def fields(count: int) -> str:
        return f"{count} field{'' if count == 1 else 's'}"

    least = len(shape.names)
    expected = f"expected {'at least ' if shape.more else ''}{fields(least)} ({shape.text})"
    if width < least:
        message = f"{expected}, found only {fields(width)}"
        found.add("too-few-fields", message, line=number, column=len(line) + 1)
    else:
        found.add("too-many-fields", f"{expected}, found {fields(width)}", line=number, column=1)


_WRONG_ID = {"empty-id": "is empty", "quote-in-id": "has a quote in it"}


def _wrong_id(text: bytes, shape: Shape) -> str | None:
    if not text:
        return "empty-id"
    return "quote-in-id" if shape.separator is not None and b'"' in text else None


def _value(text: bytes, at: int, number: int, shape: Shape, found: Findings) -> float | None:
    value = float(text) if is_number(text) else None
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
    if not is_number(text):
        message = f"the rank {quoted(text)} is not a number"
        found.add_once("rank-not-a-number", message, line=number)
    return float_or_nan(text)
