"""What all plots of rankings promise: plain rows, few enough, whatever the scores are like."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cleverdon import Scores, evaluate
from cleverdon.charts.base import LIMIT
from cleverdon.charts.theme import MOST_SYSTEMS, short_names
from cleverdon.errors import OptionError
from cleverdon.measures.positions import AUC
from cleverdon.plots import comparisons, curves, cutoff_curves, matrices, trade_offs
from cleverdon.plots.inputs import hits_of
from tests.plots.ranked import made_rankings, ranked


def drawable(scores: Scores) -> str:
    """A query that has judged documents which are relevant, and others which are not."""
    areas = AUC()(hits_of(scores, scores.systems[0]))
    return scores.queries[int(np.flatnonzero(~np.isnan(areas))[0])]


PLOTS: dict[str, Callable[[Scores], Any]] = {
    "precision_recall": lambda scores: curves.precision_recall(scores, drawable(scores)),
    "eleven_points": curves.eleven_points,
    "roc": curves.roc,
    "roc of a query": lambda scores: curves.roc(scores, drawable(scores)),
    "confusion": lambda scores: matrices.confusion(scores, k=10),
    "grades_by_rank": matrices.grades_by_rank,
    "f_lines": lambda scores: trade_offs.f_lines(scores, k=10),
    "f_lines, zoomed": lambda scores: trade_offs.f_lines(scores, zoom=True),
    "by_cutoff": lambda scores: cutoff_curves.by_cutoff(scores, "nDCG", confidence=0.95),
    "bounds": comparisons.bounds,
}
ODD = ("<script>alert('x')</script>", "a" * 40, "two\nlines \t[0].'\"")
SCORES = {
    "10 systems": made_rankings(10, 2000, documents=4, measures="P@5", bounds=True),
    "21 systems": made_rankings(21, 3, measures="P@5", bounds=True),
    "one of each": ranked({"a": {"q": "1 0"}}, "P@5", bounds=True),
    "all equal": ranked({n: {"q": "1 0 - 1 | 0"} for n in "abc"}, "P@5", bounds=True),
    "odd names": ranked({n: {ODD[0]: "1 0 | 1"} for n in ODD}, "P@5", bounds=True),
}


@pytest.mark.parametrize("scores", SCORES.values(), ids=list(SCORES))
@pytest.mark.parametrize("name", PLOTS)
def test_rows_are_plain_and_few(name: str, scores: Scores) -> None:
    spec = PLOTS[name](scores).to_dict()
    assert spec["datasets"]
    for rows in spec["datasets"].values():
        assert len(rows) <= LIMIT
    # Whatever is not plain fails here: numpy's numbers, NaN, infinity.
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert spec["title"]["text"]
    assert spec["title"]["subtitle"]


def test_labels_name_every_system_that_is_drawn() -> None:
    few = cutoff_curves.by_cutoff(SCORES["odd names"], "P").to_dict()
    names = {row["system"]: row["label"] for row in few["datasets"]["ends"]}
    assert names == short_names(ODD)
    many = cutoff_curves.by_cutoff(SCORES["21 systems"], "P").to_dict()
    assert len(many["datasets"]["ends"]) == MOST_SYSTEMS


@pytest.mark.parametrize("name", ["eleven_points", "roc", "f_lines", "by_cutoff", "bounds"])
def test_what_has_no_value_is_not_drawn(name: str) -> None:
    qrels, run = {"q1": {"a": 0}, "q2": {"a": 0}}, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    scores = evaluate(qrels, {"run": run}, "AP", keep=10, bounds=True)
    with pytest.raises(OptionError, match=r"no judged document|no query has both"):
        PLOTS[name](scores)
