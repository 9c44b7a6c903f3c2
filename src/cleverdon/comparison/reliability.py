"""The reliability of experiments: replications of systems, discrimination by measures.

Levels of replication from strict to lenient, after Breuer et al. 2020,
doi:10.1145/3397271.3401036, whose tool is repro_eval: the same documents in the same order
(`ranking_agreement`); the same score on each query (`rmse`); the same gain over a baseline
(`effect_ratio`, `delta_relative`). The last two can also be computed on other queries, or in
another collection.

Discriminative power, swap rates and split-half stability do not show that a measure measures the
right thing. A measure that gives every system its own constant would do best in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import inf, nan
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.text import printable
from cleverdon.comparison.orderings import RunCorrelations, compare_runs
from cleverdon.comparison.samples import Sample, check_single_runs, samples
from cleverdon.data import Run
from cleverdon.errors import OptionError, check_within, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores, average
from cleverdon.stats.correlation import kendall
from cleverdon.stats.effect_sizes import DECIMALS
from cleverdon.stats.multiple_comparisons import (
    CORRECTIONS,
    FAMILY_TESTS,
    TwoWayVariance,
    correct_p_values,
    family_test,
    two_way_variance,
)
from cleverdon.stats.tests import TESTS, p_values, t_test, welch_test
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_Measures = str | Measure | Iterable[str | Measure] | None
R = TypeVar("R")  # a record


class _RecordTable(RecordList[R]):
    """Records in one table, a column for each of the named fields."""

    title: ClassVar[str]
    columns: ClassVar[tuple[str, ...]]
    labels: ClassVar[int] = 1  # columns at the left that are no numbers

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each record."""
        rows = [[_cell(getattr(one, name), exact=exact) for name in self.columns] for one in self]
        header = [name.replace("_", " ") for name in self.columns]
        return [Section(self.title, TextTable(header, rows, self.labels, []), titled=False)]


def _cell(value: Any, *, exact: bool) -> str:
    if value is None or isinstance(value, float):
        return format_decimal(nan if value is None else value, exact=exact)
    return printable(str(value))


@dataclass(frozen=True)
class Replication:
    """One replicated system, by one measure."""

    system: str
    measure: Measure
    queries: tuple[int, int]  # of the original, and of the replication
    original: float  # the average
    replicated: float
    rmse: float  # of the differences, query by query; NaN on other queries
    p: float | None  # of a t test that the averages are the same; Welch's on other queries
    baseline: str | None  # of both experiments
    effect_ratio: float
    """The replicated gain over the baseline, as a share of the original one; NaN without a gain."""
    delta_relative: float
    """The original relative gain less the replicated one: above 0, the replicated gain is less."""


class Replications(_RecordTable[Replication]):
    """The replications of several systems, by several measures."""

    title = "replications"
    columns = (
        *("system", "measure", "original", "replicated", "rmse", "p"),
        *("effect_ratio", "delta_relative"),
    )
    labels = 2


def ranking_agreement(
    original: Any, replicated: Any, *, k: int | None = None, p: float = 0.9
) -> RunCorrelations:
    """Compare how a run and its replication rank the documents of each query.

    Args:
        original: A run, or what `Run.read` reads.
        replicated: Its replication.
        k: Compare the first k results only.
        p: The persistence of rank-biased overlap.

    Returns:
        Three coefficients of each query that both have: `tau_union`, where documents that a run
        lacks are below those that it has; `ktu`, Kendall's tau union as Breuer et al. define it,
        which depends on the ids of documents; and `rbo`, extrapolated.

    >>> first, again = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 3, "c": 2, "d": 1}}
    >>> {name: round(mean, 4) for name, mean in ranking_agreement(first, again).means.items()}
    {'tau_union': 0.3333, 'ktu': 1.0, 'rbo': 0.685}
    """
    runs = [run if isinstance(run, Run) else Run.read(run) for run in (original, replicated)]
    found = compare_runs(*runs, coefficients=("kendall_union", "rbo"), k=k, p=p).coefficients
    ktu = {}
    for query in found["rbo"]:
        ranked = ([doc for doc, _ in run.ranking(query)[:k]] for run in runs)
        ktu[query] = _published_tau_union(*ranked)
    return RunCorrelations({"tau_union": found["kendall_union"], "ktu": ktu, "rbo": found["rbo"]})


