"""Dicts, lists of dicts and rows of tuples, in memory and as JSON."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import chain, islice
from math import isinf
from typing import Any

from cleverdon import _core
from cleverdon._common.text import counted
from cleverdon.errors import InputError, InputNote
from cleverdon.formats.columns import (
    RANK,
    choose_columns,
    choose_list_columns,
    document_columns,
    field_position,
    fold,
    has_query_column,
    hint_for_duplicates,
    is_column_header,
    is_quepid_table,
)


def from_mapping(nested: Mapping[Any, Any], *, kind: str, duplicates: str) -> _core.Table:
    """Rows of a dict: query to document to number, or to documents; each query in its own form.

    A list of documents is a ranking in a run, and the relevant ones, of grade 1, in judgments. Its
    items are ids, pairs of id and number, or dicts such as `{"id": "d1", "score": 0.5}`.
    """
    _check_one_set(nested, kind=kind)
    if holds_dicts(nested):
        return _core.Table.from_dict(dict(nested), kind, duplicates)
    rows = (
        (query, *item)
        for query, docs in nested.items()
        for item in _documents(docs, kind=kind, what=f"query {str(query)!r}")
    )
    return _core.Table.from_rows(rows, kind, duplicates)


_LISTS = (list, tuple, set, frozenset)


def is_list(value: Any) -> bool:
    """Tell whether a value is a list of documents; arrays and columns of frames are lists, too."""
    if isinstance(value, (*_LISTS, Set)):
        return True
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return False
    return hasattr(value, "tolist") or hasattr(value, "to_list")


def holds_dicts(nested: Mapping[Any, Any]) -> bool:
    """Tell whether a dict has a dict for every query."""
    return all(isinstance(docs, Mapping) for docs in nested.values())


def is_ranking(value: Any) -> bool:
    """Tell whether a value is the list of one query's documents, and not a whole run."""
    return is_list(value) and any(map(_is_item, value))


def _is_item(item: Any) -> bool:
    """Tell whether it is an id, an id with a number, or a dict with an id: no row with a query."""
    if isinstance(item, Mapping):
        return not has_query_column(list(item)) and field_position(list(item), "document") != []
    if isinstance(item, (list, tuple)):
        return len(item) == 2 and _is_plain_id(item[0]) and (item[1] is None or _is_number(item[1]))
    return _is_plain_id(item)


def _is_plain_id(value: Any) -> bool:
    if isinstance(value, (str, bytes)):
        return True
    return hasattr(value, "__index__") and not isinstance(value, bool) and not is_list(value)


def _is_number(value: Any) -> bool:
    if is_list(value) or isinstance(value, (str, bytes)):
        return False
    return isinstance(value, (int, float)) or hasattr(value, "dtype")


_FORMS = {
    "grade": '["d1", "d2"], {"d1": 2}, [("d1", 2)] or [{"id": "d1", "grade": 2}]',
    "score": '["d1", "d2"], {"d1": 0.5}, [("d1", 0.5)] or [{"id": "d1", "score": 0.5}]',
}


def _forms(kind: str) -> str:
    return _FORMS["grade" if kind == "grade" else "score"]


def _check_one_set(nested: Mapping[Any, Any], *, kind: str) -> None:
    """Refuse dicts that are common and are no run or judgments: engines' answers, several runs."""
    engine = None
    hits, response = (nested.get(key) for key in ("hits", "response"))
    if (isinstance(hits, Mapping) and "hits" in hits) or "responses" in nested:
        engine = "Elasticsearch or OpenSearch"
    elif isinstance(response, Mapping) and "docs" in response:
        engine = "Solr"
    if engine:
        raise InputError(
            f"this is an answer of {engine}, which does not tell its query: `cleverdon search` "
            f"asks the engine and writes a run; or give each query its documents: {_forms(kind)}"
        )
    first = first_filled(nested)
    if isinstance(first, Mapping):
        several = any(isinstance(docs, Mapping) or is_list(docs) for docs in first.values())
    else:
        several = isinstance(first, list) and any(map(_has_query, first))
    if several:
        named = ", ".join(str(name) for name in islice(nested, 5))
        things = "sets of judgments" if kind == "grade" else "runs"
        raise InputError(
            f"these are several {things} by name ({named}), where one is expected: save each as a "
            "file of its own; in Python, evaluate(qrels, runs) takes such a dict of runs"
        )


def _has_query(item: Any) -> bool:
    return isinstance(item, Mapping) and has_query_column(list(item))


