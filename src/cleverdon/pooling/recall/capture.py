"""Capture-recapture: estimates from how often systems found the same relevant documents.

Systems are taken for independent looks at the same collection, as nets in a lake. If two find much
of the same, little is left to be found. Both methods err in a known direction: documents that are
easy to find are found by all, then the overlap is large, and the estimate is too low. Of several
queries, estimates are made of each and summed, and so are their variances: counts of all queries
together would mix queries with many and with few relevant documents, which lowers the estimate once
more.

Whether two systems tend to find the same relevant documents cannot be seen from these two alone,
but among the relevant documents that some other system found. Each of these was found by both, by
one, or by neither; if systems were independent, the odds ratio of that table would be 1. Tables are
made query by query and combined by Mantel and Haenszel's method, so that queries with many relevant
documents do not look like dependence.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon.errors import OptionError
from cleverdon.pooling.recall.estimates import CountEstimate, MethodEstimates
from cleverdon.pooling.recall.judged_results import JudgedResults
from cleverdon.stats.capture_recapture import (
    Unseen,
    chao,
    chapman,
    odds_ratio,
    odds_ratio_interval,
)
from cleverdon.stats.proportions import population_size_interval
from cleverdon.tables.result import as_json, fields_as_json


def estimate_by_chao(found: JudgedResults, *, confidence: float = 0.95) -> MethodEstimates:
    """Sum Chao's lower bounds of each query; it takes two systems or more."""
    systems = len(found.systems)
    if systems < 2:
        raise OptionError("capture-recapture needs two systems or more")
    relevant = found.relevant
    counted = [
        found.per_query(relevant & rows)
        for rows in (found.times > 0, found.times == 1, found.times == 2)
    ]
    captures = found.judged.starts[:-1] * 0
    np.add.at(captures, found.judged.query[relevant], found.times[relevant])
    rows = zip(*(each.tolist() for each in (*counted, captures)), strict=True)
    queries = [
        chao(any_, once, twice, captures=times, lists=systems) for any_, once, twice, times in rows
    ]
    whole, *each = (
        _count_estimate(one, confidence, "lower bound") for one in (Unseen.sum(queries), *queries)
    )
    return MethodEstimates("chao", whole, dict(zip(found.judged.queries, each, strict=True)))


def _count_estimate(one: Unseen, confidence: float, kind: str = "log-normal") -> CountEstimate:
    total = one.found + one.missing
    return CountEstimate(one.found, total, *one.interval(confidence), confidence, kind)


def estimate_by_chapman(found: JudgedResults, *, confidence: float = 0.95) -> MethodEstimates:
    """Estimate by two systems or groups; the interval of one query is exact."""
    if len(found.systems) != 2:
        raise OptionError(
            f"Lincoln and Petersen's method compares two systems or two groups, and there are "
            f"{len(found.systems)}: put them in two groups"
        )
    caught = [found.caught(system) & found.relevant for system in (0, 1)]
    counts = [found.per_query(rows).tolist() for rows in (*caught, caught[0] & caught[1])]
    queries = [chapman(*of_query) for of_query in zip(*counts, strict=True)]
    of_queries = {}
    rows = zip(found.judged.queries, queries, *counts, strict=True)
    for query, one, first, second, both in rows:
        low, high = population_size_interval(first, second, both, confidence=confidence)
        value = one.found + one.missing
        of_queries[query] = CountEstimate(
            one.found, value, min(low, value), max(high, value), confidence
        )
    whole = (
        next(iter(of_queries.values()))
        if len(of_queries) == 1
        else _count_estimate(Unseen.sum(queries), confidence)
    )
    return MethodEstimates("lincoln-petersen", whole, of_queries)


_FAR = 1.5
"""The factor by which an odds ratio without an interval is called different from 1."""


