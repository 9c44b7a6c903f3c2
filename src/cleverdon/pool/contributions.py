"""Which system returned which document at which rank: what all pooling starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from cleverdon.arrays import Ints, ranges
from cleverdon.data import Run
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import named_runs

Progress = Callable[[str, int, int], object]
"""Is told a run's name, how much of it is read, and of how much."""


@dataclass(frozen=True)
class Contributor:
    """A system whose results are in a pool."""

    name: str
    source: str = ""  # the file of its run, if any
    digest: str = ""  # BLAKE3 of that file


class Documents(Protocol):
    """Ids that are made into texts only when they are asked for."""

    def docs(self, start: int, stop: int) -> list[str]: ...


@dataclass(frozen=True, eq=False)
class OfTopic:
    """What systems returned for one topic: rows sorted by system, then rank."""

    topic: str
    docs: list[str]  # in bytewise order
    system: Ints  # an index into the systems
    doc: Ints  # an index into `docs`
    rank: Ints  # from 1
    score: np.ndarray[Any, np.dtype[np.float64]]
    systems: int  # how many there are, with those that returned nothing here

    @cached_property
    def rankings(self) -> list[Ints]:
        """Of each system, the documents (indices) in the order of its ranking."""
        bounds = np.searchsorted(self.system, np.arange(self.systems + 1))
        return [self.doc[a:b] for a, b in zip(bounds[:-1], bounds[1:], strict=True)]

    @cached_property
    def best_rank(self) -> Ints:
        """Of each document, the best rank that any system gave it."""
        best = np.full(len(self.docs), np.iinfo(np.int64).max)
        np.minimum.at(best, self.doc, self.rank)
        return best


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
    score: np.ndarray[Any, np.dtype[np.float64]]
    documents: Documents  # names them
    depth: int | None  # how many results of each system and topic are here; None: all

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
        best = np.full(len(self), np.iinfo(np.int64).max)
        np.minimum.at(best, self.doc, self.rank)
        return best

    def ids(self, topic: int) -> list[str]:
        """The documents of a topic (by its index), in bytewise order."""
        return self.documents.docs(int(self.doc_starts[topic]), int(self.doc_starts[topic + 1]))

    def of(self, topic: str) -> OfTopic:
        """One topic's part."""
        if topic not in self._positions:
            raise InputError(f"no system returned anything for topic {topic!r}")
        at = self._positions[topic]
        rows = slice(int(self.row_starts[at]), int(self.row_starts[at + 1]))
        doc = self.doc[rows] - self.doc_starts[at]
        return OfTopic(
            topic, self.ids(at), self.system[rows], doc, self.rank[rows], self.score[rows],
            len(self.contributors),
        )

    def each(self) -> Iterator[OfTopic]:
        """Every topic's part."""
        return map(self.of, self.topics)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {topic: position for position, topic in enumerate(self.topics)}


@dataclass(frozen=True)
class _Listed:
    """Ids that are held as texts."""

    ids: list[str]

    def docs(self, start: int, stop: int) -> list[str]:
        return self.ids[start:stop]


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
    if depth is not None and (not isinstance(depth, int) or depth < 1):
        raise OptionError(f"depth={depth!r}: how many results to take is a whole number from 1 on")
    contributors: list[Contributor] = []
    rows: list[tuple[str, int, str, int, float]] = []
    for name, given in named_runs(runs):
        run = given if isinstance(given, Run) else Run.read(given, format=format, order_by=order_by)
        contributors.append(Contributor(name or run.name, run.source, run.digest))
        for topic in run.queries:
            for rank, (doc, score) in enumerate(run.ranking(topic)[:depth], start=1):
                rows.append((topic, len(contributors) - 1, doc, rank, score))
    topics = sorted({row[0] for row in rows}, key=str.encode)
    docs: list[str] = []
    number: dict[tuple[str, str], int] = {}
    doc_starts = [0]
    for topic in topics:
        for doc in sorted({row[2] for row in rows if row[0] == topic}, key=str.encode):
            number[topic, doc] = len(docs)
            docs.append(doc)
        doc_starts.append(len(docs))
    place = {topic: at for at, topic in enumerate(topics)}
    rows.sort(key=lambda row: (place[row[0]], row[1], row[3]))
    counts = np.bincount([place[row[0]] for row in rows], minlength=len(topics))
    return Contributions(
        tuple(contributors), tuple(topics), np.array(doc_starts),
        np.concatenate(([0], np.cumsum(counts))),
        np.array([row[1] for row in rows]),
        np.array([number[row[0], row[2]] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array([row[4] for row in rows], dtype=float),
        _Listed(docs), depth,
    )
