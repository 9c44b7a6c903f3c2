"""From a value for each query to one for the system."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Measure
from cleverdon.aggregate import average, geometric_mean, settled, worst_value
from cleverdon.errors import UndefinedError
from cleverdon.measures import AP, Judged, NumRel

NAN = float("nan")
QUERIES = ["q1", "q2", "q3", "q4"]
ALL = np.ones(4, dtype=bool)


class Cost(Measure):
    """Of which less is better."""

    better = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 9.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_means_are_added_one_by_one(values: list[float]) -> None:
    total = 0.0
    for value in values:
        total += value
    assert average(AP(), np.array(values)) == total / len(values)
    assert average(NumRel(), np.array(values)) == total


def test_numpy_would_add_otherwise() -> None:
    # Why it matters: trec_eval adds one by one, and the last digits differ.
    values = np.full(1000, 0.1)
    assert average(NumRel(), values) != values.sum()


def test_nothing_to_average() -> None:
    assert math.isnan(average(AP(), np.array([])))
    assert math.isnan(geometric_mean(np.array([])))


@pytest.mark.parametrize(
    ("measure", "worst"),
    [(AP(), 0.0), (Judged(), 0.0), (Cost(), 9.0)],
    ids=["higher is better", "neither is", "lower is better"],
)
def test_undefined_counts_as_the_worst(measure: Measure, worst: float) -> None:
    assert worst_value(measure) == worst
    values = np.array([0.5, NAN, 1.0, NAN])
    found = settled(measure, values, ALL, undefined="worst", queries=QUERIES)
    assert found.tolist() == [0.5, worst, 1.0, worst]


def test_undefined_is_skipped() -> None:
    values = np.array([0.5, NAN, 1.0, NAN])
    assert settled(AP(), values, ALL, undefined="skip", queries=QUERIES).tolist() == [0.5, 1.0]


def test_undefined_is_an_error() -> None:
    values = np.array([0.5, NAN, 1.0, NAN])
    with pytest.raises(UndefinedError) as raised:
        settled(AP(), values, ALL, undefined="error", queries=QUERIES)
    assert str(raised.value).startswith(
        "AP is undefined for query 'q2', 2 in all (no judged document is relevant)"
    )
    defined = np.array([0.5, 0.0, 1.0, 0.25])
    found = settled(AP(), defined, ALL, undefined="error", queries=QUERIES)
    assert found.tolist() == defined.tolist()


@pytest.mark.parametrize("undefined", ["worst", "skip", "error"])
def test_queries_that_are_not_evaluated_are_left_out_in_any_case(undefined: str) -> None:
    evaluated = np.array([True, False, True, False])
    values = np.array([0.5, NAN, 1.0, NAN])
    found = settled(AP(), values, evaluated, undefined=undefined, queries=QUERIES)
    assert found.tolist() == [0.5, 1.0]


def test_geometric_mean() -> None:
    assert geometric_mean(np.array([0.25, 1.0])) == pytest.approx(0.5, rel=1e-15)
    # One zero does not make it zero: it counts as the floor.
    assert geometric_mean(np.array([0.0, 1e-7, 0.1])) == pytest.approx(
        (1e-5 * 1e-5 * 0.1) ** (1 / 3), rel=1e-12
    )
    assert geometric_mean(np.array([0.0, 1.0]), floor=0.01) == pytest.approx(0.1, rel=1e-12)


@given(st.lists(st.floats(1e-4, 1), min_size=1, max_size=50))
def test_the_geometric_mean_is_at_most_the_mean(values: list[float]) -> None:
    array = np.array(values)
    assert geometric_mean(array) <= average(AP(), array) * (1 + 1e-12)
    assert geometric_mean(array) >= min(values) * (1 - 1e-12)
