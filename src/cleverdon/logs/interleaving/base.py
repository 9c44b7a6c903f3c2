"""Interleaving methods: base class, registry, and the records of pages that they write.

A method mixes two rankings, A and B, into the list that the user sees, records how, and later
credits clicks to A and B. Random numbers come from a hash (BLAKE2b in counter mode), which is the
same on every machine: the generators of libraries may change between releases.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from cleverdon._common.registry import Registry
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.streams import decode_text, name_of_stream, open_unpacked
from cleverdon.measures.base import one_line

_RECORD_VERSION = 1  # the version of the format of records

Docs = Collection[str]
RecordValue = str | int | float | None
_RecordColumns = Mapping[str, tuple[RecordValue, ...]]


@dataclass(frozen=True)
class Record:
    """The record of one result page: the documents shown, and the data that credits clicks.

    >>> record = Record("q1", "team-draft", 7, ("x", "y"), {"team": ("B", "A")})
    >>> record.line()
    '{"query_id": "q1", "method": "team-draft", "seed": 7, "version": 1, "docs": ["x", "y"],
      "team": ["B", "A"]}'
    """

    query_id: str
    method: str
    seed: int
    docs: tuple[str, ...]  # as they were shown, from the top
    columns: _RecordColumns = field(default_factory=dict)
    """The values that the method stores for each document; null if a click does not count."""
    version: int = _RECORD_VERSION

    def line(self) -> str:
        names = ("query_id", "method", "seed", "version", "docs")
        fields = {name: getattr(self, name) for name in names}
        return json.dumps({**fields, **self.columns}, ensure_ascii=False)


_BYTES = 8


class Chance:
    """A stream of random numbers for one query."""

    def __init__(self, seed: int, *names: str) -> None:
        # Each name is hashed with its length, so different lists of names differ as text.
        encoded = [name.encode("utf-8", "surrogatepass") for name in names]
        named = b"".join(b"%d:%b," % (len(name), name) for name in encoded)
        self._key = b"%d;%b" % (seed, named)
        self._block = 0
        self._left = b""

    def number(self) -> float:
        """Draw a number from 0 to below 1, with 53 random bits."""
        if not self._left:
            self._left = blake2b(b"%d;%b" % (self._block, self._key)).digest()
            self._block += 1
        taken, self._left = self._left[:_BYTES], self._left[_BYTES:]
        return (int.from_bytes(taken, "big") >> 11) * 2.0**-53

    def coin(self) -> bool:
        """Draw True or False with equal probability."""
        return self.number() < 0.5

    def pick(self, weights: Sequence[float]) -> int:
        """Draw an index with probability proportional to its weight."""
        point = self.number() * sum(weights)
        for place, weight in enumerate(weights):
            point -= weight
            if point < 0:
                return place
        # By rounding, the point may be beyond the last weight.
        return max(place for place, weight in enumerate(weights) if weight > 0)


class Interleaved(NamedTuple):
    """The documents to show, and the record to store."""

    docs: tuple[str, ...]
    record: Record


class Credit(NamedTuple):
    """The credit of both rankings for the clicks on one result page."""

    a: float
    b: float


@dataclass(frozen=True)
class Drawn:
    """The documents that a method chose, and the values that it stores for each."""

    method: str
    docs: tuple[str, ...]
    columns: _RecordColumns


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A method to interleave two rankings, and to credit them with clicks.

    The draw for a query depends only on the seed and the query's id, so it can be repeated on any
    machine. As many places are interleaved as the shorter ranking has documents, at most `k`.
    Clicks on documents below do not count: otherwise users who click at random would prefer the
    longer ranking.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    columns: ClassVar[Mapping[str, str]]  # of a record, each with the kind of its values
    sparse: ClassVar[bool] = False  # True if one column may be null while another is not
    doubt: ClassVar[str] = ""  # a reason to doubt results of the method

    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed={self.seed}: a seed is a whole number of at least 0")

    @classmethod
    def description(cls) -> str:
        return one_line(cls)

    def interleave(
        self, a: Iterable[str], b: Iterable[str], *, query_id: str, k: int | None = None
    ) -> Interleaved:
        """Interleave A and B for the result page `query_id`, with at most k documents.

        Without `k`, all documents of both rankings are shown.
        """
        if not isinstance(query_id, str):
            raise InputError(f"query_id is {query_id!r:.40}; it should be a string")
        first, second = _ranking("A", a), _ranking("B", b)
        if k is not None and k < 1:
            raise OptionError(f"k={k}: at least one document is shown")
        depth = min(len(first), len(second), *([] if k is None else [k]))
        drawn = self.draw(first, second, depth, Chance(self.seed, self.name, query_id))
        rest = _rest(first, second, drawn.docs)[: None if k is None else k - depth]
        docs = (*drawn.docs, *rest)
        columns = {name: (*values, *[None] * len(rest)) for name, values in drawn.columns.items()}
        return Interleaved(docs, Record(query_id, drawn.method, self.seed, docs, columns))

    @abstractmethod
    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        """Draw the first `depth` documents."""

    @classmethod
    @abstractmethod
    def credit(cls, record: Record, clicked: Docs, *, marginalised: bool = True) -> Credit:
        """Credit clicks on these documents, each counted once, to A and B.

        `marginalised` applies to probabilistic interleaving only.
        """

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        """Return True if both rankings win the same number of queries by random clicks.

        If not, only the mean credit is fair, and should be tested.
        """
        return True

    @classmethod
    def credited(cls, record: Record) -> frozenset[str]:
        """Return the documents on which a click counts."""
        columns = [
            (doc for doc, value in zip(record.docs, values, strict=True) if value is not None)
            for values in record.columns.values()
        ]
        return frozenset[str]().union(*columns)


_METHODS: Registry[Method] = Registry(
    "interleaving method",
    package="cleverdon.logs.interleaving",
    modules=("methods",),
    key=lambda cls: cls.name,
    error=InputError,
)
method = _METHODS.register


def methods() -> tuple[type[Method], ...]:
    return tuple(cls for _, cls in sorted(_METHODS.all().items()))


def find_method(name: str) -> type[Method]:
    return _METHODS.find(name)


def _ranking(name: str, docs: Iterable[str]) -> tuple[str, ...]:
    if isinstance(docs, str):
        raise InputError(f"ranking {name} is {docs!r:.40}; it should be a list of ids")
    places: dict[str, int] = {}
    for place, doc in enumerate(docs, start=1):
        if not isinstance(doc, str):
            raise InputError(
                f"ranking {name}: number {place} is {doc!r:.40}; ids should be strings"
            )
        if doc in places:
            raise InputError(
                f"ranking {name} has {doc!r} twice, as number {places[doc]} and {place}; keep the "
                "first of them"
            )
        places[doc] = place
    return tuple(places)


def _rest(a: Sequence[str], b: Sequence[str], shown: Docs) -> list[str]:
    """Return the documents that were not interleaved, by their better rank; A's first if tied."""
    best = {doc: rank for rank, doc in enumerate(a)}
    for rank, doc in enumerate(b):
        best[doc] = min(rank, best.get(doc, rank))
    return sorted((doc for doc in best if doc not in set(shown)), key=best.__getitem__)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_MOST_KEYS = 6  # the number of keys that an error names if an object is not a record

