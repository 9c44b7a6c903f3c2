"""Reusability: what a system would lose that was not pooled, by leaving each one out.

The judgments that only one system (or one group of systems) brought into the pool are taken back,
as if it had never been pooled, and all systems are scored again. What it loses is what a new system
of its kind would lose on this collection. Zobel 1998, doi:10.1145/290941.291014; by groups, Buckley
et al. 2007, doi:10.1007/s10791-007-9032-x.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.progress import Progress
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import JudgmentArrays
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.notation import parse_all
from cleverdon.pooling.recall.judged_results import JudgedResults
from cleverdon.rank import RankedRun
from cleverdon.scores import average, has_no_value, why_no_value
from cleverdon.tables.result import as_json, fields_as_json


def _default_measures(rel: float = 1) -> tuple[str, str]:
    """Return the default measures; nDCG looks at grades.

    >>> _default_measures(2)
    ('AP(rel=2)', 'nDCG@10')
    """
    return f"AP(rel={rel:.15g})", "nDCG@10"


_EQUAL = 1e-12
"""Averages that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class LeaveOneOut:
    """The loss of a system by one measure if it had not been pooled."""

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
        return self.unpooled - self.pooled

    @property
    def relative(self) -> float:
        """The difference as a share of the average; NaN where that is 0."""
        return _relative(self.pooled, self.unpooled)

    @property
    def ranks_lost(self) -> int:
        return self.rank_unpooled - self.rank

    def to_dict(self) -> dict[str, Any]:
        return fields_as_json(self) | {"relative": as_json(self.relative)}


@dataclass(frozen=True)
class Reuse:
    """The losses of every system by every measure."""

    systems: tuple[LeaveOneOut, ...]
    depth: int  # of the pool
    known: bool  # whether that was given, or could be seen; else all results counted

    def of(self, measure: str | Measure) -> list[LeaveOneOut]:
        return [one for one in self.systems if str(one.measure) == str(measure)]

    def worst(self, measure: str | Measure) -> LeaveOneOut:
        """Return the system that loses the largest share."""
        listed = self.of(measure)
        known = [one for one in listed if not isnan(one.relative)] or listed
        sign = -1 if known[0].measure.better == "lower" else 1
        return min(known, key=lambda one: sign * one.relative)

    def fallen(self, measure: str | Measure) -> list[LeaveOneOut]:
        """Return the systems that lose ranks, those that lose most first."""
        fallen = [one for one in self.of(measure) if one.ranks_lost > 0]
        return sorted(fallen, key=lambda one: -one.ranks_lost)

    def mean_relative(self, measure: str | Measure) -> float:
        return _mean(one.relative for one in self.of(measure))

    def mean_others(self, measure: str | Measure) -> float:
        return _mean(one.others for one in self.of(measure))


def reuse_of(
    ranked: list[RankedRun],
    found: JudgedResults,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    groups: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Reuse:
    """Score every system with and without the judgments that it alone contributed.

    `groups` puts systems of a kind (a team's, a model's) together, to be left out at once.
    """
    wanted = parse_all(_default_measures(found.rel) if measures is None else measures)
    unfit = next(
        (measure for measure in wanted if measure.text or measure.uses_other_queries), None
    )
    if unfit is not None:
        raise OptionError(
            f"{unfit} is not a number, or looks at judgments of other queries: take another measure"
        )
    grouped = found.grouped(groups or {})
    hits = [run.hits for run in ranked]
    for measure in wanted:
        if measure.needs_docs and hits[0].judgments.docs is None:
            raise OptionError(f"{measure} is {why_no_value(measure, docs=None)}")
    # A system may lose all that is relevant, which counts as the worst; but nothing can be lost
    # where there is no value to begin with.
    lacking = [[has_no_value(m, m(run), undefined="worst") for m in wanted] for run in hits]
    before = np.where(lacking, nan, _averages(hits, wanted))
    results: list[LeaveOneOut] = []
    group_of = [(groups or {}).get(name, name) for name in found.systems]
    for number, group in enumerate(grouped.systems):
        if progress is not None:
            progress("leaving systems out", number, len(grouped.systems))
        alone = grouped.caught(number) & (grouped.times == 1)
        after = np.where(lacking, nan, _averages(_without_judgments(hits, alone), wanted))
        members = [at for at, name in enumerate(group_of) if name == group]
        others = [at for at, name in enumerate(group_of) if name != group]
        counts = (int(alone.sum()), int((alone & found.relevant).sum()))
        for m, measure in enumerate(wanted):
            averages = zip(before[others, m], after[others, m], strict=True)
            changes = _mean(_relative(*pair) for pair in averages)
            for system in members:
                results.append(
                    LeaveOneOut(
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


def _without_judgments(runs: list[Hits], alone: Bools) -> list[Hits]:
    """Return the hits as if these judgments had not been made."""
    kept = ~alone
    row = np.cumsum(kept) - 1  # where a judgment that is kept stands afterwards
    fewer: dict[
        int, JudgmentArrays
    ] = {}  # runs share their judgments, and measures what they keep of them
    made = []
    for hits in runs:
        left = hits.where(kept[hits.doc])
        judged = hits.judgments
        if id(judged) not in fewer:
            fewer[id(judged)] = _fewer_judgments(judged, kept, row)
        made.append(replace(left, doc=row[left.doc], judgments=fewer[id(judged)]))
    return made


def _fewer_judgments(judged: JudgmentArrays, kept: Bools, row: Ints) -> JudgmentArrays:
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
    """Average runs x measures; undefined values count as the worst."""
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
    """Average the known values; NaN where there is none."""
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan


def _rank(measure: Measure, averages: Floats, system: int) -> int:
    merit = -averages if measure.better == "lower" else averages
    return 1 + int((merit > merit[system] + _EQUAL).sum())
