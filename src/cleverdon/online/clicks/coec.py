"""Clicks over expected clicks: what a document gets, against any other at its ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, summed
from cleverdon.errors import OptionError
from cleverdon.online.clicks.belief import Belief
from cleverdon.online.clicks.fitting import Convergence, Limits, Prior, share
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import ClickModel, Fitted, Parameters, State, click_model


@click_model
@dataclass(frozen=True, kw_only=True)
class COEC(ClickModel):
    """Clicks over expected clicks: a document's clicks, over those of an average one in its place.

    1 is as many as the log's documents get on average at the same ranks. It is a ratio and no
    probability: it may be any number from 0 on. To make predictions too, it is multiplied with the
    rate of clicks at the rank.
    """

    formula = r"\frac{\sum_i c_i + m}{\sum_i \mathrm{ctr}(r_i) + m}"
    source = "Zhang & Jones 2007, Comparing click logs and editorial labels (WWW workshop)"
    undefined = "with smoothing=0, a document that was only shown at ranks where nobody clicked"
    estimates = {
        "attraction": "for each query and document: clicks over expected clicks",
        "examination": "ctr, for each rank: clicks over impressions, smoothed likewise",
    }
    value = "clicks over expected clicks"

    smoothing: float = 1.0
    """m: so many clicks are added to those of each document, and to those expected."""

    def __post_init__(self) -> None:
        if not (self.smoothing >= 0 and np.isfinite(self.smoothing)):
            raise OptionError(f"smoothing={self.smoothing}: it is a number from 0 on")

    def fit(
        self,
        shown: Shown,
        *,
        prior: Prior | None = None,
        others: Prior = Prior(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        told: Callable[[int, int], None] | None = None,
    ) -> Fitted:
        ranks = int(shown.rank.max()) + 1
        clicks = summed(shown.rank, shown.clicked.astype(float), ranks)
        # A rank that was seldom shown has about the rate of all.
        every = self.smoothing * shown.clicked.mean()
        times = np.bincount(shown.rank, minlength=ranks).astype(float) + self.smoothing
        rate = share(clicks + every, times)
        expected = shown.totals(rate[shown.rank])
        with np.errstate(invalid="ignore"):
            ratio = (shown.clicks + self.smoothing) / (expected + self.smoothing)
        return Fitted(
            self,
            Parameters(ratio, examination=rate),
            shown.pairs,
            Prior(1, 0),  # a document never seen has as many clicks as are expected of it
            others,
            Convergence(),
            shown.impressions,
            shown.clicks,
            # An impression at the best rank counts in full.
            examined=share(expected, np.full(len(expected), rate.max())),
            weight=expected + self.smoothing,
        )

    def belief(self, fitted: Fitted) -> Belief:
        """Clicks are taken to be Poisson distributed around ratio times expected clicks."""
        # Where nothing at all is expected, nothing is known; a rate of 0 would be no distribution.
        least = np.finfo(float).tiny
        return Belief.gamma(
            np.maximum(fitted.clicks + self.smoothing, least), np.maximum(fitted.weight, least)
        )

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.zeros(lists)

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        rate = parameters.examination
        assert rate is not None
        expected = rate[np.minimum(place.rank, len(rate) - 1)]
        return np.minimum(np.nan_to_num(parameters.attraction[place.pair], nan=1.0) * expected, 1)

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return state

    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        return self.conditional(parameters, shown)
