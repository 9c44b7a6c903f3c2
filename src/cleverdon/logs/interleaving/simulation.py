"""Simulated users who click by known rules, to test whether a method finds the better ranking.

They read down the page. The grade of a document decides the probabilities of a click, and of
stopping after it (Guo, Liu & Wang 2009, doi:10.1145/1498759.1498818). The first three kinds of
users are those of Hofmann, Whiteson & de Rijke 2011, doi:10.1145/2063576.2063618.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.logs.interleaving.base import Chance, Method, Record


@dataclass(frozen=True)
class Clicker:
    """A user who reads from the top: the probabilities of a click, and of stopping after it."""

    click: tuple[float, ...]  # by grade; higher grades have the last value
    stop: tuple[float, ...]

    def clicks(self, docs: Sequence[str], grades: Mapping[str, int], chance: Chance) -> list[str]:
        """Draw the documents that the user clicks."""
        clicked = []
        for doc in docs:
            grade = grades.get(doc, 0)
            if chance.number() < self.click[min(grade, len(self.click) - 1)]:
                clicked.append(doc)
                if chance.number() < self.stop[min(grade, len(self.stop) - 1)]:
                    break
        return clicked


CLICKERS: Mapping[str, Clicker] = {
    "perfect": Clicker(click=(0.0, 1.0), stop=(0.0, 0.0)),
    "navigational": Clicker(click=(0.05, 0.95), stop=(0.2, 0.9)),
    "informational": Clicker(click=(0.4, 0.9), stop=(0.1, 0.5)),
    "random": Clicker(click=(0.5,), stop=(0.0,)),
    "random-once": Clicker(click=(0.5,), stop=(1.0,)),
}
"""Users by name. Random ones ignore grades: they click half of all, or stop at the first click."""


@dataclass(frozen=True)
class SimulatedQuery:
    """A query: the two rankings, and the grades of documents."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    grades: Mapping[str, int]


def simulate(
    method: Method,
    queries: Sequence[SimulatedQuery],
    clicker: Clicker,
    *,
    impressions: int,
    k: int = 10,
    seed: int = 0,
) -> tuple[list[Record], list[tuple[str, str]]]:
    """Return the records and clicks of `impressions` result pages, with the queries in turn."""
    if not queries:
        raise OptionError("there is no query to simulate")
    records: list[Record] = []
    clicks: list[tuple[str, str]] = []
    for page in range(impressions):
        query = queries[page % len(queries)]
        query_id = f"q{page + 1}"
        docs, record = method.interleave(query.a, query.b, query_id=query_id, k=k)
        chance = Chance(seed, "clicks", query_id)
        records.append(record)
        clicks += [(query_id, doc) for doc in clicker.clicks(docs, query.grades, chance)]
    return records, clicks


def make_queries(
    quality_a: float, quality_b: float, *, queries: int, depth: int = 10, seed: int = 0
) -> Iterator[SimulatedQuery]:
    """Yield queries with rankings of known quality: 0 is random order, 1 has all relevant on top.

    Each query has twice as many documents as a ranking shows, and every fourth is relevant. Two
    rankings of equal quality differ on every query, but neither is better.
    """
    grades = {f"d{doc}": int(doc % 4 == 0) for doc in range(2 * depth)}
    for number in range(queries):
        chance = Chance(seed, "topic", str(number))  # the name is part of the seed
        rankings = []
        for quality in (quality_a, quality_b):
            key = {doc: chance.number() - quality * grade for doc, grade in grades.items()}
            rankings.append(tuple(sorted(grades, key=key.__getitem__)[:depth]))
        yield SimulatedQuery(rankings[0], rankings[1], grades)
