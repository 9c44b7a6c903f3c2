"""How far systems are from independent."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from cleverdon.pooling.recall.capture import dependence
from tests.pooling.recall.made import Runs, found_of, grades_of, runs_of


def test_by_hand() -> None:
    """Of z's six documents x and y both have two, each has one alone, and two have neither."""
    grades = grades_of({"q": "abcdefg"})
    runs = runs_of({"x": {"q": "abc"}, "y": {"q": "abdg"}, "z": {"q": "abcdef"}})
    pair = dependence(found_of(grades, runs)).pairs[0]
    assert (pair.first, pair.second) == ("x", "y")
    assert (pair.both, pair.base, pair.observed) == (2, 6, 2)
    assert pair.expected == pytest.approx(3 * 3 / 6)
    assert pair.excess == pytest.approx(2 / 1.5 - 1)
    assert pair.odds_ratio == pytest.approx((2 * 2 / 6 + 0.5) / (1 * 1 / 6 + 0.5))
    assert pair.total == pytest.approx(4 * 5 / 3 - 1)


def test_two_systems_tell_nothing_of_themselves() -> None:
    found = dependence(
        found_of(grades_of({"q": "abc"}), runs_of({"x": {"q": "ab"}, "y": {"q": "bc"}}))
    )
    assert isnan(found.odds_ratio)
    assert found.direction == "unknown"
    assert found.pairs[0].base == 0


def simulated(chances: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Runs:
    """Systems x documents: with which chance a system finds a document, of each of 40 queries."""
    random = np.random.default_rng(11)
    return {
        f"s{number}": {
            f"q{query}": {
                f"d{doc}": 1.0 / (doc + 1) for doc in np.flatnonzero(random.random(len(row)) < row)
            }
            for query in range(40)
        }
        for number, row in enumerate(chances)
    }


GRADES = {f"q{query}": {f"d{doc}": 1.0 for doc in range(60)} for query in range(40)}


def test_independent_systems_have_an_odds_ratio_of_1() -> None:
    found = dependence(found_of(GRADES, simulated(np.full((4, 60), 0.5))))
    assert found.low < 1 < found.high
    assert found.direction == "none"


def test_easy_and_hard_documents_make_systems_look_alike() -> None:
    chances = np.tile(np.repeat([0.8, 0.2], 30), (4, 1))
    found = dependence(found_of(GRADES, simulated(chances)))
    assert found.low > 2
    assert found.direction == "positive"


def test_systems_that_share_the_work_are_negative() -> None:
    halves = np.repeat([0.8, 0.2], 30)
    chances = np.array([halves, halves[::-1], np.full(60, 0.9)])
    pair = dependence(found_of(GRADES, simulated(chances))).pairs[0]
    assert pair.odds_ratio < 0.25
    assert pair.excess < 0


def test_topics_of_different_size_are_no_dependence() -> None:
    """Systems that find all of one query and little of another are not alike within a query."""
    random = np.random.default_rng(2)
    runs: Runs = {}
    for name in ("x", "y", "z"):
        runs[name] = {
            f"q{t}": {f"d{d}": 1.0 for d in np.flatnonzero(random.random(60) < (0.8, 0.3)[t % 2])}
            for t in range(40)
        }
    assert dependence(found_of(GRADES, runs)).direction == "none"


def test_intervals_of_independent_systems_hold_1() -> None:
    """60 collections of 12 queries: at 95% confidence chance leaves out 1 in some of them."""
    random = np.random.default_rng(8)
    grades = {f"q{t}": {f"d{d}": 1.0 for d in range(30)} for t in range(12)}
    held = 0
    for _ in range(60):
        runs: Runs = {
            name: {
                query: {f"d{d}": 1.0 for d in np.flatnonzero(random.random(30) < 0.5)}
                for query in grades
            }
            for name in ("x", "y", "z")
        }
        held += dependence(found_of(grades, runs)).direction == "none"
    assert held >= 52
