"""What systems found, and down to where it was judged."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.recall.judged_results import (
    ALL_RANKS,
    _expected_found,
    pool_depths,
    ranked_runs,
    saturation,
)
from tests.pooling.recall.made import found_of, grades_of, runs_of


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
    assert pool_depths(run.hits).tolist() == [1, ALL_RANKS]
    assert pool_depths(run.hits, judged=False).tolist() == [2, ALL_RANKS]


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


@given(st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=6))
def test_closed_form_is_the_mean_over_all_choices(found: list[set[int]]) -> None:
    systems = len(found)
    times = np.array([sum(doc in one for one in found) for doc in range(10)])
    curve = _expected_found(times, systems)
    for size in range(1, systems + 1):
        counts = [len(set().union(*chosen)) for chosen in combinations(found, size)]
        assert curve[size - 1] == pytest.approx(np.mean(counts))


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(40, 200))
def test_curves_rise_ever_less_and_end_at_all(times: list[int], systems: int) -> None:
    curve = _expected_found(np.array(times), systems)
    steps = np.diff(curve, prepend=0.0)
    assert (steps >= -1e-9).all()
    assert (np.diff(steps) <= 1e-9).all()
    assert curve[-1] == pytest.approx(sum(n > 0 for n in times))
    # The last step is that of documents that one system alone has.
    if systems > 1:
        assert steps[-1] == pytest.approx(times.count(1) / systems)


def test_by_hand() -> None:
    grades = grades_of({"q1": "abc", "q2": "d"}, {"q1": "xyz", "q2": "w"})
    runs = runs_of(
        {"one": {"q1": "axb", "q2": "dw"}, "two": {"q1": "byx", "q2": "d"}, "three": {"q1": "zac"}}
    )
    found = saturation(found_of(grades, runs))
    assert [(step.size, step.judged, step.relevant) for step in found.by_depth] == [
        (1, 4, 3),
        (2, 7, 3),
        (3, 8, 4),
    ]
    assert [step.relevant for step in found.by_systems] == pytest.approx([7 / 3, 11 / 3, 4])
    assert found.next_system.relevant == pytest.approx(1 / 3)
    assert found.next_ranks.size == 1
    assert (found.next_ranks.judged, found.next_ranks.relevant) == (1, 1)


def test_one_system() -> None:
    found = saturation(found_of(grades_of({"q": "ab"}), runs_of({"one": {"q": "ab"}})))
    assert [step.relevant for step in found.by_systems] == [2]
    assert found.next_system.relevant == 2


def test_no_relevant_document() -> None:
    grades = grades_of({"q": ""}, {"q": "ab"})
    found = saturation(found_of(grades, runs_of({"one": {"q": "ab"}, "two": {"q": "b"}})))
    assert [step.relevant for step in found.by_systems] == [0, 0]
    assert found.rising == 0


def test_a_pool_of_first_results() -> None:
    found = saturation(found_of(grades_of({"q": "ab"}), runs_of({"one": {"q": "a"}})))
    assert found.next_ranks.size == 0
