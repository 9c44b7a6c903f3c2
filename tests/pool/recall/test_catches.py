"""What systems found, and down to where it was judged."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.pool.recall.catches import ALL, pool_depths, ranked_runs
from tests.pool.recall.made import found_of, grades_of, runs_of


def test_depth_is_where_all_are_judged() -> None:
    grades = grades_of({"q1": "ab", "q2": "c"}, {"q1": "xy", "q2": "z"})
    runs = runs_of({"one": {"q1": "axby", "q2": "cz"}, "two": {"q1": "bxkay", "q2": "zc"}})
    found = found_of(grades, runs)
    assert found.depths.tolist() == [np.iinfo(np.int64).max, 2]
    assert (found.depth, found.known) == (2, True)
    assert found.times.tolist() == [1, 1, 2, 0, 2, 2]


def test_depth_of_everything_judged_is_that_of_the_longest() -> None:
    grades = grades_of({"q": "abc"})
    assert found_of(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "abc"}})).depth == 3


def test_a_system_that_was_not_pooled_makes_the_depth_unknown() -> None:
    grades = grades_of({"q": "abc"})
    found = found_of(grades, runs_of({"one": {"q": "ab"}, "new": {"q": "kab"}}))
    assert not found.known
    assert found.depth == 3  # all results
    assert found.times.tolist() == [2, 2, 0]


def test_pooled_and_not_judged_is_not_judged() -> None:
    grades = {"q": {"a": 1.0, "b": -1.0, "c": 1.0}}
    found = found_of(grades, runs_of({"one": {"q": "abc"}}))
    assert found.depth == 1


def test_pooled_and_not_judged_may_count_as_pooled() -> None:
    judgments = Judgments.read({"q1": {"a": 1.0, "b": -1.0}, "q2": {"a": 1.0}})
    (run,) = ranked_runs(judgments, runs_of({"one": {"q1": "abc", "q2": "a"}}))
    assert pool_depths(run.hits).tolist() == [1, ALL]
    assert pool_depths(run.hits, judged=False).tolist() == [2, ALL]


def test_groups() -> None:
    grades = grades_of({"q": "abc"})
    runs = runs_of({"one": {"q": "ab"}, "two": {"q": "bc"}, "three": {"q": "c"}})
    found = found_of(grades, runs).grouped({"one": "team", "two": "team"})
    assert found.systems == ("team", "three")
    assert found.times.tolist() == [1, 1, 2]
    assert found.rank[found.system == 0].tolist() == [1, 1, 2]
    with pytest.raises(InputError, match="did you mean 'three'"):
        found.grouped({"tree": "x"})


def test_errors() -> None:
    grades, runs = grades_of({"q": "ab"}), runs_of({"one": {"q": "ab"}})
    with pytest.raises(OptionError, match="depth=0"):
        found_of(grades, runs, depth=0)
