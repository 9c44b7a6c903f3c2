"""Compat against ir_measures' own provider, and against plain loops.

ir_measures takes a score of 0 for what was not returned, and equal scores in the order of the
judgments, when it resolves ties in the ideal: that favours the results only where scores are above
0 and differ. The loops below have neither restriction.
"""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings

from cleverdon import NotationError, evaluate, parse
from cleverdon.measures.worked import ranking
from tests.differential.collections import Collection, collections
from tests.reference import Query, queries_of

MANY = tuple(f"query {number}" for number in range(40))
FEWER = settings(max_examples=settings.default.max_examples // 3)

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


@pytest.mark.parametrize("text", ["Compat(p=0)", "Compat(p=1)", "Compat(depth=0)"])
def test_parameters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)
