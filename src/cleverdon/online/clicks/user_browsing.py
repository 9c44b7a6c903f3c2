"""The user browsing model: whether a result is looked at depends on how far the last click is."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.online.clicks.browsing import Browsing
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import Parameters, State, click_model


@click_model
@dataclass(frozen=True, kw_only=True)
class UBM(Browsing):
    """User browsing model: a result is clicked where it is examined and attracts.

    Whether it is examined depends on its rank, and on the rank of the last click above it.
    """

    formula = r"P(C_r = 1 \mid C_{<r}) = \alpha_{q,d}\, \theta_{r,r'}"
    source = "Dupret & Piwowarski 2008, doi:10.1145/1390334.1390392"
    undefined = (
        "where every document always stands at one rank: then attractiveness and examination "
        "cannot be told apart, and only the prior decides"
    )
    estimates = {
        "attraction": "alpha, for each query and document: the probability of a click once the "
        "result is examined",
        "examination": "theta, for each rank r and rank r' of the last click above it (0: none): "
        "the probability that a result there is examined; a square, row by row",
    }

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.zeros(lists)  # the rank of the last click; 0 where there was none

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return np.where(place.clicked, place.rank, state)

    def cells(self, ranks: int) -> int:
        return (ranks + 1) ** 2

    def ranks(self, examination: Floats) -> int:
        return isqrt(len(examination)) - 1

    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        # Below the last rank that was seen, as there; so a click above it stays above.
        rank = np.minimum(rank, ranks)
        last: Ints = np.minimum(state.astype(np.int64), rank - 1)
        return rank * (ranks + 1) + last

    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        chances = np.empty(len(shown.pair))
        # For every place that the last click may have had, 0 being none: how likely that is.
        ever = [np.ones(shown.lists)]
        ranks: list[Ints] = [np.zeros(shown.lists, dtype=np.int64)]
        for place in shown.places:
            here = place.lists
            found = np.zeros(len(place.pair))
            for last, rank in zip(ever, ranks, strict=True):
                chance = self.chance(parameters, place, rank[here].astype(float))
                found += last[here] * chance
                last[here] *= 1 - chance
            chances[place.rows] = found
            ever.append(found)
            ranks.append(place.rank)
        return chances
