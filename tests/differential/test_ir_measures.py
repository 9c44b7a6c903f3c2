"""Compare Cleverdon with ir_measures, with measures parsed from the same text.

ir_measures passes each measure to one of its providers. They order equal scores differently (Judged
and RR@k take the smaller id first, the others the larger), so tests are grouped by provider. It
gives a value for every judged query, 0 where Cleverdon says undefined. RBP, which only its cwl_eval
provider has, is compared with the reference instead.
"""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings

from cleverdon import evaluate, parse
from tests.differential.collections import SCORES, Collection, collections

# Its pytrec_eval provider, like trec_eval 9, fails for queries that have only grades below 0.
GRADES = (1, 0, 2, 1, 0, 3, 4)
MANY = tuple(str(number) for number in range(1, 41))  # gdeval needs numeric topics
FEWER = settings(max_examples=settings.default.max_examples // 3)

batches = collections(grades=GRADES, scores=SCORES, queries=MANY, fewest=30)

BY_PYTREC_EVAL = (
    *("nDCG", "nDCG@1", "nDCG@10", "nDCG(judged_only=True)@3", "nDCG(gains={1:3,2:1})@5"),
    *("AP", "AP@3", "AP(rel=2)", "AP(rel=2)@3", "AP(judged_only=True)", "RR", "RR(rel=3)"),
    *("P@1", "P@5", "P(rel=2)@5", "P(judged_only=True,rel=2)@2", "R@5", "R@1000"),
    *("Rprec", "Rprec(rel=2)", "Bpref", "Bpref(rel=2)", "Success@1", "Success(rel=2)@5"),
    *("SetP", "SetP(rel=2)", "SetR", "SetR(rel=2)", "SetF", "SetF(rel=2)"),
    *("NumRet", "NumRet(rel=1)"),
)
OTHERWISE = {"SetF(beta=4.0)": "SetF(beta=2)", "SetF(beta=0.25,rel=2)": "SetF(beta=0.5,rel=2)"}
"""Equivalent names in ir_measures: its beta is the square of the textbooks' beta."""
BY_GDEVAL = ("ERR@20", "ERR@3", "nDCG(dcg='exp-log2')@20", "nDCG(dcg='exp-log2')@3")
WITH_IDS_ASCENDING = ("Judged@1", "Judged@3", "Judged@10", "RR@1", "RR@5", "RR(rel=2)@3")


def provided(*texts: str) -> bool:
    """Tell whether this installation of ir_measures can compute these measures."""
    wanted = [ir_measures.parse_measure(text) for text in texts]
    return all(ir_measures.DefaultPipeline.supports(measure) for measure in wanted)


def disagreements(
    collection: Collection,
    texts: tuple[str, ...],
    *,
    ties: str = "descending",
    within: float = 1e-12,
) -> list[str]:
    """Describe each difference between Cleverdon and ir_measures in a sentence."""
    measures = [parse(OTHERWISE.get(text, text)) for text in texts]
    scores = evaluate(collection.qrels, collection.run, measures, ties=ties)
    found = []
    for text, values in zip(texts, np.nan_to_num(scores.values[0]).tolist(), strict=True):
        ours = dict(zip(scores.queries, values, strict=True))
        # One at a time: with several, it may compute NumRet and nDCG with the relevance level, the
        # gains or the condensed lists of another, depending on their hashes.
        wanted = [ir_measures.parse_measure(text)]
        for metric in ir_measures.iter_calc(wanted, collection.qrels, collection.run):
            value = ours.pop(metric.query_id)
            if not math.isclose(value, metric.value, abs_tol=within):
                query = metric.query_id
                rows = (collection.qrels[query], collection.run.get(query))
                found.append(f"{text} is {value}, ir_measures says {metric.value}: {rows}")
        found += [f"ir_measures gives no {text} for {query!r}" for query in ours]
    return found


@pytest.mark.parametrize("text", [*BY_PYTREC_EVAL, *BY_GDEVAL, *WITH_IDS_ASCENDING])
def test_its_objects_name_the_same_measure_as_the_text(text: str) -> None:
    scores = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, [ir_measures.parse_measure(text)])
    assert scores.measures == (parse(text),)


@FEWER  # test_pytrec_eval.py has more
@given(batches)
def test_the_measures_that_pytrec_eval_provides(collection: Collection) -> None:
    assert not disagreements(collection, (*BY_PYTREC_EVAL, *OTHERWISE))


@FEWER
@given(batches)
def test_the_relevant_documents_of_queries_that_the_run_has(collection: Collection) -> None:
    # It gives 0 for a query that is not in the run, even if documents were judged relevant.
    qrels = {query: grades for query, grades in collection.qrels.items() if query in collection.run}
    assert not disagreements(Collection(qrels, collection.run), ("NumRel",))


@FEWER
@given(batches)
def test_the_providers_that_order_ids_ascending(collection: Collection) -> None:
    # Judged divides by the number of results, and fails for a query without results.
    some = {query: results for query, results in collection.run.items() if results}
    collection = Collection(collection.qrels, some)
    assert not disagreements(collection, WITH_IDS_ASCENDING, ties="ascending")


@pytest.mark.skipif(not provided(*BY_GDEVAL), reason="gdeval needs perl, which is not installed")
@FEWER  # a process is started for each cut-off
@given(batches)
def test_the_measures_that_gdeval_provides(collection: Collection) -> None:
    # The largest grade is always 4 in gdeval; Cleverdon takes it from the judgments.
    qrels = {**collection.qrels, "41": {"graded 4": 4}}
    # It prints five digits.
    assert not disagreements(Collection(qrels, collection.run), BY_GDEVAL, within=5.1e-6)
