"""The C/W/L family against cwl-eval, and against what follows from the framework.

cwl-eval cuts every ranking, or pads it with results of no gain, at a depth: `depth=` does the same.
What it leaves out below that is tested against sums that scipy knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ir_measures
import numpy as np
import pytest
from cwl.ruler import cwl_ruler as oracle
from cwl.ruler.ranking import Ranking
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import polygamma

from cleverdon import Hits, Measure, evaluate, parse
from cleverdon.errors import NotationError
from cleverdon.measures.cwl import Model
from cleverdon.measures.worked import ranking
from tests.differential.collections import Collection, collections
from tests.reference import ranked

QUANTITIES = ("EU", "ETU", "EC", "ETC", "ED")

MODELS: dict[str, Callable[[], Any]] = {
    "INST": oracle.INSTCWLMetric,
    "INST(T=0.5)": lambda: oracle.INSTCWLMetric(0.5),
    "INST(T=2.75)": lambda: oracle.INSTCWLMetric(2.75),
    "INSQ": oracle.INSQCWLMetric,
    "INSQ(T=0.25)": lambda: oracle.INSQCWLMetric(0.25),
    "INSQ(T=4)": lambda: oracle.INSQCWLMetric(4.0),
    "BPM": oracle.BPMCWLMetric,
    "BPM(T=2.5)@4": lambda: oracle.BPMCWLMetric(2.5, 4),
    "BPM(T=1.75)@40": lambda: oracle.BPMCWLMetric(1.75, 40),
    "BPM(hc=0,dynamic=true)": oracle.BPMDCWLMetric,
    "BPM(T=3,hb=2,hc=0,dynamic=true)@30": lambda: oracle.BPMDCWLMetric(3, 30, 2.0),
    "BPM(T=2,hb=0.5,hc=0,median=0.25,dynamic=true)@5": lambda: oracle.BPMDCWLMetric(
        2, 5, 0.5, gain_med=0.25
    ),
    "SDCG@1": lambda: oracle.NDCGCWLMetric(1),
    "SDCG@5": lambda: oracle.NDCGCWLMetric(5),
    "SDCG@40": lambda: oracle.NDCGCWLMetric(40),
    "NERR8@1": lambda: oracle.NERReq8CWLMetric(1),
    "NERR8@6": lambda: oracle.NERReq8CWLMetric(6),
    "NERR8@40": lambda: oracle.NERReq8CWLMetric(40),
    "NERR9@6": lambda: oracle.NERReq9CWLMetric(6),
    "NERR9@40": lambda: oracle.NERReq9CWLMetric(40),
    "NERR10": oracle.NERReq10CWLMetric,
    "NERR10(p=0.5)": lambda: oracle.NERReq10CWLMetric(0.5),
    "NERR11": oracle.NERReq11CWLMetric,
    "NERR11(T=2.5)": lambda: oracle.NERReq11CWLMetric(2.5),
    "TBG": oracle.TBGCWLMetric,
    "TBG(halflife=3)": lambda: oracle.TBGCWLMetric(3),
    "U": oracle.UMeasureCWLMetric,
    "U(L=7.5)": lambda: oracle.UMeasureCWLMetric(7.5),
}
BY_COST = ("BPM(T=2.5)@4", "BPM(T=1.75)@40", "TBG(halflife=3)", "U", "U(L=7.5)")

# Sums of quarters are exact, so that both sides see a goal of the player's met at the same rank.
GRADES = (None, 0, 4, 2, None, 0, 1, 3, -1, None, 0)
Grades = list[int | None]
rankings = st.lists(st.sampled_from(GRADES), max_size=30)
many_rankings = st.lists(rankings, min_size=10, max_size=25)
SOME, FEW = (settings(max_examples=settings.default.max_examples // n) for n in (3, 10))


def with_all(text: str, **changes: Any) -> list[Measure]:
    """A measure's five quantities."""
    return [replaced(parse(text), **changes, quantity=name) for name in QUANTITIES]


def replaced(measure: Measure, **changes: Any) -> Measure:
    return type(measure)(**measure.parameters, **changes)


def found(drawn: list[Grades], measures: list[Measure]) -> np.ndarray:
    """Measures x queries; the largest grade is 4 always."""
    qrels = {"topmost": {"never returned": 4.0}}
    run: dict[str, dict[str, float]] = {}
    for number, grades in enumerate(drawn):
        docs = [f"{rank:03}" for rank in range(len(grades))]
        judged = {doc: float(g) for doc, g in zip(docs, grades, strict=True) if g is not None}
        qrels[f"{number:03}"] = {"never returned": 2.0, **judged}
        run[f"{number:03}"] = {doc: -float(doc) for doc in docs}
    return evaluate(qrels, {"run": run}, measures).values[0][:, : len(drawn)]


def wanted(drawn: list[Grades], make: Callable[[], Any], depth: int, cost: float = 1) -> np.ndarray:
    """What cwl-eval says."""
    values = []
    for grades in drawn:
        gains = [max(grade or 0, 0) / 4 for grade in grades]
        metric = make()
        metric.measure(Ranking("query", gains, len(gains) * [cost], max_cost=cost, max_n=depth))
        values.append(metric.get_scores())
    return np.array(values).T


