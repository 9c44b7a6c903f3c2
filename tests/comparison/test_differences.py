"""Systems against a baseline."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.stats import ttest_rel
from statsmodels.formula.api import ols
from statsmodels.stats.anova import AnovaRM, anova_lm

import cleverdon
from cleverdon import evaluate, gate
from cleverdon.comparison.differences import compare
from cleverdon.comparison.margins import within_margin
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
from cleverdon.stats.intervals import ratio_interval
from cleverdon.stats.multiple_comparisons import holm, two_way_variance
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
    assert good.corrected == pytest.approx(2 / 2**12)  # by max-T, no sign does as well in any pair
    mixed = found["mixed", "P@1"]
    assert (mixed.sizes.up, mixed.sizes.even, mixed.sizes.down) == (3, 9, 0)
    assert mixed.p.p == pytest.approx(2 / 2**3)


def test_sentences_claim_no_more_than_was_found() -> None:
    scores = evaluate(QRELS, {"bad": BAD, "good": GOOD, "mixed": MIXED}, ["RR"])
    text = cleverdon.claim(compare(scores, baseline="bad")).render()
    assert "good beats bad on RR by 0.500" in text
    assert "mixed cannot be told from bad on RR: +0.125" in text
    assert (
        "bad is worse than good on RR" in cleverdon.claim(compare(scores, baseline="good")).render()
    )


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
    assert compare(scores).correction == "max-t"
    assert compare(scores, test="sign").correction == "holm"
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

    def families(**how: str) -> list[tuple[int, bool]]:
        found = compare(scores, baseline="bad", **how)
        return [(one.family, found.is_primary(one)) for one in found.differences]

    assert families() == [(2, True), (2, False)] * 2
    assert families(primary="P@1") == [(2, False), (2, True)] * 2
    assert families(primary="all") == [(4, True)] * 4


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


def test_intervals_in_per_cent_go_as_far_as_those_of_differences() -> None:
    """Also where both ends of the difference are cut at the measure's range."""
    values = {"base": [0.5, 0.9, 0.6, 0.8], "x": [0.9, 0.1, 0.8, 0.9], "y": [0.2, 0.9, 0.9, 0.3]}
    found = compare(made({name: {"AP": of} for name, of in values.items()}), baseline="base")
    one = found.differences[0]
    assert (one.interval.low, one.interval.high) == (-1, 1)
    error = np.std(np.subtract(values["x"], values["base"]), ddof=1) / 2
    reach = stats.t.ppf(1 - 0.05 / 4, 3)  # nothing can be shown on 4 queries: it is Bonferroni's
    assert one.reach == pytest.approx(reach * error)
    relative = found.relative_interval(one)
    assert relative.low == -1  # a mean of AP is not below 0
    ratio = ratio_interval(np.array(values["x"]), np.array(values["base"]), errors=reach)
    assert relative.high == pytest.approx(ratio.high - 1)


def test_serious_doubts_qualify_differences_for_programs() -> None:
    found = compare(evaluate(QRELS, {"good": GOOD, "other": {q: {"z": 1.0} for q in QRELS}}, "P@1"))
    assert found.to_dict()["differences"][0]["qualified"] == ["nothing-judged", "unjudged-differs"]
    assert "\nDoubt: not one result of other is judged: are the document ids the same? (" in str(
        found
    )
    assert "nothing-judged unjudged-differs" in found.to_csv()
    assert "Doubt" not in str(compare(evaluate(QRELS, {"good": GOOD, "bad": BAD}, "P@1")))


def test_tukeys_family_is_every_pair_also_where_few_were_asked_for() -> None:
    random = np.random.default_rng(2)
    systems = {name: {"AP": list(random.uniform(size=9))} for name in ("base", "x", "y", "z")}
    found = compare(made(systems), baseline="base", test="tukey").differences
    assert [one.family for one in found] == [6, 6, 6]
    dunnett = compare(made(systems), baseline="base", test="dunnett").differences
    assert [one.family for one in dunnett] == [3, 3, 3]


def test_one_query_has_no_interval_by_any_test() -> None:
    one = made({name: {"AP": [value]} for name, value in (("a", 0.5), ("b", 0.3), ("c", 0.4))})
    for test in ("randomisation", "sign", "wilcoxon", "randomised-tukey"):
        for found in compare(one, test=test).differences:
            assert np.isnan(found.interval.low)
            assert np.isnan(found.unadjusted.low)


FEW = {
    "a": [0.5, 0.9, 0.6, 0.8, 0.3, 0.7],
    "b": [0.9, 0.1, 0.8, 0.9, 0.4, 0.2],
    "c": [0.2, 0.9, 0.9, 0.3, 0.3, 0.8],
}


