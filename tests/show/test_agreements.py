"""Tables of agreement and of tuning, in every format."""

from __future__ import annotations

import json
import math

import pytest

from cleverdon import evaluate
from cleverdon.compare import agreements, tune_scores
from cleverdon.errors import OptionError
from cleverdon.show.agreements import render, render_matrix, render_runs
from cleverdon.show.grid import FORMATS
from cleverdon.show.tuning import render as render_tuning

QRELS = {f"q{i}": {"a": 1, "b": 2} for i in range(4)}
RUNS = {
    "x|y": {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QRELS},
    "z": {query: {"c": 3.0, "b": 2.0, "a": 1.0} for query in QRELS},
}
SCORES = evaluate(QRELS, RUNS, "nDCG RR")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str) -> None:
    found = agreements(SCORES, resamples=20)
    for_programs = format in ("csv", "tsv", "json")
    assert ("spearman" if for_programs else "rho") in render(found, format)
    assert ("spearman" if for_programs else "rho") in render_matrix(found, "spearman", format)
    assert "q0" in render_runs({"rbo": {"q0": 0.5, "q1": math.nan}}, format)
    assert "x" in render_tuning(tune_scores(SCORES, "RR", folds=2), format)


def test_notes_are_sentences_where_they_share_a_line() -> None:
    below = render(agreements(SCORES, resamples=20), "latex").splitlines()[-1]
    assert "by 4 topics. in brackets: 95\\% intervals of a bootstrap over topics.\\par" in below


def test_undefined_is_a_dash_an_empty_cell_or_null() -> None:
    found = {"rbo": {"q0": 0.5, "q1": math.nan}, "kendall": {"q0": math.nan, "q1": math.nan}}
    text = render_runs(found)
    assert "q1          -        -" in text
    assert text.endswith("means of what is defined: rbo 0.5000, kendall -")
    assert render_runs(found, "csv").split("\n") == ["query,rbo,kendall", "q0,0.5,", "q1,,"]
    whole = json.loads(render_runs(found, "json"))
    assert whole == {
        "means": {"rbo": 0.5, "kendall": None},
        "queries": {"q0": {"rbo": 0.5, "kendall": None}, "q1": {"rbo": None, "kendall": None}},
    }


def test_a_square_has_all_orders() -> None:
    square = json.loads(render_matrix(agreements(SCORES, resamples=20), "kendall", "json"))
    assert square == {"kendall": {"nDCG": {"nDCG": 1.0, "RR": 1.0}, "RR": {"nDCG": 1.0, "RR": 1.0}}}


def test_words_that_are_not_known() -> None:
    found = agreements(SCORES, resamples=20)
    with pytest.raises(OptionError, match="format='xml' is not known"):
        render(found, "xml")
    with pytest.raises(OptionError, match="did you mean 'kendall'"):
        render_matrix(found, "kendal")