_COLUMN_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "team": (lambda value: value in ("A", "B"), "'A' or 'B'"),
    "rank": (
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        "a rank of at least 1",
    ),
    "share": (lambda value: _number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "credit": (lambda value: _number(value) and abs(value) < float("inf"), "a number"),
}
"""By kind, the values that a column may hold besides null, and their name in messages."""


def _parse_record(text: str, *, source: str = "", line: int | None = None) -> Record:
    """Parse a record from a line of JSON; raise InputError that names the problem."""
    where: dict[str, Any] = {"source": source, "line": line}
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        column = error.colno if line is not None else None
        raise InputError(f"not JSON: {error.msg}", **where, column=column) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON: {error}", **where) from None
    if not isinstance(found, dict):
        raise InputError(f"expected a JSON object on each line, found {found!r:.40}", **where)
    try:
        return _checked(found)
    except InputError as error:
        raise InputError(error.message, **where) from None


def _checked(found: dict[str, Any]) -> Record:
    version = _field(found, "version", int)
    if version != _RECORD_VERSION:
        raise InputError(
            f"the record has version {version}, but this release of Cleverdon reads version "
            f"{_RECORD_VERSION}; read it with the release that wrote it"
        )
    query_id, seed = _field(found, "query_id", str), _field(found, "seed", int)
    method = find_method(_field(found, "method", str))
    docs = _docs(_field(found, "docs", list))
    columns = {name: _column(found, name, kind, len(docs)) for name, kind in method.columns.items()}
    nulls = {tuple(value is None for value in column) for column in columns.values()}
    if len(nulls) > 1 and not method.sparse:
        raise InputError(f"{' and '.join(columns)} are null at different documents")
    return Record(query_id, method.name, seed, docs, columns, version)


