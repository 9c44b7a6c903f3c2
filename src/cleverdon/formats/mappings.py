"""Dicts, lists of dicts and rows of tuples, in memory and as JSON."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from cleverdon import _core
from cleverdon.errors import InputError, InputNote
from cleverdon.formats.columns import (
    GRADE,
    SCORE,
    choose_columns,
    choose_list_columns,
    column_position,
    document_column,
    has_query_column,
    is_column_header,
    is_quepid_table,
)


def from_mapping(nested: Mapping[Any, Any], *, kind: str, duplicates: str) -> _core.Table:
    """Rows of a dict: query to document to number, or to documents.

    A list of documents is a ranking in a run, and the relevant ones, of grade 1, in judgments. Its
    items are ids, pairs of id and number, or dicts such as `{"id": "d1", "score": 0.5}`.
    """
    if not has_lists(nested, kind=kind):
        return _core.Table.from_dict(dict(nested), kind, duplicates)
    rows = (
        (query, *item)
        for query, docs in nested.items()
        for item in _items(docs, kind=kind, what=f"query {str(query)!r}")
    )
    return _core.Table.from_rows(rows, kind, duplicates)


_LISTS = (list, tuple, set, frozenset)


def is_list(value: Any) -> bool:
    """Tell whether a value is a list of documents; arrays and columns of frames are lists, too."""
    if isinstance(value, _LISTS):
        return True
    return hasattr(value, "__len__") and (hasattr(value, "tolist") or hasattr(value, "to_list"))


def has_lists(nested: Mapping[Any, Any], *, kind: str = "score") -> bool:
    """Tell whether a dict holds documents without a dict of numbers: a list of them per query."""
    first = first_filled(nested)
    if kind == "grade" and isinstance(first, str):
        return True
    if not is_list(first):
        return False
    listed = list(first)
    if not listed:
        return all(map(is_list, nested.values()))
    return all(map(_is_item, listed)) and all(map(is_list, nested.values()))


def _is_item(item: Any) -> bool:
    """Tell whether it is an id, an id with a number, or a dict with an id: no row with a query."""
    if isinstance(item, Mapping):
        return not has_query_column(list(item)) and document_column(list(item)) is not None
    if isinstance(item, (list, tuple)):
        return len(item) == 2 and isinstance(item[0], (str, int)) and _is_number(item[1])
    return isinstance(item, (str, int))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or hasattr(value, "dtype")


def _items(docs: Any, *, kind: str, what: str, source: str = "") -> Iterator[tuple[Any, Any]]:
    """The documents of one query, each with its number: by default 1, or minus its place."""
    if isinstance(docs, (str, int)) and not isinstance(docs, bool):
        docs = [docs]
    if isinstance(docs, (set, frozenset)):
        if kind != "grade":
            message = f"{what} has a set of documents, which has no order: give a list"
            raise InputError(message, source=source)
        docs = sorted(docs, key=str)
    for place, item in enumerate(docs):
        default = 1.0 if kind == "grade" else place + 1 if kind == "rank" else -float(place)
        if isinstance(item, Mapping):
            names = list(item)
            doc = document_column(names)
            if doc is None:
                message = f"{what}: expected a document with an id, found {str(item)[:60]}"
                raise InputError(message, source=source)
            number = column_position(names, GRADE if kind == "grade" else SCORE)
            value = default if number is None else item[names[number]]
            yield item[names[doc]], default if value is None else value
        elif isinstance(item, (list, tuple)) and len(item) == 2:
            yield item[0], item[1]
        else:
            yield item, default


def empty_lists(nested: Mapping[Any, Any], *, kind: str = "score") -> list[str]:
    """The queries that found nothing, of rankings without scores: their table has rows only."""
    if not has_lists(nested, kind=kind):
        return []
    return [str(query) for query, docs in nested.items() if len(docs) == 0]


def first_filled(nested: Mapping[Any, Any]) -> Any:
    """Return the first value that is not an empty dict or list: it tells what the others are.

    Where all are empty, the first; None where there is none.
    """
    values = nested.values()
    filled = (value for value in values if not isinstance(value, (Mapping, *_LISTS)) or value)
    return next(filled, next(iter(values), None))


def from_rows(rows: Iterable[Any], *, kind: str, duplicates: str) -> _core.Table:
    """Read rows of tuples (query, document, number), or of objects with attributes so named.

    ir_datasets' qrels, trec_eval-like records of other libraries and named tuples with more than
    three fields are read by the names of their fields.
    """
    rows = iter(rows)
    first = list(islice(rows, 1))
    if first and isinstance(first[0], Mapping):
        raise TypeError("rows of dicts are read by from_records")
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


def from_records(
    records: Iterable[Mapping[Any, Any]],
    *,
    kind: str,
    duplicates: str,
    source: str,
    lines: Sequence[int] = (),
) -> tuple[_core.Table, list[str]]:
    """Rows of dicts, by the names of their fields, and queries that their table lacks.

    A field may hold a list of documents. A record without a document is a query that found nothing.
    `lines` say where in a file each record begins.
    """
    names, cells = as_cells(list(records), source=source, lines=lines)
    how: dict[str, Any] = {"kind": kind, "duplicates": duplicates, "source": source}
    return from_cells(names, cells, **how, lines=lines)


def from_cells(
    names: Sequence[str],
    cells: Sequence[Sequence[Any]],
    *,
    kind: str,
    duplicates: str,
    source: str,
    lines: Sequence[int] = (),
) -> tuple[_core.Table, list[str]]:
    """Rows of a table in memory, and queries that have none: see `from_records`."""

    def sample() -> Sequence[Sequence[Any]]:
        return cells[:3]

    doc = document_column(names)
    value: int | None
    if doc is not None and any(is_list(row[doc]) for row in cells[:1000]):
        (query, doc, value), kind = choose_list_columns(
            names, kind=kind, source=source, sample=sample
        )
    else:
        (query, doc, value), kind = choose_columns(names, kind=kind, source=source, sample=sample)
    rows: list[tuple[str, str, float]] = []
    places: list[int] = []
    unlisted: list[str] = []
    may_be_unrated = kind == "grade" and is_quepid_table(names)
    unrated = 0
    for at, row in enumerate(cells):
        if all(map(_is_missing, row)):
            continue
        line = lines[at] if lines else None
        where = "" if lines else f"record {at + 1}: "
        name = id_text(row[query], "query", where, source=source, line=line)
        number = None if value is None else row[value]
        if is_list(row[doc]):
            found = _listed(row[doc], number, kind=kind, what=f"{where}query {name!r}")
            unlisted += [] if found else [name]
        elif _is_missing(row[doc]) and _is_missing(number):
            unlisted.append(name)
            continue
        elif may_be_unrated and _is_missing(number):
            unlisted.append(name)
            unrated += 1
            continue
        else:
            found = [(row[doc], number)]
        for item, given in found:
            id = id_text(item, "document", where, source=source, line=line)
            rows.append((name, id, _number(given, kind, where, source=source, line=line)))
            places.append(at)
    note_unrated(unrated, source=source)
    try:
        return _core.Table.from_rows(iter(rows), kind, duplicates), unlisted
    except InputError as error:
        first, second = _repeated(rows)
        if second is None or "twice" not in error.message:
            raise InputError(error.message, source=source) from None
        if not lines:
            raise InputError(
                f"record {places[second] + 1}: {error.message}", source=source
            ) from None
        message = f"{error.message}, first on line {lines[places[first]]}"
        raise InputError(message, source=source, line=lines[places[second]]) from None


def note_unrated(count: int, *, source: str) -> None:
    """Warn of documents without a rating, which Quepid's exports list."""
    if count:
        many = count > 1
        message = f"{count:,} documents have" if many else "1 document has"
        message += f" no rating, and {'count' if many else 'counts'} as not judged"
        warnings.warn(f"{source}: {message}" if source else message, InputNote, stacklevel=2)


