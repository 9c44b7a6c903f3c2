"""What a change of judgments does to the order of systems, and to what can be claimed of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.compare.flips import Flips, flips, orders
from cleverdon.compare.orderings import Agreement
from cleverdon.compare.paired import compare
from cleverdon.compare.part import part_of
from cleverdon.compare.samples import samples
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

_DIGITS = 12
"""Averages that differ further behind are equal, and were added up in another order."""


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
class Shared:
    """The topics on which two judgments are compared, and how many are left out."""

    topics: tuple[str, ...]  # judged by both, and all systems are evaluated on them
    only_before: int
    only_after: int
    not_evaluated: int  # judged by both, and some system is not evaluated on them


@dataclass(frozen=True, eq=False)
class Effect:
    """What became of the order of systems by one measure, on the topics of both judgments."""

    measure: Measure
    shared: Shared
    moves: tuple[Move, ...]  # the best after the change first
    agreement: Agreement | None  # of both orders; None of one system
    flips: Flips  # what became of the difference of each two systems


def effects(
    before: Scores,
    after: Scores,
    *,
    baseline: str | None = None,
    level: float = 0.05,
    confidence: float = 0.95,
    seed: int = 0,
    **testing: Any,
) -> list[Effect]:
    """Compare the same runs' scores by two judgments, measure by measure.

    Averages, ranks, orders and tests are all on the topics that both judgments have, and that every
    system was evaluated on: else a change of topics would pass for one of judgments. Differences
    are tested as `compare` does with `testing`, corrected over all pairs and measures.
    """
    if before.systems != after.systems or before.measures != after.measures:
        raise OptionError("the two scores are to be of the same systems, by the same measures")
    shared = _shared(before, after)
    before, after = (part_of(of, topics=shared.topics) for of in (before, after))
    alike: list[Agreement] = []
    turned = Flips(())
    if len(before.systems) > 1:
        alike = orders(before, after, confidence=confidence, seed=seed)
        how = testing | {"baseline": baseline, "level": level, "confidence": confidence}
        turned = flips(*(compare(of, seed=seed, **how) for of in (before, after)))
    elif baseline is not None:
        raise OptionError(
            f"baseline={baseline!r}: there is one system, and none to compare it with"
        )
    return [
        Effect(
            measure=measure,
            shared=shared,
            moves=_moves(before, after, m),
            agreement=alike[m] if alike else None,
            flips=turned.of(measure),
        )
        for m, measure in enumerate(before.measures)
    ]


def _shared(before: Scores, after: Scores) -> Shared:
    old, new = set(before.queries), set(after.queries)
    in_both = old & new
    if not in_both:
        raise InputError("the two judgments have no query in common")
    evaluated = set(samples(before)[0].topics) & set(samples(after)[0].topics)
    if not evaluated:
        raise InputError("no query of both judgments was evaluated for all systems")
    return Shared(
        topics=tuple(query for query in before.queries if query in evaluated),
        only_before=len(old - new),
        only_after=len(new - old),
        not_evaluated=len(in_both - evaluated),
    )


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
