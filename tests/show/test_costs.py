"""The table of quality and cost."""

from __future__ import annotations

import json

import pytest

from cleverdon.compare.standings import standings
from cleverdon.costs import Cost, Costs
from cleverdon.errors import OptionError
from cleverdon.show.costs import render
from tests.compare.made import made

SCORES = made(
    {
        "good <b>": {"AP": [0.5, 0.7, 0.9]},
        "fast": {"AP": [0.2, 0.2, 0.2]},
        "new": {"AP": [0.3, 0.3, 0.3]},
    }
)
COSTS = {
    "good <b>": Costs("good <b>", {"p99": Cost(0.2, 0.15, 0.3), "index_size": Cost(2.5e6)}),
    "fast": Costs("fast", {"p99": Cost(0.01, low=0.009)}, ("the sender lagged",)),
}


def test_a_row_for_each_system_and_a_column_for_what_was_measured() -> None:
    table = render(standings(SCORES, COSTS, "AP"))
    header, _, *rows = table.splitlines()
    assert header.split("  ")[0] == "system"
    assert [name for name in ("p50", "p99", "index size", "errors") if name in header] == [
        "p99",
        "index size",
    ]
    good, fast, new = (row.split() for row in rows[:3])
    assert " ".join(good[2:]) == "0.7000 (0.500 to 0.900) 200 ms (150 ms to 300 ms) 2.5 MB none"
    assert " ".join(fast[1:]) == "0.2000 (0.200 to 0.200) 10 ms† (9 ms or more) - -"
    assert new[-3:] == ["-", "-", "-"]


def test_those_that_beat_a_system_are_named() -> None:
    names = ["a", "b", "c", "d"]
    scores = made({name: {"AP": [0.9 - place / 10] * 2} for place, name in enumerate(names)})
    costs = {name: Costs(name, {"p99": Cost(0.1, 0.05, 0.2)}) for name in names}
    table = render(standings(scores, costs, "AP")).splitlines()
    assert table[0].endswith("beaten by")
    for row, beaten in zip(table[2:], ("none", "a", "a, b", "a, b and 1 more"), strict=False):
        assert row.endswith(f"  {beaten}")
    assert table[-1] == (
        "that goes by values: intervals of p99 overlap, and another measurement could tell "
        "otherwise"
    )


def test_the_notes_say_what_beating_is_and_what_not_to_believe() -> None:
    *_, front, fast, new, doubt = render(standings(SCORES, COSTS, "AP")).splitlines()
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
    assert "same load" not in render(standings(SCORES, same, "AP"))
    other = {"fast": under("fast", rate=10.0), "new": under("new", rate=200.0)}
    assert "times are not of the same load: rate 10.0 and 200.0" in render(
        standings(SCORES, other, "AP")
    )


def test_for_pages_and_for_programs() -> None:
    found = standings(SCORES, COSTS, "AP")
    assert "good &lt;b&gt;" in render(found, "html")
    assert "<b>" not in render(found, "html")
    first, second, third = json.loads(render(found, "json"))
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
        render(found, "tabel")
