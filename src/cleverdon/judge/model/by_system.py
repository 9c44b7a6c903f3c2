"""What becomes of an evaluation when a model's judgments take the place of people's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon.compare import compare
from cleverdon.compare.flips import Flips, flips
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_within
from cleverdon.judge.labels import Labels
from cleverdon.judge.model.favours import Favour, Line, favours
from cleverdon.judge.model.ordering import JudgeOrder, judge_orders
from cleverdon.judge.model.sides import Evaluator, Sides, read_runs
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


@dataclass(frozen=True, eq=False)
class Effects:
    """A model's judgments in the place of people's."""

    model: str
    items: int  # documents that both sides judged
    way: str | None  # how people's judgments were made one; None where there is one person
    scores: tuple[Scores, Scores]  # by people's judgments, made one, and by the model's
    favours: tuple[Favour, ...]
    lines: tuple[Line, ...]  # one a measure: what the model's scores are expected to be
    orders: tuple[JudgeOrder, ...]  # by measure: the model's, then each person's
    claims: Flips  # people's judgments are the first, the model's the second
    level: float
    confidence: float

    def favoured(self) -> list[Favour]:
        """Systems that gain or lose by more than chance, the largest effect first."""
        told = [one for one in self.favours if one.corrected <= self.level]
        return sorted(told, key=lambda one: -abs(one.beyond))


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
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | None = None,
    **how: Any,
) -> Effects:
    """What a model's judgments do to the scores and the order of systems, and to claims.

    `way` and `ties` say how several people's judgments become one; `baseline` to `level` are those
    of `compare`, `run_format`, `order_by` and `how` are `evaluate`'s.
    """
    check_within("level", level, 0, 1)
    check_within("confidence", confidence, 0, 1)
    check_count("resamples", resamples)
    check_seed(seed)
    given = read_runs(runs, format=run_format, order_by=order_by)
    if len(given) < 2:
        raise OptionError("whether a model favours a system is seen from two runs on; give another")
    evaluator = Evaluator(labels, given, measures, way, ties, seed, how)
    steps = _Steps(progress, 2 + len(people) * (3 if len(people) > 1 else 1))
    sides = evaluator.sides(model, people)
    if sides is None:
        raise InputError(f"{model} and {' and '.join(people)} have no judged document in common")
    steps.next()
    comparing: dict[str, Any] = {
        "baseline": baseline,
        "test": test,
        "alternative": alternative,
        "correction": correction,
        "level": level,
        "seed": seed,
    }
    claims = flips(compare(sides.others, **comparing), compare(sides.judge, **comparing))
    steps.next()
    alone = [steps.after(evaluator.sides(model, [person])) for person in people]
    told, lines = favours(
        [one for one in alone if one is not None], level=level, confidence=confidence, seed=seed
    )
    return Effects(
        model=model,
        items=sides.items,
        way=way if len(people) > 1 else None,
        scores=(sides.others, sides.judge),
        favours=told,
        lines=lines,
        orders=judge_orders(
            _panels(evaluator, model, people, sides, steps),
            confidence=confidence,
            resamples=resamples,
            seed=seed,
        ),
        claims=claims,
        level=level,
        confidence=confidence,
    )


def _panels(
    evaluator: Evaluator, model: str, people: Sequence[str], whole: Sides, steps: _Steps
) -> dict[str, list[Sides]]:
    """The model beside the people without each of them; and each person beside the others.

    Left out are people who share no document with the others.
    """
    if len(people) < 2:
        return {model: [whole]}
    found: dict[str, list[Sides]] = {model: []}
    for person in people:
        others = [other for other in people if other != person]
        beside = steps.after(evaluator.sides(model, others))
        found[model] += [] if beside is None else [beside]
        own = steps.after(evaluator.sides(person, others))
        if own is not None:
            found[person] = [own]
    return found


class _Steps:
    """Counts what is done, and tells it."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def next(self) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total)

    def after(self, sides: Sides | None) -> Sides | None:
        """The same, once it is there."""
        self.next()
        return sides
