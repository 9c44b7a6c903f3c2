from __future__ import annotations

from cleverdon.pooling.plots import _saturation_rows, saturation
from cleverdon.pooling.recall.recall import estimate_recall
from cleverdon.pooling.recall.samples import SampledStratum
from tests.pooling.recall.made import grades_of, runs_of

GRADES = grades_of({"q": "abcd"}, {"q": "xy"})
RUNS = runs_of({"one": {"q": "axb"}, "two": {"q": "bcd"}, "three": {"q": "yba"}})


def test_rows_are_the_curves() -> None:
    found = estimate_recall(GRADES, RUNS, reusing=False)
    rows = _saturation_rows(found)
    assert [row["size"] for row in rows["depths"]] == [1, 2, 3]
    assert rows["depths"][-1]["relevant"] == rows["systems"][-1]["relevant"] == 4
    assert rows["estimate"][0]["R"] == found.estimates[0].all.value
    chart = saturation(found).to_dict()
    assert chart["datasets"] == rows
    assert "by chao" in chart["title"]["subtitle"]


def test_one_system_has_no_estimate() -> None:
    found = estimate_recall(GRADES, {"one": RUNS["one"]})
    chart = saturation(found).to_dict()
    assert chart["datasets"]["estimate"] == []
    assert "Dashed" not in chart["title"]["subtitle"]


def test_an_estimate_without_end_is_drawn_without_it() -> None:
    apart = runs_of({"one": {"q": "ab"}, "two": {"q": "cd"}})
    (row,) = _saturation_rows(estimate_recall(GRADES, apart, reusing=False))["estimate"]
    assert row["high"] is None
    assert row["top"] == row["R"]


def test_the_interval_is_a_band() -> None:
    found = estimate_recall(GRADES, RUNS, reusing=False)
    (row,) = _saturation_rows(found)["estimate"]
    one = found.estimates[0].all
    assert (row["low"], row["top"]) == (one.low, one.high)
    panels = saturation(found).to_dict()["hconcat"]
    for panel in panels:
        band = next(layer for layer in panel["layer"] if layer["mark"]["type"] == "rect")
        assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "top")


def test_an_estimate_of_other_queries_than_the_curves_is_not_drawn() -> None:
    grades = GRADES | grades_of({"p": "ab"})
    runs = {name: run | {"p": {"a": 1.0}} for name, run in RUNS.items()}
    parts = [SampledStratum("p", "all", 10, 0, 0.1, 100)]
    assert (
        _saturation_rows(estimate_recall(grades, runs, sample=parts, reusing=False))["estimate"]
        == []
    )
