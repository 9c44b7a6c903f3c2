"""Whether queries that do well by judgments do well with users: the correlation over queries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isnan, nan
from statistics import fmean

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.online.bridge.by_text import by_text, find_ratio
from cleverdon.online.bridge.coefficients import Drawn, kendall, pearson, spearman
from cleverdon.online.bridge.resampling import RESAMPLES, percentile_intervals
from cleverdon.online.bridge.topics import Topics
from cleverdon.online.metrics.base import Metric, Ratio
from cleverdon.online.stages import Stages
from cleverdon.scores import Scores

LEAST = 10
"""How much the online value of a query must rest on, to be looked at."""
FEW = 10
"""Of fewer queries than this, a correlation tells nothing."""

COEFFICIENTS = {"kendall": kendall, "spearman": spearman, "pearson": pearson}


@dataclass(frozen=True)
class Point:
    """One query: its value by judgments, and with users."""

    text: str
    topics: tuple[str, ...]
    """Mostly one; where several have the same text, the offline value is their mean."""
    offline: float
    online: float
    denominator: float
    """How much the online value rests on."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of correlation, with its interval over queries."""

    value: float
    """NaN where one of the two values is the same for all queries."""
    interval: Interval


@dataclass(frozen=True)
class Correlation:
    """How an offline measure of one run goes with an online metric, over queries."""

    system: str
    measure: Measure
    metric: Ratio
    points: tuple[Point, ...]
    least: int
    seldom: int
    """Queries that were left out, since their online value rests on less."""
    undefined: int
    """Queries that were left out, since the measure is undefined for them."""
    kendall: Coefficient
    spearman: Coefficient
    pearson: Coefficient

    @property
    def few(self) -> bool:
        """Whether it rests on so few queries that it tells nothing."""
        return len(self.points) < FEW

    @property
    def expected(self) -> int:
        """The sign that says that both agree: -1 where lower is better in one; 0 if neither is."""
        signs = {"higher": 1, "lower": -1, "neither": 0}
        return signs[self.measure.better] * signs[self.metric.better]


def correlated(
    scores: Scores,
    stages: Stages,
    topics: Topics,
    *,
    system: str | None = None,
    measure: str | Measure | None = None,
    metric: str | Metric = "QueryCTR",
    least: int = LEAST,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """The correlation of a measure and a metric over the judged queries with traffic.

    `system` is the run of the ranker that the log's users saw, the first one if not named; and so
    is `measure`. Only queries count whose online value rests on at least `least`: of QueryCTR so
    many queries, of ClickRank so many clicks. Intervals are of a bootstrap over queries.
    """
    if least < 1:
        raise OptionError(f"least={least}: a value rests on 1 at least")
    system = scores.systems[0] if system is None else system
    _, place = scores.index_of(system, scores.measures[0] if measure is None else measure)
    wanted = scores.measures[place]
    ratio = find_ratio(metric)
    offline = scores.per_query(system, wanted)
    points, seldom, undefined = [], 0, 0
    for found in by_text(stages, ratio, topics.judged_forms):
        values = [offline.get(topic, nan) for topic in topics.judged_forms[found.text]]
        defined = [value for value in values if not isnan(value)]
        if found.denominator < least:
            seldom += 1
        elif not defined:
            undefined += 1
        else:
            which = topics.judged_forms[found.text]
            value = fmean(defined)
            points.append(Point(found.text, which, value, found.value, found.denominator))
    coefficients = _coefficients(points, confidence, resamples, seed)
    return Correlation(
        system=system,
        measure=wanted,
        metric=ratio,
        points=tuple(points),
        least=least,
        seldom=seldom,
        undefined=undefined,
        **coefficients,
    )


def _coefficients(
    points: list[Point], confidence: float, resamples: int, seed: int
) -> dict[str, Coefficient]:
    n = len(points)
    if n < 2:
        nothing = Coefficient(nan, Interval(nan, nan, confidence, "percentile"))
        return dict.fromkeys(COEFFICIENTS, nothing)
    x = Drawn(np.array([point.offline for point in points]))
    y = Drawn(np.array([point.online for point in points]))
    of_counts = [partial(coefficient, x, y) for coefficient in COEFFICIENTS.values()]

    def statistic(counts: Floats) -> Floats:
        return np.array([coefficient(counts) for coefficient in of_counts])

    of_all = statistic(np.ones((1, n)))[:, 0].tolist()
    ends = percentile_intervals(statistic, n, confidence=confidence, resamples=resamples, seed=seed)
    return {
        name: Coefficient(value, interval)
        for name, value, interval in zip(COEFFICIENTS, of_all, ends, strict=True)
    }
