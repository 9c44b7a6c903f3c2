"""Histograms of values and differences, and box plots."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon.charts import theme
from cleverdon.comparison.samples import samples
from cleverdon.errors import OptionError
from cleverdon.measures.notation import parse
from cleverdon.plots import distributions
from cleverdon.plots.distributions import (
    _bin_counts,
    _difference_edges,
    _value_edges,
    differences_rows,
    histogram_rows,
    spread_rows,
)
from cleverdon.plots.inputs import differences_to
from tests.comparison.made import made
from tests.plots.made import ODD, datasets, many, subtitle


def test_a_bounded_measure_has_twenty_bins_whatever_its_values() -> None:
    scores = made({"one": {"AP": [0.0, 0.05, 3 * 0.05, 1.0]}, "two": {"AP": [0.5] * 4}})
    rows = histogram_rows(samples(scores)[0])["bins"]
    assert len(rows) == 40
    assert (rows[0]["from"], rows[19]["to"]) == (0.0, 1.0)
    queries = [row["queries"] for row in rows[:20]]
    # 3 * 0.05 is a little more than 0.15, and the last bin has its upper end.
    assert [at for at, count in enumerate(queries) if count] == [0, 1, 3, 19]
    assert [row["queries"] for row in rows[20:]] == [0] * 10 + [4] + [0] * 9
    assert rows[30]["share"] == 1.0
    assert rows[0]["mean"] == pytest.approx(0.3)
    assert rows[0]["panel"] == "one: mean 0.3000"


def test_bins_of_a_measure_without_end_are_round_numbers() -> None:
    assert _value_edges(parse("DCG"), np.array([0.3, 7.1])).tolist() == pytest.approx(
        np.arange(0, 8, 0.5).tolist()
    )
    # Between two counts there is nothing.
    assert _value_edges(parse("NumRelRet"), np.array([1.0, 4.0])).tolist() == [1, 2, 3, 4, 5]
    assert _bin_counts(np.array([1.0, 4.0, 4.0]), np.arange(1.0, 6.0)).tolist() == [1, 0, 0, 2]


@pytest.mark.parametrize("values", [[0.0, 0.0], [3.5, 3.5], [-2.0, 1e6], [1e-9, 2e-9]])
def test_every_value_is_in_a_bin(values: list[float]) -> None:
    for edges in (
        _value_edges(parse("DCG"), np.array(values)),
        _difference_edges(np.array(values)),
    ):
        assert _bin_counts(np.array(values), edges).sum() == 2
        assert 2 <= len(edges) <= 40


def test_bins_of_differences_are_as_many_on_both_sides_of_nothing() -> None:
    edges = _difference_edges(np.array([-0.3, 0.1]))
    assert edges.tolist() == pytest.approx((-edges[::-1]).tolist())
    assert edges[0] <= -0.3
    assert edges[len(edges) // 2] == 0


@pytest.mark.parametrize("measure", ["AP", "FPR"])
def test_no_bin_mixes_wins_losses_and_ties(measure: str) -> None:
    steps = [0.0, 0.0, 1e-9, -1e-9, 0.001, -0.001, 0.03, -0.03, 0.29, -0.29]
    values = [0.5 + step for step in steps]
    scores = made({"one": {measure: [0.5] * 10}, "two": {measure: values}})
    rows = differences_rows(differences_to(samples(scores)[0], "one"))["bins"]
    lower = measure == "FPR"
    for row in rows:
        inside = [
            step
            for step in steps
            if row["from"] < step < row["to"] or step == row["from"] == row["to"]
        ]
        assert row["queries"] == len(inside)
        if row["outcome"] == "even":
            assert (row["from"], row["to"], row["queries"]) == (0, 0, 2)
        else:
            assert (row["outcome"] == "win") == ((row["to"] > 0) != lower)
            assert row["from"] >= 0 or row["to"] <= 0
    assert sum(row["queries"] for row in rows) == 10
    assert [row["outcome"] for row in rows].count("even") == 1


def test_wins_and_losses_are_told_apart() -> None:
    scores = made({"one": {"AP": [0.5, 0.5, 0.5, 0.5]}, "two": {"AP": [0.5, 0.501, 0.9, 0.1]}})
    rows = differences_rows(differences_to(samples(scores)[0], "one"))["bins"]
    filled = [(row["outcome"], row["queries"]) for row in rows if row["queries"]]
    assert filled == [("loss", 1), ("win", 1), ("win", 1), ("even", 1)]
    assert {row["panel"] for row in rows} == {"two: 2 wins, 1 even, 1 loss"}
    assert not [row for row in rows if row["from"] < 0 < row["to"]]
    assert [row["mean"] for row in rows] == pytest.approx([0.00025] * len(rows))


def test_where_lower_is_better_a_lower_value_wins() -> None:
    scores = made({"one": {"FPR": [0.5, 0.5]}, "two": {"FPR": [0.1, 0.2]}})
    chart = distributions.differences(scores, "FPR", baseline="one")
    (row, *_), said = datasets(chart)["bins"], subtitle(chart)
    assert row["panel"] == "two: 2 wins, 0 even, 0 losses"
    assert said.endswith("A win is a lower value.")


def test_the_median_is_of_all_systems() -> None:
    scores = made({name: {"AP": [value]} for name, value in (("a", 0.1), ("b", 0.2), ("c", 0.6))})
    (sample,) = samples(scores)
    found = differences_to(sample, None, systems=["c"])
    assert found.values.tolist() == [[pytest.approx(0.4)]]
    assert found.baseline == "the median of all systems"
    called = made({"median": {"AP": [0.1]}, "b": {"AP": [0.2]}, "c": {"AP": [0.6]}})
    assert differences_to(samples(called)[0], "median").systems == ("b", "c")
    with pytest.raises(OptionError, match="a system is called 'median'"):
        distributions.differences(called, "AP", baseline="median")


def test_undefined_values_are_told() -> None:
    nan = float("nan")
    chart = distributions.histogram(made({"one": {"AP": [nan, 0.5]}}), "AP")
    assert subtitle(chart).startswith("2 queries; 1 undefined value counted as 0.")


def test_mistakes_are_told() -> None:
    scores = many(2, 5)
    with pytest.raises(OptionError, match="did you mean 'system-0"):
        distributions.differences(scores, "AP", baseline="system-0")
    with pytest.raises(OptionError, match="nothing to compare"):
        distributions.differences(scores, "AP", baseline="system-00", systems=["system-00"])
    with pytest.raises(OptionError, match="was not evaluated"):
        distributions.histogram(scores, "RR")


def test_any_number_of_queries_and_systems_will_do() -> None:
    scores = many(15, 2000)
    assert len(datasets(distributions.histogram(scores, "AP"))["bins"]) == 300
    rows = datasets(distributions.differences(scores, "AP", baseline="median"))["bins"]
    assert sum(row["queries"] for row in rows) == 30_000
    one = made({ODD: {"AP": [0.5]}, "other": {"AP": [0.5]}})
    assert datasets(distributions.histogram(one, "AP"))["bins"][0]["system"] == ODD
    assert datasets(distributions.differences(one, "AP", baseline=ODD))


def test_a_box_has_quartiles_and_whiskers_that_end_at_queries() -> None:
    values = [0.0, 0.25, 0.25, 0.375, 0.5, 0.5, 0.5, 0.5, 1.0]
    (sample,) = samples(made({"one": {"AP": values}}))
    found = spread_rows(sample)
    assert found["boxes"] == [
        {
            "system": "one",
            "low": 0.0,
            "lower": 0.25,
            "median": 0.5,
            "upper": 0.5,
            "high": 0.5,
            "mean": sum(values) / 9,
        }
    ]
    # Whiskers reach 1.5 boxes of 0.25: to 0.875, where there is no query.
    assert found["beyond"] == [{"system": "one", "query": "q0008", "value": 1.0}]


def test_the_axis_shows_the_range_of_the_measure_where_that_has_ends() -> None:
    of = samples(made({"one": {"AP": [0.25, 0.5], "MCC": [0.25, 0.5], "NumRel": [1.0, 2.0]}}))
    ends = [[end["value"] for end in spread_rows(sample)["ends"]] for sample in of]
    assert ends == [[0.0, 1.0], [-1.0, 1.0], [0.0]]


def test_boxes_take_any_number_of_queries_and_systems() -> None:
    found = datasets(distributions.spread(many(15, 2000), "AP"))
    assert len(found["boxes"]) == 15
    assert all(box["lower"] <= box["median"] <= box["upper"] for box in found["boxes"])


def test_systems_that_share_a_colour_differ_otherwise() -> None:
    systems = [f"s{n}" for n in range(21)]
    assert len(set(theme.colours(systems))) == len(theme.PALETTE)
    colours = theme.colours(systems)
    assert len(set(zip(colours, theme.shapes(systems), strict=True))) == 21
    assert len({(c, *d) for c, d in zip(colours, theme.dashes(systems), strict=True)}) == 21