def _field(found: dict[str, Any], name: str, kind: type) -> Any:
    kinds = {int: "a whole number", str: "a string", list: "a list"}
    if name not in found:
        keys = [*map(repr, list(found)[:_MOST_KEYS]), *["..."] * (len(found) > _MOST_KEYS)]
        instead = f"only {', '.join(keys)}" if keys else "it is empty"
        raise InputError(
            f"not a record of interleaving: it has no {name!r}, {instead}; a record has query_id, "
            "method, seed, version, docs and the method's own columns, as write_records writes them"
        )
    value = found[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{name} is {value!r:.40}; it should be {kinds[kind]}")
    return value


def _docs(values: list[Any]) -> tuple[str, ...]:
    for place, doc in enumerate(values, start=1):
        if not isinstance(doc, str):
            raise InputError(f"docs: number {place} is {doc!r:.40}; it should be a string")
    if len(set(values)) < len(values):
        twice = next(doc for doc in values if values.count(doc) > 1)
        raise InputError(f"docs: {twice!r} occurs twice")
    return tuple(values)


def _column(found: dict[str, Any], name: str, kind: str, length: int) -> tuple[RecordValue, ...]:
    values = _field(found, name, list)
    if len(values) != length:
        raise InputError(f"{name} has {len(values)} values, but docs has {length}")
    fits, called = _COLUMN_KINDS[kind]
    for place, value in enumerate(values, start=1):
        if value is not None and not fits(value):
            raise InputError(
                f"{name}: number {place} is {value!r:.40}; it should be {called}, or null"
            )
    return tuple(values)


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    """Read the records of interleaved result pages from a file of JSON lines.

    Args:
        path: The file, compressed or not; `-` is standard input.

    Returns:
        The records, in the order of the file.

    Raises:
        InputError: A line is not a record, two records have the same query id, or there is none.

    >>> from tempfile import mkdtemp
    >>> path = f"{mkdtemp()}/records.jsonl"
    >>> write_records(path, [Record("q1", "team-draft", 7, ("x", "y"), {"team": ("B", "A")})])
    >>> read_records(path)[0].docs
    ('x', 'y')
    """
    source = name_of_stream(os.fspath(path))
    first: dict[str, int] = {}
    records = []
    with open_unpacked(os.fspath(path)) as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            text = decode_text(line, source=source, line=number)
            record = _parse_record(text, source=source, line=number)
            if record.query_id in first:
                raise InputError(
                    f"query {record.query_id!r} already has a record on line "
                    f"{first[record.query_id]}; every result page needs its own id",
                    source=source,
                    line=number,
                )
            first[record.query_id] = number
            records.append(record)
    if not records:
        raise InputError(
            "no record of interleaving; there should be a line of JSON for every result page",
            source=source,
        )
    return records


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records of interleaved result pages to a file of JSON lines.

    Args:
        path: The file.
        records: The records.

    >>> from tempfile import mkdtemp
    >>> path = f"{mkdtemp()}/records.jsonl"
    >>> write_records(path, [Record("q1", "team-draft", 7, ("x", "y"), {"team": ("B", "A")})])
    >>> len(read_records(path))
    1
    """
    with Path(path).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{record.line()}\n" for record in records)
