"""Comparison of judgments with traffic: weighted means, correlation with a metric, all as a Result.

A mean over judged queries counts each of them once. Weighted by traffic, a query counts as often as
it was asked, so the mean is that of the queries users ask, as far as judgments cover them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan, nan
from statistics import fmean
from textwrap import wrap
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.comparison.samples import Sample, samples
from cleverdon.errors import InputError, OptionError, check_count, check_within, check_word
from cleverdon.logs.bridge.tables import (
    FEW_QUERIES,
    correlations_section,
    differences_table,
    interval_ends,
    means_table,
)
from cleverdon.logs.bridge.traffic import (
    WELL_ENOUGH,
    Coverage,
    JudgingCandidates,
    MatchedQueries,
    count_traffic,
    judging_candidates,
    measure_coverage,
    signs_of_success,
    upload_texts,
)
from cleverdon.logs.compute import sum_clusters
from cleverdon.logs.log import ExcludedBots, LogSource
from cleverdon.logs.metrics.base import Metric, Ratio, find_metric, metrics
from cleverdon.logs.session_tables import SessionTables
from cleverdon.logs.settings import Settings
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.stats.correlation import ResampledValues
from cleverdon.stats.intervals import (
    Estimate,
    Interval,
    jackknife_interval,
    percentile_intervals,
)
from cleverdon.stats.proportions import RatioTotals
from cleverdon.stats.resampling import FEWER_RESAMPLES
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section

_WEIGHTED_INTERVALS = {
    "t": "Student's, with an error by the jackknife over queries",
    "percentile": "a bootstrap that draws queries with their traffic",
}
"""The methods of intervals of weighted means; the first is the default."""
_FEW_EFFECTIVE_QUERIES = 10
"""With fewer effective queries than this, a weighted mean depends on a few queries."""


@dataclass(frozen=True)
class WeightedMean:
    """The mean of one run by one measure, unweighted and weighted by traffic."""

    system: str
    measure: Measure = field(metadata=in_json("measure", str))
    mean: float
    weighted: float
    interval: Interval = field(metadata=in_json("interval", interval_ends))  # of the weighted mean
    difference: float  # the weighted mean minus the unweighted one
    difference_interval: Interval = field(metadata=in_json("difference_interval", interval_ends))


@dataclass(frozen=True)
class WeightedDifference:
    """The difference of a run from the first, unweighted and weighted by traffic."""

    system: str
    against: str
    measure: Measure = field(metadata=in_json("measure", str))
    difference: float
    weighted: float
    interval: Interval = field(metadata=in_json("interval", interval_ends))  # of the weighted one

    @property
    def turned(self) -> bool:
        """True if weighting by traffic reverses the order of the two runs."""
        return self.difference * self.weighted < 0


@dataclass(frozen=True)
class Weighting(Result):
    """The means of runs weighted by traffic, and the number of queries that they rest on.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1}, "2": {"x": 1}}, "P@1")
    >>> found = weight_by_traffic(scores, {"1": 30, "2": 10})
    >>> found.effective, found.largest, found.largest_share
    (1.6, '1', 0.75)
    """

    method: str  # of intervals
    queries: int
    with_traffic: int
    effective: float
    """The effective sample size: the squared sum of weights over the sum of their squares. Kish
    1965, Survey Sampling."""
    few: bool  # True if the mean depends on a few queries, which have most of the weight
    largest: str  # the query with most traffic, and its share of the weight
    largest_share: float
    means: tuple[WeightedMean, ...]
    differences: tuple[WeightedDifference, ...]  # of each run from the first

    def sections(self, *, exact: bool = False) -> list[Section]:
        parts = [Section("means", means_table(self, exact=exact), titled=False)]
        if self.differences:
            table = differences_table(self, exact=exact)
            parts.append(Section("differences", table, titled=False))
        return parts


def weight_by_traffic(
    scores: Scores,
    weights: Mapping[str, float],
    *,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    interval: str = "t",
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
) -> Weighting:
    """Weight the means of runs by traffic.

    Undefined values count as in other means. Queries are the sample, each with its weight. The
    error of Student's intervals is by the jackknife, and their degrees of freedom are the effective
    queries less one. A bootstrap draws the same queries for all runs and measures.

    Args:
        scores: The scores of runs.
        weights: The weight of each query; queries without one do not count.
        measures: The measures; by default all of the scores.
        interval: The method of intervals, "t" or "percentile".
        confidence: The confidence level of the intervals.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Returns:
        The means, and the effective number of queries behind them.

    Raises:
        OptionError: A measure is not a mean over queries, or a weight is negative.
        InputError: No query that was evaluated has a weight.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1}, "2": {"x": 1}}, "P@1")
    >>> (found,) = weight_by_traffic(scores, {"1": 30, "2": 10}).means
    >>> found.mean, found.weighted, found.difference
    (0.5, 0.75, 0.25)
    """
    check_word("interval", interval, _WEIGHTED_INTERVALS)
    check_within("confidence", confidence, 0, 1)
    of_measures = samples(scores, measures=measures)
    for sample in of_measures:
        if sample.measure.average != "mean":
            raise OptionError(
                f"{sample.measure} is not a mean over queries, so it cannot be weighted by "
                "traffic; nDCG@10, AP, P@10 and most others can"
            )
    queries = of_measures[0].queries
    weight = np.array([weights.get(query, 0.0) for query in queries], dtype=float)
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise OptionError("a weight is negative or not a number; a weight is a number of searches")
    if not weight.any():
        raise InputError(
            f"none of the {len(queries)} evaluated queries, such as {queries[0]!r}, has traffic: "
            "nobody searched for them"
        )
    means: list[WeightedMean] = []
    differences: list[WeightedDifference] = []
    for sample in of_measures:
        if interval == "t":
            found = _of_measure(sample, weight, partial(_jackknife, confidence=confidence))
        else:
            how: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
            found = _of_measure(sample, weight, partial(_resampled, **how))
        means += found[0]
        differences += found[1]
    top = int(np.argmax(weight))
    effective = float(weight.sum() ** 2 / (weight @ weight))
    return Weighting(
        method=interval,
        queries=len(queries),
        with_traffic=int(np.count_nonzero(weight)),
        effective=effective,
        few=effective < _FEW_EFFECTIVE_QUERIES,
        largest=queries[top],
        largest_share=float(weight[top] / weight.sum()),
        means=tuple(means),
        differences=tuple(differences),
    )


def _jackknife(
    sample: Sample, weight: Floats, of_all: Floats, *, confidence: float
) -> list[Interval]:
    """Return Student's intervals, from leaving out one query at a time."""
    n, total, values = len(weight), weight.sum(), sample.values
    if n < 2:
        return [Interval(nan, nan, confidence)] * len(of_all)
    left = total - weight
    by_traffic = values @ weight[:, None] - values * weight
    by_traffic = by_traffic / np.where(left > 1e-12 * total, left, np.nan)
    plain = (values.sum(axis=1, keepdims=True) - values) / (n - 1)
    # Without the last bits, which would show a spread where there is none.
    left_out = _weighted_statistics(by_traffic, plain).round(12)
    freedom = max(total**2 / float(weight @ weight) - 1, 1.0)
    low, high = sample.measure.range
    limits = [(low, high)] * len(values)
    limits += [(low - high, high - low)] * (len(of_all) - len(values))
    return [
        jackknife_interval(value, row, confidence=confidence, freedom=freedom, within=within)
        for value, row, within in zip(of_all.round(12).tolist(), left_out, limits, strict=True)
    ]


