"""Compare the trec_eval-9 profile with pytrec_eval, which is trec_eval 9 as a library.

Each query is compared, to 1e-12: both add the same doubles in the same order, and may differ where
one divides once and the other twice. For a query without a relevant document trec_eval prints 0;
Cleverdon says undefined, and counts it as 0.
"""

from __future__ import annotations

import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import evaluate
from tests.differential.as_pytrec_eval import batches, disagreements
from tests.differential.collections import INTEGER_GRADES, MANY, Collection, collections

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


# Scores that differ as doubles; most are equal as float32.
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
