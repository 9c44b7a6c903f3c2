"""Quality and cost together, and what is not beaten on everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.compare import average_intervals
from cleverdon.compare.front import front
from cleverdon.compare.standings import standings
from cleverdon.costs import Cost, Costs
from cleverdon.errors import InputError, OptionError
from tests.compare.made import made

SCORES = made(
    {
        "fast": {"AP": [0.1, 0.3], "FPR": [0.9, 0.9], "Judged@10": [1, 1]},
        "good": {"AP": [0.6, 0.8], "FPR": [0.1, 0.1], "Judged@10": [1, 1]},
        "poor": {"AP": [0.1, 0.1], "FPR": [0.9, 0.9], "Judged@10": [1, 1]},
        "big": {"AP": [0.5, 0.5], "FPR": [0.5, 0.5], "Judged@10": [1, 1]},
    }
)


def costs_of(**values: dict[str, float]) -> dict[str, Costs]:
    return {
        system: Costs(system, {name: Cost(value) for name, value in of.items()})
        for system, of in values.items()
    }


COSTS = costs_of(
    fast={"p99": 0.01, "index_size": 100},
    good={"p99": 0.5, "index_size": 100},
    poor={"p99": 0.02, "index_size": 100},
    big={"p99": 0.05, "index_size": 900},
)


def fronts(costs: dict[str, Costs], measure: str = "AP", **options: Any) -> list[object]:
    return [one.front for one in standings(SCORES, costs, measure, **options).systems]


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_the_front_by_its_definition(points: list[tuple[int, int, int]]) -> None:
    found = front(*np.array(points, dtype=float).T)
    for point, on in zip(points, found, strict=True):
        beaten = any(
            all(a >= b for a, b in zip(other, point, strict=True)) and other != point
            for other in points
        )
        assert on != beaten


def test_who_beats_whom_is_named() -> None:
    beaten = {one.system: one.beaten_by for one in standings(SCORES, COSTS, "AP").systems}
    assert beaten == {"fast": (), "good": (), "poor": ("fast",), "big": ()}
    found = standings(SCORES, COSTS, "AP", axes=("index_size",))
    assert found.systems[2].beaten_by == ("fast", "good")


@pytest.mark.parametrize(
    ("first", "second", "close"),
    [
        (Cost(1.0, 0.5, 1.5), Cost(2.0, 1.6, 2.5), ()),
        (Cost(1.0, 0.5, 1.7), Cost(2.0, 1.6, 2.5), ("p99",)),
        (Cost(1.0, 0.5), Cost(2.0, 1.6, 2.5), ("p99",)),  # nobody knows how far the first reaches
        (Cost(2.0), Cost(2.0), ()),  # without intervals, values are what is known
        (Cost(1.0, 0.5, 1.7, ("late",)), Cost(2.0, 1.6, 2.5), ()),
    ],
)
def test_intervals_that_overlap_are_told(first: Cost, second: Cost, close: object) -> None:
    costs = {"fast": Costs("fast", {"p99": first}), "good": Costs("good", {"p99": second})}
    assert standings(SCORES, costs, "AP").close == close


def test_axes_can_be_chosen() -> None:
    assert fronts(COSTS) == [True, True, False, True]
    assert fronts(COSTS, axes=("p99",)) == [True, True, False, True]
    assert fronts(COSTS, axes=("index_size",)) == [False, True, False, False]
    assert fronts(COSTS, "FPR", axes=("index_size",)) == [False, True, False, False]
    more = costs_of(fast={"throughput": 10}, good={"throughput": 1}, poor={"throughput": 11})
    assert fronts(more, axes=("throughput",)) == [True, True, True, None]
    with pytest.raises(OptionError, match="axes='p98' is no cost; did you mean 'p99'"):
        fronts(COSTS, axes=("p98",))


def test_an_axis_that_nobody_measured_does_not_count() -> None:
    times = {name: Costs(name, {"p99": COSTS[name].by_name["p99"]}) for name in COSTS}
    found = standings(SCORES, times, "AP")
    assert found.axes == ("p99",)
    assert [one.front for one in found.systems] == [True, True, False, True]
    assert fronts({}) == [None] * 4
    assert fronts(COSTS, "Judged@10") == [None] * 4  # of which neither more nor less is better


def test_what_is_not_valid_has_no_place_and_beats_nothing() -> None:
    doubted = Costs("fast", COSTS["fast"].by_name, ("the sender lagged",))
    found = standings(SCORES, COSTS | {"fast": doubted}, "AP")
    # What the doubted one would have beaten is on the front now.
    assert [one.front for one in found.systems] == [None, True, True, True]
    assert found.not_valid == {"fast": ("the sender lagged",)}
    cost = found.systems[0].cost("p99")
    assert cost is not None
    assert cost.value == 0.01
    assert found.systems[0].cost("p99", valid=True) is None
    partly = {"p99": Cost(0.01), "index_size": Cost(1, not_valid=("?",))}
    assert fronts(COSTS | {"fast": Costs("fast", partly)}) == [None, True, True, True]


def test_averages_have_their_intervals() -> None:
    found = standings(SCORES, COSTS, "AP", confidence=0.8)
    ends = average_intervals(SCORES, measures="AP", confidence=0.8)
    for one in found.systems:
        assert one.average == SCORES.mean(one.system, "AP")
        assert one.ends == (
            ends[one.system, found.measure].low,
            ends[one.system, found.measure].high,
        )
    assert found.topics == 2


def test_a_slip_in_a_name_loses_no_costs() -> None:
    with pytest.raises(InputError, match="costs of 'fats', and no run of that name; did you mean"):
        standings(SCORES, costs_of(fats={"p99": 1.0}), "AP")
