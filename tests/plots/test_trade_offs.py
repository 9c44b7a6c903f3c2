"""Systems by two numbers: measures, quality and cost, precision and recall."""

from __future__ import annotations

import random
import re
from itertools import combinations
from math import dist, hypot
from typing import Any, TypeAlias

import numpy as np
import pytest
import vl_convert
from sklearn.metrics import fbeta_score

from cleverdon import evaluate
from cleverdon.charts.base import LIMIT, Row
from cleverdon.charts.scatter import place_names
from cleverdon.comparison.samples import average_intervals, samples
from cleverdon.comparison.tradeoffs import find_tradeoffs
from cleverdon.costs import Cost, Costs
from cleverdon.errors import OptionError
from cleverdon.plots import trade_offs
from cleverdon.plots.trade_offs import _f_lines_rows, f_lines, pareto, pareto_rows, trade_off_rows
from cleverdon.scores import Scores
from tests.comparison.made import made
from tests.plots.made import datasets, many, subtitle
from tests.plots.ranked import made_rankings, ranked

Place: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]

MEANS = {"a": (0.2, 0.9), "b": (0.5, 0.5), "c": (0.4, 0.4), "d": (0.5, 0.4), "e": (0.9, 0.1)}


def scores_of(first: str, second: str) -> Scores:
    return made({name: {first: [x, x], second: [y, y]} for name, (x, y) in MEANS.items()})


def test_the_front_has_what_nothing_beats() -> None:
    scores = scores_of("AP", "RR")
    found = trade_off_rows(*samples(scores), scores)
    assert {row["system"] for row in found["points"] if row["front"]} == {"a", "b", "e"}
    assert found["front"] == [{"x": 0.2, "y": 0.9}, {"x": 0.5, "y": 0.5}, {"x": 0.9, "y": 0.1}]


def test_the_front_minds_what_is_better() -> None:
    scores = scores_of("AP", "FPR")
    (row,) = datasets(trade_offs.trade_off(scores, "AP", "FPR"))["front"]
    assert row == {"x": 0.9, "y": 0.1}
    turned = datasets(trade_offs.trade_off(scores, "FPR", "AP"))["front"]
    assert turned == [{"x": 0.1, "y": 0.9}]


def test_equals_are_both_on_the_front() -> None:
    scores = made({name: {"AP": [0.5], "RR": [0.5]} for name in "ab"})
    assert [
        row["front"] for row in datasets(trade_offs.trade_off(scores, "AP", "RR"))["points"]
    ] == [
        True,
        True,
    ]


def test_without_a_better_there_is_no_front() -> None:
    chart = trade_offs.trade_off(scores_of("AP", "Judged@10"), "Judged@10", "AP")
    assert datasets(chart)["front"] == []
    assert {row["front"] for row in datasets(chart)["points"]} == {None}
    assert "No front" in subtitle(chart)


def test_cross_hairs_are_the_intervals_of_averages() -> None:
    scores = many(3, 20)
    points = datasets(trade_offs.trade_off(scores, "AP", "P@5", intervals=True))["points"]
    wide = datasets(trade_offs.trade_off(scores, "AP", "P@5", confidence=0.99))["points"]
    assert all(one["x_low"] < row["x_low"] for one, row in zip(wide, points, strict=True))
    drawn = datasets(trade_offs.trade_off(scores, "AP", "P@5", interval="percentile"))["points"]
    assert any(one["x_low"] != row["x_low"] for one, row in zip(drawn, points, strict=True))
    ends = average_intervals(scores)
    for row in points:
        for axis, measure in (("x", scores.measures[0]), ("y", scores.measures[2])):
            end = ends[row["system"], measure]
            assert (row[f"{axis}_low"], row[f"{axis}_high"]) == (end.low, end.high)
            assert end.low <= row[axis] <= end.high
    assert "x_low" not in datasets(trade_offs.trade_off(scores, "AP", "P@5"))["points"][0]


def drawn_names(chart: Any) -> tuple[dict[str, Place], dict[str, Box], dict[Place, Place]]:
    """From the picture: the middles of points, the boxes of names, and the lines to names."""
    svg = vl_convert.vegalite_to_svg(chart.to_dict())
    at = r'transform="translate\(([-\d.]+),([-\d.]+)\)"'
    marks = re.findall(rf'<path aria-label="[^"]*system: (s\d+);[^>]*{at}', svg)
    points = {name: (float(x), float(y)) for name, x, y in marks}
    boxes = {}
    for anchor, x, y, name in re.findall(
        rf'<text aria-label[^>]*text-anchor="(\w+)" {at}[^>]*>(s\d+)<', svg
    ):
        wide = 6.2 * len(name)
        left = float(x) - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        # Letters stand on a line that is a little below their middle.
        boxes[name] = (left, float(y) - 9.5, left + wide, float(y) + 3.5)
    lines = {}
    for x, y, ends in re.findall(rf"<line aria-label[^>]*{at}([^>]*)", svg):
        right, down = (re.search(rf'{axis}2="([-\d.]+)"', ends) for axis in "xy")
        start = (float(x), float(y))
        lines[start] = (
            start[0] + float(right[1] if right else 0),
            start[1] + float(down[1] if down else 0),
        )
    return points, boxes, lines


