"""Cumulative gain and its kin, against their definitions written as plain loops."""

from __future__ import annotations

import math
from itertools import permutations

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import evaluate, parse
from cleverdon.errors import NotationError
from cleverdon.measures.base import Measure
from cleverdon.measures.graded import ERR
from cleverdon.measures.worked import ranking
from tests.differential.collections import INTEGER_GRADES, Collection, collections
from tests.reference import Query, err, queries_of

MANY = tuple(f"query {number}" for number in range(40))
FEWER = settings(max_examples=settings.default.max_examples // 3)
batches = collections(queries=MANY, fewest=30)

_MEASURES = """
    CG CG@1 CG@3 CG(gain=exponential)@5 CG(gains={0:0.5,1:3,2:1}) CG(judged_only=true)@2
    nCG nCG@1 nCG@3 nCG(gain=exponential)@5 nCG(gains={0:0.5,1:3,2:1})@4
    nERR nERR@1 nERR@3 nERR(max=5) nERR(max=4.5)@4
    Q Q@1 Q@3 Q@20 Q(beta=0) Q(beta=0.5)@2 Q(beta=100)@5 Q(gain=exponential)@4
    Q(gains={0:0.5,1:3,2:0})
"""
MEASURES = tuple(map(parse, _MEASURES.split()))


def gain(measure: Measure, grade: float | None) -> float:
    if grade is None:
        return 0.0
    if measure.gains and grade in measure.gains:
        return float(measure.gains[grade])
    return max(grade, 0.0) if measure.gain == "linear" else 2 ** max(grade, 0.0) - 1


def defined(measure: Measure, query: Query) -> float | None:
    """What the definition gives; None where it is undefined."""
    name, k = type(measure).__name__, measure.k
    returned = query.returned
    if measure.judged_only:
        returned = [grade for grade in returned if grade is not None and grade >= 0]
    if name == "nERR":
        best = sorted(query.grades, key=lambda doc: query.grades[doc], reverse=True)
        ideal = err(Query(query.grades, best, query.top_grade), k, measure.max)
        return float(err(query, k, measure.max)) / float(ideal) if ideal else None
    gains = [gain(measure, grade) for grade in returned]
    best_gains = sorted((gain(measure, grade) for grade in query.grades.values()), reverse=True)
    if name == "CG":
        return sum(gains[:k])
    if best_gains[0] == 0:
        return None
    if name == "nCG":
        return sum(gains[:k]) / sum(best_gains[:k])
    relevant = sum(g > 0 for g in best_gains)
    total = 0.0
    for rank in range(1, min(len(gains), k or len(gains)) + 1):
        if gains[rank - 1] > 0:
            found = sum(g > 0 for g in gains[:rank])
            got, could = sum(gains[:rank]), sum(best_gains[:rank])
            total += (found + measure.beta * got) / (rank + measure.beta * could)
    return total / min(relevant, k or relevant)


def disagreements(collection: Collection) -> list[str]:
    scores = evaluate(collection.qrels, collection.run, MEASURES)
    queries = queries_of(collection.qrels, collection.run)
    found = []
    for measure, values in zip(scores.measures, scores.values[0].tolist(), strict=True):
        for name, ours in zip(scores.queries, values, strict=True):
            theirs = defined(measure, queries[name])
            same = (
                math.isnan(ours)
                if theirs is None
                else math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
            )
            if not same:
                found.append(f"{measure} is {ours}, defined as {theirs}: {queries[name]}")
    return found


@FEWER
@given(batches)
def test_real_grades(collection: Collection) -> None:
    assert not disagreements(collection)


@FEWER
@given(collections(grades=INTEGER_GRADES, queries=MANY, fewest=30))
def test_integer_grades(collection: Collection) -> None:
    assert not disagreements(collection)


@FEWER
@given(batches)
def test_without_regard_for_gain_q_is_average_precision(collection: Collection) -> None:
    # Whatever has a gain is relevant to Q; no grade that is drawn lies between 0 and 0.25.
    wanted = ["AP(rel=0.25,norm=min)@4", "Q(beta=0)@4", "AP(rel=0.25)", "Q(beta=0)"]
    ap_at_4, q_at_4, ap, q = evaluate(collection.qrels, collection.run, wanted).values[0]
    np.testing.assert_allclose(q_at_4, ap_at_4, rtol=1e-12)
    np.testing.assert_allclose(q, ap, rtol=1e-12)


def test_the_best_order_gets_one() -> None:
    hits = ranking("4 3 3 1 0 - 0")
    for text in ("nCG", "nCG@2", "nERR", "nERR@3", "Q", "Q@3", "Q(beta=50)", "Q(gain=exponential)"):
        assert parse(text)(hits)[0] == pytest.approx(1, abs=1e-12), text


TIED = st.lists(st.sampled_from(("0", "1", "2", "3", "-", "-1")), min_size=1, max_size=4)


@settings(max_examples=30)
@given(st.sampled_from(("", "2 ", "- ")), TIED, st.sampled_from(("", " 1", " -")))
def test_the_expected_value_is_the_mean_over_all_orders(
    above: str, tied: list[str], below: str
) -> None:
    for text in ("CG", "CG@3", "nCG@2", "nCG(gain=exponential)@4", "nERR", "nERR@3"):
        measure = parse(text)
        orders = [
            measure(ranking(f"{above}{' '.join(order)}{below} | 2 max=3"))
            for order in permutations(tied)
        ]
        expected = measure.over_ties(ranking(f"{above}({' '.join(tied)}){below} | 2 max=3"))
        np.testing.assert_allclose(expected, np.mean(orders, axis=0), rtol=1e-12, err_msg=text)


@pytest.mark.parametrize(
    "text",
    [
        "Q(beta=-1)",
        "nERR(max=0)",
        "nERR(max=2000)",
        "CG(gains={1:-1})",
        "nCG@0",
        "Compat(p=0)",
        "Compat(p=1)",
        "Compat(depth=0)",
    ],
)
def test_parameters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


def test_the_ideal_of_err_is_the_judged_documents_best_first() -> None:
    hits = ranking("1 0 2 | 3")
    assert parse("nERR")(hits) == pytest.approx(ERR()(hits) / ERR()(ranking("3 2 1")))


TEXTS = ("Compat", "Compat(p=0.5)", "Compat(p=0.8,normalize=False)", "Compat(p=0.999)")


@FEWER
@given(collections(grades=(1, 0, 2, 1, 0, 3, 4, -1), queries=MANY, fewest=30))
def test_as_ir_measures(collection: Collection) -> None:
    # Its order, with scores that all differ and are above 0.
    run = {
        query: {doc: 1.0 + place for place, doc in enumerate(sorted(results, key=results.get))}
        for query, results in collection.run.items()
        if results
    }
    scores = evaluate(collection.qrels, run, TEXTS)
    wanted = list(map(ir_measures.parse_measure, TEXTS))
    theirs = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.compat.iter_calc(wanted, collection.qrels, run)
    }
    for measure, values in zip(wanted, np.nan_to_num(scores.values[0]).tolist(), strict=True):
        for query, ours in zip(scores.queries, values, strict=True):
            assert math.isclose(ours, theirs[str(measure), query], rel_tol=1e-9, abs_tol=1e-12)


