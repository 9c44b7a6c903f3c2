"""What may be said, and what not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cleverdon.compare import Claim, claims, compare
from cleverdon.compare.claims import direction
from cleverdon.show.claims import render
from tests.compare.made import made, pair


def one(scores, **options) -> Claim:
    (claim,) = claims(compare(scores, baseline="base", **options))
    return claim


def test_a_claim_has_the_form_that_was_asked_for() -> None:
    text = str(one(pair(50, 0.034)))
    number = r"-?\d+\.\d{3}"
    assert re.fullmatch(
        rf"other beats base on nDCG@10 by 0\.034 \({number} to {number}, \+\d+\.\d%; "
        rf"95% CI {number} to {number}; randomisation p = 0\.\d+, 1 comparison; "
        r"50 topics: \d+ up, \d+ even, \d+ down\)\.",
        text,
    ), text


def test_several_comparisons_are_named() -> None:
    systems = {
        name: {m: list(np.linspace(0, 0.5, 30) + at) for m in ("AP", "RR")}
        for at, name in enumerate(["base", "x", "y"])
    }
    texts = [str(claim) for claim in claims(compare(made(systems), baseline="base"))]
    assert len(texts) == 4
    assert all("Holm over 4 comparisons" in text for text in texts)
    plain = claims(compare(made(systems), baseline="base", correction="none"))
    assert "uncorrected, 4 comparisons" in str(plain[0])
    tukey = claims(compare(made(systems), test="randomised-tukey"))
    assert "randomised Tukey HSD p = " in str(tukey[0])
    assert "over all pairs of 3 systems" in str(tukey[0])


@pytest.mark.parametrize(
    ("measure", "difference", "verdict", "words"),
    [
        ("nDCG@10", 0.1, "better", "other beats base on nDCG@10 by 0.100"),
        ("nDCG@10", -0.1, "worse", "other is worse than base on nDCG@10 by 0.100"),
        ("FPR", 0.1, "worse", "other is worse than base on FPR by 0.100"),
        ("FPR", -0.1, "better", "other beats base on FPR by 0.100"),
        ("Judged@10", 0.1, "higher", "other is higher than base on Judged@10 by 0.100"),
        ("Judged@10", -0.1, "lower", "other is lower than base on Judged@10 by 0.100"),
    ],
)
def test_the_measure_says_what_is_better(
    measure: str, difference: float, verdict: str, words: str
) -> None:
    claim = one(pair(50, difference, measure=measure))
    assert claim.verdict == verdict
    assert str(claim).startswith(words)
    assert ("lower is better" in str(claim)) == (measure == "FPR")


def test_what_is_not_shown_is_said_to_be_so() -> None:
    claim = one(pair(50, 0.01))
    assert not claim.shown
    text = str(claim)
    assert text.startswith("other is not shown to differ from base on nDCG@10: +0.010 (")
    assert text.endswith(" down).")


def test_no_claim_says_how_many_topics_it_would_take() -> None:
    # `power` does, by the test itself: 3 topics cannot show anything, and neither can 4 or 5.
    scores = made({"base": {"AP": [0.1, 0.2, 0.3]}, "other": {"AP": [0.4, 0.5, 0.61]}})
    claim = one(scores)
    assert not claim.shown
    assert "would show it" not in str(claim)
    assert "topics_needed" not in render([claim], format="json")


@pytest.mark.parametrize(
    ("measure", "alternative", "words"),
    [
        ("AP", "greater", "is not shown to be better than"),
        ("AP", "less", "is not shown to be worse than"),
        ("FPR", "greater", "is not shown to be worse than"),
        ("FPR", "less", "is not shown to be better than"),
        ("Judged@10", "less", "is not shown to be lower than"),
    ],
)
def test_one_sided_tests_ask_another_question(measure: str, alternative: str, words: str) -> None:
    sign = -1 if alternative == "greater" else 1
    claim = one(pair(30, sign * 0.1, measure=measure), alternative=alternative)
    assert not claim.shown
    assert words in str(claim)
    assert "one-sided randomisation" in str(claim)
    assert "More topics alone would not show it." in str(claim)


def test_a_test_of_signs_cannot_claim_against_the_mean() -> None:
    base = [0.5] * 40
    other = [0.51] * 36 + [0.0] * 4  # up on nearly all topics, and lower on average
    scores = made({"base": {"AP": base}, "other": {"AP": other}})
    for test in ("sign", "wilcoxon"):
        found = compare(scores, baseline="base", test=test)
        assert found.significant(found.differences[0])
        assert claims(found)[0].verdict == "not shown"
    assert one(pair(50, 0.1), test="wilcoxon").verdict == "better"


def test_a_relative_difference_to_nothing_is_left_out() -> None:
    scores = made({"base": {"AP": [0.0] * 10}, "other": {"AP": [0.25, 0.5] * 5}})
    text = str(one(scores))
    assert "(0.000 to 0.375; 95% CI" in text
    assert "nan" not in text
    assert "inf" not in text


def test_no_difference_at_all() -> None:
    scores = made({"base": {"AP": [0.5] * 10}, "other": {"AP": [0.5] * 10}})
    claim = one(scores)
    assert (claim.verdict, claim.difference.corrected) == ("not shown", 1.0)
    assert str(claim).endswith("10 topics: 0 up, 10 even, 0 down). There is no difference to show.")


def test_one_topic_has_no_interval() -> None:
    claim = one(made({"base": {"AP": [0.5]}, "other": {"AP": [0.7]}}))
    assert not claim.shown
    assert "CI" not in str(claim)
    assert str(claim).endswith("p = 1.000, 1 comparison; 1 topic: 1 up, 0 even, 0 down).")


def test_p_at_the_floor_is_below_something() -> None:
    assert "randomisation p < 1e-05" in str(one(pair(60, 1.0)))


def test_small_differences_have_digits_enough() -> None:
    text = str(one(pair(50, 0.00042, spread=0.0001)))
    assert "by 0.00042 (" in text


def test_an_interval_without_0_beside_a_large_p_is_explained() -> None:
    values = pair(50, 0.032, seed=3).values[:, 0]
    systems = {
        name: {m: list(row) for m in ("AP", "RR", "P@10", "nDCG@10")}
        for name, row in zip(["base", "other"], values, strict=True)
    }
    found = compare(made(systems), baseline="base", correction="bonferroni")
    claim = claims(found)[0]
    assert claim.difference.interval.low > 0
    assert not claim.shown
    assert re.search(r"95% CI 0\.\d+ to 0\.\d+, not corrected;", str(claim))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.25, 0.5, 1])),
        min_size=1,
        max_size=14,
    ),
    st.sampled_from(["AP", "FPR", "Judged@10"]),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_claims_say_no_more_than_the_numbers(
    values: list[tuple[float, float]], measure: str, alternative: str
) -> None:
    base, other = ([pair[side] for pair in values] for side in (0, 1))
    claim = one(made({"base": {measure: base}, "other": {measure: other}}), alternative=alternative)
    mean = np.mean(other) - np.mean(base)
    assert claim.shown == (claim.difference.corrected <= 0.05 and mean != 0)
    if claim.verdict in ("better", "worse"):
        assert (claim.verdict == "better") == ((mean > 0) == (measure == "AP"))
    if claim.verdict in ("higher", "lower"):
        assert (claim.verdict == "higher") == (mean > 0)
    text = str(claim)
    up, even, down = map(int, re.findall(r"(\d+) up, (\d+) even, (\d+) down", text)[0])
    assert (up + even + down, np.sign(np.subtract(other, base)).sum()) == (len(values), up - down)
    shown = float(re.findall(r"(?:by |: )\+?(-?[\d.]+) \(", text)[0])
    assert shown == pytest.approx(abs(mean) if claim.shown else mean, abs=0.0006)


def test_ranks_of_a_geometric_mean_are_those_of_its_logarithms() -> None:
    # By values the losses are larger, by logarithms the gains: those count, and are the mean's.
    base = [0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.9]
    other = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    found = compare(
        made({"base": {"GMAP": base}, "other": {"GMAP": other}}), baseline="base", test="wilcoxon"
    )
    ratios = np.log(np.array(other) / np.array(base))
    ranks = np.sign(ratios) * stats.rankdata(np.abs(ratios))
    assert direction(found.differences[0], found) == pytest.approx(2 * ranks.sum())


def test_rounding_points_nowhere() -> None:
    base = [0.3, 0.3, 0.3, 0.5]
    other = [0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2, 0.4]
    found = compare(
        made({"base": {"AP": base}, "other": {"AP": other}}), baseline="base", test="sign"
    )
    assert direction(found.differences[0], found) == -1
