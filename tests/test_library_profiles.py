"""The profiles of libraries: against numbers of their own tests, formulas, and the live packages.

The formulas are written from the libraries' documentation and sources, and not from Cleverdon's
code. Numbers that are written out come from the test suites and docstrings that are named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log2
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Scores, evaluate, explain
from cleverdon.auditing.rankings import RANKINGS, QueryResults, Ranking
from cleverdon.auditing.tools import TOOLS, silenced
from cleverdon.errors import InputError, OptionError
from tests.auditing.stand_ins import stand_in

Lists = Sequence[tuple[Sequence[object], Sequence[object]]]


def from_lists(rows: Lists) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run of results and relevant documents; every query has a judgment."""
    names = [f"q{number:03}" for number in range(len(rows))]
    qrels = {
        name: {"not-relevant": 0, **{str(doc): 1 for doc in relevant}}
        for name, (_, relevant) in zip(names, rows, strict=True)
    }
    run = {name: [str(doc) for doc in found] for name, (found, _) in zip(names, rows, strict=True)}
    return qrels, run


def values(scores: Scores, measure: str) -> list[float]:
    """The values of the evaluated queries, undefined ones as 0."""
    found = scores.values[scores.index_of(scores.systems[0], measure)]
    return np.nan_to_num(found[scores.evaluated[0]]).tolist()


# Settings that the profiles need

TWICE = {"q": ["a", "x", "a", "b"]}
JUDGED = {"q": {"a": 1, "b": 1, "m": 1}}


def test_duplicates_may_count_each_time_or_once() -> None:
    for how, precision, recall in (("keep", 3 / 4, 3 / 3), ("once", 2 / 4, 2 / 3)):
        scores = evaluate(JUDGED, TWICE, ["P@4", "R@4"], duplicates=how)
        assert scores.mean("run", "P@4") == precision
        assert scores.mean("run", "R@4") == recall
    # `once` leaves the rank of the second one empty; `first` does not.
    assert evaluate(JUDGED, TWICE, "R@3", duplicates="once").mean("run", "R@3") == 1 / 3
    assert evaluate(JUDGED, TWICE, "R@3", duplicates="first").mean("run", "R@3") == 2 / 3
    with pytest.raises(InputError, match="'a' occurs twice"):
        evaluate(JUDGED, TWICE, "P@4")


def test_of_a_document_that_counts_once_the_best_score_counts() -> None:
    rows = [("q", "a", 1.0), ("q", "x", 2.0), ("q", "a", 3.0)]
    assert evaluate(JUDGED, rows, "RR", duplicates="once").mean("run", "RR") == 1
    assert evaluate(JUDGED, rows, "AP", duplicates="once").mean("run", "AP") == 1 / 3
    assert evaluate(JUDGED, rows, "AP", duplicates="keep").mean("run", "AP") == (1 + 2 / 3) / 3


def test_a_trace_names_both_copies() -> None:
    for how, counted in (("keep", [1, 2]), ("once", [1])):
        found = explain({"q": {"a": 1}}, {"q": ["a", "a", "z"]}, "P@3", duplicates=how)
        assert found.value == pytest.approx(len(counted) / 3)
        assert [step.doc for step in found.steps] == ["a", "a", "z"]


def test_bounds_hold_where_a_profile_gives_undefined_values() -> None:
    qrels, run = {"q": {"a": 1}, "r": {"x": 0}}, {"q": {"x": 2.0, "a": 1.0}, "r": {"x": 1.0}}
    scores = evaluate(qrels, run, ["AP@3", "nDCG@3"], profile="lightgbm", bounds=True)
    for measure in scores.measures:
        lowest, highest = scores.mean_bounds("run", measure)
        assert lowest <= scores.mean("run", measure) <= highest
        assert scores.mean("run", measure) > 0.5


def test_a_document_judged_twice_is_an_error_however_often_results_count() -> None:
    twice = [("q", "a", 1), ("q", "a", 2)]
    for how in ("keep", "once"):
        with pytest.raises(InputError, match="'a' occurs twice"):
            evaluate(twice, {"q": ["a"]}, "AP", duplicates=how)