def overlap(left: list[str], right: list[str], p: float, depth: int) -> float:
    common = (len(set(left[:rank]) & set(right[:rank])) / rank for rank in range(1, depth + 1))
    return sum(share * p**place for place, share in enumerate(common))


def compatibility(query: Query, p: float, depth: int | None, normalize: bool) -> float | None:
    place = {doc: rank for rank, doc in enumerate(query.ranking)}
    wanted = [doc for doc, grade in query.grades.items() if grade > 0]
    ideal = sorted(wanted, key=lambda doc: (-query.grades[doc], place.get(doc, math.inf)))
    depth = depth or max(len(ideal), len(query.ranking))
    if not ideal:
        return None
    whole = overlap(ideal, ideal, p, depth) if normalize else (1 - p**depth) / (1 - p)
    return overlap(query.ranking, ideal, p, depth) / whole


@FEWER
@given(collections(queries=MANY, fewest=30))
def test_as_defined(collection: Collection) -> None:
    wanted = [(0.95, None, True), (0.5, 3, True), (0.9, 1, False), (0.3, 40, True), (0.99, 5, True)]
    texts = [f"Compat(p={p},depth={d},normalize={n})" for p, d, n in wanted]
    scores = evaluate(collection.qrels, collection.run, texts)
    queries = queries_of(collection.qrels, collection.run)
    for parameters, values in zip(wanted, scores.values[0].tolist(), strict=True):
        for name, ours in zip(scores.queries, values, strict=True):
            theirs = compatibility(queries[name], *parameters)
            if theirs is None:
                assert math.isnan(ours)
            else:
                assert math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12), queries[name]


def test_equal_grades_are_put_in_the_order_of_the_results() -> None:
    for shown in ("2 2 1 1", "2 2 1 1 0 0", "3 1 1 1 -"):
        assert parse("Compat")(ranking(shown))[0] == pytest.approx(1, abs=1e-12)
    assert parse("Compat")(ranking("1 2 2"))[0] < 1


def test_a_deep_ranking_costs_no_more_than_its_weights() -> None:
    hits = ranking("1 - - 1")
    plain = parse("Compat(p=0.5,depth=2000000000)")
    (value,) = plain(hits)
    (shallow,) = parse("Compat(p=0.5,depth=200)")(hits)
    assert value == pytest.approx(shallow, rel=1e-12)
