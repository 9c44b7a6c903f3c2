"""What a click model is: a class that computes, and says of itself all that there is to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import OptionError, suggest
from cleverdon.online.clicks.belief import Belief
from cleverdon.online.clicks.fitting import Convergence, Limits, Prior
from cleverdon.online.clicks.lists import Pairs, Place, Shown

WEIGHT = 5.0
"""How often a document counts as examined before anything is seen, by the usual prior."""

_ENOUGH = 20_000
"""Lists."""

State = Floats
"""What a model remembers of each list while it walks down: a number a list."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """What a click model estimates. What a model has no use for is None, or 1."""

    attraction: Floats
    """For each pair: how likely a click is, once the result is examined."""
    examination: Floats | None = None
    """How likely a result is to be examined: see the model for what that depends on."""
    satisfaction: Floats | None = None
    """How likely a click is to end the search: for each pair, or for each rank from 0 on."""
    continuation: float = 1.0
    """How likely a user is to go on to the next result, unless satisfied."""


class ClickModel(ABC):
    """The base of click models: the texts that describe one, and how it sees a list of results.

    A subclass is a frozen dataclass whose fields are its options. `chance` and `after` say how a
    user goes down a list; from these alone follow the likelihood of clicks and simulated ones.
    """

    formula: ClassVar[str] = ""
    """In LaTeX: the probability that the result at rank r is clicked."""
    source: ClassVar[str] = ""
    """Where it was proposed."""
    undefined: ClassVar[str] = ""
    """What it cannot explain, or estimate."""
    estimates: ClassVar[Mapping[str, str]] = {}
    """Each parameter that it estimates, in words."""
    value: ClassVar[str] = "attractiveness"
    """What documents are graded by."""

    @property
    def name(self) -> str:
        return type(self).__name__

    @abstractmethod
    def fit(
        self,
        shown: Shown,
        *,
        prior: Prior | None = None,
        others: Prior = Prior(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        told: Callable[[int, int], None] | None = None,
    ) -> Fitted:
        """Estimate the parameters from result lists with clicks.

        `prior` is that of attractiveness; without it, that of `usual_prior`. `others` is that of
        every other probability. `told` is called after each iteration, with its number and the
        largest that it may get.
        """

    def usual_prior(self, shown: Shown) -> Prior:
        """A prior around the attractiveness that all documents would have, were they alike.

        Around any other value, documents that are seldom shown would pull at examination: taken
        for better than they are, they must have been overlooked.
        """
        # As many lists as tell a rate well enough; they are sorted by length, so of each length.
        chosen = np.zeros(shown.lists, dtype=bool)
        chosen[:: -(-shown.lists // _ENOUGH)] = True
        alike = shown.part(chosen).as_one()
        rough = Limits(iterations=200, tolerance=1e-7)
        found = self.fit(alike, prior=Prior(), limits=rough).parameters.attraction[0]
        return Prior.around(float(found), weight=WEIGHT)

    @abstractmethod
    def begin(self, parameters: Parameters, lists: int) -> State:
        """What is remembered of each list before its first result."""

    @abstractmethod
    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        """How likely each result of a place is clicked, given all clicks above it."""

    @abstractmethod
    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        """What is remembered once it is known which results of the place were clicked."""

    @abstractmethod
    def marginal(self, parameters: Parameters, shown: Shown) -> Floats:
        """How likely each row is clicked, whatever was clicked above it."""

    def belief(self, fitted: Fitted) -> Belief:
        """What is known of each pair's worth, and how well."""
        return Belief.beta(fitted.parameters.attraction, fitted.weight)

    def conditional(self, parameters: Parameters, shown: Shown) -> Floats:
        """How likely each row is clicked, given the clicks above it in its list."""
        chances = np.empty(len(shown.pair))
        state = self.begin(parameters, shown.lists)
        for place in shown.places:
            here = place.lists
            chances[place.rows] = self.chance(parameters, place, state[here])
            state[here] = self.after(parameters, place, state[here], chances[place.rows])
        return chances


@dataclass(frozen=True, eq=False)
class Fitted:
    """A click model with its parameters, and what they were estimated from."""

    model: ClickModel
    parameters: Parameters
    pairs: Pairs
    prior: Prior
    """Of attractiveness."""
    others: Prior
    """Of every other probability."""
    convergence: Convergence
    impressions: Ints
    """Of each pair."""
    clicks: Ints
    examined: Floats
    """How many of each pair's impressions were examined, as far as the model can tell."""
    weight: Floats
    """How many examined impressions the attractiveness is known as well as by, prior included."""
    satisfaction_weight: Floats | None = None
    """Likewise for satisfaction, where that is of each pair."""

    @property
    def attractiveness(self) -> dict[tuple[str, str], float]:
        """By query and document."""
        return dict(zip(self.pairs, self.parameters.attraction.tolist(), strict=True))

    @cached_property
    def belief(self) -> Belief:
        """What is known of each pair's worth, by which it is graded."""
        return self.model.belief(self)

    def click_probabilities(self, shown: Shown) -> Floats:
        """How likely each row is clicked, as one would say before any click is seen."""
        return self.model.marginal(self._for(shown.pairs), shown)

    def conditional(self, shown: Shown) -> Floats:
        """How likely each row is clicked, given the clicks above it in its list."""
        return self.model.conditional(self._for(shown.pairs), shown)

    def knows(self, shown: Shown) -> Bools:
        """Which rows are of a query and document that the model was fitted on."""
        place = shown.pairs.places_in(self.pairs)
        known: Bools = (place >= 0) & (self.impressions[place] > 0)
        return known[shown.pair]

    def _for(self, pairs: Pairs) -> Parameters:
        """The parameters of other pairs; those of one never seen are what the priors say."""
        if pairs is self.pairs:
            return self.parameters
        place = pairs.places_in(self.pairs)
        found, unseen = self.parameters, place < 0
        attraction = np.where(unseen, self.prior.mode, found.attraction[place])
        satisfaction = found.satisfaction
        if satisfaction is not None and self.satisfaction_weight is not None:
            satisfaction = np.where(unseen, self.others.mode, satisfaction[place])
        return replace(found, attraction=attraction, satisfaction=satisfaction)


_models: dict[str, type[ClickModel]] = {}

M = TypeVar("M", bound=type[ClickModel])


def click_model(cls: M) -> M:
    """Make a click model known by its name; a name that is taken is refused."""
    taken = {name.casefold(): known for name, known in _models.items()}
    known = taken.get(cls.__name__.casefold())
    if known is not None and (known.__module__, known.__name__) != (cls.__module__, cls.__name__):
        raise OptionError(f"there is a click model {known.__name__!r} already; choose another name")
    _models[cls.__name__] = cls
    return cls


def click_models() -> tuple[type[ClickModel], ...]:
    """Every click model there is."""
    return tuple(_models.values())


def find_model(name: str, **options: Any) -> ClickModel:
    """The model of a name, in any letter case, with its options.

    >>> from cleverdon.online.clicks import find_model
    >>> find_model("dbn", continuation=0.9)
    DBN(continuation=0.9)
    """
    by_folded = {known.casefold(): cls for known, cls in _models.items()}
    if name.casefold() not in by_folded:
        raise OptionError(f"there is no click model {name!r}{suggest(name, _models)}")
    cls = by_folded[name.casefold()]
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            hint = suggest(option, known) if known else "; it has none"
            raise OptionError(f"{cls.__name__} has no option {option!r}{hint}")
    return cls(**options)