@dataclass(frozen=True)
class SystemOverlap:
    """The overlap of two systems among the relevant documents that others found."""

    first: str
    second: str
    both: int  # of all relevant documents, which both found
    base: int  # relevant documents that some other system found
    observed: int  # of these, which both found
    expected: float  # and how many that would be, were the two independent
    odds_ratio: float  # 1: independent; NaN where no table tells
    total: float  # R by these two alone (Chapman), summed over queries

    @property
    def excess(self) -> float:
        """The share by which the overlap is larger than expected."""
        return self.observed / self.expected - 1 if self.expected else nan

    def to_dict(self) -> dict[str, Any]:
        return fields_as_json(self) | {"excess": as_json(self.excess)}


@dataclass(frozen=True)
class Dependence:
    """The overlap of all pairs of systems."""

    pairs: tuple[SystemOverlap, ...]
    odds_ratio: float  # of all pairs' tables together; NaN where it cannot be known
    low: float  # by the jackknife over queries, since pairs of systems share documents; or NaN
    high: float
    finding: int = 0  # systems that found a relevant document

    @property
    def direction(self) -> str:
        """positive, negative, none (that can be told from chance), or unknown."""
        if isnan(self.odds_ratio):
            return "unknown"
        least, most = self.low, self.high
        if isnan(least):
            least, most = self.odds_ratio / _FAR, self.odds_ratio * _FAR
        return "positive" if least > 1 else "negative" if most < 1 else "none"

    def to_dict(self) -> dict[str, Any]:
        return {
            "odds_ratio": as_json(self.odds_ratio),
            "interval": as_json((self.low, self.high)),
            "direction": self.direction,
            "pairs": as_json(self.pairs),
        }


def dependence(found: JudgedResults, *, confidence: float = 0.95) -> Dependence:
    """Measure the overlap of each pair of systems, and how much of it is more than chance.

    >>> from cleverdon.data import Judgments
    >>> from cleverdon.pooling.recall.judged_results import find_judged_results as find, ranked_runs
    >>> qrels = Judgments.read({"q": {"a": 1, "b": 1, "c": 1, "d": 1}})
    >>> ab = {"q": {"a": 2.0, "b": 1.0}}
    >>> runs = {"x": ab, "y": ab, "z": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}}
    >>> seen = dependence(find(qrels, ranked_runs(qrels, runs)))
    >>> pair = seen.pairs[0]
    >>> pair.observed, pair.expected, round(pair.odds_ratio), seen.direction
    (2, 1.0, 3, 'positive')
    """
    relevant = np.flatnonzero(found.relevant & (found.times > 0))
    query, queries = found.judged.query[relevant], len(found.judged.queries)
    times = found.times[relevant]
    caught = [found.caught(system)[relevant] for system in range(len(found.systems))]
    pairs: list[SystemOverlap] = []
    whole = np.zeros((2, queries))
    for i, j in combinations(range(len(found.systems)), 2):
        either = caught[i].astype(int) + caught[j]
        elsewhere = times > either
        cells = np.array(
            [
                np.bincount(query[elsewhere & rows], minlength=queries)
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
            np.bincount(query[rows], minlength=queries)
            for rows in (caught[i], caught[j], caught[i] & caught[j])
        )
        base = cells.sum(axis=0)
        expected = (cells[0] + cells[1]) * (cells[0] + cells[2]) / np.maximum(base, 1)
        a, b, c, d = cells
        halves = np.array([a * d, b * c]) / np.maximum(base, 1)  # Mantel and Haenszel's sums
        whole += halves
        pairs.append(
            SystemOverlap(
                found.systems[i],
                found.systems[j],
                both=int(both.sum()),
                base=int(base.sum()),
                observed=int(cells[0].sum()),
                expected=float(expected.sum()),
                odds_ratio=odds_ratio(halves.sum(axis=1)),
                total=float(((first + 1) * (second + 1) / (both + 1) - 1).sum()),
            )
        )
    low, high = odds_ratio_interval(whole, confidence)
    finding = sum(bool(rows.any()) for rows in caught)
    return Dependence(tuple(pairs), odds_ratio(whole.sum(axis=1)), low, high, finding)
