"""Small collections, written down as which documents each system returned."""

from __future__ import annotations

from collections.abc import Mapping

from cleverdon.data import Judgments
from cleverdon.pooling.recall.judged_results import JudgedResults, find_judged_results, ranked_runs

Grades = dict[str, dict[str, float]]
Runs = dict[str, Grades]


def runs_of(lists: Mapping[str, Mapping[str, str]]) -> Runs:
    """System to query to a text whose letters are documents, the best first."""
    return {
        name: {
            query: {doc: float(len(docs) - at) for at, doc in enumerate(docs)}
            for query, docs in of_queries.items()
        }
        for name, of_queries in lists.items()
    }


def grades_of(relevant: Mapping[str, str], others: Mapping[str, str] | None = None) -> Grades:
    """Queries to texts whose letters are documents: relevant ones, and others that are not."""
    return {
        query: dict.fromkeys(docs, 1.0) | dict.fromkeys((others or {}).get(query, ""), 0.0)
        for query, docs in relevant.items()
    }


def found_of(grades: Grades, runs: Runs, *, depth: int | None = None) -> JudgedResults:
    judgments = Judgments.read(grades)
    return find_judged_results(judgments, ranked_runs(judgments, runs), depth=depth)
