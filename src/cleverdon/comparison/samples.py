"""Samples: one measure's values of several systems on the same queries.

All comparisons start from them. Also the intervals of their averages, and the choice of a part of
scores.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.notation import parse_all
from cleverdon.scores import Scores, average
from cleverdon.stats.intervals import Interval, intervals, t_quantile
from cleverdon.stats.repeated_runs import repeats_test
from cleverdon.stats.resampling import STATISTICS, FunctionOfMean


@dataclass(frozen=True, eq=False)
class Sample:
    """One measure's values of several systems on the same queries, none undefined or infinite."""

    measure: Measure
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Floats  # systems x queries
    undefined: int  # how many of the values were undefined, and count as the measure's worst
    repeats: Mapping[str, Floats] = field(default_factory=dict)
    """The values of each system of several runs: runs x queries; `values` has their means."""

    def of(self, system: str) -> Floats:
        """Return one system's values."""
        if system not in self.systems:
            raise OptionError(f"there is no system {system!r}{suggest(system, self.systems)}")
        return np.asarray(self.values[self.systems.index(system)])

    def runs_of(self, system: str) -> Floats:
        """Return the values of one system's runs, runs x queries; mostly there is one."""
        return np.asarray(self.repeats.get(system, self.of(system)[None]))

    def mean(self, system: str) -> float:
        """Return one system's average, as the measure defines it."""
        return average(self.measure, self.of(system))

    def without(self, query: str) -> Sample:
        """Return the same without one of the queries."""
        kept = np.array([name != query for name in self.queries])
        return replace(
            self,
            queries=tuple(name for name in self.queries if name != query),
            values=self.values[:, kept],
            repeats={name: runs[:, kept] for name, runs in self.repeats.items()},
        )

    @property
    def count(self) -> int:
        """The number of queries."""
        return len(self.queries)

    @property
    def summable(self) -> Floats:
        """Systems x queries: what the average adds up, which is logarithms if it is geometric."""
        statistic = STATISTICS[self.measure.average]
        if not isinstance(statistic, FunctionOfMean):
            return self.values
        return statistic.before(self.values)

    @property
    def merits(self) -> Floats:
        """Values whose mean orders systems as the measure's average does, the higher the better."""
        return -self.summable if self.measure.better == "lower" else self.summable

    def merits_on(self, queries: Sequence[str]) -> Floats:
        """Return the merits on some of the queries, in this order."""
        place = {query: at for at, query in enumerate(self.queries)}
        return np.asarray(self.merits[:, [place[query] for query in queries]])


def check_single_runs(scores: Scores, systems: Iterable[str], *, what: str, instead: str) -> None:
    """Refuse systems of several runs: a test over queries alone takes their luck for merit."""
    for name in systems:
        if name in scores.repeats:
            raise OptionError(
                f"{what} does not know of several runs of a system, as {name!r} has: {instead}"
            )


def samples(
    scores: Scores,
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
) -> list[Sample]:
    """Return a sample for each measure, all of them on one set of queries.

    Queries on which not every system was evaluated are left out. An undefined value counts as the
    measure's worst; with undefined="skip", its query is left out for all systems and measures. A
    measure that is undefined where it has no worst value, or for every query of a system, is
    refused.
    """
    if not isinstance(scores, Scores):
        raise OptionError(
            f"{type(scores).__name__!r} is not a Scores: evaluate(qrels, runs) returns one"
        )
    named = scores.systems if systems is None else tuple(systems)
    if len(set(named)) < len(named):
        raise OptionError(f"a system is named twice: {', '.join(named)}")
    for name in named:
        if name not in scores.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    rows = [scores.systems.index(name) for name in named]
    wanted = scores.measures if measures is None else parse_all(measures)
    for measure in wanted:
        if measure not in scores.measures:
            names = [str(known) for known in scores.measures]
            raise OptionError(f"{measure} was not evaluated{suggest(str(measure), names)}")
        if measure.text:
            raise OptionError(f"{measure} gives texts, which cannot be compared")
    columns = [scores.measures.index(measure) for measure in wanted]
    values = scores.values[np.ix_(rows, columns)]
    shared: Bools = np.asarray(scores.evaluated[rows].all(axis=0))
    for measure in wanted:
        scores.check_known(measure, systems=named, on=shared)
    if scores.about.settings.undefined == "skip":
        shared &= ~np.isnan(values).any(axis=(0, 1))
    if not shared.any():
        raise OptionError(f"{' and '.join(named)} have no query in common to be compared on")
    queries = tuple(np.array(scores.queries, dtype=object)[shared])
    values = values[:, :, shared]
    undefined = np.isnan(values)
    for m, measure in enumerate(wanted):
        worst = worst_value(measure) if undefined[:, m].any() else 0.0
        if not np.isfinite(worst) or np.isinf(values[:, m]).any():
            raise OptionError(
                f"{measure} is undefined for a query, and has no worst value that could stand for "
                "it; --undefined skip (undefined='skip') leaves such queries out"
            )
    found = []
    for m, measure in enumerate(wanted):
        filled = np.where(undefined[:, m], worst_value(measure), values[:, m])
        runs = {}
        for row, name in enumerate(named):
            if name in scores.repeats:
                # Undefined in one run is undefined in the mean: so it is in all of them.
                of = scores.repeats[name][:, columns[m]][:, shared]
                runs[name] = np.where(undefined[row, m], worst_value(measure), of)
        found.append(Sample(measure, named, queries, filled, int(undefined[:, m].sum()), runs))
    return found