@SOME
@given(many_rankings, st.sampled_from((2, 5, 25, 45)), st.data())
def test_cut_at_a_depth_as_in_cwl_eval(
    drawn: list[Grades], depth: int, data: st.DataObject
) -> None:
    for text in data.draw(st.permutations(sorted(MODELS)))[:7]:
        ours = found(drawn, with_all(text, depth=depth))
        np.testing.assert_allclose(
            ours, wanted(drawn, MODELS[text], depth), rtol=1e-11, atol=1e-11, err_msg=text
        )


@pytest.mark.parametrize("text", MODELS)
@settings(max_examples=2)
@given(st.lists(rankings, min_size=5, max_size=10))
def test_cut_at_rank_1000_as_cwl_eval_does(text: str, drawn: list[Grades]) -> None:
    ours = found(drawn, with_all(text, depth=1000))
    np.testing.assert_allclose(ours, wanted(drawn, MODELS[text], 1000), rtol=1e-9, atol=1e-9)


@FEW
@given(many_rankings, st.sampled_from((0.25, 2.0, 3.5)))
def test_a_cost_for_all_results(drawn: list[Grades], cost: float) -> None:
    for text in (*BY_COST, "INST(T=2.75)", "NERR9@6", "NERR10", "SDCG@40"):
        ours = found(drawn, with_all(text, depth=25, cost=cost))
        theirs = wanted(drawn, MODELS[text], 25, cost)
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10, err_msg=text)


BY_IR_MEASURES = (
    *("INST(T=2.0,max_rel=4)", "INSQ(max_rel=3)", "BPM(T=1.5,max_rel=4)@6", "NERR10(max_rel=4)"),
    *("SDCG(max_rel=3,min_rel=1)@5", "NERR8(max_rel=4)@4", "NERR9(max_rel=4)@10"),
    "NERR11(T=0.5,max_rel=4)",
)


@settings(max_examples=3)
@given(collections(grades=(1, 0, 2, 3, 4, -1), scores=tuple(np.arange(40.0)), fewest=5))
def test_as_ir_measures_asks_cwl_eval(collection: Collection) -> None:
    # Where scores are equal, it takes them as they come.
    run = {
        query: {doc: -float(place) for place, doc in enumerate(ranked(results))}
        for query, results in collection.run.items()
    }
    measures = [replaced(parse(text), depth=1000) for text in BY_IR_MEASURES]
    scores = evaluate(collection.qrels, run, measures)
    asked = list(map(ir_measures.parse_measure, BY_IR_MEASURES))
    for metric in ir_measures.cwl_eval.iter_calc(asked, collection.qrels, run):
        if run.get(metric.query_id):  # of a query without results it says 0, though costs remain
            row, column = asked.index(metric.measure), scores.queries.index(metric.query_id)
            np.testing.assert_allclose(scores.values[0, row, column], metric.value, atol=1e-9)


# Without a depth


@pytest.mark.parametrize("text", ["NERR10", "NERR10(p=0.5)", "TBG(halflife=3)", "U(L=7.5)"])
@FEW
@given(many_rankings)
def test_weights_that_fade_out_need_no_depth(text: str, drawn: list[Grades]) -> None:
    theirs = wanted(drawn, MODELS[text], 400)
    np.testing.assert_allclose(found(drawn, with_all(text)), theirs, rtol=1e-9, atol=1e-9)


def continued(drawn: Grades, name: str, goal: float) -> list[float]:
    """The five quantities, rank by rank down to the last result, the ranks below by scipy."""
    viewed, read, gained, got = 1.0, 0.0, 0.0, 0.0
    for rank, grade in enumerate(drawn, start=1):
        gain = max(grade or 0, 0) / 4
        got += gain
        read += viewed
        gained += viewed * gain
        missing = goal - got if name == "INST" else goal
        viewed *= ((rank + goal + missing - 1) / (rank + goal + missing)) ** 2
        viewed *= 1 - gain if name == "NERR11" else 1
    x = len(drawn) + 2 * goal - (got if name == "INST" else 0)
    read += viewed * x**2 * float(polygamma(1, x)) if viewed else 0
    return [gained / read, gained, 1, read, read]


@pytest.mark.parametrize("name", ["INST", "INSQ", "NERR11"])
@settings(max_examples=20)
@given(many_rankings, st.sampled_from((0.5, 1.0, 2.0, 3.25, 100.0)))
def test_weights_that_fall_slowly_go_on_for_ever(
    name: str, drawn: list[Grades], goal: float
) -> None:
    theirs = np.array([continued(grades, name, goal) for grades in drawn]).T
    ours = found(drawn, with_all(f"{name}(T={goal})"))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@FEW
