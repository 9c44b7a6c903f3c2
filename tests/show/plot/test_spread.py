"""Boxes, and the colours and shapes that all plots have."""

from __future__ import annotations

from cleverdon.compare.samples import samples
from cleverdon.show import plot
from cleverdon.show.plot import theme
from cleverdon.show.plot.spread import spread_rows
from tests.compare.made import made
from tests.show.plot.made import datasets, many


def test_a_box_has_quartiles_and_whiskers_that_end_at_topics() -> None:
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
    # Whiskers reach 1.5 boxes of 0.25: to 0.875, where there is no topic.
    assert found["beyond"] == [{"system": "one", "topic": "q0008", "value": 1.0}]


def test_the_axis_shows_the_range_of_the_measure_where_that_has_ends() -> None:
    of = samples(made({"one": {"AP": [0.25, 0.5], "MCC": [0.25, 0.5], "NumRel": [1.0, 2.0]}}))
    ends = [[end["value"] for end in spread_rows(sample)["ends"]] for sample in of]
    assert ends == [[0.0, 1.0], [-1.0, 1.0], [0.0]]


def test_any_number_of_topics_and_systems_will_do() -> None:
    found = datasets(plot.spread(many(15, 2000), "AP"))
    assert len(found["boxes"]) == 15
    assert all(box["lower"] <= box["median"] <= box["upper"] for box in found["boxes"])


def test_systems_that_share_a_colour_differ_otherwise() -> None:
    systems = [f"s{n}" for n in range(21)]
    assert len(set(theme.colours(systems))) == len(theme.PALETTE)
    colours = theme.colours(systems)
    assert len(set(zip(colours, theme.shapes(systems), strict=True))) == 21
    assert len({(c, *d) for c, d in zip(colours, theme.dashes(systems), strict=True)}) == 21
