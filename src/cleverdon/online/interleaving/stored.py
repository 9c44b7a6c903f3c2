"""Records in files: a line of JSON each."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError
from cleverdon.online.interleaving.methods import find
from cleverdon.online.interleaving.records import VERSION, Record, Value
from cleverdon.read.unpacked import decoded, name_of_stream, unpacked


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


MOST_KEYS = 6
"""So many keys of an object are named where it is no record."""

KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "team": (lambda value: value in ("A", "B"), "'A' or 'B'"),
    "rank": (
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        "a rank from 1 on",
    ),
    "share": (lambda value: _number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "credit": (lambda value: _number(value) and abs(value) < float("inf"), "a number"),
}
"""What a column of a record may hold beside null, and how messages call it."""


def parse(text: str, *, source: str = "", line: int | None = None) -> Record:
    """A record out of a line of JSON; what is wrong with one is an InputError that names it.

    >>> record = Record("q1", "team-draft", 7, ("x", "y"), {"team": ("B", "A")})
    >>> parse(record.line()) == record
    True
    """
    where: dict[str, Any] = {"source": source, "line": line}
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        column = error.colno if line is not None else None
        raise InputError(f"is no JSON: {error.msg}", **where, column=column) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"is no JSON: {error}", **where) from None
    if not isinstance(found, dict):
        raise InputError(f"expected an object, a record a line, found {found!r:.40}", **where)
    try:
        return _checked(found)
    except InputError as error:
        raise InputError(error.message, **where) from None


def _checked(found: dict[str, Any]) -> Record:
    version = _field(found, "version", int)
    if version != VERSION:
        raise InputError(
            f"the record's version is {version}, and this Cleverdon reads version {VERSION}; read "
            "it with the release that wrote it"
        )
    query_id, seed = _field(found, "query_id", str), _field(found, "seed", int)
    method = find(_field(found, "method", str))
    docs = _docs(_field(found, "docs", list))
    columns = {name: _column(found, name, kind, len(docs)) for name, kind in method.columns.items()}
    nulls = {tuple(value is None for value in column) for column in columns.values()}
    if len(nulls) > 1 and not method.sparse:
        raise InputError(f"{' and '.join(columns)} are null at different documents")
    return Record(query_id, method.name, seed, docs, columns, version)


def _field(found: dict[str, Any], name: str, kind: type) -> Any:
    kinds = {int: "a whole number", str: "a text", list: "a list"}
    if name not in found:
        raise InputError(f"is no record of interleaving: it has no {name!r}, {_instead(found)}")
    value = found[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{name} is {value!r:.40}, and should be {kinds[kind]}")
    return value


def _instead(found: dict[str, Any]) -> str:
    """What stands where a record should, and what one has."""
    listed = ", ".join(repr(name) for name in list(found)[:MOST_KEYS])
    if len(found) > MOST_KEYS:
        listed += ", ..."
    instead = f"but {listed}" if listed else "nor anything else"
    return (
        f"{instead}; a record has query_id, method, seed, version, docs and the method's own "
        "columns, as write_records writes them"
    )


def _docs(values: list[Any]) -> tuple[str, ...]:
    for place, doc in enumerate(values, start=1):
        if not isinstance(doc, str):
            raise InputError(f"docs: number {place} is {doc!r:.40}, and should be a text")
    if len(set(values)) < len(values):
        twice = next(doc for doc in values if values.count(doc) > 1)
        raise InputError(f"docs: {twice!r} is there twice")
    return tuple(values)


def _column(found: dict[str, Any], name: str, kind: str, length: int) -> tuple[Value, ...]:
    values = _field(found, name, list)
    if len(values) != length:
        raise InputError(f"{name} has {len(values)} values, and docs has {length}")
    fits, called = KINDS[kind]
    for place, value in enumerate(values, start=1):
        if value is not None and not fits(value):
            raise InputError(
                f"{name}: number {place} is {value!r:.40}, and should be {called}, or null"
            )
    return tuple(values)


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    """The records of a file of JSON lines, packed or not; `-` is standard input.

    A query that has two records is an error: nobody could say which of them a click is on. So is a
    file without any.
    """
    source = name_of_stream(os.fspath(path))
    first: dict[str, int] = {}
    records = []
    for number, text in _lines(os.fspath(path), source):
        record = parse(text, source=source, line=number)
        if record.query_id in first:
            raise InputError(
                f"query {record.query_id!r} has a record on line {first[record.query_id]} already; "
                "every result page needs an id of its own",
                source=source,
                line=number,
            )
        first[record.query_id] = number
        records.append(record)
    if not records:
        raise InputError(
            "has no record of interleaving: it should have a line of JSON for every result page",
            source=source,
        )
    return records


def _lines(path: str, source: str) -> Iterator[tuple[int, str]]:
    with unpacked(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield number, decoded(line, source=source, line=number)


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records to a file, a line each."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{record.line()}\n" for record in records)
