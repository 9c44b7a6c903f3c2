"""What is said of an A/B test."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.abtest.results import ABTest, Effect, Guardrail, SampleRatio, Side
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
    told = {"low": difference - 0.01, "high": difference + 0.01, "p": 0.01, "corrected": 0.02}
    return Effect(
        find_metric(metric),  # type: ignore[arg-type]
        "A",
        "B",
        sides=sides,
        difference=difference,
        relative=difference / 0.4,
        **{**told, **more},  # type: ignore[arg-type]
    )


def said(test: ABTest, effect: Effect) -> str:
    (claim,) = replace(test, effects=(effect,)).claims()
    return _claim_sentence(claim)


def test_claims_are_in_the_voice_of_offline_ones(test: ABTest) -> None:
    assert said(test, made("Abandonment", -0.05)) == (
        "B beats A on Abandonment by 5.00 points: a smaller share of sessions without a click "
        "(40.00% to 35.00% of 250 and 260 sessions, -12.5%, lower is better; 95% CI -6.00 to -4.00 "
        "points; t test over users p = 0.020, 1 comparison)."
    )
    assert said(test, made("Success", -0.05)).startswith(
        "B is worse than A on Success by 5.00 points: a smaller share of sessions with a click and "
        "a sign of success (40.00% to 35.00% of 250 and 260 sessions, -12.5%; "
    )
    assert said(test, made("Dwell", 0.05)).startswith("B is higher than A on Dwell by 0.0500 s (")
    assert said(test, made("Success", 0.05, corrected=0.2)).startswith(
        "B is not shown to differ from A on Success: +5.00 points ("
    )


def test_an_interval_that_is_not_corrected_says_so(test: ABTest) -> None:
    assert "4.00 to 6.00 points, not corrected; " in said(
        test, made("Success", 0.05, corrected=0.2)
    )
    assert "not corrected" not in said(test, made("Success", 0.005, corrected=0.2))


def test_several_comparisons_are_named(test: ABTest) -> None:
    both = replace(test, effects=(made("Success", 0.05), made("Abandonment", 0.05)))
    assert "p = 0.020, Holm over 2 comparisons)" in _claim_sentence(both.claims()[0])


def test_no_difference_and_what_it_would_take(test: ABTest) -> None:
    assert said(test, made("Success", 0.0, corrected=1.0)).endswith(
        " There is no difference to show."
    )
    # 30 users of A, 30 of B: many more are needed to see a difference of a millisecond.
    latency = _claim_sentence(test.claims()[2])
    assert latency.startswith("B is not shown to differ from A on Latency: ")
    assert latency.endswith(" users would show it with a power of 80%.")


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
        assert text.endswith(f"+12.5%, lower is better; 95% CI +5.0% to +20.0%; {p}).")
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
        "0.02",
        "",
        "",
    )
    assert (guard["p"], guard["corrected"]) == ("", "")
    assert (guard["margin"], guard["p_within"], guard["p_beyond"]) == ("0.02", "0.9", "0.1")
    assert (none["p_within"], none["verdict"]) == ("", "guardrail not tested")
    text = guarded.render("table")
    assert "control value" in text
    assert "p: two-sided t test over users, 1 comparison\n" in text
    assert "p within: of guardrails, " in text
    assert "; one-sided t test over users, not corrected" in text
    always = replace(guarded, sequential=True).render("table")
    assert "p: always valid, 1 comparison\n" in always
    assert "within the margin; always valid, not corrected" in always
    assert "p within" not in replace(guarded, guardrails=()).render("table")


def test_what_has_no_interval_is_a_dash(test: ABTest) -> None:
    alike = replace(made("Success", 0.0), low=None, high=None, p=None, corrected=None)
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