def test_what_is_not_returned_may_be_forgotten() -> None:
    qrels = {"q": {"a": 1, "b": 3, "m": 3}, "r": {"m": 1}}
    run = {"q": ["x", "b", "a"], "r": ["x"]}
    measures = ["R@2", "AP", "nDCG@3", "NumRel"]
    kept = evaluate(qrels, run, measures)
    assert kept.per_query("run", "R@2")["q"] == 1 / 3
    dropped = evaluate(qrels, run, measures, unreturned="drop")
    assert dropped.per_query("run", "R@2")["q"] == 1 / 2
    assert dropped.per_query("run", "AP")["q"] == (1 / 2 + 2 / 3) / 2
    wanted = (3 / log2(3) + 1 / 2) / (3 + 1 / log2(3))
    assert dropped.per_query("run", "nDCG@3")["q"] == pytest.approx(wanted)
    assert dropped.per_query("run", "NumRel") == {"q": 2, "r": 0}
    assert np.isnan(dropped.per_query("run", "AP")["r"])
    # The judgments that several runs share stay as they are.
    both = evaluate(qrels, {"one": run, "two": {"q": ["m"], "r": ["m"]}}, "R@1", unreturned="drop")
    assert both.per_query("two", "R@1") == {"q": 1, "r": 1}
    with pytest.raises(OptionError, match="unreturned='forget' is not known"):
        evaluate(qrels, run, "AP", unreturned="forget")


def test_subtopics_of_what_is_not_returned_are_forgotten() -> None:
    judged = [("q", "1", "a", 1), ("q", "2", "b", 1), ("q", "1", "b", 1)]
    run = {"q": ["x", "a"]}
    how = {"qrels_format": "subtopics"}
    kept = evaluate(judged, run, "alphanDCG@2", **how).mean("run", "alphanDCG@2")
    dropped = evaluate(judged, run, "alphanDCG@2", unreturned="drop", **how)
    assert dropped.mean("run", "alphanDCG@2") == pytest.approx(1 / log2(3))
    assert kept < dropped.mean("run", "alphanDCG@2")


# Numbers of the libraries' own tests and documentation

SPARK: Lists = (
    ([1, 6, 2, 7, 8, 3, 9, 10, 4, 5], [1, 2, 3, 4, 5]),
    ([4, 1, 5, 6, 2, 7, 3, 8, 9, 10], [1, 2, 3]),
    ([1, 2, 3, 4, 5], []),
)
# RankingMetricsSuite.scala of Apache Spark at 09ebec3, "Ranking metrics: MAP, NDCG, Recall".
SPARK_VALUES = {
    "P@1": 1 / 3,
    "P@2": 1 / 3,
    "P@3": 1 / 3,
    "P@4": 0.75 / 3,
    "P@5": 0.8 / 3,
    "P@10": 0.8 / 3,
    "P@15": 8 / 45,
    "AP": 0.355026,
    "AP@1": 0.333334,
    "AP@2": 0.25,
    "AP@3": 0.24074,
    "nDCG@3": 1 / 3,
    "nDCG@5": 0.328788,
    "nDCG@10": 0.487913,
    "nDCG@15": 0.487913,
    "R@1": 1 / 15,
    "R@2": 8 / 45,
    "R@3": 11 / 45,
    "R@4": 11 / 45,
    "R@5": 16 / 45,
    "R@10": 2 / 3,
    "R@15": 2 / 3,
}


def test_sparks_own_numbers() -> None:
    scores = evaluate(*from_lists(SPARK), list(SPARK_VALUES), profile="pyspark")
    for measure, value in SPARK_VALUES.items():
        assert scores.mean("run", measure) == pytest.approx(value, abs=1e-5), measure
    # "MAP, NDCG, Recall with few predictions (SPARK-14886)"
    few: Lists = (([1, 6, 2], [1, 2, 3, 4, 5]), ([], [1, 2, 3]))
    names = {"P@1": 0.5, "P@2": 0.25, "nDCG@1": 0.5, "nDCG@2": 0.30657, "R@1": 0.1, "R@2": 0.1}
    scores = evaluate(*from_lists(few), list(names), profile="pyspark")
    for measure, value in names.items():
        assert scores.mean("run", measure) == pytest.approx(value, abs=1e-5), measure


