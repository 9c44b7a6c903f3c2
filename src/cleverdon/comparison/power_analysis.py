"""Power of a comparison: would these queries show a difference, and how many would?

The power of a comparison is how likely it is to find a difference of a given size. For the one
that was seen it says nothing new: it is the p-value in other words (Hoenig & Heisey 2001,
doi:10.1198/000313001300339897). Ask about the difference that matters to you. Differences are
means over queries; for a geometric mean, means of logarithms.

`design` is Sakai's topic-set-size design: say which difference must not be missed, or how wide an
interval may be, take the variance of scores from an earlier collection, and read off the number
of queries (doi:10.1007/s10791-015-9273-z).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isinf, isnan, sqrt
from typing import Any

import numpy as np

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.samples import Sample
from cleverdon.errors import OptionError, check_within, check_word
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.power import (
    POWER_METHODS,
    RESAMPLED_TESTS,
    TARGET_POWER,
    in_asked_direction,
    power_of_test,
    sample_size_for_anova,
    sample_size_for_interval,
    sample_size_for_t_test,
    sample_size_needed,
    smallest_difference,
)
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_METHOD_TEXTS = {
    "resampling": "the comparison's own test, on queries drawn with replacement",
    "t": "the formula of the paired t-test",
}


@dataclass(frozen=True)
class Design:
    """The number of queries that a measure needs, by three methods."""

    measure: Measure
    variance: float  # of one system's scores over queries
    by_t: float  # the paired t-test
    by_anova: float  # one-way analysis of variance
    by_interval: float  # the interval of a difference


class Designs(RecordList[Design]):
    """The numbers of queries that several measures need."""

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each measure."""
        rows = [
            [
                *(str(one.measure), format_decimal(one.variance, exact=exact)),
                *(
                    _plain(size) if exact else _queries(size)
                    for size in (one.by_t, one.by_anova, one.by_interval)
                ),
            ]
            for one in self
        ]
        header = ["measure", "variance", "t test", "analysis of variance", "interval"]
        return [Section("designs", TextTable(header, rows, 1, []), titled=False)]


def design_query_set(
    samples: list[Sample],
    *,
    difference: float,
    width: float | None = None,
    systems: int = 2,
    level: float = 0.05,
    power: float = 0.8,
) -> Designs:
    """Compute how many queries each measure needs, given the runs of an earlier collection.

    The variance of a difference is taken to be twice that of a score, as Sakai does: as if two
    systems' scores went up and down independently. Where they are known to go together,
    `sample_size_for_t_test` with the deviation of the differences asks for fewer.

    Args:
        samples: The values of an earlier collection, as `Comparison.samples` has them.
        difference: The difference that must not be missed, between two systems and between the best
            and the worst of several.
        width: The largest width of the interval of a difference; by default twice the difference.
        systems: The number of systems.
        level: The level of significance.
        power: The power to reach.

    Returns:
        A design for each measure.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}}
    >>> found = compare(evaluate(qrels, runs, "RR"))
    >>> design_query_set(list(found.samples), difference=0.2)[0].by_t
    68
    """
    if not isfinite(difference):
        raise OptionError(f"difference={difference}: expected a finite number")
    if any(sample.values.shape[1] < 2 for sample in samples):
        raise OptionError("there is only one query, and no variance to design with")
    found = []
    for sample in samples:
        variance = _score_variance(sample)
        spread = sqrt(2 * variance)
        found.append(
            Design(
                sample.measure,
                variance,
                sample_size_for_t_test(difference, spread, level=level, power=power),
                sample_size_for_anova(
                    difference, sqrt(variance), systems=systems, level=level, power=power
                ),
                sample_size_for_interval(
                    2 * difference if width is None else width, spread, confidence=1 - level
                ),
            )
        )
    return Designs(tuple(found))


def _score_variance(sample: Sample) -> float:
    """Return the variance of one system's scores (or logarithms), pooled over systems."""
    return float(np.var(sample.summable, axis=1, ddof=1).mean())


@dataclass(frozen=True)
class Power:
    """The power of one comparison, and the queries that it would take."""

    system: str
    baseline: str
    queries: int
    difference: float  # the mean difference that is taken to be true
    deviation: float  # the standard deviation of the differences over queries
    level: float  # that one p-value has to reach
    power: float  # how likely the difference is found
    target: float
    smallest: float  # the smallest difference that is found with the target power; NaN of no spread
    needed: float  # the queries with which the difference is; infinite where none suffice
    method: str
    measure: Measure


