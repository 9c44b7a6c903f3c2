"""The content of a report: averages, claims, rankings, method."""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import cleverdon
from cleverdon import Scores, Topics, evaluate, worst
from cleverdon.comparison.checklist import reporting_checklist
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.comparison.doubts import find_doubts
from cleverdon.errors import OptionError
from cleverdon.formats.texts import Text
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import measures
from cleverdon.pages.page import _mathml
from cleverdon.reports import content as section
from cleverdon.reports.content import (
    Finding,
    _document_texts,
    _ranking_data,
    method,
    shown_documents,
)
from cleverdon.reports.html_report import Report, report
from tests.comparison.made import made, pair
from tests.reports.examples import DOCUMENTS, MEASURES, QRELS, QUERIES, RUNS, scores

COUNT = 12
CLEAR = made(
    {
        "base": {"AP": [0.2 + t / 100 for t in range(COUNT)], "FPR": [0.5] * COUNT},
        "up": {"AP": [0.4 + t / 90 for t in range(COUNT)], "FPR": [0.1] * COUNT},
        "same": {"AP": [0.2 + (t % 2) / 5 for t in range(COUNT)], "FPR": [0.5] * COUNT},
        "down": {"AP": [0.05] * COUNT, "FPR": [0.9] * COUNT},
    }
)


def said(made: Report) -> dict[str, Any]:
    """What a program reads of it."""
    found: dict[str, Any] = json.loads(json.dumps(made.content, allow_nan=False))
    return found


def sentences(of: dict[str, Any]) -> list[str]:
    return [claim["text"] for claim in of["claims"]]


def expected(comparison: Comparison) -> list[str]:
    return [str(claim) for claim in cleverdon.claim(comparison)]


def test_texts_are_read_as_everywhere() -> None:
    lines = {query: text.line for query, text in QUERIES.items()}
    read = [said(report(scores(), queries=given)) for given in (QUERIES, lines, Topics.read(lines))]
    assert read[0]["queries"] == read[1]["queries"] == read[2]["queries"]