def test_the_errors_of_pyspark() -> None:
    # Printed by pyspark 4.0.5 for RankingMetrics of ([a, b, x], [a, b, c], [1.0, 3.0, 2.0]), the
    # same as without grades, and of ([a, a, a], [a, b]).
    graded = {"q": {"a": 1, "b": 3, "c": 2}}
    scores = evaluate(graded, {"q": ["a", "b", "x"]}, "ndcgAt@3", profile="pyspark")
    assert scores.means[0, 0] == pytest.approx(0.7653606369886217)
    twice = evaluate(
        {"q": {"a": 1, "b": 1}},
        {"q": ["a", "a", "a"]},
        ["recallAt@3", "meanAveragePrecision", "ndcgAt@3", "precisionAt@3", "AP@2"],
        profile="pyspark",
    )
    assert twice.means[0].tolist() == pytest.approx([1.5, 1.5, 1.3065735963827292, 1, 1])


# The docstrings of torchmetrics.retrieval at dab0333.
TORCH_SCORES = ((0.2, 0.3, 0.5), (0.1, 0.3, 0.5, 0.2))
TORCH_TARGETS = ((0, 0, 1), (0, 1, 0, 1))
TORCH_VALUES = {
    "RetrievalMAP": 0.7917,
    "RetrievalMRR": 0.7500,
    "RetrievalNormalizedDCG": 0.8467,
    "RetrievalPrecision@2": 0.5,
    "RetrievalRecall@2": 0.75,
    "RetrievalRPrecision": 0.75,
}


