"""Compare every measure, in every variant, with the plain-Python reference.

Other tools accept only integer grades, or no negative ones, and none has all parameters; the
reference has no such limits.
"""

from __future__ import annotations

import math

from hypothesis import given

from cleverdon import Run, Scores, evaluate
from cleverdon.measures.registry import FAMILIES, family, measures
from tests.differential.collections import INTEGER_GRADES, Collection, collections
from tests.differential.variants import variants_of
from tests.reference import FORMULAS, Query, queries_of, value

COMPARED = tuple(
    variant for cls in measures() if cls.__name__ in FORMULAS for variant in variants_of(cls)
)
"""The variants of every measure that the reference has, of all families."""


def disagreements(scores: Scores, queries: dict[str, Query]) -> list[str]:
    """Describe each difference between Cleverdon and the reference in a sentence."""
    assert set(scores.queries) == set(queries)
    found = []
    for measure, values in zip(scores.measures, scores.values[0].tolist(), strict=True):
        for query, ours in zip(scores.queries, values, strict=True):
            theirs = value(measure, queries[query])
            if theirs is None:
                agree = math.isnan(ours)
            else:
                # Logarithms and powers may differ in their last digits.
                agree = math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
            if not agree:
                found.append(f"{measure} is {ours}, the reference says {theirs}: {queries[query]}")
    return found


def test_the_reference_knows_every_measure_of_the_usual_families() -> None:
    # Other families have their own tests, which compare with tools that have these measures.
    usual = ("sets", "ranked", "graded", "judged", "counts")
    own_tests = {"GMAP", "GBpref", "Hole"}  # variants of others, with their own tests
    headings = {FAMILIES[name] for name in usual}
    known = {cls for cls in measures() if family(cls) in headings}
    known -= {cls for cls in known if cls.__name__ in own_tests}
    assert FORMULAS.keys() >= {cls.__name__ for cls in known}


@given(collections())
def test_real_grades(collection: Collection) -> None:
    scores = evaluate(collection.qrels, collection.run, COMPARED)
    assert not disagreements(scores, queries_of(collection.qrels, collection.run))


@given(collections(grades=INTEGER_GRADES))
def test_integer_grades_and_a_run_in_memory(collection: Collection) -> None:
    scores = evaluate(collection.qrels, Run.read(collection.run), COMPARED)
    assert not disagreements(scores, queries_of(collection.qrels, collection.run))


@given(collections())
def test_ties_in_ascending_order(collection: Collection) -> None:
    def smaller_first(scores: dict[str, float]) -> list[str]:
        return sorted(scores, key=lambda doc: (-scores[doc], doc.encode()))

    scores = evaluate(collection.qrels, collection.run, COMPARED, ties="ascending")
    assert not disagreements(scores, queries_of(collection.qrels, collection.run, smaller_first))


@given(collections())
def test_ties_in_the_order_of_input(collection: Collection) -> None:
    def given_first(scores: dict[str, float]) -> list[str]:
        return sorted(
            scores, key=lambda doc: -scores[doc]
        )  # a stable sort keeps the order of equal scores

    scores = evaluate(collection.qrels, collection.run, COMPARED, ties="input")
    assert not disagreements(scores, queries_of(collection.qrels, collection.run, given_first))


@given(collections())
def test_means_over_the_queries(collection: Collection) -> None:
    scores = evaluate(collection.qrels, collection.run, COMPARED)
    queries = queries_of(collection.qrels, collection.run)
    for measure in COMPARED:
        worst = measure.range[1] if measure.better == "lower" else 0.0
        found = [value(measure, query) for query in queries.values()]
        if all(one is None for one in found):
            assert math.isnan(scores.mean("run", measure))
            continue
        total = sum(worst if one is None else one for one in found)
        wanted = total if measure.average == "sum" else total / len(queries)
        assert math.isclose(scores.mean("run", measure), wanted, rel_tol=1e-9, abs_tol=1e-12)
