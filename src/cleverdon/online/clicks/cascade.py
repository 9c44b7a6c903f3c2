"""The cascade model: read down to the first click, and no further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.online.clicks.fitting import Convergence, Limits, Prior
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import ClickModel, Fitted, Parameters, State, click_model


@click_model
@dataclass(frozen=True, kw_only=True)
class CM(ClickModel):
    """Cascade model: a user reads down the list to the first result that attracts, and clicks it.

    So a list has one click or none, and everything above the click was examined. Further clicks of
    a list are not used.
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i})"
    source = "Craswell, Zoeter, Taylor & Ramsey 2008, doi:10.1145/1341531.1341545"
    undefined = "a list with a second click has probability 0"
    estimates = {
        "attraction": "alpha, for each query and document: the probability of a click once the "
        "result is examined; clicks over impressions, down to the first click of each list",
    }

    def fit(
        self,
        shown: Shown,
        *,
        prior: Prior | None = None,
        others: Prior = Prior(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        told: Callable[[int, int], None] | None = None,
    ) -> Fitted:
        prior = prior or self.usual_prior(shown)
        read = ~shown.above
        tried = shown.totals(read.astype(float))
        return Fitted(
            self,
            Parameters(prior.estimate(shown.totals((read & shown.clicked).astype(float)), tried)),
            shown.pairs,
            prior,
            others,
            Convergence(),
            shown.impressions,
            shown.clicks,
            examined=tried,
            weight=tried + prior.hits + prior.misses,
        )

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.ones(lists)  # whether the next result is examined

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        return parameters.attraction[place.pair] * state

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return np.where(place.clicked, 0.0, state)

    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        chances = np.empty(len(shown.pair))
        examined = np.ones(shown.lists)
        for place in shown.places:
            attraction = parameters.attraction[place.pair]
            chances[place.rows] = examined[place.lists] * attraction
            examined[place.lists] *= 1 - attraction
        return chances
