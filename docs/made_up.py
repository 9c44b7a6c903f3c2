"""Simulated data for the pictures: five systems on fifty queries, the same on every machine.

A document has two signals of relevance, its words and their meaning, both with noise. The strength
of each signal differs between queries. Systems use one signal or both; the last system reranks the
results of the first.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

SUBJECTS = (
    "heat pumps",
    "coral reefs",
    "electric buses",
    "honey bees",
    "peat bogs",
    "tidal mills",
    "old glaciers",
    "night trains",
    "city gardens",
    "river floods",
)
ASPECTS = ("how {} work", "history of {}", "what harms {}", "{} in cities", "research on {}")
QUERIES = {
    str(number): aspect.format(subject)
    for number, (subject, aspect) in enumerate(product(SUBJECTS, ASPECTS), start=301)
}
"""The texts of the queries, by id."""
SYSTEMS = ("bm25", "bm25+rm3", "dense", "hybrid", "cross-encoder")

_CANDIDATES, _RETURNED, _POOLED = 400, 100, 25
"""Documents per query: that exist, that each system returns, and that are judged of each system."""

Rows = dict[str, dict[str, float]]


def made_up() -> tuple[Rows, dict[str, Rows]]:
    """Return the judgments, and the runs by system."""
    chance = Random(1967)  # gives the same numbers in every version of Python
    qrels: Rows = {}
    runs: dict[str, Rows] = {name: {} for name in SYSTEMS}
    for query in QUERIES:
        grades = _grades(chance)
        seen = _seen(grades, chance)
        pooled = set()
        for name, scores in zip(SYSTEMS, seen, strict=True):
            ranked = sorted(enumerate(scores), key=lambda found: -found[1])
            runs[name][query] = {f"{query}-{d:03}": score for d, score in ranked[:_RETURNED]}
            pooled |= {d for d, _ in ranked[:_POOLED]}
        qrels[query] = {f"{query}-{d:03}": float(grades[d]) for d in sorted(pooled)}
    return qrels, runs


def _grades(chance: Random) -> list[int]:
    """Draw the grades of a query's documents: a few are relevant, and fewer highly relevant."""
    relevant = chance.randint(4, 24)
    return [chance.choice((1, 1, 1, 2, 2, 3)) for _ in range(relevant)] + [0] * (
        _CANDIDATES - relevant
    )


def _seen(grades: list[int], chance: Random) -> list[list[float]]:
    """Draw the scores of the documents by each system, in the order of `SYSTEMS`."""
    words, meaning = chance.uniform(0.3, 1.4), chance.uniform(0.4, 1.5)
    looks = [chance.gauss(0, 0.8) for _ in grades]  # noise that all systems share
    by_words = [words * g + x + chance.gauss(0, 0.7) for g, x in zip(grades, looks, strict=True)]
    widened = [w + 0.1 * g + chance.gauss(0, 0.5) for g, w in zip(grades, by_words, strict=True)]
    by_meaning = [
        meaning * g + x + chance.gauss(0, 0.7) for g, x in zip(grades, looks, strict=True)
    ]
    both = [(w + m) / 2 for w, m in zip(by_words, by_meaning, strict=True)]
    # The last system ranks only the results of bm25.
    least = sorted(by_words)[-_RETURNED]
    closely = [
        b + 0.2 * g + chance.gauss(0, 0.3) - (9 if w < least else 0)
        for g, b, w in zip(grades, both, by_words, strict=True)
    ]
    return [by_words, widened, by_meaning, both, closely]


def write_trec_files(folder: Path) -> None:
    """Write some of it as `examples/trec` has it: topics, qrels, and four runs of twenty results.

    The pool has the first ten results of three systems. The fourth, `hybrid`, came later.
    """
    qrels, runs = made_up()
    pooled, late = ("bm25", "bm25+rm3", "dense"), "hybrid"
    tops = {
        name: {
            query: sorted(found.items(), key=lambda pair: -pair[1])[:20]
            for query, found in runs[name].items()
        }
        for name in (*pooled, late)
    }
    for name, top in tops.items():
        lines = [
            f"{query} Q0 {doc} {rank} {score:.3f} {name}"
            for query, found in top.items()
            for rank, (doc, score) in enumerate(found, start=1)
        ]
        _write(folder / f"{name}.run", lines)
    pool = {query: {d for name in pooled for d, _ in tops[name][query][:10]} for query in qrels}
    judged = [
        f"{query} 0 {doc} {grade:g}"
        for query, grades in qrels.items()
        for doc, grade in grades.items()
        if doc in pool[query]
    ]
    _write(folder / "qrels.txt", judged)
    _write(folder / "topics.tsv", [f"{query}\t{text}" for query, text in QUERIES.items()])


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
