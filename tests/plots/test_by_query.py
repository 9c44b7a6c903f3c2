"""Values query by query: bars and heat maps."""

from __future__ import annotations

import pytest

from cleverdon import Topics
from cleverdon.comparison.samples import samples
from cleverdon.errors import OptionError
from cleverdon.plots import by_query
from cleverdon.plots.by_query import _heat_map_rows, _queries_rows
from cleverdon.plots.inputs import differences_to, short_query_text
from tests.comparison.made import made
from tests.plots.made import datasets, many, subtitle

SCORES = made(
    {
        "one": {"AP": [0.25, 0.75, 0.5], "FPR": [0.1, 0.2, 0.3]},
        "two": {"AP": [0.5, 0.5, 0.5], "FPR": [0.3, 0.3, 0.1]},
    }
)
AP, FPR = samples(SCORES)


def test_queries_are_sorted_the_best_first() -> None:
    rows = _queries_rows(AP, "one", texts={"q0001": "how  to\nsort"})["queries"]
    topics = Topics.read({"q0001": "how  to\nsort"})
    assert _queries_rows(AP, "one", texts=topics)["queries"] == rows
    assert [(row["query"], row["value"]) for row in rows] == [
        ("q0001", 0.75),
        ("q0002", 0.5),
        ("q0000", 0.25),
    ]
    assert [row["about"] for row in rows] == ["q0001: how to sort", "q0002", "q0000"]
    assert [row["query"] for row in _queries_rows(FPR, "one")["queries"]] == [
        "q0000",
        "q0001",
        "q0002",
    ]


def test_differences_are_sorted_and_told_apart() -> None:
    rows = _queries_rows(AP, "one", differences=differences_to(AP, "two"))["queries"]
    assert [(row["value"], row["outcome"]) for row in rows] == [
        (0.25, "win"),
        (0.0, "even"),
        (-0.25, "loss"),
    ]
    lower = _queries_rows(FPR, "one", differences=differences_to(FPR, "two"))["queries"]
    assert [(round(row["value"], 9), row["outcome"]) for row in lower] == [
        (-0.2, "win"),
        (-0.1, "win"),
        (0.2, "loss"),
    ]
    chart = by_query.queries(SCORES, "FPR", "one", baseline="two")
    assert subtitle(chart) == "3 queries: 2 wins, 0 even, 1 loss. A win is a lower value."


def test_many_queries_share_bars_and_none_is_lost() -> None:
    scores = many(3, 1000)
    chart = by_query.queries(scores, "AP", "system-01")
    rows = datasets(chart)["queries"]
    assert len(rows) == 300
    assert "each bar is the mean of up to 4 neighbours" in subtitle(chart)
    assert rows[0]["query"].endswith(" +3")
    assert rows[0]["about"] == rows[0]["query"].replace(" +3", " and 3 more, their mean")
    values = [row["value"] for row in rows]
    assert values == sorted(values, reverse=True)
    assert len({row["query"] for row in rows}) == 300


def test_hard_queries_are_on_the_left() -> None:
    rows = _heat_map_rows(AP)["cells"]
    assert [(row["query"], row["system"], row["value"]) for row in rows] == [
        ("q0000", "one", 0.25),
        ("q0000", "two", 0.5),
        ("q0002", "one", 0.5),
        ("q0002", "two", 0.5),
        ("q0001", "one", 0.75),
        ("q0001", "two", 0.5),
    ]
    assert [row["query"] for row in _heat_map_rows(FPR)["cells"]][::2] == [
        "q0001",
        "q0000",
        "q0002",
    ]


def test_gains_have_a_scale_with_nothing_in_its_middle() -> None:
    found = _heat_map_rows(FPR, differences=differences_to(FPR, "two"))
    assert {row["system"] for row in found["cells"]} == {"one"}
    gains = {row["query"]: round(row["gain"], 9) for row in found["cells"]}
    assert gains == {"q0000": 0.2, "q0001": 0.1, "q0002": -0.2}
    assert [row["gain"] for row in found["ends"]] == pytest.approx([-0.2, 0.2])


def test_queries_of_like_difficulty_share_columns() -> None:
    chart = by_query.heat_map(many(20, 2000), "AP", baseline="median")
    assert len(datasets(chart)["cells"]) == 250 * 20
    assert "hardest on the left; each column is the mean of up to 8 neighbours" in subtitle(chart)


def test_a_long_text_is_cut() -> None:
    assert len(short_query_text("q", {"q": "word " * 100})) <= 160
    assert short_query_text("q", {"q": "word " * 100}).endswith("…")


def test_mistakes_are_told() -> None:
    with pytest.raises(OptionError, match="no system 'three'"):
        by_query.queries(SCORES, "AP", "three")
    with pytest.raises(OptionError, match="nothing to compare"):
        by_query.queries(SCORES, "AP", "one", baseline="one")
    with pytest.raises(OptionError, match="no system 'three'"):
        by_query.heat_map(SCORES, "AP", baseline="three")


def test_where_all_fail_all_are_pale() -> None:
    (sample,) = samples(made({"one": {"AP": [0.0, 0.0]}, "two": {"AP": [0.0, 0.0]}}))
    assert _heat_map_rows(sample)["ends"] == [{"value": 0.0}, {"value": 1.0}]
