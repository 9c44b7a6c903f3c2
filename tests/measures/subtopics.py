"""Collections with judged subtopics that hypothesis makes, and measures in plain loops over them.

As in `tests.differential.collections`, they are small and awkward: documents that cover nothing,
subtopics without a positive grade, grades below 0, equal scores, results that nobody judged.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from cleverdon import Judgments
from tests.differential.collections import DOCUMENTS, SCORES, Nested

Covered = dict[str, dict[str, dict[str, float]]]
"""Query to document to subtopic to grade."""

SUBTOPICS = ("1", "10", "2", "a")
QUERIES = tuple(f"query {number}" for number in range(40))
WEIGHTS = {"1": 0.5, "10": 3, "2": 1, "a": 0.25}


def _coverings() -> list[dict[str, float]]:
    """What documents may cover: mostly something, now and then with grades of no use."""
    chance = random.Random(0)
    grades = (1, 1, 1, 2, 0, -1, 3, None, None, None, None)
    drawn = [{name: chance.choice(grades) for name in SUBTOPICS} for _ in range(300)]
    covered = [{name: grade for name, grade in one.items() if grade is not None} for one in drawn]
    return [one for one in covered if one]


_COVERINGS = _coverings()


@dataclass(frozen=True)
class Judged:
    """Judged subtopics and a run."""

    covered: Covered
    run: Nested

    @property
    def rows(self) -> list[tuple[str, str, str, float]]:
        """As in a file: query, subtopic, document, grade."""
        return [
            (query, subtopic, doc, grade)
            for query, docs in self.covered.items()
            for doc, grades in docs.items()
            for subtopic, grade in grades.items()
        ]

    @property
    def judgments(self) -> Judgments:
        return Judgments.read(self.rows, format="subtopics")

    def ranking(self, query: str, *, ids: str = "falling") -> list[str]:
        """The documents by falling score, those of equal scores by their ids."""
        scores = self.run.get(query, {})
        by_id = sorted(scores, key=str.encode, reverse=ids == "falling")
        return sorted(by_id, key=lambda doc: scores[doc], reverse=True)


@st.composite
def judged_subtopics(draw: st.DrawFn, *, fewest: int = 20) -> Judged:
    """Judged subtopics and a run over some queries."""
    # One draw a query rather than several a document: drawing would be most of the time.
    seeds = draw(st.lists(st.integers(0, 2**24), min_size=fewest, max_size=len(QUERIES)))
    covered: Covered = {}
    run: Nested = {}
    for query, seed in zip(QUERIES, seeds, strict=False):
        chance = random.Random(seed)
        docs = chance.sample(DOCUMENTS, chance.randint(1, len(DOCUMENTS)))
        grades = {doc: chance.choice(_COVERINGS) for doc in docs if chance.random() < 0.9}
        if grades:
            covered[query] = grades
        run[query] = {doc: chance.choice(SCORES) for doc in docs if chance.random() < 0.8}
    assume(any(run.get(query) for query in covered))
    return Judged(covered, run)


@dataclass(frozen=True)
class Query:
    """One query: its judged documents, and what was returned, in order."""

    covered: dict[str, dict[str, float]]
    ranking: list[str]
    weights: dict[str, float] | None = None

    def relevant(self, doc: str, rel: float) -> set[str]:
        """The subtopics that a document is relevant to."""
        return {name for name, grade in self.covered.get(doc, {}).items() if grade >= rel}

    def subtopics(self, rel: float) -> dict[str, Fraction]:
        """The subtopics that count, and how much: 1 in all."""
        names = {name for doc in self.covered for name in self.relevant(doc, rel)}
        weight = {name: Fraction((self.weights or {}).get(name, 1)) for name in names}
        return {name: w / sum(weight.values()) for name, w in weight.items()}


def cascade(
    query: Query,
    ranking: list[str],
    weight_at: Callable[[int], float],
    *,
    alpha: float,
    rel: float,
    k: int | None,
) -> float:
    """The gain of a ranking in which each subtopic's gains fade, averaged over the subtopics."""
    gain = dict(query.subtopics(rel))
    total = 0.0
    for rank, doc in enumerate(ranking[:k], start=1):
        for name in sorted(query.relevant(doc, rel)):
            total += float(gain[name]) * weight_at(rank)
            gain[name] *= 1 - Fraction(alpha)
    return total


def greedy(query: Query, *, alpha: float, rel: float) -> list[str]:
    """The ideal ranking: always the document that adds most; of equals, the larger id."""
    gain = dict(query.subtopics(rel))
    left = [doc for doc in query.covered if query.relevant(doc, rel)]
    ranking = []
    while left:

        def adds(doc: str) -> tuple[Fraction, bytes]:
            return sum((gain[name] for name in query.relevant(doc, rel)), Fraction(0)), doc.encode()

        best = max(left, key=adds)
        left.remove(best)
        ranking.append(best)
        for name in query.relevant(best, rel):
            gain[name] *= 1 - Fraction(alpha)
    return ranking


def normalised(
    query: Query, weight_at: Callable[[int], float], *, alpha: float, rel: float, k: int | None
) -> float | None:
    """What the run gains as a share of what the ideal ranking does."""
    if not query.subtopics(rel):
        return None
    best = greedy(query, alpha=alpha, rel=rel)
    gained, ideal = (
        cascade(query, ranking, weight_at, alpha=alpha, rel=rel, k=k)
        for ranking in (query.ranking, best)
    )
    return gained / ideal


def dsharp_ndcg(query: Query, *, k: int | None, gamma: float, gain: str) -> float | None:
    tiny = 1e-300
    shares = query.subtopics(tiny)
    if not shares:
        return None

    def worth(doc: str) -> float:
        grades = {name: max(grade, 0) for name, grade in query.covered.get(doc, {}).items()}
        gains = {name: 2.0**g - 1 if gain == "exponential" else g for name, g in grades.items()}
        return sum(float(shares.get(name, 0)) * g for name, g in gains.items())

    def dcg(gains: list[float]) -> float:
        return sum(g / math.log2(rank + 1) for rank, g in enumerate(gains[:k], start=1))

    found = {name for doc in query.ranking[:k] for name in query.relevant(doc, tiny)}
    ideal = dcg(sorted(map(worth, query.covered), reverse=True))
    share = dcg([worth(doc) for doc in query.ranking]) / ideal
    return gamma * len(found) / len(shares) + (1 - gamma) * share


def rbu(
    query: Query,
    *,
    k: int | None,
    p: float,
    alpha: float | None,
    e: float,
    rel: float,
    top_grade: float,
) -> float | None:
    shares = query.subtopics(rel)
    if not shares:
        return None
    total = 0.0
    unsatisfied = dict.fromkeys(shares, 1.0)
    for rank, doc in enumerate(query.ranking[:k], start=1):
        brought = 0.0
        for name in query.relevant(doc, rel):
            grade = max(query.covered[doc][name], 0)
            chance = (2**grade - 1) / 2**top_grade if alpha is None else alpha
            brought += float(shares[name]) * unsatisfied[name] * chance
            unsatisfied[name] *= 1 - chance
        total += (1 - p) * p ** (rank - 1) * (brought - e)
    return total
