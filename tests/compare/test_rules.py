"""The language of a gate's rules."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.compare.limits import COMPARISONS
from cleverdon.compare.rules import LossLimit, NotWorse, Threshold, parse_rule
from cleverdon.errors import NotationError
from cleverdon.measures import parse

NDCG = parse("nDCG@10")


@pytest.mark.parametrize(
    ("text", "comparison", "number", "of_baseline", "percent"),
    [
        ("nDCG@10 >= 0.3", ">=", 0.3, False, False),
        ("nDCG@10>.3", ">", 0.3, False, False),
        ("  nDCG@10  <  -1e-2 ", "<", -0.01, False, False),
        ("nDCG@10 == + 2", "==", 2, False, False),
        ("ndcg_cut_10 <= baseline", "<=", 0, True, False),
        ("nDCG@10 >= baseline - 0.01", ">=", -0.01, True, False),
        ("nDCG@10>=Baseline+2.5%", ">=", 2.5, True, True),
    ],
)
def test_thresholds(
    text: str, comparison: str, number: float, of_baseline: bool, percent: bool
) -> None:
    assert parse_rule(text) == Threshold(text, NDCG, comparison, number, of_baseline, percent)


def test_per_cent_are_of_the_baseline() -> None:
    for text, baseline, limit in (
        ("AP >= 0.2", 0.5, 0.2),
        ("AP >= baseline", 0.5, 0.5),
        ("AP >= baseline - 0.1", 0.5, 0.4),
        ("AP >= baseline - 10%", 0.5, 0.45),
        ("AP >= baseline + 10%", 0.5, 0.55),
        ("Utility >= baseline - 10%", -2.0, -2.2),
    ):
        rule = parse_rule(text)
        assert isinstance(rule, Threshold)
        assert rule.limit(baseline) == pytest.approx(limit)


@pytest.mark.parametrize(
    ("text", "margin"),
    [
        ("nDCG@10 not significantly worse", None),
        ("nDCG@10 NOT significantly  worse than baseline", None),
        ("nDCG@10 not significantly worse by 0.01", 0.01),
        ("nDCG@10 not significantly worse than baseline by .01", 0.01),
        ("nDCG@10 not significantly worse by 0.01 than baseline", 0.01),
    ],
)
def test_not_significantly_worse(text: str, margin: float | None) -> None:
    assert parse_rule(text) == NotWorse(text, NDCG, margin)


def test_no_query_loses() -> None:
    text = "No query loses more than 0.2 on P(rel=2, norm=returned)@5"
    assert parse_rule(text) == LossLimit(text, parse("P(rel=2,norm=returned)@5"), 0.2)


def test_measures_with_brackets_and_comparisons_in_them() -> None:
    rule = parse_rule("Utility(w=(1, -1, 0, 0))>=baseline")
    assert rule.measure == parse("Utility(w=(1,-1,0,0))")


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 1, "expected a measure"),
        ("   ", 4, "expected a measure"),
        (">= 0.3", 1, "expected a measure, found '>='"),
        ("nDGC@10 >= 0.3", 1, "did you mean 'nDCG'?"),
        ("nDCG@ten >= 0.3", 1, "expected a number behind '@'"),
        ("nDCG@10", 8, "found the end of the rule; a rule is written as 'nDCG@10 >= baseline"),
        ("nDCG@10 => 0.3", 9, "found '=>'; did you mean '>='?"),
        ("nDCG@10 = 0.3", 9, "did you mean '=='?"),
        ("nDCG@10 0.3", 9, "expected >=, >, <=, <, == or 'not significantly worse', found '0.3'"),
        ("nDCG@10 >=", 11, "expected a number or 'baseline', found the end of the rule"),
        ("nDCG@10 >= basline", 12, "did you mean 'baseline'?"),
        ("nDCG@10 >= best", 12, "expected a number or 'baseline', found 'best'"),
        ("nDCG@10 >= 5%", 13, "expected the end of the rule, found '%'"),
        ("nDCG@10 >= baseline 0.1", 21, "expected '+', '-' or the end of the rule, found '0.1'"),
        ("nDCG@10 >= baseline - -1", 23, "expected a number without a sign, found '-'"),
        ("nDCG@10 >= 1e999", 12, "not so large"),
        ("nDCG@10 not worse", 13, "expected 'not significantly worse', found 'worse'"),
        ("nDCG@10 not significantly wrose", 27, "did you mean 'worse'?"),
        ("nDCG@10 not significantly worse by", 35, "expected a margin"),
        ("nDCG@10 not significantly worse by 0", 36, "a margin above 0"),
        ("nDCG@10 not significantly worse than", 37, "expected 'baseline'"),
        ("nDCG@10 not significantly worse by 1 by 2", 38, "or the end of the rule, found 'by'"),
        ("no query loses more than 0.1", 29, "expected 'on' and a measure"),
        ("no query loses more then 0.1 on AP", 21, "did you mean 'than'?"),
        ("no query loses more than -1 on AP", 26, "how much a query may lose, found '-'"),
        ("no query loses more than 1 on", 30, "expected a measure"),
        ("no query loses more than 1 on AP now", 34, "expected the end of the rule, found 'now'"),
    ],
)
def test_errors_name_the_place_and_what_is_right(text: str, position: int, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as error:
        parse_rule(text)
    assert str(error.value).startswith(f"rule {text!r}, at character {position}: ")


@given(st.text(st.sampled_from("AP@10 ><=.-+%baselinotwrsqufymgh(){}'"), max_size=40))
def test_any_text_is_a_rule_or_an_error(text: str) -> None:
    try:
        rule = parse_rule(text)
    except NotationError:
        return
    assert rule.text == text


@given(
    st.sampled_from(["AP", "P(rel=2)@5", "RBP(p=0.9)", "SetF(beta=2)"]),
    st.sampled_from(COMPARISONS),
    st.floats(0, 1e6),
    st.sampled_from(["", "baseline + ", "baseline - "]),
    st.booleans(),
)
def test_every_right_rule_is_read_back(
    measure: str, comparison: str, number: float, before: str, percent: bool
) -> None:
    behind = "%" if percent and before else ""
    rule = parse_rule(f"{measure} {comparison} {before}{number!r}{behind}")
    assert isinstance(rule, Threshold)
    assert (str(rule.measure), rule.comparison) == (measure, comparison)
    assert abs(rule.number) == number
    assert (rule.of_baseline, rule.percent) == (bool(before), bool(behind))
