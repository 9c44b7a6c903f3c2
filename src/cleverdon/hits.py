"""Hits: all that an effectiveness measure needs to know of a run.

A result that nobody judged changes a score only by taking up a rank. So after ranking and joining,
one row is kept for each retrieved document that the judgments mention: a run of seven million rows
becomes some hundred thousand, and a measure is a few lines of numpy over all queries at once.

What-if questions are transforms from Hits to Hits, so that every measure gets them for nothing. Do
all others first and `top` last: cutting first would break groups of tied results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cleverdon import _core
from cleverdon.errors import InputError, OptionError, check_word

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_BLOCK_ROWS = 1 << 17
"""How many rows, of results and judgments, are scored together."""

NOT_JUDGED = -1
"""The `doc` of a hit that stands in no judgment of its query (see `assume`, `looks_elsewhere`)."""


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Which subtopics of its query each judged document covers, and how well: a row for each pair.

    Sorted by the document's row in the judgments, then by subtopic.
    """

    doc: Ints  # the row in the judgments
    subtopic: Ints  # an index into the query's subtopics, from 0
    grade: Floats
    names: Sequence[Sequence[str]]  # per query: its subtopics, in bytewise order
    weight: Floats | None = None  # of each subtopic, one query's after the other's

    @cached_property
    def counts(self) -> Ints:
        """How many subtopics each query has."""
        return np.array([len(names) for names in self.names], dtype=np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where each query's subtopics start, were all put in a row; and where they end."""
        return np.concatenate(([0], np.cumsum(self.counts)))

    def queries_between(self, start: int, stop: int, first: int, last: int) -> Subtopics:
        """Only those of the queries from `start` on, up to `stop`, whose rows these are."""
        rows = slice(*np.searchsorted(self.doc, (first, last)))
        weight = self.weight
        if weight is not None:
            weight = weight[self.starts[start] : self.starts[stop]]
        return Subtopics(
            self.doc[rows] - first,
            self.subtopic[rows],
            self.grade[rows],
            self.names[start:stop],
            weight,
        )


@dataclass(frozen=True, eq=False)
class Judged:
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

    @cached_property
    def query(self) -> Ints:
        """Which query each row belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def count(self, rows: Bools) -> Ints:
        """How many of these rows each query has."""
        return np.bincount(self.query[rows], minlength=len(self.starts) - 1)

    def queries_between(self, start: int, stop: int) -> Judged:
        """Only the queries from `start` on, up to `stop`."""
        first, last = int(self.starts[start]), int(self.starts[stop])
        subtopics = self.subtopics

        def rows(column: NDArray[Any] | None) -> Any:
            return None if column is None else column[first:last]

        return replace(
            self,
            queries=self.queries[start:stop],
            starts=self.starts[start : stop + 1] - first,
            grade=self.grade[first:last],
            second=rows(self.second),
            subtopics=subtopics and subtopics.queries_between(start, stop, first, last),
            stratum=rows(self.stratum),
            probability=rows(self.probability),
        )

    def moved(self, starts: Ints, to: Ints, grade: Floats, top_grade: float) -> Judged:
        """The same with rows put in between: old rows go `to` these, new ones have a grade only."""
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
        )

    def relevant(self, rel: float) -> Ints:
        """R: how many documents of each query have at least this grade."""
        return self.count(self.grade >= rel)


@dataclass(frozen=True, eq=False)
class Hits:
    """Every query's judged results as parallel arrays, sorted by query, then rank."""

    query: Ints  # which query the row belongs to: an index into the evaluated queries
    rank: Ints  # where it was returned, from 1
    grade: Floats  # 0 is judged and not relevant, < 0 is pooled and not judged
    doc: Ints  # the row's index into the judgments
    tied_from: Ints  # first and last rank of the group of equal scores it stands in
    tied_to: Ints
    returned: Ints  # per query: how many results came back
    judgments: Judged
    spent: Floats | None = None  # cumulative cost down to the row, where results have costs

    def __post_init__(self) -> None:
        # All measures share these arrays: one that wrote into them would change the others' values.
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    # What measures are made of

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.returned)

    def total(self, values: Floats) -> Floats:
        """The sum of the rows' values for each query, added in the order of ranks."""
        return _core.total(self.query, np.ascontiguousarray(values, dtype=np.float64), len(self))

    def count(self, rows: Bools) -> Ints:
        """How many of these rows each query has."""
        return np.bincount(self.query[rows], minlength=len(self))

    def relevant(self, rel: float) -> Bools:
        """Which rows have at least this grade."""
        return self.grade >= rel

    def where(self, rows: Bools | Ints) -> Hits:
        """Only these rows, or all in this order; ranks stay as they are."""
        if rows.dtype == bool:  # looked through once, and not once for each column
            rows = np.flatnonzero(rows)
        spent = None if self.spent is None else self.spent[rows]
        return replace(
            self,
            query=self.query[rows],
            rank=self.rank[rows],
            grade=self.grade[rows],
            doc=self.doc[rows],
            tied_from=self.tied_from[rows],
            tied_to=self.tied_to[rows],
            spent=spent,
        )

    @cached_property
    def starts(self) -> Ints:
        """Where each query's rows start; one more entry than there are queries."""
        return np.searchsorted(self.query, np.arange(len(self) + 1))

    @cached_property
    def ordinal(self) -> Ints:
        """Which of its query's rows a row is, from 1: the number of rows down to it."""
        return np.arange(1, len(self.query) + 1) - self.starts[self.query]

    def running(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """The running sum (or product) of the values within each query, down to each row.

        Added rank by rank within the query, never across queries: one query alone gives the same
        digits as it does among all.
        """
        result = np.array(values, dtype=np.float64)
        longest = int(np.diff(self.starts).max(initial=0))
        if longest > len(self):  # few and long: a query at a time
            for start, stop in pairwise(self.starts):
                step.accumulate(result[start:stop], out=result[start:stop])
            return result
        # Numbers of 16 bits are sorted in one pass; with more queries than rows in any, they do.
        ordinal = self.ordinal.astype(np.uint16 if longest < 1 << 16 else np.int64)
        by_ordinal = np.argsort(ordinal, kind="stable")
        bounds = np.searchsorted(self.ordinal[by_ordinal], np.arange(2, longest + 2))
        for start, stop in pairwise(bounds):
            rows = by_ordinal[start:stop]
            result[rows] = step(result[rows - 1], result[rows])
        return result

    def blocks(self) -> Iterator[Hits]:
        """The same in parts of whole queries, each small enough for a processor's cache.

        Queries are scored independently of each other, so a measure may be taken of one part after
        the other: its arrays then stay in the cache, and memory does not grow with the queries.
        """
        judged = self.judgments
        rows = judged.starts + self.starts
        edges = np.searchsorted(rows, np.arange(0, int(rows[-1]), _BLOCK_ROWS))
        bounds = np.unique(np.append(edges, len(self))).tolist()
        if len(bounds) <= 2:
            yield self
        else:
            for start, stop in pairwise(bounds):
                yield self.queries_between(start, stop)

    def queries_between(self, start: int, stop: int) -> Hits:
        """Only the queries from `start` on, up to `stop`."""
        judged = self.judgments
        rows = slice(self.starts[start], self.starts[stop])
        first = judged.starts[start]
        return Hits(
            query=self.query[rows] - start,
            rank=self.rank[rows],
            grade=self.grade[rows],
            doc=np.maximum(self.doc[rows] - first, NOT_JUDGED),
            tied_from=self.tied_from[rows],
            tied_to=self.tied_to[rows],
            returned=self.returned[start:stop],
            judgments=judged.queries_between(start, stop),
            spent=None if self.spent is None else self.spent[rows],
        )

    def best_by(self, gain: Callable[[Hits], Floats]) -> Hits:
        """The ideal ranking: what was judged, by falling gain, positive gains only.

        By gain and not by grade, since a table of gains need not rise with the grades.
        """
        judged = self.judgments
        everything = replace(
            self,
            query=judged.query,
            rank=judged.query,  # no gain depends on the rank
            grade=judged.grade,
            doc=np.arange(len(judged.grade)),
            tied_from=judged.query,
            tied_to=judged.query,
            spent=None,
        )
        doc, rank, counts = _core.best_first(judged.starts, gain(everything))
        return Hits(
            query=np.repeat(np.arange(len(counts)), counts),
            rank=rank,
            grade=judged.grade[doc],
            doc=doc,
            tied_from=rank,
            tied_to=rank,
            returned=counts,
            judgments=judged,
        )

    @cached_property
    def by_subtopic(self) -> Hits:
        """The same with each subtopic as a query of its own, judged by its own grades."""
        from cleverdon.subtopics import split_by_subtopic

        return split_by_subtopic(self)

    def by_second_grade(self) -> Hits:
        """The same with the second grades in place of the first, and these in place of those."""
        judged = self.judgments
        second = judged.second
        if second is None:
            raise OptionError("these judgments have no second grade")
        swapped = replace(
            judged,
            grade=second,
            top_grade=judged.top_second,
            second=judged.grade,
            top_second=judged.top_grade,
        )
        grade = np.where(self.doc >= 0, second[self.doc], NOT_JUDGED)
        return replace(self, grade=grade, judgments=swapped)

    # What-if questions

    def top(self, k: int | None) -> Hits:
        """The first k results only."""
        if k is None:
            return self
        kept = self.where(self.rank <= _cut(k))
        return replace(kept, returned=np.minimum(self.returned, k))

    def condensed(self) -> Hits:
        """Without the results that nobody judged, as if they had never been returned.

        Sakai 2007, doi:10.1145/1277741.1277756.
        """
        kept = self.where(self.grade >= 0)
        before = rows_up_to(kept, kept.tied_from - 1)
        within = rows_up_to(kept, kept.tied_to)
        return replace(
            kept,
            rank=kept.ordinal,
            tied_from=before + 1,
            tied_to=within,
            returned=np.diff(kept.starts),
        )

    def tied(self, order: Literal["best", "worst"]) -> Hits:
        """Results with equal scores in the order that is best, or worst, for the system."""
        check_word("order", order, ("best", "worst"))
        # Judged and not relevant is the worst there is; what nobody judged stands between.
        merit = np.where(self.grade == 0, -1.0, np.maximum(self.grade, 0))
        if order == "worst":
            merit = -merit
        rows = np.lexsort((-merit, self.tied_from, self.query))
        hits = self.where(rows)
        merit = merit[rows]
        group = _group_numbers(hits.query, hits.tied_from)
        place = _ordinal_in(group)
        size = np.bincount(group)[group] if len(group) else place
        # Above what nobody judged: from the group's first rank down. Below: from its last rank up.
        above = merit >= 0
        rank = np.where(above, hits.tied_from + place - 1, hits.tied_to - (size - place))
        return replace(hits, rank=rank, tied_from=rank, tied_to=rank)

    def assume(self, grade: float, *, k: int | None = None, join: bool) -> Hits:
        """What if the results that nobody judged, down to rank k, had this grade?

        With `join`, they count among the judged documents from then on: they join R and the ideal
        ranking. Without, only their own gain changes.
        """
        if not np.isfinite(grade):
            raise OptionError(f"grade={grade}: a grade is a finite number")
        depth = self.returned if k is None else np.minimum(self.returned, _cut(k))
        # What was pooled and not judged stays as it is below rank k.
        known = self.where((self.grade >= 0) | (self.rank > depth[self.query]))
        query = np.repeat(np.arange(len(self)), depth)
        rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(depth) - depth, depth)
        stride = int(self.returned.max(initial=0)) + 1
        unjudged = ~np.isin(query * stride + rank, known.query * stride + known.rank)
        query, rank = query[unjudged], rank[unjudged]
        tied_from, tied_to = _groups_around(self, query, rank, stride)
        pooled = _pooled_rows(self, query * stride + rank, stride)
        judgments, doc, known_doc = self.judgments, pooled, known.doc
        if join:
            judgments, doc, moved = _with_more_judged(self, query, pooled, grade)
            known_doc = np.where(known.doc >= 0, moved[known.doc], NOT_JUDGED)
        rows = np.argsort(
            np.concatenate((known.query * stride + known.rank, query * stride + rank))
        )

        def merged(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
            return np.concatenate((old, new))[rows]

        return Hits(
            query=merged(known.query, query),
            rank=merged(known.rank, rank),
            grade=merged(known.grade, np.full(len(query), float(grade))),
            doc=merged(known_doc, doc),
            tied_from=merged(known.tied_from, tied_from),
            tied_to=merged(known.tied_to, tied_to),
            returned=self.returned,
            judgments=judgments,
        )

    def completed(self, rest: Literal["best", "worst"], *, size: int) -> Hits:
        """What if the ranking went on through the whole collection of `size` documents?

        The judged documents that were not returned come directly after the last result (best) or
        at the very end (worst).
        """
        check_word("rest", rest, ("best", "worst"))
        judged = self.judgments
        returned = np.zeros(len(judged.grade), dtype=bool)
        returned[self.doc[self.doc >= 0]] = True
        unseen = np.flatnonzero(~returned)
        query, grade = judged.query[unseen], judged.grade[unseen]
        needed = self.returned + np.bincount(query, minlength=len(self))
        if size < needed.max(initial=0):
            raise OptionError(
                f"size={size} is less than the {needed.max()} documents that were returned or "
                "judged for one query"
            )
        # The relevant go first in the best case and last in the worst; what is judged and not
        # relevant goes to the other end.
        relevant = grade > 0
        front = relevant if rest == "best" else ~relevant
        merit = grade if rest == "best" else -grade
        order = np.lexsort((-merit, ~front, query))
        query, front, doc = query[order], front[order], unseen[order]
        place = _ordinal_in(query)
        count = np.bincount(query, minlength=len(self))
        rank = np.where(front, self.returned[query] + place, size - count[query] + place)
        rows = np.lexsort((np.concatenate((self.rank, rank)), np.concatenate((self.query, query))))

        def merged(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
            return np.concatenate((old, new))[rows]

        return Hits(
            query=merged(self.query, query),
            rank=merged(self.rank, rank),
            grade=merged(self.grade, judged.grade[doc]),
            doc=merged(self.doc, doc),
            tied_from=merged(self.tied_from, rank),
            tied_to=merged(self.tied_to, rank),
            returned=np.full(len(self), size),
            judgments=judged,
        )

    # Without files

    @classmethod
    def from_matrix(cls, relevance: ArrayLike, scores: ArrayLike) -> Hits:
        """Hits of matrices as scikit-learn's ranking metrics take them.

        A row is a query and a column a document; every document is judged and returned. Of equal
        scores the later column comes first, as everywhere the larger document id does.
        """
        try:
            grades, values = (np.asarray(array, dtype=np.float64) for array in (relevance, scores))
        except (TypeError, ValueError) as error:
            raise InputError(f"relevance and scores are no matrices of numbers: {error}") from None
        if grades.ndim != 2 or grades.shape != values.shape:
            raise InputError(
                "relevance and scores must be two matrices of one shape (queries x documents); "
                f"found {grades.shape} and {values.shape}"
            )
        if grades.size == 0:
            raise InputError(f"there is nothing in matrices of shape {grades.shape}")
        # NaN spreads to the extremes: these say in one pass whether anything is wrong.
        lowest, highest = float(grades.min()), float(grades.max())
        if not (np.isfinite(lowest) and np.isfinite(highest)):
            raise _first_wrong("relevance", grades, ~np.isfinite(grades))
        if np.isnan(values.min()):
            raise _first_wrong("scores", values, np.isnan(values))
        queries, documents = grades.shape
        names, starts, query, rank = _grid(queries, documents)
        judged = Judged(names, starts, grades.ravel(), top_grade=max(highest, 0.0))
        doc, grade, tied = _core.rank_matrix(judged.grade, values.ravel(), documents)
        tied_from, tied_to = tied or (rank, rank)
        return cls(
            query=query,
            rank=rank,
            grade=grade,
            doc=doc,
            tied_from=tied_from,
            tied_to=tied_to,
            returned=np.full(queries, documents),
            judgments=judged,
        )


def _first_wrong(name: str, values: Floats, wrong: Bools) -> InputError:
    query, column = np.argwhere(wrong)[0]
    return InputError(f"{name}[{query}, {column}] is {values[query, column]}")


@lru_cache(maxsize=1)
def _grid(queries: int, documents: int) -> tuple[list[str], Ints, Ints, Ints]:
    """What Hits of all matrices of one shape share: names, starts, queries and ranks.

    Kept, since whoever evaluates a matrix mostly evaluates many of one shape.
    """
    names = [str(query) for query in range(queries)]
    starts = np.arange(queries + 1) * documents
    query = np.repeat(np.arange(queries), documents)
    return names, starts, query, np.tile(np.arange(1, documents + 1), queries)


def _cut(k: int) -> int:
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise OptionError(f"k={k}: a cut-off is a whole number from 1 on")
    return int(k)


def rows_up_to(hits: Hits, rank: Ints, query: Ints | None = None) -> Ints:
    """How many rows of each row's query, or of these queries, stand at this rank or above."""
    query = hits.query if query is None else query
    stride = int(max(hits.rank.max(initial=0), rank.max(initial=0))) + 1
    rows = np.searchsorted(hits.query * stride + hits.rank, query * stride + rank, "right")
    return rows - hits.starts[query]


def _group_numbers(*keys: NDArray[Any]) -> Ints:
    """Number the groups of neighbouring rows that agree in all keys, from 0."""
    if len(keys[0]) == 0:
        return np.zeros(0, dtype=np.int64)
    changes = np.zeros(len(keys[0]), dtype=bool)
    for key in keys:
        changes[1:] |= key[1:] != key[:-1]
    return np.cumsum(changes)


def _ordinal_in(group: Ints) -> Ints:
    """Each row's place within its group of neighbouring rows, from 1."""
    if len(group) == 0:
        return group
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    sizes = np.diff(np.concatenate((starts, [len(group)])))
    return np.arange(1, len(group) + 1) - np.repeat(starts, sizes)


def _groups_around(hits: Hits, query: Ints, rank: Ints, stride: int) -> tuple[Ints, Ints]:
    """The tied groups in which these ranks stand, as far as the hits know of them."""
    if len(hits.query) == 0:
        return rank, rank
    # The first hit whose group ends at this rank or below is the only one that can surround it.
    ends = hits.query * stride + hits.tied_to
    near = np.minimum(np.searchsorted(ends, query * stride + rank), len(ends) - 1)
    inside = (
        (hits.query[near] == query) & (hits.tied_from[near] <= rank) & (rank <= hits.tied_to[near])
    )
    return np.where(inside, hits.tied_from[near], rank), np.where(inside, hits.tied_to[near], rank)


def _pooled_rows(hits: Hits, places: Ints, stride: int) -> Ints:
    """The rows in the judgments of the results at these places, NOT_JUDGED where there is none.

    Among results that nobody judged, those that were pooled have one.
    """
    rows = np.full(len(places), NOT_JUDGED)
    pooled = hits.where(hits.grade < 0)
    keys = pooled.query * stride + pooled.rank
    if len(keys):
        at = np.minimum(np.searchsorted(keys, places), len(keys) - 1)
        found = keys[at] == places
        rows[found] = pooled.doc[at[found]]
    return rows


def _with_more_judged(
    hits: Hits, query: Ints, pooled: Ints, grade: float
) -> tuple[Judged, Ints, Ints]:
    """The judgments with results added, the rows of these, and where the old rows have gone.

    A result that was pooled has a row already; the others get new ones, after those that their
    query has.
    """
    judged = hits.judgments
    has_row = pooled != NOT_JUDGED
    new = np.bincount(query[~has_row], minlength=len(hits))
    shift = np.concatenate(([0], np.cumsum(new)))
    moved = np.arange(len(judged.grade)) + shift[judged.query]
    starts = judged.starts + shift
    grades = np.full(int(starts[-1]), float(grade))
    grades[moved] = judged.grade
    doc = np.zeros(len(query), dtype=np.int64)
    doc[has_row] = moved[pooled[has_row]]
    grades[doc[has_row]] = grade
    fresh = query[~has_row]
    doc[~has_row] = judged.starts[fresh + 1] + shift[fresh] + _ordinal_in(fresh) - 1
    top_grade = max(judged.top_grade, float(grade)) if len(query) else judged.top_grade
    return judged.moved(starts, moved, grades, top_grade), doc, moved