def _published_tau_union(original: list[str], replicated: list[str]) -> float:
    """Compute Kendall's tau union as Breuer et al. define it and repro_eval computes it."""
    # Documents are replaced by their places in the order of ids, so rankings with nothing in
    # common may have 1.
    if len(original) != len(replicated):
        return nan
    place = {doc: at for at, doc in enumerate(sorted({*original, *replicated}))}
    by_rank = [{at: -place[doc] for at, doc in enumerate(docs)} for docs in (original, replicated)]
    return kendall(*by_rank)


def replicate(
    original: Scores,
    replicated: Scores,
    *,
    baseline: str | None = None,
    names: Mapping[str, str] | None = None,
    measures: _Measures = None,
    queries: Literal["same", "other"] = "same",
    t_test: bool = False,
) -> Replications:
    """Compare replicated systems with the original ones, by each measure that was evaluated.

    Args:
        original: The scores of the original systems.
        replicated: Those of the replicated ones.
        baseline: A system that is replicated too; the gains over it are compared.
        names: The names of the original systems in the replication, where they differ.
        measures: Some of the measures; by default all.
        queries: "other" for a replication on other queries: then there is no difference query by
            query.
        t_test: Whether to test that the averages are the same.

    Returns:
        A replication for each system and measure.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> runs = {"old": {"q1": {"c": 2, "a": 1}, "q2": {"c": 2, "b": 1}}, "new": {"q1": {"a": 1}}}
    >>> again = runs | {"new": {"q1": {"a": 1}, "q2": {"c": 2, "b": 1}}}
    >>> found = replicate(evaluate(qrels, runs, "RR"), evaluate(qrels, again, "RR"))
    >>> [(each.system, round(each.rmse, 4)) for each in found]
    [('old', 0.0), ('new', 0.3536)]
    """
    check_word("queries", queries, ("same", "other"))
    called = _new_names(original, replicated, names or {})
    if baseline is not None and baseline not in called:
        raise OptionError(f"there is no baseline {baseline!r} in both{suggest(baseline, called)}")
    first = samples(original, measures=measures, systems=called)
    wanted = [sample.measure for sample in first]
    again = samples(replicated, measures=wanted, systems=called.values())
    return Replications(
        tuple(
            _replication(system, called, pair, baseline, paired=queries == "same", t_test=t_test)
            for pair in zip(first, again, strict=True)
            for system in called
            if system != baseline
        )
    )


