"""Differences against a margin."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

import cleverdon
from cleverdon import evaluate
from cleverdon.comparison.claims import Claim
from cleverdon.comparison.differences import compare
from cleverdon.comparison.doubts import find_doubts
from cleverdon.comparison.margins import within_margin
from cleverdon.errors import OptionError
from cleverdon.measures.ranked import RR
from cleverdon.stats.tests import margin_test
from tests.comparison.made import made, pair
from tests.stats.null import assert_level


class Backwards(RR):
    """What is the better the lower it is."""

    better = "lower"


MARGIN_QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(20)}


OLD = {query: {"a": 2.0, "b": 1.0} for query in MARGIN_QRELS}


NEW = OLD | {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(2)}


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


def margin_of(scores, margin: float, **options) -> Claim:
    return cleverdon.claim(compare(scores, baseline="base", **options), margin=margin)[0]


@pytest.mark.parametrize("measure", ["nDCG@10", "SearchLength"])
@pytest.mark.parametrize("difference", [-0.03, -0.01, 0.0, 0.004, 0.03])
def test_a_margin_is_kept_where_its_interval_is_inside(measure: str, difference: float) -> None:
    """Two one-sided t tests of scipy, the interval and `within_margin` agree."""
    scores = pair(60, difference, measure=measure, spread=0.05)
    for margin in (0.01, 0.02, 0.05):
        claim = margin_of(scores, margin)
        within = claim.within
        assert within is not None
        rows = claim.comparison.differences_of(claim.difference)
        lower = stats.ttest_1samp(rows, -margin, alternative="greater").pvalue
        upper = stats.ttest_1samp(rows, margin, alternative="less").pvalue
        assert within.equivalence_p == pytest.approx(max(lower, upper))
        good = lower if measure == "nDCG@10" else upper
        assert within.not_worse_p == pytest.approx(good)
        ends = within.interval
        assert within.equivalent == (-margin <= ends.low and ends.high <= margin)
        assert within.not_worse == (
            ends.low >= -margin if measure == "nDCG@10" else ends.high <= margin
        )
        by_scores = within_margin(scores, baseline="base", margin=margin)[0]
        assert within.equivalence_p == pytest.approx(by_scores.corrected)


def test_what_is_shown_of_a_margin_is_said() -> None:
    same, better, neither = (pair(60, by, spread=0.05) for by in (0.001, 0.02, -0.005))
    assert " They are equivalent within 0.02 (90% CI -0.0098 to 0.0118; one-sided t tests p" in str(
        margin_of(same, 0.02)
    )
    assert " It is not worse by more than 0.01 (90% CI 0.009 to " in str(margin_of(better, 0.01))
    assert " They are not shown to be equivalent within 0.01 (" in str(margin_of(neither, 0.01))
    record = cleverdon.claim(compare(better, baseline="base"), margin=0.01).to_dict()["claims"][0]
    assert (record["margin"], record["equivalent"], record["not_worse"]) == (0.01, False, True)
    json.dumps(record)


def test_a_margin_of_equal_values_is_not_tested() -> None:
    flat = made({"base": {"AP": [0.5] * 30}, "other": {"AP": [0.5] * 30}})
    claim = margin_of(flat, 0.01)
    assert claim.within is not None
    assert not claim.within.equivalent
    assert "have no spread to test the margin of 0.01 by. Qualified by few-differing." in str(claim)
    assert "(both 0.500; d_z" in str(claim)
    found = compare(flat)
    (doubt,) = (one for one in find_doubts(found, margin=0.01) if one.name == "few-differing")
    assert "only 0 of 30 queries differ, and among others up to 10% might" in doubt.sentence


def test_margins_are_adjusted_for_the_family() -> None:
    random = np.random.default_rng(3)
    base = random.uniform(0.2, 0.5, 50)
    systems = {name: {"AP": list(base + random.normal(0, 0.03, 50))} for name in "abcd"}
    found = compare(made(systems), baseline="a")
    for claim in cleverdon.claim(found, margin=0.015):
        within = claim.within
        assert within is not None
        assert within.equivalent == (
            within.interval.low >= -0.015 and within.interval.high <= 0.015
        )
        assert ", adjusted for 3 comparisons; one-sided t tests" in str(claim)


@pytest.mark.parametrize("margin", [0.0, -0.01, float("nan"), float("inf")])
def test_a_wrong_margin_is_refused(margin: float) -> None:
    with pytest.raises(OptionError, match="a margin is a number above 0"):
        margin_of(pair(30, 0.1), margin)


def test_what_is_no_mean_has_no_margin() -> None:
    with pytest.raises(OptionError, match="GMAP is no mean over queries"):
        margin_of(pair(30, 0.1, measure="GMAP"), 0.01)


@pytest.mark.parametrize("test", ["tukey", "randomised-tukey", "dunnett"])
def test_margins_are_adjusted_beside_tests_that_correct_by_themselves(test: str) -> None:
    random = np.random.default_rng(5)
    values = {name: {"AP": list(random.uniform(0.3, 0.5, 30))} for name in ("base", "x", "y")}
    found = compare(made(values), baseline="base", test=test)
    holm_like = compare(made(values), baseline="base", test="t", correction="bonferroni")
    claims, others = (cleverdon.claim(one, margin=0.1) for one in (found, holm_like))
    for claim, other in zip(claims, others, strict=True):
        assert claim.within is not None
        assert other.within is not None
        family = claim.difference.family
        assert claim.within.equivalence_p == pytest.approx(
            min(1.0, other.within.equivalence_p * family / 2)
        )
        assert f"adjusted for {family} comparisons" in str(claim).split("equivalent within")[1]


def test_few_differing_queries_qualify_their_own_measure_only() -> None:
    base = [0.5] * 30
    many = [0.5 + 0.1 * (-1) ** k for k in range(30)]
    few = [0.6, 0.4, *base[2:]]
    rows = {"base": {"AP": base, "RR": base}, "x": {"AP": many, "RR": few}}
    claims = cleverdon.claim(compare(made(rows), baseline="base"), margin=0.05)
    qualified = {str(one.difference.measure): one.qualified for one in claims}
    assert "few-differing" in qualified["RR"]
    assert "few-differing" not in qualified["AP"]
