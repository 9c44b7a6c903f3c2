"""Expected values over ties, held against the mean over every order there is."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import Hits, Measure, evaluate, parse
from cleverdon.errors import NotationError, OptionError
from cleverdon.measures.registry import measures
from cleverdon.measures.worked import ranking
from tests.differential.variants import variants_of
from tests.enumerated import all_orders, joined, rankings
from tests.worked_examples import examples

HAS_FORMULA = [cls for cls in measures() if cls.expected is not Measure.expected]

_MORE = """
    P(rel=2)@2 P(norm=returned)@2 R(cap=true)@2 R(judged_only=true)@3 F(beta=2,rel=2)@2
    Success(rel=2)@2 Success@3 RR@3 RR(rel=2)@2 RR(judged_only=true)@2 AP@4 AP(norm=min)@2
    AP(norm=hits)@2 AP(norm=hits)@4 AP(norm=hits,judged_only=true)@3 AP(rel=2,norm=hits)@3
    DCG(discount=jk)@2 DCG(gains={0:1,1:5,2:3})@3 nDCG(gains={1:9,2:3})@3 nDCG(discount=jk,base=3)@4
    nDCG(ideal=retrieved)@3 nDCG(gain=exponential,judged_only=true)@2 RBP(p=0.5,rel=2)@2
    RBP(gain=query)@3 RBP(p=0.3,judged_only=true)@2 ERR@1 ERR@3 ERR(max=5)@4
    ERR(judged_only=true)@2
"""

VARIANTS = [v for cls in HAS_FORMULA if cls.needs is None for v in variants_of(cls)]
VARIANTS += map(parse, _MORE.split())


@settings(max_examples=50)
@given(st.lists(rankings(longest=6), min_size=1, max_size=6))
def test_it_is_the_mean_over_all_orders(texts: list[str]) -> None:
    top_grade = max(ranking(text).judgments.top_grade for text in texts)
    queries = [ranking(f"{text} max={top_grade}") for text in texts]
    orders = [all_orders(hits) for hits in queries]
    together = joined(queries)
    every_order = joined([order for of_one in orders for order in of_one])
    owner = np.repeat(np.arange(len(queries)), [len(of_one) for of_one in orders])
    for variant in VARIANTS:
        values = variant(every_order)
        mean = np.bincount(owner, values) / np.bincount(owner)
        np.testing.assert_allclose(
            variant.over_ties(together), mean, rtol=0, atol=1e-12, err_msg=f"{variant} of {texts}"
        )


@pytest.mark.parametrize("cls", HAS_FORMULA, ids=lambda cls: cls.__name__)
def test_without_ties_it_is_the_value(cls: type[Measure]) -> None:
    for example in examples(cls):
        hits = example.hits
        untied = replace(hits, tied_from=hits.rank, tied_to=hits.rank)
        np.testing.assert_allclose(example.measure.over_ties(untied), example.measure(untied))


@cache
def large_group() -> tuple[Hits, Hits]:
    """A thousand tied results, some of them judged, and a sample of their orders."""
    random = np.random.default_rng(7)
    grades = [2.0, 1.0, 1.0, 3.0] * 10 + [0.0] * 30
    text = " ".join(f"{grade:g}" for grade in grades) + " -" * 930
    hits = ranking(f"({text}) | 2")
    sampled = []
    for _ in range(400):
        rank = random.permutation(1000)[: len(grades)] + 1
        sampled.append(replace(hits, rank=rank, tied_from=rank, tied_to=rank).where(rank.argsort()))
    return hits, joined(sampled)


@pytest.mark.parametrize("variant", [v for v in VARIANTS if not v.judged_only], ids=str)
def test_large_groups(variant: Measure) -> None:
    hits, sampled = large_group()
    values = variant(sampled)
    error = 5 * values.std() / math.sqrt(len(values)) + 1e-12
    assert abs(values.mean() - variant.over_ties(hits)[0]) <= error


def test_any_other_measure_says_that_it_has_none() -> None:
    others = {cls.__name__ for cls in measures()} - {cls.__name__ for cls in HAS_FORMULA}
    assert {"Rprec", "Bpref", "SetP", "NumRel", "RBPResidual"} <= others
    hits = ranking("1 (0 1)")
    for cls in [cls for cls in measures() if cls.__module__.startswith("cleverdon.")]:
        if cls.__name__ in others and cls.needs is None:
            with pytest.raises(OptionError, match="has no formula for its expected value"):
                examples(cls)[0].measure.over_ties(hits)
    with pytest.raises(OptionError, match=r"Rprec has no formula.*take ties=best and ties=worst"):
        evaluate({"q": {"a": 1}}, {"q": {"a": 1, "b": 1}}, "Rprec", ties="expected")


def test_it_is_what_the_setting_gives() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    scores = evaluate(qrels, run, ["RR", "P@1", "AP", "ERR"], ties="expected")
    third = (1 + 1 / 2 + 1 / 3) / 3
    np.testing.assert_allclose(scores.values[0, :, 0], [third, 1 / 3, third, third / 2])
    assert scores.warnings == [
        "run: 100% of the results are tied with another; the values are means over their orders "
        "(ties=expected)"
    ]


def test_a_table_of_gains_below_zero_is_refused_as_ever() -> None:
    with pytest.raises(NotationError, match="no gain is below 0"):
        parse("DCG(gains={1:-3})")