def test_values_and_means_are_those_of_the_scores() -> None:
    found = said(report(scores(), baseline="poor", queries=QUERIES, title="Ours"))
    assert found["title"] == "Ours"
    assert found["systems"] == ["good", "poor", "middling"]
    assert [measure["name"] for measure in found["measures"]] == MEASURES
    assert [measure["better"] for measure in found["measures"]] == ["higher"] * 3 + ["lower"]
    assert [measure["worst"] for measure in found["measures"]] == [0, 0, 0, 1]
    assert found["queries"][:3] == [
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
        assert one["table"] == again.render("html")
        records = [
            (claim["p"], claim["corrected"], np.nan if claim["low"] is None else claim["low"])
            for claim in one["claims"]
        ]
        wanted = [(d.p.p, d.corrected, d.interval.low) for d in again.differences]
        assert np.allclose(records, wanted, rtol=1e-12, atol=1e-15, equal_nan=True)
        assert kept.differences[0].system == again.differences[0].system
        facts = one["method"]["facts"]["Test"]
        assert f"over {again.differences[0].family} comparisons" in facts
        assert f"over {again.differences[0].family} comparisons" in one["method"]["paragraph"]


def test_headlines_count_what_was_shown() -> None:
    first, *others, pairs = said(report(CLEAR, baseline="base"))["comparisons"]
    assert first["headlines"] == {
        "AP": "Of 3 systems compared on AP, 1 beats base, 1 is worse than it, "
        "1 is not shown to differ from it.",
        "FPR": "Of 3 systems compared on FPR, 1 beats base, 1 is worse than it, "
        "1 is not shown to differ from it. AP decides, not FPR.",
    }
    assert others[-1]["headlines"]["AP"] == "Of 3 systems compared on AP, 3 beat down."
    shown = sum(claim.shown for claim in cleverdon.claim(compare(CLEAR, measures="AP")))
    assert shown == 5
    assert pairs["headlines"]["AP"] == "5 of 6 pairs of systems are shown to differ on AP."
    verdicts = {claim["system"]: claim["verdict"] for claim in first["claims"][::2]}
    assert verdicts == {"up": "better", "same": "not shown", "down": "worse"}


def test_headlines_say_what_could_not_be_shown() -> None:
    values = {"a": [0.1, 0.2, 0.3, 0.4, 0.5], "b": [0.3, 0.5, 0.5, 0.7, 0.9], "c": [0.2] * 5}
    found = said(report(made({name: {"AP": of} for name, of in values.items()})))
    assert found["comparisons"][0]["headlines"]["AP"] == (
        "0 of 3 pairs of systems are shown to differ on AP. None of 3 comparisons can be "
        "significant: no p-value on so few differing queries is below 0.062."
    )


def test_headlines_say_which_verdicts_are_doubted() -> None:
    content = said(report(scores(), baseline="poor"))
    shown = [one for one in content["comparisons"][0]["claims"] if one["verdict"] == "better"]
    assert all(one["qualified"] for one in shown)
    assert "qualified by unjudged-differs" in content["comparisons"][0]["headlines"]["RR"]


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
    wanted = find_doubts(compare(scores(), baseline="poor"))
    assert [doubt["sentence"] for doubt in found] == [doubt.sentence for doubt in wanted]
    assert "few-queries" in {doubt["name"] for doubt in found}
    assert said(report(scores(), doubts=[]))["doubts"] == []
    silent = said(report(scores(), doubting={"silence": ["few-queries"]}))["doubts"]
    assert "few-queries" not in {doubt["name"] for doubt in silent}


def test_every_baseline_qualifies_its_own_verdicts() -> None:
    content = said(report(scores(), baseline="poor"))
    for record in content["comparisons"]:
        found = compare(scores(), baseline=record["baseline"])
        doubts = find_doubts(found, serious=True)
        for claim in record["claims"]:
            one = next(
                d
                for d in found.differences
                if (d.system, d.baseline, str(d.measure))
                == (claim["system"], claim["baseline"], claim["measure"])
            )
            assert claim["qualified"] == [doubt.name for doubt in doubts if doubt.qualifies(one)]
    assert any(claim["qualified"] for claim in content["comparisons"][1]["claims"])


def test_findings_are_kept() -> None:
    finding = Finding("a.run:3", "warning", "the ranks are wrong", "sort it")
    assert said(report(scores(), findings=[finding]))["findings"] == [
        {"file": "a.run:3", "severity": "warning", "message": "the ranks are wrong"}
        | {"fix": "sort it"}
    ]


def test_queries_that_not_every_system_was_evaluated_on() -> None:
    passed = evaluate(QRELS, RUNS, ["AP", "RR"], keep=3, missing="skip", undefined="worst")
    found = said(report(passed, baseline="poor"))
    assert found["queries"][2]["id"] == "3"
    assert found["compared"] == [0, 1, 3, 4, 5, 6, 7]
    assert found["values"][1][1][2] is None
    assert "7 queries" in found["comparisons"][0]["claims"][0]["text"]
    left_out = evaluate(QRELS, RUNS, ["AP", "RR"], undefined="skip")
    assert said(report(left_out))["compared"] == [0, 1, 3, 4, 5, 6, 7]


def test_one_system_alone() -> None:
    alone = evaluate(QRELS, {"good": RUNS["good"]}, MEASURES, keep=3, docs=20)
    made = report(alone)
    found = said(made)
    assert found["comparisons"] == []
    assert found["doubts"] == []
    assert found["means"][0] == [6.75 / 8]
    assert found["rankings"]["queries"][0]["systems"][0]["found"] == [1, 4]
    assert "compared" not in found["method"]["paragraph"]
    assert "Test" not in found["method"]["facts"]
    assert repr(made) == "<Report 'Search evaluation': 1 system, 4 measures, 8 queries>"
    with pytest.raises(OptionError, match="only one system"):
        report(alone, baseline="good")


def test_scores_without_rankings() -> None:
    assert said(report(evaluate(QRELS, RUNS, "AP RR")))["rankings"] is None


def test_the_worst_queries_of_each_pair() -> None:
    found = said(report(scores(), baseline="poor", queries=QUERIES, documents=DOCUMENTS))["worst"]
    pairs = [(*one["systems"], one["measure"]) for one in found]
    assert len(pairs) == len(set(pairs)) == 6 * len(MEASURES)
    assert pairs[0] == ("poor", "good", "AP")
    of = dict(zip(pairs, found, strict=True))
    lost = of["good", "poor", "AP"]
    assert (lost["depth"], lost["worse"], lost["better"], lost["compared"]) == (3, 7, 0, 8)
    first = lost["queries"][0]
    assert (first["query"], first["difference"]) == ("4", pytest.approx(1 / 6 - 1))
    assert [one["document"] for one in first["moved"]] == ["a", "b"]
    assert (first["moved"][0]["ranks"], first["moved"][0]["title"]) == ([1, None], "A title")
    assert (first["unjudged"], first["explained"]) == ([0, 2], False)
    texts = {one["query"]: one["text"] for one in lost["queries"]}
    assert texts["1"] == "what is it?"
    direct = worst(
        scores(), "good", "poor", "AP", depth=3, queries=QUERIES, documents=DOCUMENTS
    ).to_dict()
    for one in direct["queries"]:
        del one["moved"][3:]
    assert lost == {key: value for key, value in direct.items() if key in lost}


def test_the_worst_queries_of_many_systems() -> None:
    runs = {f"s{n}": RUNS["poor"] for n in range(5)} | RUNS
    many = evaluate(QRELS, runs, ["AP"], keep=3)
    named = [one["systems"] for one in said(report(many, baseline="good"))["worst"]]
    assert named == [["good", system] for system in runs if system != "good"]
    assert len(said(report(many))["worst"]) == 6
    assert said(report(evaluate(QRELS, runs, "AP")))["worst"] == []


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
            assert "Tukey's HSD, corrected over " in one["method"]["paragraph"]

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
        with pytest.raises(OptionError, match="its own baseline"):
            report(given, baseline="down")


def test_an_unknown_baseline() -> None:
    with pytest.raises(OptionError, match="no system 'bse'; did you mean 'base'"):
        report(CLEAR, baseline="bse")


def test_nothing_that_was_given_is_changed() -> None:
    before = scores().values.copy()
    given: Scores = scores()
    report(given, baseline="poor")
    assert np.array_equal(before, given.values, equal_nan=True)


def shown(of: Scores, query: str, system: str) -> dict[str, Any]:
    """One ranking, with ids in place of numbers, and what the query has."""
    data = _ranking_data(of)
    held = data["queries"][of.queries.index(query)]
    found: dict[str, Any] = dict(held["systems"][of.systems.index(system)])
    name = data["documents"]
    found["rows"] = [(rank, name[doc], grade) for rank, doc, grade in found["rows"]]
    found["relevant"] = [(name[doc], grade) for doc, grade in held["relevant"]]
    found["judged"], found["of"] = held["judged"], held["of"]
    return found


def test_the_first_results_and_below_them_what_was_judged() -> None:
    good = shown(scores(), "1", "good")
    assert good["rows"] == [(1, "a", 2), (2, "x", None), (3, "p", -1), (4, "b", 1)]
    assert good["relevant"] == [("a", 2), ("b", 1)]
    assert (good["judged"], good["of"]) == (3, 2)  # p was pooled, and not judged
    assert (good["returned"], good["more"], good["missing"]) == (4, 0, 0)
    assert good["found"] == [1, 4]
    poor = shown(scores(), "1", "poor")
    assert poor["rows"] == [(1, "x", None), (2, "c", 0), (3, "y", None), (4, "b", 1)]
    assert (poor["found"], poor["missing"]) == ([4], 1)


def test_a_query_that_was_not_returned_and_one_without_relevant_documents() -> None:
    assert shown(scores(), "3", "poor") == {
        "rows": [],
        "returned": 0,
        "more": 0,
        "found": [],
        "missing": 0,
        "relevant": [],
        "judged": 1,
        "of": 0,
    }


def test_ids_stand_once_in_the_list() -> None:
    documents = _ranking_data(scores())["documents"]
    assert sorted(documents) == ["a", "b", "c", "d", "p", "x", "y"]


@pytest.mark.parametrize(
    ("ties", "wanted", "value"),
    [
        ("best", [(1, "r", 1), (2, "n", 0), (3, "u", None)], 1),
        ("worst", [(1, "n", 0), (2, "u", None), (3, "r", 1)], 1 / 3),
        ("descending", [(1, "u", None), (2, "r", 1), (3, "n", 0)], 1 / 2),
        ("ascending", [(1, "n", 0), (2, "r", 1), (3, "u", None)], 1 / 2),
    ],
)
def test_ties_are_shown_in_the_order_in_which_they_counted(
    ties: str, wanted: list[Any], value: float
) -> None:
    tied = evaluate(
        {"q": {"r": 1, "n": 0}},
        {"s": {"q": {"r": 1.0, "n": 1.0, "u": 1.0}}},
        "RR",
        keep=3,
        ties=ties,
    )
    assert tied.mean("s", "RR") == pytest.approx(value)
    found = shown(tied, "q", "s")
    assert found["found"] == [round(1 / value)]
    # Which of the others comes first within a group of ties is a matter of no consequence.
    assert [row for row in found["rows"] if row[1] == "r"] == [row for row in wanted if row[2] == 1]
    assert sorted(found["rows"]) == [(rank, doc, grade) for rank, doc, grade in found["rows"]]
    assert {doc for _, doc, _ in found["rows"]} == {"r", "n", "u"}


def test_a_tied_group_that_reaches_below_what_was_kept() -> None:
    run = {"q": {"u": 2.0, "v": 1.0, "w": 1.0, "r": 1.0}}
    for ties, rank in (("best", 2), ("worst", 4)):
        tied = evaluate({"q": {"r": 1}}, {"s": run}, "RR", keep=2, ties=ties)
        rows = shown(tied, "q", "s")["rows"]
        assert (rank, "r", 1) in rows
        assert len({row[0] for row in rows}) == len(rows)
        assert len({row[1] for row in rows}) == len(rows)


def test_fractional_and_negative_grades() -> None:
    qrels = {"q": {"a": 0.5, "b": 2.5, "c": -2, "d": 0.25}}
    run = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
    found = shown(evaluate(qrels, {"s": run}, "nDCG", keep=5), "q", "s")
    assert found["rows"] == [(1, "a", 0.5), (2, "c", -2), (3, "b", 2.5)]
    assert found["relevant"] == [("b", 2.5), ("a", 0.5), ("d", 0.25)]
    assert (found["judged"], found["of"], found["found"]) == (3, 1, [3])
    assert found["missing"] == 1  # d, which gains little


def test_deep_rankings_end_with_a_count() -> None:
    judged = {f"r{n:03}": 1 for n in range(60)}
    run = {"q": {f"r{n:03}": 100.0 - n for n in range(50)}}
    found = shown(evaluate({"q": judged}, {"s": run}, "AP", keep=10), "q", "s")
    assert len(found["rows"]) == 30
    assert found["more"] == 20
    assert len(found["found"]) == 50
    assert found["missing"] == 10
    assert len(found["relevant"]) == 50  # as many as are listed
    assert found["of"] == 60


def test_texts_of_what_is_shown() -> None:
    wanted = shown_documents(scores())
    assert wanted == {"a", "b", "c", "d", "p", "x", "y"}
    made = report(scores(), documents=DOCUMENTS | {"elsewhere": Text("", "Not shown.")})
    rankings = made.content["rankings"]
    at = {name: str(n) for n, name in enumerate(rankings["documents"])}
    assert set(rankings["texts"]) == {at["a"], at["x"]}
    title, text = rankings["texts"][at["a"]]
    assert title == "A title"
    assert len(text) == 400
    assert text == ("Its text. " * 80)[:399] + "…"
    assert rankings["texts"][at["x"]] == ["", "Words."]
    assert "texts" not in report(scores()).content["rankings"]


def test_only_the_ends_of_long_texts_are_left_out() -> None:
    data = {"documents": ["a"]}
    assert _document_texts(data, {"a": Text("", "12345")}, limit=5) == {"0": ["", "12345"]}
    assert _document_texts(data, {"a": Text("", "123 56")}, limit=5) == {"0": ["", "123…"]}


def test_the_paragraph_of_a_paper() -> None:
    found = method(scores(), compare(scores(), baseline="poor"))["paragraph"]
    assert found == (
        "We report AP, RR, P@2 and FPR over 8 queries with 16 judgments, computed with Cleverdon "
        f"{cleverdon.__version__}. Systems were compared query by query: randomisation test, "
        "step-down max-T over 2 comparisons by AP, which decides, and over 6 comparisons by the "
        "other measures, significance level 0.05. Intervals of differences have 95% confidence "
        "(standard errors times the quantile of the largest t over random signs, adjusted for each "
        "family as its p-values are). poor: 1 judged "
        "query missing (evaluated as empty results). AP is undefined for 1 query (counted as 0)."
    )


def test_one_measure_and_nothing_to_compare() -> None:
    alone = evaluate(QRELS, {"good": RUNS["good"]}, "RR")
    assert method(alone, None)["paragraph"] == (
        "We report RR over 8 queries with 16 judgments, computed with Cleverdon "
        f"{cleverdon.__version__}."
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "t"}, ": Student's t test, Holm's correction over 2 comparisons by AP, "),
        ({"test": "wilcoxon", "correction": "none"}, ": Wilcoxon test, no correction, "),
        ({"test": "tukey"}, ": Tukey's HSD, corrected over 3 comparisons by AP, which decides"),
        ({"alternative": "greater"}, ": randomisation test, one-sided, step-down max-T"),
        ({"level": 0.01}, "significance level 0.01"),
        ({"interval": "t", "confidence": 0.9}, "have 90% confidence (standard errors times "),
    ],
)
def test_tests_are_named(options: dict[str, object], words: str) -> None:
    compared = compare(scores(), baseline="poor", **options)  # type: ignore[arg-type]
    assert words in method(scores(), compared)["paragraph"]