@dataclass(frozen=True)
class PowerAnalysis(RecordList[Power]):
    """The power of each comparison.

    Attributes:
        items: The power of each comparison.
        observed: Whether the differences are those that were seen.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}}
    >>> len(power(compare(evaluate(qrels, runs, "RR"))))
    1
    """

    _drawn = ("power", "measure", "system", "baseline")

    observed: bool = True

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each comparison."""
        rows = [
            [
                printable(one.system),
                printable(one.baseline),
                str(one.measure),
                str(one.queries),
                *(_value(one, value, exact=exact) for value in (one.difference, one.deviation)),
                _plain(one.power) if exact else "-" if isnan(one.power) else f"{one.power:.0%}",
                _value(one, one.smallest, exact=exact),
                _plain(one.needed) if exact else _queries(one.needed),
            ]
            for one in self
        ]
        first = self[0]
        notes = [
            f"power: the chance of a significant difference, {self._levels()}, if this one were "
            "true",
            f"smallest: the smallest difference with a power of {first.target:.0%} on them",
            f"queries needed: for a power of {first.target:.0%}; by {first.method}: "
            f"{_METHOD_TEXTS[first.method]}",
        ]
        if self.observed:
            notes.append("for a difference that was seen, power restates its p-value")
        hints = ["--difference asks about another difference"] if self.observed else []
        header = ["system", "baseline", "measure", "queries", "difference", "deviation", "power"]
        grid = TextTable([*header, "smallest", "queries needed"], rows, 3, hints, notes)
        return [Section("power", grid, titled=False)]

    def _levels(self) -> str:
        """Write what a p-value has to reach, by measure where families differ in size."""
        by_level: dict[str, dict[str, None]] = {}
        for one in self:
            by_level.setdefault(f"p <= {one.level:.2g}", {})[str(one.measure)] = None
        if len(by_level) == 1:
            return next(iter(by_level))
        return ", ".join(f"{level} by {', '.join(names)}" for level, names in by_level.items())


@shows_progress("drawing queries")
def power(
    comparison: Comparison,
    *,
    difference: float | None = None,
    target: float = TARGET_POWER,
    level: float | None = None,
    method: str | None = None,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> PowerAnalysis:
    """Estimate the power of every comparison that was made.

    All numbers are NaN where there is only one query.

    Args:
        comparison: What `compare` returned.
        difference: The mean difference to be found, in the direction of the one seen; by default
            the one seen.
        target: The power to reach.
        level: What a p-value has to reach; by default the comparison's level, divided by the number
            of comparisons in the family where they are corrected: then a difference is significant
            whatever the others are.
        method: "t", the formula of the t-test and the default where that was the test; or
            "resampling".
        seed: The seed of random draws.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        For each comparison its power, the smallest difference it can show, and the queries needed.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> mixed = {query: (good if query < "q4" else poor)[query] for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "mixed": mixed}, "RR"), baseline="poor")
    >>> power(found)[0].needed
    11
    """
    progress = as_callback(progress)
    progress("drawing queries")
    if any(found.repeated for found in comparison.differences):
        raise OptionError("power does not know of several runs of a system yet")
    method = method or ("t" if comparison.test == "t" else "resampling")
    check_word("method", method, POWER_METHODS)
    if method == "resampling" and comparison.test not in RESAMPLED_TESTS:
        raise OptionError(
            f"there is no resampling for test={comparison.test!r}, only for "
            f"{', '.join(RESAMPLED_TESTS)}; method='t' takes the formula of the t-test"
        )
    if difference is not None and not difference > 0:
        raise OptionError(f"difference={difference}: a difference to be found is above 0")
    levels = {
        one.key: comparison.level / (one.family if comparison.is_corrected else 1)
        if level is None
        else level
        for one in comparison.differences
    }
    if not (min(levels.values()) > 0 and max(levels.values()) < target < 1):
        wrong = min(levels.values())
        raise OptionError(f"level={wrong:g}, target={target}: it takes 0 < level < target < 1")
    values = {sample.measure: (sample, sample.summable) for sample in comparison.samples}
    how: dict[str, Any] = {"alternative": comparison.alternative, "seed": seed}
    how |= {"test": comparison.test, "method": method}
    found = []
    for one in comparison.differences:
        how["level"] = levels[one.key]
        sample, of = values[one.measure]
        rows = of[sample.systems.index(one.system)] - of[sample.systems.index(one.baseline)]
        assumed = seen = float(rows.mean())
        if difference is not None:
            assumed = in_asked_direction(difference, comparison.alternative, seen)
        found.append(
            Power(
                system=one.system,
                baseline=one.baseline,
                measure=one.measure,
                queries=len(rows),
                difference=assumed,
                deviation=standard_deviation(rows),
                level=levels[one.key],
                power=power_of_test(rows, difference=assumed, **how),
                target=target,
                smallest=smallest_difference(rows, target=target, **how),
                needed=sample_size_needed(rows, difference=assumed, target=target, **how),
                method=method,
            )
        )
    return PowerAnalysis(tuple(found), observed=difference is None)


@dataclass(frozen=True)
class QueryPlan(Result):
    """The number of queries to make for a new collection.

    Attributes:
        difference: The difference that must not be missed.
        deviation: The standard deviation over queries.
        level: The level of significance.
        confidence: The confidence of the interval.
        target: The power to reach.
        systems: The number of systems; None for two.
        queries: The queries for a test of the difference; infinite where none suffice.
        queries_for_interval: Those for an interval of it; None for several systems.

    >>> plan_queries(0.05, 0.2).queries
    128
    """

    difference: float
    deviation: float
    level: float
    confidence: float
    target: float
    systems: int | None
    queries: float
    queries_for_interval: float | None

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the numbers of queries, a row for each aim."""
        aims = {"test": self.queries, "interval": self.queries_for_interval}
        rows = [[aim, f"{queries:g}"] for aim, queries in aims.items() if queries is not None]
        return [Section("queries", TextTable(["aim", "queries"], rows, 1, []))]

    def to_text(self, **view: Any) -> str:
        """Return one sentence for each aim."""
        if self.queries_for_interval is None:
            return (
                f"{_counted(self.queries)}: one-way analysis of variance at {self.level:g} sees "
                f"that {self.systems} systems differ with a power of {self.target:.0%}, if the "
                f"best and the worst are {self.difference:g} apart and a system's scores have a "
                f"standard deviation of {self.deviation:g} over queries."
            )
        return (
            f"{_counted(self.queries)}: a paired t-test at {self.level:g} finds a difference of "
            f"{self.difference:g} with a power of {self.target:.0%}, if differences have a "
            f"standard deviation of {self.deviation:g}.\n"
            f"{_counted(self.queries_for_interval)}: the {self.confidence:.0%} interval of the "
            f"difference is expected to be no wider than {2 * self.difference:g}."
        )

    def __str__(self) -> str:
        return self.to_text()


