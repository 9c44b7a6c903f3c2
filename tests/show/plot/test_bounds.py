"""Bounds as whiskers."""

from __future__ import annotations

import pytest

from cleverdon.errors import OptionError
from cleverdon.show.plot import bounds
from cleverdon.show.plot.bounds import bounds_rows
from tests.show.plot.ranked import made, ranked


def test_bounds_by_hand() -> None:
    scores = ranked({"a": {"q1": "1 - 0", "q2": "0 1 0"}}, "P@3", bounds=True)
    (row,) = bounds_rows(scores)["means"]
    assert row == {
        "measure": "P@3",
        "system": "a",
        "lowest": pytest.approx(1 / 3),
        "mean": pytest.approx(1 / 3),
        "highest": pytest.approx(1 / 2),
    }


def test_every_mean_lies_within() -> None:
    scores = made(3, 12, measures="nDCG@5 P@5 AP", bounds=True)
    rows = bounds_rows(scores)["means"]
    assert len(rows) == 9
    for row in rows:
        assert row["lowest"] <= row["mean"] <= row["highest"]
        assert row["mean"] == scores.mean(row["system"], row["measure"])
        assert (row["lowest"], row["highest"]) == scores.mean_bounds(row["system"], row["measure"])


def test_the_chart_says_what_is_not_known() -> None:
    scores = made(2, 4, measures="P@5 AP", bounds=True)
    chart = bounds(scores, "AP").to_dict()
    assert chart["facet"]["sort"] == ["AP"]
    assert len(chart["datasets"]["means"]) == 2
    said = "over all orders of tied results and grades of unjudged results."
    assert chart["title"]["subtitle"].endswith(said)


def test_scores_without_bounds_are_refused() -> None:
    with pytest.raises(OptionError, match="bounds=True"):
        bounds(made(2, 4))
    with pytest.raises(OptionError, match="P@9 was not evaluated"):
        bounds(made(2, 4, bounds=True), "P@9")
