"""Hits: all that an effectiveness measure needs to know of a run.

A result that nobody judged changes a score only by taking up a rank. So after ranking and joining,
one row is kept for each retrieved document that the judgments mention: a run of seven million rows
becomes some hundred thousand, and a measure is a few lines of numpy over all queries at once.

What-if questions are transforms from Hits to Hits, so that every measure gets them for nothing. Do
all others first and `top` last: cutting first would break groups of tied results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from cleverdon import _core
from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import InputError, OptionError
from cleverdon.judged import NOT_JUDGED, Judged

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_BLOCK_ROWS = 1 << 17
"""How many rows, of results and judgments, are scored together."""


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

    def rows_up_to(self, rank: Ints, query: Ints | None = None) -> Ints:
        """How many rows of each row's query, or of these queries, stand at this rank or above."""
        query = self.query if query is None else query
        stride = int(max(self.rank.max(initial=0), rank.max(initial=0))) + 1
        rows = np.searchsorted(self.query * stride + self.rank, query * stride + rank, "right")
        return rows - self.starts[query]

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
        bounds = sorted({*edges.tolist(), len(self)})  # np.unique would import numpy.ma, for 10 ms
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
        kept = self.where(self.rank <= cut_off(k))
        return replace(kept, returned=np.minimum(self.returned, k))

    def condensed(self) -> Hits:
        """Without the results that nobody judged, as if they had never been returned.

        Sakai 2007, doi:10.1145/1277741.1277756.
        """
        kept = self.where(self.grade >= 0)
        before = kept.rows_up_to(kept.tied_from - 1)
        within = kept.rows_up_to(kept.tied_to)
        return replace(
            kept,
            rank=kept.ordinal,
            tied_from=before + 1,
            tied_to=within,
            returned=np.diff(kept.starts),
        )

    def tied(self, order: Literal["best", "worst"]) -> Hits:
        """Results with equal scores in the order that is best, or worst, for the system."""
        from cleverdon.whatif import tied

        return tied(self, order)

    def assume(self, grade: float, *, k: int | None = None, join: bool) -> Hits:
        """What if the results that nobody judged, down to rank k, had this grade?

        With `join`, they count among the judged documents from then on: they join R and the ideal
        ranking. Without, only their own gain changes.
        """
        from cleverdon.whatif import assume

        return assume(self, grade, k=k, join=join)

    def completed(self, rest: Literal["best", "worst"], *, size: int) -> Hits:
        """What if the ranking went on through the whole collection of `size` documents?

        The judged documents that were not returned come directly after the last result (best) or
        at the very end (worst).
        """
        from cleverdon.whatif import completed

        return completed(self, rest, size=size)

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


def cut_off(k: int) -> int:
    """k as a whole number, or an OptionError."""
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise OptionError(f"k={k}: a cut-off is a whole number from 1 on")
    return int(k)
