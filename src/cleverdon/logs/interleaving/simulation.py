"""Simulated users who click by known rules, to see whether a method finds the better ranking.

They go down the page: at each document they click or not, and after a click are content and stop or
not, both by its grade (Guo, Liu & Wang 2009, doi:10.1145/1498759.1498818). The three kinds of users
are those of Hofmann, Whiteson & de Rijke 2011, doi:10.1145/2063576.2063618.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.logs.interleaving.base import Chance, Method, Record


@dataclass(frozen=True)
class Clicker:
    """A user who reads from the top: the probabilities of a click, and of stopping after it."""

    click: tuple[float, ...]  # of grade 0, of grade 1, and so on; of higher grades as of the last
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
class SimulatedTopic:
    """A query: what either ranking answers, and the grades of documents."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    grades: Mapping[str, int]


def simulate(
    method: Method,
    topics: Sequence[SimulatedTopic],
    clicker: Clicker,
    *,
    impressions: int,
    k: int = 10,
    seed: int = 0,
) -> tuple[list[Record], list[tuple[str, str]]]:
    """Return records and clicks of so many result pages, topic after topic in turn."""
    if not topics:
        raise OptionError("there is no topic to simulate")
    records: list[Record] = []
    clicks: list[tuple[str, str]] = []
    for page in range(impressions):
        topic = topics[page % len(topics)]
        query_id = f"q{page + 1}"
        docs, record = method.interleave(topic.a, topic.b, query_id=query_id, k=k)
        chance = Chance(seed, "clicks", query_id)
        records.append(record)
        clicks += [(query_id, doc) for doc in clicker.clicks(docs, topic.grades, chance)]
    return records, clicks


def make_topics(
    quality_a: float, quality_b: float, *, topics: int, depth: int = 10, seed: int = 0
) -> Iterator[SimulatedTopic]:
    """Yield topics with rankings of known quality: 0 is random order, 1 has all relevant on top.

    Each topic has twice as many documents as a ranking shows, and every fourth is relevant. Of two
    rankings with one quality, neither is better, though they differ on every topic.
    """
    grades = {f"d{doc}": int(doc % 4 == 0) for doc in range(2 * depth)}
    for number in range(topics):
        chance = Chance(seed, "topic", str(number))
        rankings = []
        for quality in (quality_a, quality_b):
            key = {doc: chance.number() - quality * grade for doc, grade in grades.items()}
            rankings.append(tuple(sorted(grades, key=key.__getitem__)[:depth]))
        yield SimulatedTopic(rankings[0], rankings[1], grades)
