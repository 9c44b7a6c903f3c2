"""Recall of a pool and of runs: all estimates at once, and the decision whether to stop judging."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments
from cleverdon.errors import InputError, MissingExtra, OptionError, check_count, check_within
from cleverdon.formats.attributes import read_pairs
from cleverdon.measures.base import Measure
from cleverdon.pooling.choices import PRECISION, TARGET
from cleverdon.pooling.recall.capture import (
    Dependence,
    dependence,
    estimate_by_chao,
    estimate_by_chapman,
)
from cleverdon.pooling.recall.estimates import MethodEstimates
from cleverdon.pooling.recall.judged_results import (
    JudgedResults,
    Saturation,
    find_judged_results,
    ranked_runs,
    saturation,
)
from cleverdon.pooling.recall.reuse import Reuse, reuse_of
from cleverdon.pooling.recall.samples import (
    JudgedSample,
    SampledStratum,
    SheetFit,
    estimate_from_sample,
    read_sample,
)
from cleverdon.rank import RankedRun
from cleverdon.stats.sampling import sample_size
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart

SAMPLE = "sample"
"""The method that needs no systems to be independent."""


@dataclass(frozen=True)
class RunRecall:
    """The number of relevant documents that a run returned, at any rank."""

    system: str = field(metadata=in_json(None))
    found: int
    recall: tuple[float, float, float]  # estimate, low and high end; NaN where there is none


@dataclass(frozen=True)
class PoolCounts:
    """The number of judged and relevant documents of a query."""

    judged: int
    relevant: int


@dataclass(frozen=True)
class Recall(Result):
    """Estimates of the number of relevant documents, from judgments, runs and a sample.

    Attributes:
        pool: The numbers of judged and relevant documents of each query.
        uncaught: Relevant documents that no system returned down to the depth of the pool.
        unreturned: Of these, the ones that no system returned at any rank.
        docs: The number of documents of the collection.
        depth: The depth of the pool.
        depth_known: True if the depth was given or could be seen.
        least_judged: The system whose results are judged least far down.
        alike: Pairs of systems that are the same, as far as judgments can tell.
        estimates: The estimates by each method; the one that counts most is first.
        runs: The recall of each run.
        saturation: The growth of the pool with depth and with systems.
        dependence: The overlap of systems; None for one system.
        reuse: The scores of systems without the judgments that they alone contributed.
        precision: The wanted half width of the interval of recall.
        target: The recall that is enough.
        confidence: The confidence of all intervals.
        needed: The number of documents to draw and judge for the precision.
        sample_judged: The number of documents of the sample that were judged.
        filled: The fit of the sample's sheet to what was drawn.
        rel: The lowest grade that is relevant.
        highest: The highest grade in the pool; below 0 where nothing is judged.
        notes: Warnings on the sample.

    >>> qrels = {"q1": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"c": 2.0, "a": 1.0}}}
    >>> estimate_recall(qrels, runs).best.method
    'lincoln-petersen'
    """

    pool: dict[str, PoolCounts] = field(metadata=in_json(None))
    uncaught: int = field(metadata=in_json(None))
    unreturned: int = field(metadata=in_json(None))
    docs: int | None
    depth: int = field(metadata=in_json(None))
    depth_known: bool = field(metadata=in_json(None))
    least_judged: str = field(metadata=in_json(None))
    alike: tuple[tuple[str, str], ...]
    estimates: tuple[MethodEstimates, ...] = field(
        metadata=in_json("estimates", lambda all_: {each.method: each for each in all_})
    )
    runs: tuple[RunRecall, ...] = field(
        metadata=in_json("runs", lambda runs: {run.system: run for run in runs})
    )
    saturation: Saturation
    dependence: Dependence | None
    reuse: Reuse | None = field(metadata=in_json("reuse", lambda reuse: reuse and reuse.systems))
    precision: float
    target: float
    confidence: float
    needed: int | None = field(metadata=in_json("sample_needed"))
    sample_judged: int = 0
    filled: SheetFit | None = field(default=None, metadata=in_json("sheet"))
    rel: float = field(default=1, metadata=in_json(None))
    highest: float = field(default=1, metadata=in_json(None))
    notes: tuple[str, ...] = field(default=(), metadata=in_json(None))

    def sections(self, *, exact: bool = False, per_query: bool = False) -> list[Section]:
        """Return tables: estimates, recall of runs, saturation, overlap of systems, reuse.

        Args:
            exact: Write all digits, and every number of systems.
            per_query: Add the estimates of each query.
        """
        from cleverdon.pooling.recall.tables import recall_sections  # it needs this class

        return recall_sections(self, exact=exact, per_query=per_query)

    def plot(self) -> Chart:
        """Draw the saturation of the pool."""
        from cleverdon.pooling.plots import saturation  # altair is optional, and slow

        return saturation(self)

    def closing(self) -> list[str]:
        """Return advice on whether to stop judging."""
        from cleverdon.pooling.recall.advice import recall_advice  # it needs this class

        return recall_advice(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, the decision and the advice."""
        return {
            "queries": len(self.queries),
            "judged": self.judged,
            "relevant": self.relevant,
            "depth": self.depth if self.depth_known else None,
            "not_returned": {"down_to_depth": self.uncaught, "at_any_rank": self.unreturned},
            **super().to_dict(),
            "decision": self.decision,
            "decided_for": len(self.told),
            "decision_for_these": "stop" if self.complete else self.decision_as_told,
            "advice": list(self.closing()),
        }

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that have judgments."""
        return tuple(self.pool)

    @property
    def judged(self) -> int:
        """The number of documents in the pool."""
        return sum(each.judged for each in self.pool.values())

    @property
    def relevant(self) -> int:
        """The number of relevant documents in the pool."""
        return sum(each.relevant for each in self.pool.values())

    @property
    def best(self) -> MethodEstimates | None:
        """The most reliable estimate that what is known does not refute."""
        return next((each for each in self.estimates if not each.all.refuted), None)

    @property
    def told(self) -> tuple[str, ...]:
        """The queries that `best` covers; all where there is none."""
        return tuple(self.best.queries) if self.best else self.queries

    @property
    def partial(self) -> bool:
        """True if `best` does not cover all queries."""
        return len(self.told) < len(self.pool)

    @property
    def complete(self) -> bool:
        """True if every document of the collection is judged for every query."""
        return self.docs is not None and self.judged == self.docs * len(self.queries)

    @property
    def bounded(self) -> bool:
        """True if capture-recapture can be taken for a lower bound of R.

        It is one where systems tend to find the same, or are independent. Where they complement
        each other it is too high; and of two systems nobody can say which it is.
        """
        seen = self.dependence
        return seen is not None and seen.direction in ("positive", "none")

    @property
    def decision(self) -> str:
        """stop, go on, or open: whether the recall that is enough is reached, over all queries.

        Where some queries were not sampled it is open, whatever the others say.
        """
        if self.complete:
            return "stop"
        return "open" if self.partial else self.decision_as_told

    @property
    def decision_as_told(self) -> str:
        """The same decision for the queries that `best` covers.

        A sample has an interval on both sides. Capture-recapture gives a lower bound of R at best,
        so the recall by it is an upper one: it can say that more is to be found, where even the
        high end of recall is below the target, and never that enough is found.
        """
        if self.best is None:
            return "open"
        value, low, high = self.best.all.recall()
        if isnan(value):
            return "open"
        by_sample = self.best.method == SAMPLE
        if by_sample and low >= self.target:
            return "stop"
        return "go on" if high < self.target and (by_sample or self.bounded) else "open"


@shows_progress("estimating recall")
def estimate_recall(
    qrels: Any,
    runs: Any,
    *,
    sample: str | os.PathLike[str] | JudgedSample | Sequence[SampledStratum] | None = None,
    drawn: str | os.PathLike[str] | None = None,
    sample_format: str | None = None,
    docs: int | None = None,
    depth: int | None = None,
    rel: float = 1,
    groups: str | os.PathLike[str] | Mapping[str, str] | None = None,
    measures: str | Measure | Iterable[str | Measure] = (),
    reusing: bool = True,
    half_width: float = PRECISION,
    target_recall: float = TARGET,
    confidence: float = 0.95,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> Recall:
    """Estimate the number of relevant documents, and the recall of the pool and of each run.

    Args:
        qrels: The judgments of the pool.
        runs: The runs that were pooled, as `evaluate` takes them.
        sample: Judgments of a sample of the documents that are not in the pool: a file, what
            `read_sample` returned, or its strata.
        drawn: With a file of `sample`, the file that says how it was drawn.
        sample_format: With a file of `sample` and without `drawn`: see `read_sample`.
        docs: The number of documents of the collection.
        depth: The depth of the pool; by default down to where all results are judged.
        rel: The lowest grade that is relevant.
        groups: The group of each run, or a file of them. A group counts as one system.
        measures: The measures by which runs are scored without what they alone contributed; by
            default AP with `rel`, and nDCG@10.
        reusing: Score runs without what they alone contributed.
        half_width: The wanted half width of the interval of recall.
        target_recall: The recall that is enough.
        confidence: The confidence of all intervals.
        qrels_format: The format of the judgments, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The estimates by each method, and the decision whether to stop judging.

    >>> qrels = {"q1": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"c": 2.0, "a": 1.0}}}
    >>> found = estimate_recall(qrels, runs)
    >>> [(each.method, each.all.value) for each in found.estimates], found.decision
    ([('lincoln-petersen', 3.5), ('chao', 3.25)], 'open')
    """
    progress = as_callback(progress)
    check_within("half_width", half_width, 0, 1)
    check_within("target_recall", target_recall, 0, 1)
    check_within("confidence", confidence, 0, 1)
    docs = None if docs is None else check_count("docs", docs)
    if isinstance(groups, (str, os.PathLike)):
        groups = read_pairs(groups, ("run", "group"), headings=("system",))
    read = Judgments.read(qrels, format=qrels_format)
    if isinstance(sample, (str, os.PathLike)):
        sample = read_sample(sample, read, drawn=drawn, format=sample_format, docs=docs, rel=rel)
    elif sample is not None and not isinstance(sample, JudgedSample):
        sample = JudgedSample(sample)
    sampled = sample.documents if sample else {}
    docs = docs if sample is None or sample.docs is None else sample.docs
    read = read.noting(docs=docs)
    pool = _pool_judgments(read, sampled)
    ranked = ranked_runs(pool, runs, run_format=run_format, order_by=order_by)
    found = find_judged_results(pool, ranked, rel=rel, depth=depth)
    grouped = found.grouped(groups or {})
    by_query = (
        found.per_query(rows).tolist() for rows in (found.judged.grade >= 0, found.relevant)
    )
    counted = dict(zip(found.judged.queries, map(PoolCounts, *by_query), strict=True))
    if docs is not None:
        _check_docs(docs, counted, read, sampled, ranked)
    several = len(grouped.systems) > 1
    estimates = _method_estimates(
        grouped, counted, sample.strata if sample else None, docs, confidence
    )
    best = next((each for each in estimates if not each.all.refuted), None)
    told = best.queries if best else ()
    return Recall(
        pool=counted,
        uncaught=int((found.relevant & (found.times == 0)).sum()),
        unreturned=int((found.relevant & (found.best_rank == 0)).sum()),
        docs=docs,
        depth=found.depth,
        depth_known=found.known,
        least_judged=found.systems[int(found.depths.argmin())],
        alike=grouped.alike,
        estimates=estimates,
        runs=_run_recalls(found, best),
        saturation=saturation(grouped),
        dependence=dependence(grouped, confidence=confidence) if several else None,
        reuse=(
            reuse_of(ranked, found, measures or None, groups=groups, progress=progress)
            if several and reusing
            else None
        ),
        precision=half_width,
        target=target_recall,
        confidence=confidence,
        needed=_needed_sample(best, counted, docs, half_width, confidence) if best else None,
        sample_judged=(
            sum(part.drawn for part in sample.strata if part.query in told) if sample else 0
        ),
        filled=sample.fit if sample else None,
        rel=rel,
        highest=float(found.judged.grade.max(initial=-1)),
        notes=sample.notes if sample else (),
    )


def _pool_judgments(judgments: Judgments, sampled: Mapping[str, Iterable[str]]) -> Judgments:
    if not any(query in judgments for query in sampled):
        return judgments
    kept = {
        query: {doc: grade for doc, grade in judgments[query].items() if doc not in drawn}
        for query in judgments.queries
        for drawn in [set(sampled.get(query, ()))]
    }
    kept = {query: grades for query, grades in kept.items() if grades}
    if not kept:
        raise InputError("all judgments are of the sample, and none is of a pool")
    return Judgments.read(kept, name=judgments.name).noting(docs=judgments.notes.docs)


def _check_docs(
    docs: int,
    counted: Mapping[str, PoolCounts],
    judgments: Judgments,
    sampled: Mapping[str, Iterable[str]],
    ranked: Sequence[RankedRun],
) -> None:
    """Refuse a collection that is smaller than the number of known documents."""
    smaller = "and the collection cannot be smaller"
    largest = max(counted, key=lambda query: counted[query].judged, default="")
    if largest and counted[largest].judged > docs:
        raise OptionError(
            f"docs={docs}: query {largest!r} alone has {counted[largest].judged:,} judged "
            f"documents, {smaller}"
        )
    known = {doc for query in judgments.queries for doc in judgments[query]}
    known.update(*sampled.values())
    if len(known) > docs:
        raise OptionError(
            f"docs={docs}: the judgments have {len(known):,} different documents, {smaller}"
        )
    for run in ranked:
        longest = int(run.hits.returned.max(initial=0))
        if longest > docs:
            raise OptionError(
                f"docs={docs}: run {run.name!r} returned {longest:,} documents for a query, "
                f"{smaller}"
            )


def _method_estimates(
    found: JudgedResults,
    counted: Mapping[str, PoolCounts],
    sample: Sequence[SampledStratum] | None,
    docs: int | None,
    confidence: float,
) -> tuple[MethodEstimates, ...]:
    estimates = []
    known = {query: each.relevant for query, each in counted.items()}
    if sample is not None:
        estimates.append(estimate_from_sample(known, sample, confidence=confidence))
    if len(found.systems) == 2:
        estimates.append(estimate_by_chapman(found, confidence=confidence).knowing(known))
    if len(found.systems) > 1:
        estimates.append(estimate_by_chao(found, confidence=confidence).knowing(known))
    if docs is None:
        return tuple(estimates)
    most = {query: each.relevant + docs - each.judged for query, each in counted.items()}
    return tuple(each.at_most(most) for each in estimates)


def _run_recalls(found: JudgedResults, best: MethodEstimates | None) -> tuple[RunRecall, ...]:
    runs = []
    counts = [best is None or query in best.queries for query in found.judged.queries]
    for number, system in enumerate(found.systems):
        rows = found.doc[found.system == number]
        rows = rows[found.relevant[rows]]
        query = found.judged.query[rows]
        count = sum(counts[at] for at in query.tolist())
        ends = best.all.recall(count) if best else (float("nan"),) * 3
        runs.append(RunRecall(system, count, ends))
    return tuple(runs)


def _needed_sample(
    best: MethodEstimates,
    counted: Mapping[str, PoolCounts],
    docs: int | None,
    precision: float,
    confidence: float,
) -> int | None:
    """Return the size of a sample that would settle it, if as much is missing as estimated."""
    pools = [counted[query] for query in best.queries]
    found = sum(each.relevant for each in pools)
    if docs is None or not found:
        return None
    sizes = [docs - each.judged for each in pools]
    whole = sum(sizes)
    if not whole:
        return 0
    share = min(best.all.missing / whole, 1.0)
    try:
        return sample_size(
            sizes,
            [share] * len(sizes),
            half_width=precision,
            found=found,
            how="equal",
            confidence=confidence,
        )
    except MissingExtra:  # a figure that one can do without
        return None
