"""Contributions: which system returned which document at which rank.

All pooling starts from them. With them is the arithmetic on ranks and scores that pools, adaptive
methods and votes share. Sums are rounded to some twelve digits, so that the order of the runs makes
no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Floats, Ints, summed
from cleverdon._common.digests import Digest, pending
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.data import Run
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.formats.inputs import named_runs

RRF_CONSTANT = 60
_BITS = 40


def reciprocal_ranks(
    doc: Ints, rank: Ints, count: int, *, constant: float = RRF_CONSTANT
) -> Floats:
    """Return each document's sum of 1 / (constant + rank): doi:10.1145/1571941.1572114."""
    return round_sums(summed(doc, 1 / (constant + rank), count))


def _best_ranks(doc: Ints, rank: Ints, count: int) -> Ints:
    best = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(best, doc, rank)
    return best


def scale_scores(score: Floats, lengths: Ints) -> Floats:
    """Scale each ranking's scores from 0 to 1 (Lee 1997); 1 where all of one are equal.

    >>> scale_scores(np.array([9.0, 5.0, 1.0, 2.0, 2.0]), np.array([3, 2])).tolist()
    [1.0, 0.5, 0.0, 1.0, 1.0]
    """
    if not np.isfinite(score).all():
        raise OptionError("scores are added up, and some are infinite; take one that goes by ranks")
    firsts = np.cumsum(lengths) - lengths
    highest, lowest = score[firsts], score[firsts + lengths - 1]
    spread = np.repeat(highest - lowest, lengths)
    above = score - np.repeat(lowest, lengths)
    return np.where(spread > 0, above / np.where(spread > 0, spread, 1), 1.0)


def round_sums(sums: Floats) -> Floats:
    """Round to some twelve digits, however small the sums are.

    >>> round_sums(np.array([0.1 + 0.2])).tolist() == round_sums(np.array([0.3])).tolist()
    True
    """
    mantissa, exponent = np.frexp(sums)
    short: Floats = np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS)
    return short


@dataclass(frozen=True)
class Contributor:
    """A system whose results are in a pool."""

    name: str
    source: str = ""  # the file of its run, if any
    digest: Digest = Digest()  # noqa: RUF009 (a descriptor; BLAKE3 of that file)


@dataclass(frozen=True, eq=False)
class QueryContributions:
    """The results of systems for one query: rows sorted by system, then rank."""

    query: str
    docs: list[str]  # in bytewise order
    system: Ints  # an index into the systems
    doc: Ints  # an index into `docs`
    rank: Ints  # from 1
    score: Floats
    systems: int  # how many there are, with those that returned nothing here

    @cached_property
    def rankings(self) -> list[Ints]:
        """The documents (indices) of each system, in the order of its ranking."""
        bounds = np.searchsorted(self.system, np.arange(self.systems + 1))
        return [self.doc[a:b] for a, b in pairwise(bounds)]

    @cached_property
    def best_rank(self) -> Ints:
        return _best_ranks(self.doc, self.rank, len(self.docs))