def _resampled(
    sample: Sample, weight: Floats, of_all: Floats, *, confidence: float, resamples: int, seed: int
) -> list[Interval]:
    """Return percentile intervals over queries that are drawn with their weights."""
    values, n = sample.values, len(weight)

    def statistic(counts: Floats) -> Floats:
        total = counts @ weight
        by_traffic = values @ (counts * weight).T / np.where(total > 0, total, np.nan)
        return _weighted_statistics(by_traffic, values @ counts.T / n)

    return percentile_intervals(statistic, n, confidence=confidence, resamples=resamples, seed=seed)


def _weighted_statistics(by_traffic: Floats, plain: Floats) -> Floats:
    """Return the weighted means, their distance to plain means, and to the first system's."""
    return np.concatenate([by_traffic, by_traffic - plain, by_traffic[1:] - by_traffic[0]])


def _of_measure(
    sample: Sample, weight: Floats, intervals: Callable[[Sample, Floats, Floats], list[Interval]]
) -> tuple[list[WeightedMean], list[WeightedDifference]]:
    values = sample.values
    by_traffic = values @ weight[:, None] / weight.sum()
    of_all = _weighted_statistics(by_traffic, values.mean(axis=1, keepdims=True))[:, 0]
    ends = intervals(sample, weight, of_all)
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