def _labelled(
    scores: Sequence[Sequence[float]], labels: Sequence[Sequence[float]]
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    qrels = {f"q{q}": {f"d{d}": g for d, g in enumerate(row)} for q, row in enumerate(labels)}
    run = {f"q{q}": {f"d{d}": s for d, s in enumerate(row)} for q, row in enumerate(scores)}
    return qrels, run


def test_torchmetrics_own_numbers() -> None:
    qrels, run = _labelled(TORCH_SCORES, TORCH_TARGETS)
    for measure, value in TORCH_VALUES.items():
        found = evaluate(qrels, run, measure, profile="torchmetrics")
        assert found.means[0, 0] == pytest.approx(value, abs=5e-5), measure
    qrels, run = _labelled(TORCH_SCORES, ((1, 0, 0), (0, 1, 0, 1)))
    found = evaluate(qrels, run, "RetrievalHitRate@2", profile="torchmetrics")
    assert found.means[0, 0] == 0.5
    # retrieval_normalized_dcg
    qrels, run = _labelled([[0.1, 0.2, 0.3, 4, 70]], [[10, 0, 0, 1, 5]])
    found = evaluate(qrels, run, "nDCG", profile="torchmetrics")
    assert found.means[0, 0] == pytest.approx(0.6957, abs=5e-5)


def test_mlflows_own_numbers() -> None:
    # tests/metrics/test_metric_definitions.py of MLflow at ac9005c.
    rows: Lists = (("ab", "ab"), ("cd", "cb"), ("e", "e"), ("fg", "c"))
    scores = evaluate(*from_lists(rows), "P@4", profile="mlflow")
    assert values(scores, "P@4") == [1, 0.5, 1, 0]
    rows = (("ab", "abcd"), ("cde", "cbad"), ("", ""), ("fg", ""), ("aaa", "ac"))
    scores = evaluate(*from_lists(rows), "R@4", profile="mlflow")
    assert values(scores, "R@4") == [0.5, 0.5, 1, 0, 0.5]
    rows = (("", ""), ("12", ""), ("", "1"), ("1", "1"), ("2", "1"))
    scores = evaluate(*from_lists(rows), "nDCG@3", profile="mlflow")
    assert values(scores, "nDCG@3") == [1, 0, 0, 1, 0]
    for k, value in enumerate([0, 0, 0.2346394, 0.2346394], start=1):
        scores = evaluate(*from_lists((("451", "123"),)), f"nDCG@{k}", profile="mlflow")
        assert scores.means[0, 0] == pytest.approx(value)
    # The ideal of a short list is as short.
    scores = evaluate(*from_lists((("a", "abc"),)), "nDCG@3", profile="mlflow")
    assert scores.means[0, 0] == 1


def test_sentence_transformers_own_numbers() -> None:
    # tests/evaluation/test_information_retrieval_evaluator.py at 85ec645: cosines of the keywords
    # pokemon, car, vehicle, fruit and vegetable that queries and documents contain.
    words = [{"pokemon"}, {"vegetable"}, {"fruit"}, {"vehicle"}, {"car", "vehicle"}]
    asked = [{"pokemon"}, {"vegetable"}, {"fruit"}, {"vehicle"}, {"car"}]
    run = {
        str(q): {
            str(d): len(one & two) / (len(one) * len(two)) ** 0.5 for d, two in enumerate(words)
        }
        for q, one in enumerate(asked)
    }
    relevant = {"0": "0", "1": "1", "2": "2", "3": "34", "4": "4"}
    qrels = {query: dict.fromkeys(docs, 1) for query, docs in relevant.items()}
    expected = {
        "Accuracy@1": 1,
        "Accuracy@3": 1,
        "Precision@1": 1,
        "Precision@3": 0.4,
        "Recall@1": 0.9,
        "Recall@3": 1,
        "NDCG@3": 1,
        "MRR@3": 1,
        "MAP@5": 1,
    }
    scores = evaluate(qrels, run, list(expected), profile="sentence-transformers")
    assert scores.means[0].tolist() == pytest.approx(list(expected.values()))
    # Queries without relevant documents are left out.
    scores = evaluate({**qrels, "5": {"0": 0}}, run, "MRR@3", profile="sentence-transformers")
    assert scores.means[0, 0] == 1


def test_ragas_own_numbers() -> None:
    # docs/concepts/metrics/available_metrics/context_precision.md of Ragas at 3e28e9d.
    for retrieved, value in (("eb", 0.9999999999), ("be", 0.49999999995)):
        scores = evaluate(*from_lists(((retrieved, "e"),)), "context_precision", profile="ragas")
        assert scores.means[0, 0] == pytest.approx(value, abs=1e-9)
    ids: Lists = ((["doc_1", "doc_2", "doc_3", "doc_4"], ["doc_1", "doc_4", "doc_5", "doc_6"]),)
    measures = ["id_based_context_precision", "id_based_context_recall"]
    scores = evaluate(*from_lists(ids), measures, profile="ragas")
    assert scores.means[0].tolist() == [0.5, 0.5]
    # What cannot be computed is left out of the mean; context precision is 0 then.
    rows: Lists = (("a", "a"), ("", "a"), ("x", ""))
    scores = evaluate(*from_lists(rows), ["AP", "SetP", "SetR"], profile="ragas")
    assert scores.means[0].tolist() == [pytest.approx(1 / 3), 0.5, 0.5]


def test_polars_ds_and_lightgbm_own_numbers() -> None:
    # The examples in the docstring of query_ndcg_score at 1ee717d, which are in perfect order.
    qrels, run = _labelled([[0.9, 0.8, 0.7], [0.6, 0.5]], [[3, 2, 1], [2, 1]])
    assert evaluate(qrels, run, "nDCG@2", profile="polars-ds").means[0, 0] == 1
    # Printed by LightGBM 4.7.0 for labels 0 1 2 with scores 3 2 1, and labels 0 0.
    qrels, run = _labelled([[3, 2, 1], [1, 2]], [[0, 1, 2], [0, 0]])
    measures = ["nDCG@1", "nDCG@3", "AP@1", "AP@3"]
    scores = evaluate(qrels, run, measures, profile="lightgbm")
    printed = [0.5, 0.79344133571786, 0.5, 0.7916666666666666]
    assert scores.means[0].tolist() == pytest.approx(printed)
    with pytest.raises(InputError, match="lightgbm takes grades up to 30"):
        evaluate({"q": {"a": 31}}, {"q": ["a"]}, "nDCG@3", profile="lightgbm")


# Formulas from the documentation, on random rankings

labels = st.lists(st.integers(0, 3), min_size=1, max_size=8)
ranked = st.lists(
    st.tuples(st.lists(st.sampled_from("abcdefx"), max_size=6), st.sets(st.sampled_from("abcdef"))),
    min_size=1,
    max_size=5,
)


def _dcg(gains: Iterable[float], k: int) -> float:
    return sum(gain / log2(at + 2) for at, gain in enumerate(list(gains)[:k]))


def _precisions(hits: Sequence[bool]) -> float:
    return sum(sum(hits[: at + 1]) / (at + 1) for at, hit in enumerate(hits) if hit)


def _pyspark(found: list[str], relevant: set[str]) -> dict[str, float]:
    hits = [doc in relevant for doc in found]
    if not relevant:
        return dict.fromkeys(("P@3", "R@3", "AP", "AP@3", "nDCG@3"), 0.0)
    return {
        "P@3": sum(hits[:3]) / 3,
        "R@3": sum(hits[:3]) / len(relevant),
        "AP": _precisions(hits) / len(relevant),
        "AP@3": _precisions(hits[:3]) / min(len(relevant), 3),
        "nDCG@3": _dcg(hits, 3) / _dcg([1] * len(relevant), 3),
    }


def _mlflow(found: list[str], relevant: set[str]) -> dict[str, float]:
    hits = [doc in relevant for doc in found[:3]]
    nothing = float(not found)
    record = {
        "P@3": sum(hits) / len(hits) if hits else 0.0,
        "R@3": len(set(found[:3]) & relevant) / len(relevant) if relevant else nothing,
    }
    if len(set(found[:3])) == len(hits):  # of duplicates, its ideal has one for each
        best = _dcg([1] * len(relevant), len(hits))
        record["nDCG@3"] = (_dcg(hits, 3) / best if best else 0.0) if relevant else nothing
    return record


def _ragas(found: list[str], relevant: set[str]) -> dict[str, float | None]:
    hits = [doc in relevant for doc in found]
    distinct = set(found)
    return {
        "AP": _precisions(hits) / (sum(hits) + 1e-10),
        "SetP": len(distinct & relevant) / len(distinct) if distinct else None,
        "SetR": len(distinct & relevant) / len(relevant) if relevant else None,
    }


def _sentence_transformers(found: list[str], relevant: set[str]) -> dict[str, float | None]:
    hits = [doc in relevant for doc in found]
    if not relevant:
        return dict.fromkeys(("Success@3", "P@3", "R@3", "RR@3", "nDCG@3", "AP@3"))
    return {
        "Success@3": float(any(hits[:3])),
        "P@3": sum(hits[:3]) / 3,
        "R@3": sum(hits[:3]) / len(relevant),
        "RR@3": 1 / (hits.index(True) + 1) if any(hits[:3]) else 0.0,
        "nDCG@3": _dcg(hits, 3) / _dcg([1] * len(relevant), 3),
        "AP@3": _precisions(hits[:3]) / min(3, len(relevant)),
    }


@pytest.mark.parametrize(
    ("profile", "formula"),
    [
        ("pyspark", _pyspark),
        ("mlflow", _mlflow),
        ("ragas", _ragas),
        ("sentence-transformers", _sentence_transformers),
    ],
)
@given(ranked)
def test_lists_of_ids(
    profile: str, formula: Callable[..., Mapping[str, float]], rows: list[Any]
) -> None:
    if profile == "sentence-transformers":  # it returns each document of a corpus once
        rows = [(list(dict.fromkeys(found)), relevant) for found, relevant in rows]
    rows = [*rows, (["a", "b"], {"b"})]  # a run without any result is refused
    by_query = [formula(found, relevant) for found, relevant in rows]
    measures = {name for record in by_query for name in record}
    scores = evaluate(*from_lists(rows), sorted(measures), profile=profile)
    for name in measures:
        pairs = [
            (one, record[name])
            for one, record in zip(
                scores.values[scores.index_of("run", name)].tolist(), by_query, strict=True
            )
            if name in record
        ]
        for ours, theirs in pairs:
            if theirs is None:
                assert np.isnan(ours), name
            else:
                assert np.nan_to_num(ours) == pytest.approx(theirs, abs=1e-9), name
        if all(name in record for record in by_query):
            known = [record[name] for record in by_query if record[name] is not None]
            if known:
                wanted = sum(known) / len(known)
                assert scores.mean("run", name) == pytest.approx(wanted, abs=1e-9), name


def _averaged(order: list[tuple[float, int]], k: int) -> float:
    """DCG, each tied result with the mean grade of its group."""
    total = 0.0
    ranked = sorted(order, key=lambda pair: -pair[0])
    for at, (score, _) in enumerate(ranked[:k]):
        tied = [grade for one, grade in ranked if one == score]
        total += sum(tied) / len(tied) / log2(at + 2)
    return total


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4, 0.8]), st.integers(0, 3)), min_size=1))
def test_labels_with_ties(rows: list[tuple[float, int]]) -> None:
    grades = [grade for _, grade in rows]
    qrels, run = _labelled([[score for score, _ in rows]], [grades])
    qrels["q0"]["unreturned"] = 3
    best = _dcg(sorted(grades, reverse=True), 3)
    wanted = _averaged(rows, 3) / best if best else 0.0
    for profile in ("polars-ds", "torchmetrics"):
        found = evaluate(qrels, run, ["nDCG@3", "DCG@3"], profile=profile)
        assert found.means[0].tolist() == pytest.approx([wanted, _averaged(rows, 3)])


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4, 0.8]), st.integers(0, 3)), min_size=1))
def test_lightgbm(rows: list[tuple[float, int]]) -> None:
    qrels, run = _labelled([[score for score, _ in rows]], [[grade for _, grade in rows]])
    qrels["q0"]["unreturned"] = 3
    grades = [grade for _, grade in sorted(rows, key=lambda pair: -pair[0])]  # stable
    hits, relevant = [grade > 0 for grade in grades], sum(grade > 0 for grade in grades)
    gains = [2**grade - 1 for grade in grades]
    wanted = [1.0, 1.0]
    if relevant:
        ndcg = _dcg(gains, 3) / _dcg(sorted(gains, reverse=True), 3)
        wanted = [ndcg, _precisions(hits[:3]) / min(relevant, 3)]
    scores = evaluate(qrels, run, ["nDCG@3", "AP@3"], profile="lightgbm")
    assert scores.means[0].tolist() == pytest.approx(wanted)


