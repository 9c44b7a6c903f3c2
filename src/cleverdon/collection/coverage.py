"""How well judgments cover what systems return: holes, the depth of the pool, who found what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.pool.contributions import Contributions, OfTopic, gather

KS = (5, 10, 20, 100)
"""The cut-offs above which holes are counted."""
DEPTH = 100
"""So many results of each system and topic are looked at."""


@dataclass(frozen=True)
class Covered:
    """One system, and what of its results is judged."""

    system: str
    missing: tuple[str, ...]  # judged topics that it returned nothing for
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
    not_judged: tuple[str, ...]  # topics of runs that have no judgments


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
    wanted = tuple(dict.fromkeys(ks))
    if not wanted or min(wanted) < 1:
        raise OptionError(f"ks={list(ks)}: cut-offs are whole numbers from 1 on")
    looked = max(*wanted, depth)
    found = gather(runs, depth=looked, **reading)
    known = frozenset(found.topics)
    if known.isdisjoint(given.queries):
        raise InputError(
            f"no query of the judgments is in any run: they have {given.queries[0]!r}, the runs "
            f"have {next(iter(found.topics), None)!r}"
        )
    shape = len(wanted), len(found.systems), len(given.queries)
    holes, returned = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    limits = np.full(shape[1:], np.inf)  # how deep each system's results are pooled
    relevant, unique = (np.zeros(len(found.systems), dtype=np.int64) for _ in range(2))
    unfound = 0
    for t, query in enumerate(given.queries):
        grades = given[query]
        total = sum(grade >= rel for grade in grades.values())
        if query not in known:
            unfound += total
            continue
        of = found.of(query)
        grade = np.array([grades.get(doc, np.nan) for doc in of.docs])
        holes[:, :, t], returned[:, :, t] = _holes(of, grade, wanted)
        limits[:, t] = _pooled(of, grade)
        contributed, alone = _contributed(of, grade >= rel, depth)
        relevant += contributed.sum(axis=1)
        unique += (contributed & alone).sum(axis=1)
        unfound += total - int(contributed.any(axis=0).sum())
    return Coverage(
        ks=wanted,
        looked=looked,
        systems=_systems(found, given, holes, returned, limits, relevant, unique),
        topics=tuple(given.queries),
        holes=holes,
        returned=returned,
        depth=_or_none(limits.min(initial=np.inf)),
        unfound=unfound,
        in_no_run=tuple(query for query in given.queries if query not in known),
        not_judged=tuple(topic for topic in found.topics if topic not in given),
    )


def _holes(of: OfTopic, grade: Floats, ks: Sequence[int]) -> tuple[Ints, Ints]:
    """Cut-offs x systems: results that nobody judged, and all."""
    open_ = ~(grade[of.doc] >= 0)
    above = [of.rank <= k for k in ks]
    holes = [np.bincount(of.system[rows & open_], minlength=of.systems) for rows in above]
    return np.array(holes), np.array(
        [np.bincount(of.system[rows], minlength=of.systems) for rows in above]
    )


def _pooled(of: OfTopic, grade: Floats) -> Floats:
    """Of each system, the rank above its first result that judgments do not mention."""
    limits = np.full(of.systems, np.inf)
    outside = np.isnan(grade[of.doc])
    np.minimum.at(limits, of.system[outside], of.rank[outside] - 1.0)
    return limits


def _contributed(of: OfTopic, relevant: Any, depth: int) -> tuple[Any, Any]:
    """Systems x documents: who returned which relevant one; and which have one finder only."""
    rows = (of.rank <= depth) & relevant[of.doc]
    by = np.zeros((of.systems, len(of.docs)), dtype=bool)
    by[of.system[rows], of.doc[rows]] = True
    return by, by.sum(axis=0) == 1


def _systems(
    found: Contributions,
    given: Judgments,
    holes: Ints,
    returned: Ints,
    limits: Floats,
    relevant: Ints,
    unique: Ints,
) -> tuple[Covered, ...]:
    has = returned[0] > 0
    made = []
    for s, name in enumerate(found.systems):
        of_topics = limits[s][has[s]]
        made.append(
            Covered(
                system=name,
                missing=tuple(given.queries[t] for t in np.flatnonzero(~has[s])),
                holes=tuple(holes[:, s].sum(axis=1).tolist()),
                returned=tuple(returned[:, s].sum(axis=1).tolist()),
                depth=_or_none(of_topics.min(initial=np.inf)),
                median_depth=_median(of_topics),
                relevant=int(relevant[s]),
                unique=int(unique[s]),
            )
        )
    return tuple(made)


def _or_none(limit: float) -> int | None:
    return int(limit) if np.isfinite(limit) else None


def _median(limits: Floats) -> float | None:
    """The lower of the two in the middle, as infinity has no mean with a number."""
    if len(limits) == 0:
        return None
    middle = float(np.sort(limits)[(len(limits) - 1) // 2])
    return middle if np.isfinite(middle) else None