_AS_SESSIONS = ("Abandonment", "GoodAbandonment", "Success", "SessionCTR")
"""Metrics of sessions that are also defined for a single search."""


@dataclass(frozen=True)
class TextValue:
    """The value of a metric for all searches with one text."""

    text: str
    value: float
    denominator: float  # the number of searches, pages or clicks
    users: int


def find_ratio(metric: str | Metric) -> Ratio:
    """Return a metric; raise OptionError if it has no value for a single query."""

    def has_value(cls: type[Metric]) -> bool:
        return issubclass(cls, Ratio) and (cls.unit != "sessions" or cls.__name__ in _AS_SESSIONS)

    found = find_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(found, Ratio) or not has_value(type(found)):
        names = ", ".join(cls.__name__ for cls in metrics() if has_value(cls))
        raise OptionError(f"{found} has no value for a single query; these metrics have: {names}")
    return found


def _metric_by_text(
    tables: SessionTables, metric: str | Metric, texts: Iterable[str]
) -> list[TextValue]:
    """Return the metric for each normalised text for which it is defined.

    Abandonment, GoodAbandonment, Success and SessionCTR are metrics of sessions, which may have
    several texts: here each search counts as a session.
    """
    ratio = find_ratio(metric)
    tables.log.need(str(ratio), *ratio.missing(tables))
    if ratio.unit == "sessions":
        queries = tables.queries
        table = queries.mutate(signals=signs_of_success(queries, tables.settings), queries=1)
    else:
        table = getattr(tables, ratio.unit)
    table = table.semi_join(upload_texts(table, texts), "text")
    rows = sum_clusters(table, [ratio], by=[table.text]).to_pyarrow().to_pylist()
    totals = {row["text"]: RatioTotals.of(row, 0) for row in rows}
    return [
        TextValue(text, value / ratio.scale, of.denominator, of.users)
        for text, of in sorted(totals.items())
        if (value := of.ratio) is not None
    ]


_LEAST_TRAFFIC = 10  # the smallest denominator of an online value that is used by default

_COEFFICIENTS = {
    "kendall": ResampledValues.kendall,
    "spearman": ResampledValues.spearman,
    "pearson": ResampledValues.pearson,
}


@dataclass(frozen=True)
class QueryPoint:
    """The offline and the online value of one query text."""

    text: str
    queries: tuple[str, ...]  # usually one; if several, the offline value is their mean
    offline: float
    online: float
    denominator: float  # of the online value


@dataclass(frozen=True)
class Correlation(Result):
    """The correlation of an offline measure of one run with an online metric, over queries.

    >>> from cleverdon import evaluate
    >>> from cleverdon.logs.bridge import bridge, match_queries
    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log("ann 0:00 hats click@1\\n=")
    >>> scores = evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "P@1")
    >>> queries = match_queries({"1": "hats"}, {"1": {"a": 1}})
    >>> (found,) = bridge(log, queries, scores=scores, least=1).correlations
    >>> len(found.points), found.few
    (1, True)
    """

    system: str
    measure: Measure = field(metadata=in_json("measure", str))
    metric: Ratio = field(metadata=in_json("metric", str))
    points: tuple[QueryPoint, ...]
    least: int
    seldom: int  # queries left out because the denominator of their online value is below `least`
    undefined: int  # queries left out because the measure is undefined for them
    kendall: Estimate
    spearman: Estimate
    pearson: Estimate
    few: bool  # True if there are fewer than `FEW_QUERIES` queries, too few to conclude anything

    def sections(self, *, exact: bool = False) -> list[Section]:
        return [correlations_section([self], exact=exact)]

    @property
    def expected(self) -> int:
        """The sign of the correlation if both agree; 0 if one of them has no better direction."""
        signs = {"higher": 1, "lower": -1, "neither": 0}
        return signs[self.measure.better] * signs[self.metric.better]


