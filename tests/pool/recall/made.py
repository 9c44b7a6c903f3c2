"""Small collections, written down as which documents each system returned."""

from __future__ import annotations

from collections.abc import Mapping

from cleverdon.data import Judgments
from cleverdon.pool.recall.catches import Catches, find, ranked_runs

Grades = dict[str, dict[str, float]]
Runs = dict[str, Grades]


def runs_of(lists: Mapping[str, Mapping[str, str]]) -> Runs:
    """System to topic to a text whose letters are documents, the best first."""
    return {
        name: {
            topic: {doc: float(len(docs) - at) for at, doc in enumerate(docs)}
            for topic, docs in of_topics.items()
        }
        for name, of_topics in lists.items()
    }


def grades_of(relevant: Mapping[str, str], others: Mapping[str, str] | None = None) -> Grades:
    """Topics to texts whose letters are documents: relevant ones, and others that are not."""
    return {
        topic: dict.fromkeys(docs, 1.0) | dict.fromkeys((others or {}).get(topic, ""), 0.0)
        for topic, docs in relevant.items()
    }


def found_of(grades: Grades, runs: Runs, *, depth: int | None = None) -> Catches:
    judgments = Judgments.read(grades)
    return find(judgments, ranked_runs(judgments, runs), depth=depth)
