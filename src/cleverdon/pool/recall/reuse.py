"""Would a system that was not pooled be underrated? Leave one out, and see.

The judgments that only one system (or one group of systems) brought into the pool are taken back,
as if it had never been pooled, and all systems are scored again. What it loses is what a new system
of its kind would lose on this collection. Zobel 1998, doi:10.1145/290941.291014; by groups, Buckley
et al. 2007, doi:10.1007/s10791-007-9032-x.

`reuse(judgments, runs, measures, depth=...)` is what other packages call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon.aggregate import average, unknown, why_unknown, worst_value
from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.judged import Judged
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.pool.recall.catches import Catches, find, ranked_runs
from cleverdon.rank import Ranked


def default_measures(rel: float = 1) -> tuple[str, str]:
    """By which systems are scored where nothing else is asked for; nDCG looks at grades.

    >>> default_measures(2)
    ('AP(rel=2)', 'nDCG@10')
    """
    return f"AP(rel={rel:.15g})", "nDCG@10"


_EQUAL = 1e-12
"""Averages that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class LeftOut:
    """What a system loses by one measure where it is not pooled."""

    system: str
    group: str  # with which it was left out; its own name where it was by itself
    measure: Measure
    judged: int  # judgments that only its group contributed
    relevant: int  # how many of these say relevant
    pooled: float  # the average, as it is
    unpooled: float  # and without these judgments
    rank: int  # among all systems, from 1; those that tie share the best rank
    rank_unpooled: int
    others: float = nan  # the mean relative change of the other systems, by the same judgments

    @property
    def difference(self) -> float:
        """Below 0 where the system would be underrated."""
        return self.unpooled - self.pooled

    @property
    def relative(self) -> float:
        """The difference as a share of what the average is; NaN where that is 0."""
        return _relative(self.pooled, self.unpooled)

    @property
    def ranks_lost(self) -> int:
        """How many ranks the system falls; below 0 where it rises."""
        return self.rank_unpooled - self.rank


@dataclass(frozen=True)
class Reuse:
    """Of every system by every measure."""

    systems: tuple[LeftOut, ...]
    depth: int  # of the pool
    known: bool  # whether that was given, or could be seen; else all results counted

    def of(self, measure: str | Measure) -> list[LeftOut]:
        """By one measure."""
        return [one for one in self.systems if str(one.measure) == str(measure)]

    def worst(self, measure: str | Measure) -> LeftOut:
        """The system that loses most, as a share of what it has."""
        listed = self.of(measure)
        known = [one for one in listed if not isnan(one.relative)] or listed
        return min(known, key=lambda one: _merit(one.measure, one.relative))

    def fallen(self, measure: str | Measure) -> list[LeftOut]:
        """The systems that lose ranks, those that lose most first."""
        fallen = [one for one in self.of(measure) if one.ranks_lost > 0]
        return sorted(fallen, key=lambda one: -one.ranks_lost)

    def mean_relative(self, measure: str | Measure) -> float:
        """The mean of the relative differences; NaN where no system has one."""
        return _mean(one.relative for one in self.of(measure))

    def mean_others(self, measure: str | Measure) -> float:
        """The same of what the others change by, meanwhile."""
        return _mean(one.others for one in self.of(measure))


def reuse(
    judgments: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    depth: int | None = None,
    groups: Mapping[str, str] | None = None,
    rel: float = 1,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Callable[[int, int], object] | None = None,
) -> Reuse:
    """Every system, scored with and without the judgments that it alone contributed.

    `depth` is that of the pool; without it, down to where all results are judged. `groups` puts
    systems that are of a kind (a team's, a model's) together, to be left out at once. `progress` is
    told how many were left out, and of how many.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"c": 2.0, "a": 1.0}}}
    >>> lost = reuse(qrels, runs, "AP").worst("AP")
    >>> lost.system, lost.pooled, lost.unpooled, lost.rank, lost.rank_unpooled
    ('y', 1.0, 0.5, 1, 2)
    """
    read = Judgments.read(judgments)
    ranked = ranked_runs(read, runs, run_format=run_format, order_by=order_by)
    return reuse_of(
        ranked,
        find(read, ranked, rel=rel, depth=depth),
        measures,
        groups=groups,
        progress=progress,
    )


