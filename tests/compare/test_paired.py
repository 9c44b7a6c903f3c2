"""Systems against a baseline."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.stats import ttest_rel

from cleverdon import evaluate
from cleverdon.compare import (
    anova,
    average_intervals,
    claims,
    compare,
    discriminative_power,
    gate,
    replicate,
    split_half,
    swap_rates,
    within_margin,
)
from cleverdon.compare.multiplicity import holm
from cleverdon.compare.splits import difficulty
from cleverdon.errors import OptionError
from cleverdon.show.claims import render
from tests.compare.made import made

QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(12)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
BAD = {query: {"a": 1.0, "b": 2.0} for query in QRELS}
MIXED = {query: (GOOD if i < 3 else BAD)[query] for i, query in enumerate(QRELS)}


def test_differences_count_queries_and_correct_for_all_comparisons() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR", "P@1"])
    found = {(d.system, str(d.measure)): d for d in compare(scores, baseline="bad").differences}
    good = found["good", "RR"]
    assert (good.sizes.up, good.sizes.even, good.sizes.down) == (12, 0, 0)
    assert good.difference == pytest.approx(0.5)
    assert good.p.p == pytest.approx(2 / 2**12)
    assert good.corrected == pytest.approx(4 * 2 / 2**12)
    mixed = found["mixed", "P@1"]
    assert (mixed.sizes.up, mixed.sizes.even, mixed.sizes.down) == (3, 9, 0)
    assert mixed.p.p == pytest.approx(2 / 2**3)


def test_sentences_claim_no_more_than_was_found() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR"])
    text = render(claims(compare(scores, baseline="bad")))
    assert "good beats bad on RR by 0.500" in text
    assert "mixed is not shown to differ from bad on RR: +0.125" in text
    assert "bad is worse than good on RR" in render(claims(compare(scores, baseline="good")))


def test_what_cannot_be_compared_is_refused() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD}, ["RR"])
    with pytest.raises(OptionError, match="no system 'ugly'"):
        compare(scores, baseline="ugly")
    with pytest.raises(OptionError, match="AP was not evaluated"):
        compare(scores, baseline="bad", measures="AP")
    halves = {"first": {"q0": GOOD["q0"]}, "second": {"q1": GOOD["q1"]}}
    with pytest.raises(OptionError, match="no query in common"):
        compare(evaluate(QRELS, halves, "RR", missing="skip"), baseline="first")


def test_a_geometric_mean_is_tested_by_its_logarithms() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "mixed": MIXED}, ["AP", "GMAP"])
    plain, geometric = compare(scores, baseline="bad", test="t", correction="none").differences
    values = scores.values[:, 0]
    expected = ttest_rel(*np.log(np.maximum(values[::-1], 1e-5))).pvalue
    assert geometric.p.p == pytest.approx(expected)
    assert plain.p.p == pytest.approx(ttest_rel(*values[::-1]).pvalue)


def test_by_default_nothing_but_numpy_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD}, ["RR"])
    assert compare(scores, baseline="bad").differences[0].p.exact


def test_holm_is_the_default_correction_and_words_are_checked() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD}, ["RR"])
    assert compare(scores).correction == "holm"
    with pytest.raises(OptionError, match="did you mean 'tukey'"):
        compare(scores, test="tukeys")
    with pytest.raises(OptionError, match="did you mean 'holm'"):
        compare(scores, correction="holms")
    with pytest.raises(OptionError, match="there is no system and nothing"):
        compare(scores, systems=[])


def test_holm_against_statsmodels_documented_example() -> None:
    # Sorted p: .01*4, .013*3, .014*2, .19*1, made to rise.
    assert holm([0.01, 0.013, 0.014, 0.19]) == pytest.approx([0.04, 0.04, 0.04, 0.19])
    assert holm([]) == []
    assert max(holm(list(np.linspace(0.2, 1, 5)))) == 1


_FOUND_ONCE = {q: {"b": 1.0} for q in QRELS} | {next(iter(QRELS)): GOOD[next(iter(QRELS))]}
ENDLESS = evaluate(QRELS, {"good": GOOD, "once": _FOUND_ONCE}, "SearchLength")


@pytest.mark.parametrize(
    "ask",
    [
        compare,
        anova,
        average_intervals,
        discriminative_power,
        split_half,
        swap_rates,
        lambda scores: replicate(scores, scores),
        lambda scores: within_margin(scores, baseline="good", margin=1.0),
    ],
)
def test_what_has_no_worst_value_gives_no_silent_number(ask) -> None:
    with pytest.raises(OptionError, match="SearchLength is undefined for a query, and has no"):
        ask(ENDLESS)


def test_a_baseline_that_is_not_among_the_systems() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, "RR")
    with pytest.raises(OptionError, match="'bad' is not among the systems"):
        compare(scores, baseline="bad", systems=["good", "mixed"])


def test_the_family_of_a_p_value() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR", "P@1"])
    assert compare(scores, baseline="bad").family == 4
    assert compare(scores, baseline="bad", correction="none").family == 1
    # All pairs of the three systems, whichever are looked at, and each measure by itself.
    assert compare(scores, baseline="bad", test="tukey").family == 3


def test_a_gain_over_a_baseline_below_0_is_a_gain() -> None:
    values = {"old": {"AP": [-0.2, -0.2]}, "new": {"AP": [-0.1, -0.1]}}
    (found,) = compare(made(values), baseline="old").differences
    assert found.relative == pytest.approx(0.5)
    assert found.sizes.relative == pytest.approx(0.5)


def _random(*, systems: int, topics: int) -> dict[str, dict[str, list[float]]]:
    random = np.random.default_rng(5)
    return {
        f"s{i}": {measure: random.uniform(0, 1, topics).tolist() for measure in ("AP", "GMAP")}
        for i in range(systems)
    }


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "tukey"])
def test_every_baseline_is_in_a_comparison_of_all_pairs(test: str) -> None:
    scores = made(_random(systems=4, topics=30))
    pairs = compare(scores, test=test)
    for baseline in scores.systems:
        expected = compare(scores, baseline=baseline, test=test)
        found = pairs.against(baseline)
        assert found.baseline == baseline
        for ours, theirs in zip(found.differences, expected.differences, strict=True):
            assert (ours.system, ours.baseline, ours.measure) == (
                theirs.system,
                theirs.baseline,
                theirs.measure,
            )
            assert ours.sizes == theirs.sizes
            assert (ours.p, ours.corrected) == (theirs.p, theirs.corrected)
            ends = (theirs.interval.low, theirs.interval.high)
            assert (ours.interval.low, ours.interval.high) == pytest.approx(ends, abs=1e-12)


def test_other_baselines_are_only_in_two_sided_comparisons_of_all_pairs() -> None:
    scores = made(_random(systems=3, topics=10))
    with pytest.raises(OptionError, match="every pair"):
        compare(scores, alternative="greater").against(scores.systems[0])
    with pytest.raises(OptionError, match="every pair"):
        compare(scores, baseline=scores.systems[0]).against(scores.systems[1])
    with pytest.raises(OptionError, match="no system"):
        compare(scores).against("none")


def test_a_notebook_shows_a_table() -> None:
    assert "<table>" in compare(made(_random(systems=2, topics=5)))._repr_html_()


def test_what_is_no_scores_is_said_to_be_none() -> None:
    with pytest.raises(OptionError, match="'dict' is no Scores"):
        compare({"a": 1}, measures="AP")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ask",
    [
        compare,
        anova,
        average_intervals,
        discriminative_power,
        split_half,
        swap_rates,
        lambda scores: difficulty(scores, "Fallout"),
        lambda scores: gate(scores, "Fallout <= 0.5", system="good"),
        lambda scores: gate(scores, "Fallout <= baseline", system="good", baseline="bad"),
        lambda scores: replicate(scores, scores),
        lambda scores: within_margin(scores, baseline="good", margin=1.0),
    ],
)
def test_what_is_unknown_is_refused_with_the_remedy(ask) -> None:
    scores = evaluate(QRELS, {"good": GOOD, "bad": BAD}, "Fallout")
    with pytest.raises(OptionError, match=r"Fallout has no value: .* on the command line --docs N"):
        ask(scores)


def test_a_system_without_a_value_is_named() -> None:
    runs = {"good": GOOD, "none": {query: {} for query in QRELS}}
    with pytest.raises(
        OptionError, match=r"SetP of 'none' has no value: .* \(nothing was returned"
    ):
        compare(evaluate(QRELS, runs, "SetP"))
