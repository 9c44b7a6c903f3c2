"""A collection in numbers: judgments counted, hard queries, coverage of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.comparison.samples import samples
from cleverdon.data import Judgments
from cleverdon.errors import OptionError, check_count
from cleverdon.measures.base import Measure
from cleverdon.pooling.recall.judged_results import ALL_RANKS, pool_depths, ranked_runs
from cleverdon.rank import RankedRun
from cleverdon.scores import Scores
from cleverdon.tables.result import in_json

_MOST_SHARED = 5


def grades_json(counts: dict[float, int]) -> dict[str, int]:
    """Return counts by grade, as JSON has them."""
    return {f"{grade:g}": count for grade, count in counts.items()}


@dataclass(frozen=True)
class QueryCounts:
    """The judgments of one query, counted."""

    query: str
    judged: int  # documents with a grade from 0 on
    relevant: int
    unjudged: int  # pooled, not judged: a grade below 0
    grades: dict[float, int] = field(metadata=in_json("grades", grades_json))  # the lowest first


@dataclass(frozen=True)
class Description:
    """Counts that describe a set of judgments."""

    queries: tuple[QueryCounts, ...]
    grades: dict[float, int]  # how many judgments have it, the lowest first
    rel: float  # from which grade on a document is relevant
    documents: int  # different ones, over all queries
    shared: int  # documents that are judged for several queries
    relevant_documents: int  # different ones, over all queries
    relevant_to_several: int  # of these, the ones that are relevant to several queries
    most_shared: tuple[tuple[str, int], ...]  # documents with most queries, and how many

    @property
    def judged(self) -> int:
        return sum(one.judged for one in self.queries)

    @property
    def relevant(self) -> int:
        return sum(one.relevant for one in self.queries)

    @property
    def unjudged(self) -> int:
        return sum(one.unjudged for one in self.queries)

    @property
    def without_relevant(self) -> tuple[str, ...]:
        """The queries without a relevant document."""
        return tuple(one.query for one in self.queries if not one.relevant)

    @property
    def graded(self) -> bool:
        """Tell whether relevant documents have more than one grade."""
        return sum(grade >= self.rel for grade in self.grades) > 1


def describe(judgments: Any, *, rel: float = 1) -> Description:
    """Count judgments by query, by grade and by document.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        rel: The lowest grade that is relevant.

    Returns:
        The counts.

    >>> found = describe({"q1": {"a": 2, "b": 0, "c": -1}, "q2": {"a": 1}})
    >>> found.judged, found.relevant, found.grades, found.shared
    (3, 2, {-1.0: 1, 0.0: 1, 1.0: 1, 2.0: 1}, 1)
    """
    given = Judgments.read(judgments)
    queries = []
    in_all: Counter[float] = Counter()
    times: Counter[str] = Counter()
    relevant_times: Counter[str] = Counter()
    for query in given.queries:
        grades = given[query]
        counts = Counter(grades.values())
        in_all.update(counts)
        times.update(grades.keys())  # a dict would add its values up
        relevant = [doc for doc, grade in grades.items() if grade >= rel]
        relevant_times.update(relevant)
        unjudged = sum(count for grade, count in counts.items() if grade < 0)
        queries.append(
            QueryCounts(
                query=query,
                judged=len(grades) - unjudged,
                relevant=len(relevant),
                unjudged=unjudged,
                grades=dict(sorted(counts.items())),
            )
        )
    shared = {doc: count for doc, count in times.items() if count > 1}
    most = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0].encode()))
    return Description(
        queries=tuple(queries),
        grades=dict(sorted(in_all.items())),
        rel=rel,
        documents=len(times),
        shared=len(shared),
        relevant_documents=len(relevant_times),
        relevant_to_several=sum(count > 1 for count in relevant_times.values()),
        most_shared=tuple(most[:_MOST_SHARED]),
    )


_EQUAL = 1e-12
"""Values that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class QueryScore:
    """The scores of all systems on one query."""

    query: str = field(metadata=in_json(None))
    mean: float  # over systems
    spread: float  # the standard deviation over systems; NaN of one system
    low: float
    high: float
    best: str | None  # the system that does best; None where several do


