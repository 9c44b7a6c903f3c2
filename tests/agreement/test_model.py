"""A model as a judge: how it stands among people, whom it favours, and what that changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from cleverdon import aggregate_labels, correlate, evaluate
from cleverdon.agreement.agreement import agree
from cleverdon.agreement.labels import Labels
from cleverdon.agreement.model import (
    ModelCoefficient,
    ModelEffects,
    grade_biases,
    model_coefficients,
    model_effects,
)
from cleverdon.errors import InputError, OptionError
from tests.agreement.collection import Collection, collection

PEOPLE = ["ann", "bob", "eve"]


@cache
def made() -> Collection:
    return collection()


def labels(**models: object) -> Labels:
    return Labels.of({**made().people, **models})


def standing(model: object, *, coefficient: str = "kappa") -> ModelCoefficient:
    found = model_coefficients(agree(labels(model=model)), "model", PEOPLE)
    return next(one for one in found if one.coefficient == coefficient)


@cache
def found(model: str) -> ModelEffects:
    return model_effects(
        labels(model=getattr(made(), model)),
        "model",
        PEOPLE,
        made().runs,
        "nDCG@10 P@5",
        resamples=200,
    )


def test_standing_is_of_pairs() -> None:
    with_model = agree(labels(model=made().fair))
    one = standing(made().fair)
    own = [with_model.pair("model", person).coefficients["kappa"].value for person in PEOPLE]
    theirs = [
        with_model.pair(a, b).coefficients["kappa"].value
        for a, b in (("ann", "bob"), ("ann", "eve"), ("bob", "eve"))
    ]
    assert one.with_people.value == pytest.approx(np.mean(own))
    assert one.among_people is not None
    assert one.difference is not None
    assert one.among_people.value == pytest.approx(np.mean(theirs))
    assert one.pairs_of_people == (min(theirs), max(theirs))
    assert one.difference.value == pytest.approx(np.mean(own) - np.mean(theirs))
    assert one.difference.interval.low < one.difference.value < one.difference.interval.high


def test_a_fair_model_stands_as_people_do_and_a_poor_one_does_not() -> None:
    assert standing(made().fair).verdict == "not told apart"
    assert standing(made().unfair).verdict == "less"
    consensus = aggregate_labels(labels().only(PEOPLE)).judgments
    assert standing(consensus).verdict == "more"  # it is made of what they said


def test_one_person_has_nobody_to_be_compared_with() -> None:
    both = Labels.of({"ann": made().people["ann"], "model": made().fair})
    one = model_coefficients(agree(both), "model", ["ann"])[0]
    assert (one.among_people, one.difference, one.verdict) == (None, None, "unknown")
    with pytest.raises(OptionError, match="nobody to hold 'model' against"):
        model_coefficients(agree(both), "model", [])


def test_bias_by_grade() -> None:
    agreed = agree(labels(model=made().kind))
    rows = grade_biases(agreed.labels, "model", PEOPLE, agreed.units)
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
    assert most.excess > 0.05
    assert most.interval.low > 0
    assert {one.system for one in unfair.favoured() if one.excess > 0} == {"s1"}
    assert found("fair").favoured() == []


def test_kindness_to_all_is_no_favour() -> None:
    """Every system gains, and none beyond what kindness to all explains."""
    kind = found("kind")
    changes = [one.change for one in kind.systems if str(one.measure) == "P@5"]
    assert min(changes) > 0
    assert kind.favoured() == []


def test_scores_are_of_the_documents_that_both_judged() -> None:
    part = {topic: dict(list(docs.items())[:7]) for topic, docs in made().fair.items()}
    less = model_effects(labels(model=part), "model", PEOPLE, made().runs, "P@5")
    assert less.documents <= 7 * 30
    by_model = evaluate(part, made().runs, "P@5")
    for system in by_model.systems:
        found = less.scores[1].mean(system, "P@5")
        assert found == pytest.approx(by_model.mean(system, "P@5"), abs=0.02)


def test_with_one_person_scores_are_theirs() -> None:
    person = made().people["ann"]
    both = Labels.of({"ann": person, "model": made().fair})
    alone = model_effects(both, "model", ["ann"], made().runs, "nDCG@10")
    assert alone.method is None
    assert [(one.judge, one.panels) for one in alone.orders] == [("model", 1)]
    by_person = evaluate(person, made().runs, "nDCG@10")
    for one in alone.systems:
        assert one.people == pytest.approx(by_person.mean(one.system, "nDCG@10"))


def test_a_person_s_score_is_the_mean_over_people_alone() -> None:
    one = found("fair").systems[0]
    whole = labels(model=made().fair)
    alone = []
    for person in PEOPLE:
        both = whole.only([person, "model"])
        shared = both.among(both.judged.all(axis=1))
        grades = aggregate_labels(shared.only([person])).judgments
        alone.append(evaluate(grades, made().runs, "nDCG@10").mean("s0", "nDCG@10"))
    assert (one.system, str(one.measure)) == ("s0", "nDCG@10")
    assert one.people == pytest.approx(np.mean(alone), abs=1e-3)


def test_the_model_is_held_against_as_many_people_as_each_person_is() -> None:
    unfair = found("unfair")
    assert [(one.judge, str(one.measure), one.panels) for one in unfair.orders[:4]] == [
        ("model", "nDCG@10", 3),
        *((person, "nDCG@10", 1) for person in PEOPLE),
    ]
    whole = labels(model=made().unfair)
    taus = []
    for person in PEOPLE:
        panel = aggregate_labels(
            whole.only([other for other in PEOPLE if other != person])
        ).judgments
        model = {
            query: {doc: made().unfair[query][doc] for doc in docs}
            for query, docs in panel.to_dict().items()
        }
        by_others, by_model = (
            evaluate(judged, made().runs, "nDCG@10") for judged in (panel, model)
        )
        (agreed,) = correlate(by_others, other=by_model, symmetric=False, resamples=1)
        taus.append((agreed.kendall.value, agreed.tau_ap.value))
    assert unfair.orders[0].kendall.value == pytest.approx(np.mean(taus, axis=0)[0])
    assert unfair.orders[0].tau_ap.value == pytest.approx(np.mean(taus, axis=0)[1])
    low, high = (getattr(unfair.orders[0].kendall.interval, end) for end in ("low", "high"))
    assert low < high
    assert unfair.orders[0].kendall.value < found("fair").orders[0].kendall.value


def test_people_who_share_no_topic_have_no_order_to_compare() -> None:
    people = {"ann": {"q1": {"a": 1, "b": 0}}, "bob": {"q2": {"a": 1, "b": 0}}}
    model = {"q1": {"a": 1, "b": 0}, "q2": {"a": 0, "b": 1}}
    runs = {
        name: {q: {"a": first, "b": 1.0} for q in model} for name, first in (("x", 0.0), ("y", 2.0))
    }
    done = model_effects(Labels.of({**people, "m": model}), "m", ["ann", "bob"], runs, "P@1")
    assert [one.judge for one in done.orders] == ["m"]
    assert np.isnan(done.orders[0].kendall.value)


def test_claims_flip() -> None:
    unfair = found("unfair")
    assert len(unfair.claims) == 10 * 2  # pairs of systems by measures
    won = [
        {one.before.system, one.before.baseline}
        for one in unfair.claims.changed()
        if one.kind in ("gained", "reversed")
    ]
    assert won
    assert all("s1" in pair for pair in won)
    assert found("fair").claims.times("reversed") == 0


def test_progress_ends_where_it_should() -> None:
    told: list[tuple[int, int]] = []
    part = {name: dict(list(grades.items())[:4]) for name, grades in made().people.items()}
    every = Labels.of({**part, "model": made().fair})
    runs = dict(list(made().runs.items())[:2])
    model_effects(every, "model", PEOPLE, runs, "P@5", progress=lambda step, *at: told.append(at))
    assert told == [(step, len(told)) for step in range(1, len(told) + 1)]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"seed": -1}, "seed=-1"),
        ({"resamples": 1.5}, "resamples=1.5"),
        ({"level": 2}, "level=2"),
        ({"confidence": 1}, "confidence=1"),
    ],
)
def test_options_that_do_not_exist(option: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        model_effects(labels(model=made().fair), "model", PEOPLE, made().runs, "P@5", **option)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match="from two runs on"):
        model_effects(labels(model=made().fair), "model", PEOPLE, {"s0": made().runs["s0"]}, "P@5")
    apart = Labels.of(
        {"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"b": 0}}, "model": {"q": {"c": 1}}}
    )
    runs = {name: {"q": {"a": 1.0, "c": 2.0}} for name in ("x", "y")}
    with pytest.raises(InputError, match="no judged document in common"):
        model_effects(apart, "model", ["ann", "bob"], runs, "P@5")
