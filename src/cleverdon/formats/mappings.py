"""Dicts of dicts, in memory and as JSON, and rows of tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from typing import Any

from cleverdon import _core
from cleverdon.errors import InputError
from cleverdon.formats.detection import choose_columns


def from_mapping(nested: Mapping[Any, Any], *, kind: str, duplicates: str) -> _core.Table:
    """Read rows of a dict of dicts (query, document, number), or of lists of documents in order."""
    if has_lists(nested) and kind == "score":
        rows = (
            (query, doc, -place) for query, docs in nested.items() for place, doc in enumerate(docs)
        )
        return _core.Table.from_rows(rows, kind, duplicates)
    return _core.Table.from_dict(dict(nested), kind, duplicates)


def has_lists(nested: Mapping[Any, Any]) -> bool:
    """Tell whether a dict holds rankings without scores: a list of documents per query."""
    first = first_filled(nested)
    if not isinstance(first, (list, tuple)):
        return False
    ids = all(isinstance(doc, (str, int)) for doc in first)
    return ids and all(isinstance(docs, (list, tuple)) for docs in nested.values())


def empty_lists(nested: Mapping[Any, Any]) -> list[str]:
    """Return the queries without results of rankings without scores, which their table lacks."""
    if not has_lists(nested):
        return []
    return [str(query) for query, docs in nested.items() if not docs]


def first_filled(nested: Mapping[Any, Any]) -> Any:
    """Return the first value that is not an empty dict or list: it tells what the others are.

    Where all are empty, the first; None where there is none.
    """
    values = nested.values()
    filled = (value for value in values if not isinstance(value, (Mapping, list, tuple)) or value)
    return next(filled, next(iter(values), None))


def from_rows(rows: Iterable[Any], *, kind: str, duplicates: str) -> _core.Table:
    """Read rows of tuples (query, document, number), or of objects with attributes so named.

    ir_datasets' qrels, trec_eval-like records of other libraries and named tuples with more than
    three fields are read by the names of their fields.
    """
    rows = iter(rows)
    first = list(islice(rows, 1))
    fields = _fields(first[0]) if first else []
    if fields:
        _, kind = choose_columns(fields, kind=kind, source=type(first[0]).__name__)
    elif kind == "rank":
        kind = "score"  # bare tuples have no ranks beside their scores
    return _core.Table.from_rows(map(_decode_id(kind), chain(first, rows)), kind, duplicates)


def _decode_id(kind: str) -> Callable[[Any], Any]:
    known: dict[type, tuple[str, str, str]] = {}

    def plain(row: Any) -> Any:
        names = known.get(type(row))
        if names is None:
            fields = _fields(row)
            if not fields:
                return tuple(row) if isinstance(row, list) else row
            (query, doc, value), _ = choose_columns(fields, kind=kind, source=type(row).__name__)
            names = known[type(row)] = (fields[query], fields[doc], fields[value])
        return tuple(getattr(row, name) for name in names)

    return plain


def _fields(row: Any) -> list[str]:
    return list(getattr(row, "_fields", None) or getattr(row, "__dataclass_fields__", None) or ())


_SHAPE = '{"query": {"document": number}}'


def from_json(
    text: bytes, *, kind: str, duplicates: str, source: str
) -> tuple[_core.Table, list[str]]:
    """Read rows of JSON, `{"query": {"document": 1.5}}`, and queries that their table lacks."""
    nested = parse_json(text, source=source, shape=_SHAPE)
    if not isinstance(nested, dict):
        raise InputError(f"expected {_SHAPE}", source=source)
    try:
        return from_mapping(nested, kind=kind, duplicates=duplicates), empty_lists(nested)
    except InputError as error:
        raise InputError(error.message, source=source) from None


def parse_json(text: bytes, *, source: str, shape: str = "an object") -> Any:
    """Parse a JSON file; a key that occurs twice in one object is an error."""
    import json  # only here: dicts need none

    try:
        # Decoded here, since json itself lets halves of surrogate pairs pass.
        decoded = text.decode(json.detect_encoding(text))
        return json.loads(decoded, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise InputError(error.msg, source=source, line=error.lineno, column=error.colno) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8: {error}", source=source) from None
    except RecursionError:
        raise InputError(f"is nested too deeply: expected {shape}", source=source) from None
    except ValueError as error:  # an integer of more digits than Python cares to read
        raise InputError(str(error), source=source) from None
    except InputError as error:
        raise InputError(error.message, source=source) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"the key {key!r} occurs twice in one object")
        found[key] = value
    return found