def test_facts_have_every_setting_and_the_test() -> None:
    found = method(scores(), compare(scores(), baseline="poor", seed=5))["facts"]
    assert found["Queries"] == "8"
    assert found["Judgments"] == "16"
    assert found["Documents"] == "20"
    assert found["Profile"] == "cleverdon"
    assert found["Ties"].startswith("descending: ")
    assert found["Undefined"].startswith("worst: ")
    assert found["Test"] == (
        "Randomisation test, step-down max-T over 2 comparisons by AP, which decides, and over "
        "6 comparisons by the other measures"
    )
    assert found["Seed"] == "5"
    assert "Draws" not in found  # of 8 queries, every sign is tried
    assert found["Intervals"] == (
        "95%, standard errors times the quantile of the largest t over random signs, adjusted for "
        "each family as its p-values are"
    )


def test_draws_are_told_where_there_are_some() -> None:
    of = pair(40, 0.02)
    assert method(of, compare(of))["facts"]["Draws"].startswith("100,000")
    fewer = compare(of, options={"draws": 2000})
    assert method(of, fewer)["facts"]["Draws"].startswith("2,000")


def test_profiles_and_settings_are_told() -> None:
    other = evaluate(QRELS, RUNS, "map", profile="trec_eval-9")
    found = method(other, None)
    assert " as trec_eval-9 does." in found["paragraph"]
    assert found["facts"]["Profile"] == "trec_eval-9"
    assert found["facts"]["Precision"].startswith("single: ")


