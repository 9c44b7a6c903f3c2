"""Two measures at once."""

from __future__ import annotations

import random
import re
from itertools import combinations
from math import dist, hypot
from typing import Any, TypeAlias

import pytest
import vl_convert

from cleverdon.compare import average_intervals
from cleverdon.compare.samples import samples
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from cleverdon.show import plot
from cleverdon.show.plot.base import Row
from cleverdon.show.plot.beside import place_names
from cleverdon.show.plot.trade_off import trade_off_rows
from tests.compare.made import made
from tests.show.plot.made import datasets, many, subtitle

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
    (row,) = datasets(plot.trade_off(scores, "AP", "FPR"))["front"]
    assert row == {"x": 0.9, "y": 0.1}
    turned = datasets(plot.trade_off(scores, "FPR", "AP"))["front"]
    assert turned == [{"x": 0.1, "y": 0.9}]


def test_equals_are_both_on_the_front() -> None:
    scores = made({name: {"AP": [0.5], "RR": [0.5]} for name in "ab"})
    assert [row["front"] for row in datasets(plot.trade_off(scores, "AP", "RR"))["points"]] == [
        True,
        True,
    ]


def test_without_a_better_there_is_no_front() -> None:
    chart = plot.trade_off(scores_of("AP", "Judged@10"), "Judged@10", "AP")
    assert datasets(chart)["front"] == []
    assert {row["front"] for row in datasets(chart)["points"]} == {None}
    assert "No front" in subtitle(chart)


def test_cross_hairs_are_the_intervals_of_averages() -> None:
    scores = many(3, 20)
    points = datasets(plot.trade_off(scores, "AP", "P@5", intervals=True))["points"]
    ends = average_intervals(scores)
    for row in points:
        for axis, measure in (("x", scores.measures[0]), ("y", scores.measures[2])):
            end = ends[row["system"], measure]
            assert (row[f"{axis}_low"], row[f"{axis}_high"]) == (end.low, end.high)
            assert end.low <= row[axis] <= end.high
    assert "x_low" not in datasets(plot.trade_off(scores, "AP", "P@5"))["points"][0]


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
    points, boxes, lines = drawn_names(plot.trade_off(crowd(seed, systems), "AP", "RR"))
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
    chart = plot.trade_off(scores, "AP", "RR")
    points = datasets(chart)["points"]
    named = [row for row in points if row["align"]]
    assert 4 <= len(named) <= 15
    assert all(row["align"] for row in points if row["front"])
    assert "of 40 systems, those on the front and the best, 15 at most" in subtitle(chart)
    assert "--system" in subtitle(chart)
    assert chart.to_dict()["layer"][2]["encoding"]["color"]["legend"] is None
    some = plot.trade_off(scores, "AP", "RR", systems=scores.systems[:9])
    assert "--system" not in subtitle(some)
    assert some.to_dict()["layer"][2]["encoding"]["color"]["legend"]["values"] == list(
        scores.systems[:9]
    )


def test_equal_systems_are_all_named() -> None:
    same = made({f"s{n}": {"AP": [0.5], "RR": [0.5]} for n in range(7)})
    assert all(row["align"] for row in datasets(plot.trade_off(same, "AP", "RR"))["points"])


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


def test_one_topic_has_no_cross_hairs_and_none_are_promised() -> None:
    scores = made({"a": {"AP": [0.5], "RR": [0.2]}, "b": {"AP": [0.4], "RR": [0.3]}})
    said = subtitle(plot.trade_off(scores, "AP", "RR", intervals=True))
    assert said.startswith("1 topic. Too few topics for intervals.")
    assert "Cross hairs: 95% intervals" in subtitle(
        plot.trade_off(many(2, 9), "AP", "P@5", intervals=True)
    )


def test_mistakes_are_told() -> None:
    scores = many(2, 3)
    with pytest.raises(OptionError, match="against itself"):
        plot.trade_off(scores, "AP", "AP")
    with pytest.raises(OptionError, match="RR was not evaluated"):
        plot.trade_off(scores, "AP", "RR")
