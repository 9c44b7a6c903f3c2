"""Capture-recapture: published examples, simulated systems that are independent, and edges."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.pooling.recall.capture import (
    _chapman,
    _log_normal_interval,
    chao,
    estimate_by_chao,
    estimate_by_chapman,
)
from tests.pooling.recall.made import Runs, found_of, grades_of, runs_of


def test_chapman_by_hand() -> None:
    """Ten turtles are marked, fifteen are caught later, five of them marked: 28 live there."""
    one = _chapman(10, 15, 5)
    assert one.found == 20
    assert one.found + one.missing == pytest.approx(11 * 16 / 6 - 1)
    assert one.variance == pytest.approx(11 * 16 * 5 * 10 / (36 * 7))


def test_cottontail_rabbits() -> None:
    """Edwards & Eberhardt 1967: 135 rabbits in a pen, of which 18 nights of trapping caught 76.

    43 were caught once and 16 twice. Chao 1987 gives 134 by once^2 / (2 twice); without its bias
    the estimate is 129.
    """
    one = chao(76, 43, 16, captures=142)
    assert one.found + one.missing == pytest.approx(76 + 43 * 42 / (2 * 17))
    found = one.estimate(0.95)
    assert found.low < 135 < found.high
    by_nights = chao(76, 43, 16, captures=142, systems=18)
    assert by_nights.missing == pytest.approx(one.missing * 17 / 18)


def test_trees_of_barro_colorado() -> None:
    """The first plot of vegan's data set BCI: 93 species, 31 with one tree, 18 with two.

    vegan 2.6 prints 117.4737, with a standard error of 11.58 by another expansion.
    """
    one = chao(93, 31, 18, captures=448)
    assert one.found + one.missing == pytest.approx(117.473684, abs=1e-6)
    assert sqrt(one.variance) == pytest.approx(11.583785, abs=0.005)


def test_nothing_found_twice_is_defined() -> None:
    one = chao(5, 5, 0, captures=5)
    assert one.missing == 10
    assert one.variance == pytest.approx(10 + 5 * 81 / 4 - 625 / (4 * 15))


def test_nothing_missing_still_has_an_interval() -> None:
    """EstimateS: of 10 documents that were found 25 times, exp(-2.5) would never be found."""
    low, high = _log_normal_interval(10, 0.0, 0.0, captures=25, confidence=0.95)
    never = np.exp(-2.5)
    assert low == 10
    assert high == pytest.approx((10 + 1.959964 * sqrt(10 * never)) / (1 - never))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(2, 20))
def test_estimates_are_never_below_what_was_found(
    once: int, twice: int, more: int, systems: int
) -> None:
    found = once + twice + more
    captures = once + 2 * twice + 3 * more
    one = chao(found, once, twice, captures=captures, systems=systems).estimate(0.95)
    assert found <= one.low <= one.value <= one.high
    pair = _chapman(once + more, twice + more, more).estimate(0.9)
    assert pair.found <= pair.low <= pair.value <= pair.high


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
    with pytest.raises(OptionError, match="takes two"):
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