@dataclass(frozen=True)
class Difficulty:
    """All queries by how hard they are, the hardest first."""

    measure: Measure
    systems: tuple[str, ...]
    queries: tuple[QueryScore, ...]


def query_difficulty(scores: Scores, measure: str | Measure | None = None) -> Difficulty:
    """Order queries by their mean score over all systems; an undefined value is the worst.

    Args:
        scores: What `evaluate` returned.
        measure: One of its measures; by default the first.

    Returns:
        The scores of each query, the hardest first.

    >>> from cleverdon import evaluate
    >>> x, y = {"q1": {"a": 1}, "q2": {"c": 2, "b": 1}}, {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> found = query_difficulty(evaluate(qrels, {"x": x, "y": y}, "RR"))
    >>> [(one.query, one.mean, one.best) for one in found.queries]
    [('q2', 0.75, 'y'), ('q1', 1.0, None)]
    """
    wanted = scores.measures[0] if measure is None else measure
    (sample,) = samples(scores, measures=[wanted])
    if sample.measure.better == "neither":
        raise OptionError(f"{sample.measure} does not say which queries are hard")
    sign = -1 if sample.measure.better == "lower" else 1
    found = []
    for t, query in enumerate(sample.queries):
        values = sample.values[:, t]
        merits = sign * values
        best, *others = np.flatnonzero(merits >= merits.max() - _EQUAL).tolist()
        found.append(
            QueryScore(
                query=query,
                mean=float(values.mean()),
                spread=float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
                low=float(values.min()),
                high=float(values.max()),
                best=None if others or len(values) == 1 else sample.systems[best],
            )
        )
    found.sort(key=lambda one: sign * round(one.mean, 12))
    return Difficulty(sample.measure, sample.systems, tuple(found))


KS = (5, 10, 20, 100)
"""The cut-offs above which holes are counted."""
DEPTH = 100
"""The number of results of each system and query that are looked at."""


@dataclass(frozen=True)
class SystemCoverage:
    """One system, and what of its results is judged."""

    system: str
    missing: tuple[str, ...] = field(metadata=in_json("queries_missing"))  # from its run
    empty: tuple[str, ...] = field(metadata=in_json("queries_without_results"))
    holes: tuple[int, ...]  # at each k, results that nobody judged, over all queries
    returned: tuple[int, ...]  # at each k, results over all queries
    shares: tuple[float, ...]  # at each k, of results that nobody judged
    depth: int | None  # down to which all is pooled, on every query; None: all of it
    median_depth: float | None  # the median over queries; None where on most queries all is pooled
    relevant: int  # relevant documents that it returned
    unique: int  # of these, the ones that no other system returned


@dataclass(frozen=True, eq=False)
class Coverage:
    """The judged share of all systems' results, on the queries with judgments."""

    ks: tuple[int, ...]
    looked: int  # how many results of each system and query were looked at
    depth: int | None  # of the pool, as it seems: all that is above it is pooled; None: everything
    unfound: int  # relevant documents that no system returned
    in_no_run: tuple[str, ...] = field(metadata=in_json("queries_in_no_run"))
    not_judged: int = field(metadata=in_json("queries_not_judged"))
    """Queries without judgments that some run has; of several runs, the most."""
    systems: tuple[SystemCoverage, ...]
    queries: tuple[str, ...] = field(metadata=in_json(None))  # with judgments, in their order
    holes: Ints = field(metadata=in_json(None))  # cut-offs x systems x queries
    returned: Ints = field(metadata=in_json(None))  # the same
    not_judged_names: tuple[str, ...] = field(metadata=in_json(None))  # the first few


