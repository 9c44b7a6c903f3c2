"""Judgments that other judges of the same kind could have made, and runs scored by them.

Judges are drawn with replacement from those who judged, and each document's labels are aggregated
again. A judge who is drawn twice has two votes. Runs are ranked and joined with the judgments once:
a resample only changes grades. Many resamples are scored at once, as if each were a part of one
long list of queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.text import counted
from cleverdon.agreement.aggregation import aggregate_labels, grades_of_votes
from cleverdon.agreement.labels import Labels, judgments_of_items
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED, JudgmentArrays
from cleverdon.measures.base import Measure, worst_value
from cleverdon.rank import RankedRun
from cleverdon.settings import Settings
from cleverdon.stats.resampling import STATISTICS, FunctionOfMean

_TILE_ROWS = 1 << 17  # rows of results and judgments that are scored together
_BLOCK = 4_000_000  # votes that are held at a time


class _QueryVotes(NamedTuple):
    """The votes of the disputed documents of one query."""

    first: int  # of the disputed rows of all queries
    last: int
    judges: Ints  # by their places among all judges
    given: Floats  # judges x (rows x grades): 1 where the judge gave the row the grade


@dataclass(frozen=True, eq=False)
class LabelledDocuments:
    """The labels of every document as votes, in the order of the judgments' arrays.

    Attributes:
        labels: The labels.
        judgments: The judgments that were aggregated from all of them.
        method: The method of aggregation.
        ties: The rule where no grade has most votes.
        items: The place in the labels of each row of the judgments.
    """

    labels: Labels
    judgments: Judgments
    method: str
    ties: str
    items: Ints

    @classmethod
    def of(cls, labels: Labels, *, method: str, ties: str, seed: int) -> LabelledDocuments:
        """Aggregate the labels, and find each document's place in the judgments."""
        found = aggregate_labels(labels, method, vote_ties=ties, seed=seed)
        if not labels.shared.any():
            documents = counted(len(found.items), "document")
            raise InputError(
                f"each of {documents} has one judge only: judging noise is seen where two judges "
                "judged the same document"
            )
        # The judgments sort documents by their own rule: numbers in place of grades tell it.
        numbers = np.arange(len(found.items), dtype=float)
        numbered = judgments_of_items(labels, found.items, numbers, name=method)
        items = found.items[numbered.judged.grade.astype(np.int64)]
        return cls(labels, found.judgments, method, ties, items)

    @cached_property
    def shared(self) -> Bools:
        """Which rows have labels of two judges at least."""
        return np.asarray(self.labels.shared[self.items])

    @cached_property
    def judges(self) -> Ints:
        """The judges of these documents, by their columns in the labels."""
        known = self.labels.judged[self.items[self.shared]]
        return np.flatnonzero(known.any(axis=0))

    @cached_property
    def effective_judges(self) -> float:
        """The number of judges, fewer where some judged most: (Σn)² / Σn²."""
        counts = self.labels.judged[self.items[self.shared]].sum(axis=0).astype(float)
        return float(counts.sum() ** 2 / (counts**2).sum())

    @cached_property
    def correction(self) -> float:
        """The factor by which the variance of resampled judgments falls short.

        Labels that are drawn with replacement from m vary by (m - 1) / m less than new ones. Where
        a document has only m of J judges, the others of its judges move with each one that is
        drawn, and the factor is (m / (m - 1))² (J - 1) / J, which is m / (m - 1) where m = J.
        Documents of different m count by how far their judges differ.
        """
        grades = self.labels.grade[self.items[self.shared]]
        weights = np.nanvar(grades, axis=1)
        if not weights.any():
            return 1.0
        m, judges = (~np.isnan(grades)).sum(axis=1), len(self.judges)
        factors = (m / (m - 1)) ** 2 * (judges - 1) / judges
        return float(factors @ weights / weights.sum())

    @cached_property
    def _disputed(self) -> Ints:
        """The rows whose grade can change: judges differ."""
        level = self.labels.level[self.items].astype(np.int64)
        highest = level.max(axis=1)
        lowest = np.where(level >= 0, level, highest[:, None]).min(axis=1)
        return np.flatnonzero(self.shared & (highest > lowest))

    @cached_property
    def _by_query(self) -> list[_QueryVotes]:
        """The votes of the disputed rows of each query that has any."""
        rows, level = self._disputed, self.labels.level[self.items]
        places = {judge: at for at, judge in enumerate(self.judges.tolist())}
        grades = np.arange(len(self.labels.grades))
        found = []
        # The disputed rows of each query are together.
        edges = np.searchsorted(rows, self.judgments.judged.starts).tolist()
        for first, last in pairwise(edges):
            if first == last:
                continue
            of_query = level[rows[first:last]]
            known = np.flatnonzero((of_query >= 0).any(axis=0))
            given = np.asarray(of_query[:, known].T[:, :, None] == grades, dtype=np.float64)
            judges = np.array([places[judge] for judge in known.tolist()])
            found.append(_QueryVotes(first, last, judges, given.reshape(len(known), -1)))
        return found

    def resampled(self, resamples: int, *, whole: bool, seed: int) -> Iterator[Floats]:
        """Yield the grades of resampled judgments, block by block: resamples x rows.

        Args:
            resamples: How many.
            whole: Whether a judge who is drawn is drawn for all queries; otherwise judges are drawn
                for each query anew, and their labels of one query stay together.
            seed: The seed.
        """
        judged = self.judgments.judged
        rows, judges, levels = self._disputed, len(self.judges), len(self.labels.grades)
        random = np.random.default_rng([seed, whole])
        held = max(len(rows) * levels, len(judged.grade), judges)
        size = max(1, min(resamples, _BLOCK // held))
        everyone = np.full(judges, 1 / judges)
        for start in range(0, resamples, size):
            count = min(size, resamples - start)
            votes = np.zeros((count, len(rows), levels), dtype=np.int64)
            drawn = random.multinomial(judges, everyone, size=count)
            for one in self._by_query:
                if whole:
                    times = drawn[:, one.judges]
                else:
                    # As if all judges were drawn: those of other queries are counted together.
                    own = len(one.judges)
                    chances = np.append(everyone[:own], max(0.0, 1 - own / judges))
                    times = random.multinomial(judges, chances, size=count)[:, :own]
                found = (times @ one.given).reshape(count, -1, levels)
                votes[:, one.first : one.last] = np.rint(found)
            self._draw_again(votes, random)
            grades = np.repeat(judged.grade[None], count, axis=0)
            if len(rows):
                chosen = grades_of_votes(
                    votes.reshape(-1, levels),
                    self.labels.grades,
                    self.method,
                    ties=self.ties,
                    seed=int(random.integers(2**32)),
                )
                grades[:, rows] = chosen.reshape(count, len(rows))
            yield grades

    def _draw_again(self, votes: Ints, random: np.random.Generator) -> None:
        """Draw labels of their own for documents of which no judge was drawn."""
        block, row = np.nonzero(votes.sum(axis=2) == 0)
        if len(row):
            level = self.labels.level[self.items[self._disputed[row]]]
            given = np.stack([(level == k).sum(axis=1) for k in range(votes.shape[2])], axis=1)
            counts = given.sum(axis=1)
            votes[block, row] = random.multinomial(counts, given / counts[:, None])


@dataclass(frozen=True, eq=False)
class ResampledAverages:
    """Averages of systems by resampled judgments, and tests of their differences.

    Attributes:
        averages: Resamples x systems x measures.
        differences: Resamples x pairs x measures: of the averages.
        errors: The same: mean differences by query, in standard errors; infinite where all
            differences are equal and not 0, NaN where there is one query only.
    """

    averages: Floats
    differences: Floats
    errors: Floats

    @classmethod
    def joined(cls, parts: Sequence[ResampledAverages]) -> ResampledAverages:
        """Return several blocks as one."""
        columns = ("averages", "differences", "errors")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))


