"""Hits: all that an effectiveness measure needs to know of a run, and its what-if transforms.

A result that nobody judged changes a score only by taking up a rank. So after ranking and
joining, one row is kept for each retrieved document that the judgments mention: a run of seven
million rows becomes some hundred thousand, and a measure is a few lines of numpy over all
queries at once.

What-if questions are transforms from Hits to Hits, so that every measure gets them for nothing.
Do all others first and `top` last: cutting first would break groups of tied results.

A subtopic with its own grades is a query like any other. So every measure can be computed for
subtopics, and their values are combined for each query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Bools, Floats, Ints, group_numbers, ordinal_in, ranges, summed
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.judgment_arrays import NOT_JUDGED, JudgmentArrays, Subtopics

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_BLOCK_ROWS = 1 << 17  # rows of results and judgments that are scored together
_ROW_COLUMNS = ("query", "rank", "grade", "doc", "tied_from", "tied_to")


@dataclass(frozen=True, eq=False)
class Hits:
    """Every query's judged results as parallel arrays, sorted by query, then rank.

    >>> hits = Hits.from_matrix([[2, 0, 1]], [[0.9, 0.5, 0.1]])
    >>> hits.rank, hits.grade
    (array([1, 2, 3]), array([2., 0., 1.]))
    """

    query: Ints  # which query the row belongs to: an index into the evaluated queries
    rank: Ints  # where it was returned, from 1
    grade: Floats  # 0 is judged and not relevant, < 0 is pooled and not judged
    doc: Ints  # the row's index into the judgments
    tied_from: Ints  # first and last rank of the group of equal scores it stands in
    tied_to: Ints
    returned: Ints  # per query: how many results came back
    judgments: JudgmentArrays

    def __post_init__(self) -> None:
        # All measures share these arrays: one that wrote into them would change the others' values.
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    # Parts of measures

    def __len__(self) -> int:
        """Return the number of queries."""
        return len(self.returned)

    def total(self, values: Floats) -> Floats:
        """Return the sum of the rows' values for each query, added in the order of ranks."""
        return _core.total(self.query, np.ascontiguousarray(values, dtype=np.float64), len(self))

    def count(self, rows: Bools) -> Ints:
        """Return the number of these rows in each query."""
        return np.bincount(self.query[rows], minlength=len(self))

    def relevant(self, rel: float) -> Bools:
        """Return which rows have at least this grade."""
        return self.grade >= rel

    def where(self, rows: Bools | Ints) -> Hits:
        """Return only these rows, or all in this order; ranks do not change."""
        if rows.dtype == bool:  # looked through once, and not once for each column
            rows = np.flatnonzero(rows)
        return replace(self, **{name: getattr(self, name)[rows] for name in _ROW_COLUMNS})

    def with_rows(self, query: Ints, rank: Ints, grade: Floats, doc: Ints, **changes: Any) -> Hits:
        """Return Hits with other rows, none of them tied, and with other changes."""
        changes |= {"query": query, "rank": rank, "grade": grade, "doc": doc}
        return replace(self, tied_from=rank, tied_to=rank, **changes)

    @cached_property
    def starts(self) -> Ints:
        """The start of each query's rows; one more entry than there are queries."""
        return np.searchsorted(self.query, np.arange(len(self) + 1))

    @cached_property
    def ordinal(self) -> Ints:
        """The number of each row within its query, from 1."""
        return np.arange(1, len(self.query) + 1) - self.starts[self.query]

    def rows_up_to(self, rank: Ints, query: Ints | None = None) -> Ints:
        """Count the rows at this rank or above, in each row's query or in these queries."""
        query = self.query if query is None else query
        stride = int(max(self.rank.max(initial=0), rank.max(initial=0))) + 1
        rows = np.searchsorted(self.query * stride + self.rank, query * stride + rank, "right")
        return rows - self.starts[query]

    def running(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """Return the running sum (or product) of the values of each query, down to each row.

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

    def running_above(self, values: Floats, step: np.ufunc = np.add) -> Floats:
        """Return the running sum (or product) above each row; 0 (or 1) in a query's first."""
        down_to = self.running(values, step)
        above = np.full(len(down_to), float(step.identity))
        later = np.flatnonzero(self.ordinal > 1)
        above[later] = down_to[later - 1]
        return above

    def blocks(self) -> Iterator[Hits]:
        """Cut the Hits into parts of whole queries that fit into a processor's cache.

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
        """Return only the queries from `start` to before `stop`."""
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
        )

    def best_by(self, gain: Callable[[Hits], Floats]) -> Hits:
        """Return the ideal ranking: judged documents with positive gains, highest first.

        By gain and not by grade, since a table of gains need not rise with the grades.
        """
        judged = self.judgments
        rank = judged.query  # any number will do: no gain depends on the rank
        everything = self.with_rows(judged.query, rank, judged.grade, np.arange(len(rank)))
        doc, rank, counts = _core.best_first(judged.starts, gain(everything))
        query = np.repeat(np.arange(len(counts)), counts)
        return self.with_rows(query, rank, judged.grade[doc], doc, returned=counts)

    @cached_property
    def by_subtopic(self) -> Hits:
        """The same results, once for each subtopic, with that subtopic's judgments."""
        judged = self.judgments
        subtopics = subtopics_of(judged)
        asked = subtopic_numbers(judged)
        # The pairs of documents and subtopics are sorted by document, so that sorting them by
        # subtopic leaves each subtopic's documents in order.
        order = np.argsort(asked, kind="stable")
        split = replace(
            judged,
            queries=list(chain.from_iterable(subtopics.names)),
            starts=np.searchsorted(asked[order], np.arange(subtopics.starts[-1] + 1)),
            grade=subtopics.grade[order],
            subtopics=None,
            **judged.beside(subtopics.doc[order]),
        )
        hit, pair = _subtopic_pairs(self, subtopics)
        by_query = np.argsort(asked[pair], kind="stable")
        hit, pair = hit[by_query], pair[by_query]
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Hits(
            query=asked[pair],
            rank=self.rank[hit],
            grade=subtopics.grade[pair],
            doc=place[pair],
            tied_from=self.tied_from[hit],
            tied_to=self.tied_to[hit],
            returned=np.repeat(self.returned, subtopics.counts),
            judgments=split,
        )

    def by_second_grade(self) -> Hits:
        """Exchange the first and the second grades."""
        judged = self.judgments
        second = judged.second
        if second is None:
            raise OptionError("these judgments have no second grade")
        swapped = replace(judged, grade=second, top_grade=judged.top_second)
        swapped = replace(swapped, second=judged.grade, top_second=judged.top_grade)
        grade = np.where(self.doc >= 0, second[self.doc], NOT_JUDGED)
        return replace(self, grade=grade, judgments=swapped)

    # What-if questions

    def top(self, k: int | None) -> Hits:
        """Return the first k results only."""
        if k is None:
            return self
        kept = self.where(self.rank <= cut_off(k))
        return replace(kept, returned=np.minimum(self.returned, k))

    def condensed(self) -> Hits:
        """Remove the results that nobody judged, as if they had never been returned.

        Sakai 2007, doi:10.1145/1277741.1277756.
        """
        kept = self.where(self.grade >= 0)
        before = kept.rows_up_to(kept.tied_from - 1)
        within = kept.rows_up_to(kept.tied_to)
        kept = replace(kept, rank=kept.ordinal, returned=np.diff(kept.starts))
        return replace(kept, tied_from=before + 1, tied_to=within)

    def without_unreturned(self) -> Hits:
        """Forget the judgments of documents that were not returned, as if nobody had judged them.

        Tools that take a list of labels never see those. Their rows stay, so that `doc` means what
        it meant, with a grade below 0.
        """
        judged = self.judgments
        returned = np.zeros(len(judged.grade), dtype=bool)
        returned[self.doc[self.doc >= 0]] = True
        subtopics = judged.subtopics
        if subtopics is not None:
            rows = returned[subtopics.doc]
            subtopics = replace(
                subtopics,
                doc=subtopics.doc[rows],
                subtopic=subtopics.subtopic[rows],
                grade=subtopics.grade[rows],
            )
        grade = np.where(returned, judged.grade, float(NOT_JUDGED))
        return replace(self, judgments=replace(judged, grade=grade, subtopics=subtopics))

    def tied(self, order: Literal["best", "worst"]) -> Hits:
        """Put results with equal scores in the order that is best, or worst, for the system."""
        check_word("order", order, ("best", "worst"))
        # Judged and not relevant is the worst there is; what nobody judged stands between.
        merit = np.where(self.grade == 0, -1.0, np.maximum(self.grade, 0))
        if order == "worst":
            merit = -merit
        rows = np.lexsort((-merit, self.tied_from, self.query))
        placed = self.where(rows)
        merit = merit[rows]
        group = group_numbers(placed.query, placed.tied_from)
        place = ordinal_in(group)
        size = np.bincount(group)[group] if len(group) else place
        # Above what nobody judged: from the group's first rank down. Below: from its last rank up.
        above = merit >= 0
        rank = np.where(above, placed.tied_from + place - 1, placed.tied_to - (size - place))
        return replace(placed, rank=rank, tied_from=rank, tied_to=rank)

    def assume(self, grade: float, *, k: int | None = None, join: bool) -> Hits:
        """Return these Hits as if the unjudged results down to rank k had this grade.

        With `join`, they count among the judged documents from then on: they join R and the ideal
        ranking. Without, only their own gain changes.
        """
        if not np.isfinite(grade):
            raise OptionError(f"grade={grade}: a grade is a finite number")
        depth = self.returned if k is None else np.minimum(self.returned, cut_off(k))
        # What was pooled and not judged stays as it is below rank k.
        known = self.where((self.grade >= 0) | (self.rank > depth[self.query]))
        found = self.unjudged_down_to(depth)
        judgments, doc, known_doc = self.judgments, found.doc, known.doc
        if join:
            judgments, doc, moved = _with_more_judged(self, found.query, doc, grade)
            known_doc = np.where(known.doc >= 0, moved[known.doc], NOT_JUDGED)
        grades = np.full(len(doc), float(grade))
        more = replace(found, grade=grades, doc=doc, judgments=judgments)
        return replace(known, doc=known_doc).and_rows(more)

    def unjudged_down_to(self, depth: Ints) -> Hits:
        """Return a row for each result that nobody judged, down to this rank of each query."""
        query = np.repeat(np.arange(len(self)), depth)
        rank = ranges(1, depth)
        stride = int(self.returned.max(initial=0)) + 1
        # Looked up by place: where the queries' ranks begin, in a row of all of them.
        judged = np.flatnonzero((self.grade >= 0) & (self.rank <= depth[self.query]))
        unjudged = np.ones(len(query), dtype=bool)
        unjudged[(np.cumsum(depth) - depth)[self.query[judged]] + self.rank[judged] - 1] = False
        query, rank = query[unjudged], rank[unjudged]
        tied_from, tied_to = _groups_around(self, query, rank, stride)
        doc = _pooled_rows(self, query * stride + rank, stride)
        rows: dict[str, Any] = {"query": query, "rank": rank, "tied_from": tied_from}
        rows |= {"tied_to": tied_to, "grade": np.full(len(query), -1.0), "doc": doc}
        return replace(self, **rows)

    def and_rows(self, more: Hits) -> Hits:
        """Return the rows of both, with the judgments of the other."""
        stride = int(max(more.returned.max(initial=0), more.rank.max(initial=0))) + 1
        places = [one.query * stride + one.rank for one in (self, more)]
        rows = np.argsort(np.concatenate(places))

        def both(column: str) -> Any:
            return np.concatenate((getattr(self, column), getattr(more, column)))[rows]

        return replace(more, **{name: both(name) for name in _ROW_COLUMNS})

    def completed(self, rest: Literal["best", "worst"], *, size: int) -> Hits:
        """Return these Hits as if the ranking went on through all `size` documents.

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
                f"a collection of {size} documents is smaller than the {needed.max()} that were "
                "returned or judged for one query"
            )
        # The relevant go first in the best case and last in the worst; what is judged and not
        # relevant goes to the other end.
        relevant = grade > 0
        front = relevant if rest == "best" else ~relevant
        merit = grade if rest == "best" else -grade
        order = np.lexsort((-merit, ~front, query))
        query, front, doc = query[order], front[order], unseen[order]
        place = ordinal_in(query)
        count = np.bincount(query, minlength=len(self))
        rank = np.where(front, self.returned[query] + place, size - count[query] + place)
        all_returned = np.full(len(self), size)
        more = self.with_rows(query, rank, judged.grade[doc], doc, returned=all_returned)
        return self.and_rows(more)

    # Without files

    @classmethod
    def from_matrix(cls, relevance: ArrayLike, scores: ArrayLike) -> Hits:
        """Make Hits of matrices as scikit-learn's ranking metrics take them.

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
        judged = JudgmentArrays(names, starts, grades.ravel(), top_grade=max(highest, 0.0))
        doc, grade, tied = _core.rank_matrix(judged.grade, values.ravel(), documents)
        tied_from, tied_to = tied or (rank, rank)
        returned = np.full(queries, documents)
        return cls(query, rank, grade, doc, tied_from, tied_to, returned, judged)


def _first_wrong(name: str, values: Floats, wrong: Bools) -> InputError:
    query, column = np.argwhere(wrong)[0]
    return InputError(f"{name}[{query}, {column}] is {values[query, column]}")


@lru_cache(maxsize=1)
def _grid(queries: int, documents: int) -> tuple[list[str], Ints, Ints, Ints]:
    """Return the names, starts, queries and ranks that all matrices of one shape share."""
    names = [str(query) for query in range(queries)]
    starts = np.arange(queries + 1) * documents
    query = np.repeat(np.arange(queries), documents)
    return names, starts, query, np.tile(np.arange(1, documents + 1), queries)


def cut_off(k: int) -> int:
    """k as a whole number, or an OptionError."""
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise OptionError(f"k={k}: a cut-off is a whole number from 1 on")
    return int(k)


def _groups_around(hits: Hits, query: Ints, rank: Ints, stride: int) -> tuple[Ints, Ints]:
    """Return the first and last rank of the tied groups that these ranks belong to."""
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
    """Find the judgments' rows of unjudged results that were pooled; NOT_JUDGED for the others."""
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
) -> tuple[JudgmentArrays, Ints, Ints]:
    """Add results to the judgments: return them, the rows of the results, the new old rows."""
    # A result that was pooled has a row already; the others get new ones at their query's end.
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
    doc[~has_row] = judged.starts[fresh + 1] + shift[fresh] + ordinal_in(fresh) - 1
    top_grade = max(judged.top_grade, float(grade)) if len(query) else judged.top_grade
    return judged.moved(starts, moved, grades, top_grade), doc, moved


