"""Forest plots, matrices of all pairs, and bounds."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.charts.matrices import check_matrix_size
from cleverdon.comparison.differences import compare
from cleverdon.errors import OptionError
from cleverdon.plots import comparisons
from cleverdon.plots.comparisons import (
    _SHOWN,
    _bounds_rows,
    bounds,
    forest,
    forest_rows,
    pairs,
    pairs_rows,
)
from tests.comparison.made import made
from tests.plots.made import ODD, datasets, subtitle
from tests.plots.ranked import made_rankings, ranked

LOW = [0.1, 0.2, 0.3, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.3]
EVEN = [0.3, 0.1, 0.2, 0.3, 0.2, 0.1, 0.1, 0.3, 0.2, 0.1]
HIGH = [0.6, 0.7, 0.9, 0.7, 0.6, 0.8, 0.7, 0.6, 0.7, 0.8]
SCORES = made(
    {
        "low": {"nDCG@10": LOW, "FPR": HIGH},
        "even": {"nDCG@10": EVEN, "FPR": LOW},
        "high": {"nDCG@10": HIGH, "FPR": EVEN},
    }
)
AGAINST = compare(SCORES, baseline="low")
PAIRS = compare(SCORES)


def test_every_difference_has_a_row() -> None:
    rows = forest_rows(AGAINST)["differences"]
    assert [(row["label"], row["panel"]) for row in rows] == [
        ("even", "nDCG@10"),
        ("even", "FPR (lower is better)"),
        ("high", "nDCG@10"),
        ("high", "FPR (lower is better)"),
    ]
    for row, found in zip(rows, AGAINST.differences, strict=True):
        assert row["difference"] == found.difference
        assert (row["low"], row["high"]) == (found.interval.low, found.interval.high)
        assert row["corrected"] == found.corrected
    assert [row["significant"] for row in rows] == [False, True, True, True]
    assert [row["estimate"] for row in rows[:2]] == ["−0.0100", "−0.5100"]
    assert rows[0]["chance"].startswith("p = ")


def test_pairs_say_which_is_taken_from_which() -> None:
    rows = forest_rows(PAIRS, "FPR")["differences"]
    assert [row["label"] for row in rows] == ["even less low", "high less low", "high less even"]
    assert "step-down max-T over 3 comparisons by nDCG@10, which decides" in subtitle(
        comparisons.forest(PAIRS, "FPR")
    )


def test_what_no_result_on_so_few_queries_could_show_is_said() -> None:
    five = {"a": [0.1, 0.2, 0.3, 0.4, 0.5], "b": [0.3, 0.5, 0.5, 0.7, 0.9], "c": [0.2] * 5}
    said = subtitle(forest(compare(made({name: {"AP": of} for name, of in five.items()}))))
    text = "None of 3 comparisons can be significant: no p-value on so few differing queries is "
    assert f"{text}below 0.062." in said
    assert "be significant" not in subtitle(forest(PAIRS))


def test_equal_differences_are_not_said_to_be_of_too_few_queries() -> None:
    values = {"a": {"AP": [0.1, 0.2, 0.3] * 10}, "b": {"AP": [0.2, 0.3, 0.4] * 10}}
    assert "Too little spread for intervals." in subtitle(forest(compare(made(values))))


def test_one_query_has_no_interval_and_a_plot_all_the_same() -> None:
    found = compare(made({"one": {"AP": [0.5]}, ODD: {"AP": [0.25]}}), baseline="one")
    (row,) = datasets(comparisons.forest(found))["differences"]
    assert (row["system"], row["low"], row["high"]) == (ODD, None, None)
    said = subtitle(comparisons.forest(found))
    assert "Too few queries for intervals." in said
    assert "95%" not in said
    assert "Thin: 95% intervals adjusted as the p-values are; thick: not adjusted." in subtitle(
        comparisons.forest(AGAINST)
    )
    drawn = datasets(comparisons.forest(AGAINST))["differences"]
    for row, one in zip(drawn, AGAINST.differences, strict=True):
        ends = (row["inner_low"], row["inner_high"])
        assert ends == (one.unadjusted.low, one.unadjusted.high)
    alone = compare(made({"one": {"AP": [0.5, 0.1]}, ODD: {"AP": [0.25, 0.3]}}), baseline="one")
    assert "Lines: 95% intervals." in subtitle(comparisons.forest(alone))


def test_exceptions_of_intervals_are_told() -> None:
    """Intervals that end at 0, those that disagree, and qualified verdicts."""
    random = np.random.default_rng(1)
    base = random.uniform(0.2, 0.4, 20)
    gains = {"u": 0.25, "v": 0.25, "w": 0.25, "x": 0.05, "y": 0.0, "z": 0.0}
    rows = {name: list(base + gain + random.normal(0, 0.08, 20)) for name, gain in gains.items()}
    rows = {"base": list(base), **rows}
    scores = made({name: {"AP": of} for name, of in rows.items()})
    found = compare(scores, baseline="base")
    assert [one.system for one in found.differences if one.stepped] == ["x"]
    told = subtitle(forest(found))
    assert "End at 0, since a later step of the test decided: x less base on AP." in told
    assert "disagree" not in told
    wide = subtitle(forest(compare(scores, baseline="base", confidence=0.999)))
    assert "disagree, since the confidence of 0.999 is not that of the level 0.05: x less" in wide
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    runs = {name: {query: {doc: 1.0} for query in qrels} for name, doc in (("b", "x"), ("c", "a"))}
    thin = subtitle(forest(compare(evaluate(qrels, runs, "P@1"), baseline="b")))
    assert "Qualified by unjudged-differs: c less b on P@1." in thin
    every = pairs(compare(evaluate(qrels, runs, "P@1")))
    assert "Qualified by unjudged-differs: c less b on P@1." in subtitle(every)


def test_a_measure_that_was_not_compared_is_told() -> None:
    with pytest.raises(OptionError, match=r"AP was not compared.*FPR"):
        comparisons.forest(AGAINST, "AP")
    with pytest.raises(OptionError, match="name one of nDCG@10, FPR"):
        comparisons.pairs(PAIRS)


def cells(**options: str) -> dict[tuple[str, str], dict[str, object]]:
    found = pairs_rows(PAIRS, **options)["cells"]  # type: ignore[arg-type]
    return {(row["row"], row["column"]): row for row in found}


def test_the_best_is_first_and_every_pair_is_there_twice() -> None:
    found = cells(measure="nDCG@10", show="difference")
    assert list(found)[:3] == [("high", "high"), ("high", "low"), ("high", "even")]
    assert found["high", "high"]["text"] == ""
    assert found["high", "low"]["text"] == "+0.510"
    assert found["low", "high"]["text"] == "-0.510"
    assert found["high", "even"]["shade"] == 1.0
    assert found["even", "high"]["shade"] == -1.0
    assert found["low", "even"]["shade"] == pytest.approx(0.01 / 0.52)
    assert (found["high", "low"]["strong"], found["low", "even"]["strong"]) == (True, False)


def test_where_lower_is_better_a_lower_row_is_the_better_one() -> None:
    found = cells(measure="FPR", show="difference")
    assert list(found)[:3] == [("high", "high"), ("high", "even"), ("high", "low")]
    assert found["low", "high"]["text"] == "+0.520"
    assert found["low", "high"]["shade"] == -1.0


def test_p_values_are_the_same_both_ways_and_shades_are_not() -> None:
    found = cells(measure="nDCG@10")
    one, other = found["high", "low"], found["low", "high"]
    assert one["text"] == other["text"]
    assert str(one["text"]).startswith("0.0")
    assert one["shade"] == -other["shade"] == 0.7  # type: ignore[operator]
    assert abs(found["low", "even"]["shade"]) == 0.15  # type: ignore[arg-type]
    assert one["corrected"] <= 0.05  # type: ignore[operator]


def test_sizes_are_those_of_the_comparison() -> None:
    (difference,) = (
        found
        for found in PAIRS.differences
        if (found.system, found.baseline, str(found.measure)) == ("high", "low", "nDCG@10")
    )
    d, delta = f"{difference.sizes.cohens_dz:+.2f}", f"{difference.sizes.cliffs_delta:+.2f}"
    assert cells(measure="nDCG@10", show="d")["high", "low"]["text"] == d
    assert cells(measure="nDCG@10", show="delta")["high", "low"]["text"] == delta
    relative = cells(measure="nDCG@10", show="relative")
    assert relative["high", "low"]["text"] == "+255.0%"  # 0.51 of 0.2
    assert relative["low", "high"]["text"] == "-71.8%"  # 0.51 of 0.71


@pytest.mark.parametrize("show", _SHOWN)
def test_systems_that_are_the_same_are_drawn(show: str) -> None:
    same = compare(made({"one": {"AP": [0.0, 0.0]}, "two": {"AP": [0.0, 0.0]}}))
    found = datasets(comparisons.pairs(same, show=show))["cells"]
    assert [row["shade"] for row in found] == [0.0] * 4
    shifted = compare(made({"one": {"AP": [0.0, 0.0]}, "two": {"AP": [0.5, 0.5]}}))
    assert all(
        -1 <= row["shade"] <= 1 for row in datasets(comparisons.pairs(shifted, show=show))["cells"]
    )


def test_a_one_sided_comparison_fills_one_half() -> None:
    found = pairs_rows(compare(SCORES, measures="FPR", alternative="greater"))["cells"]
    assert sum(bool(row["text"]) for row in found) == 3
    assert len(found) == 9


def test_a_matrix_is_of_all_pairs() -> None:
    with pytest.raises(OptionError, match="against low only"):
        comparisons.pairs(AGAINST, "FPR")
    with pytest.raises(OptionError, match="did you mean 'difference'"):
        comparisons.pairs(PAIRS, "FPR", show="diference")
    with pytest.raises(OptionError, match="71 systems are too many"):
        check_matrix_size(71, "systems")
    check_matrix_size(70, "systems")


def test_bounds_by_hand() -> None:
    scores = ranked({"a": {"q1": "1 - 0", "q2": "0 1 0"}}, "P@3", bounds=True)
    (row,) = _bounds_rows(scores)["means"]
    assert row == {
        "measure": "P@3",
        "system": "a",
        "lowest": pytest.approx(1 / 3),
        "mean": pytest.approx(1 / 3),
        "highest": pytest.approx(1 / 2),
    }


def test_every_mean_lies_within() -> None:
    scores = made_rankings(3, 12, measures="nDCG@5 P@5 AP", bounds=True)
    rows = _bounds_rows(scores)["means"]
    assert len(rows) == 9
    for row in rows:
        assert row["lowest"] <= row["mean"] <= row["highest"]
        assert row["mean"] == scores.mean(row["system"], row["measure"])
        assert (row["lowest"], row["highest"]) == scores.mean_bounds(row["system"], row["measure"])


def test_the_chart_says_what_is_not_known() -> None:
    scores = made_rankings(2, 4, measures="P@5 AP", bounds=True)
    chart = bounds(scores, "AP").to_dict()
    assert chart["facet"]["sort"] == ["AP"]
    assert len(chart["datasets"]["means"]) == 2
    said = "over all orders of tied results and grades of unjudged results."
    assert chart["title"]["subtitle"].endswith(said)


def test_scores_without_bounds_are_refused() -> None:
    with pytest.raises(OptionError, match="bounds=True"):
        bounds(made_rankings(2, 4))
    with pytest.raises(OptionError, match="P@9 was not evaluated"):
        bounds(made_rankings(2, 4, bounds=True), "P@9")
