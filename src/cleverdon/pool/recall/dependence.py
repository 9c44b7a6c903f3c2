"""How far systems are from independent, which capture-recapture takes them to be.

Whether two systems tend to find the same relevant documents cannot be seen from these two alone: of
documents that neither found nothing is known. But it can be seen among the relevant documents that
some other system found. Each of these was found by both, by one, or by neither; if finding it by
one had nothing to do with the other, the odds ratio of that table would be 1. Tables are made topic
by topic and put together by Mantel and Haenszel's method, so that topics with many relevant
documents do not look like dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import exp, isnan, log, nan, sqrt
from statistics import NormalDist

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.pool.recall.catches import Catches

_FEW = 5
"""Topics, fewer than which do not show how an odds ratio varies."""
_FAR = 1.5


@dataclass(frozen=True)
class Overlap:
    """Two systems' overlap among the relevant documents that others found."""

    first: str
    second: str
    both: int  # of all relevant documents, which both found
    base: int  # relevant documents that some other system found
    observed: int  # of these, which both found
    expected: float  # and how many that would be, were the two independent
    odds_ratio: float  # 1: independent; NaN where no table tells
    total: float  # R by these two alone (Chapman), summed over topics

    @property
    def excess(self) -> float:
        """By which share the overlap is larger than expected: the coefficient of dependence."""
        return self.observed / self.expected - 1 if self.expected else nan


@dataclass(frozen=True)
class Dependence:
    """Of all pairs of systems."""

    pairs: tuple[Overlap, ...]
    odds_ratio: float  # of all pairs' tables together; NaN where it cannot be known
    low: float  # where it lies, by the jackknife over topics; NaN where topics are too few
    high: float
    finding: int = 0  # systems that found a relevant document

    @property
    def direction(self) -> str:
        """positive, negative, none (that can be told from chance), or unknown.

        Where there are too few topics for an interval, half as much again is called more.
        """
        if isnan(self.odds_ratio):
            return "unknown"
        least, most = self.low, self.high
        if isnan(least):
            least, most = self.odds_ratio / _FAR, self.odds_ratio * _FAR
        return "positive" if least > 1 else "negative" if most < 1 else "none"


def dependence(found: Catches, *, confidence: float = 0.95) -> Dependence:
    """The overlap of each pair of systems, and how much of it is more than chance.

    >>> from cleverdon.data import Judgments
    >>> from cleverdon.pool.recall.catches import find, ranked_runs
    >>> qrels = Judgments.read({"q": {"a": 1, "b": 1, "c": 1, "d": 1}})
    >>> ab = {"q": {"a": 2.0, "b": 1.0}}
    >>> runs = {"x": ab, "y": ab, "z": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    >>> seen = dependence(find(qrels, ranked_runs(qrels, runs)))
    >>> pair = seen.pairs[0]
    >>> pair.observed, pair.expected, round(pair.odds_ratio), seen.direction
    (2, 1.0, 3, 'positive')
    """
    relevant = np.flatnonzero(found.relevant & (found.times > 0))
    topic, topics = found.judged.query[relevant], len(found.judged.queries)
    times = found.times[relevant]
    caught = [found.caught(system)[relevant] for system in range(len(found.systems))]
    pairs: list[Overlap] = []
    whole = np.zeros((2, topics))
    for i, j in combinations(range(len(found.systems)), 2):
        either = caught[i].astype(int) + caught[j]
        elsewhere = times > either
        cells = np.array(
            [
                np.bincount(topic[elsewhere & rows], minlength=topics)
                for rows in (
                    caught[i] & caught[j],
                    caught[i] & ~caught[j],
                    ~caught[i] & caught[j],
                    ~caught[i] & ~caught[j],
                )
            ],
            dtype=float,
        )
        first, second, both = (
            np.bincount(topic[rows], minlength=topics)
            for rows in (caught[i], caught[j], caught[i] & caught[j])
        )
        base = cells.sum(axis=0)
        expected = (cells[0] + cells[1]) * (cells[0] + cells[2]) / np.maximum(base, 1)
        halves = _halves(cells)
        whole += halves
        pairs.append(
            Overlap(
                found.systems[i],
                found.systems[j],
                both=int(both.sum()),
                base=int(base.sum()),
                observed=int(cells[0].sum()),
                expected=float(expected.sum()),
                odds_ratio=_ratio(halves.sum(axis=1)),
                total=float(((first + 1) * (second + 1) / (both + 1) - 1).sum()),
            )
        )
    low, high = _interval(whole, confidence)
    finding = sum(bool(rows.any()) for rows in caught)
    return Dependence(tuple(pairs), _ratio(whole.sum(axis=1)), low, high, finding)


def _halves(cells: Floats) -> Floats:
    """What Mantel and Haenszel sum above and below the line, of each topic's table."""
    a, b, c, d = cells
    of = np.maximum(cells.sum(axis=0), 1)
    return np.array([a * d / of, b * c / of])


def _ratio(halves: Floats) -> float:
    """Of sums, with a half added to each: few documents are to say little, and never infinity."""
    return float((halves[0] + 0.5) / (halves[1] + 0.5)) if halves.any() else nan


def _interval(halves: Floats, confidence: float) -> tuple[float, float]:
    """By leaving out one topic after the other: pairs of systems share documents, topics do not."""
    told = halves[:, halves.any(axis=0)]
    topics = told.shape[1]
    if topics < _FEW:
        return nan, nan
    whole = told.sum(axis=1)
    logs = np.array([log(_ratio(whole - told[:, at])) for at in range(topics)])
    error = sqrt((topics - 1) / topics * float(((logs - logs.mean()) ** 2).sum()))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    middle = log(_ratio(whole))
    return exp(middle - reach), exp(middle + reach)
