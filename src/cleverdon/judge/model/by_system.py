"""What becomes of an evaluation when a model's judgments take the place of people's.

Both sides judge the same documents, those that the model and at least one person judged: so only
grades differ, and not what was judged. Several people are one by `aggregate`. As a yardstick, each
person is held against the others in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare import (
    Agreement,
    Claim,
    Interval,
    PValue,
    Sample,
    agreements,
    claims,
    compare,
    corrected,
    intervals,
    samples,
)
from cleverdon.compare.tests import p_values
from cleverdon.data import Run
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import evaluate, named_runs
from cleverdon.judge.aggregation import aggregate
from cleverdon.judge.labels import Labels, made_judgments
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

Change = Literal["kept", "lost", "new", "reversed", "open"]
"""A claim by people's judgments and by the model's: shown by both alike, by people only, by the
model only, by both the other way round, by neither."""


@dataclass(frozen=True)
class Favour:
    """What a model's judgments do to one system's score."""

    system: str
    measure: Measure
    people: float  # the score by people's judgments
    model: float
    beyond: float  # the change in the system's favour, beyond the mean change of the others
    interval: Interval
    p: PValue
    corrected: float  # for all systems and measures

    @property
    def change(self) -> float:
        return self.model - self.people


@dataclass(frozen=True)
class ClaimChange:
    """What may be said of two systems, by people's judgments and by a model's."""

    people: Claim
    model: Claim
    kind: Change


@dataclass(frozen=True)
class Yardstick:
    """How alike the orders of systems are by one person's judgments and by the others'."""

    person: str
    items: int
    orders: tuple[Agreement, ...]  # one a measure


@dataclass(frozen=True, eq=False)
class Effects:
    """A model's judgments in the place of people's."""

    model: str
    items: int  # documents that both sides judged
    way: str | None  # how people's judgments were made one; None where there is one person
    scores: tuple[Scores, Scores]  # by people's judgments, and by the model's
    favours: tuple[Favour, ...]
    orders: tuple[Agreement, ...]  # of systems: one a measure, people's is the truth
    yardsticks: tuple[Yardstick, ...]
    claims: tuple[ClaimChange, ...]
    level: float

    def favoured(self) -> list[Favour]:
        """Systems that gain or lose by more than chance, the largest effect first."""
        told = [one for one in self.favours if one.corrected <= self.level]
        return sorted(told, key=lambda one: -abs(one.beyond))

    def changed(self) -> list[ClaimChange]:
        """Claims that people's judgments and the model's do not share; reversed ones first."""
        order = ("reversed", "lost", "new")
        told = [one for one in self.claims if one.kind in order]
        return sorted(told, key=lambda one: order.index(one.kind))


Progress = Callable[[int, int], object]


def effects(
    labels: Labels,
    model: str,
    people: Sequence[str],
    runs: Any,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    way: str = "majority",
    ties: str = "lower",
    baseline: str | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    level: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
    **how: Any,
) -> Effects:
    """What a model's judgments do to the scores and the order of systems, and to claims.

    `way` and `ties` say how several people's judgments become one; `baseline` to `seed` are those
    of `compare`, and `how` are `evaluate`'s other keywords.
    """
    given = {}
    for name, run in named_runs(runs):
        read = Run.read(run, format=how.get("run_format"))
        given[name or read.name] = read
    if len(given) < 2:
        raise OptionError("whether a model favours a system is seen from two runs on; give another")
    asked = _Asked(labels, given, measures, way, ties, resamples, seed, how)
    steps = 2 + (len(people) if len(people) > 2 else 0)
    tell = progress or (lambda done, total: None)
    tell(0, steps)
    items, first, second = asked.sides(model, people)
    comparing = {
        "baseline": baseline,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "level": level,
        "seed": seed,
    }
    tell(1, steps)
    changed = _claims(first, second, comparing)
    yardsticks = []
    for at, person in enumerate(people if len(people) > 1 else ()):
        tell(2 + at, steps)
        others = [other for other in people if other != person]
        if (found := _yardstick(asked, person, others)) is not None:
            yardsticks.append(found)
    return Effects(
        model=model,
        items=items,
        way=way if len(people) > 1 else None,
        scores=(first, second),
        favours=_favours(first, second, seed=seed),
        orders=asked.orders(first, second),
        yardsticks=tuple(yardsticks),
        claims=changed,
        level=level,
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is evaluated, and how: the same for the model and for each person."""

    labels: Labels
    runs: dict[str, Run]
    measures: Any
    way: str
    ties: str
    resamples: int
    seed: int
    how: dict[str, Any]

    def sides(self, judge: str, others: Sequence[str]) -> tuple[int, Scores, Scores]:
        """How many documents both judged; the scores by the others' judgments, and the judge's."""
        labels, column = self.labels, self.labels.column(judge)
        theirs = aggregate(labels.only(others), self.way, ties=self.ties, seed=self.seed)
        both = labels.judged[theirs.items, column]
        items = theirs.items[both]
        if len(items) == 0:
            raise InputError(
                f"{judge} and {' and '.join(others)} have no judged document in common"
            )
        sides = [
            made_judgments(labels, items, grades, name=name)
            for name, grades in (
                ("people" if len(others) > 1 else others[0], theirs.grades[both]),
                (judge, labels.grade[items, column]),
            )
        ]
        first, second = (evaluate(side, self.runs, self.measures, **self.how) for side in sides)
        return len(items), first, second

    def orders(self, first: Scores, second: Scores) -> tuple[Agreement, ...]:
        found = agreements(
            first, other=second, symmetric=False, resamples=self.resamples, seed=self.seed
        )
        return tuple(found)


