"""What is said of an A/B test."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.abtest.results import (
    ABTest,
    Adjustment,
    Effect,
    Guardrail,
    SampleRatio,
    Side,
)
from cleverdon.logs.abtest.tables import (
    _claim_sentence,
    _difference_text,
    _format_difference,
    _guardrail_sentence,
    participants_text,
)
from cleverdon.logs.metrics.base import Ratio, find_metric
from cleverdon.tables.table import FORMATS
from tests.logs.abtest.made import log_with, search


@pytest.fixture(scope="module")
def test() -> ABTest:
    """60 users on ten days; those of B click on everything, those of A on a third of all."""
    searches = [
        search(f"u{at}", "AB"[at % 2], 4 * at, clicks=int(at % 2 or at % 3 == 0), latency_ms=at % 7)
        for at in range(60)
    ]
    searches += [search("both", "A", 1), search("both", "B", 2), search("none", None, 3)]
    searches += [search(None, "B", 5)]
    return abtest(log_with(searches), ["Abandonment", "QueryCTR", "Latency"], guardrails=())


def made(metric: str, difference: float, **more: float) -> Effect:
    sides = (Side(100, 0.4, 0.4, 250.0, 0.1), Side(110, 0.4 + difference, 0.4, 260.0, 0.1))
    low, high = difference - 0.01, difference + 0.01
    told = {"low": low, "high": high, "unadjusted_low": low, "unadjusted_high": high}
    told |= {"confidence": 0.95, "p": 0.01, "corrected": 0.01}
    return Effect(
        find_metric(metric),  # type: ignore[arg-type]
        "A",
        "B",
        sides=sides,
        difference=difference,
        relative=difference / 0.4,
        **{**told, **more},  # type: ignore[arg-type]
    )


def guardrail() -> Guardrail:
    slower = replace(made("Latency", 0.05), relative_low=0.05, relative_high=0.2)
    return Guardrail(slower, 0.02, 0.9, 0.1, "open")


def said(test: ABTest, effect: Effect) -> str:
    (claim,) = replace(test, effects=(effect,)).claims(silence=["contaminated"])
    return _claim_sentence(claim)


def test_claims_are_in_the_voice_of_offline_ones(test: ABTest) -> None:
    shares = {"relative_low": -0.15, "relative_high": -0.1}
    assert said(test, made("Abandonment", -0.05, **shares)) == (
        "B beats A on Abandonment by 5.00 points: a smaller share of sessions without a click "
        "(40.00% to 35.00% of 250 and 260 sessions, -12.5%, lower is better; 95% CI -6.00 to -4.00 "
        "points or -15.0% to -10.0%; t test over users p = 0.010, 1 comparison)."
    )
    assert said(test, made("Success", -0.05, **shares)).startswith(
        "B is worse than A on Success by 5.00 points: a smaller share of sessions with a click and "
        "a sign of success (40.00% to 35.00% of 250 and 260 sessions, -12.5%; "
    )
    assert said(test, made("Dwell", 0.05)).startswith("B is higher than A on Dwell by 0.0500 s (")
    assert said(test, made("Success", 0.05, corrected=0.2)).startswith(
        "B is not shown to differ from A on Success: +5.00 points ("
    )


WIDER = {"low": 0.02, "high": 0.08, "relative_low": 0.05, "relative_high": 0.2, "family": 3}


def test_the_adjusted_interval_stands_before_the_other(test: ABTest) -> None:
    text = said(test, made("Success", 0.05, corrected=0.02, **WIDER))
    assert (
        "95% CI 2.00 to 8.00 points or +5.0% to +20.0%, adjusted for 3 comparisons; 95% CI 4.00 "
        "to 6.00 points not adjusted; t test over users p = 0.020, Holm over 3 comparisons, "
        "p = 0.010 uncorrected)."
    ) in text
    sequential = replace(test, sequential=True)
    text = said(sequential, made("Success", 0.05, corrected=0.02, **WIDER))
    assert "95% confidence sequence 2.00 to 8.00 points or" in text
    assert "95% confidence sequence 4.00 to 6.00 points not adjusted" in text
    none = replace(test, correction="none")
    assert "; 95% CI 4.00 to 6.00 points, not adjusted; t test over users p = 0.010, " in said(
        none, made("Success", 0.05, family=3)
    )
    alike = replace(test, correction="benjamini-hochberg")  # where all are significant
    assert "95% CI 4.00 to 6.00 points, adjusted for 3 comparisons; t test" in said(
        alike, made("Success", 0.05, family=3)
    )


def test_where_interval_and_verdict_disagree_it_is_said(test: ABTest) -> None:
    found = made("Success", 0.05, corrected=0.04, **{**WIDER, "low": -0.01})
    assert said(test, found).endswith(
        " Interval and verdict disagree, since they are by different methods: the interval "
        "includes 0."
    )
    assert (
        " disagree, since the confidence of 0.99 is not that of the level 0.05: the interval "
        in said(replace(test, confidence=0.99), found)
    )
    assert "disagree" not in said(test, made("Success", 0.05, corrected=0.04, **WIDER))


def test_each_family_has_a_heading(test: ABTest) -> None:
    text = test.to_text()
    first, second = text.index("Primary metric"), text.index("Other metrics")
    assert first < text.index("B beats A on Abandonment") < second
    assert second < text.index("B beats A on QueryCTR") < text.index("on Latency")
    assert (
        "Primary metric, which decides: Abandonment (the first; --primary names another):" in text
    )
    assert "Other metrics, corrected as a family of their own:" in text
    assert "Holm over 2 comparisons" in text
    assert "decides: Abandonment (as asked):" in replace(test, primary_named=True).to_text()
    untested = replace(test.effects[0], p=None, corrected=None, untested="nobody came")
    assert (
        "(the first; --primary names another), but could not be tested:"
        in replace(test, effects=(untested, *test.effects[1:])).to_text()
    )
    whole = replace(
        test, primary=None, effects=tuple(replace(e, primary=True) for e in test.effects)
    )
    assert "Primary metric" not in whole.to_text()
    notes = test.render("table")
    assert (
        "p: two-sided t test over users, 1 comparison by Abandonment, which decides, and Holm over "
        "2 comparisons by the other metrics\n"
    ) in notes
    assert "interval: 95% intervals, adjusted as the p-values are\n" in notes


def test_serious_doubts_qualify_claims_and_guardrails(test: ABTest) -> None:
    ratio = SampleRatio({"A": 1, "B": 1}, {"A": 1, "B": 1}, 0.02, "exact binomial test")
    doubtful = replace(test, ratio=ratio, guardrails=(guardrail(),))
    names = [doubt.name for doubt in doubtful.doubts() if doubt.serious]
    assert names == ["sample-ratio", "contaminated"]
    for claim in doubtful.claims():
        assert claim.qualified == ("sample-ratio", "contaminated")
        assert _claim_sentence(claim).endswith(" Qualified by sample-ratio and contaminated.")
    assert doubtful.claims(silence=names)[0].qualified == ()
    record = json.loads(doubtful.render("json"))
    for one in (*record["effects"], *record["guardrails"]):
        assert one["qualified"] == names
    assert record["doubts"][0]["serious"]
    for row in csv.DictReader(StringIO(doubtful.render("csv"))):
        assert row["qualified"] == "sample-ratio contaminated"
    assert "not adjusted; one-sided" not in doubtful.to_text()  # of one guardrail
    several = replace(doubtful, guardrails=(guardrail(), guardrail())).to_text()
    assert (
        "95% CI +5.0% to +20.0% not adjusted; one-sided p = 0.900, not corrected). Qual" in several
    )


def test_users_who_differed_before_qualify_their_variant_only(test: ABTest) -> None:
    past = Adjustment(removed=0.1, known=1.0, raw_difference=0.1, p_before=1e-6)
    odd = replace(made("Success", 0.05), variant="C", adjustment=past)
    found = replace(test, effects=(made("Success", 0.05), odd))
    assert [claim.qualified for claim in found.claims(silence=["contaminated"])] == [
        (),
        ("differed-before",),
    ]


def test_comparisons_that_are_not_corrected_for_raise_a_doubt(test: ABTest) -> None:
    (doubt,) = [
        one for one in replace(test, correction="none").doubts() if one.name == "uncorrected"
    ]
    assert doubt.sentence.startswith("3 comparisons are made and not corrected for")
    assert not doubt.serious
    assert "uncorrected" not in [one.name for one in test.doubts()]
    one = replace(test, correction="none", effects=(made("Success", 0.05),))
    assert "uncorrected" not in [one.name for one in one.doubts()]


def test_no_difference_and_what_could_have_been_shown(test: ABTest) -> None:
    text = said(test, made("Success", 0.0, corrected=1.0))
    assert " There is no difference to show." in text
    assert "would show" not in text
    claim = test.claims()[2]
    latency, plan = _claim_sentence(claim), claim.effect.planning
    assert latency.startswith("B is not shown to differ from A on Latency: ")
    assert plan is not None
    assert plan.smallest is not None
    assert claim.effect.sides is not None
    size = plan.smallest * claim.effect.sides[0].value
    assert (
        f" These users would show a true difference of {size:.3f} ms ({plan.smallest:.1%}) in "
        in (latency)
    )
    assert "If it is really" not in latency


def test_who_took_part_comes_first(test: ABTest) -> None:
    first, left_out, split, *notes = participants_text(test)
    assert notes == list(test.notes)
    assert first == (
        "60 users took part (A 30, B 30), from 2026-03-02 00:00:00 to 2026-03-11 20:00:00 UTC, "
        "9.8 days; A is the control."
    )
    assert left_out == (
        "Left out: 1 user who saw more than one variant; 1 user without a known variant; "
        "1 result page without a user."
    )
    assert split == "They are split as expected (exact binomial test p = 1.000)."


def test_what_is_not_to_be_trusted_is_not_claimed(test: ABTest) -> None:
    wrong = SampleRatio({"A": 649, "B": 454}, {"A": 551.5, "B": 551.5}, 5e-9, "exact binomial test")
    text = replace(test, ratio=wrong).to_text()
    assert (
        "NOT TO BE TRUSTED: they are not split as expected. There are A 649, B 454; expected "
        "were A 551.5, B 551.5 (exact binomial test p = 5e-09)."
    ) in text
    assert "beats" not in text
    assert "better" not in text
    assert "not trusted" in text
    assert text.count("NOT TO BE TRUSTED") == 1
    for format in ("table", "markdown", "latex", "html"):
        assert "NOT TO BE TRUSTED" in replace(test, ratio=wrong).render(format)
    found = json.loads(replace(test, ratio=wrong).render("json"))
    assert not found["trusted"]
    assert [one["text"] for one in found["effects"]] == [None] * 3


def test_a_split_that_is_unusual_is_called_doubtful(test: ABTest) -> None:
    ratio = SampleRatio(
        {"A": 5135, "B": 4865}, {"A": 5000, "B": 5000}, 0.007, "exact binomial test"
    )
    odd = replace(test, ratio=ratio)
    told = (
        "DOUBTFUL: their split is unusual. There are A 5,135, B 4,865; expected were A 5,000, "
        "B 5,000 (exact binomial test p = 0.007): chance gives a split as uneven as this in "
        "one of 143 experiments."
    )
    assert told in odd.to_text()
    assert "as expected" not in odd.to_text()
    assert "B beats A" in odd.to_text(), "it is doubtful, and still trusted"
    for format in ("table", "markdown", "latex", "html"):
        assert "DOUBTFUL" in odd.render(format)
        assert "DOUBTFUL" not in test.render(format)
    found = json.loads(odd.render("json"))
    assert (found["trusted"], found["sample_ratio"]["verdict"]) == (True, "doubtful")
    assert found["doubts"][0]["name"] == "sample-ratio"
    assert json.loads(test.render("json"))["sample_ratio"]["verdict"] == "as expected"


@pytest.mark.parametrize(
    ("p", "verdict"),
    [(0.0009, "mismatch"), (0.001, "doubtful"), (0.0499, "doubtful"), (0.05, "as expected")],
)
def test_how_sure_one_is_of_the_split(p: float, verdict: str) -> None:
    ratio = SampleRatio({"A": 1, "B": 1}, {"A": 1, "B": 1}, p, "exact binomial test")
    assert (ratio.verdict, ratio.mismatch) == (verdict, verdict == "mismatch")


def test_a_guardrail_that_got_better_is_said_to(test: ABTest) -> None:
    """Two thirds off every latency, and nothing else."""
    searches = [
        search(f"u{at}", "AB"[at % 2], at, clicks=1, latency_ms=(300, 100)[at % 2] + at % 7)
        for at in range(200)
    ]
    found = abtest(log_with(searches), ["QueryCTR"], guardrails=["Latency"])
    (guard,) = found.guardrails
    assert (guard.verdict, guard.change) == ("kept", "better")
    text = _guardrail_sentence(guard, found)
    assert text.startswith("Guardrail Latency: kept, B is better than A (303.0 ms to 103.0 ms ")
    assert "worse" not in text
    (record,) = json.loads(found.render("json"))["guardrails"]
    assert (record["verdict"], record["change"]) == ("kept", "better")
    more = replace(guard, effect=made("Success", 0.05))
    assert more.change == "better"
    assert replace(guard, effect=made("Success", -0.05)).change == "worse"


def test_guardrails(test: ABTest) -> None:
    slower = replace(made("Latency", 0.05), relative_low=0.05, relative_high=0.2)
    either = replace(slower, low=-0.01)
    for verdict, effect, begin in (
        ("kept", either, "kept, B is less than 2% worse than A, or not worse (0.4"),
        ("kept", slower, "kept, B is worse than A, but by less than 2% (0.4"),
        ("open", either, "open, B is not shown to be less than 2% worse than A (0.4"),
        (
            "open",
            slower,
            "open, B is worse than A, and it is not shown that it is less than 2% worse (0.4",
        ),
        ("broken", slower, "BROKEN, B is more than 2% worse than A (0.4"),
    ):
        text = _guardrail_sentence(Guardrail(effect, 0.02, 0.9, 0.1, verdict), test)  # type: ignore[arg-type]
        assert text.startswith(f"Guardrail Latency: {begin}")
        p = f"one-sided p = {'0.100' if verdict == 'broken' else '0.900'}"
        assert f"+12.5%, lower is better; 95% CI +5.0% to +20.0%; {p})." in text
    none = Effect(find_metric("Latency"), "A", "B", sides=None, untested="the log has no latency")  # type: ignore[arg-type]
    assert _guardrail_sentence(Guardrail(none, 0.02, None, None, "open"), test) == (
        "Guardrail Latency: not tested for B, because the log has no latency."
    )


def test_every_format(test: ABTest) -> None:
    for format in ("text", *FORMATS):
        assert "Abandonment" in test.render(format)
    with pytest.raises(OptionError, match="format='xml'"):
        test.render("xml")
    rows = list(csv.DictReader(StringIO(test.render("csv"))))
    assert [row["metric"] for row in rows] == ["Abandonment", "QueryCTR", "Latency"]
    assert float(rows[0]["difference"]) == test.effects[0].difference
    assert [row["verdict"] for row in rows] == ["better", "better", "not shown"]


def test_the_p_values_of_guardrails_stand_in_columns_of_their_own(test: ABTest) -> None:
    slower = replace(made("Latency", 0.05), corrected=None, p=0.6)
    untested = Effect(find_metric("ZeroResults"), "A", "B", sides=None, untested="nobody searched")  # type: ignore[arg-type]
    guards = (
        Guardrail(slower, 0.02, 0.9, 0.1, "open"),
        Guardrail(untested, 0.02, None, None, "open"),
    )
    guarded = replace(test, effects=(made("Success", 0.05),), guardrails=guards)
    goal, guard, none = csv.DictReader(StringIO(guarded.render("csv")))
    assert (goal["control_value"], goal["variant_value"]) == ("0.4", "0.45")
    assert (goal["p"], goal["corrected"], goal["p_within"], goal["margin"]) == (
        "0.01",
        "0.01",
        "",
        "",
    )
    assert (goal["family"], goal["primary"], goal["confidence"]) == ("1", "True", "0.95")
    assert (guard["family"], guard["primary"]) == ("", "")
    assert (guard["p"], guard["corrected"]) == ("", "")
    assert (guard["margin"], guard["p_within"], guard["p_beyond"]) == ("0.02", "0.9", "0.1")
    assert (none["p_within"], none["verdict"]) == ("", "guardrail not tested")
    text = guarded.render("table")
    assert "control value" in text
    assert "p: two-sided t test over users, 1 comparison\n" in text
    assert "p within: of guardrails, " in text
    assert (
        "; one-sided t test over users, not corrected; their intervals are of 95%, not adjusted\n"
    ) in text
    always = replace(guarded, sequential=True).render("table")
    assert "p: always valid, 1 comparison\n" in always
    assert "within the margin; always valid, not corrected" in always
    assert "p within" not in replace(guarded, guardrails=()).render("table")


def test_what_has_no_interval_is_a_dash(test: ABTest) -> None:
    none = dict.fromkeys(("low", "high", "unadjusted_low", "unadjusted_high", "p", "corrected"))
    alike = replace(made("Success", 0.0), **none)  # type: ignore[arg-type]
    found = replace(test, effects=(replace(alike, untested="nothing to compare"),))
    row = found.render("table").splitlines()[2].split()
    assert row[6:] == ["-", "+0.0%", "-", "-", "not", "tested"]
    assert "; p:" not in found.render("table")
    (row_of_csv,) = csv.DictReader(StringIO(found.render("csv")))
    assert (row_of_csv["low"], row_of_csv["high"], row_of_csv["p"]) == ("", "", "")


def test_json_is_whole(test: ABTest) -> None:
    found = json.loads(test.render("json"))
    first = found["effects"][0]
    assert first["text"] == _claim_sentence(test.claims()[0])
    assert first["verdict"] == "better"
    assert first["sides"]["A"]["users"] == 30
    assert found["participants"]["contaminated"] == 1
    assert found["sample_ratio"]["p"] == 1
    assert found["comparisons"] == 3
    assert (found["primary"], found["primary_named"], found["confidence"]) == (
        "Abandonment",
        False,
        0.95,
    )
    assert [(one["family"], one["primary"]) for one in found["effects"]] == [
        (1, True),
        (2, False),
        (2, False),
    ]
    other = found["effects"][1]
    assert other["low"] < other["unadjusted_low"] < other["unadjusted_high"] < other["high"]
    assert {doubt["name"] for doubt in found["doubts"]} >= {"few-users"}


def test_what_could_not_be_tested_is_told(test: ABTest) -> None:
    untested = replace(made("Success", 0.5), p=None, corrected=None, untested="nobody came")
    lacking = replace(test, effects=(untested,), missing={"Latency": ("queries.latency_ms",)})
    text = lacking.to_text()
    assert "Success is not tested for B: nobody came." in text
    assert "Latency is not compared: the log does not have queries.latency_ms." in text
    assert "not tested" in lacking.render("table")


def test_differences_of_shares_are_in_points() -> None:
    abandonment, latency = find_metric("Abandonment"), find_metric("Latency")
    assert isinstance(abandonment, Ratio)
    assert isinstance(latency, Ratio)
    assert _format_difference(abandonment, -0.041731) == "-4.17"
    assert _format_difference(abandonment, 0.0000312) == "0.0031"
    assert _difference_text(abandonment, -0.0417, signed=True) == "-4.17 points"
    assert _difference_text(latency, 3.2) == "3.200 ms"