@dataclass(frozen=True, eq=False)
class Contributions:
    """The results of systems: rows sorted by query, system and rank, documents by query and id.

    Attributes:
        contributors: The systems, with the files of their runs.
        queries: The queries, in bytewise order.
        doc_starts: The position of each query's first document, and of the end.
        row_starts: The position of each query's first row, and of the end.
        system: The system of each row, as an index.
        doc: The document of each row, as an index into all documents.
        rank: The rank of each row, from 1, in Cleverdon's order: by falling score, then falling id.
        score: The score of each row.
        documents: The ids, made when they are asked for.
        depth: The number of results of each system and query that were gathered; None for all.
        empty: The number of systems that found nothing, by query.

    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> found = gather(runs)
    >>> found.of("q1").docs, found.rank.tolist(), found.doc.tolist()
    (['d1', 'd2', 'd3'], [1, 2, 1, 2], [0, 1, 2, 0])
    """

    contributors: tuple[Contributor, ...]
    queries: tuple[str, ...]
    doc_starts: Ints
    row_starts: Ints
    system: Ints
    doc: Ints
    rank: Ints
    score: Floats
    documents: _core.Gathered
    depth: int | None
    empty: Counter[str] = field(default_factory=Counter)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(each.name for each in self.contributors)

    def __len__(self) -> int:
        """Return the number of documents, over all queries."""
        return int(self.doc_starts[-1])

    @cached_property
    def query_of_row(self) -> Ints:
        """The query of each row, as an index."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.row_starts))

    @cached_property
    def query_of_doc(self) -> Ints:
        """The query of each document, as an index."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.doc_starts))

    @cached_property
    def best_rank(self) -> Ints:
        """The best rank of each document by any system."""
        return _best_ranks(self.doc, self.rank, len(self))

    @cached_property
    def systems_of_query(self) -> Ints:
        """The number of systems that returned anything for each query."""
        return np.bincount(self.query_of_row[self.rank == 1], minlength=len(self.queries))

    @property
    def notes(self) -> list[str]:
        """Notes and warnings on queries that not all runs have: the files may not belong together.

        >>> gather({"a": {"q1": {"d1": 1}}, "b": {"q2": {"d1": 1}}}).notes[0][:52]
        'warning: 2 of 2 queries are not in all runs, and no '
        """
        empty = np.array([self.empty[query] for query in self.queries], dtype=np.int64)
        missing = int((self.systems_of_query + empty < len(self.contributors)).sum())
        queries = counted(len(self.queries), "query")
        notes = []
        if empty.any():
            notes.append(
                f"note: some run found nothing for {int((empty > 0).sum()):,} of {queries}"
            )
        if missing:
            alone = ", and no query is in two of them: do they belong together?"
            scattered = len(self.contributors) > 1 and int(self.systems_of_query.max()) == 1
            notes.append(
                f"warning: {missing:,} of {queries} are not in all runs" + alone * scattered
            )
        return notes

    def ids(self, query: int) -> list[str]:
        """Return the documents of a query (by its index), in bytewise order."""
        return self.documents.docs(int(self.doc_starts[query]), int(self.doc_starts[query + 1]))

    def names(self, docs: Ints) -> list[str]:
        """Return the ids of documents by their indices, which are sorted by query."""
        named: list[str] = []
        bounds = np.searchsorted(self.query_of_doc[docs], np.arange(len(self.queries) + 1))
        # One query after the other, so that not all have to be texts at the same time.
        for query in np.flatnonzero(np.diff(bounds)).tolist():
            ids = self.ids(query)
            rows = docs[bounds[query] : bounds[query + 1]] - self.doc_starts[query]
            named += [ids[row] for row in rows.tolist()]
        return named

    def of(self, query: str) -> QueryContributions:
        """Return the contributions to one query."""
        if query not in self._positions:
            raise InputError(f"no system returned anything for query {query!r}")
        at = self._positions[query]
        rows = slice(int(self.row_starts[at]), int(self.row_starts[at + 1]))
        doc = self.doc[rows] - self.doc_starts[at]
        return QueryContributions(
            query,
            self.ids(at),
            self.system[rows],
            doc,
            self.rank[rows],
            self.score[rows],
            len(self.contributors),
        )

    def each(self) -> Iterator[QueryContributions]:
        """Yield the contributions to each query."""
        return map(self.of, self.queries)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {query: position for position, query in enumerate(self.queries)}


@shows_progress("reading runs")
def gather(
    runs: Any,
    *,
    depth: int | None = None,
    format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> Contributions:
    """Gather what systems returned: which document at which rank.

    Args:
        runs: Files, dicts, data frames or `Run`s; several are a list, or a dict from names to runs,
            as for `evaluate`. What was gathered before is returned as it is.
        depth: The number of results of each run and query to look at; by default all.
        format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The contributions of all systems.

    >>> gather({"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2}}}, depth=1).systems
    ('a', 'b')
    """
    progress = as_callback(progress)
    if isinstance(runs, Contributions):
        return runs
    if depth is not None:
        depth = check_count("depth", depth)
    contributors: list[Contributor] = []
    gathering = _core.Gathering(depth)
    empty: Counter[str] = Counter()
    for name, given in named_runs(runs):
        run = Run.read(given, format=format, order_by=order_by, name=name, progress=progress)
        label = name or run.name
        if any(label == known.name for known in contributors):
            raise InputError(f"two runs are called {label!r}; give them names")
        contributors.append(Contributor(label, run.source, pending(run)))
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
