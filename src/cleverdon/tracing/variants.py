"""One query's ranking in many variants, as queries of one Hits: so that one call measures them all.

A measure takes as long for one query as for a hundred. So whoever asks what each result does to a
score makes all the rankings that the question is about, joins them, and measures once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon.arrays import Floats, Ints
from cleverdon.hits import Hits
from cleverdon.judged import NOT_JUDGED, Judged, Subtopics

_ROWS = 1 << 16
"""How many rows, of results and judgments, are joined at a time: more would leave the cache."""


def measured(measure: Callable[[Hits], Floats], variants: Iterable[Hits]) -> Floats:
    """The value of each variant, which is a Hits of one query."""
    values = [measure(joined(some)) for some in _batches(variants)]
    return np.concatenate(values) if values else np.zeros(0)


def _batches(variants: Iterable[Hits]) -> Iterator[list[Hits]]:
    """As many at a time as are measured well together: all of a collection of the same size."""
    waiting: list[Hits] = []
    rows = 0
    for variant in variants:
        if waiting and (rows > _ROWS or variant.judgments.docs != waiting[0].judgments.docs):
            yield waiting
            waiting, rows = [], 0
        waiting.append(variant)
        rows += len(variant.rank) + len(variant.judgments.grade)
    if waiting:
        yield waiting


def joined(variants: Sequence[Hits]) -> Hits:
    """All of them as one Hits, each a query of its own."""
    judged = [variant.judgments for variant in variants]
    starts = _starts(len(one.grade) for one in judged)
    rows = np.array([len(variant.rank) for variant in variants])

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(variant, name) for variant in variants])

    doc, first = column("doc"), np.repeat(starts[:-1], rows)
    return Hits(
        query=np.repeat(np.arange(len(variants)), rows),
        rank=column("rank"),
        grade=column("grade"),
        doc=np.where(doc >= 0, doc + first, NOT_JUDGED),
        tied_from=column("tied_from"),
        tied_to=column("tied_to"),
        returned=column("returned"),
        judgments=_joined_judged(judged, starts),
        spent=None if variants[0].spent is None else column("spent"),
    )


def _joined_judged(judged: Sequence[Judged], starts: Ints) -> Judged:
    first = judged[0]

    def column(name: str) -> Any:
        if getattr(first, name) is None:
            return None
        return np.concatenate([getattr(one, name) for one in judged])

    subtopics = [one.subtopics for one in judged if one.subtopics is not None]
    return replace(
        first,
        queries=[one.queries[0] for one in judged],
        starts=starts,
        grade=column("grade"),
        second=column("second"),
        subtopics=_joined_subtopics(subtopics, starts) if subtopics else None,
        stratum=column("stratum"),
        probability=column("probability"),
    )


def _joined_subtopics(subtopics: Sequence[Subtopics], starts: Ints) -> Subtopics:
    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(one, name) for one in subtopics])

    size = [len(one.doc) for one in subtopics]
    return Subtopics(
        doc=column("doc") + np.repeat(starts[:-1], size),
        subtopic=column("subtopic"),
        grade=column("grade"),
        names=[one.names[0] for one in subtopics],
        weight=None if subtopics[0].weight is None else column("weight"),
    )


def _starts(sizes: Iterable[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(np.array(list(sizes), dtype=np.int64))))


# The variants of one query's ranking


def prefixes(hits: Hits) -> Iterator[Hits]:
    """Only the first hit counts, only the first two, ...; before that none, at last all.

    In place of each other hit stands a document that nobody judged; it comes to the collection.
    The judgments stay as they are, so that what could be found is the same throughout.
    """
    judged, number = hits.judgments, len(hits.rank)
    for stop in range(number + 1):
        prefix = hits.where(np.arange(stop))
        if judged.docs is not None:
            docs = judged.docs + number - stop
            prefix = replace(prefix, judgments=replace(judged, docs=docs))
        yield prefix


def with_every_rank(hits: Hits) -> Hits:
    """A row for each result: for those that nobody judged, one with a grade below 0."""
    ranks = np.arange(1, int(hits.returned[0]) + 1)
    others = np.setdiff1d(ranks, hits.rank)
    rows = np.full(len(others), NOT_JUDGED)
    more = {
        "query": np.zeros(len(others), dtype=np.int64),
        "rank": others,
        "grade": rows.astype(np.float64),
        "doc": rows,
        "tied_from": others,
        "tied_to": others,
    }
    order = np.argsort(np.concatenate((hits.rank, others)), kind="stable")
    columns: dict[str, Any] = {
        name: np.concatenate((getattr(hits, name), new))[order] for name, new in more.items()
    }
    return replace(hits, **columns, spent=None)


def inserted(hits: Hits, doc: int, to: int) -> Hits:
    """The document in this row of the judgments moved up to rank `to`; the others shift down.

    A document that was not returned is added, so the ranking gets longer by one. No score lies
    between two equal ones: a document that is moved to the inside of a tied group joins the group.
    """
    row = np.flatnonzero(hits.doc == doc)
    returned = int(hits.returned[0])
    left = int(hits.rank[row[0]]) if len(row) else returned + 1
    others = hits.where(hits.doc != doc) if len(row) else hits
    rank = others.rank - (others.rank > left)
    tied_from = others.tied_from - (others.tied_from > left)
    tied_to = others.tied_to - (others.tied_to >= left)
    around = np.flatnonzero((tied_from < to) & (to <= tied_to))
    place = (to, to)
    if len(around):
        place = (int(tied_from[around[0]]), int(tied_to[around[0]]) + 1)
    shifted = replace(
        others,
        rank=rank + (rank >= to),
        tied_from=tied_from + (tied_from >= to),
        tied_to=tied_to + (tied_to >= to),
        returned=np.array([max(returned, left)]),
    )
    moved = {"query": 0, "rank": to, "grade": hits.judgments.grade[doc], "doc": doc}
    return _with_row(shifted, {**moved, "tied_from": place[0], "tied_to": place[1]})


def rejudged(hits: Hits, rank: int, grade: float) -> Hits:
    """What if the result at this rank, which nobody judged, had this grade?

    It counts among the judged documents from then on: it joins R and the ideal ranking.
    """
    judged = hits.judgments
    here = np.flatnonzero(hits.rank == rank)
    if len(here) and hits.doc[here[0]] >= 0:  # pooled, and not judged
        grades = judged.grade.copy()
        grades[hits.doc[here[0]]] = grade
        of_hits = hits.grade.copy()
        of_hits[here] = grade
        return replace(hits, grade=of_hits, judgments=replace(judged, grade=grades))
    known = len(judged.grade)
    more = judged.moved(
        starts=np.array([0, known + 1]),
        to=np.arange(known),
        grade=np.append(judged.grade, grade),
        top_grade=judged.top_grade,
    )
    tied_from, tied_to = _group(hits, rank)
    row = {
        "query": 0,
        "rank": rank,
        "grade": grade,
        "doc": known,
        "tied_from": tied_from,
        "tied_to": tied_to,
    }
    return _with_row(replace(hits, judgments=more), row)


def _with_row(hits: Hits, row: Mapping[str, float]) -> Hits:
    """The same with this row, in place of the one at its rank if there is one."""
    kept = hits.where(hits.rank != row["rank"])
    at = int(np.searchsorted(kept.rank, row["rank"]))
    columns: dict[str, Any] = {
        name: np.insert(getattr(kept, name), at, value) for name, value in row.items()
    }
    return replace(kept, **columns, spent=None)


def _group(hits: Hits, rank: int) -> tuple[int, int]:
    """The tied group in which a rank stands, as far as the hits know of it."""
    around = np.flatnonzero((hits.tied_from <= rank) & (rank <= hits.tied_to))
    if not len(around):
        return rank, rank
    return int(hits.tied_from[around[0]]), int(hits.tied_to[around[0]])
