"""Measures that are a share: gains times the weights of their ranks, over a whole.

Recall, F and nDCG are such shares, and P, DCG and RBP are, with nothing to be divided by. What an
unjudged result could do to them is known exactly, by cutting gains into levels. With the distinct
gains s_1 < s_2 < ... of the judgments, a gain is the sum of the heights s_l - s_{l-1} up to it;
so the sum over a ranking, and the whole, are sums over levels, and on each level a document is
either in or out. How many are in decides the whole, and which ones decides the sum.

- The lowest share: a linear function over a convex one is quasi-concave in the gains, so it is
  lowest at a corner, where each unjudged result has no gain or the largest. Of m with the largest,
  the m deepest do least. So m is scanned.
- The highest share t is where the largest `sum - t * whole` is 0 (Dinkelbach 1967,
  doi:10.1287/mnsc.13.7.492). On each level some number of results is in, the topmost ones, and no
  more than on the level below: the best such numbers are found from the highest level down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.hits import Hits

_ROUNDS = 1000
"""Each round of Dinkelbach's method gets nearer by more than the last; a handful is the rule."""


@dataclass(frozen=True)
class Share:
    """A measure as gains times weights of ranks, over a whole."""

    gain: Callable[[Hits], Floats]
    """What each row is worth."""
    weight: Callable[[Ints], Floats]
    """What a gain counts for at each rank; it never rises with the rank."""
    whole: Callable[[Ints], Floats] | None = None
    """What is divided by where n judged documents have gain 1: it rises ever less with n."""


def down_to(k: int | None) -> Callable[[Ints], Floats]:
    """Weight 1 down to rank k, and 0 below."""
    return lambda rank: (rank <= (k or np.inf)).astype(float)


def cumulative(weight: Callable[[Ints], Floats]) -> Callable[[Ints], Floats]:
    """The weights of the first n ranks, added up: the whole of a measure with an ideal ranking."""

    def whole(n: Ints) -> Floats:
        weights = weight(np.arange(1, int(n.max(initial=0)) + 1))
        total: Floats = np.concatenate(([0.0], np.cumsum(weights)))[n]
        return total

    return whole


@dataclass(frozen=True, eq=False)
class Level:
    """One level of gains."""

    height: float
    judged: Ints  # per query: how many judged documents reach it
    within_reach: bool  # whether the largest gain that an unjudged result could have reaches it
    known: Hits  # the results that reach it, at no certain place within their tied groups


def levels_of(share: Share, hits: Hits, largest: float) -> list[Level]:
    """The levels of the judgments' gains, and of the largest that is possible."""
    ideal = hits.best_by(share.gain)
    gain, judged_gain = share.gain(hits), share.gain(ideal)
    edges = np.unique(np.append(judged_gain, largest))
    edges = edges[edges > 0]
    return [
        Level(
            height=float(edge - below),
            judged=ideal.count(judged_gain >= edge),
            within_reach=bool(edge <= largest),
            known=hits.where(gain >= edge),
        )
        for below, edge in zip(np.append(0.0, edges), edges, strict=False)
    ]


@dataclass(frozen=True, eq=False)
class Sharing:
    """Shares with unjudged results, `slots`, that may gain anything up to the largest gain."""

    share: Share
    whole: Callable[[Ints], Floats]
    levels: list[Level]
    slots: Hits  # unjudged results, in their order

    @cached_property
    def undefined(self) -> Bools:
        """Which queries have no judged document with any gain."""
        judged = sum((level.judged for level in self.levels), start=np.zeros(len(self.slots)))
        none: Bools = judged == 0
        return none

    def lowest(self, known: Floats) -> Floats:
        """The lowest share, where the known results, in their worst order, sum up to `known`."""
        upwards = np.lexsort((-self.slots.rank, self.slots.query))
        slots = self.slots.where(upwards)
        total, whole = known[slots.query], np.zeros(len(upwards))
        for level in self.levels:
            judged = level.judged[slots.query]
            if level.within_reach:
                weight = self.share.weight(self._ranks(level, "worst")[upwards])
                total = total + level.height * slots.running(weight)
                judged = judged + slots.ordinal
            whole = whole + level.height * self.whole(judged)
        least = np.where(self.undefined, np.nan, known / self._whole_of_known)
        np.fmin.at(least, slots.query, total / whole)
        return least

    def highest(self, known: Floats) -> Floats:
        """The highest share, where the known results, in their best order, sum up to `known`."""
        slots = self.slots
        taken = []
        for level in self.levels:
            if level.within_reach:
                weight = self.share.weight(self._ranks(level, "best"))
                more = self.whole(level.judged[slots.query] + slots.ordinal)
                cost = more - self.whole(level.judged)[slots.query]
                taken.append((level.height * slots.running(weight), level.height * cost))
        most = highest_share(slots, known, self._whole_of_known, taken)
        return np.where(self.undefined & (np.diff(slots.starts) == 0), np.nan, most)

    @cached_property
    def _whole_of_known(self) -> Floats:
        whole: Floats = sum(
            (level.height * self.whole(level.judged) for level in self.levels),
            start=np.zeros(len(self.slots)),
        )
        return whole

    def _ranks(self, level: Level, order: Literal["best", "worst"]) -> Ints:
        """Where the slots stand among those of their groups that reach a level, all taken."""
        slots = self.slots
        before, last = (slots.rows_up_to(r) for r in (slots.tied_from - 1, slots.tied_to))
        known_before, known_last = (
            level.known.rows_up_to(r, slots.query) for r in (slots.tied_from - 1, slots.tied_to)
        )
        known = known_last - known_before
        up, down = slots.ordinal - before, last - slots.ordinal
        ranks: Ints = slots.tied_from + known + up - 1
        return ranks if order == "best" else slots.tied_to - known - down


def highest_share(
    slots: Hits, known: Floats, base: Floats, taken: list[tuple[Floats, Floats]]
) -> Floats:
    """The highest quotient, of a sum over levels and a whole, by Dinkelbach's method.

    `taken` has for each level, the lowest first, what is gained and what it costs when a query's
    slots down to this one are taken; on a higher level no more may be than on a lower one.
    """
    best = np.zeros(len(known))
    some = np.flatnonzero(np.diff(slots.starts))
    last = slots.starts[some + 1] - 1
    row = np.arange(len(slots.query))
    for _ in range(_ROUNDS):
        worth = total = whole = np.zeros(len(row))
        for gained, cost in reversed(taken):
            worth = worth + gained - best[slots.query] * cost
            # Of all numbers up to this row's, the one that is worth most; none, if nothing is.
            most = slots.running(worth, np.maximum)
            at = slots.running(np.where(worth == most, row, 0), np.maximum).astype(np.int64)
            total, whole = (
                np.where(most > 0, (so_far + more)[at], 0)
                for so_far, more in ((total, gained), (whole, cost))
            )
            worth = np.maximum(most, 0)
        numerator, denominator = known.copy(), base.copy()
        numerator[some] += total[last]
        denominator[some] += whole[last]
        better = np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1), 0)
        if np.all(better <= best):
            break
        best = np.maximum(best, better)
    return best
