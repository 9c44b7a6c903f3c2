"""Judged results: the judged documents that systems returned, their ranks, and their saturation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.progress import Progress
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_count, suggest
from cleverdon.formats.inputs import named_runs
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import JudgmentArrays
from cleverdon.rank import RankedRun, rank
from cleverdon.settings import Settings

ALL_RANKS = int(np.iinfo(np.int64).max)
"""The depth of what is judged down to its last result: no rank reaches it."""


@dataclass(frozen=True, eq=False)
class JudgedResults:
    """The judged documents that each system returned, with their ranks: rows sorted by system."""

    systems: tuple[str, ...]
    judged: JudgmentArrays
    system: Ints
    doc: Ints  # a row of the judgments
    rank: Ints
    rel: float  # from which grade on a document is relevant
    depth: int  # down to which rank results count: that of the pool
    depths: Ints  # of each system, down to which rank all its results are judged
    known: bool  # whether the depth was given, or could be seen

    @cached_property
    def relevant(self) -> Bools:
        return self.judged.grade >= self.rel

    @cached_property
    def pooled(self) -> Bools:
        """The rows that are judged and within the depth of the pool."""
        return (self.rank <= self.depth) & (self.judged.grade[self.doc] >= 0)

    @cached_property
    def times(self) -> Ints:
        """The number of systems that pooled each judgment's document."""
        return np.bincount(self.doc[self.pooled], minlength=len(self.judged.grade))

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each judgment's document; 0 where no system returned it."""
        best = np.full(len(self.judged.grade), ALL_RANKS)
        np.minimum.at(best, self.doc, self.rank)
        return np.where(best == ALL_RANKS, 0, best)

    def caught(self, system: int) -> Bools:
        """Tell of each judgment whether a system pooled its document."""
        rows = np.zeros(len(self.judged.grade), dtype=bool)
        rows[self.doc[self.pooled & (self.system == system)]] = True
        return rows

    def per_query(self, rows: Bools) -> Ints:
        return self.judged.count(rows)

    @cached_property
    def alike(self) -> tuple[tuple[str, str], ...]:
        """Pairs of systems with the same judged documents at the same ranks."""
        first: dict[bytes, str] = {}
        pairs = []
        for number, name in enumerate(self.systems):
            rows = np.flatnonzero(self.system == number)
            rows = rows[np.argsort(self.doc[rows], kind="stable")]
            if len(rows):
                key = np.stack((self.doc[rows], self.rank[rows])).tobytes()
                if first.setdefault(key, name) != name:
                    pairs.append((first[key], name))
        return tuple(pairs)

    def grouped(self, groups: Mapping[str, str]) -> JudgedResults:
        """Replace systems by groups: a group found what any of its systems found."""
        unknown = next((name for name in groups if name not in self.systems), None)
        if unknown is not None:
            raise InputError(
                f"the groups have a system {unknown!r} that is none of the runs"
                f"{suggest(unknown, self.systems)}"
            )
        named = [groups.get(name, name) for name in self.systems]
        names = tuple(dict.fromkeys(named))
        group = np.array([names.index(name) for name in named])[self.system]
        # The best rank within a group comes first, and is the one that is kept.
        order = np.lexsort((self.rank, self.doc, group))
        group, doc = group[order], self.doc[order]
        first = np.ones(len(group), dtype=bool)
        first[1:] = (np.diff(group) != 0) | (np.diff(doc) != 0)
        depths = np.array(
            [min(self.depths[at] for at, of in enumerate(named) if of == name) for name in names]
        )
        return replace(
            self,
            systems=names,
            system=group[first],
            doc=doc[first],
            rank=self.rank[order][first],
            depths=depths,
        )


