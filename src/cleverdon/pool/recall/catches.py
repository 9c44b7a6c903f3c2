"""Which judged documents systems returned, and at which rank: what recall is estimated from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.data import Judgments
from cleverdon.errors import InputError, check_count, suggest
from cleverdon.evaluation import named_runs
from cleverdon.hits import Hits
from cleverdon.judged import Judged
from cleverdon.rank import Ranked, rank
from cleverdon.settings import Settings

Progress = Callable[[str, int, int], object]
"""Is told a run's name, how much of it is read, and of how much."""

ALL = int(np.iinfo(np.int64).max)
"""The depth of what is judged down to its last result: no rank reaches it."""


@dataclass(frozen=True, eq=False)
class Catches:
    """Rows sorted by system: a judged document that a system returned, and its rank."""

    systems: tuple[str, ...]
    judged: Judged
    system: Ints
    doc: Ints  # a row of the judgments
    rank: Ints
    rel: float  # from which grade on a document is relevant
    depth: int  # down to which rank results count: that of the pool
    depths: Ints  # of each system, down to which rank all its results are judged
    known: bool  # whether the depth was given, or could be seen

    @cached_property
    def relevant(self) -> Bools:
        """Of each judgment, whether it says relevant."""
        return self.judged.grade >= self.rel

    @cached_property
    def pooled(self) -> Bools:
        """Of each row, whether it stands above the depth of the pool, and was judged."""
        return (self.rank <= self.depth) & (self.judged.grade[self.doc] >= 0)

    @cached_property
    def times(self) -> Ints:
        """Of each judgment, how many systems had its document in the pool."""
        return np.bincount(self.doc[self.pooled], minlength=len(self.judged.grade))

    @cached_property
    def best_rank(self) -> Ints:
        """Of each judgment, the best rank that any system gave its document; 0 where none did."""
        best = np.full(len(self.judged.grade), ALL)
        np.minimum.at(best, self.doc, self.rank)
        return np.where(best == ALL, 0, best)

    def caught(self, system: int) -> Bools:
        """Of each judgment, whether this system had its document in the pool."""
        rows = np.zeros(len(self.judged.grade), dtype=bool)
        rows[self.doc[self.pooled & (self.system == system)]] = True
        return rows

    def per_topic(self, rows: Bools) -> Ints:
        """How many of these judgments each topic has."""
        return self.judged.count(rows)

    @cached_property
    def alike(self) -> tuple[tuple[str, str], ...]:
        """Systems that have the same judged documents at the same ranks as one before them."""
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

    def grouped(self, groups: Mapping[str, str]) -> Catches:
        """The same with groups in the place of systems: what any of a group found.

        A system that is in no group stays by itself.
        """
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
) -> list[Ranked]:
    """Runs, ranked and joined with the judgments, each under a name of its own."""
    settings = Settings(order_by=order_by)
    found: list[Ranked] = []
    for name, run in named_runs(runs, judgments.queries):
        watch = None
        if progress is not None:
            tell, label = progress, name or "run"
            watch = lambda done, total, tell=tell, label=label: tell(label, done, total)  # noqa: E731
        found.append(
            rank(judgments, run, settings=settings, name=name, format=run_format, progress=watch)
        )
    names = [run.name for run in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two runs are called {twice!r}; give them names: {{'name': run}}")
    return found


def find(
    judgments: Judgments, ranked: Iterable[Ranked], *, rel: float = 1, depth: int | None = None
) -> Catches:
    """What systems found of the judged documents.

    `depth` is that of the pool. Where it is not given it is what all systems' results are judged
    down to; and where not even their first ones are, all results count.
    """
    if depth is not None:
        depth = check_count("depth", depth)
    runs = list(ranked)
    depths = np.array([int(pool_depths(run.hits).min(initial=ALL)) for run in runs])
    deepest = max((int(run.hits.returned.max(initial=0)) for run in runs), default=0)
    seen = int(min(depths.min(initial=ALL), deepest))
    system = np.repeat(np.arange(len(runs)), [len(run.hits.doc) for run in runs])
    none = np.zeros(0, dtype=np.int64)
    return Catches(
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
    """Of each topic, down to which rank all results of a run are in the pool.

    With `judged`, those are that have a grade; without, those too that were pooled and not judged,
    whose grade is below 0. Where all results are, it is `ALL`.

    >>> from cleverdon.data import Judgments
    >>> qrels = Judgments.read({"q": {"a": 1, "b": -1}})
    >>> hits = rank(qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}).hits
    >>> pool_depths(hits).tolist(), pool_depths(hits, judged=False).tolist()
    ([1], [2])
    """
    inside = hits.where(hits.grade >= 0) if judged else hits
    # Ranks of pooled results are 1, 2, 3, ... until the first that is not in the pool.
    unbroken = np.bincount(inside.query[inside.rank == inside.ordinal], minlength=len(inside))
    depths: Ints = np.where(unbroken < inside.returned, unbroken, ALL)
    return depths
