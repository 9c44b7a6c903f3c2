"""The judgments as measures see them: arrays that all runs share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon._common.arrays import Bools, Floats, Ints

NOT_JUDGED = -1
"""The `doc` of a hit that no judgment of its query mentions: see `assume`, `uses_other_queries`."""


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics that judged documents cover, and how well: a row for each pair.

    Sorted by the document's row in the judgments, then by subtopic.
    """

    doc: Ints  # the row in the judgments
    subtopic: Ints  # an index into the query's subtopics, from 0
    grade: Floats
    names: Sequence[Sequence[str]]  # per query: its subtopics, in bytewise order
    weight: Floats | None = None  # of each subtopic, one query's after the other's

    @classmethod
    def noted(
        cls,
        covered: Mapping[str, Mapping[str, Mapping[str, float]]],
        weights: Mapping[str, Mapping[str, float]] | None,
        *,
        queries: Sequence[str],
        rows: Iterable[tuple[str, str]],
    ) -> Subtopics:
        """Make the arrays of the subtopics of these queries and rows of documents."""
        names = [
            sorted({name for doc in covered.get(query, {}).values() for name in doc})
            for query in queries
        ]
        numbers = {
            query: {name: number for number, name in enumerate(known)}
            for query, known in zip(queries, names, strict=True)
        }
        pairs = [
            (row, numbers[query][name], grade)
            for row, (query, doc) in enumerate(rows)
            for name, grade in sorted(covered.get(query, {}).get(doc, {}).items())
        ]
        doc, subtopic, grade = np.array(pairs, dtype=float).reshape(-1, 3).T
        weight = None
        if weights is not None:
            of_query = [weights.get(query) for query in queries]
            listed = [
                1.0 if known is None else known.get(name, 0.0)
                for known, subtopics in zip(of_query, names, strict=True)
                for name in subtopics
            ]
            weight = np.array(listed, dtype=np.float64)
        return cls(doc.astype(np.int64), subtopic.astype(np.int64), grade, names, weight)

    @cached_property
    def counts(self) -> Ints:
        """The number of subtopics of each query."""
        return np.array([len(names) for names in self.names], dtype=np.int64)

    @cached_property
    def starts(self) -> Ints:
        """The start of each query's subtopics, with all of them in one sequence; and the end."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    def queries_between(self, start: int, stop: int, first: int, last: int) -> Subtopics:
        """Return only those of the queries from `start` to before `stop`."""
        rows = slice(*np.searchsorted(self.doc, (first, last)))
        weight = self.weight
        if weight is not None:
            weight = weight[self.starts[start] : self.starts[stop]]
        doc, names = self.doc[rows] - first, self.names[start:stop]
        return Subtopics(doc, self.subtopic[rows], self.grade[rows], names, weight)


@dataclass(frozen=True, eq=False)
class JudgmentArrays:
    """Every judged document of the evaluated queries, as arrays that all runs share.

    Queries are in bytewise order, and so are the documents within a query. What stands below
    `top_grade` is there where the judgments have it, for the measures that need it.
    """

    queries: Sequence[str]
    starts: Ints  # where each query's rows start; one more entry than there are queries
    grade: Floats
    top_grade: float  # of the whole collection, so that one query alone scores as it does among all
    docs: int | None = None  # how many documents the collection has
    second: Floats | None = None  # another grade, as of credibility; < 0 is not judged
    top_second: float = 0  # the largest of these in the whole collection
    subtopics: Subtopics | None = None
    stratum: Ints | None = None  # from which stratum of the pool a document was drawn
    probability: Floats | None = None  # with which it was drawn into the sample that was judged
    positives: Floats | None = None  # for how many queries of the collection it is relevant
    all_queries: int = 0  # how many queries the collection has judgments of, where that is counted

    @cached_property
    def query(self) -> Ints:
        """The query that each row belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def count(self, rows: Bools) -> Ints:
        """Return the number of these rows in each query."""
        return np.bincount(self.query[rows], minlength=len(self.starts) - 1)

    def queries_between(self, start: int, stop: int) -> JudgmentArrays:
        """Return only the queries from `start` to before `stop`."""
        first, last = int(self.starts[start]), int(self.starts[stop])
        subtopics = self.subtopics
        return replace(
            self,
            queries=self.queries[start:stop],
            starts=self.starts[start : stop + 1] - first,
            grade=self.grade[first:last],
            subtopics=subtopics and subtopics.queries_between(start, stop, first, last),
            **self.beside(slice(first, last)),
        )

    def beside(self, rows: slice | Ints) -> dict[str, Any]:
        """Return the annotations of these rows, as arguments of `replace`."""
        names = ("second", "stratum", "probability", "positives")
        columns = {name: getattr(self, name) for name in names}
        return {name: None if column is None else column[rows] for name, column in columns.items()}

    def moved(self, starts: Ints, to: Ints, grade: Floats, top_grade: float) -> JudgmentArrays:
        """Insert rows: old rows move `to` these, new ones have only a grade."""
        subtopics = self.subtopics

        def column(old: NDArray[Any] | None, otherwise: float) -> Any:
            if old is None:
                return None
            new = np.full(len(grade), otherwise, dtype=old.dtype)
            new[to] = old
            return new

        return replace(
            self,
            starts=starts,
            grade=grade,
            top_grade=top_grade,
            second=column(self.second, -1),
            subtopics=subtopics and replace(subtopics, doc=to[subtopics.doc]),
            stratum=column(self.stratum, -1),
            probability=column(self.probability, np.nan),
            positives=column(self.positives, 1),
        )

    def relevant(self, rel: float) -> Ints:
        """R: how many documents of each query have at least this grade."""
        return self.count(self.grade >= rel)
