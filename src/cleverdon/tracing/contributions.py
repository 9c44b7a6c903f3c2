"""What each result adds to the score, and how it comes by that."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.shares import Share, cumulative, levels_of
from cleverdon.tracing.moves import best_first, tried
from cleverdon.tracing.results import Ideal, Step, Trace
from cleverdon.tracing.variants import measured, prefixes, with_every_rank

Columns = Mapping[str, Mapping[int, float]]
"""A measure's own columns: by name, then by rank."""


def traced(
    measure: Measure,
    hits: Hits,
    docs: Sequence[str],
    ranking: Sequence[str],
    *,
    system: str = "run",
    tied: Collection[int] = (),
    expected: bool = False,
) -> Trace:
    """Where the value of one query comes from.

    `hits` are of that query only, `docs` are the ids of its judged documents, in the order of the
    judgments, and `ranking` those of its results, or of the first of them. `tied` are the ranks
    that are tied, where more than the hits are known to be. With `expected` the value is the one
    expected over ties.
    """
    compute = measure.over_ties if expected else measure
    values = measured(compute, prefixes(hits))
    value = float(values[-1])
    names = _names(hits, docs, ranking)
    # Weights of ranks say nothing where a result is at several ranks at once.
    share = None if expected else measure.as_share()
    total, whole, ideal = _over_whole(measure, share, hits, docs)
    working = {} if expected else _working(measure, share, hits)
    moves = tried(measure, compute, hits, docs, names, value)
    return Trace(
        system=system,
        query=hits.judgments.queries[0],
        measure=measure,
        value=value,
        start=_carried(values)[0],
        steps=_steps(hits, names, values, working, tied={*tied, *_tied(hits)}),
        returned=int(hits.returned[0]),
        total=total,
        whole=whole,
        ideal=ideal,
        moves=best_first(measure, moves),
        missed=tuple(move for move in moves if move.rank is None),
    )


def _names(hits: Hits, docs: Sequence[str], ranking: Sequence[str]) -> dict[int, str]:
    """The documents by rank, as far as they are known."""
    known = {
        place: docs[row]
        for place, row in zip(hits.rank.tolist(), hits.doc.tolist(), strict=True)
        if row >= 0
    }
    # Where ties=best or worst, tied results stand in another order than `ranking` has them: the
    # judged ones are known by themselves, and the others follow in theirs.
    judged = set(known.values())
    others = (doc for doc in ranking if doc not in judged)
    for place in range(1, len(ranking) + 1):
        if place not in known:
            known[place] = next(others, "")
    return known


def _carried(values: Floats) -> list[float]:
    """The values, where undefined the last one that is not: such a hit adds nothing.

    Some measures are undefined until enough is found.
    """
    carried: list[float] = []
    for value in values.tolist():
        carried.append((carried[-1] if carried else 0.0) if np.isnan(value) else value)
    return carried


def _tied(hits: Hits) -> set[int]:
    """The ranks of all tied groups that have a hit in them."""
    groups = set(zip(hits.tied_from.tolist(), hits.tied_to.tolist(), strict=True))
    return {place for first, last in groups if first < last for place in range(first, last + 1)}


def _steps(
    hits: Hits,
    names: Mapping[int, str],
    values: Floats,
    working: Columns,
    *,
    tied: Collection[int],
) -> tuple[Step, ...]:
    row_at = {place: row for row, place in enumerate(hits.rank.tolist())}
    added = [after - before for before, after in pairwise(_carried(values))]
    so_far = float(values[0])
    steps = []
    for place in sorted(names.keys() | row_at.keys()):
        row = row_at.get(place)
        grade = None
        if row is not None:
            so_far = float(values[row + 1])
            grade = float(hits.grade[row]) if hits.doc[row] >= 0 else None
        steps.append(
            Step(
                rank=place,
                doc=names.get(place, ""),
                grade=grade,
                tied=place in tied,
                working={name: column[place] for name, column in working.items()},
                added=0.0 if row is None else added[row],
                so_far=so_far,
            )
        )
    return tuple(steps)


def _working(measure: Measure, share: Share | None, hits: Hits) -> Columns:
    """The measure's own columns, by rank; NaN where it passes a result over."""
    every = kept = read = with_every_rank(hits)
    if measure.judged_only:
        kept, read = every.where(every.grade >= 0), every.condensed()
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = measure.working(read)
        if share is not None and share.whole is not None:
            product = share.gain(read) * share.weight(read.rank)
            columns |= {"product": product, "sum": np.cumsum(product)}
    nothing = dict.fromkeys(every.rank.tolist(), float("nan"))
    return {
        name: nothing | dict(zip(kept.rank.tolist(), column.tolist(), strict=True))
        for name, column in columns.items()
    }


def _over_whole(
    measure: Measure, share: Share | None, hits: Hits, docs: Sequence[str]
) -> tuple[float | None, float | None, tuple[Ideal, ...]]:
    """The sum and the whole that the value is a share of, and the ideal that has the whole."""
    if share is None or share.whole is None:
        return None, None, ()
    read = hits.condensed() if measure.judged_only else hits
    total = float(np.sum(share.gain(read) * share.weight(read.rank)))
    whole = 0.0
    for level in levels_of(share, read, 0.0):
        whole += level.height * float(share.whole(level.judged)[0])
    best = read.best_by(share.gain)
    gain, weight = share.gain(best), share.weight(best.rank)
    so_far = np.cumsum(gain * weight)
    # The whole of F has precision in it, and recall at k has no ideal that reaches it where more
    # than k documents are relevant.
    number = np.arange(len(gain) + 1)
    if not np.allclose(share.whole(number), cumulative(share.weight)(number), rtol=1e-12):
        return total, whole, ()
    rows = zip(best.rank, best.doc, best.grade, gain, so_far, weight, strict=True)
    ideal = (
        Ideal(int(place), docs[doc], float(grade), float(worth), float(down_to))
        for place, doc, grade, worth, down_to, counts in rows
        if counts > 0
    )
    return total, whole, tuple(ideal)
