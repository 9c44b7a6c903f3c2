"""Systems by precision and recall, over lines of equal F."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.show.plot import f_lines
from cleverdon.show.plot.base import LIMIT
from cleverdon.show.plot.f_lines import f_lines_rows
from tests.show.plot.ranked import made, ranked


def test_points_are_means() -> None:
    scores = ranked({"a": {"q1": "1 0 | 1", "q2": "1 1"}})
    (point,) = f_lines_rows(scores, k=2)["points"]
    assert (point["precision"], point["recall"]) == (0.75, 0.75)
    assert point["f"] == pytest.approx(0.75)
    assert point["mean_f"] == pytest.approx(0.75)
    (whole,) = f_lines_rows(scores, beta=2)["points"]
    assert (whole["precision"], whole["recall"]) == (0.75, 0.75)


@pytest.mark.parametrize("k", [None, 5])
def test_points_are_the_measures(k: int | None) -> None:
    names = ["P@5", "R@5", "F(beta=2)@5"] if k else ["SetP", "SetR", "SetF(beta=2)"]
    scores = made(3, 10, measures=names)
    for point in f_lines_rows(scores, k=k, beta=2)["points"]:
        found = [point["precision"], point["recall"], point["mean_f"]]
        assert found == [scores.mean(point["system"], name) for name in names]


@pytest.mark.parametrize("beta", [0, 0.5, 1, 2, 5])
@pytest.mark.parametrize("zoom", [False, True])
def test_f_is_equal_along_a_line(beta: float, zoom: bool) -> None:
    rows = f_lines_rows(made(4, 10), k=5, beta=beta, zoom=zoom)
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
    rows = f_lines_rows(made(2, 5), beta=beta)
    side = "recall" if beta > 1 else "precision"
    gaps = np.diff([row[side] for row in rows["ends"]])
    assert gaps.min() * 340 > 10


def test_f_is_that_of_scikit_learn() -> None:
    # Precision 2/4 and recall 2/3.
    scores = ranked({"a": {"q": "1 0 1 0 | 1"}})
    theirs = fbeta_score([1, 0, 1, 0, 1], [1, 1, 1, 1, 0], beta=2)
    (point,) = f_lines_rows(scores, beta=2)["points"]
    assert point["f"] == pytest.approx(theirs)
    assert point["mean_f"] == pytest.approx(theirs)


def test_zoom_shows_where_the_systems_are() -> None:
    scores = made(10, 20)
    rows = f_lines_rows(scores, k=5, zoom=True)
    low, high = rows["corners"]
    for name in ("precision", "recall"):
        values = [point[name] for point in rows["points"]]
        assert low[name] <= min(values) <= max(values) <= high[name]
        assert high[name] - low[name] < 0.9
    assert len(rows["lines"]) <= LIMIT


def test_nothing_found_is_a_point_at_the_origin() -> None:
    (point,) = f_lines_rows(ranked({"a": {"q": "0 0 | 1"}}), k=2, zoom=True)["points"]
    assert (point["precision"], point["recall"], point["f"]) == (0, 0, 0)


def test_what_has_no_recall_is_refused() -> None:
    scores = ranked({"a": {"q": "0 0"}}, undefined="skip")
    with pytest.raises(OptionError, match="R@2 of 'a' cannot be drawn: it is undefined"):
        f_lines(scores, k=2)
    bare = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="keep=k"):
        f_lines(bare)
