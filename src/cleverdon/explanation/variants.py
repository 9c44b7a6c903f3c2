"""Variants of one query's ranking, joined into one Hits so that one call measures them all.

A measure takes as long for one query as for a hundred. So code that asks what each result does to
a score makes all the rankings that the question is about, joins them, and measures once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon._common.arrays import Floats, Ints
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED, JudgmentArrays, Subtopics

_ROWS = 1 << 16
"""The number of rows (results and judgments) joined at a time: more would leave the cache."""


def measure_variants(measure: Callable[[Hits], Floats], variants: Iterable[Hits]) -> Floats:
    """Return the value of each variant, which is a Hits of one query."""
    values = [measure(_join_variants(some)) for some in _batches(variants)]
    return np.concatenate(values) if values else np.zeros(0)


def _batches(variants: Iterable[Hits]) -> Iterator[list[Hits]]:
    """Yield variants of collections of the same size, as many as are measured well together."""
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


def _join_variants(variants: Sequence[Hits]) -> Hits:
    """Join variants as one Hits, each a query of its own."""
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
        judgments=_join_judged(judged, starts),
    )


def _join_judged(judged: Sequence[JudgmentArrays], starts: Ints) -> JudgmentArrays:
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
        subtopics=_join_subtopics(subtopics, starts) if subtopics else None,
        stratum=column("stratum"),
        probability=column("probability"),
        positives=column("positives"),
    )


def _join_subtopics(subtopics: Sequence[Subtopics], starts: Ints) -> Subtopics:
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


def ranking_prefixes(hits: Hits) -> Iterator[Hits]:
    """Yield the hits cut after 0, 1, ... of them, the others as documents that nobody judged."""
    judged, number = hits.judgments, len(hits.rank)
    for stop in range(number + 1):
        prefix = hits.where(np.arange(stop))
        if judged.docs is not None:
            docs = judged.docs + number - stop
            prefix = replace(prefix, judgments=replace(judged, docs=docs))
        yield prefix


def with_every_rank(hits: Hits) -> Hits:
    """Add a row with a grade below 0 for each result that nobody judged."""
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
    return replace(hits, **columns)


def insert_document(hits: Hits, doc: int, to: int) -> Hits:
    """Move a document up to rank `to`, or insert it; inside of a tied group, it joins the group."""
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


def judge_result(hits: Hits, rank: int, grade: float) -> Hits:
    """Return the hits as if an unjudged result had this grade; it joins R and the ideal ranking."""
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
    tied_from, tied_to = _tied_ranks(hits, rank)
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
    """Add a row, in place of the one at its rank if there is one."""
    kept = hits.where(hits.rank != row["rank"])
    at = int(np.searchsorted(kept.rank, row["rank"]))
    columns: dict[str, Any] = {
        name: np.insert(getattr(kept, name), at, value) for name, value in row.items()
    }
    return replace(kept, **columns)


def _tied_ranks(hits: Hits, rank: int) -> tuple[int, int]:
    """Return the tied group of a rank, as far as the hits know of it."""
    around = np.flatnonzero((hits.tied_from <= rank) & (rank <= hits.tied_to))
    if not len(around):
        return rank, rank
    return int(hits.tied_from[around[0]]), int(hits.tied_to[around[0]])