@given(st.permutations(range(8)), labels)
def test_torchmetrics(places: list[int], grades: list[int]) -> None:
    order = sorted(range(len(grades)), key=lambda row: -places[row])
    hits = [grades[row] > 1 for row in order]
    qrels, run = _labelled(
        [[float(places[row] + 1) for row in range(len(grades))]], [[int(g > 1) for g in grades]]
    )
    qrels["q0"]["unreturned"] = 1
    found = sum(hits)
    wanted = {
        "AP": _precisions(hits) / (found or 1),
        "AP@3": _precisions(hits[:3]) / (sum(hits[:3]) or 1),
        "RR": 1 / (hits.index(True) + 1) if found else 0.0,
        "P@3": sum(hits[:3]) / 3,
        "R@3": sum(hits[:3]) / (found or 1),
        "Success@3": float(any(hits[:3])),
        "Rprec": sum(hits[:found]) / (found or 1),
    }
    scores = evaluate(qrels, run, list(wanted), profile="torchmetrics")
    assert scores.means[0].tolist() == pytest.approx(list(wanted.values()))


# The live packages

LIVE: dict[str, dict[str, str]] = {
    "torchmetrics": {
        "RetrievalMAP()": "AP",
        "RetrievalMRR()": "RR",
        "RetrievalRPrecision()": "Rprec",
        "RetrievalPrecision(top_k=3)": "P@3",
        "RetrievalRecall(top_k=3)": "R@3",
        "RetrievalHitRate(top_k=3)": "Success@3",
        "RetrievalNormalizedDCG(top_k=3)": "nDCG@3",
    },
    "ragas": {
        "NonLLMContextPrecisionWithReference": "AP",
        "IDBasedContextPrecision": "SetP",
        "IDBasedContextRecall": "SetR",
    },
    "pyspark": {
        "precisionAt(3)": "P@3",
        "recallAt(3)": "R@3",
        "meanAveragePrecision": "AP",
        "meanAveragePrecisionAt(3)": "AP@3",
        "ndcgAt(3)": "nDCG@3",
    },
    "mlflow": {"precision_at_k(3)": "P@3", "recall_at_k(3)": "R@3", "ndcg_at_k(3)": "nDCG@3"},
    "sentence-transformers": {
        "accuracy@3": "Success@3",
        "precision@3": "P@3",
        "recall@3": "R@3",
        "mrr@3": "RR@3",
        "ndcg@3": "nDCG@3",
        "map@3": "AP@3",
    },
    "lightgbm": {"ndcg@3": "nDCG@3", "map@3": "AP@3"},
    "polars-ds": {"query_ndcg_score(k=3)": "nDCG@3", "query_dcg_score(k=3)": "DCG@3"},
}
OF_LISTS = ("ragas", "pyspark", "mlflow")
# As docs/choices.md says: what profiles do not reproduce.
NOT_REPRODUCED = {
    ("torchmetrics", "low scores"),
    ("torchmetrics", "negative"),
    ("polars-ds", "negative"),
    ("lightgbm", "negative"),
    ("mlflow", "duplicates"),
    ("sentence-transformers", "ties"),
    ("sentence-transformers", "tied grades"),
}