def coverage(
    judgments: Any,
    runs: Any,
    *,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
    **reading: Any,
) -> Coverage:
    """Measure how much of the first results of runs is judged.

    A hole is a result above a cut-off that nobody judged. The depth of the pool is the largest k
    such that the judgments mention all of every system's first k results.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        runs: The runs by name, or files.
        ks: The cut-offs above which holes are counted.
        depth: The number of results in which relevant documents are counted.
        rel: The lowest grade that is relevant.
        reading: How runs are read: `run_format`, `order_by`.

    Returns:
        The coverage of each system, and of all.

    >>> found = coverage({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 3, "b": 2, "c": 1}}, ks=[2, 3])
    >>> found.systems[0].holes, found.depth
    ((0, 1), 2)
    """
    given = Judgments.read(judgments)
    return coverage_of(given, ranked_runs(given, runs, **reading), ks=ks, depth=depth, rel=rel)


def coverage_of(
    judgments: Judgments,
    ranked: Sequence[RankedRun],
    *,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
) -> Coverage:
    """Measure the coverage of runs that are ranked already."""
    wanted = tuple(dict.fromkeys(check_count("ks", k) for k in ks))
    if not wanted:
        raise OptionError("ks is empty: name a cut-off at least, above which to count holes")
    looked = max(check_count("depth", depth), *wanted)
    place = {query: at for at, query in enumerate(judgments.judged.queries)}
    order = np.array([place[query] for query in judgments.queries])
    counted = [_count_unjudged(run, wanted) for run in ranked]
    holes, returned = (
        np.stack([pair[side] for pair in counted], axis=1)[:, :, order] for side in (0, 1)
    )
    limits = np.array([_limits(run, looked) for run in ranked])[:, order]
    present: Bools = np.array([run.present for run in ranked])[:, order]
    relevant = judgments.judged.grade >= rel
    found = [run.hits.doc[(run.hits.rank <= depth) & relevant[run.hits.doc]] for run in ranked]
    times = np.bincount(np.concatenate(found), minlength=len(relevant))
    extra = max(ranked, key=lambda run: run.extra)

    def named(which: Any) -> tuple[str, ...]:
        return tuple(judgments.queries[t] for t in np.flatnonzero(which))

    rows = zip(ranked, holes.swapaxes(0, 1), returned.swapaxes(0, 1), limits, present, strict=True)
    return Coverage(
        ks=wanted,
        looked=looked,
        systems=tuple(
            SystemCoverage(
                system=run.name,
                missing=named(~has),
                empty=named(has & (run.hits.returned[order] == 0)),
                holes=tuple(open_.sum(axis=1).tolist()),
                returned=tuple(all_.sum(axis=1).tolist()),
                shares=tuple((open_.sum(axis=1) / np.maximum(all_.sum(axis=1), 1)).tolist()),
                depth=_or_none(limit[has].min(initial=np.inf)),
                median_depth=_median(limit[has]),
                relevant=len(docs),
                unique=int((times[docs] == 1).sum()),
            )
            for (run, open_, all_, limit, has), docs in zip(rows, found, strict=True)
        ),
        queries=tuple(judgments.queries),
        holes=holes,
        returned=returned,
        depth=_or_none(limits.min(initial=np.inf)),
        unfound=int((relevant & (times == 0)).sum()),
        in_no_run=named(~present.any(axis=0)),
        not_judged=extra.extra,
        not_judged_names=extra.extra_names,
    )


def _count_unjudged(run: RankedRun, ks: Sequence[int]) -> tuple[Ints, Ints]:
    """Cut-offs x queries: results that nobody judged, and all results."""
    judged = run.hits.grade >= 0
    returned = np.array([np.minimum(run.hits.returned, k) for k in ks])
    return returned - [run.hits.count(judged & (run.hits.rank <= k)) for k in ks], returned


def _limits(run: RankedRun, looked: int) -> Floats:
    """Return the rank down to which each query's results are pooled; infinite if all are."""
    depths = pool_depths(run.hits, judged=False)
    return np.where((depths == ALL_RANKS) | (depths >= looked), np.inf, depths)


def _or_none(limit: float) -> int | None:
    return int(limit) if np.isfinite(limit) else None


def _median(limits: Floats) -> float | None:
    if len(limits) == 0:
        return None
    # The lower of the two in the middle, as infinity has no mean with a number.
    middle = float(np.sort(limits)[(len(limits) - 1) // 2])
    return middle if np.isfinite(middle) else None
