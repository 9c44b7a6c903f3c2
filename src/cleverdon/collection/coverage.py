"""How well judgments cover what systems return: holes, the depth of the pool, who found what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.data import Judgments
from cleverdon.errors import OptionError, check_count
from cleverdon.pool.recall.catches import ALL, pool_depths, ranked_runs
from cleverdon.rank import Ranked

KS = (5, 10, 20, 100)
"""The cut-offs above which holes are counted."""
DEPTH = 100
"""So many results of each system and topic are looked at."""


@dataclass(frozen=True)
class Covered:
    """One system, and what of its results is judged."""

    system: str
    missing: tuple[str, ...]  # judged topics that its run lacks
    empty: tuple[str, ...]  # judged topics that its run has, without results
    holes: tuple[int, ...]  # at each k, results that nobody judged, over all topics
    returned: tuple[int, ...]  # at each k, results over all topics
    depth: int | None  # down to which all is pooled, on every topic; None: all of it
    median_depth: float | None  # the median over topics; None where on most topics all is pooled
    relevant: int  # relevant documents that it returned
    unique: int  # of these, the ones that no other system returned

    def share(self, at: int) -> float:
        """The share of its results that nobody judged, at one of the cut-offs."""
        return self.holes[at] / self.returned[at] if self.returned[at] else 0.0


@dataclass(frozen=True, eq=False)
class Coverage:
    """What of all systems' results is judged, on the topics that have judgments."""

    ks: tuple[int, ...]
    looked: int  # how many results of each system and topic were looked at
    systems: tuple[Covered, ...]
    topics: tuple[str, ...]  # with judgments, in their order
    holes: Ints  # cut-offs x systems x topics
    returned: Ints  # the same
    depth: int | None  # of the pool, as it seems: all that is above it is pooled; None: everything
    unfound: int  # relevant documents that no system returned
    in_no_run: tuple[str, ...]  # judged topics for which no system returned anything
    not_judged: int  # topics without judgments that some run has; of several runs, the most
    not_judged_names: tuple[str, ...]  # the first few of them


def coverage(
    judgments: Any,
    runs: Any,
    *,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
    **reading: Any,
) -> Coverage:
    """What of the first results of runs is judged.

    A hole is a result above a cut-off that nobody judged. The depth of the pool is the largest k
    such that the judgments mention all of every system's first k results: those that were pooled
    and not judged, with a grade below 0, are in the pool. Who found which relevant documents is
    counted within the first `depth` results.

    >>> found = coverage({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 3, "b": 2, "c": 1}}, ks=[2, 3])
    >>> found.systems[0].holes, found.depth
    ((0, 1), 2)
    """
    given = Judgments.read(judgments)
    return coverage_of(given, ranked_runs(given, runs, **reading), ks=ks, depth=depth, rel=rel)


def coverage_of(
    judgments: Judgments,
    ranked: Sequence[Ranked],
    *,
    ks: Sequence[int] = KS,
    depth: int = DEPTH,
    rel: float = 1,
) -> Coverage:
    """The same of runs that are ranked already."""
    wanted = tuple(dict.fromkeys(check_count("ks", k) for k in ks))
    if not wanted:
        raise OptionError("ks is empty: name a cut-off at least, above which to count holes")
    looked = max(check_count("depth", depth), *wanted)
    place = {query: at for at, query in enumerate(judgments.judged.queries)}
    order = np.array([place[query] for query in judgments.queries])
    counted = [_counted(run, wanted) for run in ranked]
    holes, returned = (
        np.stack([pair[side] for pair in counted], axis=1)[:, :, order] for side in (0, 1)
    )
    limits = np.array([_limits(run, looked) for run in ranked])[:, order]
    present: Bools = np.array([run.present for run in ranked])[:, order]
    relevant = judgments.judged.grade >= rel
    found = [run.hits.doc[(run.hits.rank <= depth) & relevant[run.hits.doc]] for run in ranked]
    times = np.bincount(np.concatenate(found), minlength=len(relevant))
    extra = max(ranked, key=lambda run: run.extra)
    rows = zip(ranked, holes.swapaxes(0, 1), returned.swapaxes(0, 1), limits, present, strict=True)
    return Coverage(
        ks=wanted,
        looked=looked,
        systems=tuple(
            Covered(
                system=run.name,
                missing=tuple(_named(judgments, ~has)),
                empty=tuple(_named(judgments, has & (run.hits.returned[order] == 0))),
                holes=tuple(open_.sum(axis=1).tolist()),
                returned=tuple(all_.sum(axis=1).tolist()),
                depth=_or_none(limit[has].min(initial=np.inf)),
                median_depth=_median(limit[has]),
                relevant=len(docs),
                unique=int((times[docs] == 1).sum()),
            )
            for (run, open_, all_, limit, has), docs in zip(rows, found, strict=True)
        ),
        topics=tuple(judgments.queries),
        holes=holes,
        returned=returned,
        depth=_or_none(limits.min(initial=np.inf)),
        unfound=int((relevant & (times == 0)).sum()),
        in_no_run=tuple(_named(judgments, (~present).all(axis=0))),
        not_judged=extra.extra,
        not_judged_names=extra.extra_names,
    )


def _named(judgments: Judgments, topics: Any) -> Iterator[str]:
    return (judgments.queries[t] for t in np.flatnonzero(topics))


def _counted(run: Ranked, ks: Sequence[int]) -> tuple[Ints, Ints]:
    """Cut-offs x topics: results that nobody judged, and all."""
    judged = run.hits.grade >= 0
    returned = np.array([np.minimum(run.hits.returned, k) for k in ks])
    return returned - [run.hits.count(judged & (run.hits.rank <= k)) for k in ks], returned


def _limits(run: Ranked, looked: int) -> Floats:
    """Of each topic, down to which rank results are pooled; infinite where all are that count."""
    depths = pool_depths(run.hits, judged=False)
    return np.where((depths == ALL) | (depths >= looked), np.inf, depths)


def _or_none(limit: float) -> int | None:
    return int(limit) if np.isfinite(limit) else None


def _median(limits: Floats) -> float | None:
    """The lower of the two in the middle, as infinity has no mean with a number."""
    if len(limits) == 0:
        return None
    middle = float(np.sort(limits)[(len(limits) - 1) // 2])
    return middle if np.isfinite(middle) else None