def ranked_runs(
    judgments: Judgments,
    runs: Any,
    *,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | None = None,
) -> list[RankedRun]:
    """Rank runs and join them with the judgments, each under its own name."""
    settings = Settings(order_by=order_by)
    found: list[RankedRun] = []
    for name, run in named_runs(runs, judgments.queries):
        found.append(
            rank(judgments, run, settings=settings, name=name, format=run_format, progress=progress)
        )
    names = [run.name for run in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two runs are called {twice!r}; give them names: {{'name': run}}")
    return found


def find_judged_results(
    judgments: Judgments, ranked: Iterable[RankedRun], *, rel: float = 1, depth: int | None = None
) -> JudgedResults:
    """Find the judged documents of runs; the default depth is where all results are judged."""
    if depth is not None:
        depth = check_count("depth", depth)
    runs = list(ranked)
    depths = np.array([int(pool_depths(run.hits).min(initial=ALL_RANKS)) for run in runs])
    deepest = max((int(run.hits.returned.max(initial=0)) for run in runs), default=0)
    seen = int(min(depths.min(initial=ALL_RANKS), deepest))
    system = np.repeat(np.arange(len(runs)), [len(run.hits.doc) for run in runs])
    none = np.zeros(0, dtype=np.int64)
    return JudgedResults(
        systems=tuple(run.name for run in runs),
        judged=judgments.judged,
        system=system,
        doc=np.concatenate([none, *(run.hits.doc for run in runs)]),
        rank=np.concatenate([none, *(run.hits.rank for run in runs)]),
        rel=rel,
        depth=depth or seen or max(deepest, 1),
        depths=depths,
        known=depth is not None or seen > 0,
    )


def pool_depths(hits: Hits, *, judged: bool = True) -> Ints:
    """Return the rank down to which all results of a query are pooled; `ALL_RANKS` for all.

    >>> from cleverdon.data import Judgments
    >>> qrels = Judgments.read({"q": {"a": 1, "b": -1}})
    >>> hits = rank(qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}).hits
    >>> pool_depths(hits).tolist(), pool_depths(hits, judged=False).tolist()
    ([1], [2])
    """
    inside = hits.where(hits.grade >= 0) if judged else hits
    # Ranks of pooled results are 1, 2, 3, ... until the first that is not in the pool.
    unbroken = np.bincount(inside.query[inside.rank == inside.ordinal], minlength=len(inside))
    depths: Ints = np.where(unbroken < inside.returned, unbroken, ALL_RANKS)
    return depths


# A curve that is still rising at its end says that more is to be found there. How many documents
# some of the systems find, on average over all choices of so many, has a closed form: a document
# that n of S systems found is missed by s of them with the chance C(S - n, s) / C(S, s).

_DEPTHS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000)


@dataclass(frozen=True)
class SaturationStep:
    """A part of the pool: its first ranks, or some of the systems."""

    size: int
    judged: float  # documents in it; on average, where there are several such parts
    relevant: float


@dataclass(frozen=True)
class Saturation:
    """The growth of a pool by depth and by systems, and its slopes at the end."""

    by_depth: tuple[SaturationStep, ...]
    by_systems: tuple[SaturationStep, ...]
    next_system: SaturationStep  # what one more system of the same kind would bring, at most
    next_ranks: SaturationStep  # what as many more ranks would bring if they were as the last ones

    @property
    def rising(self) -> float:
        """The share by which the last system raised what was found."""
        found = self.by_systems[-1].relevant
        return self.next_system.relevant / found if found else 0.0


def saturation(found: JudgedResults) -> Saturation:
    """Measure the growth of a pool, down to its depth.

    >>> from cleverdon.data import Judgments
    >>> from cleverdon.pooling.recall.judged_results import find_judged_results as find, ranked_runs
    >>> qrels = Judgments.read({"q": {"a": 1, "b": 0, "c": 1}})
    >>> runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}}
    >>> curves = saturation(find(qrels, ranked_runs(qrels, runs)))
    >>> [step.relevant for step in curves.by_depth], [step.relevant for step in curves.by_systems]
    ([2.0, 2.0], [1.5, 2.0])
    """
    if not found.systems:
        raise OptionError("saturation needs at least one system")
    best = np.where(found.times > 0, found.best_rank, 0)
    depths = [depth for depth in _DEPTHS if depth < found.depth] + [found.depth]
    by_depth = tuple(_down_to(found, best, depth) for depth in depths)
    systems = len(found.systems)
    curves = [_expected_found(found.times[rows], systems) for rows in (best > 0, found.relevant)]
    by_systems = tuple(
        SaturationStep(size, float(judged), float(relevant))
        for size, judged, relevant in zip(range(1, systems + 1), *curves, strict=True)
    )
    once = found.times == 1
    bring = SaturationStep(
        1, int(once.sum()) / systems, int((once & found.relevant).sum()) / systems
    )
    return Saturation(by_depth, by_systems, bring, _last_ranks(found, best))


def _expected_found(times: Ints, systems: int) -> Floats:
    """Return the mean number of documents that 1, 2, ... systems find.

    >>> _expected_found(np.array([1, 1, 2]), 2).tolist()
    [2.0, 3.0]
    """
    by_times = np.bincount(times, minlength=systems + 1)[1:]
    often = np.arange(1, systems + 1)
    missed = np.ones(systems)  # of a document that so many systems found
    curve = np.zeros(systems)
    for size in range(systems):
        # The next system misses it too: so many of those that are left do.
        missed = missed * np.maximum(systems - often - size, 0) / (systems - size)
        curve[size] = (by_times * (1 - missed)).sum()
    return curve


def _down_to(found: JudgedResults, best: Ints, depth: int) -> SaturationStep:
    rows = (best > 0) & (best <= depth)
    return SaturationStep(depth, float(rows.sum()), float((rows & found.relevant).sum()))


def _last_ranks(found: JudgedResults, best: Ints) -> SaturationStep:
    """Return the growth over the last ten ranks, or the last half of a shallow pool."""
    ranks = min(10, found.depth // 2)
    if not ranks:  # a pool of first results only: what a second one brings cannot be guessed
        return SaturationStep(0, 0.0, 0.0)
    whole, before = (_down_to(found, best, depth) for depth in (found.depth, found.depth - ranks))
    return SaturationStep(ranks, whole.judged - before.judged, whole.relevant - before.relevant)