@given(many_rankings)
def test_totals_are_means_times_the_depth(drawn: list[Grades]) -> None:
    for text in MODELS:
        utility, total_utility, cost, total_cost, depth = found(drawn, with_all(text, cost=3))
        np.testing.assert_allclose(utility * depth, total_utility, rtol=1e-11)
        np.testing.assert_allclose(cost * depth, total_cost, rtol=1e-11)
        np.testing.assert_allclose(cost, 3, rtol=1e-11)
        assert np.all(depth >= 1 - 1e-12)


@FEW
@given(many_rankings)
def test_tbg_is_rbp_where_all_results_cost_the_same(drawn: list[Grades]) -> None:
    for cost, halflife in ((1, 1), (2, 6), (30, 224)):
        tbg = parse(f"TBG(halflife={halflife},cost={cost})")
        rbp = parse(f"RBP(p={2 ** (-cost / halflife)})")
        ours, theirs = found(drawn, [tbg, rbp])
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-14)


def test_a_goal_of_thirds_is_met() -> None:
    """Two thirds and one third are all that the player wanted, in whatever order they are added."""
    for text in ("2 1 3 max=3", "1 2 3 max=3", "1 1 1 3 max=3", "- 2 1 3 max=3"):
        grades = [float(token) if token != "-" else 0.0 for token in text.split()[:-1]]
        read = next(i for i in range(1, 5) if sum(grades[:i]) >= 3)
        assert parse("BPM(quantity=ED)")(ranking(text)).tolist() == [read]


def test_a_budget_of_the_player_moves_too() -> None:
    # Of gain 1, 1, 0, ...: budgets 3, 3.5, 4, 3.5 before ranks 1 to 4. She stops at rank 4.
    hits = ranking("1 1 0 0 0 0 0")
    (moving,) = parse("BPM(T=100,dynamic=true,hb=0,hc=1,quantity=ED)@3")(hits)
    (fixed,) = parse("BPM(T=100,dynamic=true,hb=0,hc=0,quantity=ED)@3")(hits)
    assert (moving, fixed) == (4, 3)


@settings(max_examples=30)
@given(many_rankings, st.sampled_from((0.0, 0.5, 1.0, 2.0)), st.sampled_from((0.0, 0.25, 1.0)))
def test_the_dynamic_player_step_by_step(drawn: list[Grades], h: float, median: float) -> None:
    def depth(grades: Grades) -> int:
        goal, budget, got, rank = 1.5, 6.0, 0.0, 0
        while True:
            rank += 1
            gain = max((grades[rank - 1] if rank <= len(grades) else 0) or 0, 0) / 4
            got += gain
            if got >= goal or rank >= budget:
                return rank
            goal += 2 * h * (gain - median)
            budget += h * (gain - median)

    text = f"BPM(T=1.5,dynamic=true,hb={2 * h},hc={h},median={median},quantity=ED)@6"
    (ours,) = found(drawn, [parse(text)])
    assert ours.tolist() == [depth(grades) for grades in drawn]


# Gains, and what is refused


def test_gains_are_scaled_between_the_least_and_the_largest_grade() -> None:
    hits = ranking("-1 0 1 2 3 5 max=5")
    gains = {
        "INST": [0, 0, 0.2, 0.4, 0.6, 1],
        "INST(max_rel=3)": [0, 0, 1 / 3, 2 / 3, 1, 1],
        "INST(min_rel=1,max_rel=3)": [0, 0, 0, 0.5, 1, 1],
        "INST(min_rel=1)": [0, 0, 0, 0.25, 0.5, 1],
        "INST(min_rel=9)": [0, 0, 0, 0, 0, 0],
    }
    for text, expected in gains.items():
        model = parse(text)
        assert isinstance(model, Model)
        np.testing.assert_allclose(model.gain_of(hits), expected)


@pytest.mark.parametrize(
    "text",
    [
        *("INST(min_rel=-1)", "INST(max_rel=0)", "INST(min_rel=2,max_rel=2)", "INST(T=0.25)"),
        *("INSQ(T=0)", "INSQ(cost=0)", "INSQ(depth=0)", "U(depth=1)", "U(L=0)", "TBG(halflife=0)"),
        *("BPM(T=0)", "BPM(hb=-1)", "BPM(median=2)", "NERR10(p=1)", "SDCG@99999999", "SDCG"),
        "INST(quantity=E)",
    ],
)
def test_parameters_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


def test_only_utilities_are_better_when_higher() -> None:
    better = [measure.better for measure in with_all("INST")]
    assert better == ["higher", "higher", "neither", "neither", "neither"]


def test_what_ir_measures_writes_is_understood() -> None:
    assert str(parse("SDCG(dcg='log2',max_rel=2)@5")) == "SDCG(max_rel=2)@5"
    assert parse("INST(2)") == parse("INST(T=2.0)")


def test_a_deep_ranking_is_not_written_out() -> None:
    grade = np.zeros((1, 4))
    grade[0, 3] = 1
    hits = Hits.from_matrix(grade, [[4, 3, 2, 1]])
    deep = replace(hits, rank=np.array([1, 2, 3, 10**9]))
    (value,) = parse("INSQ(quantity=ETU)")(deep)
    assert value == pytest.approx((2 / (10**9 + 1)) ** 2)
