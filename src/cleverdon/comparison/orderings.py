"""Rank correlation of orders of systems and of runs.

Do two measures, two judgments or two sets of queries agree on the order of systems? Do two runs
rank the documents of a query alike? The interval of a coefficient is a bootstrap's over queries:
how alike the orders would have been, had other queries of the same kind been used. Drawing queries
adds chance of its own, so that such intervals lie rather low; orders that are the same have 1 as
the upper end, not as the middle.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.samples import Sample, samples
from cleverdon.data import Run
from cleverdon.errors import (
    InputError,
    OptionError,
    check_count,
    check_seed,
    check_within,
    check_word,
)
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.stats import correlation
from cleverdon.stats.correlation import Orders, Ranking, coefficient_functions, rbo, tau_ap
from cleverdon.stats.intervals import Estimate, percentile_interval
from cleverdon.stats.resampling import FEWER_RESAMPLES, draw_counts
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, as_json, fields_as_json
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


def correlate_runs(
    run_a: Any, run_b: Any, *, how: str = "rbo", k: int | None = None, **options: Any
) -> dict[str, float]:
    """Return a coefficient of two runs for each query that both have.

    The coefficients that compare orders of the same items look at the documents that both runs
    returned, and are NaN where these are fewer than two.

    Args:
        run_a: A run, or what `Run.read` reads.
        run_b: Another.
        how: One of `RUN_COEFFICIENTS`; of rank-biased overlap, the extrapolated value.
        k: Compare the first k results only.
        options: Options of the coefficient's function.

    Returns:
        The coefficient of each query.

    Raises:
        InputError: The runs have no query in common.

    >>> correlate_runs({"q1": {"d1": 3, "d2": 2}}, {"q1": {"d2": 5, "d1": 1}}, how="kendall")
    {'q1': -1.0}
    """
    check_word("how", how, RUN_COEFFICIENTS)
    runs = [run if isinstance(run, Run) else Run.read(run) for run in (run_a, run_b)]
    same_items = how not in DEFAULT_RUN_COEFFICIENTS
    if how == "overlap":
        options["k"] = k
    found = {}
    for query in sorted(set(runs[0].queries) & set(runs[1].queries), key=str.encode):
        a, b = (dict(run.ranking(query)[:k]) for run in runs)
        if same_items:
            common = a.keys() & b.keys()
            a, b = ({doc: score for doc, score in r.items() if doc in common} for r in (a, b))
        found[query] = RUN_COEFFICIENTS[how](a, b, **options)
    if not found:
        raise InputError(
            f"the runs have no query in common: one has {runs[0].queries[0]!r}, the other "
            f"{runs[1].queries[0]!r}"
        )
    return found


RUN_COEFFICIENTS: dict[str, Callable[..., float]] = {
    "rbo": lambda a, b, **options: rbo(a, b, **options).extrapolated,
    "overlap": correlation.overlap,
    "kendall": correlation.kendall,
    "kendall_union": correlation.kendall_union,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": partial(tau_ap, symmetric=True),
    "spearman": correlation.spearman,
    "footrule": correlation.footrule,
}
"""The coefficients of two runs, by name."""

DEFAULT_RUN_COEFFICIENTS = ("rbo", "overlap", "kendall_union")
"""Those that compare any two rankings, and not two orders of the same items."""


COEFFICIENTS = {
    "kendall": "Kendall's tau-b",
    "tau_ap": "AP correlation, which minds the top more",
    "spearman": "Spearman's rho",
    "rbo": "rank-biased overlap, which minds the top more",
}
"""The coefficients of each pair of orders."""
_BLOCK = 250_000  # pairs of systems, or queries, at a time: what fits the processor's cache
_DIGITS = 12  # averages that differ in later digits were added up in another order


@dataclass(frozen=True)
class CorrelationOptions:
    """The options of coefficients and of their intervals."""

    p: float = 0.9  # the persistence of rank-biased overlap
    symmetric: bool = True  # whether tau-AP is the mean of both directions
    confidence: float = 0.95
    resamples: int = FEWER_RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        check_within("p", self.p, 0, 1)
        check_within("confidence", self.confidence, 0, 1)
        check_count("resamples", self.resamples)
        check_seed(self.seed)


@dataclass(frozen=True)
class OrderAgreement:
    """Four coefficients of two orders of the same systems."""

    first: str
    second: str
    systems: tuple[str, ...]
    queries: tuple[int, int]  # how many each order rests on
    kendall: Estimate
    tau_ap: Estimate
    spearman: Estimate
    rbo: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return fields_as_json(self) | {"confidence": self.kendall.interval.confidence}


class OrderAgreements(RecordList[OrderAgreement]):
    """The coefficients of each pair of orders.

    Attributes:
        items: The agreement of each pair.

    >>> from cleverdon import evaluate
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = correlate(evaluate({"q1": {"a": 1}}, runs, "RR P@1"))
    >>> len(found), found[0].kendall.value
    (1, 1.0)
    """

    def sections(self, *, exact: bool = False, matrix: str | None = None) -> list[Section]:
        """Return a row for each pair; or one coefficient as a square, without intervals."""
        if matrix is not None:
            return [Section("matrix", self._matrix_table(matrix, exact=exact), titled=False)]
        ends = ("", " low", " high") if exact else ("",)
        names = COEFFICIENTS if exact else _HEADINGS.values()
        header = ["first", "second", *(name + end for name in names for end in ends)]
        rows = [
            [printable(one.first), printable(one.second)]
            + [cell for name in COEFFICIENTS for cell in _cells(getattr(one, name), exact=exact)]
            for one in self
        ]
        return [Section("orders", TextTable(header, rows, 2, [], _notes(self.items)), titled=False)]

    def _matrix(self, coefficient: str) -> dict[str, dict[str, float]]:
        check_word("coefficient", coefficient, COEFFICIENTS)
        values = {(one.first, one.second): getattr(one, coefficient).value for one in self}
        values |= {(second, first): value for (first, second), value in values.items()}
        names = list(dict.fromkeys(name for one in self for name in (one.first, one.second)))
        values |= {(name, name): 1.0 for name in names}
        return {a: {b: values.get((a, b), math.nan) for b in names} for a in names}

    def _matrix_table(self, coefficient: str, *, exact: bool) -> TextTable:
        square = self._matrix(coefficient)
        rows = [
            [printable(a), *(format_decimal(value, exact=exact) for value in row.values())]
            for a, row in square.items()
        ]
        corner = coefficient if exact else _HEADINGS[coefficient]
        header = [corner, *map(printable, square)]
        return TextTable(header, rows, 1, [], _notes(self.items)[:1])

    def render(self, format: str = "table", *, matrix: str | None = None, **how: Any) -> str:
        """Write the coefficients; `matrix` names one of them, to be written as a square."""
        if matrix is not None and format == "json":
            record = as_json({matrix: self._matrix(matrix)})
            return json.dumps(record, indent=1, ensure_ascii=False)
        return super().render(format, matrix=matrix, **how)


@dataclass(frozen=True, eq=False)
class _Side:
    """The values behind one order of systems."""

    label: str
    merits: Floats  # systems x queries: the higher their mean, the better the system
    drawn_with: int = 0  # sides of the same number are on the same queries, and drawn together

    @property
    def queries(self) -> int:
        return int(self.merits.shape[1])

    def order(self, systems: Sequence[str]) -> dict[str, float]:
        means = np.round(self.merits.mean(axis=1), _DIGITS)
        return dict(zip(systems, means.tolist(), strict=True))

    def resampled(self, times: Floats) -> Orders:
        """Return the orders of resamples, given how often each query is drawn."""
        return Orders(np.round(times @ self.merits.T / self.queries, _DIGITS))


@shows_progress("comparing")
def correlate(
    scores: Scores,
    *,
    other: Scores | None = None,
    query_sets: Mapping[str, Iterable[str]] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    p: float = 0.9,
    symmetric: bool = True,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> OrderAgreements:
    """Measure how alike the orders of systems are, by each pair of measures.

    Args:
        scores: What `evaluate` returned.
        other: Scores of the same runs by other judgments: compare, by each measure, the orders of
            both judgments, on the queries that both have.
        query_sets: Sets of queries by name: compare, by each measure, each pair of sets.
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        p: The persistence of rank-biased overlap, which is extrapolated.
        symmetric: Whether tau-AP is the mean of both directions; otherwise the first order is the
            truth.
        confidence: The confidence of intervals.
        resamples: How often the bootstrap draws queries.
        seed: The seed of the draws.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        Four coefficients of each pair of orders, with intervals.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}
    >>> runs = {"x": {"q1": {"b": 2, "a": 1}, "q2": {"c": 2, "a": 1}}, "y": {"q2": {"a": 1}}}
    >>> (found,) = correlate(evaluate(qrels, runs, "nDCG P@1"))
    >>> found.first, found.second, found.tau_ap.value
    ('nDCG', 'P@1', 0.0)
    """
    progress = as_callback(progress)
    progress("comparing")
    if other is not None and query_sets is not None:
        raise OptionError("orders are by two judgments or by sets of queries, not by both at once")
    how = CorrelationOptions(p, symmetric, confidence, resamples, seed)
    named = tuple(scores.systems if systems is None else systems)
    if other is not None and systems is None:
        named = tuple(name for name in named if name in other.systems)
    _check_systems(named)
    first = samples(scores, measures=measures, systems=named)
    if other is not None:
        sides, pairs = _by_judgments(scores, other, first)
    elif query_sets is not None:
        sides, pairs = _by_query_sets(first, query_sets)
    else:
        if len(first) < 2:
            raise OptionError(f"there is only one measure, {first[0].measure}: name another")
        sides = [_Side(str(sample.measure), sample.merits) for sample in first]
        pairs = list(combinations(range(len(sides)), 2))
    return _correlated_sides(sides, pairs, named, how)


def order_agreements_with(
    first: tuple[str, Floats],
    others: Mapping[str, Floats],
    systems: Iterable[str],
    how: CorrelationOptions,
) -> OrderAgreements:
    """Measure how alike each of several orders is with the first, which is tau-AP's truth.

    Each order has values, systems x queries, of which the higher mean is the better; all of them on
    the same queries, which are drawn together.
    """
    named = tuple(systems)
    _check_systems(named)
    label, values = first
    for name, other in others.items():
        if not other.shape == values.shape == (len(named), values.shape[1]):
            raise OptionError(
                f"{name}: found values of {other.shape} systems x queries, where {label} has "
                f"{values.shape}; both must have the same systems and queries"
            )
    sides = [_Side(label, values), *(_Side(name, other) for name, other in others.items())]
    return _correlated_sides(sides, [(0, at) for at in range(1, len(sides))], named, how)


def _check_systems(named: tuple[str, ...]) -> None:
    if len(named) < 2:
        found = f"only one, {named[0]!r}" if named else "none"
        raise OptionError(f"an order needs at least two systems; there is {found}")


def _correlated_sides(
    sides: list[_Side],
    pairs: list[tuple[int, int]],
    named: tuple[str, ...],
    how: CorrelationOptions,
) -> OrderAgreements:
    """Return the coefficients of each pair of sides, with their intervals."""
    drawn = _bootstrap(sides, pairs, how)
    orders = [side.order(named) for side in sides]
    made = []
    for at, (a, b) in enumerate(pairs):
        values = _coefficients(orders[a], orders[b], how)
        queries_of = sides[a].queries, sides[b].queries
        known = min(queries_of) > 1
        of_pair = {
            name: Estimate(value, percentile_interval(drawn[name][at], how.confidence, known=known))
            for name, value in values.items()
        }
        made.append(OrderAgreement(sides[a].label, sides[b].label, named, queries_of, **of_pair))
    return OrderAgreements(tuple(made))


def _by_judgments(
    scores: Scores, other: Scores, first: list[Sample]
) -> tuple[list[_Side], list[tuple[int, int]]]:
    """Return the sides of two judgments, next to each other."""
    wanted = [sample.measure for sample in first]
    second = samples(other, measures=wanted, systems=first[0].systems)
    in_second = set(second[0].queries)
    shared = [query for query in first[0].queries if query in in_second]
    if not shared:
        raise OptionError("the two judgments have no query in common")
    labels = [of.about.qrels or "judgments" for of in (scores, other)]
    if labels[0] == labels[1]:
        labels = [f"first {labels[0]}", f"second {labels[1]}"]
    sides = [
        _Side(f"{sample.measure}, {label}", sample.merits_on(shared))
        for pair in zip(first, second, strict=True)
        for label, sample in zip(labels, pair, strict=True)
    ]
    return sides, [(at, at + 1) for at in range(0, len(sides), 2)]


def group_queries(scores: Scores, kinds: Mapping[str, str]) -> tuple[dict[str, list[str]], int]:
    """Group the queries on which all systems are evaluated; count those without a kind."""
    sets: dict[str, list[str]] = {}
    queries = samples(scores)[0].queries
    for query in queries:
        if query in kinds:
            sets.setdefault(kinds[query], []).append(query)
    return sets, len(queries) - sum(map(len, sets.values()))


def _by_query_sets(
    first: list[Sample], query_sets: Mapping[str, Iterable[str]]
) -> tuple[list[_Side], list[tuple[int, int]]]:
    """Return the sides of all sets of queries by each measure; each set is drawn by itself."""
    if len(query_sets) < 2:
        raise OptionError("there is only one set of queries, and nothing to compare it with")
    sides, pairs = [], []
    for sample in first:
        for number, (name, wanted) in enumerate(query_sets.items()):
            chosen = list(dict.fromkeys(wanted))
            for query in chosen:
                if query not in sample.queries:
                    raise OptionError(f"{name}: not all systems were evaluated on query {query!r}")
            if not chosen:
                raise OptionError(f"{name}: there are no queries")
            sides.append(_Side(f"{sample.measure}, {name}", sample.merits_on(chosen), number))
        start = len(sides) - len(query_sets)
        pairs += list(combinations(range(start, len(sides)), 2))
    return sides, pairs


def _coefficients(a: Ranking, b: Ranking, how: CorrelationOptions) -> dict[str, float]:
    """Return the coefficients of two orders, the first of which is tau-AP's truth."""
    return {
        "kendall": correlation.kendall(a, b),
        "tau_ap": tau_ap(b, a, symmetric=how.symmetric),
        "spearman": correlation.spearman(a, b),
        "rbo": rbo(a, b, p=how.p).extrapolated,
    }