def correlate_with_metric(
    scores: Scores,
    tables: SessionTables,
    queries: MatchedQueries,
    *,
    system: str | None = None,
    measure: str | Measure | None = None,
    metric: str | Metric = "QueryCTR",
    least: int = _LEAST_TRAFFIC,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
) -> Correlation:
    """Correlate a measure with an online metric over the judged queries that have traffic.

    Args:
        scores: The scores of runs.
        tables: The session tables of the log.
        queries: The queries and which of them are judged, from `match_queries`.
        system: The run of the ranker that the log's users saw; by default the first.
        measure: The measure; by default the first of the scores.
        metric: The online metric.
        least: The smallest denominator of an online value that is used: searches for QueryCTR,
            clicks for ClickRank.
        confidence: The confidence level of the intervals, which come from a bootstrap over queries.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.

    Returns:
        Kendall's tau-b, Spearman's rho and Pearson's r, and the points they are computed from.

    Raises:
        OptionError: The metric has no value for single queries, or `least` is below 1.

    >>> from cleverdon import evaluate
    >>> from cleverdon.logs.bridge import match_queries
    >>> from cleverdon.logs.log import worked_log
    >>> from cleverdon.logs.session_tables import build_session_tables
    >>> tables = build_session_tables(worked_log("ann 0:00 hats click@1\\n=")[0])
    >>> qrels = {"1": {"a": 1}}
    >>> scores = evaluate(qrels, {"1": {"a": 1.0}}, "P@1")
    >>> found = correlate_with_metric(scores, tables, match_queries({"1": "hats"}, qrels), least=1)
    >>> found.points[0].offline, found.points[0].online
    (1.0, 1.0)
    """
    check_count("least", least)
    system = scores.systems[0] if system is None else system
    _, place = scores.index_of(system, scores.measures[0] if measure is None else measure)
    wanted = scores.measures[place]
    ratio = find_ratio(metric)
    offline = scores.per_query(system, wanted)
    points, seldom, undefined = [], 0, 0
    for found in _metric_by_text(tables, ratio, queries.judged_forms):
        same_text = queries.judged_forms[found.text]
        values = [offline.get(query, nan) for query in same_text]
        defined = [value for value in values if not isnan(value)]
        if found.denominator < least:
            seldom += 1
        elif not defined:
            undefined += 1
        else:
            numbers = (fmean(defined), found.value, found.denominator)
            points.append(QueryPoint(found.text, same_text, *numbers))
    return Correlation(
        system=system,
        measure=wanted,
        metric=ratio,
        points=tuple(points),
        least=least,
        seldom=seldom,
        undefined=undefined,
        **_coefficients(points, confidence, resamples, seed),
        few=len(points) < FEW_QUERIES,
    )


def _coefficients(
    points: list[QueryPoint], confidence: float, resamples: int, seed: int
) -> dict[str, Estimate]:
    n = len(points)
    if n < 2:
        nothing = Estimate(nan, Interval(nan, nan, confidence, "percentile"))
        return dict.fromkeys(_COEFFICIENTS, nothing)
    x = ResampledValues(np.array([point.offline for point in points]))
    y = ResampledValues(np.array([point.online for point in points]))
    of_counts = [partial(coefficient, x, y) for coefficient in _COEFFICIENTS.values()]

    def statistic(counts: Floats) -> Floats:
        return np.array([coefficient(counts) for coefficient in of_counts])

    of_all = statistic(np.ones((1, n)))[:, 0].tolist()
    ends = percentile_intervals(statistic, n, confidence=confidence, resamples=resamples, seed=seed)
    return {
        name: Estimate(value, interval)
        for name, value, interval in zip(_COEFFICIENTS, of_all, ends, strict=True)
    }


_METRICS = ("QueryCTR", "PageCTR")
"""The default metrics to correlate measures with: the first that the log supports is used."""
_WIDTH = 96


