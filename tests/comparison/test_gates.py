"""Runs checked against rules and baselines."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Scores, evaluate, gate
from cleverdon.comparison.gates import GateResult
from cleverdon.comparison.samples import part_of
from cleverdon.errors import OptionError
from cleverdon.stats.multiple_comparisons import holm

QUERIES = [f"q{i}" for i in range(10)]
GATE_QRELS = {query: {"a": 1, **{f"x{place}": 0 for place in range(1, 6)}} for query in QUERIES}
SIGNS = np.array(list(product((-1, 1), repeat=len(QUERIES))))


def at_ranks(*ranks: int, queries: list[str] = QUERIES) -> dict[str, dict[str, float]]:
    """A run that has the relevant document at these ranks, query by query; 0 is nowhere."""
    return {
        query: {("a" if place == rank else f"x{place}"): -float(place) for place in range(1, 6)}
        for query, rank in zip(queries, ranks, strict=True)
    }


def scores_at(old: list[int], new: list[int], measures: str = "RR P@1", **settings: Any) -> Scores:
    return evaluate(
        GATE_QRELS, {"old": at_ranks(*old), "new": at_ranks(*new)}, measures, **settings
    )


def judged(old: list[int], new: list[int], *rules: str, **options: Any) -> GateResult:
    measures = options.pop("measures", "RR P@1")
    return gate(scores_at(old, new, measures), rules, system="new", baseline="old", **options)


def passed(verdict: GateResult) -> list[bool]:
    return [ruling.passed for ruling in verdict.rulings]


def test_thresholds_are_held_against_averages() -> None:
    verdict = judged(
        [1] * 10,
        [1] * 9 + [2],
        "RR >= 0.95",
        "RR > 0.95",
        "RR == 0.95",
        "RR <= 0.94",
        "RR >= baseline - 0.05",
        "RR > baseline - 0.05",
        "RR >= baseline - 4%",
        "RR < baseline",
    )
    assert passed(verdict) == [True, False, True, False, True, False, False, True]
    assert verdict.rulings[6].limit == pytest.approx(0.96)
    assert [ruling.baseline for ruling in verdict.rulings] == [1.0] * 8
    assert not verdict.passed


def test_the_last_digit_decides_nothing() -> None:
    # 0.1 + 0.2 - 0.3 is not 0, and 7 / 10 - 0.1 is less than 6 / 10.
    assert judged([1] * 7 + [0] * 3, [1] * 6 + [0] * 4, "P@1 >= baseline - 0.1").passed
    assert not judged([1] * 7 + [0] * 3, [1] * 6 + [0] * 4, "P@1 > baseline - 0.1").passed


def one_sided(gains: Any) -> float:
    """The share of all signs that give a sum as low as the one seen."""
    return float(np.mean(SIGNS @ gains <= np.sum(gains) + 1e-9))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=10, max_size=10))
def test_p_values_by_enumeration(ranks: list[tuple[int, int]]) -> None:
    old, new = ([pair[i] for pair in ranks] for i in (0, 1))
    rules = ("RR not significantly worse", "P@1 not significantly worse")
    margin = "RR not significantly worse by 0.2"
    verdict = judged(old, new, *rules, margin)
    value = np.array([0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])
    first = np.array([0, 1, 0, 0, 0, 0])
    rr, p1 = (table[new] - table[old] for table in (value, first))
    expected = holm([one_sided(rr) if rr.any() else 1.0, one_sided(p1) if p1.any() else 1.0])
    assert [ruling.value for ruling in verdict.rulings[:2]] == pytest.approx(expected)
    assert passed(verdict)[:2] == [p > 0.05 for p in expected]
    shown = one_sided(-(rr + 0.2))
    assert verdict.rulings[2].value == pytest.approx(shown)
    assert passed(verdict)[2] == (shown <= 0.05)
    assert verdict.family == 2


def test_no_change_passes_every_kind_of_rule() -> None:
    rules = (
        "RR >= baseline",
        "RR not significantly worse",
        "RR not significantly worse by 0.01",
        "no query loses more than 0 on RR",
    )
    verdict = judged([1, 2, 3, 4, 5] * 2, [1, 2, 3, 4, 5] * 2, *rules)
    assert verdict.passed
    assert verdict.worst == ()


def test_the_worst_queries_come_first() -> None:
    verdict = judged(
        [1] * 10, [1, 2, 4, 2] + [1] * 6, "no query loses more than 0.5 on RR", worst=2
    )
    (ruling,) = verdict.rulings
    assert (ruling.value, ruling.query, ruling.passed) == (0.75, "q2", False)
    assert [(lost.query, lost.loss) for lost in verdict.worst] == [("q2", 0.75), ("q1", 0.5)]
    assert judged([1] * 10, [2] * 10, "no query loses more than .5 on RR").passed


def test_lower_may_be_better() -> None:
    old, new = [1] * 10, [3] * 10
    rules = (
        "SearchLength not significantly worse",
        "no query loses more than 1 on SearchLength",
        "SearchLength <= baseline + 1",
        "SearchLength not significantly worse by 3",
    )
    worse = judged(old, new, *rules, measures="SearchLength")
    assert passed(worse) == [False, False, False, True]
    assert worse.worst[0].loss == 2
    better = judged(new, old, *rules, measures="SearchLength")
    assert passed(better) == [True, True, True, True]
    assert better.worst == ()


def test_a_rule_that_asks_for_worse_values_is_doubted() -> None:
    verdict = judged([1] * 10, [1] * 10, "SearchLength >= baseline", measures="SearchLength")
    assert "asks for worse values: lower SearchLength is better" in verdict.notes[0]
    assert "asks for worse" in judged([1] * 10, [1] * 10, "RR <= 1").notes[0]
    assert judged([1] * 10, [1] * 10, "RR >= 1", "RR == 1").notes == ()


def test_a_margin_of_a_sum_is_one_of_the_sum() -> None:
    old, new = [1] * 10, [1] * 9 + [0]
    rules = ("NumRelRet not significantly worse by 3", "NumRelRet >= baseline - 1")
    verdict = judged(old, new, *rules, measures="NumRelRet")
    assert passed(verdict) == [True, True]
    # Each query may lose 0.3: one loses 1, the others nothing.
    assert verdict.rulings[0].value == pytest.approx(one_sided(-np.array([0.3] * 9 + [-0.7])))


def test_undefined_values_count_as_the_worst_or_are_left_out() -> None:
    old, new = [1] * 10, [1] * 9 + [0]
    rule = "SearchLength <= baseline"
    with pytest.raises(OptionError, match="undefined for a query, and has no worst value"):
        judged(old, new, rule, measures="SearchLength")
    found = gate(
        scores_at(old, new, "SearchLength", undefined="skip"),
        rule,
        system="new",
        baseline="old",
    )
    assert (found.passed, found.queries) == (True, 9)


def test_few_differing_queries_are_told_and_fail_where_the_rule_asks_for_them() -> None:
    qrels = {query: GATE_QRELS[query] for query in QUERIES[:5]}
    same = at_ranks(1, 1, 1, 1, 1, queries=QUERIES[:5])
    scored = evaluate(qrels, {"old": same, "new": same}, "RR")
    rule = "RR not significantly worse by 0.01"
    how: dict[str, Any] = {"system": "new", "baseline": "old"}
    verdict = gate(scored, rule, **how)
    assert (verdict.passed, verdict.rulings[0].value) == (True, 1 / 32)
    assert "only 0 of 5 queries differ, and among others up to 45% might" in verdict.notes[0]
    asked = gate(scored, f"{rule} with 2 differing queries", **how)
    assert not asked.passed
    assert "too few queries differ (p = 0.031, 0 differ, wanted p <= 0.05, 2 differ)" in (
        asked.rulings[0].sentence()
    )
    assert asked.to_dict()["rules"][0]["differing"] == 0
    assert asked.notes == ()


def test_results_that_rest_on_few_judgments_are_qualified() -> None:
    """A run whose results are all judged, against one whose results hardly are."""
    judged_all, judged_few = at_ranks(*[1] * 10), at_ranks(*[2] * 10)
    judged_few = {
        query: {doc if doc == "a" else f"y{doc}": score for doc, score in run.items()}
        for query, run in judged_few.items()
    }
    scored = evaluate(GATE_QRELS, {"old": judged_few, "new": judged_all}, "RR P@1")
    rules = ["RR not significantly worse by 0.01", "P@1 >= baseline", "RR >= 0.5"]
    verdict = gate(scored, rules, system="new", baseline="old")
    assert verdict.passed
    assert [one.qualified for one in verdict.rulings] == [("unjudged-differs",)] * 2 + [()]
    record = verdict.to_dict()
    assert (record["passed"], record["qualified"]) == (True, ["unjudged-differs"])
    assert record["rules"][0]["qualified"] == ["unjudged-differs"]
    assert "100% of run's are judged and 0% of baseline's" in verdict.notes[0]
    assert verdict.closing().endswith("over 10 queries; qualified by unjudged-differs")
    sure = judged([1] * 10, [2] * 10, *rules)
    assert (sure.qualified, sure.notes) == ((), ())
    alone = gate(part_of(scored, systems=["new"]), "RR >= 0.5")
    assert alone.qualified == ()


def test_a_margin_that_few_queries_keep_is_qualified() -> None:
    rule = "RR not significantly worse by 0.01"
    few = judged([1] * 10, [1] * 10, rule)
    assert (few.passed, few.rulings[0].qualified) == (True, ("few-differing",))
    many = judged([2] * 10, [1] * 10, rule)
    assert (many.passed, many.rulings[0].qualified) == (True, ())


def test_enough_differing_queries_are_no_matter() -> None:
    verdict = judged(
        [1] * 10, [2] * 10, "RR not significantly worse by 0.6 with 10 differing queries"
    )
    assert verdict.passed
    assert verdict.notes == ()


def test_the_same_file_keeps_every_rule_with_a_note() -> None:
    qrels = {query: GATE_QRELS[query] for query in QUERIES[:4]}
    same = at_ranks(1, 1, 1, 1, queries=QUERIES[:4])
    scored = evaluate(qrels, {"old": same, "new": same}, "RR")
    runs = {name: replace(run, digest="1234") for name, run in scored.about.runs.items()}
    scored = replace(scored, about=replace(scored.about, runs=runs))
    rule = "RR not significantly worse by 0.01 with 3 differing queries"
    verdict = gate(scored, rule, system="new", baseline="old")
    assert verdict.passed
    assert verdict.notes == ("run and baseline have the same rankings: nothing can be worse",)


def test_the_same_rankings_keep_every_rule_with_a_note() -> None:
    qrels = {query: GATE_QRELS[query] for query in QUERIES[:4]}
    old = at_ranks(1, 2, 1, 3, queries=QUERIES[:4])
    new = {query: {doc: 2 * score for doc, score in run.items()} for query, run in old.items()}
    rule = "RR not significantly worse by 0.01 with 3 differing queries"

    def passed(run: Any, keep: int) -> bool:
        scored = evaluate(qrels, {"old": old, "new": run}, "RR", keep=keep)
        return gate(scored, rule, system="new", baseline="old").passed

    assert passed(new, 100)
    assert not passed(new, 1)  # what was not kept may differ
    more = {query: {**run, "unjudged": -100.0} for query, run in new.items()}
    assert not passed(more, 100)


def test_too_few_queries_for_any_test_are_told() -> None:
    qrels = {query: GATE_QRELS[query] for query in QUERIES[:4]}
    runs = {
        "old": at_ranks(1, 1, 1, 1, queries=QUERIES[:4]),
        "new": at_ranks(0, 0, 0, 0, queries=QUERIES[:4]),
    }
    scored = evaluate(qrels, runs, "RR")
    verdict = gate(scored, "RR not significantly worse", system="new", baseline="old")
    assert verdict.passed  # p = 1/16, though it could not be any worse
    assert "with 4 queries no p-value can be as low as 0.05" in verdict.notes[0]
    assert gate(scored, "RR >= 0", system="new").notes == ()


@pytest.mark.parametrize(
    ("rule", "measures", "message"),
    [
        ("AP >= 0.1", "RR", "AP was not evaluated"),
        ("Judged@5 not significantly worse", "Judged@5", "neither more nor less of Judged@5"),
        ("no query loses more than 1 on NumRet", "NumRet", "neither more nor less of NumRet"),
        ("GMAP not significantly worse", "GMAP", "GMAP is no mean"),
        ("RelString >= 1", "RelString", "gives texts"),
    ],
)
def test_rules_that_cannot_be_judged(rule: str, measures: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        judged([1] * 10, [1] * 10, rule, measures=measures)


def test_what_is_missing_is_named() -> None:
    both = scores_at([1] * 10, [1] * 10)
    with pytest.raises(OptionError, match="needs a baseline"):
        gate(both, "RR >= baseline", system="new")
    with pytest.raises(OptionError, match="name the system to check: one of old, new"):
        gate(both, "RR >= 0")
    with pytest.raises(OptionError, match="no rule"):
        gate(both, [], system="new")
    with pytest.raises(OptionError, match="level=1"):
        gate(both, "RR >= 0", system="new", level=1)
    assert gate(both, "RR >= 0", baseline="old").scores.systems == ("new",)


def test_baselines_that_do_not_fit_are_refused() -> None:
    new = part_of(scores_at([1] * 10, [1] * 10), systems=["new"])
    with pytest.raises(OptionError, match="has no values of P@1, only of RR; make it again"):
        gate(
            new,
            "P@1 >= baseline",
            baseline=part_of(scores_at([1] * 10, [1] * 10, "RR"), systems=["old"]),
        )
    skipping = part_of(scores_at([1] * 10, [1] * 10, undefined="skip"), systems=["old"])
    with pytest.raises(OptionError, match=r"other settings \(undefined=skip, now worst\)"):
        gate(new, "RR >= baseline", baseline=skipping)
    with pytest.raises(OptionError, match="a baseline is one system"):
        gate(new, "RR >= baseline", baseline=scores_at([1] * 10, [1] * 10))


def test_different_queries_are_refused_or_left_out() -> None:
    def of(queries: list[str], ranks: list[int]) -> Scores:
        run = at_ranks(*ranks, queries=queries)
        return evaluate({query: GATE_QRELS[query] for query in queries}, run, "RR")

    new, old = of(QUERIES[:8], [1] * 4 + [2] * 4), of(QUERIES[2:], [1] * 8)
    message = r"2 only of the run \(q0, q1\); 2 only of the baseline \(q8, q9\)"
    with pytest.raises(OptionError, match=message):
        gate(new, "RR >= baseline", baseline=old)
    rules = ["RR >= baseline - 0.4", "RR >= 0.75"]
    found = gate(new, rules, baseline=old, allow_different_queries=True)
    assert found.queries == 6
    # Against the baseline the shared queries count; by itself, all that the run has.
    assert [ruling.average for ruling in found.rulings] == [pytest.approx(4 / 6), 0.75]
    assert passed(found) == [True, True]
    assert "compared on the 6 that both have" in found.notes[0]
    none = of(QUERIES[8:], [1, 1])
    with pytest.raises(OptionError, match="no query in common"):
        gate(new, "RR >= baseline", baseline=none, allow_different_queries=True)


def test_what_is_printed_says_why() -> None:
    verdict = judged(
        [1] * 10,
        [2] * 10,
        "RR >= baseline - 0.01",
        "RR not significantly worse",
        "P@1 not significantly worse",
        "RR not significantly worse by 0.1",
        "no query loses more than 0.1 on RR",
        "RR >= 0.1",
    )
    text = verdict.render()
    assert "FAILED: 5 of 6 rules broken, over 10 queries" in text
    assert "corrected for 2 tests (holm)" in text
    assert "0.5000 (q0)" in text
    assert "| verdict |" in verdict.render("markdown")
    told = [ruling.sentence() for ruling in verdict.rulings]
    assert told[0] == "the run has RR 0.5000, the baseline 1.0000; wanted >= 0.9900"
    assert told[1].startswith("significantly worse (p = 0.002, wanted p > 0.05)")
    assert told[3].startswith("not shown to be worse by less than 0.1 (p = 1.000")
    assert told[4] == "q0 loses 0.5000; wanted <= 0.1"
    held = verdict.to_dict()
    assert [rule["passed"] for rule in held["rules"]] == passed(verdict)
    assert held["worst"][0] == {
        "query": "q0",
        "measure": "RR",
        "value": 0.5,
        "baseline": 1.0,
        "loss": 0.5,
    }


def test_as_many_digits_are_shown_as_tell_value_from_limit() -> None:
    text = judged([1] * 10, [2] * 10, "RR >= 0.500002", "RR >= 0.5").render()
    assert "0.500000  >= 0.500002     FAIL" in text
    assert "  0.5000    >= 0.5000     pass" in text


def test_the_junit_report_has_a_case_for_each_rule() -> None:
    rules = ("RR >= baseline - 1%", "RR >= 0.1", "no query loses more than 0.1 on RR")
    verdict = judged([1] * 10, [2] * 10, *rules)
    root = ElementTree.fromstring(verdict.to_junit())
    assert root.tag == "testsuites"
    (suite,) = root
    for element in (root, suite):
        assert (element.get("tests"), element.get("failures")) == ("3", "2")
        assert element.get("errors") == "0"
    assert [child.tag for child in suite] == ["properties"] + ["testcase"] * 3
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == list(rules)
    assert all(case.get("classname") == "cleverdon.gate.RR" and case.get("time") for case in cases)
    assert [len(case.findall("failure")) for case in cases] == [1, 0, 1]
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.get("type") == "rule"
    assert str(failure.get("message")).endswith("wanted >= 0.9900")
    assert "q0: 1.0000 to 0.5000" in str(failure.text)
    assert int(str(suite.get("failures"))) == len(root.findall(".//failure"))


def test_names_that_xml_cannot_hold_are_escaped() -> None:
    names = ["<&>\"'", "\x00\x1f", "\ufffe", "new\nline", "\U0001f600 ü", "]]>"]
    qrels = {name: {"a": 1} for name in names}
    runs = {
        "old": at_ranks(*[1] * 6, queries=names),
        "new": at_ranks(*[2] * 6, queries=names),
    }
    scored = evaluate(qrels, runs, "RR")
    verdict = gate(scored, "RR  >=\nbaseline", system="new", baseline="old", worst=9)
    root = ElementTree.fromstring(verdict.to_junit().encode())
    case = root.find(".//testcase")
    failure = root.find(".//failure")
    assert case is not None
    assert failure is not None
    assert case.get("name") == "RR  >=\nbaseline"
    for shown in ("<&>\"'", r"\x00\x1f", r"\ufffe", r"new\nline", "\U0001f600 ü", "]]>"):
        assert f"{shown}: 1.0000 to 0.5000" in str(failure.text)
    assert verdict.render().count("\n") < 20


def test_a_rule_in_other_words_is_the_same_test() -> None:
    old, new = [1] * 10, [1] * 6 + [2] * 4
    once = judged(old, new, "RR not significantly worse")
    twice = judged(
        old, new, "RR not significantly worse", "RR not significantly worse than baseline"
    )
    assert [ruling.value for ruling in twice.rulings] == [once.rulings[0].value] * 2
    assert (once.family, twice.family) == (1, 1)


def test_queries_may_be_too_few_once_corrected() -> None:
    queries = QUERIES[:5]
    runs = {name: at_ranks(1, 1, 1, 1, 1, queries=queries) for name in ("old", "new")}
    found = evaluate({query: GATE_QRELS[query] for query in queries}, runs, "RR P@1")
    rules = ["RR not significantly worse", "P@1 not significantly worse"]
    one, both = (gate(found, some, system="new", baseline="old") for some in (rules[:1], rules))
    assert one.notes == ()  # 1/32 is below 0.05, and twice that is not
    assert "'not significantly worse' can never fail" in both.notes[0]