def plan_queries(
    difference: float,
    deviation: float,
    *,
    systems: int | None = None,
    level: float = 0.05,
    confidence: float | None = None,
    target: float = TARGET_POWER,
) -> QueryPlan:
    """Compute how many queries to make, from numbers of an earlier collection.

    Args:
        difference: The mean difference that must not be missed.
        deviation: The standard deviation of differences over queries; with `systems`, that of one
            system's scores.
        systems: How many systems are compared at once, by analysis of variance; without it, two, by
            a paired t-test.
        level: The level of significance.
        confidence: The confidence of the interval; by default 1 - level.
        target: The power to reach.

    Returns:
        The number of queries for the test and, for two systems, for an interval.

    >>> print(plan_queries(0.05, 0.2))
    128 queries: a paired t-test at 0.05 finds a difference of 0.05 with a power of 80%, if differences have a standard deviation of 0.2.
    64 queries: the 95% interval of the difference is expected to be no wider than 0.1.
    """  # noqa: E501 (printed lines)
    interval = None
    confidence = 1 - level if confidence is None else confidence
    check_within("confidence", confidence, 0, 1)
    if systems is None:
        queries = sample_size_for_t_test(difference, deviation, level=level, power=target)
        interval = sample_size_for_interval(2 * difference, deviation, confidence=confidence)
    else:
        queries = sample_size_for_anova(
            difference, deviation, systems=systems, level=level, power=target
        )
    return QueryPlan(difference, deviation, level, confidence, target, systems, queries, interval)


def _value(one: Power, value: float, *, exact: bool) -> str:
    if exact:
        return _plain(value)
    return "none" if isinf(value) else format_score(one.measure, value)


def _plain(value: float) -> str:
    return "" if isnan(value) else str(value)


def _queries(needed: float) -> str:
    return "-" if isnan(needed) else "none suffice" if isinf(needed) else f"{int(needed):,}"


def _counted(queries: float) -> str:
    return "No number of queries" if isinf(queries) else counted(int(queries), "query")
