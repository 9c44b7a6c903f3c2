"""What a change of judgments does to the order of systems, and to what can be claimed of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cleverdon.compare.orderings import Agreement, agreements
from cleverdon.compare.paired import Comparison, Difference, compare
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

_DIGITS = 12
"""Averages that differ further behind are equal, and were added up in another order."""

Kind = Literal["lost", "gained", "reversed", "swapped"]
KINDS: dict[Kind, str] = {
    "reversed": "significant with both, and the other way round",
    "lost": "significant before, no longer",
    "gained": "significant now, and not before",
    "swapped": "the other way round, significant with neither",
}
"""What may become of the difference of two systems."""


@dataclass(frozen=True)
class Move:
    """One system before and after."""

    system: str
    before: float
    after: float
    rank_before: int  # from 1; equal systems share the best of their ranks
    rank_after: int

    @property
    def up(self) -> int:
        """How many ranks it gained."""
        return self.rank_before - self.rank_after


@dataclass(frozen=True)
class Turn:
    """A claim about two systems that is no longer the same."""

    kind: Kind
    before: Difference
    after: Difference


@dataclass(frozen=True, eq=False)
class Effect:
    """What became of the order of systems by one measure."""

    measure: Measure
    moves: tuple[Move, ...]  # the best after the change first
    agreement: Agreement | None  # of both orders, on the topics of both; None of one system
    turns: tuple[Turn, ...]
    claims: tuple[int, int]  # significant differences before and after


def effects(
    before: Scores,
    after: Scores,
    *,
    baseline: str | None = None,
    level: float = 0.05,
    seed: int = 0,
    **testing: Any,
) -> list[Effect]:
    """Compare the same runs' scores by two judgments, measure by measure.

    The order's agreement is on the topics that both judgments have. Differences are tested on all
    topics of each, as `compare` does with `testing`, corrected over all pairs and measures.
    """
    if before.systems != after.systems or before.measures != after.measures:
        raise OptionError("the two scores are to be of the same systems, by the same measures")
    several = len(before.systems) > 1
    alike = agreements(before, other=after, seed=seed) if several else []
    how = {"baseline": baseline, "level": level, "seed": seed, **testing}
    pairs = (compare(before, **how), compare(after, **how)) if several else None
    return [
        Effect(
            measure=measure,
            moves=_moves(before, after, m),
            agreement=alike[m] if several else None,
            turns=_turns(*pairs, measure) if pairs else (),
            claims=(_claims(pairs[0], measure), _claims(pairs[1], measure)) if pairs else (0, 0),
        )
        for m, measure in enumerate(before.measures)
    ]


def _moves(before: Scores, after: Scores, m: int) -> tuple[Move, ...]:
    measure = before.measures[m]
    means = [scores.means[:, m] for scores in (before, after)]
    ranks = [_ranks(of, lower=measure.better == "lower") for of in means]
    found = [
        Move(system, float(means[0][s]), float(means[1][s]), ranks[0][s], ranks[1][s])
        for s, system in enumerate(before.systems)
    ]
    return tuple(sorted(found, key=lambda move: (move.rank_after, move.rank_before)))


def _ranks(means: Any, *, lower: bool) -> list[int]:
    merit = np.round(-means if lower else means, _DIGITS)
    return [1 + int((merit > own).sum()) for own in merit]


def _claims(comparison: Comparison, measure: Measure) -> int:
    of = (found for found in comparison.differences if found.measure == measure)
    return sum(comparison.significant(found) for found in of)


def _turns(before: Comparison, after: Comparison, measure: Measure) -> tuple[Turn, ...]:
    found = []
    for old, new in zip(before.differences, after.differences, strict=True):
        if old.measure != measure:
            continue
        kind = _turned(old, new, significant=(before.significant(old), after.significant(new)))
        if kind is not None:
            found.append(Turn(kind, old, new))
    order = list(KINDS)
    return tuple(sorted(found, key=lambda turn: order.index(turn.kind)))


def _turned(old: Difference, new: Difference, *, significant: tuple[bool, bool]) -> Kind | None:
    signs = [np.sign(round(found.difference, _DIGITS)) for found in (old, new)]
    if significant == (True, True):
        return "reversed" if signs[0] != signs[1] else None
    if significant == (True, False):
        return "lost"
    if significant == (False, True):
        return "gained"
    return "swapped" if signs[0] * signs[1] < 0 else None
