"""Two measures at once."""

from __future__ import annotations

import pytest

from cleverdon.compare import average_intervals
from cleverdon.compare.samples import samples
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from cleverdon.show import plot
from cleverdon.show.plot.base import Row
from cleverdon.show.plot.beside import sides
from cleverdon.show.plot.trade_off import trade_off_rows
from tests.compare.made import made
from tests.show.plot.made import datasets, many, subtitle

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


def test_names_stand_where_there_is_room() -> None:
    near = made(
        {f"s{n}": {"AP": [0.5 + n / 1000], "RR": [0.5]} for n in range(4)}
        | {"far": {"AP": [0.0], "RR": [0.0]}}
    )
    sides = {
        row["system"]: row["side"] for row in datasets(plot.trade_off(near, "AP", "RR"))["points"]
    }
    assert all(sides.values())
    assert len({sides[f"s{n}"] for n in range(4)}) > 1
    # Where a legend has them, names that would cover others are left out.
    same = made({f"system {n}": {"AP": [0.5], "RR": [0.5]} for n in range(30)})
    points = datasets(plot.trade_off(same, "AP", "RR"))["points"]
    assert "" in {row["side"] for row in points}


def test_names_stand_beside_cross_hairs() -> None:
    # The hair of the upper point reaches over what would be the first place for the lower's name.
    rows: list[Row] = [
        {"system": "upper", "x": 5.0, "y": 5.3, "x_low": 0.0, "x_high": 10.0},
        {"system": "lower", "x": 5.0, "y": 5.1, "x_low": 4.9, "x_high": 5.1},
    ]
    for row in rows:
        row |= {"y_low": row["y"] - 0.1, "y_high": row["y"] + 4 if row["y"] < 5.2 else None}
    assert sides(rows, legend=False) == ["right above", "right below"]
    without = [{key: row[key] for key in ("system", "x", "y")} for row in rows]
    assert sides(without, legend=False) == ["right", "right"]


def test_mistakes_are_told() -> None:
    scores = many(2, 3)
    with pytest.raises(OptionError, match="against itself"):
        plot.trade_off(scores, "AP", "AP")
    with pytest.raises(OptionError, match="RR was not evaluated"):
        plot.trade_off(scores, "AP", "RR")
