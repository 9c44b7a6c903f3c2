"""Systems of which is known what is relevant: some good, some bad, all alike in part."""

from __future__ import annotations

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon.pooling.contributions import QueryContributions, gather

Nested = dict[str, dict[str, float]]


def systems(
    *, count: int = 8, queries: int = 5, docs: int = 300, depth: int = 60, seed: int = 1
) -> tuple[dict[str, Nested], Nested]:
    """Runs and judgments. Relevant documents score higher, in good systems by more."""
    random = np.random.default_rng(seed)
    runs: dict[str, Nested] = {f"s{number}": {} for number in range(count)}
    grades: Nested = {}
    quality = np.linspace(0.2, 2.5, count)
    for number in range(queries):
        query = f"q{number}"
        relevant = random.random(docs) < random.uniform(0.04, 0.12)
        grades[query] = {f"d{doc}": float(relevant[doc]) for doc in range(docs)}
        shared = random.normal(size=docs)  # what all systems take for relevant
        for name, skill in zip(runs, random.permuted(quality), strict=True):
            scores = skill * relevant + 0.4 * shared + 0.9 * random.normal(size=docs)
            best = np.argsort(-scores)[:depth].tolist()
            runs[name][query] = {f"d{doc}": float(scores[doc]) for doc in best}
    return runs, grades


def of_rankings(*rankings: str) -> QueryContributions:
    """One query; each system's ranking is a text of documents with one letter each."""
    runs = {
        f"s{number}": {"q": {doc: -float(at) for at, doc in enumerate(ranking)}}
        for number, ranking in enumerate(rankings)
        if ranking
    }
    found = gather(runs).of("q")
    if len(runs) == len(rankings):
        return found
    there = np.flatnonzero([bool(ranking) for ranking in rankings])
    system: Ints = there[found.system]
    return QueryContributions(
        "q", found.docs, system, found.doc, found.rank, found.score, len(rankings)
    )
