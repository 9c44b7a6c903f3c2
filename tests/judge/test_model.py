"""A model as a judge: how it stands among people, whom it favours, and what that changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.compare import agreements
from cleverdon.errors import InputError, OptionError
from cleverdon.judge import Labels, aggregate, agree
from cleverdon.judge.model import Effects, Standing, by_grade, effects, standings
from cleverdon.judge.model.by_system import _change
from tests.judge.collection import Collection, collection

PEOPLE = ["ann", "bob", "eve"]


@cache
def made() -> Collection:
    return collection()


def labels(**models: object) -> Labels:
    return Labels.of({**made().people, **models})


def standing(model: object, *, coefficient: str = "kappa") -> Standing:
    found = standings(agree(labels(model=model)), "model", PEOPLE)
    return next(one for one in found if one.coefficient == coefficient)


@cache
def found(model: str) -> Effects:
    return effects(
        labels(model=getattr(made(), model)), "model", PEOPLE, made().runs, "nDCG@10 P@5"
    )


def test_standing_is_of_pairs() -> None:
    with_model = agree(labels(model=made().fair))
    one = standing(made().fair)
    own = [with_model.pair("model", person).estimates["kappa"].value for person in PEOPLE]
    theirs = [
        with_model.pair(a, b).estimates["kappa"].value
        for a, b in (("ann", "bob"), ("ann", "eve"), ("bob", "eve"))
    ]
    assert one.with_people.value == pytest.approx(np.mean(own))
    assert one.among_people is not None
    assert one.difference is not None
    assert one.among_people.value == pytest.approx(np.mean(theirs))
    assert (one.lowest, one.highest) == (min(theirs), max(theirs))
    assert one.difference.value == pytest.approx(np.mean(own) - np.mean(theirs))
    assert one.difference.interval.low < one.difference.value < one.difference.interval.high


def test_a_fair_model_stands_as_people_do_and_a_poor_one_does_not() -> None:
    assert standing(made().fair).verdict == "alike"
    assert standing(made().unfair).verdict == "less"
    consensus = aggregate(labels().only(PEOPLE)).judgments
    assert standing(consensus).verdict == "more"  # it is made of what they said


def test_one_person_has_nobody_to_be_compared_with() -> None:
    both = Labels.of({"ann": made().people["ann"], "model": made().fair})
    one = standings(agree(both), "model", ["ann"])[0]
    assert (one.among_people, one.difference, one.verdict) == (None, None, "unknown")
    with pytest.raises(OptionError, match="nobody to hold 'model' against"):
        standings(agree(both), "model", [])


def test_bias_by_grade() -> None:
    agreed = agree(labels(model=made().kind))
    rows = by_grade(agreed.labels, "model", PEOPLE, agreed.units)
    assert [row.grade for row in rows] == [0, 1, 2]
    for row in rows:
        assert sum(row.shares) == pytest.approx(1)
        assert row.mean == pytest.approx(np.dot(row.shares, [0, 1, 2]))
        assert row.difference.value == pytest.approx(row.mean - row.grade)
    assert rows[0].difference.interval.low > 0.5  # it gives 1 at least
    assert rows[0].shares[0] == 0
    total = sum(len(docs) for grades in made().people.values() for docs in grades.values())
    assert sum(row.judgments for row in rows) == total


def test_a_model_that_favours_a_system_is_found_out() -> None:
    unfair = found("unfair")
    (most, *_) = unfair.favoured()
    assert most.system == "s1"
    assert most.beyond > 0.05
    assert most.interval.low > 0
    assert {one.system for one in unfair.favoured() if one.beyond > 0} == {"s1"}
    assert found("fair").favoured() == []


def test_kindness_to_all_is_no_favour() -> None:
    """Every system gains, and none beyond the others by more than the judging explains."""
    kind = found("kind")
    changes = [one.change for one in kind.favours if str(one.measure) == "P@5"]
    assert min(changes) > 0
    assert sum(one.beyond for one in kind.favours if str(one.measure) == "P@5") == pytest.approx(0)


def test_scores_are_of_the_documents_that_both_judged() -> None:
    part = {topic: dict(list(docs.items())[:7]) for topic, docs in made().fair.items()}
    less = effects(labels(model=part), "model", PEOPLE, made().runs, "P@5")
    assert less.items <= 7 * 30
    by_model = evaluate(part, made().runs, "P@5")
    for one in less.favours:
        assert one.model == pytest.approx(by_model.mean(one.system, "P@5"), abs=0.02)


def test_with_one_person_scores_are_theirs() -> None:
    person = made().people["ann"]
    both = Labels.of({"ann": person, "model": made().fair})
    alone = effects(both, "model", ["ann"], made().runs, "nDCG@10")
    assert alone.way is None
    assert alone.yardsticks == ()
    by_person = evaluate(person, made().runs, "nDCG@10")
    for one in alone.favours:
        assert one.people == pytest.approx(by_person.mean(one.system, "nDCG@10"))


def test_orders_are_those_of_compare() -> None:
    unfair = found("unfair")
    wanted = agreements(*unfair.scores[:1], other=unfair.scores[1], symmetric=False)
    assert [one.kendall for one in unfair.orders] == [one.kendall for one in wanted]
    assert [each.person for each in unfair.yardsticks] == PEOPLE
    assert len(unfair.yardsticks[0].orders) == 2
    assert unfair.orders[0].kendall.value < found("fair").orders[0].kendall.value


def test_claims_flip() -> None:
    unfair = found("unfair")
    assert len(unfair.claims) == 10 * 2  # pairs of systems by measures
    won = [
        {one.people.difference.system, one.people.difference.baseline}
        for one in unfair.changed()
        if one.kind in ("new", "reversed")
    ]
    assert won
    assert all("s1" in pair for pair in won)
    assert all(one.kind in ("kept", "open", "lost", "new") for one in found("fair").claims)


@pytest.mark.parametrize(
    ("people", "model", "kind"),
    [
        ("better", "better", "kept"),
        ("not shown", "not shown", "open"),
        ("better", "not shown", "lost"),
        ("not shown", "worse", "new"),
        ("better", "worse", "reversed"),
    ],
)
def test_kinds_of_changes(people: str, model: str, kind: str) -> None:
    assert _change(people, model) == kind


def test_what_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match="from two runs on"):
        effects(labels(model=made().fair), "model", PEOPLE, {"s0": made().runs["s0"]}, "P@5")
    apart = Labels.of(
        {"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"b": 0}}, "model": {"q": {"c": 1}}}
    )
    runs = {name: {"q": {"a": 1.0, "c": 2.0}} for name in ("x", "y")}
    with pytest.raises(InputError, match="no judged document in common"):
        effects(apart, "model", ["ann", "bob"], runs, "P@5")
