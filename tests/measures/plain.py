"""Measures held against formulas in plain Python, query by query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from hypothesis import settings

from cleverdon import evaluate, parse
from tests.differential.collections import INTEGER_GRADES, MANY, SCORES, Collection, collections

Numbers = dict[str, float]
"""Document to grade, or to score."""
Formula = Callable[[Numbers, Numbers], float | None]
"""From one query's grades and scores to its value; None is undefined."""

FEWER = settings(max_examples=settings.default.max_examples // 4)

batches = collections(scores=SCORES, queries=MANY, fewest=40)
integer_batches = collections(grades=INTEGER_GRADES, scores=SCORES, queries=MANY, fewest=40)


def disagreements(collection: Collection, formulas: Mapping[str, Formula]) -> list[str]:
    """Where Cleverdon and the formulas, by measure, differ: a sentence each."""
    scores = evaluate(collection.qrels, {"run": collection.run}, [parse(name) for name in formulas])
    found = []
    rows = zip(scores.measures, formulas.values(), scores.values[0].tolist(), strict=True)
    for measure, formula, values in rows:
        for query, ours in zip(scores.queries, values, strict=True):
            grades, results = collection.qrels[query], collection.run.get(query, {})
            theirs = formula(grades, results)
            if not same(ours, theirs):
                found.append(f"{measure} is {ours}, not {theirs}: {grades}, {results}")
    return found


def same(ours: float, theirs: float | None) -> bool:
    """Whether two values agree but for the last digits, undefined ones included."""
    if theirs is None:
        return math.isnan(ours)
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def relevant_ranks(grades: Numbers, ranking: Iterable[str], rel: float) -> list[int]:
    """The ranks of the relevant results."""
    return [i for i, doc in enumerate(ranking, start=1) if grades.get(doc, -1) >= rel]


def number_relevant(grades: Numbers, rel: float) -> int:
    """R."""
    return sum(grade >= rel for grade in grades.values())