@dataclass(frozen=True, eq=False)
class Rescorer:
    """Scores runs that are ranked already by judgments of the same documents.

    Attributes:
        judged: The judgments by which the runs were ranked.
        runs: The runs.
        measures: The measures.
        settings: Which queries count, and what undefined values count as.
        pairs: The systems to compare, by their places.
    """

    judged: JudgmentArrays
    runs: Sequence[RankedRun]
    measures: Sequence[Measure]
    settings: Settings
    pairs: Sequence[tuple[int, int]]

    def averages(self, grades: Floats) -> ResampledAverages:
        """Return averages and tests by these grades: resamples x rows of the judgments."""
        return self.averages_of(self.values(grades), self._counted(grades))

    def averages_of(self, values: Floats, counted: Bools) -> ResampledAverages:
        """Return averages and tests of values on the queries that count in each resample."""
        if self.settings.undefined == "skip":
            counted = counted & ~np.isnan(values).any(axis=(1, 2))
        n = counted.sum(axis=1).astype(float)
        count, systems, measures, _ = values.shape
        averages = np.full((count, systems, measures), np.nan)
        shape = (count, len(self.pairs), measures)
        differences, errors = np.full(shape, np.nan), np.full(shape, np.nan)
        first, second = (np.array([pair[side] for pair in self.pairs]) for side in (0, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            for m, measure in enumerate(self.measures):
                statistic = STATISTICS[measure.average]
                assert isinstance(statistic, FunctionOfMean)
                of = np.where(np.isnan(values[:, :, m]), worst_value(measure), values[:, :, m])
                of = np.where(counted[:, None], statistic.before(of), 0.0)
                means = of.sum(axis=2) / n[:, None]
                averages[:, :, m] = statistic.after(means, n[:, None])
                differences[:, :, m] = averages[:, first, m] - averages[:, second, m]
                rows = of[:, first] - of[:, second]
                mean = rows.sum(axis=2) / n[:, None]
                off = np.where(counted[:, None], rows - mean[..., None], 0.0)
                variance = (off**2).sum(axis=2) / (n[:, None] - 1)
                flat = variance <= 1e-24
                error = np.sqrt(variance / n[:, None])
                sure = np.where(np.abs(mean) > 1e-12, np.sign(mean) * np.inf, 0.0)
                tested = np.where(flat, sure, mean / error)
                errors[:, :, m] = np.where(n[:, None] > 1, tested, np.nan)
        return ResampledAverages(averages, differences, errors)

    def _counted(self, grades: Floats) -> Bools:
        """Return which queries count: resamples x queries."""
        queries = len(self.judged.starts) - 1
        kept = np.ones((len(grades), queries), dtype=bool)
        if self.settings.missing != "empty":
            kept &= np.all([run.present for run in self.runs], axis=0)
        if self.settings.no_relevant == "skip":
            relevant = np.add.reduceat(grades > 0, self.judged.starts[:-1], axis=1)
            kept &= relevant > 0
        return kept

    def values(self, grades: Floats) -> Floats:
        """Return resamples x systems x measures x queries."""
        queries, rows = len(self.judged.starts) - 1, len(self.judged.grade)
        found = np.empty((len(grades), len(self.runs), len(self.measures), queries))
        most = max((len(run.hits.query) for run in self.runs), default=0)
        size = max(1, _TILE_ROWS // max(1, rows + most))
        # One highest grade for all resamples of a tile, as if each were evaluated by itself.
        tops = np.maximum(grades.max(axis=1, initial=0), 0)
        for top in np.unique(tops):
            alike = np.flatnonzero(tops == top)
            for start in range(0, len(alike), size):
                some = alike[start : start + size]
                judged = _tiled_judgments(self.judged, grades[some], float(top))
                for r, run in enumerate(self.runs):
                    tiles: dict[int, Hits] = {}
                    for m, measure in enumerate(self.measures):
                        hits = run.hits_by(self.settings, elsewhere=measure.uses_other_queries)
                        if id(hits) not in tiles:
                            tiles[id(hits)] = _tiled_hits(hits, judged, len(some))
                        scored = measure(tiles[id(hits)])
                        found[some, r, m] = scored.reshape(len(some), queries)
        return found


def _tiled_judgments(judged: JudgmentArrays, grades: Floats, top: float) -> JudgmentArrays:
    """Return many versions of the judgments one after the other, as if of other queries."""
    times, rows = grades.shape
    starts = (np.arange(times)[:, None] * rows + judged.starts[:-1]).ravel()
    return replace(
        judged,
        queries=list(judged.queries) * times,
        starts=np.append(starts, times * rows),
        grade=np.ascontiguousarray(grades).ravel(),
        top_grade=top,
    )


def _tiled_hits(hits: Hits, judged: JudgmentArrays, times: int) -> Hits:
    """Return the hits once for each version of the judgments."""
    rows = len(judged.grade) // times
    number = np.repeat(np.arange(times), len(hits.query))
    query = np.tile(hits.query, times) + number * len(hits)
    doc = np.tile(hits.doc, times)
    doc = np.where(doc >= 0, doc + number * rows, NOT_JUDGED)
    return Hits(
        query=query,
        rank=np.tile(hits.rank, times),
        grade=np.where(doc >= 0, judged.grade[doc], NOT_JUDGED),
        doc=doc,
        tied_from=np.tile(hits.tied_from, times),
        tied_to=np.tile(hits.tied_to, times),
        returned=np.tile(hits.returned, times),
        judgments=judged,
    )
