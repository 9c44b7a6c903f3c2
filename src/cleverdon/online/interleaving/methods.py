"""What a method of interleaving is, and the one list of them.

A method mixes two rankings, A and B, into the one that the user sees, notes how it came about, and
says later to which of the two a click speaks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeVar

from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.records import Record, Value


class Interleaved(NamedTuple):
    """The documents to show, and the record to store."""

    docs: tuple[str, ...]
    record: Record


class Credit(NamedTuple):
    """What clicks on one result page give to either ranking."""

    a: float
    b: float


@dataclass(frozen=True)
class Drawn:
    """The documents that a method chose, and what it notes of each."""

    method: str
    docs: tuple[str, ...]
    columns: Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A way to interleave two rankings, and to credit them with clicks.

    The draw for a query depends on the seed and on the query's id, and on nothing else: it can be
    repeated on any machine. As many places are interleaved as the shorter ranking has documents, at
    most `k`. Whatever fills the page below is there for the user, and clicks on it count for
    nobody: with credit for them, users who click at random would prefer the longer ranking.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    columns: ClassVar[Mapping[str, str]]
    """What a record notes of each document, by name, and of which kind it is."""
    sparse: ClassVar[bool] = False
    """Whether one column may be null where another is not."""
    doubt: ClassVar[str] = ""
    """What speaks against the method, in a sentence."""

    seed: int = 0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise OptionError(f"seed={self.seed}: a seed is a whole number from 0 on")

    @classmethod
    def description(cls) -> str:
        """The method in one line."""
        return (cls.__doc__ or "").strip().partition("\n")[0]

    def interleave(
        self, a: Iterable[str], b: Iterable[str], *, query_id: str, k: int | None = None
    ) -> Interleaved:
        """What to show of rankings A and B on the result page `query_id`, k documents at most.

        Without `k` everything is shown that either ranking has.
        """
        if not isinstance(query_id, str):
            raise InputError(f"query_id is {query_id!r:.40}; ids of queries are texts")
        first, second = _ranking("A", a), _ranking("B", b)
        if k is not None and k < 1:
            raise OptionError(f"k={k}: there is at least one document to show")
        depth = min(len(first), len(second), *([] if k is None else [k]))
        drawn = self.draw(first, second, depth, Chance(self.seed, self.name, query_id))
        rest = _rest(first, second, drawn.docs)[: None if k is None else k - depth]
        docs = (*drawn.docs, *rest)
        columns = {name: (*values, *[None] * len(rest)) for name, values in drawn.columns.items()}
        return Interleaved(docs, Record(query_id, drawn.method, self.seed, docs, columns))

    @abstractmethod
    def draw(self, a: Sequence[str], b: Sequence[str], depth: int, chance: Chance) -> Drawn:
        """The first `depth` documents, as many as both rankings have or fewer."""

    @classmethod
    @abstractmethod
    def credit(
        cls, record: Record, clicked: Collection[str], *, marginalised: bool = True
    ) -> Credit:
        """What clicks on these documents, each counted once, give to A and to B.

        `marginalised` matters to probabilistic interleaving alone.
        """

    @classmethod
    def fair_by_wins(cls, *, marginalised: bool = True) -> bool:
        """Whether users who click at random let either ranking win as many queries.

        Where not, what is fair is the credit that they give on average, and to be tested.
        """
        return True

    @classmethod
    def credited(cls, record: Record) -> frozenset[str]:
        """The documents on which a click counts."""
        columns = record.columns.values()
        values = zip(*columns, strict=True) if columns else ()
        return frozenset(
            doc
            for doc, noted in zip(record.docs, values, strict=True)
            if any(value is not None for value in noted)
        )


_methods: dict[str, type[Method]] = {}

M = TypeVar("M", bound=type[Method])


def method(cls: M) -> M:
    """Make a method known by its name; a name that is taken is refused."""
    if cls.name in _methods:
        raise OptionError(f"there is a method {cls.name!r} already; choose another name")
    _methods[cls.name] = cls
    return cls


def methods() -> tuple[type[Method], ...]:
    """All methods, by name."""
    return tuple(_methods[name] for name in sorted(_methods))


def find(name: str) -> type[Method]:
    """The method of that name.

    >>> find("team-draft").description()
    'Team-draft interleaving: captains take turns to pick the best document that is left.'
    """
    if name not in _methods:
        raise InputError(f"there is no interleaving method {name!r}{suggest(name, _methods)}")
    return _methods[name]


def left(ranking: Sequence[str], taken: Collection[str]) -> str:
    """The best document of a ranking that is not taken yet."""
    return next(doc for doc in ranking if doc not in taken)


def _ranking(name: str, docs: Iterable[str]) -> tuple[str, ...]:
    if isinstance(docs, str):
        raise InputError(f"ranking {name} is a text, {docs!r:.40}, and should be a list of ids")
    found = tuple(docs)
    places: dict[str, int] = {}
    for place, doc in enumerate(found, start=1):
        if not isinstance(doc, str):
            raise InputError(
                f"ranking {name}: number {place} is {doc!r:.40}; ids of documents are texts"
            )
        if doc in places:
            raise InputError(
                f"ranking {name} has {doc!r} twice, as number {places[doc]} and {place}; keep the "
                "first of them"
            )
        places[doc] = place
    return found


def _rest(a: Sequence[str], b: Sequence[str], shown: Collection[str]) -> list[str]:
    """What was not interleaved, best ranks first."""
    best: dict[str, int] = {}
    for ranking in (a, b):
        for rank, doc in enumerate(ranking):
            best[doc] = min(rank, best.get(doc, rank))
    return sorted((doc for doc in best if doc not in set(shown)), key=best.__getitem__)
