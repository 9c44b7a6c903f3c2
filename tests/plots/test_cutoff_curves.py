"""A measure at many cut-offs."""

from __future__ import annotations

import pytest

from cleverdon.by_rank import cut_measures
from cleverdon.errors import NotationError, OptionError
from cleverdon.measures.graded import nDCG
from cleverdon.plots.cutoff_curves import by_cutoff, by_cutoff_rows
from tests.plots.ranked import made_rankings, ranked


def lines(chart):
    found: dict = {}
    for row in chart.to_dict()["datasets"]["means"]:
        found.setdefault(row["system"], {})[row["k"]] = row["value"]
    return found


def test_precision_by_hand() -> None:
    scores = ranked({"a": {"q1": "1 0 1", "q2": "0 1"}})
    expected = {1: 0.5, 2: 0.5, 4: (2 / 4 + 1 / 4) / 2}
    assert lines(by_cutoff(scores, "P", cutoffs=(4, 1, 2, 2)))["a"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("asked", "measured"),
    [
        ("nDCG", "nDCG@{k}"),
        ("nDCG(gain=exponential)@10", "nDCG(gain=exponential)@{k}"),
        ("P@3", "P@{k}"),
        ("RR", "RR@{k}"),
        ("R(rel=2)", "R(rel=2)@{k}"),
        ("AP(judged_only=true)", "AP(judged_only=true)@{k}"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"undefined": "skip"}, {"ties": "worst"}])
def test_every_point_is_what_evaluation_gives(asked: str, measured: str, options: dict) -> None:
    cutoffs = (1, 2, 5, 20)
    names = [measured.format(k=k) for k in cutoffs]
    scores = made_rankings(2, 8, documents=5, coarse=True, measures=names, **options)
    for system, line in lines(by_cutoff(scores, asked, cutoffs=cutoffs)).items():
        assert list(line.values()) == [scores.mean(system, name) for name in names]


def test_expected_values_over_ties_are_drawn_where_asked_for() -> None:
    scores = made_rankings(2, 8, coarse=True, measures="P@1 P@5", ties="expected")
    for system, line in lines(by_cutoff(scores, "P", cutoffs=(1, 5))).items():
        assert list(line.values()) == [scores.mean(system, "P@1"), scores.mean(system, "P@5")]


def test_a_hundred_cutoffs_by_default() -> None:
    line = lines(by_cutoff(made_rankings(1, 3), "nDCG"))["system 0"]
    assert list(line) == list(range(1, 101))


def test_bands_are_intervals_of_the_means() -> None:
    scores = made_rankings(2, 30, measures="P@5")
    rows = by_cutoff_rows(scores, cut_measures(scores, "P", (5,)), (5,), confidence=0.9)
    values = scores.values[0, 0]
    error = values.std(ddof=1) / len(values) ** 0.5
    row = rows["means"][0]
    assert row["low"] == pytest.approx(row["value"] - 1.6991 * error, abs=1e-4)
    assert row["high"] == pytest.approx(row["value"] + 1.6991 * error, abs=1e-4)
    said = by_cutoff(scores, "P", confidence=0.9).to_dict()["title"]["subtitle"]
    assert said == "Mean over 30 queries. Bands: 90% intervals of each mean."


def test_a_measure_may_be_an_object() -> None:
    scores = made_rankings(1, 3)
    assert [m.k for m in cut_measures(scores, nDCG(gain="exponential"), (3, 7))] == [3, 7]


def test_many_systems_and_queries_fit() -> None:
    rows = by_cutoff(made_rankings(15, 200, documents=6), "nDCG").to_dict()["datasets"]
    assert len(rows["means"]) == 1500
    assert len({row["place"] for row in rows["ends"]}) == 15


def test_what_has_no_cutoff_is_refused() -> None:
    scores = made_rankings(2, 3)
    with pytest.raises(OptionError, match="has no cut-off k"):
        by_cutoff(scores, "bpref")
    with pytest.raises(OptionError, match="cannot be computed from the rankings"):
        by_cutoff(scores, "RelString")
    with pytest.raises(NotationError):
        by_cutoff(scores, "nDGC")
    with pytest.raises(OptionError, match="no cut-off to draw"):
        by_cutoff(scores, "P", cutoffs=())
    with pytest.raises(OptionError, match="more than the 5,000 points"):
        by_cutoff(scores, "P", cutoffs=range(1, 2600))