def _bootstrap(
    sides: list[_Side], pairs: list[tuple[int, int]], how: CorrelationOptions
) -> dict[str, Floats]:
    """Return each coefficient of pairs x resamples."""
    functions = coefficient_functions(symmetric=how.symmetric, p=how.p)
    drawn = {name: np.empty((len(pairs), how.resamples)) for name in functions}
    queries = {side.drawn_with: side.queries for side in sides}
    random = {number: np.random.default_rng([how.seed, number]) for number in queries}
    largest = max(len(sides[0].merits) ** 2, max(queries.values()))
    block = max(1, _BLOCK // largest)
    for start in range(0, how.resamples, block):
        end = min(start + block, how.resamples)
        times = {
            number: draw_counts(n)(random[number], end - start) for number, n in queries.items()
        }
        orders = [side.resampled(times[side.drawn_with]) for side in sides]
        for at, (a, b) in enumerate(pairs):
            for name, function in functions.items():
                drawn[name][at, start:end] = function(orders[b], orders[a])
    return drawn


_HEADINGS = {"kendall": "tau", "tau_ap": "tau-AP", "spearman": "rho", "rbo": "RBO"}


@dataclass(frozen=True)
class RunCorrelations(Result):
    """Several coefficients between the rankings of two runs, query by query.

    Attributes:
        coefficients: The value of each query, by the name of the coefficient.

    >>> RunCorrelations({"rbo": {"q1": 0.5, "q2": 1.0}}).means
    {'rbo': 0.75}
    """

    coefficients: Mapping[str, Mapping[str, float]]

    @property
    def queries(self) -> list[str]:
        return list(next(iter(self.coefficients.values())))

    @property
    def means(self) -> dict[str, float]:
        """The mean of each coefficient over the queries on which it is defined."""
        found = {}
        for name, of in self.coefficients.items():
            defined = [value for value in of.values() if not math.isnan(value)]
            found[name] = sum(defined) / len(defined) if defined else math.nan
        return found

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each query; the means below."""
        values = self.coefficients.values()
        rows = [
            [printable(query), *(format_decimal(of[query], exact=exact) for of in values)]
            for query in self.queries
        ]
        listed = ", ".join(
            f"{name} {format_decimal(mean, exact=False)}" for name, mean in self.means.items()
        )
        queries = counted(len(self.queries), "query")
        note = f"{queries} in both runs; means of what is defined: {listed}"
        grid = TextTable(["query", *self.coefficients], rows, 1, [], [note])
        return [Section("queries", grid, titled=False)]

    def to_dict(self) -> dict[str, Any]:
        """Return means and values as plain values."""
        by_query = {
            query: {name: of[query] for name, of in self.coefficients.items()}
            for query in self.queries
        }
        record: dict[str, Any] = as_json({"means": self.means, "queries": by_query})
        return record


def compare_runs(
    run_a: Any,
    run_b: Any,
    *,
    coefficients: Iterable[str] = DEFAULT_RUN_COEFFICIENTS,
    k: int | None = None,
    p: float = 0.9,
) -> RunCorrelations:
    """Compare how two runs rank the documents of each query.

    Args:
        run_a: A run, or what `Run.read` reads.
        run_b: Another.
        coefficients: Names of `RUN_COEFFICIENTS`.
        k: Compare the first k results only.
        p: The persistence of rank-biased overlap.

    Returns:
        Each coefficient of each query that both runs have.

    >>> found = compare_runs({"q1": {"a": 3, "b": 2}}, {"q1": {"a": 5, "c": 1}}, k=2)
    >>> round(found.means["overlap"], 2)
    0.5
    """
    a, b = (run if isinstance(run, Run) else Run.read(run) for run in (run_a, run_b))
    options = {"rbo": {"p": p}}
    return RunCorrelations(
        {how: correlate_runs(a, b, how=how, k=k, **options.get(how, {})) for how in coefficients}
    )


def _cells(coefficient: Estimate, *, exact: bool) -> list[str]:
    """Write a value and its interval: each a cell for programs, one cell for people."""
    ends = coefficient.interval
    texts = [
        format_decimal(number, exact=exact) for number in (coefficient.value, ends.low, ends.high)
    ]
    return texts if exact else [f"{texts[0]} [{texts[1]}, {texts[2]}]"]


def _notes(found: Sequence[OrderAgreement]) -> list[str]:
    one = found[0]
    fewest = min(min(each.queries) for each in found)
    most = max(max(each.queries) for each in found)
    queries = counted(most, "query") if fewest == most else f"{fewest} to {most} queries"
    share = one.kendall.interval.confidence
    return [
        f"orders of {counted(len(one.systems), 'system')}, by {queries}",
        f"in brackets: {share:.0%} intervals of a bootstrap over queries",
    ]
