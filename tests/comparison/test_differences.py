"""Systems against a baseline."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import ttest_rel
from statsmodels.formula.api import ols
from statsmodels.stats.anova import AnovaRM, anova_lm
from statsmodels.stats.weightstats import ttost_paired

from cleverdon import evaluate
from cleverdon.comparison.claims import state_claims
from cleverdon.comparison.differences import compare, within_margin
from cleverdon.comparison.gate import check_gate
from cleverdon.comparison.reliability import (
    anova,
    discriminative_power,
    replicate,
    split_half,
    swap_rates,
)
from cleverdon.comparison.samples import average_intervals
from cleverdon.comparison.splits import _difficulty
from cleverdon.errors import OptionError
from cleverdon.measures.ranked import RR
from cleverdon.stats.multiple_comparisons import holm, two_way_variance
from cleverdon.stats.tests import margin_test
from tests.comparison.made import made
from tests.stats.null import assert_level

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
    text = state_claims(compare(scores, baseline="bad")).render()
    assert "good beats bad on RR by 0.500" in text
    assert "mixed is not shown to differ from bad on RR: +0.125" in text
    assert "bad is worse than good on RR" in state_claims(compare(scores, baseline="good")).render()


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


def _random(*, systems: int, queries: int) -> dict[str, dict[str, list[float]]]:
    random = np.random.default_rng(5)
    return {
        f"s{i}": {measure: random.uniform(0, 1, queries).tolist() for measure in ("AP", "GMAP")}
        for i in range(systems)
    }


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon", "sign", "tukey"])
def test_every_baseline_is_in_a_comparison_of_all_pairs(test: str) -> None:
    scores = made(_random(systems=4, queries=30))
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
    scores = made(_random(systems=3, queries=10))
    with pytest.raises(OptionError, match="every pair"):
        compare(scores, alternative="greater").against(scores.systems[0])
    with pytest.raises(OptionError, match="every pair"):
        compare(scores, baseline=scores.systems[0]).against(scores.systems[1])
    with pytest.raises(OptionError, match="no system"):
        compare(scores).against("none")


def test_a_notebook_shows_a_table() -> None:
    assert "<table>" in compare(made(_random(systems=2, queries=5)))._repr_html_()


def test_what_is_no_scores_is_said_to_be_none() -> None:
    with pytest.raises(OptionError, match="'dict' is not a Scores"):
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
        lambda scores: _difficulty(scores, "Fallout"),
        lambda scores: check_gate(scores, "Fallout <= 0.5", system="good"),
        lambda scores: check_gate(scores, "Fallout <= baseline", system="good", baseline="bad"),
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


@pytest.mark.parametrize(("systems", "queries"), [(2, 5), (4, 12), (7, 3)])
def test_as_statsmodels_has_it(systems: int, queries: int) -> None:
    random = np.random.default_rng(systems)
    values = random.normal(size=(systems, queries)) + random.normal(size=queries)
    rows = [(s, t, value) for s, row in enumerate(values) for t, value in enumerate(row.tolist())]
    frame = pd.DataFrame(rows, columns=["system", "query", "value"])
    table = anova_lm(ols("value ~ C(system) + C(query)", frame).fit())
    repeated = AnovaRM(frame, "value", "query", within=["system"]).fit().anova_table
    found = two_way_variance(values)
    for effect, name in (
        (found.systems, "C(system)"),
        (found.units, "C(query)"),
        (found.residual, "Residual"),
    ):
        assert effect.freedom == table["df"][name]
        assert effect.squares == pytest.approx(table["sum_sq"][name])
        assert effect.mean_square == pytest.approx(table["mean_sq"][name])
    assert found.p(found.units) == pytest.approx(table["PR(>F)"]["C(query)"])
    assert found.p(found.systems) == pytest.approx(table["PR(>F)"]["C(system)"])
    assert found.f(found.systems) == pytest.approx(repeated["F Value"]["system"])
    assert found.p(found.systems) == pytest.approx(repeated["Pr > F"]["system"])
    # The other way to write it: Olejnik & Algina 2003.
    more = found.systems.freedom * (found.f(found.systems) - 1)
    assert found.strength(found.systems) == pytest.approx(more / (more + values.size))


def test_from_scores() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    poor = good | {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}
    scores = evaluate(qrels, {"good": good, "poor": poor}, ["RR", "P@1"])
    found = anova(scores)
    assert [str(one.measure) for one in found] == ["RR", "P@1"]
    # With two systems it is the t test.
    from scipy.stats import ttest_rel

    expected = ttest_rel(*np.nan_to_num(scores.values[:, 0])).pvalue
    assert found[0].p_systems == pytest.approx(expected)
    assert [str(one.measure) for one in anova(scores, measures="P@1")] == ["P@1"]


def test_without_error_or_without_anything() -> None:
    same = two_way_variance(np.full((3, 4), 0.1))
    assert (same.p(same.systems), same.p(same.units)) == (1, 1)
    assert np.isnan(same.f(same.systems))
    assert np.isnan(same.strength(same.systems))
    shifted = two_way_variance(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]))
    assert shifted.residual.squares == 0
    assert shifted.p(shifted.systems) == 0
    assert shifted.strength(shifted.systems) == 1


def test_too_little_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 2 units"):
        two_way_variance(np.zeros((3, 1)))
    with pytest.raises(OptionError, match="at least 2 systems"):
        two_way_variance(np.zeros((1, 3)))


def test_under_the_null_p_is_small_as_often_as_it_says() -> None:
    random = np.random.default_rng(31)
    p = []
    for _ in range(2000):
        found = two_way_variance(random.normal(size=(4, 10)) + random.normal(size=10))
        p.append(found.p(found.systems))
    assert_level(p, never_below=True)


def test_geometric_means_are_analysed_by_logarithms() -> None:
    values = {"one": [0.1, 0.5, 0.2, 0.9], "two": [0.2, 0.6, 0.1, 0.95]}
    found = anova(made({name: {"GMAP": of} for name, of in values.items()}))[0]
    one, two = (np.log(of) for of in values.values())
    assert found.p_systems == pytest.approx(ttest_rel(one, two).pvalue)


MARGIN_QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(20)}
OLD = {query: {"a": 2.0, "b": 1.0} for query in MARGIN_QRELS}
NEW = OLD | {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(2)}


class Backwards(RR):
    """What is the better the lower it is."""

    better = "lower"


@pytest.mark.parametrize("margin", [0.1, 0.3, 1.0])
def test_as_statsmodels_and_scipy_have_them(margin: float) -> None:
    random = np.random.default_rng(6)
    ours, theirs = random.normal(0.05, 0.5, size=(2, 8, 30))
    rows = ours - theirs
    expected = [ttost_paired(a, b, -margin, margin)[0] for a, b in zip(ours, theirs, strict=True)]
    assert [p.p for p in margin_test(rows, margin=margin)] == pytest.approx(expected, rel=1e-8)
    above = stats.ttest_1samp(rows, -margin, axis=1, alternative="greater").pvalue
    assert [
        p.p for p in margin_test(rows, margin=margin, claim="non-inferiority")
    ] == pytest.approx(above, rel=1e-8)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_on_the_margin_p_is_small_as_often_as_it_says(test: str) -> None:
    options = {} if test == "t" else {"draws": 999}
    rows = np.random.default_rng(41).normal(-0.5, 1, size=(2000, 25))
    found = margin_test(rows, margin=0.5, claim="non-inferiority", test=test, **options)
    assert_level(found, never_below=True)
    assert_level(margin_test(rows, margin=0.5, test=test, **options), never_below=False)


def test_no_difference_at_all_is_equivalent() -> None:
    assert margin_test(np.zeros((1, 10)), margin=0.1)[0].p == 0
    exact = margin_test(np.zeros((1, 10)), margin=0.1, test="randomisation")[0]
    assert (exact.p, exact.exact) == (2**-10, True)


def test_from_scores_by_what_is_better() -> None:
    scores = evaluate(MARGIN_QRELS, {"old": OLD, "new": NEW}, [RR(), Backwards()])
    rr, _ = within_margin(scores, baseline="old", margin=0.25, correction="none")
    assert rr.difference == pytest.approx(-0.05)
    assert (rr.system, rr.baseline, rr.margin) == ("new", "old", 0.25)
    assert rr.p.p < 0.001
    settings = {"margin": 0.01, "claim": "non-inferiority", "correction": "none"}
    lower, lower_is_better = within_margin(scores, baseline="old", **settings)
    assert lower.p.p > 0.5
    assert lower_is_better.p.p < 0.05
    higher, higher_is_worse = within_margin(scores, baseline="new", **settings)
    assert higher.p.p == lower_is_better.p.p
    assert higher_is_worse.p.p == lower.p.p


def test_p_values_are_corrected_over_all() -> None:
    scores = evaluate(MARGIN_QRELS, {"old": OLD, "new": NEW}, ["RR", "P@1"])
    found = within_margin(scores, baseline="old", margin=0.2, correction="bonferroni")
    assert [one.corrected for one in found] == [min(1, 2 * one.p.p) for one in found]


def test_what_makes_no_sense_is_refused() -> None:
    scores = evaluate(MARGIN_QRELS, {"old": OLD, "new": NEW}, ["RR", "NumRet", "GMAP"])
    for margin in (0, -1, np.nan, np.inf):
        with pytest.raises(OptionError, match="margin"):
            within_margin(scores, baseline="old", margin=margin, measures="RR")
    with pytest.raises(OptionError, match="no mean over queries"):
        within_margin(scores, baseline="old", margin=0.1, measures="GMAP")
    with pytest.raises(OptionError, match="no system 'odd'; did you mean 'old'"):
        within_margin(scores, baseline="odd", margin=0.1, measures="RR")
    with pytest.raises(OptionError, match="nothing to compare with"):
        within_margin(scores, baseline="old", margin=0.1, measures="RR", systems=["old"])
    with pytest.raises(OptionError, match="claim="):
        within_margin(scores, baseline="old", margin=0.1, measures="RR", claim="superiority")
