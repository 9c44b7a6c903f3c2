"""What changed between judgments, and what that does to the order of systems."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from cleverdon import Judgments, evaluate
from cleverdon.collection.difference import SharedQueries, apply_changes, diff, effects
from cleverdon.comparison.differences import compare
from cleverdon.errors import InputError, OptionError
from cleverdon.stats.correlation import kendall, tau_ap
from tests.collection.examples import judgments, qrels

OLD = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}}
NEW = {"q1": {"a": 2, "b": 1, "d": 0}, "q3": {"a": 0}}


def test_by_hand() -> None:
    found = diff(OLD, NEW)
    assert (found.same, found.added, found.removed, found.changed) == (1, 2, 2, 1)
    assert found.transitions == {
        (2, 2): 1,
        (0, 1): 1,
        (1, None): 2,
        (None, 0): 2,
    }
    assert (found.only_before, found.only_after) == (("q2",), ("q3",))
    first = found.queries[0]
    assert (first.query, first.relevant_before, first.relevant_after) == ("q1", 2, 2)
    assert found.crossed == (1, 0)
    assert diff(OLD, NEW, rel=2).crossed == (0, 0)


@given(qrels, qrels)
def test_a_diff_can_be_applied(old: Any, new: Any) -> None:
    if not old.keys() & new.keys():
        with pytest.raises(InputError, match="no query in common"):
            diff(old, new)
        return
    found = diff(old, new)
    assert apply_changes(found, old).to_dict() == new
    back = diff(new, old)
    assert (back.added, back.removed, back.changed) == (found.removed, found.added, found.changed)
    assert {(after, before): n for (before, after), n in found.transitions.items()} == (
        back.transitions
    )


@given(judgments)
def test_nothing_changed_from_itself(of: Judgments) -> None:
    found = diff(of, of)
    assert not found.changes
    assert found.beside == 0
    covered = of.notes.subtopics
    lines = len(of)
    if covered is not None:
        lines = sum(len(grades) for docs in covered.values() for grades in docs.values())
    assert found.same == lines


def test_a_diff_of_others_is_not_applied() -> None:
    with pytest.raises(InputError, match="these are other judgments"):
        apply_changes(diff(OLD, NEW), {"q1": {"b": 3}})


def test_what_stands_beside_grades() -> None:
    one = Judgments.read([("q1", 0, "a", 1, 1), ("q1", 0, "b", 1, 1)], format="strata")
    two = Judgments.read([("q1", 0, "a", 2, 1), ("q1", 0, "b", 1, 1)], format="strata")
    assert diff(one, two).beside == 1
    assert "1 judgment of the same grade with another" in str(diff(one, two))


@pytest.fixture
def moved() -> tuple[Any, Any]:
    """Scores of three runs: the first judgments like x, the second y; z is poor with both."""
    queries = [f"q{i:02}" for i in range(12)]
    runs = {
        name: {query: {doc: 2.0, "other": 1.0} for query in queries}
        for name, doc in (("x", "a"), ("y", "b"), ("z", "c"))
    }
    before = {query: {"a": 1.0, "b": 0.0, "other": 1.0} for query in queries}
    after = {query: {"a": 0.0, "b": 1.0, "other": 1.0} for query in queries}
    return tuple(evaluate(of, runs, "RR AP") for of in (before, after))  # type: ignore[return-value]


def test_systems_that_change_places(moved: Any) -> None:
    before, after = moved
    first, second = effects(before, after)
    assert str(first.measure) == "RR"
    ranks = {move.system: (move.rank_before, move.rank_after) for move in first.moves}
    assert ranks == {"x": (1, 2), "y": (2, 1), "z": (2, 2)}
    assert first.moves[0].system == "y"
    orders = [dict(zip(of.systems, of.means[:, 0].tolist(), strict=True)) for of in moved]
    assert first.agreement is not None
    assert first.agreement.kendall.value == pytest.approx(kendall(*orders))
    kinds = {(flip.after.system, flip.after.baseline): flip.kind for flip in first.flips}
    assert kinds == {("y", "x"): "reversed", ("z", "x"): "lost", ("z", "y"): "gained"}
    assert first.flips.shown == (2, 2)
    assert sum(map(compare(before).significant, compare(before).differences)) == (
        first.flips.shown[0] + second.flips.shown[0]
    )


def test_one_system_has_no_order() -> None:
    runs = {"x": {"q1": {"a": 1.0}}}
    (found,) = effects(evaluate(OLD, runs, "AP"), evaluate(NEW, runs, "AP"))
    assert found.agreement is None
    assert not len(found.flips)
    assert [move.system for move in found.moves] == ["x"]
    with pytest.raises(OptionError, match="same systems"):
        effects(evaluate(OLD, runs, "AP"), evaluate(NEW, runs, "RR"))
    with pytest.raises(OptionError, match="none to compare it with"):
        effects(evaluate(OLD, runs, "AP"), evaluate(NEW, runs, "AP"), baseline="x")
    other = {"q4": {"a": 1}}
    with pytest.raises(InputError, match="no query in common"):
        effects(evaluate(OLD, runs, "AP"), evaluate(other, {"x": {"q4": {"a": 1.0}}}, "AP"))


def test_all_is_on_the_queries_of_both() -> None:
    """What was judged for one of the two only changes no score, no rank and no test."""
    runs = {
        "x": {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"b": 1.0}},
        "y": {"q1": {"b": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}, "q4": {"a": 1.0}},
    }
    old = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 1}, "q4": {"a": 1}}
    new = {"q1": {"a": 1}, "q2": {"a": 1}, "q5": {"a": 1}}
    (found,) = effects(evaluate(old, runs, "AP"), evaluate(new, runs, "AP"))
    assert found.shared == SharedQueries(("q1", "q2"), only_before=2, only_after=1, not_evaluated=0)
    assert {move.system: (move.before, move.after, move.up) for move in found.moves} == {
        "x": (1.0, 1.0, 0),
        "y": (0.5, 0.5, 0),
    }
    (flip,) = found.flips
    assert flip.before.difference == flip.after.difference == -0.5
    assert flip.before.p == flip.after.p
    text = str(replace(diff(old, new), effects=(found,)))
    told = "on 2 queries of both; left out: 2 only in first judgments, 1 only in second judgments"
    assert f"scores, ranks and tests are {told}" in text
    skipped = [evaluate(of, runs, "AP", missing="skip") for of in (old, new | {"q4": {"a": 1}})]
    assert effects(*skipped)[0].shared.not_evaluated == 1


def test_the_truth_of_tau_ap_is_the_order_before() -> None:
    runs = {doc: {f"q{at}": {doc: 1.0} for at in range(4)} for doc in "abcd"}

    def judged(best_first: str) -> dict[str, dict[str, float]]:
        """The first document is relevant to all queries, each one after it to one less."""
        return {
            f"q{at}": {doc: float(at < 4 - place) for place, doc in enumerate(best_first)}
            for at in range(4)
        }

    (found,) = effects(*(evaluate(judged(order), runs, "RR") for order in ("abcd", "dabc")))
    before, after = ({doc: -order.index(doc) for doc in order} for order in ("abcd", "dabc"))
    assert found.agreement is not None
    assert found.agreement.tau_ap.value == pytest.approx(tau_ap(after, before, symmetric=False))
    assert tau_ap(after, before, symmetric=False) != tau_ap(before, after, symmetric=False)


def test_subtopics_are_compared_one_by_one() -> None:
    rows = [("q1", "s", "a", 2), ("q1", "t", "a", 1), ("q1", "t", "b", 0)]
    old = Judgments.read(rows, format="subtopics")
    new = Judgments.read([rows[0], ("q1", "t", "a", 0), ("q1", "s", "b", 0)], format="subtopics")
    found = diff(old, new)
    assert found.by_subtopic
    assert (found.same, found.added, found.removed, found.changed) == (1, 1, 1, 1)
    assert [(each.doc, each.subtopic, each.before, each.after) for each in found.changes] == [
        ("a", "t", 1, 0),
        ("b", "t", 0, None),
        ("b", "s", None, 0),
    ]
    assert (found.queries[0].relevant_before, found.queries[0].relevant_after) == (1, 1)
    assert found.by_judgment().to_csv().splitlines()[:2] == [
        "query,document,subtopic,before,after",
        "q1,a,t,1,0",
    ]
    with pytest.raises(OptionError, match="plain grades only"):
        apply_changes(found, old)
    plain = diff(old, {"q1": {"a": 1, "b": 0}})
    assert not plain.by_subtopic
    assert (plain.changed, plain.same) == (1, 1)
    assert "only one of the two has subtopics" in str(plain)


def test_rendered(moved: Any) -> None:
    found, moves = diff(OLD, NEW), effects(*moved)
    found = replace(found, effects=tuple(moves))
    text = str(found)
    assert "documents that became relevant: 1; that no longer are: 0" in text
    assert "reversed: y against x by RR" in text
    whole = json.loads(found.to_json())
    assert whole["effects"][0]["systems"][0] == {
        "system": "y",
        "before": 0.5,
        "after": 1.0,
        "rank_before": 2,
        "rank_after": 1,
        "up": 1,
    }
    assert {"before": 1.0, "after": None, "judgments": 2} in whole["transitions"]
    assert found.to_csv().splitlines()[0] == "judgments,count"
    assert found.to_csv("systems by RR").splitlines()[1] == "y,0.5,1.0,0.5,2,1,+1"
    assert found.by_judgment().to_csv().split("\n")[1:3] == ["q1,b,0,1", "q1,c,1,-"]
    assert found.by_query().to_csv().split("\n")[1] == "q1,1,1,1,1,2,2"
    assert found.to_markdown().startswith("## judgments\n\n| judgments | count |")
