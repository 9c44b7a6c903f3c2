"""Claims and doubts in sentences, and claims that flip with the judgments."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from cleverdon.comparison.claims import (
    _FLIPPED,
    FLIP_KINDS,
    Claim,
    Claims,
    Flips,
    flips,
    state_claims,
)
from cleverdon.comparison.differences import compare
from cleverdon.comparison.doubts import find_doubts
from cleverdon.comparison.orderings import order_agreements
from cleverdon.errors import OptionError
from cleverdon.tables.numbers import format_p_value
from tests.comparison.made import made, pair


def one(scores, **options) -> Claim:
    (claim,) = state_claims(compare(scores, baseline="base", **options))
    return claim


def test_a_claim_has_the_form_that_was_asked_for() -> None:
    text = str(one(pair(50, 0.034)))
    number = r"-?\d+\.\d{3}"
    assert re.fullmatch(
        rf"other beats base on nDCG@10 by 0\.034 \({number} to {number}, \+\d+\.\d%; "
        rf"95% CI {number} to {number}; randomisation p = 0\.\d+, 1 comparison; "
        r"50 queries: \d+ up, \d+ even, \d+ down\)\.",
        text,
    ), text


def test_several_comparisons_are_named() -> None:
    systems = {
        name: {m: list(np.linspace(0, 0.5, 30) + at) for m in ("AP", "RR")}
        for at, name in enumerate(["base", "x", "y"])
    }
    texts = [str(claim) for claim in state_claims(compare(made(systems), baseline="base"))]
    assert len(texts) == 4
    assert all("Holm over 4 comparisons" in text for text in texts)
    plain = state_claims(compare(made(systems), baseline="base", correction="none"))
    assert "uncorrected, 4 comparisons" in str(plain[0])
    tukey = state_claims(compare(made(systems), test="randomised-tukey"))
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


def test_no_claim_says_how_many_queries_it_would_take() -> None:
    # `power` does, by the test itself: 3 queries cannot show anything, and neither can 4 or 5.
    scores = made({"base": {"AP": [0.1, 0.2, 0.3]}, "other": {"AP": [0.4, 0.5, 0.61]}})
    claim = one(scores)
    assert not claim.shown
    assert "would show it" not in str(claim)
    assert "queries_needed" not in Claims((claim,)).render("json")


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
    assert "More queries alone would not show it." in str(claim)


def test_a_test_of_signs_cannot_claim_against_the_mean() -> None:
    base = [0.5] * 40
    other = [0.51] * 36 + [0.0] * 4  # up on nearly all queries, and lower on average
    scores = made({"base": {"AP": base}, "other": {"AP": other}})
    for test in ("sign", "wilcoxon"):
        found = compare(scores, baseline="base", test=test)
        assert found.significant(found.differences[0])
        assert state_claims(found)[0].verdict == "not shown"
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
    assert str(claim).endswith(
        "10 queries: 0 up, 10 even, 0 down). There is no difference to show."
    )


def test_one_query_has_no_interval() -> None:
    claim = one(made({"base": {"AP": [0.5]}, "other": {"AP": [0.7]}}))
    assert not claim.shown
    assert "CI" not in str(claim)
    assert str(claim).endswith("p = 1.000, 1 comparison; 1 query: 1 up, 0 even, 0 down).")


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
    claim = state_claims(found)[0]
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
    assert found.test_direction(found.differences[0]) == pytest.approx(2 * ranks.sum())


def test_rounding_points_nowhere() -> None:
    base = [0.3, 0.3, 0.3, 0.5]
    other = [0.1 + 0.2, 0.1 + 0.2, 0.1 + 0.2, 0.4]
    found = compare(
        made({"base": {"AP": base}, "other": {"AP": other}}), baseline="base", test="sign"
    )
    assert found.test_direction(found.differences[0]) == -1


FOUND = compare(pair(12, 0.01, measure="RR"), baseline="base")


def test_doubts_stand_below_with_name_and_reference() -> None:
    lines = state_claims(FOUND, doubts=find_doubts(FOUND)).render().split("\n")
    assert lines[0].startswith("other is not shown to differ from base on RR: +0.010 (")
    assert lines[1:3] == ["", "Before you believe it:"]
    assert lines[3].startswith("- few-queries: 12 queries are few")
    assert lines[3].endswith(". Buckley & Voorhees 2000, doi:10.1145/345508.345543")
    assert lines[4].startswith("- mean-rr: ")
    assert len(lines) == 5


def test_without_doubts_there_is_no_heading() -> None:
    assert "\n" not in state_claims(FOUND).render()


def test_markdown_is_a_list() -> None:
    text = state_claims(FOUND, doubts=find_doubts(FOUND)).render("markdown")
    assert text.startswith("- other is not shown")
    assert "\n\nBefore you believe it:\n\n- `few-queries`: " in text


def test_names_are_text_in_markdown() -> None:
    named = compare(made({"<i>a": {"AP": [0.1, 0.2]}, "*b*": {"AP": [0.2, 0.4]}}))
    assert (
        state_claims(named)
        .render("markdown")
        .startswith(r"- \*b\* is not shown to differ from &lt;i>a on AP: ")
    )
    assert state_claims(named).render().startswith("*b* is not shown to differ from <i>a on AP: ")


def test_json_has_the_text_and_all_digits() -> None:
    found = json.loads(state_claims(FOUND, doubts=find_doubts(FOUND)).render("json"))
    (claim,) = found["claims"]
    assert claim["text"] == str(state_claims(FOUND)[0])
    assert (claim["verdict"], claim["significant"]) == ("not shown", False)
    assert claim["difference"] == FOUND.differences[0].difference
    assert "queries_needed" not in claim
    assert [doubt["name"] for doubt in found["doubts"]] == ["few-queries", "mean-rr"]
    assert found["doubts"][0]["number"] == 12


def test_json_knows_no_infinity() -> None:
    one_query = compare(pair(1, -0.1), baseline="base")
    found = json.loads(state_claims(one_query).render("json"), parse_constant=pytest.fail)
    assert found["claims"][0]["low"] is None


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'markdown'"):
        state_claims(FOUND).render("markdwn")


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1.0, "p = 1.000"),
        (0.0312, "p = 0.031"),
        (0.001, "p = 0.001"),
        (0.00049, "p = 0.0005"),
        (3e-12, "p = 3e-12"),
        (0.04999, "p = 0.04999"),
        (0.0503, "p = 0.0503"),
        (0.05, "p = 0.050"),
        (0.0, "p < 1e-300"),
    ],
)
def test_p_values_are_seen_to_be_on_their_side_of_the_level(p: float, shown: str) -> None:
    assert format_p_value(p, level=0.05) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1 / 100_001, "p < 1e-05"),
        (6 / 100_001, "p < 6e-05"),
        (12 / 100_001, "p < 0.0002"),
        (120 / 100_001, "p < 0.002"),
        (1.0, "p < 1.000"),
    ],
)
def test_floors_are_rounded_up(p: float, shown: str) -> None:
    assert format_p_value(p, at_most=True) == shown


def test_names_may_have_braces() -> None:
    scores = made({"a{}": {"AP": [0.1, 0.2]}, "{b}": {"AP": [0.3, 0.2]}})
    (claim,) = state_claims(compare(scores, baseline="{b}"))
    assert str(claim).startswith("a{} is not shown to differ from {b} on AP: -0.100 (")


def between(before: float, after: float) -> Flips:
    """Of two systems whose difference is this by one judgment, and that by the other."""
    sides = [compare(pair(30, difference), baseline="base") for difference in (before, after)]
    return flips(*sides)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (0.1, 0.2, "kept"),
        (0.1, -0.1, "reversed"),
        (0.1, 0.01, "lost"),
        (0.1, -0.01, "lost"),
        (-0.01, 0.1, "gained"),
        (0.01, -0.01, "swapped"),
        (0.01, 0.02, "open"),
        (0.0, 0.01, "open"),
    ],
)
def test_kinds(before: float, after: float, kind: str) -> None:
    found = between(before, after)
    (one,) = found
    assert one.kind == kind
    assert one.flipped == (kind in _FLIPPED)
    assert [len(found.changed()), len(found.changed(swapped=True))] == [
        kind in _FLIPPED,
        kind in (*_FLIPPED, "swapped"),
    ]
    assert {name: found.times(name) for name in FLIP_KINDS} == {
        name: name == kind for name in FLIP_KINDS
    }
    assert found.shown == (abs(before) == 0.1, abs(after) >= 0.1)


def test_the_gravest_first_by_each_measure() -> None:
    values = [0.1 + 0.01 * at for at in range(20)]
    high = [value + 0.3 + 0.001 * at for at, value in enumerate(values)]
    first = made({"a": {"AP": high, "RR": high}, "b": {"AP": values, "RR": values}})
    second = made({"a": {"AP": values, "RR": values}, "b": {"AP": values, "RR": high}})
    found = flips(compare(first), compare(second))
    assert [one.kind for one in found.changed()] == ["reversed", "lost"]
    assert [one.kind for one in found.of(first.measures[0])] == ["lost"]


def test_what_is_not_of_the_same_systems() -> None:
    one = compare(pair(10, 0.1), baseline="base")
    with pytest.raises(OptionError, match="the same systems"):
        flips(one, compare(pair(10, 0.1), baseline="other"))


def test_the_first_order_is_the_truth() -> None:
    names = "abcd"
    first = made({name: {"AP": [0.9 - 0.1 * at, 0.8 - 0.1 * at]} for at, name in enumerate(names)})
    second = made(
        {
            name: {"AP": [value, value]}
            for name, value in zip(names, (0.1, 0.9, 0.8, 0.5), strict=True)
        }
    )
    (found,) = order_agreements(first, other=second, symmetric=False, resamples=20)
    (both,) = order_agreements(first, other=second, resamples=20)
    assert found.kendall == both.kendall
    assert found.tau_ap.value == pytest.approx(2 / 3 * (1 + 1 + 0) - 1)  # by hand: b c d a
    assert found.tau_ap.value != pytest.approx(both.tau_ap.value)