@dataclass(frozen=True)
class Bridge(Result):
    """Judgments and traffic: judged queries, queries to judge next, measures by traffic.

    >>> from cleverdon.logs.bridge import match_queries
    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log("ann 0:00 hats\\n=")
    >>> found = bridge(log, match_queries({"1": "hats"}, {"1": {"d1": 1}}))
    >>> found.coverage.share, found.weighted, found.correlations
    (1.0, None, ())
    """

    source: str
    settings: Settings
    coverage: Coverage
    to_judge: JudgingCandidates
    unknown: Mapping[str, tuple[str, ...]]
    """Kinds of failure that the log does not record, and the columns that are missing."""
    without_bots: ExcludedBots | None
    weighted: Weighting | None = None  # None without runs
    correlations: tuple[Correlation, ...] = ()
    """One for each measure; none without runs, or if the log has no clicks."""

    def sections(self, *, exact: bool = False, wrapped: bool = False) -> list[Section]:
        parts = self.coverage.sections(exact=exact, top=None if exact else self.settings.top)
        if self.without_bots is not None:
            grid = parts[0].grid
            notes = [*grid.footnotes, str(self.without_bots)]
            parts = [replace(parts[0], grid=replace(grid, footnotes=notes))]
        parts += self.to_judge.sections(exact=exact)
        if self.weighted is not None:
            parts += self.weighted.sections(exact=exact)
        if self.correlations:
            parts.append(correlations_section(self.correlations, exact=exact))
        return [_wrapped(part) for part in parts] if wrapped else parts

    def render(self, format: str = "table", **view: Any) -> str:
        if format == "table":
            view["wrapped"] = True
        return super().render(format, **view)

    def to_dict(self) -> dict[str, Any]:
        record = super().to_dict()
        if self.weighted is None:
            del record["weighted"]
        if not self.correlations:
            del record["correlations"]
        return record


def _wrapped(part: Section) -> Section:
    lines = [line for note in part.grid.footnotes for line in wrap(note, _WIDTH)]
    return replace(part, grid=replace(part.grid, footnotes=lines))


@shows_progress("reading the log")
def bridge(
    log: LogSource | SessionTables,
    queries: MatchedQueries,
    *,
    scores: Scores | None = None,
    metric: str | None = None,
    production: str | None = None,
    least: int = _LEAST_TRAFFIC,
    well: float = WELL_ENOUGH,
    interval: str = "t",
    confidence: float = 0.95,
    seed: int = 0,
    settings: Settings | None = None,
    progress: Progress | bool | None = None,
) -> Bridge:
    """Compare judgments with the traffic in a log.

    Args:
        log: The log, or its session tables.
        queries: The queries and which of them are judged, from `match_queries`.
        scores: The scores of runs, to weight by traffic and to correlate with a metric.
        metric: The online metric to correlate measures with; by default QueryCTR, or else PageCTR.
        production: The run of the ranker that users saw; by default the first.
        least: The smallest denominator of an online value that is used in a correlation.
        well: The weight of a search that went well; one that failed has weight 1.
        interval: The method of intervals of weighted means, "t" or "percentile". Those of
            correlations are always percentiles of a bootstrap.
        confidence: The confidence level of the intervals.
        seed: The seed of the bootstrap.
        settings: How to count; by default those of the session tables, or `Settings()`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The coverage of traffic, the queries to judge next, and with scores the weighted means and
        the correlations.

    Raises:
        InputError: No judged query has a text, or no evaluated query has traffic.
        OptionError: An option has a value that is not allowed.

    >>> from cleverdon.logs.bridge import match_queries
    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log("ann 0:00 Hats\\n=")
    >>> bridge(log, match_queries({"1": "hats"}, {"1": {"d1": 1}})).coverage.share
    1.0
    """
    progress = as_callback(progress)
    report = progress or ignore_progress
    report("counting")
    found = count_traffic(log, settings, progress=progress)
    tables = found.tables
    covered = measure_coverage(found, queries)
    to_judge = judging_candidates(found, queries, well=well)
    weighted, correlations = None, []
    if scores is not None:
        report("weighing")
        weighted = weight_by_traffic(
            scores, covered.weights, interval=interval, confidence=confidence, seed=seed
        )
        supported = (name for name in _METRICS if not find_metric(name).missing(tables))
        if metric := metric or next(supported, None):
            correlations = [
                correlate_with_metric(
                    scores,
                    tables,
                    queries,
                    system=production,
                    measure=measure,
                    metric=metric,
                    least=least,
                    confidence=confidence,
                    seed=seed,
                )
                for measure in scores.measures
            ]
    return Bridge(
        source=tables.log.source,
        settings=tables.settings,
        coverage=covered,
        to_judge=to_judge,
        unknown=found.unknown,
        without_bots=tables.log.without_bots,
        weighted=weighted,
        correlations=tuple(correlations),
    )
