"""The language of rules about measures and costs."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import gate
from cleverdon.comparison.gates import GateResult
from cleverdon.comparison.results import read_result_costs, read_results, write_results
from cleverdon.comparison.rules import (
    _COMPARISONS,
    CostLimit,
    LossLimit,
    NotWorse,
    Threshold,
    parse_rule,
)
from cleverdon.costs import QUANTITIES, Cost, Costs, cost_label
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.measures.notation import parse
from cleverdon.profiles import PROFILES, find_profile
from tests.comparison.made import made

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
        ("nDGC@10 >= 0.3", 1, "did you mean 'nDCG@10'?"),
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
    st.sampled_from(_COMPARISONS),
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


SCORES = made({"new": {"AP": [0.5, 0.7]}})
BENCH = Costs("new", {"p99": Cost(0.048, 0.045, 0.052), "errors": Cost(0.002)})
INDEX = Costs("new", {"index_size": Cost(2.5e8)})


def judged(*rules: str, costs: Costs | None = BENCH, **options: Any) -> GateResult:
    return gate(SCORES, rules, costs=costs, **options)


@pytest.mark.parametrize(
    ("text", "cost", "comparison", "number", "of_baseline", "percent"),
    [
        ("p99 <= 50 ms", "p99", "<=", 0.05, False, False),
        ("P99.9<1.5s", "p99.9", "<", 1.5, False, False),
        ("p50 <= 20us", "p50", "<=", 20e-6, False, False),
        ("p50 <= 20 µs", "p50", "<=", 20e-6, False, False),  # the micro sign
        ("p50 <= 20 μs", "p50", "<=", 20e-6, False, False),  # the letter
        ("p99 <= baseline", "p99", "<=", 0, True, False),
        ("p99 <= Baseline + 10%", "p99", "<=", 10, True, True),
        ("p99 <= baseline - 5 ms", "p99", "<=", -0.005, True, False),
        ("index size <= 200 MB", "index_size", "<=", 2e8, False, False),
        ("Index  Size<=1GiB", "index_size", "<=", 2**30, False, False),
        ("index_size <= baseline + 1 kB", "index_size", "<=", 1000, True, False),
        ("throughput >= 400/s", "throughput", ">=", 400, False, False),
        ("throughput >= 400 /s", "throughput", ">=", 400, False, False),
        ("throughput >= 400 / s", "throughput", ">=", 400, False, False),
        ("throughput >= baseline - 5%", "throughput", ">=", -5, True, True),
        ("errors <= 0.1%", "errors", "<=", 0.001, False, False),
        ("errors == 0", "errors", "==", 0, False, False),
        ("errors <= baseline + 0.01", "errors", "<=", 0.01, True, False),
        ("index ratio < 1.5", "index_ratio", "<", 1.5, False, False),
    ],
)
def test_rules_are_read(
    text: str, cost: str, comparison: str, number: float, of_baseline: bool, percent: bool
) -> None:
    rule = parse_rule(text)
    assert isinstance(rule, CostLimit)
    assert rule == CostLimit(text, cost, comparison, rule.number, of_baseline, percent)
    assert rule.number == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("p99", 4, "found the end of the rule; a rule about costs is written as 'p99 <= 50 ms'"),
        ("p99 => 50 ms", 5, "did you mean '>='?"),
        ("p99 <=", 7, "expected a time such as '50 ms', or 'baseline'"),
        ("p99 <= 50", 10, "expected a unit, s or ms or us, found the end of the rule"),
        ("p99 <= 50 MS", 11, "found 'MS'; did you mean 'ms'?"),
        (
            "p99 <= 50 %",
            11,
            "found '%'; a share of what the baseline has is written as 'baseline + 10%'",
        ),
        ("p99 <= baseline * 1.1", 17, "found '*'; a share of what the baseline has is written"),
        ("p99 <= 1 s and errors <= 1%", 12, "found 'and'; give each rule by itself"),
        ("p99 <= -50 ms", 8, "expected a time such as '50 ms', or 'baseline', found '-'"),
        ("p99 <= 50 ms now", 14, "expected the end of the rule, found 'now'"),
        ("p99 <= baseline 5 ms", 17, "expected '+', '-' or the end of the rule, found '5'"),
        ("p99 <= baseline + 5", 20, "expected a unit"),
        ("p99 <= baseline + x", 19, "expected a time such as '50 ms', or per cent, found 'x'"),
        ("p99 <= basline", 8, "did you mean 'baseline'?"),
        ("p99 not significantly worse", 5, "for 'cleverdon bench --versus'"),
        ("p98 <= 50 ms", 1, "response times are p50, p90, p95, p99, p99.9, p99.99"),
        ("latency <= 50 ms", 1, "response times are p50, p90, p95, p99, p99.9, p99.99"),
        ("size <= 5 MB", 1, "of costs, there is 'index size'"),
        ("throughput >= 4 / m", 17, "expected a unit, /s, found '/m'"),
        ("thruput >= 3/s", 1, "of costs, there is 'throughput'"),
        ("throughput >= 300", 18, "expected a unit, /s"),
        ("index sise <= 2 MB", 7, "expected what of the index, found 'sise'; did you mean 'size'?"),
        ("index <= 2 MB", 7, "expected what of the index, found '<='"),
        ("index_sze <= 2 MB", 1, "expected a cost, found 'index_sze'; did you mean 'index_size'?"),
        ("index size <= 2 mb", 17, "found 'mb'; did you mean 'MB'?"),
        ("errors <= 5 ms", 13, "expected a unit, %, found 'ms'"),
    ],
)
def test_slips_are_told_by_their_place(text: str, position: int, message: str) -> None:
    with pytest.raises(NotationError, match=re.escape(message)) as error:
        parse_rule(text)
    assert str(error.value).startswith(f"rule {text!r}, at character {position}: ")


@pytest.mark.parametrize("tool", PROFILES)
@pytest.mark.parametrize("cost", QUANTITIES)
def test_no_measure_is_called_as_a_cost_is(cost: str, tool: str) -> None:
    for name in {cost, cost.upper(), cost.partition("_")[0]}:
        with pytest.raises(NotationError):
            find_profile(tool).parse(name)


@given(
    st.sampled_from(list(QUANTITIES)),
    st.sampled_from(_COMPARISONS),
    st.floats(0, 1e6),
    st.sampled_from(["", "baseline + ", "baseline - "]),
)
def test_every_right_rule_about_costs_is_read_back(
    cost: str, comparison: str, number: float, before: str
) -> None:
    unit = {"s": "s", "B": "B", "1/s": "/s", "": ""}[QUANTITIES[cost].unit]
    rule = parse_rule(f"{cost_label(cost)} {comparison} {before}{number!r} {unit}")
    assert isinstance(rule, CostLimit)
    assert (rule.cost, rule.comparison, abs(rule.number)) == (cost, comparison, number)
    assert rule.of_baseline == bool(before)


@given(st.text(st.sampled_from("p9. index size errors<=>0%msMBbaseline+-/"), max_size=30))
def test_any_text_about_costs_is_a_rule_or_an_error(text: str) -> None:
    with suppress(NotationError):
        assert parse_rule(text).text == text


def test_costs_are_held_against_limits() -> None:
    before = Costs("old", {"p99": Cost(0.04)})
    verdict = judged(
        "p99 <= 50 ms",
        "p99 <= 48 ms",
        "p99 < 48 ms",
        "p99 <= baseline + 20%",
        "p99 <= baseline + 7 ms",
        "errors <= 0.1%",
        "AP >= 0.6",
        baseline_costs=before,
    )
    passed = [ruling.passed for ruling in verdict.rulings]
    assert passed == [True, True, False, True, False, False, True]
    assert not verdict.passed


def test_rounding_breaks_no_rule_about_large_numbers() -> None:
    size = 4_159_906_722
    assert size > 4159.906722 * 1e6  # by half a millionth of a byte
    costs = Costs("new", {"index_size": Cost(float(size))})
    assert judged("index size <= 4159.906722 MB", "index size == 4159906722 B", costs=costs).passed
    assert not judged("index size <= 4159.9067 MB", costs=costs).passed


def test_without_a_rule_about_measures_there_is_nothing_to_compare() -> None:
    verdict = judged("p99 <= 50 ms", baseline=SCORES)
    assert verdict.passed
    assert verdict.worst == ()


@pytest.mark.parametrize(
    ("rule", "costs", "before", "message"),
    [
        ("p99 <= 1 s", None, None, "needs the p99, which was not measured: give what 'cleverdon b"),
        ("index size <= 1 MB", BENCH, None, "there are p99, errors: give what 'cleverdon index"),
        ("p99 <= baseline", BENCH, None, "needs the baseline's p99, which was not measured"),
        ("p99 <= baseline", BENCH, INDEX, "needs the baseline's p99, which was not measured"),
        (
            "p99 <= 1 s",
            Costs("x", BENCH.by_name, ("the sender lagged", "a core was busy")),
            None,
            "the measurement of the p99 is not valid (the sender lagged; a core was busy)",
        ),
        (
            "p99 <= baseline",
            BENCH,
            Costs("x", {"p99": Cost(0.1, not_valid=("it lagged",))}),
            "the measurement of the baseline's p99 is not valid (it lagged)",
        ),
    ],
)
def test_what_was_not_measured_validly_is_never_a_pass(
    rule: str, costs: Costs | None, before: Costs | None, message: str
) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        judged(rule, costs=costs, baseline_costs=before)


def test_a_limit_within_the_interval_is_told() -> None:
    (note,) = judged("p99 <= 50 ms").notes
    assert note == (
        "rule 'p99 <= 50 ms': the limit lies within the interval of what was measured "
        "(45 ms to 52 ms): another measurement could be judged otherwise"
    )
    assert judged("p99 <= 53 ms", "errors <= 0.2%").notes == ()
    unknown = Costs("new", {"p99": Cost(0.048, low=0.045)})
    assert "(45 ms or more)" in judged("p99 <= 1 s", costs=unknown).notes[0]
    before = Costs("old", {"p99": Cost(0.04, 0.035, 0.046)})
    (note,) = judged("p99 <= baseline", baseline_costs=before).notes
    assert "the limit (35 ms to 46 ms) and what was measured (45 ms to 52 ms)" in note
    assert judged("p99 <= baseline - 50%", baseline_costs=before).notes == ()
    endless = Costs("old", {"p99": Cost(0.04, low=0.035)})
    assert judged("p99 <= baseline - 10%", baseline_costs=endless).notes


def test_a_rule_that_asks_for_worse_is_doubted() -> None:
    (note,) = judged("p99 >= 10 ms").notes
    assert note == "rule 'p99 >= 10 ms' asks for worse values: lower p99 is better"


def test_it_is_shown_with_its_interval() -> None:
    before = Costs("old", {"index_size": Cost(2e8)})
    verdict = judged(
        *("p99 <= 47.99 ms", "index size <= baseline", "AP >= 0"),
        costs=Costs("new", {**BENCH.by_name, **INDEX.by_name}),
        baseline_costs=before,
    )
    shown = verdict.render()
    assert "48 ms (45 ms to 52 ms)" in shown
    assert "<= 47.99 ms" in shown  # as many digits as it takes
    assert [ruling.sentence() for ruling in verdict.rulings[:2]] == [
        "the run has p99 48 ms (45 ms to 52 ms); wanted <= 47.99 ms",
        "the run has index size 250 MB, the baseline 200 MB; wanted <= 200 MB",
    ]
    rules = json.loads(json.dumps(verdict.to_dict()))["rules"]
    assert rules[0] == {
        "rule": "p99 <= 47.99 ms",
        "cost": "p99",
        "passed": False,
        "value": 0.048,
        "low": 0.045,
        "high": 0.052,
        "limit": pytest.approx(0.04799),
        "baseline": None,
    }
    assert (rules[1]["baseline"], rules[1]["limit"]) == (2e8, 2e8)
    suite = ElementTree.fromstring(verdict.to_junit())[0]
    cases = {case.get("classname"): len(case) for case in suite.iter("testcase")}
    assert cases == {
        "cleverdon.gate.p99": 1,
        "cleverdon.gate.index_size": 1,
        "cleverdon.gate.AP": 0,
    }


def test_results_files_keep_costs(tmp_path: Path) -> None:
    path = str(tmp_path / "results.json")
    write_results(path, SCORES, costs=BENCH)
    assert read_result_costs(path) == BENCH
    assert read_results(path) is not None
    held = json.loads(Path(path).read_text())
    assert held["version"] == 1

    # Files of older versions have none, and are fine without.
    write_results(path, SCORES)
    assert read_result_costs(path) is None
    assert "costs" not in json.loads(Path(path).read_text())

    Path(path).write_text(json.dumps(held | {"costs": {"system": "x"}}))
    with pytest.raises(InputError, match="is a damaged results file: 'costs' is missing"):
        read_result_costs(path)
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1.0 x\n")
    assert read_result_costs(tmp_path / "a.run") is None


def test_a_rule_may_ask_for_queries_that_differ() -> None:
    text = "nDCG@10 not significantly worse by 0.01 with 10 differing queries"
    assert parse_rule(text) == NotWorse(text, NDCG, 0.01, 10)
    with pytest.raises(NotationError, match="a whole number above 0"):
        parse_rule("nDCG@10 not significantly worse with 0 differing queries")
    with pytest.raises(NotationError, match="'differing queries'"):
        parse_rule("nDCG@10 not significantly worse with 5 queries")
