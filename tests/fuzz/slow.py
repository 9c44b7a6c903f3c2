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


def trec_qrels(data: bytes) -> Nested | None:
    lines = text_lines(data, comments=True)
    return None if lines is None else collect([_qrels_row(line) for line in lines])


def _qrels_row(line: str) -> tuple[str, str, float | None] | None:
    fields = [field for field in re.split("[ \t]", line) if field]
    if len(fields) != 4:
        return None
    return fields[0], fields[2], number(fields[3], finite=True)


def columns(data: bytes, *, separator: str) -> Nested | None:
    """Read rows below the header `query_id doc_id score`."""
    lines = text_lines(data, comments=False)
    if lines is None:
        return None
    return collect([_columns_row(line, separator) for line in lines[1:]])


def _columns_row(line: str, separator: str) -> tuple[str, str, float | None] | None:
    fields = []
    rest: str | None = line
    while rest is not None:
        field, rest = _column(rest, separator)
        fields.append(field)
    if len(fields) != 3 or '"' in fields[0] or '"' in fields[1]:
        return None
    return fields[0], fields[1], number(fields[2], finite=False)


def _column(text: str, separator: str) -> tuple[str, str | None]:
    """Return the first field, and the text after its separator."""
    if text.startswith('"'):
        for at in range(1, len(text)):
            if text[at] == '"' and (at + 1 == len(text) or text[at + 1] == separator):
                return text[1:at], text[at + 2 :] if at + 1 < len(text) else None
    field, found, rest = text.partition(separator)
    return field.strip(" "), rest if found else None


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