def subtopics_of(judged: JudgmentArrays) -> Subtopics:
    """Return the subtopics; raise an OptionError if there are none."""
    if judged.subtopics is None:
        raise OptionError("these judgments have no subtopics")
    return judged.subtopics


def subtopic_numbers(judged: JudgmentArrays) -> Ints:
    """Return for each pair of a document and a subtopic the subtopic's number in all queries."""
    subtopics = subtopics_of(judged)
    return subtopics.starts[judged.query[subtopics.doc]] + subtopics.subtopic


def _subtopic_pairs(hits: Hits, subtopics: Subtopics) -> tuple[Ints, Ints]:
    """Return each row of the hits with each pair of its document and a subtopic."""
    bounds = np.searchsorted(subtopics.doc, np.arange(len(hits.judgments.grade) + 1))
    known = np.flatnonzero(hits.doc >= 0)
    first, last = bounds[hits.doc[known]], bounds[hits.doc[known] + 1]
    return np.repeat(known, last - first), ranges(first, last - first)


def total_over_subtopics(hits: Hits, values: Floats) -> Floats:
    """Return the sum of each query's values, given one value for each subtopic."""
    subtopics = subtopics_of(hits.judgments)
    query = np.repeat(np.arange(len(hits)), subtopics.counts)
    return summed(query, values, len(hits))


