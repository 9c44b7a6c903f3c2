"""Labels at the ends of lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.charts.lines import _MOST_LABELS, label_rows, labels, line_style, thin_line

GAP = 13 / 300


def ends(*heights: float):
    return [
        {"system": f"s{n}", "label": f"s{n}", "merit": y, "x": 1.0, "y": y}
        for n, y in enumerate(heights)
    ]


def test_labels_that_do_not_touch_stay() -> None:
    assert [row["place"] for row in label_rows(ends(0.1, 0.9, 0.5))] == [0.1, 0.9, 0.5]


def test_neighbours_move_apart_equally() -> None:
    placed = [row["place"] for row in label_rows(ends(0.51, 0.5))]
    assert placed == pytest.approx([0.505 + GAP / 2, 0.505 - GAP / 2])


def test_lines_that_end_in_one_point_have_a_list() -> None:
    rows = [row | {"merit": n} for n, row in enumerate(ends(0.2, 0.2, 0.2))]
    placed = label_rows(rows)
    assert [row["place"] for row in placed] == pytest.approx([1 - 2 * GAP, 1 - GAP, 1])
    assert all(row["y"] == row["place"] for row in placed)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=_MOST_LABELS))
def test_labels_never_cover_each_other(heights: list[float]) -> None:
    placed = label_rows(ends(*heights))
    places = np.array([row["place"] for row in placed])
    assert np.diff(np.sort(places)).min(initial=1) >= GAP - 1e-9
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    order = np.argsort([row["y"] for row in placed], kind="stable")
    assert (np.diff(places[order]) > 0).all()


def test_many_lines_have_a_legend() -> None:
    names = [f"s{n}" for n in range(_MOST_LABELS + 1)]
    assert label_rows(ends(*np.linspace(0, 1, len(names)))) == []
    assert labels(names) == []
    assert line_style(names)["color"].to_dict()["legend"] is not None
    assert line_style(names[:3])["color"].to_dict()["legend"] is None


def test_the_last_point_of_a_line_is_kept() -> None:
    rows = [{"n": n} for n in range(11)]
    assert thin_line(rows, 4) == [{"n": 0}, {"n": 4}, {"n": 8}, {"n": 10}]
    assert thin_line(rows, 11)[-1] == {"n": 10}
    assert thin_line([], 4) == []
