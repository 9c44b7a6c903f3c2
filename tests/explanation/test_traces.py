"""Traces add up to the score, by every measure; and what they say would gain, gains that."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import Judgments, Measure, evaluate, explain, parse
from cleverdon.errors import InputError, OptionError
from cleverdon.explanation.difference import trace_difference
from cleverdon.explanation.traces import Trace, Tracer, _trace_hits
from cleverdon.explanation.variants import _join_variants, insert_document, ranking_prefixes
from cleverdon.measures.registry import measures
from cleverdon.rank import rank
from cleverdon.settings import Settings
from tests.differential.collections import INTEGER_GRADES, SCORES, Collection, collections
from tests.differential.variants import all_variants
from tests.worked_examples import Worked, examples

EVERY = [variant for variant in all_variants() if not variant.text]
# An example is hundreds of measures already.
FEW, FEWER = (settings(max_examples=max(settings.default.max_examples // n, 3)) for n in (15, 30))
WORKED = [e for cls in measures() for e in examples(cls) if not e.measure.text]


def traces(collection: Collection, query: str, wanted: list[Measure], **how: Any) -> list[Trace]:
    """A trace of one query by each measure, of a run that is ranked only once."""
    judgments = Judgments.read(collection.qrels)
    ranked = rank(judgments, collection.run, settings=Settings(**how), keep=100)
    at = list(judgments.core.queries).index(query)
    start, stop = judgments.core.starts[at : at + 2]
    docs, top = judgments.core.docs(start, stop), [doc for doc, _ in ranked.top[at]]
    hits = ranked.hits.queries_between(at, at + 1)
    expected = how.get("ties") == "expected"
    return [_trace_hits(measure, hits, docs, top, expected=expected) for measure in wanted]


def check_sum(found: Trace) -> None:
    """What is added adds up to the value."""
    if found.undefined:
        return
    total = found.start + sum(step.added for step in found.steps)
    assert math.isclose(total, found.value, abs_tol=1e-9), f"{found.measure}"
    if found.steps:
        assert found.steps[-1].so_far == found.value
    if found.whole is not None and found.total is not None:
        assert math.isclose(found.total / found.whole, found.value, abs_tol=1e-12)
        if found.steps:
            last = found.steps[-1].working["sum"]
            assert math.isnan(last) or math.isclose(last, found.total, abs_tol=1e-12)
    if found.ideal:
        assert math.isclose(found.ideal[-1].so_far, found.whole or 0, rel_tol=1e-12)


# Every measure


@pytest.mark.parametrize("example", WORKED, ids=lambda e: f"{e.measure} of {e.ranking}")
def test_worked_examples_are_the_sum_of_what_is_added(example: Worked) -> None:
    hits = example.hits
    docs = [f"judged {row}" for row in range(len(hits.judgments.grade))]
    at = dict(zip(hits.rank.tolist(), hits.doc.tolist(), strict=True))
    names = [docs[at[r]] if r in at else f"other {r}" for r in range(1, hits.returned[0] + 1)]
    found = _trace_hits(example.measure, hits, docs, names)
    assert example.agrees(found.value)
    check_sum(found)
    assert [step.doc for step in found.steps] == names
    assert [step.rank for step in found.steps] == list(range(1, len(names) + 1))


@FEW
@given(collections(fewest=2), st.data())
def test_what_is_added_is_the_score_by_every_measure(
    collection: Collection, data: st.DataObject
) -> None:
    query = data.draw(st.sampled_from(sorted(collection.qrels)))
    scores = evaluate(collection.qrels, {"run": collection.run}, EVERY)
    column = scores.values[0, :, scores.queries.index(query)]
    for found, value in zip(traces(collection, query, EVERY), column, strict=True):
        assert np.array_equal(found.value, value, equal_nan=True), f"{found.measure}"
        check_sum(found)


@FEW
@given(collections(fewest=2, scores=SCORES), st.sampled_from(["expected", "best", "worst"]))
def test_and_whatever_becomes_of_ties(collection: Collection, ties: str) -> None:
    wanted = [parse(m) for m in ("nDCG@3", "AP", "RR", "ERR", "RBP", "P@2", "R@3", "nDCG", "F@4")]
    scores = evaluate(collection.qrels, {"run": collection.run}, wanted, ties=ties)
    for at, query in enumerate(scores.queries):
        for m, found in enumerate(traces(collection, query, wanted, ties=ties)):
            assert np.array_equal(found.value, scores.values[0, m, at], equal_nan=True)
            check_sum(found)
            docs = collection.run.get(query, {})
            assert sorted(step.doc for step in found.steps) == sorted(docs)
            grades = collection.qrels[query]
            assert all(step.grade == grades.get(step.doc) for step in found.steps)


def ranked(docs: list[str]) -> dict[str, float]:
    return {doc: float(-at) for at, doc in enumerate(docs)}


@FEWER
@given(collections(grades=INTEGER_GRADES, fewest=3), st.data())
def test_moves_gain_what_they_say_and_no_rank_is_better(
    collection: Collection, data: st.DataObject
) -> None:
    """Against evaluating the run with each document at every rank, or judged otherwise."""
    answered = [q for q in sorted(collection.qrels) if collection.run.get(q)]
    query = data.draw(st.sampled_from(answered))
    order = sorted(collection.run[query])
    found = traces(Collection(collection.qrels, {query: ranked(order)}), query, EVERY)
    values = np.array([one.value for one in found])

    def change(qrels: dict[str, dict[str, float]], docs: list[list[str]]) -> np.ndarray[Any, Any]:
        runs = {str(at): {query: ranked(each)} for at, each in enumerate(docs)}
        scores = evaluate(qrels, runs, EVERY)
        return scores.values[:, :, scores.queries.index(query)] - values

    top = max(grade for grades in collection.qrels.values() for grade in grades.values())
    for at, doc in enumerate(order):
        if doc not in collection.qrels[query]:
            judged = {**collection.qrels[query], doc: top}
            (expected,) = change({**collection.qrels, query: judged}, [order])
            for one, gained in zip(found, expected, strict=True):
                for move in one.moves:
                    if move.doc == doc:
                        assert (move.rank, move.to, move.assumed) == (at + 1, None, top)
                        assert math.isclose(move.change, gained, abs_tol=1e-9), f"{one.measure}"
    for doc, grade in collection.qrels[query].items():
        if grade <= 0 or (doc in order and order[0] == doc):
            continue
        at = order.index(doc) if doc in order else None
        others = [other for other in order if other != doc]
        places = range(len(order) + 1 if at is None else at)
        changes = change(
            collection.qrels, [[*others[:place], doc, *others[place:]] for place in places]
        )
        for one, gained in zip(found, changes.T, strict=True):
            moves = [move for move in (*one.moves, *one.missed) if move.doc == doc]
            assert all(move.rank == (None if at is None else at + 1) for move in moves)
            if one.undefined:
                assert all(move.to is None for move in moves)
                continue
            sign = {"higher": 1, "lower": -1, "neither": 0}[one.measure.better]
            best = np.nanmax(sign * gained, initial=-np.inf)
            for move in moves:
                assert move.to is not None
                assert np.isclose(move.change, gained[move.to - 1], atol=1e-9, equal_nan=True)
                if sign and not math.isnan(move.change):
                    assert math.isclose(sign * move.change, best, abs_tol=1e-9), (
                        f"{one.measure}: {doc} to {move.to}"
                    )
            if best > 1e-9:
                assert any(move in one.moves for move in moves), f"{one.measure}: {doc}"


@FEW
@given(collections(fewest=2), collections(fewest=2))
def test_differences_add_up(first: Collection, second: Collection) -> None:
    queries = [q for q in first.qrels if second.run.get(q) or first.run.get(q)]
    both = [Collection(first.qrels, one.run) for one in (first, second)]
    if not any(second.run.get(query) for query in first.qrels):
        return
    for pair in zip(*(traces(one, queries[0], EVERY[::5]) for one in both), strict=True):
        found = trace_difference(*pair)
        if not math.isnan(found.value):
            total = sum(part.difference for part in found.parts)
            assert math.isclose(total, found.value, abs_tol=1e-9), f"{pair[0].measure}"
            sizes = [abs(part.difference) for part in found.parts]
            assert sizes == sorted(sizes, reverse=True)


# Worked by hand

QRELS = {"q": {"a": 2, "b": 0, "c": 1, "d": 1}, "other": {"z": 3}}
RUN = {"q": {"a": 5.0, "x": 4.0, "c": 3.0, "b": 2.0}}


def added(measure: str, qrels: Any = QRELS, run: Any = RUN, **how: Any) -> dict[str, float]:
    steps = explain(qrels, run, measure, query="q", **how).steps
    return {step.doc: step.added for step in steps if step.added}


def test_ndcg_by_hand() -> None:
    found = explain(QRELS, RUN, "nDCG@3", query="q")
    discount = [1.0, 1 / math.log2(3), 0.5]
    ideal = 2 + discount[1] + 0.5
    assert [step.grade for step in found.steps] == [2, None, 1, 0]
    assert [step.working["gain"] for step in found.steps] == [2, 0, 1, 0]
    assert [step.working["discount"] for step in found.steps] == pytest.approx([*discount, 0])
    assert [step.working["product"] for step in found.steps] == pytest.approx([2, 0, 0.5, 0])
    assert [step.working["sum"] for step in found.steps] == pytest.approx([2, 2, 2.5, 2.5])
    assert [step.added for step in found.steps] == pytest.approx([2 / ideal, 0, 0.5 / ideal, 0])
    assert [(place.doc, place.gain) for place in found.ideal] == [("a", 2), ("c", 1), ("d", 1)]
    assert [place.so_far for place in found.ideal] == pytest.approx([2, 2 + discount[1], ideal])
    assert (found.total, found.whole) == pytest.approx((2.5, ideal))
    best, *_, least = found.moves
    # x, the best grade of all, at rank 2: 3 there, and the ideal becomes 3 2 1.
    gains = {(move.doc, move.to): move.change for move in found.moves}
    with_x = (2.5 + 3 * discount[1]) / (3 + 2 * discount[1] + 0.5)
    assert gains["x", None] == pytest.approx(with_x - 2.5 / ideal)
    # d at rank 2 pushes c out of the first three.
    assert gains["d", 2] == pytest.approx((discount[1] - 0.5) / ideal)
    assert gains["c", 2] == pytest.approx((discount[1] - 0.5) / ideal)
    assert best.change == max(gains.values())
    assert least.change == min(gains.values()) > 0
    assert [(move.doc, move.rank) for move in found.missed] == [("d", None)]


def test_a_document_moves_up_and_the_others_shift_down() -> None:
    qrels = {"q": {"a": 1, "b": 2}}
    run = {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    best = explain(qrels, run, "nDCG@3").moves[0]
    ideal = 2 + 1 / math.log2(3)
    # b a x: nothing is lost of a but its discount.
    assert (best.doc, best.rank, best.to) == ("b", 4, 1)
    assert best.change == pytest.approx((2 + 1 / math.log2(3)) / ideal - 1 / ideal)
    assert f"{best.change:.4f}" == "0.6199"


def test_the_best_rank_may_be_below_a_better_document_or_above_it() -> None:
    qrels = {"q": {"a": 3, "b": 1, "c": 1}}
    # Above a, c would push down what counts three times as much; among x and y it is best on top.
    below = explain(qrels, {"q": {"a": 5.0, "b": 4.0, "x": 3.0, "c": 2.0}}, "DCG").moves
    assert [(move.doc, move.to) for move in below if move.doc == "c"] == [("c", 3)]
    # A long way down, discounts hardly differ: at rank 1 it gains more than a loses.
    low = {doc: -float(at) for at, doc in enumerate([*"tuvwxyz", "a", "c"])}
    above = explain(qrels, {"q": low}, "DCG").moves
    assert [(move.doc, move.to) for move in above if move.doc == "c"] == [("c", 1)]


@pytest.mark.parametrize(
    ("doc", "to", "score"),
    [
        ("e", 1, 9.0),  # above everything
        ("e", 2, 5.0),  # above a group
        ("e", 3, 4.0),  # into a group, which grows
        ("e", 5, 3.5),  # right below a group
        ("c", 1, 9.0),  # out of a group, which shrinks
        ("c", 3, 4.0),  # within its group
        ("m", 3, 4.0),  # not returned
        ("m", 7, 0.5),  # not returned, below everything
    ],
)
def test_moving_a_document_is_ranking_it_there(doc: str, to: int, score: float) -> None:
    qrels = {"q": dict.fromkeys("abcdem", 1)}
    run = {"a": 6.0, "d": 4.0, "c": 4.0, "b": 4.0, "e": 2.0, "x": 1.0}
    judgments = Judgments.read(qrels)
    before, after = (
        rank(judgments, {"q": scores}, settings=Settings(ties="expected")).hits
        for scores in (run, {**run, doc: score})
    )
    moved = insert_document(before, "abcdem".index(doc), to)
    groups = {
        int(row): (int(first), int(last))
        for row, first, last in zip(moved.doc, moved.tied_from, moved.tied_to, strict=True)
    }
    assert groups == {
        int(row): (int(first), int(last))
        for row, first, last in zip(after.doc, after.tied_from, after.tied_to, strict=True)
    }
    assert moved.returned.tolist() == after.returned.tolist()
    assert sorted(moved.rank.tolist()) == moved.rank.tolist() == after.rank.tolist()
    assert moved.rank[moved.doc == "abcdem".index(doc)].tolist() == [to]


def test_others_by_hand() -> None:
    assert added("AP") == pytest.approx({"a": 1 / 3, "c": 2 / 9})
    assert added("RR") == {"a": 1}
    assert added("P@4") == {"a": 0.25, "c": 0.25}
    # The largest grade of the collection is 3: a satisfies with (4 - 1) / 8, c with 1 / 8.
    assert added("ERR") == pytest.approx({"a": 3 / 8, "c": 5 / 8 / 8 / 3})
    assert added("RBP(p=0.5)") == pytest.approx({"a": 0.5 * 2 / 3, "c": 0.125 / 3})
    assert added("Bpref") == pytest.approx({"a": 1 / 3, "c": 1 / 3})
    reversed_run = {"q": {"b": 5.0, "a": 4.0, "x": 3.0, "c": 2.0}}
    assert added("Bpref", run=reversed_run) == {}
    assert added("SetP") == {"a": 0.25, "c": 0.25}


def test_the_working_of_measures() -> None:
    def column(measure: str, name: str) -> list[float]:
        return [step.working[name] for step in explain(QRELS, RUN, measure, query="q").steps]

    nan = float("nan")
    assert column("AP", "precision") == pytest.approx([1, nan, 2 / 3, nan], nan_ok=True)
    assert column("AP", "1/R") == pytest.approx([1 / 3, nan, 1 / 3, nan], nan_ok=True)
    assert column("RR", "1/rank") == pytest.approx([1, nan, nan, nan], nan_ok=True)
    assert column("ERR@3", "reached") == pytest.approx([1, 5 / 8, 5 / 8, nan], nan_ok=True)
    assert column("ERR@3", "satisfies") == pytest.approx([3 / 8, 0, 1 / 8, nan], nan_ok=True)
    assert column("RBP(p=0.5)", "weight") == [0.5, 0.25, 0.125, 0.0625]
    assert column("Bpref", "above it") == pytest.approx([0, nan, 0, nan], nan_ok=True)
    judged = column("nDCG(judged_only=true)", "discount")
    expected = [1, nan, 1 / math.log2(3), 0.5]
    assert judged == pytest.approx(expected, nan_ok=True)


def test_lower_may_be_better_and_nothing_may_be() -> None:
    assert all(move.change < 0 for move in explain(QRELS, RUN, "SetE", query="q").moves)
    assert explain(QRELS, RUN, "SetE", query="q").moves
    assert explain(QRELS, RUN, "Unjudged@3", query="q").moves == ()
    assert explain(QRELS, RUN, "Unjudged@3", query="q").start == 1
    perfect = {"q": {"a": 5.0, "c": 4.0, "d": 3.0}}
    assert explain(QRELS, perfect, "nDCG@3", query="q").moves == ()


def test_a_value_may_be_undefined_until_enough_is_found() -> None:
    run = {"q": {"b": 5.0, "a": 4.0, "c": 3.0}}
    found = explain(QRELS, run, "SearchLength(q=2)", query="q")
    assert [step.added for step in found.steps] == [0, 0, 1]
    assert np.isnan([step.so_far for step in found.steps]).tolist() == [True, True, False]
    undefined = explain(QRELS, run, "SearchLength(q=3)", query="q")
    assert undefined.undefined
    assert undefined.moves == ()


def test_what_other_queries_judged_is_seen_by_measures_that_look_there() -> None:
    run = {"q": {"z": 2.0, "x": 1.0}}
    found = explain(QRELS, run, "Hole@2", query="q")
    value = evaluate(QRELS, run, "Hole@2").per_query("run", "Hole@2")["q"]
    assert found.value == value
    assert [(step.doc, step.grade) for step in found.steps] == [("z", None), ("x", None)]
    assert found.steps[0].added != 0 == found.steps[1].added


def test_each_measure_in_its_own_order() -> None:
    qrels, run = {"q": {"a": 1}}, [("q", "a", 1.0), ("q", "b", 1.0)]
    orders = {
        measure: [step.doc for step in explain(qrels, run, measure, profile="beir").steps]
        for measure in ("nDCG@10", "RR@10")
    }
    assert orders == {"nDCG@10": ["b", "a"], "RR@10": ["a", "b"]}
    assert all(step.tied for step in explain(qrels, run).steps)


def test_second_grades_and_subtopics() -> None:
    second = {"q": {"a": 1, "c": 3}}
    check_sum(found := explain(QRELS, RUN, "CAM(nDCG@3)", query="q", second=second))
    value = evaluate(QRELS, RUN, "CAM(nDCG@3)", second=second).per_query("run", "CAM(nDCG@3)")
    assert found.value == value["q"]


def test_a_query_that_the_run_lacks_is_an_empty_result() -> None:
    found = explain(QRELS, RUN, "nDCG@10", query="other")
    assert (found.value, found.steps, found.returned) == (0, (), 0)
    assert [(move.doc, move.to, move.change) for move in found.moves] == [("z", 1, 1)]


def test_queries_that_are_not_there() -> None:
    with pytest.raises(OptionError, match=r"there are 2 judged queries.*other, q$"):
        explain(QRELS, RUN)
    assert explain({"q": QRELS["q"]}, RUN).query == "q"
    with pytest.raises(InputError, match="no query 'othr' has judgments; did you mean 'other'"):
        explain(QRELS, RUN, query="othr")
    with pytest.raises(InputError, match="'new' has results, but no judgments"):
        explain(QRELS, {**RUN, "new": {"a": 1.0}}, query="new")
    with pytest.raises(OptionError, match="no sum"):
        explain(QRELS, RUN, "RelString", query="q")
    with pytest.raises(OptionError, match="one measure"):
        explain(QRELS, RUN, ["AP", "RR"], query="q")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="tie"):
        explain(QRELS, RUN, query="q", tie="best")


def test_traces_of_different_things_are_not_compared() -> None:
    tracer = Tracer(QRELS)
    one = tracer.trace(RUN, "AP", query="q")
    with pytest.raises(OptionError, match="the same"):
        trace_difference(one, tracer.trace(RUN, "RR", query="q"))
    assert trace_difference(one, one).parts == ()


def test_the_difference_by_hand() -> None:
    tracer = Tracer(QRELS)
    other = {"q": {"c": 2.0, "d": 1.0}}
    found = trace_difference(*(tracer.trace(run, "P@4", query="q") for run in (RUN, other)))
    assert [(part.doc, part.ranks, part.difference) for part in found.parts] == [
        ("a", (1, None), 0.25),
        ("d", (None, 2), -0.25),
    ]
    assert found.value == 0


def test_variants_are_measured_together_as_they_are_alone() -> None:
    hits = WORKED[0].hits
    together = _join_variants(list(ranking_prefixes(hits)))
    assert len(together) == len(hits.rank) + 1
    assert together.returned.tolist() == [hits.returned[0]] * len(together)
    assert np.diff(together.starts).tolist() == list(range(len(together)))
