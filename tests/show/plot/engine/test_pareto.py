"""Quality against response time."""

from __future__ import annotations

import pytest

from cleverdon.compare.standings import standings
from cleverdon.costs import Cost, Costs
from cleverdon.errors import OptionError
from cleverdon.show.plot.engine.pareto import pareto, pareto_rows
from tests.compare.made import made
from tests.show.plot.made import datasets, subtitle

AVERAGES = {"fast": 0.2, "good": 0.9, "poor": 0.1, "small": 0.15, "new": 0.95}
SCORES = made({name: {"AP": [value, value], "FPR": [0.5, 0.5]} for name, value in AVERAGES.items()})


def costs(**more: Costs) -> dict[str, Costs]:
    times = {"fast": 0.01, "good": 0.5, "poor": 0.02, "small": 0.05}
    sizes = {"fast": 4e6, "good": 8e6, "poor": 4e6, "small": 1e3}
    return {
        name: Costs(
            name,
            {"p99": Cost(time, time / 2, time * 2), "index_size": Cost(sizes[name])},
        )
        for name, time in times.items()
    } | more


def test_points_are_times_and_averages_and_areas_are_sizes() -> None:
    chart = pareto(SCORES, costs(), "AP")
    points = {row["system"]: row for row in datasets(chart)["points"]}
    assert list(points) == ["fast", "good", "poor", "small"]
    good = points["good"]
    assert (good["x"], good["x_low"], good["x_high"]) == (500, 250, 1000)
    assert (good["y"], good["y_low"], good["y_high"]) == (0.9, 0.9, 0.9)
    assert points["fast"]["area"] == good["area"] / 2
    assert 0 < points["small"]["area"] < points["fast"]["area"]  # small, and still to be seen
    assert all(row["align"] for row in points.values())
    assert points["poor"]["beaten"] == "fast"
    assert "up to 8 MB" in subtitle(chart)
    assert "no p99 was measured: new" in subtitle(chart)


def test_the_line_is_of_two_axes_and_filled_points_of_three() -> None:
    found = pareto_rows(standings(SCORES, costs(), "AP"))
    assert [row["x"] for row in found["front"]] == [10, 500]
    assert {row["system"] for row in found["points"] if row["front"]} == {"fast", "good", "small"}
    assert "Filled: nor when index size counts as well." in subtitle(pareto(SCORES, costs(), "AP"))


def test_what_is_not_valid_is_marked_and_not_on_the_line() -> None:
    doubted = Costs("new", {"p99": Cost(0.001, low=0.0009)}, ("the sender lagged",))
    chart = pareto(SCORES, costs(new=doubted), "AP")
    found = datasets(chart)
    (row,) = (row for row in found["points"] if row["system"] == "new")
    assert (row["label"], row["valid"], row["front"]) == ("new (not valid)", "no", False)
    # Nobody knows how far it reaches: it must not look as if it could only be faster.
    assert (row["x_high"], row["x_open"]) == (row["x"], True)
    assert {point["system"] for point in found["points"] if point["x_open"]} == {"new"}
    assert "dashed where nobody knows" in subtitle(chart)
    assert "dashed" not in subtitle(pareto(SCORES, costs(), "AP"))
    assert row["index_size"] == "not measured"
    assert 1.0 not in [point["x"] for point in found["front"]]
    assert "Not valid" in subtitle(chart)


def test_times_of_nothing_have_a_place_on_a_logarithmic_axis() -> None:
    none = Costs("new", {"p99": Cost(0.0, 0.0, 0.0)})
    rows = datasets(pareto(SCORES, costs(new=none), "AP"))["points"]
    assert min(row["x_low"] for row in rows) > 0


def test_without_times_there_is_nothing_to_draw() -> None:
    with pytest.raises(OptionError, match="no p99 was measured of any system"):
        pareto(SCORES, {"good": Costs("good", {"index_size": Cost(1.0)})}, "AP")
