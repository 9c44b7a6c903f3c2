"""Which system returned which document at which rank: what all pooling starts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon import _core
from cleverdon.arrays import Floats, Ints
from cleverdon.data import Run
from cleverdon.errors import InputError, check_count
from cleverdon.evaluation import named_runs
from cleverdon.pool.fusion import best_ranks

Progress = Callable[[str, int, int], object]
"""Is told a run's name, how much of it is read, and of how much."""


@dataclass(frozen=True)
class Contributor:
    """A system whose results are in a pool."""

    name: str
    source: str = ""  # the file of its run, if any
    digest: str = ""  # BLAKE3 of that file


@dataclass(frozen=True, eq=False)
class OfTopic:
    """What systems returned for one topic: rows sorted by system, then rank."""

    topic: str
    docs: list[str]  # in bytewise order
    system: Ints  # an index into the systems
    doc: Ints  # an index into `docs`
    rank: Ints  # from 1
    score: Floats
    systems: int  # how many there are, with those that returned nothing here

    @cached_property
    def rankings(self) -> list[Ints]:
        """Of each system, the documents (indices) in the order of its ranking."""
        bounds = np.searchsorted(self.system, np.arange(self.systems + 1))
        return [self.doc[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def best_rank(self) -> Ints:
        """Of each document, the best rank that any system gave it."""
        return best_ranks(self.doc, self.rank, len(self.docs))


@dataclass(frozen=True, eq=False)
class Contributions:
    """What systems returned: rows sorted by topic, system and rank, and documents by topic and id.

    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> found = gather(runs)
    >>> found.of("q1").docs, found.rank.tolist(), found.doc.tolist()
    (['d1', 'd2', 'd3'], [1, 2, 1, 2], [0, 1, 2, 0])
    """

    contributors: tuple[Contributor, ...]
    topics: tuple[str, ...]  # in bytewise order
    doc_starts: Ints  # where each topic's documents start; one more entry than there are topics
    row_starts: Ints  # where each topic's rows start; the same
    system: Ints  # of each row, an index into the systems
    doc: Ints  # of each row, an index into all documents, one topic's after the other's
    rank: Ints  # from 1, in Cleverdon's order: by falling score, then falling id
    score: Floats
    documents: _core.Gathered  # names them, when they are asked for
    depth: int | None  # how many results of each system and topic are here; None: all
    empty: Counter[str] = field(default_factory=Counter)
    """By topic, how many systems found nothing for it."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(each.name for each in self.contributors)

    def __len__(self) -> int:
        """How many documents there are, over all topics."""
        return int(self.doc_starts[-1])

    @cached_property
    def topic_of_row(self) -> Ints:
        """Of each row, an index into the topics."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.row_starts))

    @cached_property
    def topic_of_doc(self) -> Ints:
        """Of each document, an index into the topics."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.doc_starts))

    @cached_property
    def best_rank(self) -> Ints:
        """Of each document, the best rank that any system gave it."""
        return best_ranks(self.doc, self.rank, len(self))

    @cached_property
    def systems_of_topic(self) -> Ints:
        """Of each topic, how many systems returned anything for it."""
        return np.bincount(self.topic_of_row[self.rank == 1], minlength=len(self.topics))

    def ids(self, topic: int) -> list[str]:
        """The documents of a topic (by its index), in bytewise order."""
        return self.documents.docs(int(self.doc_starts[topic]), int(self.doc_starts[topic + 1]))

    def names(self, docs: Ints) -> list[str]:
        """The ids of documents, by their indices, which stand topic by topic."""
        named: list[str] = []
        bounds = np.searchsorted(self.topic_of_doc[docs], np.arange(len(self.topics) + 1))
        # One topic after the other, so that not all have to be texts at the same time.
        for topic in np.flatnonzero(np.diff(bounds)).tolist():
            ids = self.ids(topic)
            rows = docs[bounds[topic] : bounds[topic + 1]] - self.doc_starts[topic]
            named += [ids[row] for row in rows.tolist()]
        return named

    def of(self, topic: str) -> OfTopic:
        """One topic's part."""
        if topic not in self._positions:
            raise InputError(f"no system returned anything for topic {topic!r}")
        at = self._positions[topic]
        rows = slice(int(self.row_starts[at]), int(self.row_starts[at + 1]))
        doc = self.doc[rows] - self.doc_starts[at]
        return OfTopic(
            topic,
            self.ids(at),
            self.system[rows],
            doc,
            self.rank[rows],
            self.score[rows],
            len(self.contributors),
        )

    def each(self) -> Iterator[OfTopic]:
        """Every topic's part."""
        return map(self.of, self.topics)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: position for position, topic in enumerate(self.topics)}


def gather(
    runs: Any,
    *,
    depth: int | None = None,
    format: str | None = None,
    order_by: str = "score",
    progress: Progress | None = None,
) -> Contributions:
    """What systems returned, down to `depth`: of files, dicts, data frames or `Run`s.

    Several runs are a list, or a dict from names to runs, as for `evaluate`.
    """
    if depth is not None:
        depth = check_count("depth", depth)
    contributors: list[Contributor] = []
    gathering = _core.Gathering(depth)
    empty: Counter[str] = Counter()
    for name, given in named_runs(runs):
        watch = None if progress is None else partial(progress, name or "run")
        run = Run.read(given, format=format, order_by=order_by, name=name, progress=watch)
        label = name or run.name
        if any(label == known.name for known in contributors):
            raise InputError(f"two runs are called {label!r}; give them names")
        contributors.append(Contributor(label, run.source, run.digest))
        gathering.add(run._table)
        empty.update(run.empty)
    found = gathering.finish()
    return Contributions(
        tuple(contributors),
        tuple(found.topics),
        found.doc_starts,
        found.row_starts,
        found.system,
        found.doc,
        found.rank,
        found.score,
        found,
        depth,
        empty,
    )
