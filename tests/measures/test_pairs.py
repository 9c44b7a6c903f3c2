"""Pairs of results, against scikit-learn, ir_measures and plain loops."""

from __future__ import annotations

import ir_measures
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import label_ranking_average_precision_score, roc_auc_score

from cleverdon import Hits, evaluate, parse
from cleverdon.measures import parse_all
from tests.differential.collections import Collection
from tests.measures.plain import (
    FEWER,
    Numbers,
    batches,
    disagreements,
    integer_batches,
    number_relevant,
    same,
)
from tests.reference import ranked


def area(rel: float, grades: Numbers, results: Numbers) -> float | None:
    """By scikit-learn, over the judged documents, those not returned below all others."""
    judged = [doc for doc, grade in grades.items() if grade >= 0]
    relevant = [grades[doc] >= rel for doc in judged]
    if len(set(relevant)) < 2:
        return None
    lowest = min(results.values(), default=0.0) - 1
    return float(roc_auc_score(relevant, [results.get(doc, lowest) for doc in judged]))


def lrap(rel: float, grades: Numbers, results: Numbers) -> float | None:
    wanted = number_relevant(grades, rel)
    if not wanted:
        return None
    total = 0.0
    for doc, score in results.items():
        if grades.get(doc, -1) >= rel:
            as_good = [other for other in results if results[other] >= score]
            total += sum(grades.get(other, -1) >= rel for other in as_good) / len(as_good)
    return total / wanted


@settings(max_examples=FEWER.max_examples // 2)  # the oracle takes a millisecond a query
@given(batches, st.sampled_from((1, 2)))
def test_area_under_the_roc_curve(collection: Collection, rel: int) -> None:
    assert not disagreements(
        collection, {f"AUC(rel={rel})": lambda grades, results: area(rel, grades, results)}
    )


@FEWER
@given(batches, st.sampled_from((1, 2)))
def test_label_ranking(collection: Collection, rel: int) -> None:
    assert not disagreements(
        collection, {f"LRAP(rel={rel})": lambda grades, results: lrap(rel, grades, results)}
    )


@FEWER
@given(st.integers(1, 10), st.integers(1, 12), st.integers(0, 2**16))
def test_label_ranking_as_scikit_learn(queries: int, documents: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    relevance = generator.integers(0, 2, (queries, documents))
    scores = generator.integers(0, 4, (queries, documents)).astype(float)
    ours = parse("LRAP")(Hits.from_matrix(relevance, scores))
    for row, value in enumerate(ours):
        # Where nothing is relevant, scikit-learn says 1.
        wanted = label_ranking_average_precision_score(relevance[[row]], scores[[row]])
        assert same(value, wanted if relevance[row].any() else None)


@FEWER
@given(integer_batches, st.sampled_from((None, 1, 3, 6)), st.sampled_from((1, 2)))
def test_accuracy_as_ir_measures(collection: Collection, k: int | None, rel: int) -> None:
    # Its order of tied results is another one; and it fails where all results are relevant.
    run = {
        query: {doc: -float(rank) for rank, doc in enumerate(ranked(results))}
        for query, results in collection.run.items()
    }
    theirs = ir_measures.Accuracy(rel=rel) if k is None else ir_measures.Accuracy(rel=rel) @ k
    (ours,) = parse_all([theirs])
    assert str(ours).startswith("RankAccuracy")
    found = evaluate(collection.qrels, {"run": run}, ours).per_query("run", ours)
    wanted: dict[str, float | None] = {}
    for query, grades in collection.qrels.items():
        shown = [grades.get(doc, -1) >= rel for doc in ranked(run.get(query, {}))[:k]]
        wanted[query] = None
        if any(shown) and not all(shown):
            judged = {doc: int(grade) for doc, grade in grades.items()}
            (metric,) = ir_measures.iter_calc([theirs], {query: judged}, {query: run[query]})
            wanted[query] = metric.value
    assert found.keys() == wanted.keys()
    for query, value in found.items():
        assert same(value, wanted[query]), query