def part_of(
    scores: Scores,
    *,
    systems: Collection[str] | None = None,
    measures: Collection[Measure] | None = None,
    queries: Collection[str] | None = None,
) -> Scores:
    """Return the scores of these systems and measures, in this order, on these queries.

    Queries on which none of the systems was evaluated, texts, bounds and kept results are left out.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 0.5}}, "AP RR")
    >>> part_of(scores, queries=["q1"]).to_dict()
    {'run': {'AP': 1.0, 'RR': 1.0}}
    """
    named = scores.systems if systems is None else tuple(systems)
    wanted = scores.measures if measures is None else tuple(measures)
    rows = [scores.index_of(system, scores.measures[0])[0] for system in named]
    columns = [scores.index_of(scores.systems[0], measure)[1] for measure in wanted]
    kept = scores.evaluated[rows].any(axis=0)
    if queries is not None:
        chosen = frozenset(queries)
        kept = kept & np.array([query in chosen for query in scores.queries], dtype=bool)
    at = np.flatnonzero(kept)
    return replace(
        scores,
        systems=named,
        measures=wanted,
        queries=[scores.queries[q] for q in at],
        values=scores.values[rows][:, columns][:, :, at],
        evaluated=scores.evaluated[rows][:, at],
        about=scores.about.replace(runs={name: scores.about.runs[name] for name in named}),
        top={},
        rankings=None,
        texts={},
        parts={m: found[rows][:, :, at] for m, found in scores.parts.items() if m in wanted},
        bounds={},
        repeats={
            name: found[:, columns][:, :, at]
            for name, found in scores.repeats.items()
            if name in named
        },
    )


def average_intervals(
    scores: Scores,
    *,
    average: str = "mean",
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    method: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[tuple[str, Measure], Interval]:
    """Return the interval of every system's average, on the queries that all systems have.

    Args:
        scores: What `evaluate` returned.
        average: "mean" (each measure's own average: of counts the sum, of GMAP the geometric mean),
            "geometric" or "median".
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        method: One of `cleverdon.stats.intervals.METHODS`; by default Student's t for means and BCa
            for all else.
        confidence: The confidence of the intervals.
        seed: The seed of the bootstrap.

    Returns:
        Intervals by system and measure.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> average_intervals(scores, method="percentile")["run", scores.measures[0]].high
    1.0
    """
    check_word("average", average, ("mean", "geometric", "median"))
    found: dict[tuple[str, Measure], Interval] = {}
    for sample in samples(scores, measures=measures, systems=systems):
        of = intervals(
            sample.values,
            method=method,
            confidence=confidence,
            statistic=sample.measure.average if average == "mean" else average,
            seed=seed,
        )
        lowest, highest = sample.measure.range if sample.measure.average != "sum" else (-inf, inf)
        for name, one in zip(sample.systems, of, strict=True):
            # No average lies beyond what the measure can be.
            if name in sample.repeats:
                one = _interval_over_runs(sample, name, average, method, confidence)
            low, high = (min(max(end, lowest), highest) for end in (one.low, one.high))
            found[name, sample.measure] = replace(one, low=low, high=high)
    return found


def _interval_over_runs(
    sample: Sample, system: str, average: str, method: str | None, confidence: float
) -> Interval:
    """Return the interval of an average over other queries and other runs of the system."""
    own = sample.measure.average if average == "mean" else average
    if method not in (None, "t") or own not in ("mean", "sum"):
        raise OptionError(
            f"{system!r} has several runs: there are intervals of means by method 't' only"
        )
    found = repeats_test(sample.runs_of(system), np.zeros((1, sample.count)))
    reach = t_quantile(confidence, found.freedom) * found.error
    times = sample.count if own == "sum" else 1
    ends = [(found.difference + side * reach) * times for side in (-1, 1)]
    return Interval(ends[0], ends[1], confidence)
