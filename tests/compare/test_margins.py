"""Equivalence and non-inferiority."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from cleverdon import evaluate
from cleverdon.compare import equivalence, non_inferiority, within_margin
from cleverdon.errors import OptionError
from cleverdon.measures import RR
from tests.compare.null import assert_level

QRELS = {f"q{i}": {"a": 1, "b": 0} for i in range(20)}
OLD = {query: {"a": 2.0, "b": 1.0} for query in QRELS}
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
    assert [p.p for p in equivalence(rows, margin=margin)] == pytest.approx(expected, rel=1e-8)
    above = stats.ttest_1samp(rows, -margin, axis=1, alternative="greater").pvalue
    assert [p.p for p in non_inferiority(rows, margin=margin)] == pytest.approx(above, rel=1e-8)


@pytest.mark.parametrize("test", ["t", "randomisation", "bootstrap"])
def test_on_the_margin_p_is_small_as_often_as_it_says(test: str) -> None:
    options = {} if test == "t" else {"draws": 999}
    rows = np.random.default_rng(41).normal(-0.5, 1, size=(2000, 25))
    found = non_inferiority(rows, margin=0.5, test=test, **options)
    assert_level(found, never_below=True)
    assert_level(equivalence(rows, margin=0.5, test=test, **options), never_below=False)


def test_no_difference_at_all_is_equivalent() -> None:
    assert equivalence(np.zeros((1, 10)), margin=0.1)[0].p == 0
    exact = equivalence(np.zeros((1, 10)), margin=0.1, test="randomisation")[0]
    assert (exact.p, exact.exact) == (2**-10, True)


def test_from_scores_by_what_is_better() -> None:
    scores = evaluate(QRELS, {"old": OLD, "new": NEW}, [RR(), Backwards()])
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
    scores = evaluate(QRELS, {"old": OLD, "new": NEW}, ["RR", "P@1"])
    found = within_margin(scores, baseline="old", margin=0.2, correction="bonferroni")
    assert [one.corrected for one in found] == [min(1, 2 * one.p.p) for one in found]


def test_what_makes_no_sense_is_refused() -> None:
    scores = evaluate(QRELS, {"old": OLD, "new": NEW}, ["RR", "NumRet", "GMAP"])
    for margin in (0, -1, np.nan, np.inf):
        with pytest.raises(OptionError, match="margin"):
            within_margin(scores, baseline="old", margin=margin, measures="RR")
    with pytest.raises(OptionError, match="no mean over topics"):
        within_margin(scores, baseline="old", margin=0.1, measures="GMAP")
    with pytest.raises(OptionError, match="no system 'odd'; did you mean 'old'"):
        within_margin(scores, baseline="odd", margin=0.1, measures="RR")
    with pytest.raises(OptionError, match="nothing to compare with"):
        within_margin(scores, baseline="old", margin=0.1, measures="RR", systems=["old"])
    with pytest.raises(OptionError, match="claim="):
        within_margin(scores, baseline="old", margin=0.1, measures="RR", claim="superiority")
