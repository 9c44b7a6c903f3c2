"""The position-based model: how far down a result stands decides whether it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.online.clicks.browsing import Browsing
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import Parameters, State, click_model


@click_model
@dataclass(frozen=True, kw_only=True)
class PBM(Browsing):
    """Position-based model: a result is clicked where it is examined and attracts.

    Whether it is examined depends on its rank alone, and on no other click.
    """

    formula = r"P(C_r = 1) = \alpha_{q,d}\, \theta_r"
    source = "Richardson, Dominowska & Ragno 2007, doi:10.1145/1242572.1242643"
    undefined = (
        "where every document always stands at one rank: then attractiveness and examination "
        "cannot be told apart, and only the prior decides"
    )
    estimates = {
        "attraction": "alpha, for each query and document: the probability of a click once the "
        "result is examined",
        "examination": "theta, for each rank: the probability that a result there is examined",
    }

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.zeros(lists)

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return state

    def cells(self, ranks: int) -> int:
        return ranks + 1

    def ranks(self, examination: Floats) -> int:
        return len(examination) - 1

    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        return np.minimum(rank, ranks)  # below the last rank that was seen, as there

    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        return self.conditional(parameters, shown)