def _listed(docs: Any, numbers: Any, *, kind: str, what: str) -> list[tuple[Any, Any]]:
    found = list(_items(docs, kind=kind, what=what))
    if is_list(numbers):
        if len(numbers) != len(found):
            message = f"{what} has {len(found)} documents and {len(numbers)} numbers"
            raise InputError(message)
        found = [(doc, number) for (doc, _), number in zip(found, numbers, strict=True)]
    return found


def _repeated(rows: Sequence[tuple[str, str, float]]) -> tuple[int, int | None]:
    seen: dict[tuple[str, str], int] = {}
    for at, (query, doc, _) in enumerate(rows):
        if seen.setdefault((query, doc), at) != at:
            return seen[query, doc], at
    return 0, None


def _is_missing(cell: Any) -> bool:
    if cell is None or (isinstance(cell, float) and cell != cell):
        return True
    return isinstance(cell, str) and not cell.strip()


def id_text(cell: Any, what: str, where: str, *, source: str, line: int | None) -> str:
    """An id as text. A date or a fraction is none, but often an id that a program has changed."""
    if _is_missing(cell):
        raise InputError(f"{where}the {what} id is missing", source=source, line=line)
    if isinstance(cell, str):
        return cell
    whole = getattr(cell, "is_integer", None)
    if not isinstance(cell, bool) and whole is not None and whole():
        return str(int(cell))
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if hasattr(cell, "__index__") and not isinstance(cell, bool):
        return str(int(cell))
    hint = "; has a program changed it? Format the column as text" if hasattr(cell, "year") else ""
    message = f"{where}the {what} id is a {type(cell).__name__} ({str(cell)[:40]}){hint}"
    raise InputError(message, source=source, line=line)