@pytest.mark.parametrize("test", ["tukey", "dunnett", "randomised-tukey"])
def test_a_geometric_mean_has_no_interval_of_logarithms(test: str) -> None:
    scores = made({name: {"GMAP": of} for name, of in FEW.items()})
    found = compare(scores, baseline="a", test=test).differences[0]
    plain = compare(scores, baseline="a", test="t", correction="bonferroni").differences[0]
    ends = (found.interval.low, found.interval.high)
    assert ends == pytest.approx((plain.interval.low, plain.interval.high))


def test_intervals_are_cut_at_the_range_by_every_test_and_method() -> None:
    values = {"a": [1.0, 0.0, 1.0, 0.5], "b": [0.0, 1.0, 0.2, 1.0], "c": [1.0, 1.0, 0.0, 0.0]}
    scores = made({name: {"RR": of} for name, of in values.items()})
    ways: list[dict[str, Any]] = [{"test": test} for test in ("tukey", "randomised-tukey", "t")]
    ways += [{"interval": name, "test": "t"} for name in ("studentised", "bca", "percentile")]
    for how in ways:
        for one in compare(scores, **how).differences:
            assert not one.interval.low < -1
            assert not one.interval.high > 1


def test_two_queries_have_an_interval_though_signs_show_nothing() -> None:
    scores = made({"a": {"AP": [0.5, 0.4]}, "b": {"AP": [0.6, 0.3]}, "c": {"AP": [0.9, 0.5]}})
    for one in compare(scores, baseline="a").differences:
        assert one.interval.low <= one.unadjusted.low < one.unadjusted.high <= one.interval.high


def test_equal_geometric_means_have_no_interval() -> None:
    equal = made({"a": {"GMAP": [0.5, 0.2, 0.9]}, "b": {"GMAP": [0.5, 0.2, 0.9]}})
    (one,) = compare(equal, test="t").differences
    assert np.isnan(one.interval.low)


def test_a_later_step_of_a_one_sided_test_ends_its_interval_at_0() -> None:
    random = np.random.default_rng(1)
    stepped = 0
    for _ in range(30):
        base = random.uniform(0.2, 0.4, 20)
        rows = {"base": list(base)}
        for name, gain in (("x", 0.3), ("y", 0.06), ("z", 0.0)):
            rows[name] = list(base + gain + random.normal(0, 0.12, 20))
        scores = made({name: {"AP": of} for name, of in rows.items()})
        found = compare(scores, baseline="base", alternative="greater")
        for one in found.differences:
            assert not found.disagrees(one)
            stepped += one.stepped
            assert not one.stepped or one.interval.low == 0
    assert stepped > 0


def test_what_could_be_detected_is_of_the_test_and_not_of_the_interval() -> None:
    scores = made({name: {"AP": of} for name, of in FEW.items()})
    sizes = {
        compare(scores, baseline="a", test="t", **how).detectable(found)
        for how in ({}, {"interval": "bca"}, {"confidence": 0.5}, {"interval": "studentised"})
        for found in compare(scores, baseline="a", test="t", **how).differences[:1]
    }
    assert max(sizes) == pytest.approx(min(sizes))
    geometric = compare(made({name: {"GMAP": of} for name, of in FEW.items()}), test="t")
    assert np.isnan(geometric.detectable(geometric.differences[0]))


def test_shuffles_of_two_queries_show_nothing() -> None:
    values = {"a": [0.5, 0.4], "b": [0.6, 0.3], "c": [0.9, 0.5]}
    found = compare(made({n: {"AP": of} for n, of in values.items()}), test="randomised-tukey")
    assert {claim.verdict for claim in cleverdon.claim(found)} == {"out of reach"}


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey", "dunnett"])
def test_equal_differences_have_no_interval_by_tests_of_all_systems(test: str) -> None:
    values = {"a": [0.5, 0.2, 0.7, 0.4], "b": [0.6, 0.3, 0.8, 0.5], "c": [0.1, 0.9, 0.3, 0.2]}
    found = compare(made({n: {"AP": of} for n, of in values.items()}), baseline="a", test=test)
    flat, other = found.differences
    assert np.isnan(flat.interval.low)
    assert np.isfinite(other.interval.low)


def test_an_interval_in_per_cent_is_of_no_other_method_than_that_of_the_difference() -> None:
    scores = made({name: {"AP": of} for name, of in FEW.items()})
    for method, known in ((None, True), ("t", True), ("bca", False), ("percentile", False)):
        found = compare(scores, baseline="a", test="t", interval=method)
        relative = found.relative_interval(found.differences[0])
        assert np.isfinite(relative.low) == known