def _new_names(original: Scores, replicated: Scores, names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of each original system in the replication."""
    for ours, theirs in names.items():
        for name, scores in ((ours, original), (theirs, replicated)):
            if name not in scores.systems:
                raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    found = {name: names.get(name, name) for name in original.systems}
    found = {ours: theirs for ours, theirs in found.items() if theirs in replicated.systems}
    if not found:
        raise OptionError("no system has the same name in both; names={...} says which is which")
    if len(set(found.values())) < len(found):
        raise OptionError("two original systems have the same name in the replication")
    return found


def _replication(
    system: str,
    called: Mapping[str, str],
    pair: tuple[Sample, Sample],
    baseline: str | None,
    *,
    paired: bool,
    t_test: bool,
) -> Replication:
    first, again = pair
    ours, theirs = first.of(system), again.of(called[system])
    if paired:
        theirs = _in_order(theirs, again, first)
    effect_ratio = delta_relative = nan
    if baseline is not None:
        old = _average(first, system), _average(first, baseline)
        new = _average(again, called[system]), _average(again, called[baseline])
        effect_ratio = _ratio(new[0] - new[1], old[0] - old[1])
        delta_relative = _ratio(old[0] - old[1], old[1]) - _ratio(new[0] - new[1], new[1])
    return Replication(
        system=system,
        measure=first.measure,
        queries=(len(ours), len(theirs)),
        original=first.mean(system),
        replicated=again.mean(called[system]),
        rmse=float(np.sqrt(np.mean((ours - theirs) ** 2))) if paired else nan,
        p=_p_value(ours, theirs, paired=paired) if t_test else None,
        baseline=baseline,
        effect_ratio=effect_ratio,
        delta_relative=delta_relative,
    )


def _in_order(values: Floats, again: Sample, first: Sample) -> Floats:
    """Return the replicated values in the original's order of queries, which are the same."""
    row = {query: at for at, query in enumerate(again.queries)}
    for query in row.keys() ^ set(first.queries):
        where = "replication" if query in row else "original"
        raise OptionError(
            f"query {query!r} is in the {where} only; queries='other' compares averages over others"
        )
    return np.asarray(values[[row[query] for query in first.queries]])


def _average(sample: Sample, system: str) -> float:
    # Of counts the mean, since there may be more queries in one experiment than in the other.
    divisor = len(sample.queries) if sample.measure.average == "sum" else 1
    return sample.mean(system) / divisor


def _ratio(part: float, whole: float) -> float:
    # Averages that were added up in another order differ in the last digit, which is no gain.
    return part / whole if abs(whole) > 1e-12 else nan


def _p_value(ours: Floats, theirs: Floats, *, paired: bool) -> float:
    return t_test((theirs - ours)[None])[0].p if paired else welch_test(ours, theirs)


@dataclass(frozen=True)
class Discrimination:
    """The number of pairs of systems between which a measure shows a difference."""

    measure: Measure
    pairs: int
    significant: int
    level: float

    @property
    def share(self) -> float:
        """The measure's discriminative power."""
        return self.significant / self.pairs


class Discriminations(_RecordTable[Discrimination]):
    """The discriminative power of several measures."""

    title = "discriminative power"
    columns = ("measure", "pairs", "significant", "share")


def discriminative_power(
    scores: Scores,
    *,
    measures: _Measures = None,
    test: str = "randomisation",
    level: float = 0.05,
    correction: str = "none",
    seed: int = 0,
) -> Discriminations:
    """Compute each measure's share of pairs of systems with a significant difference.

    Sakai 2006, doi:10.1145/1148170.1148261.

    Args:
        scores: What `evaluate` returned.
        measures: Some of the measures; by default all.
        test: One of `TESTS` or `FAMILY_TESTS`.
        level: The level of significance.
        correction: One of `CORRECTIONS`, over all pairs of a measure; Tukey's tests have their own.
        seed: The seed of random draws.

    Returns:
        The number of pairs, and of those with a significant difference, by each measure.

    >>> from cleverdon import evaluate
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> discriminative_power(evaluate({"q1": {"a": 1}}, runs, "RR"))[0].share
    0.0
    """
    check_word("test", test, [*TESTS, *FAMILY_TESTS])
    check_word("correction", correction, CORRECTIONS)
    if test in FAMILY_TESTS and correction != "none":
        raise OptionError(f"test={test!r} corrects for all pairs itself, and takes no correction")
    check_within("level", level, 0, 1)
    several = _samples_of_several(scores, measures)
    instead = "evaluate one run of each"
    check_single_runs(scores, several[0].systems, what="discriminative_power", instead=instead)
    found = []
    for sample in several:
        first, second = _pairs(sample)
        values = sample.summable
        if test in FAMILY_TESTS:
            of = family_test(test, values, seed=seed).p
            p = [of[i][j] for i, j in zip(first, second, strict=True)]
        else:
            p = p_values(test, values[first] - values[second], seed=seed)
        adjusted = np.array(correct_p_values(correction, [one.p for one in p]))
        significant = int((adjusted <= level).sum())
        found.append(Discrimination(sample.measure, len(p), significant, level))
    return Discriminations(tuple(found))


@dataclass(frozen=True, eq=False)
class SwapRates:
    """The share of pairs of systems that another set of queries puts in the opposite order."""

    measure: Measure
    queries: int  # in each set
    trials: int  # pairs of sets that were drawn
    edges: Floats  # the smallest difference of each bin
    compared: Ints  # pairs of systems in each bin, over all trials
    swapped: Ints  # of these, the ones that swapped

    @property
    def rates(self) -> Floats:
        """Per bin the share of pairs that swapped; NaN where there was no pair."""
        nothing = np.full(len(self.compared), nan)
        return np.asarray(
            np.divide(self.swapped, self.compared, out=nothing, where=self.compared > 0)
        )

    @property
    def rate(self) -> float:
        """The share of all pairs that swapped, whatever their difference."""
        return float(self.swapped.sum() / self.compared.sum())

    def trusted_from(self, rate: float = 0.05) -> float:
        """Return the difference from which on no bin has a higher rate; NaN where there is none."""
        filled = np.flatnonzero(self.compared > 0)
        above = filled[self.rates[filled] > rate]
        last = above[-1] if len(above) else -1
        later = filled[filled > last]
        return float(self.edges[later[0]]) if len(later) else nan


class SwapRateTable(RecordList[SwapRates]):
    """The swap rates of several measures."""

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each bin of each measure."""
        rows = [
            [_cell(value, exact=exact) for value in (one.measure, *cells)]
            for one in self
            for cells in zip(one.edges, one.compared, one.swapped, one.rates, strict=True)
        ]
        header = ["measure", "difference from", "pairs", "swapped", "rate"]
        return [Section("swap rates", TextTable(header, rows, 2, []), titled=False)]


def swap_rates(
    scores: Scores,
    *,
    measures: _Measures = None,
    queries: int | None = None,
    trials: int = 50,
    width: float = 0.01,
    bins: int = 21,
    seed: int = 0,
) -> SwapRateTable:
    """Compute the share of pairs of systems that swap between two sets of queries.

    Voorhees & Buckley 2002, doi:10.1145/564376.564432. In every trial two sets without a query in
    common are drawn. A pair has swapped where its differences in both sets have opposite signs.

    Args:
        scores: What `evaluate` returned.
        measures: Some of the measures; by default all.
        queries: The number of queries of each set; by default half of all.
        trials: The number of pairs of sets to draw.
        width: The width of the bins of the difference in the first set.
        bins: The number of bins; the last one is open.
        seed: The seed of the draws.

    Returns:
        The swap rates by each measure.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
    >>> swap_rates(evaluate(qrels, runs, "RR"))[0].rate
    0.0
    """
    if trials < 1 or bins < 1 or not 0 < width < inf:
        raise OptionError(f"trials={trials}, bins={bins}, width={width}: all must be above 0")
    of = _samples_of_several(scores, measures)
    n = len(of[0].queries)
    size = n // 2 if queries is None else queries
    if not 1 <= size <= n // 2:
        raise OptionError(f"queries={size}: of {n} queries, two sets have at most {n // 2} each")
    compared, swapped = np.zeros((2, len(of), bins), dtype=np.int64)
    first, second = _pairs(of[0])
    random = np.random.default_rng(seed)
    for _ in range(trials):
        drawn = random.permutation(n)
        for m, sample in enumerate(of):
            before, after = (
                _averages(sample, drawn[part]) for part in (slice(0, size), slice(size, 2 * size))
            )
            here, there = before[first] - before[second], after[first] - after[second]
            # A difference that is 0.03 but for rounding is in the bin that starts there.
            place = np.minimum(np.floor(np.abs(here) / width + 1e-9), bins - 1).astype(np.int64)
            compared[m] += np.bincount(place, minlength=bins)
            swapped[m] += np.bincount(place[here * there < 0], minlength=bins)
    edges = np.arange(bins, dtype=np.float64) * width
    found = (
        SwapRates(sample.measure, size, trials, edges, compared[m], swapped[m])
        for m, sample in enumerate(of)
    )
    return SwapRateTable(tuple(found))


@dataclass(frozen=True)
class Stability:
    """The agreement of two halves of the queries on the order of systems."""

    measure: Measure
    queries: int  # in each half
    trials: int
    tau: float  # Kendall's tau-b, averaged over trials
    low: float  # 5% of trials are below
    high: float  # 5% of trials are above


class Stabilities(_RecordTable[Stability]):
    """The split-half stability of several measures."""

    title = "stability"
    columns = ("measure", "queries", "trials", "tau", "low", "high")


def split_half(
    scores: Scores, *, measures: _Measures = None, trials: int = 100, seed: int = 0
) -> Stabilities:
    """Compute Kendall's tau between the orders of systems by two random halves of the queries.

    Trials in which a half has all systems even are left out; NaN where that is all of them.

    Args:
        scores: What `evaluate` returned.
        measures: Some of the measures; by default all.
        trials: How often to halve the queries.
        seed: The seed of the draws.

    Returns:
        The mean tau by each measure, and where 5% of trials are below and above.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
    >>> split_half(evaluate(qrels, runs, "RR"))[0].tau
    1.0
    """
    if trials < 1:
        raise OptionError(f"trials={trials}: expected at least 1")
    of = _samples_of_several(scores, measures)
    n = len(of[0].queries)
    if n < 2:
        raise OptionError("there is only one query, and no half of it")
    random = np.random.default_rng(seed)
    drawn = [random.permutation(n) for _ in range(trials)]
    found = []
    for sample in of:
        taus = np.array(
            [
                kendall(*(_by_system(sample, order[at : at + n // 2]) for at in (0, n // 2)))
                for order in drawn
            ]
        )
        taus = taus[~np.isnan(taus)]
        low, high = np.quantile(taus, [0.05, 0.95]) if len(taus) else (nan, nan)
        mean = float(taus.mean()) if len(taus) else nan
        found.append(Stability(sample.measure, n // 2, trials, mean, float(low), float(high)))
    return Stabilities(tuple(found))


def _by_system(sample: Sample, queries: Ints) -> dict[str, float]:
    return dict(zip(sample.systems, _averages(sample, queries).tolist(), strict=True))


def _samples_of_several(scores: Scores, measures: _Measures) -> list[Sample]:
    of = samples(scores, measures=measures)
    if len(of[0].systems) < 2:
        raise OptionError(f"there is only one system, {of[0].systems[0]!r}, and no pair of them")
    return of


def _pairs(sample: Sample) -> tuple[Ints, Ints]:
    """Return the numbers of both systems of every pair."""
    pairs = np.array(list(combinations(range(len(sample.systems)), 2)))
    return pairs[:, 0], pairs[:, 1]


def _averages(sample: Sample, queries: Ints) -> Floats:
    # Rounded, since the same values in another order add up to another last digit.
    return np.round([average(sample.measure, row) for row in sample.values[:, queries]], DECIMALS)


@dataclass(frozen=True)
class Anova:
    """The analysis of variance of one measure."""

    measure: Measure
    variance: TwoWayVariance
    p_systems: float
    p_queries: float


class AnovaTable(RecordList[Anova]):
    """The analyses of variance of several measures."""

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each source of variance of each measure."""
        rows = []
        for one in self:
            of = one.variance
            tests = {
                effect: [of.f(effect), p, of.strength(effect)]
                for effect, p in ((of.systems, one.p_systems), (of.units, one.p_queries))
            }
            effects = {"systems": of.systems, "queries": of.units, "residual": of.residual}
            for source, effect in effects.items():
                numbers = [effect.squares, effect.mean_square, *tests.get(effect, [np.nan] * 3)]
                start = [str(one.measure), source, str(effect.freedom)]
                rows.append(start + [format_decimal(number, exact=exact) for number in numbers])
        header = ["measure", "source", "freedom", "squares", "mean square", "F", "p"]
        grid = TextTable([*header, "omega squared"], rows, 2, [])
        return [Section("variance", grid, titled=False)]


def anova(
    scores: Scores, *, measures: _Measures = None, systems: Iterable[str] | None = None
) -> AnovaTable:
    """Test whether systems differ at all, for each measure, before any pair is compared.

    A measure that is a geometric mean is analysed by its logarithms, as in `compare`.

    Args:
        scores: What `evaluate` returned.
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.

    Returns:
        The analysis of variance of each measure.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> good = {query: {"a": 3.0, "b": 1.0} for query in qrels}
    >>> poor = good | {"q1": {"b": 2.0, "a": 1.0}}
    >>> found = anova(evaluate(qrels, {"poor": poor, "good": good}, "RR"))[0]
    >>> found.variance.systems.squares, round(found.p_systems, 4)
    (0.03125, 0.391)
    """
    found = []
    of = samples(scores, measures=measures, systems=systems)
    instead = "compare(scores).variances() separates their variance"
    check_single_runs(scores, of[0].systems, what="anova", instead=instead)
    for sample in of:
        variance = two_way_variance(sample.summable)
        p_systems, p_queries = variance.p(variance.systems), variance.p(variance.units)
        found.append(Anova(sample.measure, variance, p_systems, p_queries))
    return AnovaTable(tuple(found))
