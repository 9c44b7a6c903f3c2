"""Easy and hard topics: how well systems do on each, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.samples import samples
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

_EQUAL = 1e-12
"""Values that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class TopicScore:
    """How well systems do on one topic."""

    topic: str
    mean: float  # over systems
    spread: float  # the standard deviation over systems; NaN of one system
    low: float
    high: float
    best: str | None  # the system that does best; None where several do


@dataclass(frozen=True)
class Difficulty:
    """All topics by how hard they are, the hardest first."""

    measure: Measure
    systems: tuple[str, ...]
    topics: tuple[TopicScore, ...]


def topic_difficulty(scores: Scores, measure: str | Measure | None = None) -> Difficulty:
    """Topics by their mean score over all systems; an undefined value counts as the worst.

    >>> from cleverdon import evaluate
    >>> x, y = {"q1": {"a": 1}, "q2": {"c": 2, "b": 1}}, {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> found = topic_difficulty(evaluate(qrels, {"x": x, "y": y}, "RR"))
    >>> [(topic.topic, topic.mean, topic.best) for topic in found.topics]
    [('q2', 0.75, 'y'), ('q1', 1.0, None)]
    """
    wanted = scores.measures[0] if measure is None else measure
    (sample,) = samples(scores, measures=[wanted])
    if sample.measure.better == "neither":
        raise OptionError(f"{sample.measure} does not say which topics are hard")
    sign = -1 if sample.measure.better == "lower" else 1
    found = []
    for t, topic in enumerate(sample.topics):
        values = sample.values[:, t]
        found.append(
            TopicScore(
                topic=topic,
                mean=float(values.mean()),
                spread=float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
                low=float(values.min()),
                high=float(values.max()),
                best=_best(sample.systems, sign * values),
            )
        )
    found.sort(key=lambda topic: sign * round(topic.mean, 12))
    return Difficulty(sample.measure, sample.systems, tuple(found))


def _best(systems: tuple[str, ...], merits: Floats) -> str | None:
    (best, *others) = np.flatnonzero(merits >= merits.max() - _EQUAL).tolist()
    return None if others or len(systems) == 1 else systems[best]
