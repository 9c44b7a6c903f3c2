"""Users who click by known rules, to see whether a method finds the better of two rankings.

They go down the page: at each document they click or not, and after a click are content and stop or
not, both by its grade (Guo, Liu & Wang 2009, doi:10.1145/1498759.1498818). The three kinds of users
are those of Hofmann, Whiteson & de Rijke 2011, doi:10.1145/2063576.2063618.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.online.interleaving.chance import Chance
from cleverdon.online.interleaving.credit import Credits, credit_clicks
from cleverdon.online.interleaving.methods import Method
from cleverdon.online.interleaving.records import Record


@dataclass(frozen=True)
class Clicker:
    """A user who reads from the top: how likely a click is, and stopping after it, by grade."""

    click: tuple[float, ...]
    """Of grade 0, of grade 1, and so on; of higher grades as of the last."""
    stop: tuple[float, ...]

    def clicks(self, docs: Sequence[str], grades: Mapping[str, int], chance: Chance) -> list[str]:
        """The documents that the user clicks."""
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
"""Users by name. Random ones mind no grades: they click half of all, or the first they like."""


@dataclass(frozen=True)
class Topic:
    """A query: what either ranking answers, and the grades of documents."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    grades: Mapping[str, int]


def simulate(
    method: Method,
    topics: Sequence[Topic],
    clicker: Clicker,
    *,
    impressions: int,
    k: int = 10,
    seed: int = 0,
) -> tuple[list[Record], list[tuple[str, str]]]:
    """Records and clicks of so many result pages, topic after topic in turn."""
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


def simulated(
    method: Method,
    topics: Sequence[Topic],
    clicker: Clicker,
    *,
    impressions: int,
    k: int = 10,
    seed: int = 0,
) -> Credits:
    """The credit that comes of it.

    >>> from cleverdon.online.interleaving import TeamDraft, preference
    >>> topic = Topic(("good", "bad"), ("bad", "good"), {"good": 1})
    >>> users = CLICKERS["navigational"]
    >>> found = preference(simulated(TeamDraft(), [topic], users, impressions=300))
    >>> found.verdict, found.queries.a > found.queries.b
    ('better', True)
    """
    return credit_clicks(
        *simulate(method, topics, clicker, impressions=impressions, k=k, seed=seed)
    )


def topics_of(
    quality_a: float, quality_b: float, *, topics: int, depth: int = 10, seed: int = 0
) -> Iterator[Topic]:
    """Topics with rankings of known quality: 0 is random order, 1 has all relevant ones on top.

    Each topic has twice as many documents as a ranking shows, and every fourth is relevant. Of two
    rankings with one quality, neither is better, though they differ on every topic.
    """
    grades = {f"d{doc}": int(doc % 4 == 0) for doc in range(2 * depth)}
    for number in range(topics):
        chance = Chance(seed, "topic", str(number))
        first, second = (
            tuple(sorted(grades, key=_keys(grades, quality, chance).__getitem__)[:depth])
            for quality in (quality_a, quality_b)
        )
        yield Topic(first, second, grades)


def _keys(grades: Mapping[str, int], quality: float, chance: Chance) -> dict[str, float]:
    """What to sort documents by: relevant ones are moved up by as much as the quality says."""
    return {doc: chance.number() - quality * grade for doc, grade in grades.items()}
