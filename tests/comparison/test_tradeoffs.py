"""Trade-offs of effectiveness with costs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.comparison.samples import average_intervals
from cleverdon.comparison.tradeoffs import find_tradeoffs, pareto_front
from cleverdon.costs import Cost, Costs
from cleverdon.errors import InputError, OptionError
from tests.comparison.made import made

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
    return [one.front for one in find_tradeoffs(SCORES, costs, measure, **options).systems]


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_the_front_by_its_definition(points: list[tuple[int, int, int]]) -> None:
    found = pareto_front(*np.array(points, dtype=float).T)
    for point, on in zip(points, found, strict=True):
        beaten = any(
            all(a >= b for a, b in zip(other, point, strict=True)) and other != point
            for other in points
        )
        assert on != beaten


def test_who_beats_whom_is_named() -> None:
    beaten = {one.system: one.beaten_by for one in find_tradeoffs(SCORES, COSTS, "AP").systems}
    assert beaten == {"fast": (), "good": (), "poor": ("fast",), "big": ()}
    found = find_tradeoffs(SCORES, COSTS, "AP", axes=("index_size",))
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
    assert find_tradeoffs(SCORES, costs, "AP").close == close


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
    found = find_tradeoffs(SCORES, times, "AP")
    assert found.axes == ("p99",)
    assert [one.front for one in found.systems] == [True, True, False, True]
    assert fronts({}) == [None] * 4
    assert fronts(COSTS, "Judged@10") == [None] * 4  # of which neither more nor less is better


def test_what_is_not_valid_has_no_place_and_beats_nothing() -> None:
    doubted = Costs("fast", COSTS["fast"].by_name, ("the sender lagged",))
    found = find_tradeoffs(SCORES, COSTS | {"fast": doubted}, "AP")
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
    found = find_tradeoffs(SCORES, COSTS, "AP", confidence=0.8)
    ends = average_intervals(SCORES, measures="AP", confidence=0.8)
    for one in found.systems:
        assert one.average == SCORES.mean(one.system, "AP")
        found_ends = ends[one.system, found.measure]
        assert one.ends == pytest.approx((found_ends.low, found_ends.high), nan_ok=True)
    assert found.queries == 2


def test_a_slip_in_a_name_loses_no_costs() -> None:
    with pytest.raises(InputError, match="costs of 'fats', and no run of that name; did you mean"):
        find_tradeoffs(SCORES, costs_of(fats={"p99": 1.0}), "AP")


TABLE_SCORES = made(
    {
        "good <b>": {"AP": [0.5, 0.7, 0.9]},
        "fast": {"AP": [0.2, 0.2, 0.2]},
        "new": {"AP": [0.3, 0.3, 0.3]},
    }
)
TABLE_COSTS = {
    "good <b>": Costs("good <b>", {"p99": Cost(0.2, 0.15, 0.3), "index_size": Cost(2.5e6)}),
    "fast": Costs("fast", {"p99": Cost(0.01, low=0.009)}, ("the sender lagged",)),
}


def test_a_row_for_each_system_and_a_column_for_what_was_measured() -> None:
    table = find_tradeoffs(TABLE_SCORES, TABLE_COSTS, "AP").render()
    header, _, *rows = table.splitlines()
    assert header.split("  ")[0] == "system"
    assert [name for name in ("p50", "p99", "index size", "errors") if name in header] == [
        "p99",
        "index size",
    ]
    good, fast, new = (row.split() for row in rows[:3])
    assert " ".join(good[2:]) == "0.7000 (0.203 to 1.000) 200 ms (150 ms to 300 ms) 2.5 MB none"
    assert " ".join(fast[1:]) == "0.2000 10 ms† (9 ms or more) - -"
    assert new[-3:] == ["-", "-", "-"]


def test_those_that_beat_a_system_are_named() -> None:
    names = ["a", "b", "c", "d"]
    scores = made({name: {"AP": [0.9 - place / 10] * 2} for place, name in enumerate(names)})
    costs = {name: Costs(name, {"p99": Cost(0.1, 0.05, 0.2)}) for name in names}
    table = find_tradeoffs(scores, costs, "AP").render().splitlines()
    assert table[0].endswith("beaten by")
    for row, beaten in zip(table[2:], ("none", "a", "a, b", "a, b and 1 more"), strict=False):
        assert row.endswith(f"  {beaten}")
    assert table[-1] == (
        "that goes by values: intervals of p99 overlap, and another measurement could tell "
        "otherwise"
    )


def test_the_notes_say_what_beating_is_and_what_not_to_believe() -> None:
    *_, front, fast, new, doubt = (
        find_tradeoffs(TABLE_SCORES, TABLE_COSTS, "AP").render().splitlines()
    )
    assert front == (
        "beaten by: systems that are as good on AP, p99 and index size, and better on one; those "
        "that none beats are the Pareto front"
    )
    assert fast == "fast is not placed: there is no valid p99 and index size"
    assert new == "new is not placed: there is no valid p99 and index size"
    assert doubt == "† of fast: not valid, the sender lagged"


def test_times_of_different_loads_are_told() -> None:
    def under(system: str, **load: object) -> Costs:
        return Costs(system, {"p99": Cost(0.1)}, settings={"load": {"loop": "open", **load}})

    same = {name: under(name, rate=10.0, seed=place) for place, name in enumerate(("fast", "new"))}
    assert "same load" not in find_tradeoffs(TABLE_SCORES, same, "AP").render()
    other = {"fast": under("fast", rate=10.0), "new": under("new", rate=200.0)}
    assert (
        "times are not of the same load: rate 10.0 and 200.0"
        in find_tradeoffs(TABLE_SCORES, other, "AP").render()
    )


def test_for_pages_and_for_programs() -> None:
    found = find_tradeoffs(TABLE_SCORES, TABLE_COSTS, "AP")
    assert "good &lt;b&gt;" in found.render("html")
    assert "<b>" not in found.render("html")
    first, second, third = json.loads(found.render("json"))
    assert (first["system"], first["average"], first["front"]) == (
        "good <b>",
        pytest.approx(0.7),
        True,
    )
    assert first["costs"]["p99"] == {"value": 0.2, "low": 0.15, "high": 0.3}
    assert (second["not_valid"], second["front"]) == (["the sender lagged"], None)
    assert (third["costs"], third["front"], third["beaten_by"]) == ({}, None, None)
    assert first["beaten_by"] == []
    with pytest.raises(OptionError, match="did you mean 'table'"):
        found.render("tabel")
