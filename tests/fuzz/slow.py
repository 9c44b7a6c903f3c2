"""Slow, obvious parsers to compare with, which read line by line and character by character.

Each returns the rows as a dict of dicts, or None for an invalid input.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

Nested = dict[str, dict[str, float]]

NUMBER = re.compile(
    r"[+-]?((\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[iI][nN][fF]([iI][nN][iI][tT][yY])?)", re.ASCII
)


def number(text: str, *, finite: bool) -> float | None:
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    return None if finite and math.isinf(value) else value


def text_lines(data: bytes, *, comments: bool) -> list[str] | None:
    """Return the lines that have data; None if the bytes are not text."""
    if b"\0" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = []
    for line in text.removeprefix("\ufeff").split("\n"):
        if "\r" in line[:-1]:
            return None
        if line.strip(" \t\r") and not (comments and line.startswith("#")):
            lines.append(line.removesuffix("\r"))
    return lines


def collect(rows: list[tuple[str, str, float | None] | None]) -> Nested | None:
    """Return rows as a dict of dicts; None if one is invalid or duplicate, or there are none."""
    nested: Nested = {}
    for row in rows:
        if row is None:
            return None
        query, doc, value = row
        if value is None or not query or not doc or doc in nested.get(query, {}):
            return None
        if re.search("[\ud800-\udfff]", query + doc):
            return None  # a lone surrogate, which JSON can contain
        nested.setdefault(query, {})[doc] = value
    return nested or None


def trec_run(data: bytes) -> Nested | None:
    lines = text_lines(data, comments=True)
    return None if lines is None else collect([_run_row(line) for line in lines])


def _run_row(line: str) -> tuple[str, str, float | None] | None:
    fields = [field for field in re.split("[ \t]", line) if field]
    if len(fields) < 6:
        return None
    return fields[0], fields[2], number(fields[4], finite=False)


def is_unclear(data: bytes) -> bool:
    """Tell whether a line has tabs and, between them, blanks: fields by either may be refused."""
    lines = (line.strip(b" \t\r") for line in data.split(b"\n"))
    return any(b"\t" in line and b" " in line for line in lines)


def trec_qrels(data: bytes) -> Nested | None:
    lines = text_lines(data, comments=True)
    return None if lines is None else collect([_qrels_row(line) for line in lines])


def _qrels_row(line: str) -> tuple[str, str, float | None] | None:
    fields = [field for field in re.split("[ \t]", line) if field]
    if len(fields) != 4:
        return None
    return fields[0], fields[2], number(fields[3], finite=True)


def columns(data: bytes, *, separator: str) -> Nested | None:
    """Read rows below the header `query_id doc_id score`, quoted as in CSV.

    A query may stand alone, with the separators after it: it has no results.
    """
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    records = []
    while text:
        found = _record(text, separator)
        if found is None:
            return None
        fields, text = found
        if any(field.strip(" \t") for field, _ in fields):
            records.append(fields)
    rows: list[tuple[str, str, float | None] | None] = []
    queries: Nested = {}
    for fields in records[1:]:
        (query, *rest) = (field for field, _ in fields)
        ids = fields[:1] if not any(rest) else fields[:2]
        if len(fields) != 3 or not all(map(_is_id, ids)):
            return None
        queries[query] = {}
        if any(rest):
            rows.append((query, rest[0], number(rest[1], finite=False)))
    collected = collect(rows) if rows else {}
    return None if collected is None else (queries | collected or None)


def _is_id(field: tuple[str, bool]) -> bool:
    text, quoted = field
    return bool(text) and (quoted or not re.search('["\r]', text))


def _record(text: str, separator: str) -> tuple[list[tuple[str, bool]], str] | None:
    """Return the fields of the first record, each with whether it is quoted, and the rest."""
    fields = []
    while True:
        quoted = re.match(r' *"((?:[^"]|"")*)"(?!") *(?:\r(?=\n|\Z))?', text)
        if quoted and text[quoted.end() :][:1] in ("", separator, "\n"):
            inside, end = quoted[1], quoted.end()
            if separator == "\t" and "\n" in inside and "\t" in inside:
                return None
            fields.append((inside.replace('""', '"'), True))
        elif separator != "\t" and re.match(r' *"(?:[^"\n]|"")*(?:\n|\Z)', text):
            return None  # a quote that is not closed
        else:
            plain = re.match(rf"[^{separator}\n]*", text)
            assert plain
            end = plain.end()
            field = plain[0].removesuffix("\r") if text[end:][:1] != separator else plain[0]
            fields.append((field.strip(" "), False))
        after, text = text[end : end + 1], text[end + 1 :]
        if after != separator:
            return fields, text


def as_json(data: bytes) -> Nested | None:
    try:
        nested = json.loads(data, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
    if not isinstance(nested, _Pairs) or nested.repeated():
        return None
    rows = []
    for query, docs in nested.pairs:
        if not isinstance(docs, _Pairs) or docs.repeated() or not query:
            return None
        if not docs.pairs and re.search("[\ud800-\udfff]", query):
            return None
        for doc, value in docs.pairs:
            rows.append((query, doc, _json_number(value)))
    queries: Nested = {query: {} for query, _ in nested.pairs}  # a query may have no results
    collected = collect(list(rows)) if rows else {}
    return None if collected is None else (queries | collected or None)


class _Pairs:
    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs

    def repeated(self) -> bool:
        return len({key for key, _ in self.pairs}) < len(self.pairs)


def _json_number(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or value != value:
        return None
    try:
        return float(value)
    except OverflowError:
        return None
