from __future__ import annotations

import math

import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.pool import depth_pool, gather, probability_pool, stratified_pool
from cleverdon.pool.judged import judged_pool

RUN = {"q1": {f"d{number}": -number for number in range(1, 9)}}
POOLED = gather({"a": RUN})


def test_what_has_no_grade_is_pooled_and_not_judged() -> None:
    found = judged_pool(depth_pool(POOLED, k=3), {"q1": {"d1": 2, "d3": 0}})
    assert found.judgments["q1"] == {"d1": 2, "d2": -1, "d3": 0}
    assert (found.judged, found.waiting, found.not_drawn, found.outside) == (2, 1, 0, 0)


def test_strata_go_with_the_grades() -> None:
    pool = stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    grades = {"q1": {doc: 1.0 for _, doc in pool.sheet()}}
    found = judged_pool(pool, grades, kind="strata")
    assert (found.judged, found.waiting, found.not_drawn) == (5, 0, 3)
    strata = found.judgments.notes.stratum
    assert strata is not None
    assert strata["q1"] == {f"d{number}": 1 + (number > 2) for number in range(1, 9)}
    assert sorted(found.judgments["q1"].values()) == [-1, -1, -1, 1, 1, 1, 1, 1]


def test_only_what_was_drawn_has_a_probability() -> None:
    pool = probability_pool(POOLED, budget=3)
    grades = {"q1": {doc: 1.0 for _, doc in pool.sheet()} | {"extra": 2.0}}
    found = judged_pool(pool, grades, kind="sampled")
    known = found.judgments.notes.probability
    assert known is not None
    assert pool.probability is not None
    said = dict(zip(pool.docs, pool.probability.tolist(), strict=True))
    for doc, probability in known["q1"].items():
        if doc in grades["q1"]:
            assert probability == said[doc]
        else:
            assert math.isnan(probability)
    assert found.outside == 1
    assert "extra" not in found.judgments["q1"]


@pytest.mark.parametrize("kind", ["strata", "plain", "sampled"])
def test_grades_of_what_was_not_drawn_are_no_part_of_a_sample(kind: str) -> None:
    pool = stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    every = {"q1": dict.fromkeys(RUN["q1"], 1.0) | {"extra": 1.0}}
    found = judged_pool(pool, every, kind=kind)
    assert (found.judged, found.left_out, found.outside) == (5, 4, 1)
    drawn = {doc for _, doc in pool.sheet()}
    graded = {doc for doc, grade in found.judgments["q1"].items() if grade >= 0}
    assert graded == drawn


def test_grades_below_0_are_none() -> None:
    found = judged_pool(depth_pool(POOLED, k=2), {"q1": {"d1": 1, "d2": -2}})
    assert found.judgments["q1"] == {"d1": 1, "d2": -1}
    assert (found.judged, found.waiting) == (1, 1)


def test_whether_a_sample_is_uniform() -> None:
    grades = {"q1": {"d1": 1.0}}
    one = stratified_pool(POOLED, strata=[(8, 0.5)])
    assert judged_pool(one, dict(grades), kind="plain").uniform
    two = stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    assert not judged_pool(two, grades, kind="plain").uniform


def test_what_cannot_be() -> None:
    sample = stratified_pool(POOLED, strata=[(2, 1.0), (8, 0.5)])
    with pytest.raises(OptionError, match="the pool is a sample: name the kind"):
        judged_pool(sample, {"q1": {"d1": 1}})
    whole = depth_pool(POOLED, k=2)
    with pytest.raises(OptionError, match="strata are asked for, and the pool has none"):
        judged_pool(whole, {"q1": {"d1": 1}}, kind="strata")
    with pytest.raises(OptionError, match="it is no sample"):
        judged_pool(whole, {"q1": {"d1": 1}}, kind="sampled")
    with pytest.raises(
        InputError, match="no judgment is of a document of the pool: they have 'd9'"
    ):
        judged_pool(whole, {"q2": {"d9": 1}})
    with pytest.raises(InputError, match="fill in the column grade"):
        judged_pool(whole, {})
