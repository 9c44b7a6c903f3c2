"""Candidates as items: shuffled by a seed, gold among them, some of them for two to judge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from cleverdon.assess.setup.filling import Item
from cleverdon.assess.setup.to_judge import Candidate
from cleverdon.errors import OptionError

Gold = Mapping[str, Mapping[str, int]]
"""Topic to document to the grade that is known to be right."""


@dataclass(frozen=True)
class Overlap:
    """How many documents two people judge: a share of them, or so many of each topic."""

    share: float | None = None
    count: int | None = None

    def of(self, documents: int, chance: float) -> int:
        """How many of a topic's documents; `chance` decides about fractions, so none is lost."""
        if self.count is not None:
            return min(self.count, documents)
        return min(int((self.share or 0) * documents + chance), documents)

    def __str__(self) -> str:
        return f"{self.share:g}" if self.count is None else str(self.count)


def parse_overlap(text: str) -> Overlap:
    """As in 0.1, 10% or 5.

    >>> parse_overlap("10%"), parse_overlap("5")
    (Overlap(share=0.1, count=None), Overlap(share=None, count=5))
    """
    given = text.strip()
    try:
        if given.isdecimal():
            return Overlap(count=int(given))
        share = float(given.removesuffix("%")) / (100 if given.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise OptionError(
            f"the overlap {text!r} is not known: give a share of the documents, as 0.1 or 10%, or "
            "how many of each topic, as 5"
        )
    return Overlap(share=share)


def made_items(
    candidates: Iterable[Candidate],
    *,
    seed: int,
    gold: Gold,
    judges: int = 1,
    overlap: Overlap | None = None,
    adaptive: bool = False,
) -> list[Item]:
    """The items of all topics; with an adaptive method they have no place yet.

    The order is of the seed, the topic and the ids alone, so that it tells nothing of the ranks,
    nor of the order of files.
    """
    by_topic: dict[str, dict[str, Candidate]] = {}
    for each in candidates:
        by_topic.setdefault(each.topic, {})[each.document] = each
    for topic, documents in gold.items():
        for document in documents:
            by_topic[topic].setdefault(document, Candidate(topic, document))
    plain = {
        topic: [document for document in found if document not in gold.get(topic, {})]
        for topic, found in by_topic.items()
    }
    twice = drawn_for_two(plain, overlap, seed=seed) if overlap else set()
    items = []
    for topic, found in by_topic.items():
        known = gold.get(topic, {})
        for place, document in enumerate(shuffled(topic, found, seed=seed)):
            candidate = found[document]
            items.append(
                Item(
                    topic,
                    document,
                    None if adaptive else place,
                    wanted=2 if (topic, document) in twice else judges,
                    gold=known.get(document),
                    stratum=candidate.stratum,
                    probability=candidate.probability,
                )
            )
    return items


def drawn_for_two(
    topics: Mapping[str, Sequence[str]], overlap: Overlap, *, seed: int
) -> set[tuple[str, str]]:
    """Which documents two people judge; a larger overlap holds what a smaller one does."""
    drawn: set[tuple[str, str]] = set()
    for topic, documents in topics.items():
        chance = float(_random(topic, seed, "overlap").random())
        order = shuffled(topic, documents, seed=seed, of="overlap documents")
        drawn |= {(topic, document) for document in order[: overlap.of(len(order), chance)]}
    return drawn


def shuffled(topic: str, documents: Collection[str], *, seed: int, of: str = "order") -> list[str]:
    """The documents of a topic in a random order, whatever order they come in."""
    ordered = sorted(documents)
    return [ordered[at] for at in _random(topic, seed, of).permutation(len(ordered))]


def _random(topic: str, seed: int, of: str) -> np.random.Generator:
    """Chance of its own for each topic and purpose: other topics beside it change nothing."""
    return np.random.default_rng([seed, crc32(topic.encode()), crc32(of.encode())])
