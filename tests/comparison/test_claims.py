"""Claims and doubts in sentences, and claims that flip with the judgments."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import cleverdon
from cleverdon.comparison.claims import Claim, Claims
from cleverdon.comparison.differences import compare
from cleverdon.comparison.doubts import find_doubts
from cleverdon.errors import OptionError
from cleverdon.stats.power import t_test_power
from cleverdon.tables.numbers import format_p_value
from tests.comparison.made import made, pair


def one(scores, **options) -> Claim:
    (claim,) = cleverdon.claim(compare(scores, baseline="base", **options))
    return claim


def test_a_claim_has_the_form_that_was_asked_for() -> None:
    text = str(one(pair(50, 0.034)))
    number, share = r"-?\d+\.\d{3}", r"\d+\.\d%"
    assert re.fullmatch(
        rf"other beats base on nDCG@10 by 0\.034 \({number} to {number}, \+\d+\.\d%; "
        rf"95% CI {number} to {number} or \+{share} to \+{share}; d_z = 0\.\d\d; "
        r"randomisation p = 0\.\d+, 1 comparison; "
        r"50 queries: \d+ up, \d+ even, \d+ down\)\.",
        text,
    ), text


@pytest.mark.parametrize("options", [{}, {"test": "t"}, {"test": "tukey"}, {"measures": "AP"}])
@pytest.mark.parametrize("queries", [6, 20])
def test_an_interval_in_percent_says_the_same_of_0(options, queries: int) -> None:
    random = np.random.default_rng(queries)
    excluded = 0
    for _ in range(10):
        base = random.uniform(0.3, 0.5, queries)
        systems = {
            f"s{at}": {
                name: list(base + random.normal(at * 0.02, 0.05, queries)) for name in ("AP", "P@5")
            }
            for at in range(4)
        }
        comparison = compare(made(systems), **options)
        for found in comparison.differences:
            ratio = comparison.relative_interval(found)
            if found.stepped:
                assert 0 in (ratio.low, ratio.high)
            else:
                assert (ratio.low > 0) == (found.interval.low > 0)
                assert (ratio.high < 0) == (found.interval.high < 0)
            excluded += ratio.low > 0
    assert excluded


def test_per_cent_of_a_baseline_near_zero_are_not_printed() -> None:
    base = [0.3] + [0.0] * 29
    scores = made({"base": {"AP": base}, "other": {"AP": list(np.linspace(0.1, 0.6, 30))}})
    assert "%" not in str(one(scores)).replace("95% CI", "")
    known = made(
        {"base": {"AP": [0.3, 0.2] * 15}, "other": {"AP": list(np.linspace(0.1, 0.6, 30))}}
    )
    assert "+40.0%; 95% CI 0.039 to 0.161 or +15.0% to +66.9%;" in str(one(known))


def test_a_notebook_lists_claims_and_doubts() -> None:
    names = {"a<b": {"P@5": [0.1] * 3, "AP": [0.2] * 3}, "c": {"P@5": [0.4] * 3, "AP": [0.3] * 3}}
    found = cleverdon.claim(compare(made(names)))
    shown = found._repr_html_()
    assert shown.count("<li>") == 2 + len(found.doubts)
    assert "a&lt;b" in shown
    assert "<p>Before you believe it:</p><ul><li>few-queries: " in shown
    heading = shown.index("<p>Other measures, corrected as a family of their own:</p>")
    assert shown.index("on P@5") < heading < shown.index("on AP")


def test_several_comparisons_are_named() -> None:
    systems = {
        name: {m: list(np.linspace(0, 0.5, 30) + at) for m in ("AP", "RR")}
        for at, name in enumerate(["base", "x", "y"])
    }
    texts = [str(claim) for claim in cleverdon.claim(compare(made(systems), baseline="base"))]
    assert len(texts) == 4
    assert all("max-T over 2 comparisons" in text for text in texts)
    plain = cleverdon.claim(compare(made(systems), baseline="base", correction="none"))
    assert "uncorrected, 2 comparisons" in str(plain[0])
    tukey = cleverdon.claim(compare(made(systems), test="randomised-tukey"))
    assert "randomised Tukey HSD p = " in str(tukey[0])
    assert "over 3 comparisons" in str(tukey[0])


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
    detected = re.search(r"would show a true difference of (0\.\d+) in 80% of cases\.$", text)
    assert detected is not None
    # What the t test of so many queries and such a spread finds with this power.
    rows = claim.comparison.differences_of(claim.difference)
    power = t_test_power(float(detected[1]), float(rows.std(ddof=1)), 50)
    assert power == pytest.approx(0.8, abs=0.01)


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
        assert cleverdon.claim(found)[0].verdict == "not shown"
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
    assert claim.verdict == "out of reach"
    assert str(claim).endswith(
        "p = 1.000, 1 comparison; 1 query: 1 up, 0 even, 0 down). "
        "With 1 differing query, no p-value can be below 1: it takes 6 at least."
    )


def test_p_at_the_floor_is_below_something() -> None:
    assert "randomisation p < 1e-05" in str(one(pair(60, 1.0)))


def test_small_differences_have_digits_enough() -> None:
    text = str(one(pair(50, 0.00042, spread=0.0001)))
    assert "by 0.00042 (" in text


def test_interval_and_verdict_are_of_one_family() -> None:
    values = pair(50, 0.032, seed=3).values[:, 0]
    systems = {
        name: {m: list(row) for m in ("AP", "RR", "P@10", "nDCG@10")}
        for name, row in zip(["base", "other"], values, strict=True)
    }
    how = {"baseline": "base", "correction": "bonferroni", "primary": "all"}
    claim = cleverdon.claim(compare(made(systems), **how))[0]
    assert not claim.shown
    assert claim.difference.interval.low < 0 < claim.difference.unadjusted.low
    assert re.search(
        r"95% CI -0\.\d+ to 0\.\d+ or -[\d.]+% to [+\d.]+%, adjusted for 4 comparisons; "
        r"95% CI 0\.\d+ to 0\.\d+ not adjusted;",
        str(claim),
    )
    # By the first measure alone it is shown.
    assert cleverdon.claim(compare(made(systems), baseline="base"))[0].shown


def test_where_methods_disagree_it_is_said() -> None:
    # A percentile interval of 6 values is too narrow, and the sign test cannot be that sure.
    rows = {"base": {"AP": [0.1] * 6}, "other": {"AP": [0.2, 0.3, 0.25, 0.4, 0.15, 0.09]}}
    claim = one(made(rows), interval="percentile")
    assert claim.difference.interval.low > 0
    assert str(claim).endswith(
        "Interval and verdict disagree, since they are by different methods: "
        "the interval excludes 0."
    )
    assert "disagree" not in str(one(made(rows)))


def test_a_confidence_that_is_not_of_the_level_is_said_where_it_matters() -> None:
    rows = {"base": {"AP": [0.1] * 10}, "other": {"AP": [0.2, 0.3, 0.09, 0.1] + [0.08, 0.19] * 3}}
    assert 0.05 < one(made(rows)).difference.p.p < 0.1
    assert "disagree" not in str(one(made(rows)))
    narrow = one(made(rows), confidence=0.8)
    assert not narrow.shown
    assert narrow.difference.interval.low > 0
    assert str(narrow).endswith(
        "Interval and verdict disagree, since the confidence of 0.8 is not that of the level 0.05: "
        "the interval excludes 0."
    )
    wide = one(made(rows), level=0.1, confidence=0.99)
    assert wide.shown
    assert "the confidence of 0.99 is not that of the level 0.1: the interval includes 0." in (
        str(wide)
    )
    records = [
        cleverdon.claim(of.comparison).to_dict()["claims"][0] for of in (narrow, one(made(rows)))
    ]
    assert [record["disagrees"] for record in records] == [True, False]
    assert [record["ends_at_0"] for record in records] == [False, False]


def test_a_p_value_by_tukey_is_not_called_uncorrected() -> None:
    random = np.random.default_rng(1)
    rows = {name: {m: list(random.random(9)) for m in ("AP", "RR")} for name in "abc"}
    how = {"test": "tukey", "primary": "all"}
    text = str(cleverdon.claim(compare(made(rows), **how))[0])
    assert "over 6 comparisons, p = " in text
    assert " by this measure alone; " in text
    assert "uncorrected" not in text


def test_a_sign_test_that_shows_what_its_interval_does_not_says_so() -> None:
    rows = {"base": {"AP": [0.4] * 10}, "other": {"AP": [0.41] * 9 + [0.7]}}
    signs = one(made(rows), test="sign")
    assert signs.shown
    assert signs.difference.interval.low < 0
    assert "Interval and verdict disagree" in str(signs)


def test_no_possible_difference_may_be_large_enough() -> None:
    values = [0.0, 1.0] * 3
    rows = {"base": {"RR": [*values, 0.5]}, "other": {"RR": [*values[::-1], 1.0]}}
    assert "would not show even the largest possible difference" in str(one(made(rows)))
    assert "would show a true difference of" in str(one(pair(30, 0.01)))


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
    lines = cleverdon.claim(FOUND, doubts=find_doubts(FOUND)).render().split("\n")
    assert lines[0].startswith("other is not shown to differ from base on RR: +0.010 (")
    assert lines[1:3] == ["", "Before you believe it:"]
    assert lines[3].startswith("- few-queries: 12 queries are few")
    assert lines[3].endswith(". Buckley & Voorhees 2000, doi:10.1145/345508.345543")
    assert lines[4].startswith("- mean-rr: ")
    assert len(lines) == 5


def test_without_doubts_there_is_no_heading() -> None:
    assert "\n" not in cleverdon.claim(FOUND, doubts=()).render()


def test_doubts_are_found_unless_they_are_given() -> None:
    assert cleverdon.claim(FOUND).doubts == tuple(find_doubts(FOUND))


def test_markdown_is_a_list() -> None:
    text = cleverdon.claim(FOUND, doubts=find_doubts(FOUND)).render("markdown")
    assert text.startswith("- other is not shown")
    assert "\n\nBefore you believe it:\n\n- `few-queries`: " in text


def test_names_are_text_in_markdown() -> None:
    named = compare(made({"<i>a": {"AP": [0.1, 0.2]}, "*b*": {"AP": [0.2, 0.4]}}))
    assert (
        cleverdon.claim(named)
        .render("markdown")
        .startswith(r"- \*b\* cannot be told from &lt;i>a on AP: ")
    )
    assert cleverdon.claim(named).render().startswith("*b* cannot be told from <i>a on AP: ")


def test_json_has_the_text_and_all_digits() -> None:
    found = json.loads(cleverdon.claim(FOUND, doubts=find_doubts(FOUND)).render("json"))
    (claim,) = found["claims"]
    assert claim["text"] == str(cleverdon.claim(FOUND)[0])
    assert (claim["verdict"], claim["significant"]) == ("not shown", False)
    assert claim["difference"] == FOUND.differences[0].difference
    assert "queries_needed" not in claim
    assert [doubt["name"] for doubt in found["doubts"]] == ["few-queries", "mean-rr"]
    assert found["doubts"][0]["number"] == 12


def test_json_knows_no_infinity() -> None:
    one_query = compare(pair(1, -0.1), baseline="base")
    found = json.loads(cleverdon.claim(one_query).render("json"), parse_constant=pytest.fail)
    assert found["claims"][0]["low"] is None


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'markdown'"):
        cleverdon.claim(FOUND).render("markdwn")


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
    (claim,) = cleverdon.claim(compare(scores, baseline="{b}"))
    assert str(claim).startswith("a{} cannot be told from {b} on AP: -0.100 (")


def test_what_is_not_corrected_is_labelled() -> None:
    rows = {name: {"AP": [0.1 * k, 0.5, 0.3]} for k, name in enumerate(("base", "x", "y"), start=1)}
    claims = cleverdon.claim(compare(made(rows), test="t", correction="none", baseline="base"))
    assert all(", not adjusted;" in str(claim) for claim in claims)


def test_intervals_that_are_cut_alike_are_both_labelled() -> None:
    rows = {"base": {"RR": [0.0, 1.0]}, "x": {"RR": [1.0, 0.0]}, "y": {"RR": [0.5, 1.0]}}
    text = str(cleverdon.claim(compare(made(rows), test="t", baseline="base"))[0])
    assert "95% CI -1.000 to 1.000, adjusted for 2 comparisons; 95% CI -1.000 to 1.000 not" in text


def test_a_difference_beyond_the_margin_is_said_to_be() -> None:
    claim = cleverdon.claim(compare(pair(40, -0.2), baseline="base"), margin=0.05)[0]
    assert " They differ by more than 0.05 (90% CI -0.2" in str(claim)


def of_signs(differing: dict[str, int], queries: int) -> dict[str, dict[str, list[float]]]:
    """Systems that beat a baseline on so many queries, and are even with it on the others."""
    base = [0.2] * queries
    gain = np.linspace(0.1, 0.2, queries)
    systems = {
        name: {"AP": [0.2 + (gain[at] if at < count else 0.0) for at in range(queries)]}
        for name, count in differing.items()
    }
    return {"base": {"AP": base}} | systems


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_what_a_correction_puts_out_of_reach_is_said_to_be_so(correction: str) -> None:
    # Alone, 7 of 7 gains have p = 2 / 2**7 = 0.016; of four comparisons, Holm's lowest is 0.0625.
    systems = of_signs({"w": 7, "x": 7, "y": 7, "z": 6}, 7)
    comparison = compare(made(systems), baseline="base", correction=correction)
    said = cleverdon.claim(comparison)
    assert [claim.verdict for claim in said] == ["out of reach"] * 4
    assert "no p-value corrected for 4 comparisons can be below 0.062: it takes 8" in str(said[0])
    assert "in 80% of cases" not in str(said[0])
    assert "out-of-reach" in [doubt.name for doubt in said.doubts]
    # What is said to be the lowest is what the results with the same signs everywhere have.
    assert [one.corrected for one in comparison.differences] == [
        comparison.lowest_p(one) for one in comparison.differences
    ]
    enough = compare(
        made(of_signs({"w": 8, "x": 8, "y": 8, "z": 8}, 8)),
        baseline="base",
        correction=correction,
    )
    assert [claim.verdict for claim in cleverdon.claim(enough)] == ["better"] * 4


def test_the_queries_that_it_takes_are_of_the_family() -> None:
    # Of two comparisons, one can have 2 / 2**5 and the other 2 / 2**4 at least.
    comparison = compare(made(of_signs({"x": 5, "y": 4}, 9)), baseline="base", correction="holm")
    for one in comparison.differences:
        needed = comparison.queries_needed(one)
        counts = {"x": 5, "y": 4}
        for count, reached in ((needed - 1, False), (needed, True)):
            tried = of_signs(counts | {one.system: count}, 9)
            again = compare(made(tried), baseline="base", correction="holm")
            (same,) = (other for other in again.differences if other.system == one.system)
            assert (same.corrected <= 0.05) == reached


def test_too_few_draws_are_out_of_reach_of_any_number_of_queries() -> None:
    claim = one(pair(40, 0.5), options={"draws": 10})
    assert claim.verdict == "out of reach"
    assert "With 10 random draws, no p-value can be below 0.091: take more draws." in str(claim)


def test_a_ratio_without_an_interval_is_not_told() -> None:
    # The baseline's own interval excludes 0; adjusted for six comparisons, it does not.
    random = np.random.default_rng(3)
    base = np.array([0.05, 0.1, 0.2, 0.5, 0.4, 0.25, 0.02])
    values = {"base": {"AP": list(base)}} | {
        name: {"AP": list(base + 0.1 + random.normal(0, 0.05, 7))} for name in "xyz"
    }
    comparison = compare(made(values))
    (first, *_) = comparison.differences
    low, _ = stats.t.interval(0.95, 6, base.mean(), stats.sem(base))
    assert low > 0
    assert np.isnan(comparison.relative_interval(first).low)
    said = cleverdon.claim(comparison)
    assert "%" not in str(said[0]).replace("95% CI", "").replace("80% of cases", "")
    assert "near-zero-baseline" in [doubt.name for doubt in said.doubts]
    for interval in ("bca", "percentile", "studentised"):
        other = compare(made(values), interval=interval)
        for claim in cleverdon.claim(other):
            assert "%;" not in str(claim), claim


def test_only_an_interval_of_max_t_ends_at_0() -> None:
    # The first step of the test rejects; the bootstrap's interval includes 0 and is told to.
    found = {True: 0, False: 0}
    random = np.random.default_rng(0)
    for _ in range(40):
        queries = int(random.integers(8, 14))
        base = random.uniform(0.2, 0.5, queries)
        kept = random.choice([1, 1, 1, -1], queries) * (random.random(queries) < 0.8)
        values = {"base": {"AP": list(base)}}
        for at in range(2):
            gains = random.exponential(0.1, queries) * kept + 0.02 * at
            values[f"s{at}"] = {"AP": list(np.clip(base + gains, 0, 1))}
        comparison = compare(made(values), interval="bca", baseline="base")
        for claim in cleverdon.claim(comparison):
            ends = claim.difference.interval
            disagrees = (ends.low > 0 or ends.high < 0) != claim.shown
            assert not claim.difference.stepped
            assert disagrees == ("Interval and verdict disagree" in str(claim))
            found[disagrees] += 1
    assert min(found.values()) > 0


def test_the_family_in_json_is_the_one_that_decides() -> None:
    names = ("AP", "RR", "P@10")
    values = {s: {name: [0.1 * at, 0.2, 0.4] for name in names} for at, s in enumerate("ab")}
    assert compare(made(values), primary="RR").to_dict()["family"] == 1
    assert compare(made(values), primary="all").to_dict()["family"] == 3
