"""A pool: the documents that are to be judged, blind, and where each came from.

Within a topic the order is shuffled, so that it tells nothing of ranks. What judges get is the
sheet (`Pool.sheet`): queries and documents, and no more. Which system contributed a document at
which rank stays in the pool itself, for those who analyse it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import InputError, check_seed
from cleverdon.pool.contributions import Contributions, Contributor


@dataclass(frozen=True, eq=False)
class Pool:
    """Documents to judge, topic by topic, in the order in which they are judged.

    >>> from cleverdon.pool import depth_pool, gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> pool = depth_pool(gather(runs), k=1)
    >>> sorted(pool.sheet()), pool.contributions(pool.docs.index("d3"))
    ([('q1', 'd1'), ('q1', 'd3')], {'b': 1})
    """

    topics: tuple[str, ...]
    starts: Ints  # where each topic's documents start; one more entry than there are topics
    docs: list[str]  # shuffled within each topic
    drawn: Bools  # whether it is to be judged; in a sample, not all are
    contributors: tuple[Contributor, ...] = ()
    row_starts: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    system: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    rank: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    stratum: Ints | None = None  # from which stratum each document is
    probability: Floats | None = None  # with which it was to be drawn
    how: Mapping[str, Any] = field(default_factory=dict)  # by which method, with which options

    def __len__(self) -> int:
        """How many documents there are, those included that were not drawn."""
        return len(self.docs)

    def __repr__(self) -> str:
        to_judge = int(self.drawn.sum())
        return f"<Pool: {to_judge:,} documents to judge for {len(self.topics):,} topics>"

    def rows(self) -> Iterator[tuple[str, int]]:
        """Every document's topic, and its position."""
        bounds = self.starts.tolist()
        for topic, start, stop in zip(self.topics, bounds[:-1], bounds[1:], strict=True):
            for position in range(start, stop):
                yield topic, position

    def sheet(self, *, without: Bools | None = None) -> Iterator[tuple[str, str]]:
        """What judges see: every document that is to be judged, after its topic.

        `without` says which documents need no judge any more.
        """
        wanted = (self.drawn if without is None else self.drawn & ~without).tolist()
        return ((topic, self.docs[at]) for topic, at in self.rows() if wanted[at])

    def graded(self, grades: Mapping[str, Mapping[str, float]]) -> Bools:
        """Which documents have a grade already; one below 0 is none."""
        known = (grades.get(topic, {}).get(self.docs[at], -1) >= 0 for topic, at in self.rows())
        return np.fromiter(known, dtype=bool, count=len(self))

    def contributions(self, position: int) -> dict[str, int]:
        """Which systems returned the document at a position, and at which rank."""
        start, stop = self.row_starts[position : position + 2]
        rows = slice(int(start), int(stop))
        pairs = zip(self.system[rows].tolist(), self.rank[rows].tolist(), strict=True)
        return {self.contributors[system].name: rank for system, rank in pairs}


def pooled(
    found: Contributions,
    chosen: Ints,
    *,
    seed: int,
    how: Mapping[str, Any],
    drawn: Bools | None = None,
    stratum: Ints | None = None,
    probability: Floats | None = None,
) -> Pool:
    """The pool of the chosen documents (indices of `found`), shuffled within each topic.

    `drawn`, `stratum` and `probability` have an entry for each of them.
    """
    check_seed(seed)
    if len(chosen) == 0:
        raise InputError("the pool is empty: no system returned anything")
    random = np.random.default_rng(seed)
    # The keys are drawn in the order of topics and ids, so that the order of the runs is no matter.
    topic = found.topic_of_doc[chosen]
    order = np.lexsort((random.random(len(chosen)), topic))
    place = np.full(len(found), -1)
    place[chosen[order]] = np.arange(len(chosen))
    of_row = place[found.doc]
    rows = np.flatnonzero(of_row >= 0)
    rows = rows[np.argsort(of_row[rows], kind="stable")]
    counts = np.bincount(of_row[rows], minlength=len(chosen))
    sizes = np.bincount(topic, minlength=len(found.topics))
    kept = np.flatnonzero(sizes)
    return Pool(
        topics=tuple(found.topics[at] for at in kept),
        starts=np.concatenate(([0], np.cumsum(sizes[kept]))),
        docs=found.names(chosen[order]),
        drawn=np.ones(len(chosen), dtype=bool) if drawn is None else drawn[order],
        contributors=found.contributors,
        row_starts=np.concatenate(([0], np.cumsum(counts))),
        system=found.system[rows],
        rank=found.rank[rows],
        stratum=None if stratum is None else stratum[order],
        probability=None if probability is None else probability[order],
        how={**how, **_gathered(found), "seed": seed},
    )


def _gathered(found: Contributions) -> dict[str, int]:
    """How deep results were looked at, where not all were."""
    return {} if found.depth is None else {"depth": found.depth}