def _number(cell: Any, kind: str, where: str, *, source: str, line: int | None) -> float:
    try:
        if _is_missing(cell) or hasattr(cell, "year"):
            raise ValueError
        return float(cell)
    except (TypeError, ValueError):
        shown = "" if _is_missing(cell) else str(cell)[:40]
        message = f"{where}the {kind} {shown!r} is not a number"
        if kind == "grade" and not shown:
            message += "; leave the row out where the document is not judged, or write -1 there"
        raise InputError(message, source=source, line=line) from None


_SHAPE = '{"query": {"document": number}}'


def from_json(
    text: bytes, *, kind: str, duplicates: str, source: str
) -> tuple[_core.Table, list[str]]:
    """Rows of JSON, and queries that their table lacks.

    JSON is `{"query": {"document": 1.5}}`, a list of objects, or a list of ratings as Quepid,
    OpenSearch and Elasticsearch have them.
    """
    nested = parse_json(text, source=source, shape=_SHAPE)
    if isinstance(nested, list):
        return from_records(nested, kind=kind, duplicates=duplicates, source=source)
    if not isinstance(nested, dict):
        raise InputError(f"expected {_SHAPE}, or a list of objects", source=source)
    if _is_record(nested):
        return from_records([nested], kind=kind, duplicates=duplicates, source=source)
    if any(isinstance(value, list) for value in nested.values()):
        from cleverdon.formats.ratings import as_nested  # only for such files

        ratings = as_nested(nested, source=source)
        if ratings is not None and kind != "grade":
            message = "has ratings, which are judgments; are judgments and run exchanged?"
            raise InputError(message, source=source)
        nested = nested if ratings is None else ratings
    try:
        return (
            from_mapping(nested, kind=kind, duplicates=duplicates),
            empty_lists(nested, kind=kind),
        )
    except InputError as error:
        raise InputError(error.message, source=source) from None


def _is_record(fields: Mapping[str, Any]) -> bool:
    """Tell whether an object is one row: a file of JSON lines may have no more than that."""
    plain = not any(isinstance(value, Mapping) for value in fields.values())
    return plain and is_column_header(list(fields))


def from_json_lines(
    text: bytes, *, kind: str, duplicates: str, source: str
) -> tuple[_core.Table, list[str]]:
    """Rows of JSON Lines, an object a line, and queries that their table lacks."""
    records, lines = parse_json_lines(text, source=source)
    return from_records(records, kind=kind, duplicates=duplicates, source=source, lines=lines)


def parse_json_lines(text: bytes, *, source: str) -> tuple[list[Any], list[int]]:
    """Parse JSON Lines, each with the number of its line."""
    import json

    records, lines = [], []
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line, object_pairs_hook=_without_duplicates))
        except json.JSONDecodeError as error:
            place = {"line": number, "column": error.colno}
            raise InputError(error.msg, source=source, **place) from None
        except UnicodeDecodeError as error:
            raise InputError(f"is not UTF-8: {error}", source=source, line=number) from None
        except (RecursionError, ValueError) as error:
            raise InputError(f"is no JSON: {error}", source=source, line=number) from None
        except InputError as error:
            raise InputError(error.message, source=source, line=number) from None
        lines.append(number)
    return records, lines


def as_cells(
    records: Sequence[Any], *, source: str, lines: Sequence[int] = ()
) -> tuple[list[str], list[list[Any]]]:
    """The names of all fields of dicts, and a row of cells for each."""
    odd = next((at for at, record in enumerate(records) if not isinstance(record, Mapping)), None)
    if odd is not None:
        message = f"expected an object with query and document, found {str(records[odd])[:60]!r}"
        raise InputError(message, source=source, line=lines[odd] if lines else None)
    names = list(dict.fromkeys(name for record in records for name in record))
    return [str(name) for name in names], [[each.get(name) for name in names] for each in records]


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
