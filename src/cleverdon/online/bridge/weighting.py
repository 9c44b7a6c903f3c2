"""Offline measures weighted by traffic: what they are for the queries that users ask.

A mean over topics counts every topic alike. Weighted by traffic, a topic counts as often as it was
asked, so that the mean is that of the queries, as far as topics cover them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval
from cleverdon.compare.samples import Sample, samples
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.online.bridge.resampling import RESAMPLES, percentile_intervals
from cleverdon.scores import Scores

FEW = 10
"""Where weights leave fewer topics than this, in effect, their mean is that of a few queries."""


@dataclass(frozen=True)
class WeightedMean:
    """One run's mean by one measure: of topics, and of the queries that were asked."""

    system: str
    measure: Measure
    mean: float
    """Every topic counting alike."""
    weighted: float
    interval: Interval
    """Of the weighted mean."""
    difference: float
    """The weighted mean less the other."""
    difference_interval: Interval


@dataclass(frozen=True)
class WeightedDifference:
    """How far a run is from the first one: by topics, and by the queries that were asked."""

    system: str
    against: str
    measure: Measure
    difference: float
    weighted: float
    interval: Interval
    """Of the weighted difference."""

    @property
    def turned(self) -> bool:
        """Whether one of the two is better by topics, and the other by traffic."""
        return self.difference * self.weighted < 0


@dataclass(frozen=True)
class Weighting:
    """The means of runs by traffic, and how few topics they rest on."""

    means: tuple[WeightedMean, ...]
    differences: tuple[WeightedDifference, ...]
    """Of each run from the first."""
    topics: int
    with_traffic: int
    effective: float
    """How many topics of equal weight would vary as much: the sum of weights, squared, over the
    sum of their squares. Kish 1965, Survey Sampling."""
    largest: str
    """The topic with most traffic, and its share of the weight."""
    largest_share: float

    @property
    def few(self) -> bool:
        """Whether so few topics have most of the weight that the mean says little of others."""
        return self.effective < FEW


def weighted(
    scores: Scores,
    weights: Mapping[str, float],
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Weighting:
    """Every run's mean by every measure, each topic counting as `weights` say.

    Topics without a weight count nothing. Undefined values count as in other means. Intervals are
    of a bootstrap that draws topics with their weights, the same for all runs and measures.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1}, "2": {"x": 1}}, "P@1")
    >>> (found,) = weighted(scores, {"1": 30, "2": 10}).means
    >>> found.mean, found.weighted, found.difference
    (0.5, 0.75, 0.25)
    """
    of_measures = samples(scores, measures=measures)
    for sample in of_measures:
        if sample.measure.average != "mean":
            raise OptionError(
                f"{sample.measure} is no mean over topics, and cannot be weighted by traffic; "
                "nDCG@10, AP, P@10 and most others can"
            )
    topics = of_measures[0].topics
    weight = np.array([weights.get(topic, 0.0) for topic in topics], dtype=float)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise OptionError("a weight is negative or no number: how often topics are asked is needed")
    if not weight.any():
        raise InputError(
            f"none of the {len(topics)} topics that were evaluated, such as {topics[0]!r}, has "
            "traffic: nobody asked these queries"
        )
    means: list[WeightedMean] = []
    differences: list[WeightedDifference] = []
    for sample in of_measures:
        found = _of_measure(sample, weight, confidence, resamples, seed)
        means += found[0]
        differences += found[1]
    top = int(np.argmax(weight))
    return Weighting(
        means=tuple(means),
        differences=tuple(differences),
        topics=len(topics),
        with_traffic=int(np.count_nonzero(weight)),
        effective=float(weight.sum() ** 2 / (weight @ weight)),
        largest=topics[top],
        largest_share=float(weight[top] / weight.sum()),
    )


def _of_measure(
    sample: Sample, weight: Floats, confidence: float, resamples: int, seed: int
) -> tuple[list[WeightedMean], list[WeightedDifference]]:
    values = sample.values
    n = len(weight)

    def statistic(counts: Floats) -> Floats:
        """Weighted means of all systems; these less plain means; these less the first system's."""
        total = counts @ weight
        by_traffic = values @ (counts * weight).T / np.where(total > 0, total, np.nan)
        return np.concatenate(
            [by_traffic, by_traffic - values @ counts.T / n, by_traffic[1:] - by_traffic[0]]
        )

    of_all = statistic(np.ones((1, n)))[:, 0]
    ends = percentile_intervals(statistic, n, confidence=confidence, resamples=resamples, seed=seed)
    size = len(sample.systems)
    plain = [sample.mean(system) for system in sample.systems]
    means = [
        WeightedMean(
            system=system,
            measure=sample.measure,
            mean=plain[s],
            weighted=float(of_all[s]),
            interval=ends[s],
            difference=float(of_all[s]) - plain[s],
            difference_interval=ends[size + s],
        )
        for s, system in enumerate(sample.systems)
    ]
    differences = [
        WeightedDifference(
            system=sample.systems[s],
            against=sample.systems[0],
            measure=sample.measure,
            difference=plain[s] - plain[0],
            weighted=float(of_all[2 * size + s - 1]),
            interval=ends[2 * size + s - 1],
        )
        for s in range(1, size)
    ]
    return means, differences
