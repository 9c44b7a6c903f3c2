"""Made-up systems and collections whose truth is known."""

from __future__ import annotations

import numpy as np

Runs = dict[str, dict[str, dict[str, float]]]
Grades = dict[str, dict[str, float]]


def collection(
    *,
    queries: int = 5,
    docs: int = 200,
    relevant: int = 20,
    systems: int = 8,
    depth: int = 50,
    noise: float = 1.0,
    seed: int = 0,
) -> tuple[Grades, Runs]:
    """The grades of all documents, and runs that find the relevant ones the better the less noise.

    Every system sees a document's relevance through noise of its own, so that systems are
    independent; later systems are noisier than earlier ones.
    """
    random = np.random.default_rng(seed)
    names = [f"d{number:04d}" for number in range(docs)]
    qrels: Grades = {}
    runs: Runs = {f"s{system:02d}": {} for system in range(systems)}
    for number in range(queries):
        query = f"t{number + 1}"
        grades = np.zeros(docs)
        grades[random.choice(docs, size=relevant, replace=False)] = 1
        qrels[query] = dict(zip(names, grades.tolist(), strict=True))
        for system in range(systems):
            spread = noise * (0.5 + system / systems)
            scores = grades + random.normal(scale=spread, size=docs)
            top = np.argsort(-scores)[:depth]
            runs[f"s{system:02d}"][query] = {names[doc]: float(scores[doc]) for doc in top}
    return qrels, runs