def test_bounds_have_no_brackets_here() -> None:
    bounded = evaluate(QRELS, RUNS, "AP", keep=3, bounds=True)
    assert "brackets" not in method(bounded, None)["paragraph"]


def test_measures_have_formula_parameters_and_source() -> None:
    asked = ["nDCG(gain=exponential)@10", "RBP(p=0.5)", "FPR"]
    of = evaluate(QRELS, RUNS, [*asked, "RelString@3"], docs=20)
    found = method(of, None)["measures"]
    assert [one["name"] for one in found] == [str(parse(text)) for text in asked]
    ndcg, rbp, fpr = found
    assert "k=10" in ndcg["parameters"]
    assert "gain=exponential" in ndcg["parameters"]
    assert "p=0.5" in rbp["parameters"]
    assert fpr["better"].startswith("lower")
    for one, measure in zip(found, asked, strict=True):
        kind = type(parse(measure))
        assert one["formula"] == kind.formula
        assert one["source"] == kind.source
        assert one["undefined"] == kind.undefined
        assert one["about"].splitlines()[0] == (kind.__doc__ or "").splitlines()[0]
        assert one["mathml"].startswith("<math ")


def test_every_formula_can_be_drawn() -> None:
    for kind in measures():
        if kind.formula:
            root = ElementTree.fromstring(_mathml(kind.formula))
            assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
            assert not [e for e in root.iter() if e.get("href") or e.tag.endswith("script")]


