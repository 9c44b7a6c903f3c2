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

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from itertools import combinations
from math import exp, isnan, log, nan, sqrt
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.pooling.recall.estimates import CountEstimate, MethodEstimates
from cleverdon.pooling.recall.judged_results import JudgedResults
from cleverdon.stats.intervals import normal_quantile
from cleverdon.stats.proportions import population_size_interval
from cleverdon.tables.result import as_json, fields_as_json


def _log_normal_interval(
    found: int, missing: float, variance: float, *, captures: int, confidence: float
) -> tuple[float, float]:
    """Return an interval that starts at what was found (Chao 1987, doi:10.2307/2531532).

    >>> low, high = _log_normal_interval(76, 57.78, 577.0, captures=142, confidence=0.95)
    >>> round(low, 1), round(high, 1)
    (102.4, 202.4)
    """
    reach = normal_quantile(confidence)
    if missing > 0:
        factor = exp(reach * sqrt(log(1 + variance / missing**2)))
        return found + missing / factor, found + missing * factor
    if not found:
        return 0.0, 0.0
    # As Colwell's EstimateS has it: the chance that a document is never caught, if captures fall
    # on all evenly.
    never = exp(-captures / found)
    high = (found + reach * sqrt(found * never)) / (1 - never)
    return float(found), high


@dataclass(frozen=True)
class Unseen:
    """The estimated number of documents that no system found."""

    found: int  # by any system
    missing: float
    variance: float
    captures: int  # how often documents were found, by all systems together

    def estimate(self, confidence: float) -> CountEstimate:
        found, missing, variance, captures = astuple(self)
        low, high = _log_normal_interval(
            found, missing, variance, captures=captures, confidence=confidence
        )
        return CountEstimate(found, found + missing, low, high, confidence, "log-normal")


def _chapman(first: int, second: int, both: int) -> Unseen:
    """Estimate by Lincoln and Petersen, without most of the bias (Chapman 1951; Seber 1970).

    >>> found = _chapman(10, 15, 5)
    >>> round(found.found + found.missing, 2), round(found.variance, 2)
    (28.33, 34.92)
    """
    if not 0 <= both <= min(first, second):
        raise OptionError(f"both={both}: at most as many as either found, {first} and {second}")
    found = first + second - both
    total = (first + 1) * (second + 1) / (both + 1) - 1
    spread = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance = spread / ((both + 1) ** 2 * (both + 2))
    # What rounding leaves below 0 is 0.
    return Unseen(found, max(total - found, 0.0), variance, first + second)


def chao(found: int, once: int, twice: int, *, captures: int, systems: int | None = None) -> Unseen:
    """Return Chao's lower bound, by the numbers of documents found once and twice.

    `systems` is how many lists there were (Chao2); without it, captures are without number
    (Chao1). The form without bias, which is defined where nothing was found twice. Chao 1984 and
    1987, doi:10.2307/2531532; the variances are those of Colwell's EstimateS.

    >>> barro_colorado = chao(93, 31, 18, captures=448)
    >>> round(93 + barro_colorado.missing, 4), round(barro_colorado.variance**0.5, 4)
    (117.4737, 11.5854)
    """
    share = 1.0 if systems is None else (systems - 1) / systems
    pairs = once * (once - 1)
    missing = share * pairs / (2 * (twice + 1))
    if not missing:
        return Unseen(found, 0.0, 0.0, captures)
    if twice:
        of_twice = share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    else:
        of_twice = -(share**2) * once**4 / (4 * (found + missing))
    of_once = share**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    return Unseen(found, missing, max(missing + of_once + of_twice, 0.0), captures)


def estimate_by_chao(found: JudgedResults, *, confidence: float = 0.95) -> MethodEstimates:
    """Sum Chao's estimates of each query; it takes two systems or more."""
    systems = len(found.systems)
    if systems < 2:
        raise OptionError("one system is never found again by another: capture-recapture takes two")
    relevant = found.relevant
    counted = [
        found.per_query(relevant & rows)
        for rows in (found.times > 0, found.times == 1, found.times == 2)
    ]
    captures = found.judged.starts[:-1] * 0
    np.add.at(captures, found.judged.query[relevant], found.times[relevant])
    rows = zip(*(each.tolist() for each in (*counted, captures)), strict=True)
    queries = [
        chao(any_, once, twice, captures=times, systems=systems)
        for any_, once, twice, times in rows
    ]
    estimates = (one.estimate(confidence) for one in queries)
    of_queries = dict(zip(found.judged.queries, estimates, strict=True))
    return MethodEstimates("chao", _sum_unseen(queries).estimate(confidence), of_queries)


def estimate_by_chapman(found: JudgedResults, *, confidence: float = 0.95) -> MethodEstimates:
    """Estimate by two systems or groups; the interval of one query is exact."""
    if len(found.systems) != 2:
        raise OptionError(
            f"Lincoln and Petersen's method compares two systems or two groups, and there are "
            f"{len(found.systems)}: put them in two groups"
        )
    caught = [found.caught(system) & found.relevant for system in (0, 1)]
    counts = [found.per_query(rows).tolist() for rows in (*caught, caught[0] & caught[1])]
    queries = [_chapman(*of_query) for of_query in zip(*counts, strict=True)]
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
        else _sum_unseen(queries).estimate(confidence)
    )
    return MethodEstimates("lincoln-petersen", whole, of_queries)


def _sum_unseen(queries: Iterable[Unseen]) -> Unseen:
    return Unseen(*map(sum, zip(*map(astuple, queries), strict=True)))


_FEW = 5
"""Queries, fewer than which do not show how an odds ratio varies."""
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
    low: float  # where it lies, by the jackknife over queries; NaN where queries are too few
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
                odds_ratio=_odds_ratio(halves.sum(axis=1)),
                total=float(((first + 1) * (second + 1) / (both + 1) - 1).sum()),
            )
        )
    low, high = _jackknife_interval(whole, confidence)
    finding = sum(bool(rows.any()) for rows in caught)
    return Dependence(tuple(pairs), _odds_ratio(whole.sum(axis=1)), low, high, finding)


def _odds_ratio(halves: Floats) -> float:
    """Return the ratio with a half added to both, so that few documents say little."""
    return float((halves[0] + 0.5) / (halves[1] + 0.5)) if halves.any() else nan


def _jackknife_interval(halves: Floats, confidence: float) -> tuple[float, float]:
    """Leave out each query in turn: pairs of systems share documents, queries do not."""
    told = halves[:, halves.any(axis=0)]
    queries = told.shape[1]
    if queries < _FEW:
        return nan, nan
    whole = told.sum(axis=1)
    logs = np.array([log(_odds_ratio(whole - told[:, at])) for at in range(queries)])
    error = sqrt((queries - 1) / queries * float(((logs - logs.mean()) ** 2).sum()))
    reach = normal_quantile(confidence) * error
    middle = log(_odds_ratio(whole))
    return exp(middle - reach), exp(middle + reach)
