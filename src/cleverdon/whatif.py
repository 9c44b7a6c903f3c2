"""What-if questions: transforms from Hits to Hits, which every measure gets for nothing.

Each is a method of Hits, where it is described; how it is done is written here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cleverdon.arrays import Ints, group_numbers, ordinal_in, ranges
from cleverdon.errors import OptionError, check_word
from cleverdon.hits import Hits, cut_off
from cleverdon.judged import NOT_JUDGED, Judged


def tied(hits: Hits, order: Literal["best", "worst"]) -> Hits:
    """Results with equal scores in the order that is best, or worst, for the system."""
    check_word("order", order, ("best", "worst"))
    # Judged and not relevant is the worst there is; what nobody judged stands between.
    merit = np.where(hits.grade == 0, -1.0, np.maximum(hits.grade, 0))
    if order == "worst":
        merit = -merit
    rows = np.lexsort((-merit, hits.tied_from, hits.query))
    placed = hits.where(rows)
    merit = merit[rows]
    group = group_numbers(placed.query, placed.tied_from)
    place = ordinal_in(group)
    size = np.bincount(group)[group] if len(group) else place
    # Above what nobody judged: from the group's first rank down. Below: from its last rank up.
    above = merit >= 0
    rank = np.where(above, placed.tied_from + place - 1, placed.tied_to - (size - place))
    return replace(placed, rank=rank, tied_from=rank, tied_to=rank)


def assume(hits: Hits, grade: float, *, k: int | None = None, join: bool) -> Hits:
    """The results that nobody judged, down to rank k, with this grade; joining R if `join`."""
    if not np.isfinite(grade):
        raise OptionError(f"grade={grade}: a grade is a finite number")
    depth = hits.returned if k is None else np.minimum(hits.returned, cut_off(k))
    # What was pooled and not judged stays as it is below rank k.
    known = hits.where((hits.grade >= 0) | (hits.rank > depth[hits.query]))
    query = np.repeat(np.arange(len(hits)), depth)
    rank = ranges(1, depth)
    stride = int(hits.returned.max(initial=0)) + 1
    unjudged = ~np.isin(query * stride + rank, known.query * stride + known.rank)
    query, rank = query[unjudged], rank[unjudged]
    tied_from, tied_to = _groups_around(hits, query, rank, stride)
    pooled = _pooled_rows(hits, query * stride + rank, stride)
    judgments, doc, known_doc = hits.judgments, pooled, known.doc
    if join:
        judgments, doc, moved = _with_more_judged(hits, query, pooled, grade)
        known_doc = np.where(known.doc >= 0, moved[known.doc], NOT_JUDGED)
    more = replace(
        hits,
        query=query,
        rank=rank,
        grade=np.full(len(query), float(grade)),
        doc=doc,
        tied_from=tied_from,
        tied_to=tied_to,
        judgments=judgments,
        spent=None,
    )
    return _merged(replace(known, doc=known_doc), more)


def completed(hits: Hits, rest: Literal["best", "worst"], *, size: int) -> Hits:
    """The ranking going on to `size` documents, with the unseen judged ones first, or last."""
    check_word("rest", rest, ("best", "worst"))
    judged = hits.judgments
    returned = np.zeros(len(judged.grade), dtype=bool)
    returned[hits.doc[hits.doc >= 0]] = True
    unseen = np.flatnonzero(~returned)
    query, grade = judged.query[unseen], judged.grade[unseen]
    needed = hits.returned + np.bincount(query, minlength=len(hits))
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
    count = np.bincount(query, minlength=len(hits))
    rank = np.where(front, hits.returned[query] + place, size - count[query] + place)
    more = replace(
        hits,
        query=query,
        rank=rank,
        grade=judged.grade[doc],
        doc=doc,
        tied_from=rank,
        tied_to=rank,
        returned=np.full(len(hits), size),
        spent=None,
    )
    return _merged(hits, more)


def _merged(hits: Hits, more: Hits) -> Hits:
    """The second with the rows of the first put in between."""
    stride = int(more.returned.max(initial=0)) + 1
    places = [one.query * stride + one.rank for one in (hits, more)]
    rows = np.argsort(np.concatenate(places))

    def both(column: str) -> NDArray[Any]:
        return np.concatenate((getattr(hits, column), getattr(more, column)))[rows]

    return replace(
        more,
        query=both("query"),
        rank=both("rank"),
        grade=both("grade"),
        doc=both("doc"),
        tied_from=both("tied_from"),
        tied_to=both("tied_to"),
    )


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
    doc[~has_row] = judged.starts[fresh + 1] + shift[fresh] + ordinal_in(fresh) - 1
    top_grade = max(judged.top_grade, float(grade)) if len(query) else judged.top_grade
    return judged.moved(starts, moved, grades, top_grade), doc, moved