def test_formulas_without_the_library_that_draws_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    (found, *_) = method(scores(), None)["measures"]
    assert "mathml" not in found
    assert found["formula"]


def test_files_and_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n")
    of = evaluate(str(tmp_path / "qrels.txt"), str(tmp_path / "one.run"), "RR")
    judgments, run = method(of, None)["files"]
    assert judgments["file"].endswith("qrels.txt")
    assert (judgments["rows"], judgments["queries"]) == (2, 2)
    assert (run["name"], run["rows"], run["queries"]) == ("one", 2, 1)
    assert (run["tied"], run["judged"]) == (0, 0.5)
    for file in (judgments, run):
        assert len(file["digest"]) == 64
    assert run["digest"] == of.about.runs["one"].digest
    assert judgments["digest"] != run["digest"]


def test_versions() -> None:
    found = method(scores(), None)["versions"]
    assert found["Cleverdon"] == cleverdon.__version__
    assert found["Python"] == platform.python_version()
    assert found["numpy"] == version("numpy")
    assert found["altair"] == version("altair")


def test_what_is_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section, "_LIBRARIES", ("numpy", "no-such-library"))
    assert list(method(scores(), None)["versions"]) == ["Cleverdon", "Python", "numpy"]


def test_the_method_has_the_checklist_of_the_comparison() -> None:
    found = said(report(CLEAR, baseline="base"))
    comparison = compare(CLEAR, baseline="base")
    of = found["comparisons"][0]["method"]
    assert list(of["checklist"].values()) == [
        one.text for one in reporting_checklist(comparison).items
    ]
    assert of["latex"] == reporting_checklist(comparison).latex
    assert found["method"]["checklist"] == of["checklist"]
    alone = evaluate({"q": {"d": 1}}, {"a": {"q": {"d": 1}}}, "AP")
    assert "checklist" not in said(report(alone))["method"]
    # What doubts are told of tuning, the checklist says.
    tuned = CLEAR.queries[:3]
    of = said(report(CLEAR, baseline="base", doubting={"tuned_on": tuned}))
    text = reporting_checklist(comparison, tuned_on=tuned).items[8].text
    assert "on 3 queries, 3 of which are among" in text
    assert of["method"]["checklist"]["Tuning"] == text
    assert {one["method"]["checklist"]["Tuning"] for one in of["comparisons"]} == {text}
    assert text in of["method"]["latex"]