def subtopic_shares(hits: Hits, counted: Bools) -> Floats:
    """Return each subtopic's share of its query: counted ones add up to 1, the others are 0.

    NaN where a query has none that is counted.
    """
    subtopics = subtopics_of(hits.judgments)
    weight = np.ones(len(counted)) if subtopics.weight is None else subtopics.weight
    weight = np.where(counted, weight, 0)
    whole = total_over_subtopics(hits, weight)
    share: Floats = weight / np.repeat(np.where(whole > 0, whole, np.nan), subtopics.counts)
    return share


def greedy_ideal(
    hits: Hits, relevant: Bools, weight: Floats, *, alpha: float, k: int | None
) -> Hits:
    """Return the ideal ranking of subtopic measures, by greedy choice, down to rank k.

    Always the document that adds most to those above it: of each subtopic that it is relevant to,
    the weight times (1 - alpha) to the power of how often it was served. Of equals the one with the
    larger id is taken, as in ndeval. `relevant` says it of each pair of a document and a subtopic;
    documents that are relevant to nothing have no place in the ranking.

    What a document adds depends only on the set of its subtopics. So the loop over ranks chooses
    among those sets, of which there are few, rather than among thousands of documents.
    """
    judged = hits.judgments
    subtopics = subtopics_of(judged)
    pair_doc, pair_subtopic = subtopics.doc[relevant], subtopic_numbers(judged)[relevant]
    docs, first, size = np.unique(pair_doc, return_index=True, return_counts=True)
    sets = _same_sets(judged.query[docs], first, size, pair_subtopic)
    # One document stands for each set; the others of the set follow it by falling id.
    line = np.lexsort((-docs, sets))
    bounds = np.searchsorted(sets[line], np.arange(int(sets.max(initial=-1)) + 2))
    sample = line[bounds[:-1]]
    set_query = judged.query[docs[sample]]
    set_of_pair = np.repeat(np.arange(len(sample)), size[sample])
    subtopic_of_pair = pair_subtopic[ranges(first[sample], size[sample])]

    following, end = bounds[:-1].copy(), bounds[1:]
    gain, least = weight.copy(), np.zeros(len(hits))
    chosen: list[Ints] = []
    while len(set_query) and (k is None or len(chosen) < k):
        starts = np.flatnonzero(np.diff(set_query, prepend=-1))
        sizes = np.diff(starts, append=len(set_query))
        score = np.bincount(set_of_pair, weights=gain[subtopic_of_pair], minlength=len(set_query))
        best = np.maximum.reduceat(score, starts)
        # Sums of equal gains, added in another order, may differ in their last digit.
        equal = score >= np.repeat(best * (1 - 1e-12), sizes)
        candidate = np.where(equal, docs[line[following]], -1)
        taken = np.maximum.reduceat(candidate, starts)
        is_taken = candidate == np.repeat(taken, sizes)
        following = following + is_taken
        gain[subtopic_of_pair[is_taken[set_of_pair]]] *= 1 - alpha
        if not chosen:
            least[set_query[starts]] = best * 1e-20
        chosen.append(taken)
        # Sets of which every document is placed drop out; and so do queries to which all that is
        # left would add less than the last digit.
        kept = (following < end) & np.repeat(best >= least[set_query[starts]], sizes)
        if not kept.all():
            kept_pairs = kept[set_of_pair]
            set_of_pair = (np.cumsum(kept) - 1)[set_of_pair[kept_pairs]]
            subtopic_of_pair = subtopic_of_pair[kept_pairs]
            set_query, following, end = set_query[kept], following[kept], end[kept]
    return _hits_of_chosen(hits, chosen)