def reuse_of(
    ranked: list[Ranked],
    found: Catches,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    groups: Mapping[str, str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Reuse:
    """The same of runs that are ranked already."""
    wanted = parse_all(default_measures(found.rel) if measures is None else measures)
    unfit = next((measure for measure in wanted if measure.text or measure.looks_elsewhere), None)
    if unfit is not None:
        raise OptionError(
            f"{unfit} is no number, or looks at judgments of other topics: take another measure"
        )
    grouped = found.grouped(groups or {})
    hits = [run.hits for run in ranked]
    for measure in wanted:
        if measure.needs_docs and hits[0].judgments.docs is None:
            raise OptionError(f"{measure} is {why_unknown(measure, docs=None)}")
    # A system may lose all that is relevant, which counts as the worst; but nothing can be lost
    # where there is no value to begin with.
    lacking = [[unknown(m, m(run), undefined="worst") for m in wanted] for run in hits]
    before = np.where(lacking, nan, _averages(hits, wanted))
    results: list[LeftOut] = []
    group_of = [(groups or {}).get(name, name) for name in found.systems]
    for number, group in enumerate(grouped.systems):
        if progress is not None:
            progress(number, len(grouped.systems))
        alone = grouped.caught(number) & (grouped.times == 1)
        after = np.where(lacking, nan, _averages(_without(hits, alone), wanted))
        members = [at for at, name in enumerate(group_of) if name == group]
        others = [at for at, name in enumerate(group_of) if name != group]
        counts = (int(alone.sum()), int((alone & found.relevant).sum()))
        for m, measure in enumerate(wanted):
            averages = zip(before[others, m], after[others, m], strict=True)
            changes = _mean(_relative(*pair) for pair in averages)
            for system in members:
                results.append(
                    LeftOut(
                        found.systems[system],
                        group,
                        measure,
                        *counts,
                        pooled=float(before[system, m]),
                        unpooled=float(after[system, m]),
                        rank=_rank(measure, before[:, m], system),
                        rank_unpooled=_rank(measure, after[:, m], system),
                        others=changes,
                    )
                )
    place = {name: at for at, name in enumerate(found.systems)}
    results.sort(key=lambda one: place[one.system])
    return Reuse(tuple(results), found.depth, found.known)


def _without(runs: list[Hits], alone: Bools) -> list[Hits]:
    """The hits as if these judgments had not been made, without reading the runs again."""
    kept = ~alone
    row = np.cumsum(kept) - 1  # where a judgment that is kept stands afterwards
    fewer: dict[int, Judged] = {}  # runs share their judgments, and measures what they keep of them
    made = []
    for hits in runs:
        left = hits.where(kept[hits.doc])
        judged = hits.judgments
        if id(judged) not in fewer:
            fewer[id(judged)] = _fewer(judged, kept, row)
        made.append(replace(left, doc=row[left.doc], judgments=fewer[id(judged)]))
    return made


def _fewer(judged: Judged, kept: Bools, row: Ints) -> Judged:
    subtopics = judged.subtopics
    if subtopics is not None:
        rows = kept[subtopics.doc]
        subtopics = replace(
            subtopics,
            doc=row[subtopics.doc[rows]],
            subtopic=subtopics.subtopic[rows],
            grade=subtopics.grade[rows],
        )
    return replace(
        judged,
        starts=np.concatenate(([0], np.cumsum(judged.count(kept)))),
        grade=judged.grade[kept],
        second=None if judged.second is None else judged.second[kept],
        subtopics=subtopics,
        stratum=None if judged.stratum is None else judged.stratum[kept],
        probability=None if judged.probability is None else judged.probability[kept],
    )


def _averages(runs: list[Hits], measures: tuple[Measure, ...]) -> Floats:
    """Runs x measures; what is undefined counts as the worst value."""
    averages = np.empty((len(runs), len(measures)))
    for r, hits in enumerate(runs):
        for m, measure in enumerate(measures):
            values = measure(hits)
            values = np.where(np.isnan(values), worst_value(measure), values)
            averages[r, m] = average(measure, values)
    return averages


def _relative(before: float, after: float) -> float:
    return float((after - before) / abs(before)) if before else nan


def _mean(values: Iterable[float]) -> float:
    """Of those that are known; NaN where none is."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _merit(measure: Measure, value: float) -> float:
    return -value if measure.better == "lower" else value


def _rank(measure: Measure, averages: Floats, system: int) -> int:
    """One more than how many are better."""
    merit = -averages if measure.better == "lower" else averages
    return 1 + int((merit > merit[system] + _EQUAL).sum())
