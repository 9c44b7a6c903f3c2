"""What a report says, worked out by hand, or as the library says it elsewhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from cleverdon import Scores, evaluate
from cleverdon.compare import Comparison, claims, compare, doubts
from cleverdon.errors import OptionError
from cleverdon.show.claims import sentence
from cleverdon.show.comparison import render
from cleverdon.show.report import Finding, Report, report
from tests.compare.made import made
from tests.show.report.examples import MEASURES, QRELS, QUERIES, RUNS, scores

TOPICS = 12
CLEAR = made(
    {
        "base": {"AP": [0.2 + t / 100 for t in range(TOPICS)], "FPR": [0.5] * TOPICS},
        "up": {"AP": [0.4 + t / 90 for t in range(TOPICS)], "FPR": [0.1] * TOPICS},
        "same": {"AP": [0.2 + (t % 2) / 5 for t in range(TOPICS)], "FPR": [0.5] * TOPICS},
        "down": {"AP": [0.05] * TOPICS, "FPR": [0.9] * TOPICS},
    }
)


def said(made: Report) -> dict[str, Any]:
    """What a program reads of it."""
    found: dict[str, Any] = json.loads(json.dumps(made.content, allow_nan=False))
    return found


def sentences(of: dict[str, Any]) -> list[str]:
    return [claim["text"] for claim in of["claims"]]


def expected(comparison: Comparison) -> list[str]:
    return [sentence(claim) for claim in claims(comparison)]


def test_values_and_means_are_those_of_the_scores() -> None:
    found = said(report(scores(), baseline="poor", queries=QUERIES, title="Ours"))
    assert found["title"] == "Ours"
    assert found["systems"] == ["good", "poor", "middling"]
    assert [measure["name"] for measure in found["measures"]] == MEASURES
    assert [measure["better"] for measure in found["measures"]] == ["higher"] * 3 + ["lower"]
    assert [measure["worst"] for measure in found["measures"]] == [0, 0, 0, 1]
    assert found["topics"][:3] == [
        {"id": "1", "text": "what is it?"},
        {"id": "2", "text": "how long?"},
        {"id": "3"},
    ]
    ap = found["values"][0]
    assert ap[0] == [0.75, 1, None, 1, 1, 1, 1, 1]
    assert ap[1] == [1 / 8, 1 / 2, None, *[1 / 6] * 5]
    for m, measure in enumerate(MEASURES):
        assert found["means"][m] == [scores().mean(s, measure) for s in found["systems"]]
    assert found["means"][0][0] == 6.75 / 8
    assert found["notes"] == [
        "8 queries, 16 judgments, 1 of them below 0: pooled, not judged",
        "poor: 1 judged query missing (evaluated as empty results)",
        "AP is undefined for 1 query (counted as 0)",
    ]
    assert found["warnings"] == scores().warnings


@pytest.mark.parametrize("baseline", [None, "same"])
def test_every_baseline_is_as_if_it_had_been_the_only_one(baseline: str | None) -> None:
    made = report(CLEAR, baseline=baseline)
    found = said(made)["comparisons"]
    order = [None, "base", "up", "same", "down"]
    order.remove(baseline)
    others = [*order[1:], None] if baseline else order
    assert [one["baseline"] for one in found] == [baseline, *others]
    for one, kept in zip(found, made.comparisons, strict=True):
        again = compare(CLEAR, baseline=one["baseline"])
        assert sentences(one) == expected(again)
        assert one["table"] == render(again, "html")
        records = [(claim["p"], claim["corrected"], claim["low"]) for claim in one["claims"]]
        wanted = [(d.p.p, d.corrected, d.interval.low) for d in again.differences]
        assert np.allclose(records, wanted, rtol=1e-12, atol=1e-15)
        assert kept.differences[0].system == again.differences[0].system
        facts = one["method"]["facts"]["Test"]
        assert facts.endswith(f"over {len(again.differences)} comparisons")
        assert f"over {len(again.differences)} comparisons" in one["method"]["paragraph"]


def test_headlines_count_what_was_shown() -> None:
    first, *others, pairs = said(report(CLEAR, baseline="base"))["comparisons"]
    assert first["headlines"] == {
        "AP": "Of 3 systems compared on AP, 1 beats base, 1 is worse than it, "
        "1 is not shown to differ from it.",
        "FPR": "Of 3 systems compared on FPR, 1 beats base, 1 is worse than it, "
        "1 is not shown to differ from it.",
    }
    assert others[-1]["headlines"]["AP"] == "Of 3 systems compared on AP, 3 beat down."
    shown = sum(claim.shown for claim in claims(compare(CLEAR, measures="AP")))
    assert shown == 5
    assert pairs["headlines"]["AP"] == "5 of 6 pairs of systems are shown to differ on AP."
    verdicts = {claim["system"]: claim["verdict"] for claim in first["claims"][::2]}
    assert verdicts == {"up": "better", "same": "not shown", "down": "worse"}


def test_two_systems_have_a_headline_in_words() -> None:
    pair = compare(CLEAR, systems=["base", "up"])
    for one in said(report(pair))["comparisons"]:
        who = "base is worse than up" if one["baseline"] == "up" else "up beats base"
        assert one["headlines"]["AP"] == f"{who} on AP."


def test_a_measure_that_is_neither_good_nor_bad() -> None:
    counted = made({"a": {"NumRet": [5.0] * 9}, "b": {"NumRet": [9.0] * 9}})
    found = said(report(counted, baseline="a"))
    assert found["measures"][0]["better"] == "neither"
    assert found["measures"][0]["digits"] == 0
    assert found["comparisons"][0]["headlines"]["NumRet"] == "b is higher than a on NumRet."


def test_doubts_are_those_of_the_first_comparison_or_those_given() -> None:
    found = said(report(scores(), baseline="poor"))["doubts"]
    wanted = doubts(compare(scores(), baseline="poor"))
    assert [doubt["sentence"] for doubt in found] == [doubt.sentence for doubt in wanted]
    assert "few-topics" in {doubt["name"] for doubt in found}
    assert said(report(scores(), doubts=[]))["doubts"] == []


def test_findings_are_kept() -> None:
    finding = Finding("a.run:3", "warning", "the ranks are wrong", "sort it")
    assert said(report(scores(), findings=[finding]))["findings"] == [
        {"file": "a.run:3", "severity": "warning", "message": "the ranks are wrong"}
        | {"fix": "sort it"}
    ]


def test_topics_that_not_every_system_was_evaluated_on() -> None:
    passed = evaluate(QRELS, RUNS, ["AP", "RR"], keep=3, missing="skip", undefined="worst")
    found = said(report(passed, baseline="poor"))
    assert found["topics"][2]["id"] == "3"
    assert found["compared"] == [0, 1, 3, 4, 5, 6, 7]
    assert found["values"][1][1][2] is None
    assert "7 topics" in found["comparisons"][0]["claims"][0]["text"]
    left_out = evaluate(QRELS, RUNS, ["AP", "RR"], undefined="skip")
    assert said(report(left_out))["compared"] == [0, 1, 3, 4, 5, 6, 7]


def test_one_system_alone() -> None:
    alone = evaluate(QRELS, {"good": RUNS["good"]}, MEASURES, keep=3, docs=20)
    made = report(alone)
    found = said(made)
    assert found["comparisons"] == []
    assert found["doubts"] == []
    assert found["means"][0] == [6.75 / 8]
    assert found["rankings"]["topics"][0]["systems"][0]["found"] == [1, 4]
    assert "compared" not in found["method"]["paragraph"]
    assert "Test" not in found["method"]["facts"]
    assert repr(made) == "<Report 'Search evaluation': 1 system, 4 measures, 8 topics>"
    with pytest.raises(OptionError, match="only one system"):
        report(alone, baseline="good")


def test_scores_without_rankings() -> None:
    assert said(report(evaluate(QRELS, RUNS, "AP RR")))["rankings"] is None


def test_texts_beside_numbers() -> None:
    mixed = evaluate(QRELS, RUNS, ["RelString@3", "AP", "RR"], keep=3)
    found = said(report(mixed, baseline="poor"))
    assert [measure["name"] for measure in found["measures"]] == ["AP", "RR"]
    assert found["means"][0] == [mixed.mean(s, "AP") for s in mixed.systems]
    assert found["values"][0][0][:2] == [0.75, 1.0]
    assert [measure["name"] for measure in found["method"]["measures"]] == ["AP", "RR"]
    with pytest.raises(OptionError, match="a measure that gives numbers"):
        report(evaluate(QRELS, RUNS, "RelString@3"))


def test_infinite_values_can_be_written() -> None:
    endless = made({"a": {"NumRet": [1.0, np.nan]}}, undefined="skip")
    found = said(report(endless))
    assert found["values"] == [[[1.0, None]]]
    assert found["compared"] == [0]


class TestAComparisonIsGiven:
    """Its report rests on its own test, on its systems and measures."""

    def test_its_test_and_level_are_used_for_every_baseline(self) -> None:
        asked: dict[str, Any] = {
            "test": "t",
            "correction": "bonferroni",
            "level": 0.01,
            "interval": "t",
            "confidence": 0.9,
            "seed": 7,
        }
        given = compare(CLEAR, baseline="same", **asked)
        made = report(given)
        assert made.comparisons[0] is given
        for one in said(made)["comparisons"]:
            assert sentences(one) == expected(compare(CLEAR, baseline=one["baseline"], **asked))
            assert one["method"]["facts"]["Level"] == "0.01"
            assert one["method"]["facts"]["Seed"] == "7"
            assert one["method"]["facts"]["Intervals"].startswith("90%, ")

    def test_options_of_the_test_are_kept(self) -> None:
        given = compare(CLEAR, baseline="base", options={"draws": 500}, seed=3)
        for one in said(report(given))["comparisons"]:
            again = compare(CLEAR, baseline=one["baseline"], options={"draws": 500}, seed=3)
            assert sentences(one) == expected(again)

    @pytest.mark.parametrize("alternative", ["greater", "less"])
    def test_one_sided(self, alternative: str) -> None:
        given = compare(CLEAR, baseline="base", alternative=alternative)
        (only,) = said(report(given))["comparisons"]
        assert sentences(only) == expected(given)
        seen = "1 beats base" if alternative == "greater" else "1 is worse than base"
        other = "better" if alternative == "greater" else "worse"
        assert only["headlines"]["AP"] == (
            f"Of 3 systems compared on AP, {seen}, 2 are not shown to be {other} than it."
        )

    @pytest.mark.parametrize("baseline", [None, "up"])
    def test_tukey(self, baseline: str | None) -> None:
        given = compare(CLEAR, baseline=baseline, test="tukey")
        for one in said(report(given))["comparisons"]:
            again = compare(CLEAR, baseline=one["baseline"], test="tukey")
            assert sentences(one) == expected(again)
            assert "Tukey's HSD over all pairs of 4 systems" in one["method"]["paragraph"]

    def test_some_systems_and_measures(self) -> None:
        given = compare(CLEAR, baseline="up", systems=["up", "down", "base"], measures="AP")
        found = said(report(given))
        assert found["systems"] == ["base", "up", "same", "down"]
        assert [one["baseline"] for one in found["comparisons"]] == ["up", "down", "base", None]
        for one in found["comparisons"]:
            assert list(one["headlines"]) == ["AP"]
            assert {claim["system"] for claim in one["claims"]} <= {"up", "down", "base"}
        assert sentences(found["comparisons"][0]) == expected(given)

    def test_its_baseline_is_its_own(self) -> None:
        given = compare(CLEAR, baseline="up")
        assert said(report(given, baseline="up"))["comparisons"][0]["baseline"] == "up"
        with pytest.raises(OptionError, match="a baseline of its own"):
            report(given, baseline="down")


def test_an_unknown_baseline() -> None:
    with pytest.raises(OptionError, match="no system 'bse'; did you mean 'base'"):
        report(CLEAR, baseline="bse")


def test_nothing_that_was_given_is_changed() -> None:
    before = scores().values.copy()
    given: Scores = scores()
    report(given, baseline="poor")
    assert np.array_equal(before, given.values, equal_nan=True)
