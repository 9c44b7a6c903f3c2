"""Orders of systems by one judge, and by people: the model's and each person's, alike.

A majority of three errs less than one of two, and is nearer to anyone's order. So a person is held
against the other people, and the model against as many: against the people without each of them in
turn, of which the mean is taken. All are then measured by the same stick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare import Interval, Sample, samples
from cleverdon.compare.coefficients import Orders, kendall, tau_ap
from cleverdon.compare.orderings import Coefficient
from cleverdon.judge.model.sides import Sides
from cleverdon.measures.base import Measure

_DIGITS = 12
"""Averages that differ further behind are equal, and were added up in another order."""
_BLOCK = 2_000_000
"""How many pairs of systems are held at a time."""
_WAYS: dict[str, Callable[[Orders, Orders], Floats]] = {"kendall": kendall, "tau_ap": tau_ap}


@dataclass(frozen=True)
class JudgeOrder:
    """How alike the orders of systems by one judge and by panels of people are."""

    judge: str
    measure: Measure
    panels: int  # against how many panels; the coefficients are the means over them
    topics: int
    kendall: Coefficient
    tau_ap: Coefficient  # the panel's order is the truth


def judge_orders(
    by_judge: Mapping[str, Sequence[Sides]], *, confidence: float, resamples: int, seed: int
) -> tuple[JudgeOrder, ...]:
    """Every judge's by every measure; each judge beside the panels that they are held against.

    Intervals are a bootstrap's over topics.
    """
    found = []
    for judge, panels in by_judge.items():
        of_panels = [(samples(sides.others), samples(sides.judge)) for sides in panels]
        for m in range(len(of_panels[0][0])):
            pairs = [(theirs[m], own[m]) for theirs, own in of_panels]
            found.append(_order(judge, pairs, confidence, resamples, seed))
    measures = list(dict.fromkeys(one.measure for one in found))
    return tuple(sorted(found, key=lambda one: measures.index(one.measure)))


def _order(
    judge: str,
    pairs: Sequence[tuple[Sample, Sample]],
    confidence: float,
    resamples: int,
    seed: int,
) -> JudgeOrder:
    topics = sorted(set.intersection(*(set(side.topics) for pair in pairs for side in pair)))
    merits = [tuple(_on(side, topics) for side in pair) for pair in pairs]
    drawn = {name: np.full(0, np.nan) for name in _WAYS}
    whole = {name: np.full(1, np.nan) for name in _WAYS}
    if topics:
        whole = _means(merits, np.ones((1, len(topics))))
    if len(topics) > 1:
        every = np.full(len(topics), 1 / len(topics))
        times = np.random.default_rng(seed).multinomial(len(topics), every, size=resamples)
        drawn = _means(merits, times.astype(float))
    return JudgeOrder(
        judge,
        pairs[0][0].measure,
        len(pairs),
        len(topics),
        **{
            name: Coefficient(float(whole[name][0]), _interval(drawn[name], confidence))
            for name in _WAYS
        },
    )


def _on(sample: Sample, topics: Sequence[str]) -> Floats:
    place = {topic: at for at, topic in enumerate(sample.topics)}
    merits: Floats = sample.merits[:, [place[topic] for topic in topics]]
    return merits


def _means(merits: Sequence[tuple[Floats, ...]], times: Floats) -> dict[str, Floats]:
    """Each coefficient, the mean over panels, where topics are there so many `times`."""
    systems = len(merits[0][0])
    block = max(1, _BLOCK // systems**2)
    parts: dict[str, list[Floats]] = {name: [] for name in _WAYS}
    for start in range(0, len(times), block):
        some = times[start : start + block]
        orders = [
            [
                Orders(np.round(some @ side.T / some.sum(axis=1, keepdims=True), _DIGITS))
                for side in pair
            ]
            for pair in merits
        ]
        for name, way in _WAYS.items():
            parts[name].append(np.mean([way(own, theirs) for theirs, own in orders], axis=0))
    return {name: np.concatenate(values) for name, values in parts.items()}


def _interval(drawn: Floats, confidence: float) -> Interval:
    """The middle part of what was drawn; NaN where one topic tells nothing of the spread."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0:
        return Interval(np.nan, np.nan, confidence, "percentile")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, "percentile")