def _yardstick(asked: _Asked, person: str, others: Sequence[str]) -> Yardstick | None:
    """None where the others judged nothing that the person did."""
    labels = asked.labels
    theirs = labels.judged[:, [labels.column(other) for other in others]].any(axis=1)
    if not (theirs & labels.judged[:, labels.column(person)]).any():
        return None
    items, first, second = asked.sides(person, others)
    return Yardstick(person, items, asked.orders(first, second))


def _favours(first: Scores, second: Scores, *, seed: int) -> tuple[Favour, ...]:
    rows: list[Floats] = []
    told = []
    for people, model in zip(samples(first), samples(second), strict=True):
        # Without a topic on which one side has no value, where such are left out.
        shared = [topic for topic in people.topics if topic in set(model.topics)]
        change = _on(model, shared) - _on(people, shared)
        others = (change.sum(axis=0) - change) / (len(change) - 1)
        for at, system in enumerate(people.systems):
            rows.append(change[at] - others[at])  # all samples are on the same topics
            told.append((system, people.measure, people.mean(system), model.mean(system)))
    table = np.array(rows)
    p = p_values("randomisation", table, seed=seed)
    adjusted = corrected("holm", [one.p for one in p])
    ends = intervals(table, seed=seed)
    return tuple(
        Favour(system, measure, by_people, by_model, float(row.mean()), interval, one, q)
        for (system, measure, by_people, by_model), row, interval, one, q in zip(
            told, table, ends, p, adjusted, strict=True
        )
    )


def _on(sample: Sample, topics: Sequence[str]) -> Floats:
    place = {topic: at for at, topic in enumerate(sample.topics)}
    merits: Floats = sample.merits[:, [place[topic] for topic in topics]]
    return merits


def _claims(first: Scores, second: Scores, comparing: dict[str, Any]) -> tuple[ClaimChange, ...]:
    by_people, by_model = (claims(compare(scores, **comparing)) for scores in (first, second))
    return tuple(
        ClaimChange(people, model, _change(people.verdict, model.verdict))
        for people, model in zip(by_people, by_model, strict=True)
    )


def _change(people: str, model: str) -> Change:
    if people == model:
        return "open" if people == "not shown" else "kept"
    if model == "not shown":
        return "lost"
    return "new" if people == "not shown" else "reversed"