def _random_ranking(seed: int, *, ids: bool, ties: bool, graded: bool) -> Ranking:
    """Queries at random: with duplicates and empty lists for tools of ids, with ties for others."""
    chance = Random(seed)
    queries = {}
    for number in range(30):
        docs = chance.sample("abcdefgh", chance.randint(2, 6))
        scores = [chance.choice([0.1, 0.2, 0.3, 0.4]) for _ in docs]
        if ids or not ties:
            scores = [1 - at / 10 for at in range(len(docs))]
        grades = {doc: float(chance.choice([0, 0, 1, 2 if graded else 1])) for doc in "abcdefgh"}
        queries[f"q{number:02}"] = QueryResults(tuple(zip(docs, scores, strict=True)), grades)
    return Ranking(f"random {seed}", "", queries)


def _evaluated(ranking: Ranking, tool: str, measures: Sequence[str]) -> Scores:
    queries = ranking.queries
    run: Any
    if tool in OF_LISTS:
        run = {name: list(query.given().docs) for name, query in queries.items()}
    else:
        run = {name: dict(query.results) for name, query in queries.items()}
    qrels = {name: {"nothing": 0, **query.judged} for name, query in queries.items()}
    return evaluate(qrels, run, list(measures), profile=tool)


@pytest.mark.parametrize("tool", LIVE)
def test_the_live_package(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = TOOLS.find(tool)
    if tool in ("torchmetrics", "sentence-transformers") and not kind.installed():
        stand_in(tool, monkeypatch)
    try:
        kind.need()
    except Exception as error:
        pytest.skip(str(error))
    adapter, compared = kind(), 0
    graded = tool not in ("torchmetrics", "ragas", "pyspark")
    with_ties = tool != "sentence-transformers"
    rankings = [
        *(one for one in RANKINGS if one.name not in kind.cannot),
        *(
            _random_ranking(seed, ids=tool in OF_LISTS, ties=with_ties, graded=graded)
            for seed in (1, 2)
        ),
    ]
    for ranking in rankings:
        if (tool, ranking.name) in NOT_REPRODUCED:
            continue
        with silenced():
            theirs = adapter.compute(ranking)
        scores = _evaluated(ranking, tool, list(LIVE[tool].values()))
        for name, measure in LIVE[tool].items():
            value = theirs[name]
            if isinstance(value, Exception):
                continue
            compared += 1
            ours = scores.mean(scores.systems[0], measure)
            assert ours == pytest.approx(value, abs=1e-6), (ranking.name, measure)
    adapter.close()
    if tool == "polars-ds" and compared == 0:
        pytest.skip("this polars-ds does not work with this polars")
    assert compared > 5 * len(LIVE[tool])
