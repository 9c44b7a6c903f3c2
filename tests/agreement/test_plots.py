"""The grades of pairs of judges, as matrices."""

from __future__ import annotations

import pytest

from cleverdon.agreement.agreement import agree
from cleverdon.agreement.labels import Labels
from cleverdon.agreement.plots import _grades_rows, grades_of_judges
from cleverdon.errors import OptionError
from tests.agreement.made import labels_of

LABELS = Labels.of(
    {
        "ann": {"q": {"a": 0, "b": 1, "c": 1}},
        "bob": {"q": {"a": 0, "b": 0, "c": 1}},
        "llm": {"q": {"a": 1, "b": 1}},
    }
)


def test_cells_are_the_tables() -> None:
    agreed = agree(LABELS, resamples=5)
    cells = _grades_rows(agreed)["cells"]
    assert [cell["count"] for cell in cells] == [
        count for pair in agreed.pairs for count in pair.confusion.ravel().tolist()
    ]
    second = {(c["first"], c["second"]): c for c in cells if c["pair"] == "ann by bob"}
    assert second["1", "0"]["share"] == 0.5


def test_a_row_that_nobody_gave_has_no_share() -> None:
    cells = _grades_rows(agree(labels_of([[0, 0], [0, 1]]), resamples=5))["cells"]
    assert [cell["share"] for cell in cells] == [0.5, 0.5, None, None]


def test_models_and_axes_are_named() -> None:
    chart = grades_of_judges(agree(LABELS, models=["llm"], resamples=5)).to_dict()
    pairs = {cell["pair"] for cell in chart["datasets"]["cells"]}
    assert pairs == {"ann by bob", "ann by llm (model)", "bob by llm (model)"}
    text = str(chart)
    assert "grade of the first judge" in text
    assert "grade of the second judge" in text
    assert "3 documents that two judges" in chart["title"]["subtitle"]


def test_too_many_judges_for_a_plot() -> None:
    many = labels_of([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] * 12)
    with pytest.raises(OptionError, match="66 pairs of judges and 10 grades are too many"):
        grades_of_judges(agree(many, coefficients=["agreement"], resamples=1))