def _documents(docs: Any, *, kind: str, what: str) -> Iterable[tuple[Any, Any]]:
    """The documents of one query, in whatever form they are, each with its number."""
    if isinstance(docs, Mapping):
        return docs.items()
    if is_list(docs) or (isinstance(docs, str) and kind == "grade"):
        return _items(docs, kind=kind, what=what)
    hint = "; for a query without documents, give []" if docs is None else ""
    raise InputError(f"{what}: expected documents as {_forms(kind)}; found {_shown(docs)}{hint}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _items(docs: Any, *, kind: str, what: str) -> list[tuple[Any, Any]]:
    """The documents of a list, each with its number: by default 1, or by its place."""
    if isinstance(docs, str):
        docs = [docs]
    if isinstance(docs, Set):
        if kind != "grade":
            raise InputError(f"{what} has a set of documents, which has no order: give a list")
        docs = sorted(docs, key=str)
    docs = list(docs)
    if len(docs) == 2 and isinstance(docs[0], str) and _is_number(docs[1]):
        doc, number = docs[0], docs[1]
        raise InputError(
            f"{what} has {_shown(tuple(docs))}: is that one document with its number, or two "
            f"documents? Give [({doc!r}, {number})], or [{doc!r}, '{number}']"
        )
    fields = _Fields()
    role = _number_role(docs, fields, kind, what)
    found = [_document_and_number(item, fields, role, kind, what) for item in docs]
    lacking = [at for at, (_, number) in enumerate(found) if number is None]
    if lacking and len(lacking) < len(found):
        raise InputError(
            f"{what}: some documents have a {role}, and {_shown(docs[lacking[0]])} has none"
        )
    if not lacking:
        by_rank = role == "rank" and kind == "score"
        return [(doc, _rank_score(rank, what)) for doc, rank in found] if by_rank else found
    if kind == "grade":
        return [(doc, 1.0) for doc, _ in found]
    return [
        (doc, place + 1 if kind == "rank" else -float(place))
        for place, (doc, _) in enumerate(found)
    ]


class _Fields:
    """Finds the fields of dicts, most of which have the same names."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], int | list[int]] = {}

    def position(self, item: Mapping[Any, Any], role: str) -> int | list[int]:
        key = (role, *item)
        if key not in self._known:
            self._known[key] = field_position([str(name) for name in item], role)
        return self._known[key]


def _number_role(docs: list[Any], fields: _Fields, kind: str, what: str) -> str:
    """What the numbers of a list are: results without scores may have ranks."""
    if kind == "grade":
        return kind
    dicts = [item for item in docs if isinstance(item, Mapping)]
    has_score, has_rank = (
        any(fields.position(item, role) != [] for item in dicts) for role in ("score", "rank")
    )
    if kind == "score" and has_rank and not has_score:
        return "rank"
    if kind == "rank" and has_score and not has_rank:
        raise InputError(f"{what}: order_by='rank' needs ranks, and its documents have scores only")
    return kind


def _document_and_number(
    item: Any, fields: _Fields, role: str, kind: str, what: str
) -> tuple[Any, Any]:
    """The id of one item, and its number; None where it has none."""
    if isinstance(item, Mapping):
        names = list(item)
        doc = fields.position(item, "document")
        if not isinstance(doc, int):
            if not doc:
                raise _not_a_document(item, kind, what)
            asked, one = " or ".join(repr(names[at]) for at in doc), names[doc[0]]
            raise InputError(
                f"{what} has {_shown(item)}: which field has the document's id, {asked}? Answer "
                f"with --columns doc={one}, in Python columns={{'doc': {one!r}}}"
            )
        number = fields.position(item, role)
        if isinstance(number, int):
            return item[names[doc]], item[names[number]]
        candidates = [names[at] for at in number] or _possible_grades(item, doc, kind)
        if candidates:
            asked = " or ".join(map(repr, candidates))
            raise InputError(
                f"{what} has {_shown(item)}: is the {role} in {asked}? Answer with --columns "
                f"{role}={candidates[0]}, in Python columns={{{role!r}: {candidates[0]!r}}}; if "
                "there is none, leave that field out"
            )
        return item[names[doc]], None
    if isinstance(item, (list, tuple)) and _is_item(item):
        return item[0], item[1]
    if isinstance(item, (list, tuple)) and len(item) == 2 and _is_plain_id(item[0]):
        raise InputError(f"{what} has {_shown(item)}: the {role} {item[1]!r:.40} is not a number")
    if _is_plain_id(item):
        return item, None
    raise _not_a_document(item, kind, what)


def _not_a_document(item: Any, kind: str, what: str) -> InputError:
    hint = ", which is no id: ids are text or whole numbers" if isinstance(item, float) else ""
    expected = f"expected documents as {_forms(kind)}"
    return InputError(f"{what}: {expected}; one of them is {_shown(item)}{hint}")


_NO_GRADES = frozenset(
    map(
        fold,
        (
            *(*RANK, "page", "pages", "page_number", "start", "end", "offset", "length", "size"),
            *("tokens", "index", "year", "chunk", "chunk_index", "line", "timestamp", "distance"),
            *("start_index", "end_index", "start_char", "end_char", "word_count", "num_tokens"),
        ),
    )
)
"""Names of numbers that are no grades."""


def _possible_grades(item: Mapping[Any, Any], doc: int, kind: str) -> list[Any]:
    """The fields of a judged document that may be its grade under a name that is not known."""
    if kind != "grade":
        return []
    return [
        name
        for at, (name, value) in enumerate(item.items())
        if at != doc
        and _is_number(value)
        and fold(name) not in _NO_GRADES
        and not fold(name).endswith("id")
    ]


def _rank_score(rank: Any, what: str) -> float:
    """A score that orders by rank."""
    try:
        if isinstance(rank, bool) or float(rank) != int(rank):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: the rank {rank!r:.40} is not a whole number") from None
    return -float(rank)


def empty_lists(nested: Mapping[Any, Any]) -> list[str]:
    """The queries without documents, of a dict with lists: their table has rows only."""
    if holds_dicts(nested):
        return []
    return [
        str(query, "utf-8") if isinstance(query, bytes) else str(query)
        for query, docs in nested.items()
        if not isinstance(docs, str) and len(docs) == 0
    ]


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

    def holds_lists(column: int) -> bool:
        return any(is_list(row[column]) for row in cells[:1000])

    value: int | None
    if any(map(holds_lists, document_columns(names, kind=kind))):
        (query, doc, value), kind = choose_list_columns(
            names, kind=kind, source=source, holds_lists=holds_lists, sample=sample
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
            try:
                found = _listed(row[doc], number, kind=kind, what=f"{where}query {name!r}")
            except InputError as error:
                raise InputError(error.message, source=source, line=line) from None
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
        hint = hint_for_duplicates(names)
        if not lines:
            raise InputError(
                f"record {places[second] + 1}: {error.message}{hint}", source=source
            ) from None
        message = f"{error.message}, first on line {lines[places[first]]}{hint}"
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
            counts = f"{counted(len(found), 'document')} and {counted(len(numbers), 'number')}"
            raise InputError(f"{what} has {counts}")
        return [(doc, number) for (doc, _), number in zip(found, numbers, strict=True)]
    if not _is_missing(numbers):  # one for all
        return [(doc, numbers) for doc, _ in found]
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


_LARGEST_EXACT = 2**53 - 1  # above, floats stand for several whole numbers


def id_text(cell: Any, what: str, where: str, *, source: str, line: int | None) -> str:
    """An id as text. A date or a fraction is none, but often an id that a program has changed."""
    if _is_missing(cell):
        raise InputError(f"{where}the {what} id is missing", source=source, line=line)
    if isinstance(cell, str):
        return cell
    whole = getattr(cell, "is_integer", None)
    if not isinstance(cell, (bool, int)) and whole is not None and whole():
        if abs(cell) > _LARGEST_EXACT:
            message = f"{where}the {what} id {cell:.0f} is a float and too large to be exact"
            raise InputError(f"{message}; read the column as text", source=source, line=line)
        return str(int(cell))
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell)
    if hasattr(cell, "__index__") and not isinstance(cell, bool):
        return str(int(cell))
    hint = "; has a program changed it? Format the column as text" if hasattr(cell, "year") else ""
    message = f"{where}the {what} id is a {type(cell).__name__} ({str(cell)[:40]}){hint}"
    raise InputError(message, source=source, line=line)


_TRUTH = {"true": 1.0, "false": 0.0}


def _number(cell: Any, kind: str, where: str, *, source: str, line: int | None) -> float:
    try:
        if _is_missing(cell) or hasattr(cell, "year"):
            raise ValueError
        if kind == "grade" and isinstance(cell, str) and cell.strip().casefold() in _TRUTH:
            return _TRUTH[cell.strip().casefold()]
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
            empty_lists(nested),
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
            records.append(_load(line.decode()))
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
        return _load(decoded)
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


_MAY_OVERFLOW = re.compile(r"[eE]\+?\d{3}|\d{300}")


def _load(text: str) -> Any:
    import json

    # Only where a number may be too large: the check slows down all others.
    check = _finite if _MAY_OVERFLOW.search(text) else None
    return json.loads(text, object_pairs_hook=_without_duplicates, parse_float=check)


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise InputError(f"the number {text:.40} is too large")
    return number


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"the key {key!r} occurs twice in one object")
        found[key] = value
    return found
