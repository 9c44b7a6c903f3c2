"""How alike measures are."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.compare import agreements
from cleverdon.errors import OptionError
from cleverdon.show import plot
from tests.compare.made import made
from tests.show.plot.made import datasets, many, subtitle

SCORES = made(
    {
        "a": {"AP": [0.1, 0.2, 0.6], "RR": [0.2, 0.4, 0.3], "FPR": [0.9, 0.8, 0.7]},
        "b": {"AP": [0.2, 0.3, 0.7], "RR": [0.1, 0.2, 0.3], "FPR": [0.5, 0.5, 0.5]},
        "c": {"AP": [0.3, 0.4, 0.8], "RR": [0.4, 0.5, 0.6], "FPR": [0.3, 0.2, 0.1]},
    }
)


def cells(chart: object) -> dict[tuple[str, str], dict[str, object]]:
    return {(row["row"], row["column"]): row for row in datasets(chart)["cells"]}


def test_orders_of_systems() -> None:
    found = cells(plot.correlation(SCORES))
    assert found["AP", "AP"]["text"] == ""
    # RR has b below a, and the rest as AP has it; FPR is turned round.
    assert found["AP", "RR"]["coefficient"] == pytest.approx(1 / 3)
    assert found["AP", "RR"]["text"] == "0.33"
    assert found["AP", "FPR"]["coefficient"] == 1.0
    assert found["RR", "AP"] == found["AP", "RR"] | {"row": "RR", "column": "AP"}


@pytest.mark.parametrize("coefficient", ["kendall", "tau_ap", "spearman"])
def test_the_coefficients_are_those_of_agreements(coefficient: str) -> None:
    found = cells(plot.correlation(many(6, 30), coefficient=coefficient))
    for one in agreements(many(6, 30), resamples=1):
        value = getattr(one, coefficient).value
        assert found[one.first, one.second]["coefficient"] == value
        assert found[one.second, one.first]["shade"] == value


def test_values_of_topics() -> None:
    chart = plot.correlation(SCORES, of="topics", measures="AP RR")
    # Of a, one pair of three topics is the other way round: tau 1/3; of b and c none is.
    assert cells(chart)["AP", "RR"]["coefficient"] == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert subtitle(chart) == "Kendall's tau-b over 3 topics, the mean of 3 systems."
    pearson = plot.correlation(SCORES, of="topics", coefficient="pearson")
    expected = np.mean(
        [np.corrcoef(SCORES.values[s, 0], SCORES.values[s, 1])[0, 1] for s in range(3)]
    )
    assert cells(pearson)["AP", "RR"]["coefficient"] == pytest.approx(expected)
    # All of b's FPR are the same, and say nothing of topics.
    assert cells(pearson)["AP", "FPR"]["coefficient"] == pytest.approx(
        np.mean([np.corrcoef(SCORES.values[s, 0], -SCORES.values[s, 2])[0, 1] for s in (0, 2)])
    )


def test_what_says_nothing_is_a_dash() -> None:
    flat = made({name: {"AP": [0.5, 0.5], "RR": [0.1, 0.9]} for name in "ab"})
    for of in ("systems", "topics"):
        cell = cells(plot.correlation(flat, of=of))["AP", "RR"]
        assert (cell["text"], cell["coefficient"], cell["shade"]) == ("-", None, 0.0)


def test_measures_that_give_texts_are_left_out() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {name: {"q1": {name: 1.0}, "q2": {"a": 1.0}} for name in "ab"}
    scores = evaluate(qrels, runs, "AP RR RelString")
    assert len(datasets(plot.correlation(scores))["cells"]) == 4


def test_mistakes_are_told() -> None:
    with pytest.raises(OptionError, match="one measure only, AP"):
        plot.correlation(SCORES, measures="AP")
    with pytest.raises(OptionError, match="coefficient='tau_ap' is not known"):
        plot.correlation(SCORES, of="topics", coefficient="tau_ap")
    with pytest.raises(OptionError, match="of='system' is not known"):
        plot.correlation(SCORES, of="system")
    with pytest.raises(OptionError, match="two systems"):
        plot.correlation(made({"a": {"AP": [0.5], "RR": [0.5]}}))