def _same_sets(query: Ints, first: Ints, size: Ints, subtopic: Ints) -> Ints:
    """Give documents of a query that have the same subtopics the same number."""
    # Compared one subtopic after the other: first all documents' first ones, then the second.
    numbers = query
    base = int(subtopic.max(initial=0)) + 2
    for place in range(int(size.max(initial=0))):
        nth = np.zeros(len(numbers), dtype=np.int64)
        has_nth = size > place
        nth[has_nth] = subtopic[first[has_nth] + place] + 1
        # The numbers rise with the query, and so do those that take their place.
        keys = numbers * base + nth
        numbers = np.searchsorted(np.unique(keys), keys)
    return numbers


def _hits_of_chosen(hits: Hits, chosen: list[Ints]) -> Hits:
    judged = hits.judgments
    doc = np.concatenate([np.zeros(0, dtype=np.int64), *chosen])
    lengths = np.array([len(docs) for docs in chosen], dtype=np.int64)
    rank = np.repeat(np.arange(1, len(chosen) + 1), lengths)
    query = judged.query[doc]
    order = np.argsort(query, kind="stable")
    doc, returned = doc[order], np.bincount(query, minlength=len(hits))
    return hits.with_rows(query[order], rank[order], judged.grade[doc], doc, returned=returned)