def gap(box: Box, place: Place) -> float:
    (left, top, right, bottom), (x, y) = box, place
    return hypot(max(left - x, 0, x - right), max(top - y, 0, y - bottom))


def crowd(seed: int, systems: int) -> Scores:
    """Systems most of which are near each other."""
    draw = random.Random(seed)
    return made(
        {
            f"s{n}": {"AP": [0.5 + draw.gauss(0, 0.02)], "RR": [0.5 + draw.gauss(0, 0.02)]}
            for n in range(systems - 2)
        }
        | {f"s{systems - 2}": {"AP": [0.1], "RR": [0.1]}, f"s{systems - 1}": {"AP": [1], "RR": [1]}}
    )


@pytest.mark.parametrize("systems", [4, 7, 12, 40])
@pytest.mark.parametrize("seed", range(4))
def test_a_name_stands_beside_its_own_mark_or_a_line_leads_to_it(seed: int, systems: int) -> None:
    points, boxes, lines = drawn_names(trade_offs.trade_off(crowd(seed, systems), "AP", "RR"))
    assert len(points) == systems
    assert set(boxes) == set(points) if systems <= 7 else len(boxes) >= 4
    for name, box in boxes.items():
        own = points[name]
        # Marks in the same place cannot be told apart by where their names stand.
        others = [place for place in points.values() if dist(place, own) > 2]
        assert min(gap(box, place) for place in others) > 4  # it covers none
        if own in lines:
            assert gap(box, lines[own]) < 4
        else:
            assert gap(box, own) < min(gap(box, place) for place in others) - 4
    for one, other in combinations(boxes.values(), 2):
        beside = one[2] <= other[0] or other[2] <= one[0]
        assert beside or one[3] <= other[1] + 0.1 or other[3] <= one[1] + 0.1


def test_many_systems_have_no_legend_and_it_is_said_how_to_choose() -> None:
    scores = crowd(1, 40)
    chart = trade_offs.trade_off(scores, "AP", "RR")
    points = datasets(chart)["points"]
    named = [row for row in points if row["align"]]
    assert 4 <= len(named) <= 15
    assert all(row["align"] for row in points if row["front"])
    assert "of 40 systems, those on the front and the best, 15 at most" in subtitle(chart)
    assert "--system" in subtitle(chart)
    assert chart.to_dict()["layer"][2]["encoding"]["color"]["legend"] is None
    some = trade_offs.trade_off(scores, "AP", "RR", systems=scores.systems[:9])
    assert "--system" not in subtitle(some)
    assert some.to_dict()["layer"][2]["encoding"]["color"]["legend"]["values"] == list(
        scores.systems[:9]
    )


def test_equal_systems_are_all_named() -> None:
    same = made({f"s{n}": {"AP": [0.5], "RR": [0.5]} for n in range(7)})
    assert all(row["align"] for row in datasets(trade_offs.trade_off(same, "AP", "RR"))["points"])


def test_names_stand_beside_cross_hairs() -> None:
    # The hair of the upper point reaches over what would be the first place for the lower's name.
    rows: list[Row] = [
        {"system": "upper", "label": "upper", "x": 5.0, "y": 9.0, "x_low": 0.0, "x_high": 10.0},
        {"system": "lower", "label": "lower", "x": 5.0, "y": 5.0, "x_low": 4.9, "x_high": 5.1},
    ]
    for row in rows:
        row |= {"y_low": row["y"] - 0.1, "y_high": row["y"] + 4}
    place_names(rows, [0, 1])
    assert [(row["dx"], row["dy"]) for row in rows] == [(8, -11), (8, -11)]
    without = [{key: row[key] for key in ("system", "label", "x", "y")} for row in rows]
    place_names(without, [0, 1])
    assert [(row["dx"], row["dy"]) for row in without] == [(9, 0), (9, 0)]


def test_one_query_has_no_cross_hairs_and_none_are_promised() -> None:
    scores = made({"a": {"AP": [0.5], "RR": [0.2]}, "b": {"AP": [0.4], "RR": [0.3]}})
    said = subtitle(trade_offs.trade_off(scores, "AP", "RR", intervals=True))
    assert said.startswith("1 query. Too few queries for intervals.")
    assert "Cross hairs: 95% intervals" in subtitle(
        trade_offs.trade_off(many(2, 9), "AP", "P@5", intervals=True)
    )


