"""What would gain most: every move that suggests itself, tried out.

- A relevant document moves up to another rank, and the results from there on shift down by one. One
  that was not returned is inserted. Every rank that can be its best one is tried, and the best is
  kept; of equally good ranks the lowest, which is the shortest way up.
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
from cleverdon.tracing.variants import inserted, measured, rejudged

NOTHING = 1e-12
"""Changes below are rounding."""

_UNJUDGED = 100
"""How many unjudged results are tried with the best grade, from the top down."""

_RANKS = 100
"""Down to which rank a document is tried everywhere, by measures that may prefer any rank."""

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
    tries = [*_promotions(measure, hits, docs), *_judgements(measure, hits, names)]
    if np.isnan(value):
        # No change can be computed, so no rank is better than another.
        moves = {(move.doc, move.rank): replace(move, to=None) for move, _, _ in tries}
        return list(moves.values())
    # What changes a value in the same way is measured once.
    distinct = {key: variant for _, key, variant in tries}
    values = measured(compute, (variant() for variant in distinct.values()))
    change = dict(zip(distinct, (values - value).tolist(), strict=True))
    best: dict[tuple[str, int | None], Move] = {}
    for move, key, _ in tries:
        move = replace(move, change=change[key])
        before = best.setdefault((move.doc, move.rank), move)
        if _gain(measure, move) > _gain(measure, before) + NOTHING:
            best[move.doc, move.rank] = move
    return list(best.values())


def _gain(measure: Measure, move: Move) -> float:
    """How much better the value gets; -inf where the value would be undefined."""
    sign = {"higher": 1, "lower": -1, "neither": 0}[measure.better]
    return -np.inf if np.isnan(move.change) else sign * move.change


def best_first(measure: Measure, moves: Sequence[Move]) -> tuple[Move, ...]:
    """Those that make the value better, by how much."""
    better = [move for move in moves if _gain(measure, move) > NOTHING]

    def effort(move: Move) -> tuple[float, float]:
        # Of those that gain the same, but for the last digits, what has the shortest way to go.
        return -round(_gain(measure, move), 12), np.inf if move.rank is None else move.rank

    return tuple(sorted(better, key=effort))


def _promotions(measure: Measure, hits: Hits, docs: Sequence[str]) -> Iterator[Try]:
    """Each relevant document at each rank that can be its best one, the lowest rank first."""
    grades = hits.judgments.grade
    rank_of = dict(zip(hits.doc.tolist(), hits.rank.tolist(), strict=True))
    alike = _all_but_their_ids(hits)
    for doc in np.flatnonzero(grades > 0).tolist():
        rank = rank_of.get(doc)
        for to in _places(measure, hits, float(grades[doc]), rank):
            move = Move(docs[doc], float(grades[doc]), rank, to, None, float("nan"))
            key = (doc, to) if rank is not None else ("not returned", to, *alike[doc])
            yield move, key, partial(inserted, hits, doc, to)


def _places(measure: Measure, hits: Hits, grade: float, rank: int | None) -> list[int]:
    """The ranks above its own that can be the best for a document of this grade, lowest first.

    A measure that keeps the promise "swap" never loses when a document passes a worse or an equal
    result on its way up. So the best rank is 1, or right below a result that is strictly better.
    Equal results that follow there can stay above the document: the move is shorter, the value the
    same. For other measures every rank is tried.
    """
    last = int(hits.returned[0]) + 1 if rank is None else rank - 1
    if not measure.keeps("swap") or getattr(measure, "gains", None):
        return list(range(min(last, _RANKS), 0, -1))
    merit = np.zeros(last + 2)  # by rank; the entries at both ends stand for nothing
    above = (hits.rank <= last) & (hits.grade > 0)
    merit[hits.rank[above]] = hits.grade[above]
    better = merit > grade
    unequal = np.flatnonzero(merit != grade)
    first = np.append(1, np.flatnonzero(better[:-1] & ~better[1:]) + 1)
    places = sorted(set(unequal[np.searchsorted(unequal, first)].tolist()))
    if measure.cut == "k" and not measure.judged_only:
        within = [place for place in places if place <= (getattr(measure, "k", None) or np.inf)]
        places = places[: len(within) + 1]  # below the cut-off, one place is as good as another
    return [place for place in reversed(places) if 1 <= place <= last]


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
