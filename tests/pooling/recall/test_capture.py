"""Capture-recapture: published examples, simulated systems that are independent, and edges."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from cleverdon.errors import OptionError
from cleverdon.pooling.recall.capture import (
    estimate_by_chao,
    estimate_by_chapman,
)
from tests.pooling.recall.made import Runs, found_of, grades_of, runs_of


def independent(relevant: int, chances: list[float], queries: int, seed: int) -> Runs:
    """Systems that find each relevant document with a chance of their own."""
    random = np.random.default_rng(seed)
    runs: Runs = {}
    for number, chance in enumerate(chances):
        runs[f"s{number}"] = {}
        for query in range(queries):
            caught = np.flatnonzero(random.random(relevant) < chance)
            runs[f"s{number}"][f"q{query}"] = {f"d{d}": 1.0 / (d + 1) for d in caught} or {"x": 1.0}
    return runs


def test_exact_intervals_of_two_independent_systems_hold_the_truth() -> None:
    """400 queries with 80 relevant documents each: the truth is fixed, and the catch varies."""
    runs = independent(80, [0.5, 0.4], queries=400, seed=3)
    grades = {f"q{t}": {f"d{d}": 1.0 for d in range(80)} | {"x": 0.0} for t in range(400)}
    found = estimate_by_chapman(found_of(grades, runs))
    holds = [one.low <= 80 <= one.high for one in found.queries.values()]
    assert np.mean(holds) >= 0.95 - 3.5 * sqrt(0.95 * 0.05 / 400)
    assert found.all.value == pytest.approx(400 * 80, rel=0.02)
    assert found.all.low <= 400 * 80 <= found.all.high


def test_chao_of_independent_systems_alike_comes_near_the_truth() -> None:
    runs = independent(60, [0.25] * 5, queries=300, seed=5)
    grades = {f"q{t}": {f"d{d}": 1.0 for d in range(60)} | {"x": 0.0} for t in range(300)}
    found = estimate_by_chao(found_of(grades, runs))
    assert found.all.value == pytest.approx(300 * 60, rel=0.03)
    holds = np.mean([one.low <= 60 <= one.high for one in found.queries.values()])
    # Log-normal and for large numbers, so a query's interval holds less often than it says. A
    # shortfall of 3% is accepted, and beyond it what 300 queries leave to chance.
    accepted = 0.95 - 0.03
    assert holds >= accepted - 3 * sqrt(accepted * (1 - accepted) / 300)


def test_chao_of_systems_that_find_the_same_is_too_low() -> None:
    """Half of the documents are easy, half next to impossible: a lower bound, as it says."""
    random = np.random.default_rng(1)
    chance = np.repeat([0.8, 0.03], 50)
    runs = {
        f"s{n}": {
            f"q{t}": {f"d{d}": 1.0 / (d + 1) for d in np.flatnonzero(random.random(100) < chance)}
            for t in range(50)
        }
        for n in range(5)
    }
    grades = {f"q{t}": {f"d{d}": 1.0 for d in range(100)} for t in range(50)}
    assert estimate_by_chao(found_of(grades, runs)).all.high < 50 * 80


def test_two_systems_by_hand() -> None:
    grades = grades_of({"q": "abcdef"}, {"q": "xy"})
    runs = runs_of({"one": {"q": "abcdx"}, "two": {"q": "cdefy"}})
    found = estimate_by_chapman(found_of(grades, runs))
    assert found.all.value == pytest.approx(5 * 5 / 3 - 1)
    assert found.all == found.queries["q"]


def test_disjoint_systems_leave_the_end_open() -> None:
    grades = grades_of({"q": "abcd"})
    found = estimate_by_chapman(found_of(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "cd"}})))
    assert found.all.value == 8
    assert found.all.high == inf
    assert found.all.recall()[1] == 0


def test_the_same_systems_miss_nothing_as_far_as_they_can_tell() -> None:
    grades = grades_of({"q": "abcd"})
    found = estimate_by_chapman(
        found_of(grades, runs_of({"one": {"q": "abcd"}, "two": {"q": "dcba"}}))
    )
    assert (found.all.value, found.all.low) == (4, 4)


def test_no_relevant_document() -> None:
    grades = grades_of({"q": ""}, {"q": "ab"})
    seen = found_of(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "a"}}))
    assert estimate_by_chao(seen).all.value == 0
    assert estimate_by_chapman(seen).queries["q"].value == 0
    assert np.isnan(estimate_by_chao(seen).all.recall()[0])


def test_how_many_systems() -> None:
    grades = grades_of({"q": "ab"})
    with pytest.raises(OptionError, match="needs two"):
        estimate_by_chao(found_of(grades, runs_of({"one": {"q": "ab"}})))
    three = found_of(grades, runs_of({n: {"q": "ab"} for n in ("one", "two", "three")}))
    with pytest.raises(OptionError, match="there are 3: put them in two groups"):
        estimate_by_chapman(three)
    assert estimate_by_chapman(three.grouped({"one": "a", "two": "a"})).all.found == 2


def test_only_what_is_in_the_pool_was_caught() -> None:
    """What a system returned below the depth of the pool others brought in: no catch of its own."""
    grades = grades_of({"q": "abcd"})
    runs = runs_of({"one": {"q": "abcd"}, "two": {"q": "dcba"}})
    deep, shallow = (estimate_by_chapman(found_of(grades, runs, depth=depth)) for depth in (4, 2))
    assert deep.all.value == 4
    assert shallow.all.value == 8
