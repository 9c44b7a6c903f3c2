"""What would gain most: every move that suggests itself, tried out.

- A relevant document changes places with the first result that is worse, so that nothing better is
  pushed down. One that was not returned takes that result's place.
- A result that nobody judged gets the best grade there is, and joins the judged documents.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.tracing.results import Move
from cleverdon.tracing.variants import exchanged, measured, rejudged

NOTHING = 1e-12
"""Changes below are rounding."""

_UNJUDGED = 100
"""How many unjudged results are tried with the best grade, from the top down."""

Try = tuple[Move, Hashable, Callable[[], Hits]]
"""A move, what the change depends on, and the ranking with it; the change is not known yet."""


def tried(
    measure: Measure,
    compute: Callable[[Hits], Floats],
    hits: Hits,
    docs: Sequence[str],
    names: Mapping[int, str],
    value: float,
) -> list[Move]:
    """Every move, and how it would change the value; NaN where there is none to change."""
    tries = [*_promotions(hits, docs), *_judgements(measure, hits, names)]
    if np.isnan(value):
        return [move for move, _, _ in tries]
    # What changes a value in the same way is measured once.
    distinct = {key: variant for _, key, variant in tries}
    values = measured(compute, (variant() for variant in distinct.values()))
    change = dict(zip(distinct, (values - value).tolist(), strict=True))
    return [replace(move, change=change[key]) for move, key, _ in tries]


def best_first(measure: Measure, moves: Sequence[Move]) -> tuple[Move, ...]:
    """Those that make the value better, by how much."""
    sign = {"higher": 1, "lower": -1, "neither": 0}[measure.better]
    better = [move for move in moves if sign * move.change > NOTHING]

    def effort(move: Move) -> tuple[float, float]:
        # Of those that gain the same, but for the last digits, what has the shortest way to go.
        return -sign * round(move.change, 12), np.inf if move.rank is None else move.rank

    return tuple(sorted(better, key=effort))


def _promotions(hits: Hits, docs: Sequence[str]) -> Iterator[Try]:
    """Each relevant document in the place of the first result that is worse."""
    grades = hits.judgments.grade
    merit = np.zeros(int(hits.returned[0]) + 1)  # behind the last result there is a place as well
    merit[hits.rank - 1] = np.maximum(hits.grade, 0)
    rank_of = dict(zip(hits.doc.tolist(), hits.rank.tolist(), strict=True))
    alike = _all_but_their_ids(hits)
    for doc in np.flatnonzero(grades > 0).tolist():
        rank = rank_of.get(doc)
        to = int(np.argmax(merit < grades[doc])) + 1
        if rank is None or to < rank:
            move = Move(docs[doc], float(grades[doc]), rank, to, None, float("nan"))
            key = (doc,) if rank is not None else ("not returned", *alike[doc])
            yield move, key, partial(exchanged, hits, doc, to)


def _judgements(measure: Measure, hits: Hits, names: Mapping[int, str]) -> Iterator[Try]:
    """Each unjudged result near the top with the best grade there is."""
    best = hits.judgments.top_grade
    if measure.needs or best <= 0:
        return  # what is needed beside grades would have to be assumed as well
    cut = getattr(measure, "k", None) if measure.cut == "k" else None
    deepest = np.inf if cut is None else cut
    judged = set(hits.rank[hits.grade >= 0].tolist())
    places = [place for place in sorted(names) if place not in judged and place <= deepest]
    for place in places[:_UNJUDGED]:
        move = Move(names[place], None, place, None, best, float("nan"))
        yield move, ("judged", place), partial(rejudged, hits, place, best)


def _all_but_their_ids(hits: Hits) -> list[tuple[Any, ...]]:
    """All that is known of each judged document but its id."""
    judged = hits.judgments
    columns = [judged.grade, *(c for c in judged.beside(slice(None)).values() if c is not None)]
    known = list(zip(*(column.tolist() for column in columns), strict=True))
    if judged.subtopics is None:
        return known
    covered: list[list[tuple[int, float]]] = [[] for _ in known]
    pairs = judged.subtopics
    for doc, subtopic, grade in zip(pairs.doc, pairs.subtopic, pairs.grade, strict=True):
        covered[int(doc)].append((int(subtopic), float(grade)))
    return [(*facts, *subtopics) for facts, subtopics in zip(known, covered, strict=True)]
