"""The trec_eval-9 profile against pytrec_eval, which is trec_eval 9 as a library.

Query by query, and to 1e-12: both add the same doubles in the same order, and differ at most where
a division is done once rather than twice. Where trec_eval prints 0 for a query that has no relevant
document, Cleverdon says undefined, and counts it as 0.

What pytrec_eval cannot do and is not asked to:

- grades that are not whole numbers are refused;
- a query whose grades are all below 0 makes trec_eval read memory that it never wrote, up to a
  crash, so that such queries get one more judgment, of grade 0, of a document never returned;
- `num_rel` counts with the relevance level, but only per query: trec_eval's summary does not;
- interpolated precision of an empty ranking is NaN there, a 0 divided by 0, and is taken as 0 here.
"""

from __future__ import annotations

import math

import numpy as np
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import Measure, evaluate, parse
from tests.differential.collections import INTEGER_GRADES, SCORES, Collection, Nested, collections

# Many queries an example: drawing one large collection is far cheaper than drawing many small ones.
MANY = tuple(f"query {number}" for number in range(60))
FEWER = settings(max_examples=settings.default.max_examples // 2)

NAMES = (
    *("map", "map_cut_1", "map_cut_5", "Rprec", "bpref", "recip_rank"),
    *("P_1", "P_3", "P_20", "recall_1", "recall_3", "recall_20", "relative_P_3"),
    *("success_1", "success_5", "ndcg", "ndcg_cut_1", "ndcg_cut_3", "ndcg_cut_20"),
    *("set_P", "set_recall", "set_F", "num_ret", "num_rel", "num_rel_ret"),
    *("11pt_avg", "iprec_at_recall_0.00", "iprec_at_recall_0.10", "iprec_at_recall_0.52"),
    *("iprec_at_recall_0.80", "iprec_at_recall_1.00", "Rprec_mult_0.20", "Rprec_mult_1.40"),
    *("binG", "infAP", "G", "ndcg_rel", "Rndcg"),
)
GRADED = tuple(name for name in NAMES if name.startswith(("ndcg", "G")))
BINARY = tuple(name for name in NAMES if name not in (*GRADED, "num_ret"))

batches = collections(grades=INTEGER_GRADES, scores=SCORES, queries=MANY, fewest=50)


def with_a_grade_of_0(qrels: Nested) -> dict[str, dict[str, int]]:
    """The same judgments with one of grade 0 where a query has only grades below."""
    judged = {query: {doc: int(g) for doc, g in grades.items()} for query, grades in qrels.items()}
    for grades in judged.values():
        if max(grades.values()) < 0:
            grades["never returned"] = 0
    return judged


def _as_trec_eval_9(measure: Measure) -> dict[str, str]:
    """How trec_eval 9 rounds a share of R; version 10 does otherwise."""
    return {"rounding": "trec_eval-9"} if "rounding" in measure.defaults else {}


def disagreements(
    collection: Collection, names: tuple[str, ...], *, rel: int = 1, judged_only: bool = False
) -> list[str]:
    """Where Cleverdon and pytrec_eval differ, a sentence each."""
    qrels = with_a_grade_of_0(collection.qrels)
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels, set(names), relevance_level=rel, judged_docs_only_flag=judged_only
    ).evaluate(collection.run)
    changes = {"judged_only": judged_only} | ({} if rel == 1 else {"rel": rel})
    plain = [parse(name) for name in names]
    measures = [
        type(measure)(**measure.parameters | changes | _as_trec_eval_9(measure))
        for measure in plain
    ]
    scores = evaluate(qrels, collection.run, measures, profile="trec_eval-9")
    evaluated = {query for q, query in enumerate(scores.queries) if scores.evaluated[0, q]}
    assert evaluated == oracle.keys()  # both leave out the queries that the run lacks
    found = []
    for name, measure, values in zip(names, measures, scores.values[0], strict=True):
        for query, ours in zip(scores.queries, np.nan_to_num(values).tolist(), strict=True):
            theirs = oracle[query][name] if query in oracle else ours
            if math.isnan(theirs) and "rounding" in measure.defaults:
                theirs = 0.0
            if not math.isclose(ours, theirs, abs_tol=1e-12):
                rows = (qrels[query], collection.run[query])
                found.append(f"{measure} is {ours}, pytrec_eval's {name} {theirs}: {rows}")
    return found


@given(batches)
def test_every_measure(collection: Collection) -> None:
    assert not disagreements(collection, NAMES)


@FEWER
@given(batches, st.sampled_from((2, 3)))
def test_relevance_level(collection: Collection, rel: int) -> None:
    assert not disagreements(collection, BINARY, rel=rel)


@FEWER
@given(batches)
def test_judged_documents_only(collection: Collection) -> None:
    assert not disagreements(collection, NAMES, judged_only=True)


# Scores that differ as doubles and, most of them, not as float32.
CLOSE_SCORES = (*(1 + step * 2.0**-25 for step in range(8)), 1e-46, 0.0, 1e39, float("inf"))


@FEWER
@given(collections(grades=INTEGER_GRADES, scores=CLOSE_SCORES, queries=MANY, fewest=50))
def test_scores_are_compared_as_float32(collection: Collection) -> None:
    assert not disagreements(collection, NAMES)


def test_a_query_without_results_counts_in_trec_eval_10_only() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    run = {"q1": {"d1": 0.5}}
    assert evaluate(qrels, run, "AP", profile="trec_eval-9").mean("run", "AP") == 1
    assert evaluate(qrels, run, "AP", profile="trec_eval-10").mean("run", "AP") == 0.5
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert oracle.keys() == {"q1"}
