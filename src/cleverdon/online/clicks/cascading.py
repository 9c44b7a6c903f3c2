"""Models of a user who goes down the list, result by result, until satisfied or tired of it.

The first result is examined. One that is examined is clicked if it attracts; a click may satisfy,
which ends the search; whoever is not satisfied goes on with some probability. Up to the last click
everything was examined. What was below it is found by going down (what do the clicks above say?)
and up again (and that none came below?), for all lists at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.errors import check_word
from cleverdon.online.clicks.belief import Belief
from cleverdon.online.clicks.fitting import (
    Convergence,
    Limits,
    Prior,
    climb,
    log_likelihood,
    share,
    weight,
)
from cleverdon.online.clicks.lists import Place, Shown
from cleverdon.online.clicks.model import ClickModel, Fitted, Parameters, State


@dataclass(frozen=True, kw_only=True)
class Cascading(ClickModel):
    """A click model of a user who goes down the list."""

    satisfied_by: ClassVar[Literal["pair", "rank"]] = "pair"
    """What satisfaction depends on."""

    @property
    @abstractmethod
    def going_on(self) -> float | None:
        """The probability of going on where it is fixed; None where it is estimated."""

    @property
    def by_formula(self) -> bool:
        """Whether parameters are counted, as if every last click had satisfied."""
        return False

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.ones(lists)  # how likely the next result is examined, given the clicks so far

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        return parameters.attraction[place.pair] * state

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        attraction = parameters.attraction[place.pair]
        satisfaction = self.satisfaction(parameters, place.pair, place.rank)
        return parameters.continuation * _unsatisfied(
            place, state, chance, attraction, satisfaction
        )

    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        chances = np.empty(len(shown.pair))
        examined = np.ones(shown.lists)
        for place in shown.places:
            attraction = parameters.attraction[place.pair]
            satisfaction = self.satisfaction(parameters, place.pair, place.rank)
            chances[place.rows] = examined[place.lists] * attraction
            examined[place.lists] *= parameters.continuation * (1 - attraction * satisfaction)
        return chances

    def satisfaction(self, parameters: Parameters, pair: Ints, rank: Ints) -> Floats:
        """How likely a click on each row is to end the search."""
        of = parameters.satisfaction
        assert of is not None
        return of[pair] if self.satisfied_by == "pair" else of[np.minimum(rank, len(of) - 1)]

    def belief(self, fitted: Fitted) -> Belief:
        attracts = super().belief(fitted)
        if fitted.satisfaction_weight is None:
            return attracts
        assert fitted.parameters.satisfaction is not None
        return attracts.times(
            Belief.beta(fitted.parameters.satisfaction, fitted.satisfaction_weight)
        )

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
        by_pair = self.satisfied_by == "pair"
        key = shown.pair if by_pair else shown.rank
        keys = len(shown.pairs) if by_pair else int(shown.rank.max()) + 1
        # Whether a click on the last result of a list satisfied, nothing can tell; the formula
        # takes it for granted.
        telling = np.flatnonzero(shown.clicked & (shown.followed | self.by_formula))
        clicked_key = key[telling]
        tried = summed(clicked_key, np.ones(len(telling)), keys)
        # All others stay where the prior is highest, and add the same to every objective.
        known = np.flatnonzero(tried)

        def improved(seen: _Seen) -> Parameters:
            going_on = self.going_on
            if going_on is None:
                went = sum(float(seen.examined[p.rows].sum()) for p in shown.places[1:])
                could = float((seen.examined - seen.satisfied)[shown.followed].sum())
                going_on = float(others.estimate(np.array(went), np.array(could)))
            return Parameters(
                attracts.estimate(shown.clicks.astype(float), shown.totals(seen.examined)),
                satisfaction=others.estimate(
                    summed(clicked_key, seen.satisfied[telling], keys), tried
                ),
                continuation=going_on,
            )

        def step(here: Parameters) -> tuple[Parameters, float]:
            seen = self._seen(here, shown)
            assert here.satisfaction is not None
            objective = (
                log_likelihood(np.where(shown.clicked, seen.chance, 1 - seen.chance))
                + attracts.log_density(here.attraction)
                + others.log_density(here.satisfaction[known])
            )
            if self.going_on is None:
                objective += others.log_density(np.array(here.continuation))
            return improved(seen), objective

        if self.by_formula:
            seen = _assumed(shown)
            found, convergence = improved(seen), Convergence()
        else:
            start = Parameters(
                np.full(len(shown.pairs), attracts.mode),
                satisfaction=np.full(keys, others.mode),
                continuation=others.mode if self.going_on is None else self.going_on,
            )
            found, convergence = climb(
                start, step, results=len(shown.pair), limits=limits, told=told
            )
            seen = self._seen(found, shown)
        missed = np.where(shown.clicked, 0.0, seen.examined)
        examined = shown.totals(seen.examined)
        return Fitted(
            self,
            found,
            shown.pairs,
            attracts,
            others,
            convergence,
            shown.impressions,
            shown.clicks,
            examined=examined,
            weight=weight(
                found.attraction,
                examined,
                shown.totals(missed),
                shown.totals(missed**2),
                attracts,
            ),
            satisfaction_weight=_satisfaction_weight(found, seen, shown, others)
            if by_pair
            else None,
        )

    def _seen(self, parameters: Parameters, shown: Shown) -> _Seen:
        """What the clicks of a list say of all that cannot be seen in it."""
        # Looked up once for all rows: that takes longer than to compute with them.
        attraction = parameters.attraction[shown.pair]
        satisfaction = self.satisfaction(parameters, shown.pair, shown.rank)
        going_on = parameters.continuation
        chance = np.empty(len(shown.pair))
        expected = np.empty(len(shown.pair))
        state = self.begin(parameters, shown.lists)
        for place in shown.places:
            here, rows = place.lists, place.rows
            expected[rows] = state[here]
            chance[rows] = attraction[rows] * state[here]
            state[here] = going_on * _unsatisfied(
                place, state[here], chance[rows], attraction[rows], satisfaction[rows]
            )

        examined = np.ones(len(shown.pair))
        satisfied = np.zeros(len(shown.pair))
        quiet = np.ones(shown.lists)  # how likely no click follows, were the next one examined
        for place in reversed(shown.places):
            here, rows = place.lists, place.rows
            ends = 1 - going_on + going_on * quiet[here]  # no click follows, if not satisfied
            here_quiet = (1 - attraction[rows]) * ends
            looked = expected[rows] * here_quiet
            unread = ~(place.clicked | shown.below[rows])
            examined[rows] = np.where(unread, share(looked, looked + 1 - expected[rows]), 1.0)
            pleased = satisfaction[rows]
            last = place.clicked & ~shown.below[rows]
            satisfied[rows] = np.where(last, share(pleased, pleased + (1 - pleased) * ends), 0.0)
            quiet[here] = here_quiet
        return _Seen(chance, examined, satisfied)


def _unsatisfied(
    place: Place, state: State, chance: Floats, attraction: Floats, satisfaction: Floats
) -> Floats:
    """How likely each list was read down to this place without its reader being satisfied."""
    unclicked = share((1 - attraction) * state, 1 - chance)
    return np.where(place.clicked, 1 - satisfaction, unclicked)


@dataclass(frozen=True, eq=False)
class _Seen:
    """For each row: the chance of a click, and what is to be thought of it now."""

    chance: Floats
    examined: Floats
    satisfied: Floats


def _assumed(shown: Shown) -> _Seen:
    """The same, as if every last click had satisfied, and all were read where there is no click."""
    read = shown.clicked | shown.below | ~shown.with_click[shown.list]
    last = shown.clicked & ~shown.below
    return _Seen(np.zeros(len(shown.pair)), read.astype(float), last.astype(float))


def _satisfaction_weight(parameters: Parameters, seen: _Seen, shown: Shown, prior: Prior) -> Floats:
    """How many clicks with a known outcome each pair's satisfaction is known as well as by."""
    of = parameters.satisfaction
    assert of is not None
    rows = shown.clicked & shown.followed
    pair = shown.pair[rows]
    # Each click's share of the curvature is its slope, squared; times p (1 - p) to count clicks.
    p, yes = of[pair], seen.satisfied[rows]
    slope = share(yes, p) - share(1 - yes, 1 - p)
    seen_weight = summed(pair, slope**2 * p * (1 - p), len(of))
    found: Floats = (
        seen_weight + share(prior.hits * (1 - of), of) + share(prior.misses * of, 1 - of)
    )
    return found


@dataclass(frozen=True, kw_only=True)
class Counted(Cascading):
    """A cascade that always goes on unless a click ends it, whose authors count instead of fit."""

    estimate: Literal["em", "formula"] = "em"

    def __post_init__(self) -> None:
        check_word("estimate", self.estimate, ("em", "formula"))

    @property
    def going_on(self) -> float:
        return 1.0

    @property
    def by_formula(self) -> bool:
        return self.estimate == "formula"