def test_mistakes_are_told() -> None:
    scores = many(2, 3)
    with pytest.raises(OptionError, match="against itself"):
        trade_offs.trade_off(scores, "AP", "AP")
    with pytest.raises(OptionError, match="RR was not evaluated"):
        trade_offs.trade_off(scores, "AP", "RR")


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
    assert (good["y"], good["y_low"], good["y_high"]) == (0.9, None, None)  # one value
    assert points["fast"]["area"] == good["area"] / 2
    assert 0 < points["small"]["area"] < points["fast"]["area"]  # small, and still to be seen
    assert all(row["align"] for row in points.values())
    assert points["poor"]["beaten"] == "fast"
    assert "up to 8 MB" in subtitle(chart)
    assert "no p99 was measured: new" in subtitle(chart)


def test_the_line_is_of_two_axes_and_filled_points_of_three() -> None:
    found = pareto_rows(find_tradeoffs(SCORES, costs(), "AP"))
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
    with pytest.raises(OptionError, match="no p99 was measured for any system"):
        pareto(SCORES, {"good": Costs("good", {"index_size": Cost(1.0)})}, "AP")


def test_points_are_means() -> None:
    scores = ranked({"a": {"q1": "1 0 | 1", "q2": "1 1"}})
    (point,) = _f_lines_rows(scores, k=2)["points"]
    assert (point["precision"], point["recall"]) == (0.75, 0.75)
    assert point["f"] == pytest.approx(0.75)
    assert point["mean_f"] == pytest.approx(0.75)
    (whole,) = _f_lines_rows(scores, beta=2)["points"]
    assert (whole["precision"], whole["recall"]) == (0.75, 0.75)


@pytest.mark.parametrize("k", [None, 5])
def test_points_are_the_measures(k: int | None) -> None:
    names = ["P@5", "R@5", "F(beta=2)@5"] if k else ["SetP", "SetR", "SetF(beta=2)"]
    scores = made_rankings(3, 10, measures=names)
    for point in _f_lines_rows(scores, k=k, beta=2)["points"]:
        found = [point["precision"], point["recall"], point["mean_f"]]
        assert found == [scores.mean(point["system"], name) for name in names]


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 5])
@pytest.mark.parametrize("zoom", [False, True])
def test_f_is_equal_along_a_line(beta: float, zoom: bool) -> None:
    rows = _f_lines_rows(made_rankings(4, 10), k=5, beta=beta, zoom=zoom)
    low, high = rows["corners"]
    for row in rows["lines"]:
        precision, recall = row["precision"], row["recall"]
        value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        assert value == pytest.approx(row["f"])
        assert low["precision"] - 1e-9 <= precision <= high["precision"] + 1e-9
        assert low["recall"] - 1e-9 <= recall <= high["recall"] + 1e-9
    levels = sorted({row["f"] for row in rows["lines"]})
    if not zoom:
        assert levels == [part / 10 for part in range(1, 10)]
    labels = [row["label"] for row in rows["ends"]]
    assert labels == [f"F={level:g}" for level in levels]


@pytest.mark.parametrize("beta", [0.2, 1, 3])
def test_values_at_the_ends_do_not_cover_each_other(beta: float) -> None:
    rows = _f_lines_rows(made_rankings(2, 5), beta=beta)
    side = "recall" if beta > 1 else "precision"
    gaps = np.diff([row[side] for row in rows["ends"]])
    assert gaps.min() * 340 > 10


def test_f_is_that_of_scikit_learn() -> None:
    # Precision 2/4 and recall 2/3.
    scores = ranked({"a": {"q": "1 0 1 0 | 1"}})
    theirs = fbeta_score([1, 0, 1, 0, 1], [1, 1, 1, 1, 0], beta=2)
    (point,) = _f_lines_rows(scores, beta=2)["points"]
    assert point["f"] == pytest.approx(theirs)
    assert point["mean_f"] == pytest.approx(theirs)


def test_zoom_shows_where_the_systems_are() -> None:
    scores = made_rankings(10, 20)
    rows = _f_lines_rows(scores, k=5, zoom=True)
    low, high = rows["corners"]
    for name in ("precision", "recall"):
        values = [point[name] for point in rows["points"]]
        assert low[name] <= min(values) <= max(values) <= high[name]
        assert high[name] - low[name] < 0.9
    assert len(rows["lines"]) <= LIMIT


def test_nothing_found_is_a_point_at_the_origin() -> None:
    (point,) = _f_lines_rows(ranked({"a": {"q": "0 0 | 1"}}), k=2, zoom=True)["points"]
    assert (point["precision"], point["recall"], point["f"]) == (0, 0, 0)


def test_what_has_no_recall_is_refused() -> None:
    scores = ranked({"a": {"q": "0 0"}}, undefined="skip")
    with pytest.raises(OptionError, match="R@2 of 'a' cannot be drawn: it is undefined"):
        f_lines(scores, k=2)
    bare = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="keep=k"):
        f_lines(bare)
