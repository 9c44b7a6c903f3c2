"""Methods against known judgments: what is counted, and that adapting pays."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Limits
from cleverdon.pooling.adaptive.methods import known_methods
from cleverdon.pooling.adaptive.simulation import simulate_methods
from cleverdon.pooling.choices import BUDGETS
from cleverdon.pooling.contributions import gather
from cleverdon.stats.correlation import kendall, tau_ap
from tests.pooling.adaptive.made_up import systems


def test_adaptive_methods_find_more_than_depth() -> None:
    """Six simulated collections, 30 documents of each query: by sum, and by most of the six."""
    found: Counter[str] = Counter()
    better: Counter[str] = Counter()
    for seed in range(6):
        runs, grades = systems(seed=seed)
        played = simulate_methods(gather(runs), grades, budgets=[30]).played
        relevant = {one.method: one.stops[0].relevant for one in played}
        found.update(relevant)
        better.update(name for name, count in relevant.items() if count > relevant["depth"])
    for name in ("mtf", "max-mean", "max-mean-ns", "thompson", "hedge", "mtc"):
        assert found[name] > 1.1 * found["depth"], found
        assert better[name] >= 5, better


def test_the_default_is_all_methods_and_each_is_played_once() -> None:
    runs, grades = systems(count=3, queries=2, docs=20, depth=6)
    found = simulate_methods(gather(runs), grades)
    assert [played.method for played in found.played] == list(known_methods())
    assert found.budgets[-1] <= BUDGETS[-1]
    twice = ["mtf", "hedge", "mtf", "hedge(beta=0.1)", "hedge(beta=0.2)"]
    played = simulate_methods(gather(runs), grades, twice, budgets=[2]).played
    assert [one.method for one in played] == ["mtf", "hedge", "hedge(beta=0.2)"]


def test_the_measure_counts_from_the_same_grade_on() -> None:
    # By AP they are equal; from grade 2 on, two is ahead, which has c first.
    runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"c": 3, "b": 2, "a": 1}}}
    grades = {"q": {"a": 1, "b": 0, "c": 2}}
    found = simulate_methods(gather(runs), grades, ["depth"], budgets=[3], rel=2)
    assert found.measure == "AP(rel=2)"
    assert found.played[0].stops[0].kendall == 1
    assert simulate_methods(gather(runs), grades, ["depth"]).measure == "AP"
    assert simulate_methods(gather(runs), grades, ["depth"], measure="RR", rel=2).measure == "RR"


def test_what_is_pooled_and_not_judged_is_a_hole_as_what_is_not_there() -> None:
    runs = {"one": {"q": {"a": 3, "b": 2, "c": 1}}, "two": {"q": {"b": 1}}}
    for grades in ({"a": 1, "b": -1, "c": -1}, {"a": 1}):
        stop = simulate_methods(gather(runs), {"q": grades}, ["mtf"]).played[0].stops[-1]
        assert (stop.judged, stop.relevant, stop.holes) == (3, 1, 2)


def test_what_is_counted() -> None:
    # Two queries of 3 and 1 documents; by depth, as q1 goes: a and c (rank 1), then b.
    runs = {
        "one": {"q1": {"a": 3, "b": 2}, "q2": {"x": 1}, "q3": {"z": 1}},
        "two": {"q1": {"c": 3, "a": 2}},
    }
    grades = {"q1": {"a": 0, "b": 1, "c": 2, "d": 1}, "q2": {"y": 1}}
    found = simulate_methods(gather(runs), grades, ["depth"], budgets=[2, 100])
    assert (found.queries, found.pooled, found.relevant, found.relevant_in_all) == (2, 4, 2, 4)
    assert found.budgets == (2, 3)
    first, last = found.played[0].stops
    # x of q2 is not in the judgments.
    assert (first.budget, first.judged, first.relevant, first.holes) == (2, 3, 1, 1)
    assert (last.budget, last.judged, last.relevant, last.holes) == (3, 4, 2, 1)
    curve = found.played[0].found.tolist()
    assert curve[-2:] == [1, 2]
    assert (np.diff(curve) >= 0).all()


def test_orders_are_those_of_evaluate() -> None:
    runs, grades = systems(count=6, queries=3, docs=60, depth=20)
    found = simulate_methods(gather(runs), grades, ["depth"], budgets=[5, 1000], measure="nDCG@10")
    shallow, deep = found.played[0].stops
    # All that runs returned is judged; what none returned bears on all alike.
    assert deep.kendall == pytest.approx(1, abs=0.15)
    # Down to depth 5 of each query, by best rank and the seed: the same judgments by hand.
    gathered = gather(runs)
    judging = AdaptiveJudging(gathered, "depth", limits=Limits(budget=5))
    for query, doc in judging:
        judging.judge(query, doc, grades[query][doc])
    orders = []
    for judgments in (judging.grades, grades):
        scores = evaluate(judgments, runs, ["nDCG@10"])
        orders.append({name: scores.mean(name, "nDCG@10") for name in scores.systems})
    assert shallow.kendall == pytest.approx(kendall(*orders))
    assert shallow.tau_ap == pytest.approx(tau_ap(*orders))


def test_nothing_to_choose_or_to_find() -> None:
    one, two = {"a": {"q": {"d": 1}}}, {"a": {"q": {"d": 1}}, "b": {"q": {"e": 1}}}
    with pytest.raises(InputError, match=r"there is one run only, 'a'.*; give two runs at least"):
        simulate_methods(gather(one), {"q": {"d": 1}})
    for grades, rel, highest in (({"d": 0}, 1, 0), ({"d": 2}, 3, 2), ({"x": 1}, 1, 1)):
        told = f"no run returned a relevant document.*from {rel} on.*the highest is {highest}"
        with pytest.raises(InputError, match=told):
            simulate_methods(gather(two), {"q": grades}, rel=rel)
    with pytest.raises(InputError, match="the runs returned nothing: there is nothing to judge"):
        simulate_methods(gather({"a": {"q": {}}, "b": {"q": {}}}), {"q": {"d": 1}})


def test_what_cannot_be_simulated() -> None:
    runs, grades = systems(count=2, queries=1, docs=9, depth=5)
    with pytest.raises(InputError, match=r"no query in common: the runs have 'q0', the judg.* 'x'"):
        simulate_methods(gather(runs), {"x": {"d1": 1}})
    with pytest.raises(OptionError, match="budget=0: expected a whole number from 1 on"):
        simulate_methods(gather(runs), grades, budgets=[0])
    with pytest.raises(OptionError, match=r"budget=10{20}: expected .* at most"):
        simulate_methods(gather(runs), grades, budgets=[10**20])
    with pytest.raises(OptionError, match="there is no method 'mtx'"):
        simulate_methods(gather(runs), grades, ["mtx"])


RUNS, GRADES = systems(count=3, queries=2, docs=20, depth=6)
PLAYED = simulate_methods(gather(RUNS), GRADES, ["depth", "mtf"], budgets=[2, 4])


def test_thousands_are_set_apart_for_people_alone() -> None:
    runs, grades = systems(count=3, queries=60, docs=40, depth=20)
    found = simulate_methods(gather(runs), grades, ["depth"], budgets=[20])
    assert found.played[0].stops[0].judged == 1200
    assert " 1,200 " in found.render()
    assert ",1200," in found.render("csv")


def test_a_row_for_each_method_and_budget() -> None:
    lines = PLAYED.render("csv").splitlines()
    assert lines[0] == "method,budget,judged,relevant,recall,precision,unknown,tau,tau-AP"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [method, str(budget), str(2 * budget)] for budget in (2, 4) for method in ("depth", "mtf")
    ]
    stop = PLAYED.played[1].stops[1]
    cells = lines[4].split(",")
    assert [int(cells[3]), float(cells[4]), float(cells[5])] == [
        stop.relevant,
        stop.relevant / PLAYED.relevant,
        stop.relevant / 8,
    ]


def test_all_formats() -> None:
    assert "budget: documents judged of each of 2 queries" in PLAYED.render()
    assert PLAYED.render("markdown").startswith("| method")
    whole = json.loads(PLAYED.render("json"))
    assert whole["methods"][0]["found"] == PLAYED.played[0].found.tolist()
    assert whole["methods"][1]["stops"][0]["budget"] == 2


def test_one_system_or_nothing_relevant_is_refused() -> None:
    alone, two = {"a": {"q": {"d": 1}}}, {"a": {"q": {"d": 1}}, "b": {"q": {"d": 1}}}
    with pytest.raises(InputError, match="there is one run only"):
        simulate_methods(gather(alone), {"q": {"d": 1}}, ["mtf"])
    with pytest.raises(InputError, match="no run returned a relevant document"):
        simulate_methods(gather(two), {"q": {"d": 0}}, ["mtf"])
