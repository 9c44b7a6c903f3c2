"""Models in which a click takes two independent things: the result is examined, and attracts.

They differ in what examination depends on. Rows of the same query, document and kind of place are
counted together, so an iteration costs no more for a log ten times as long.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.online.clicks.fitting import Limits, Prior, climb, log_likelihood, share, weight
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import ClickModel, Fitted, Parameters, State


@dataclass(frozen=True, kw_only=True)
class Browsing(ClickModel):
    """A click model in which P(click) is attractiveness times examination."""

    anchored: bool = True
    """Whether the first rank counts as always examined.

    Only the product of attractiveness and examination can be seen: the same clicks are explained as
    well with all documents half as attractive, and examined twice as often. Without an anchor the
    priors decide.
    """

    @abstractmethod
    def cells(self, ranks: int) -> int:
        """How many kinds of places there are, of lists down to this rank."""

    @abstractmethod
    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        """The kind of each place, of which examination depends; 0 is never one."""

    @abstractmethod
    def ranks(self, examination: Floats) -> int:
        """Down to which rank examination was estimated."""

    def fit(
        self,
        shown: Shown,
        *,
        prior: Prior | None = None,
        others: Prior = Prior(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        told: Callable[[int, int], None] | None = None,
    ) -> Fitted:
        attracts = prior or self.usual_prior(shown)
        ranks = int(shown.rank.max())
        counted = self._counted(shown, ranks)
        pairs, cells = len(shown.pairs), self.cells(ranks)
        anchor = self.cell(np.array([1]), np.zeros(1), ranks)

        def anchored(examination: Floats) -> Floats:
            if self.anchored:
                examination[anchor] = 1.0
            return examination

        def step(here: Parameters) -> tuple[Parameters, float]:
            examined, chance = counted.examined(here)
            assert here.examination is not None
            free = np.delete(here.examination, anchor) if self.anchored else here.examination
            objective = (
                log_likelihood(chance, counted.clicked)
                + log_likelihood(1 - chance, counted.skipped)
                + attracts.log_density(here.attraction)
                + others.log_density(free)
            )
            looks = counted.clicked + counted.skipped * examined
            attraction = attracts.estimate(
                summed(counted.pair, counted.clicked, pairs), summed(counted.pair, looks, pairs)
            )
            times = counted.clicked + counted.skipped
            examination = others.estimate(
                summed(counted.cell, looks, cells), summed(counted.cell, times, cells)
            )
            return Parameters(attraction, anchored(examination)), objective

        start = Parameters(np.full(pairs, attracts.mode), anchored(np.full(cells, others.mode)))
        found, convergence = climb(start, step, results=len(shown.pair), limits=limits, told=told)
        examined, _ = counted.examined(found)
        missed = summed(counted.pair, counted.skipped * examined, pairs)
        certain = summed(counted.pair, counted.skipped * examined**2, pairs)
        tried = shown.clicks + missed
        return Fitted(
            self,
            found,
            shown.pairs,
            attracts,
            others,
            convergence,
            shown.impressions,
            shown.clicks,
            examined=tried,
            weight=weight(found.attraction, tried, missed, certain, attracts),
        )

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        examination = parameters.examination
        assert examination is not None
        cell = self.cell(place.rank, state, self.ranks(examination))
        return parameters.attraction[place.pair] * examination[cell]

    def _counted(self, shown: Shown, ranks: int) -> _Counted:
        """How often each pair stood in each kind of place, and was clicked or not."""
        cell = np.empty(len(shown.pair), dtype=np.int64)
        nothing = Parameters(np.zeros(0))
        state = self.begin(nothing, shown.lists)
        for place in shown.places:
            here = place.lists
            cell[place.rows] = self.cell(place.rank, state[here], ranks)
            state[here] = self.after(nothing, place, state[here], np.zeros(0))
        cells = self.cells(ranks)
        kinds, kind = np.unique(shown.pair * cells + cell, return_inverse=True)
        clicked = summed(kind, shown.clicked.astype(float), len(kinds))
        times = np.bincount(kind, minlength=len(kinds))
        return _Counted(kinds // cells, kinds % cells, clicked, times - clicked)


@dataclass(frozen=True, eq=False)
class _Counted:
    """Rows that are the same to the model, counted."""

    pair: Ints
    cell: Ints
    clicked: Floats
    skipped: Floats

    def examined(self, parameters: Parameters) -> tuple[Floats, Floats]:
        """How likely a result that was not clicked was examined, and how likely a click is."""
        assert parameters.examination is not None
        attraction = parameters.attraction[self.pair]
        examination = parameters.examination[self.cell]
        chance = attraction * examination
        return share(examination * (1 - attraction), 1 - chance), chance
