"""The click model: its base class, priors, EM estimation and registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.extras import scipy_special
from cleverdon._common.progress import Progress
from cleverdon._common.registry import Registry
from cleverdon.errors import OptionError, check_count, suggest
from cleverdon.logs.clicks.result_lists import Pairs, Place, ResultLists


@dataclass(frozen=True)
class Prior:
    """The prior of a probability: Beta(1 + hits, 1 + misses).

    It counts as hits + misses earlier trials. The estimate is the mode of the posterior,
    (hits + seen) / (hits + misses + tried). Prior(0, 0) is flat and gives the maximum-likelihood
    estimate.
    """

    hits: float = 1.0
    misses: float = 1.0

    def __post_init__(self) -> None:
        if not (self.hits >= 0 and self.misses >= 0 and np.isfinite(self.hits + self.misses)):
            raise OptionError(f"{self}: hits and misses are numbers of at least 0")

    @classmethod
    def around(cls, rate: float, *, weight: float) -> Prior:
        """Return a prior with this mode that counts as `weight` earlier trials."""
        return cls(weight * rate, weight * (1 - rate))

    @property
    def mode(self) -> float:
        """The estimate without data; one half if the prior is flat."""
        total = self.hits + self.misses
        return self.hits / total if total else 0.5

    def estimate(self, seen: Floats, tried: Floats) -> Floats:
        """Return the estimate after `seen` successes in `tried` trials; `mode` without a trial."""
        total = tried + self.hits + self.misses
        if self.hits + self.misses > 0:
            found = (seen + self.hits) / total
        else:
            default = np.full(np.shape(total), self.mode)
            found = np.divide(seen + self.hits, total, out=default, where=total > 0)
        # Expected counts may sum to slightly more than was tried.
        capped: Floats = np.minimum(found, 1.0)
        return capped

    def log_density(self, values: Floats) -> float:
        """Return the sum of the logarithms of the prior's density, up to a constant."""
        found = 0.0
        if self.hits:
            found += self.hits * float(np.sum(np.log(values)))
        if self.misses:
            found += self.misses * float(np.sum(np.log1p(-values)))
        return found


@dataclass(frozen=True)
class FitLimits:
    """The limits at which EM stops."""

    iterations: int = 500
    tolerance: float = 1e-8  # the smallest gain in the log of the posterior, per result

    def __post_init__(self) -> None:
        check_count("iterations", self.iterations)
        if not self.tolerance >= 0:
            raise OptionError(f"tolerance={self.tolerance}: it is a number of at least 0")


@dataclass(frozen=True)
class Convergence:
    """The course of an estimation."""

    iterations: int = 0  # 0 if there is a formula
    converged: bool = True
    objective: tuple[float, ...] = ()
    """At the start of each iteration, the log-likelihood plus the log of the priors' density."""


def log_likelihood(chance: Floats, times: Floats | None = None) -> float:
    """Return the log-likelihood of events that were seen `times` times; by default once."""
    with np.errstate(divide="ignore"):
        logs = np.log(chance)
    if times is not None:
        logs = np.where(times > 0, logs, 0.0) * times
    return float(np.sum(logs))


def ratio_or_zero(part: Floats, whole: Floats) -> Floats:
    """Return the part divided by the whole; 0 if the whole is 0."""
    if (
        np.min(whole, initial=np.inf) > 0
    ):  # as it mostly is: division by a mask takes thrice as long
        found: Floats = np.asarray(part / whole)
        return found
    zero = np.zeros(np.broadcast_shapes(np.shape(part), np.shape(whole)))
    return np.divide(part, whole, out=zero, where=np.asarray(whole) > 0)


def equivalent_trials(
    estimate: Floats, tried: Floats, misses: Floats, certain: Floats, prior: Prior
) -> Floats:
    """Return the number of certain trials that give the same precision, prior included.

    A miss that was a trial only with probability w has less information than w certain misses: the
    second derivative of the log-likelihood has w^2 where the expected count has w (Louis 1982,
    doi:10.1111/j.2517-6161.1982.tb01203.x). `misses` is the sum of w, and `certain` that of w^2.
    The result is the weight of the Beta distribution with the posterior's mode and curvature.
    """
    total = tried + prior.hits + prior.misses
    whole = misses + prior.misses
    kept = np.where(whole > 0, ratio_or_zero(certain + prior.misses, whole), 1.0)
    found: Floats = total * (1 - estimate + estimate * kept)
    return found


@dataclass(frozen=True, eq=False)
class Belief:
    """An estimate for each pair, and a Beta or a Gamma distribution around it."""

    estimate: Floats
    kind: Literal["beta", "gamma"]
    first: Floats  # Beta's alpha, or Gamma's shape
    second: Floats  # Beta's beta, or Gamma's rate

    @classmethod
    def beta(cls, mode: Floats, weight: Floats) -> Belief:
        """Return the Beta distribution with this mode after `weight` trials."""
        return cls(mode, "beta", 1 + weight * mode, 1 + weight * (1 - mode))

    @classmethod
    def gamma(cls, shape: Floats, rate: Floats) -> Belief:
        """Return the Gamma distribution, with its mean as the estimate."""
        return cls(shape / rate, "gamma", shape, rate)

    def times(self, other: Belief) -> Belief:
        """Return the Beta with the mean and variance of the product of two independent Betas."""
        mean = square = np.ones(1)
        for one in (self, other):
            own = one.first / (one.first + one.second)
            mean = mean * own
            square = square * (own * (one.first + 1) / (one.first + one.second + 1))
        variance = square - mean**2
        size = mean * (1 - mean) / variance - 1
        return Belief(self.estimate * other.estimate, "beta", mean * size, (1 - mean) * size)

    def below(self, bound: Floats | float) -> Floats:
        """Return the probability that the true value is at most `bound`."""
        special = scipy_special("the confidence of grades from clicks")
        found: Floats
        if self.kind == "beta":
            found = special.betainc(self.first, self.second, bound)
        else:
            found = special.gammainc(self.first, bound / (1 / np.asarray(self.second)))
        return found

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of the interval with equal tails."""
        special = scipy_special("the confidence of grades from clicks")
        tails = (1 - confidence) / 2, 1 - (1 - confidence) / 2
        if self.kind == "beta":
            low, high = (special.betaincinv(self.first, self.second, tail) for tail in tails)
        else:
            scale = 1 / np.asarray(self.second)
            low, high = (special.gammaincinv(self.first, tail) * scale for tail in tails)
        return low, high

    def part(self, wanted: Any) -> Belief:
        return Belief(self.estimate[wanted], self.kind, self.first[wanted], self.second[wanted])


_WEIGHT = 5.0  # the weight of the usual prior, in examined impressions

_ENOUGH = 20_000  # the number of lists that are enough to estimate a rate

State = Floats
"""The state of a model while it reads down the lists: a number for each list."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """The probabilities of a click model; None or 1 if the model does not have them."""

    attraction: Floats  # of a click on an examined result, for each pair
    examination: Floats | None = (
        None  # that a result is examined; the model says what it depends on
    )
    satisfaction: Floats | None = None  # that a click ends the search: by pair, or by rank from 0
    continuation: float = 1.0  # that an unsatisfied user goes on to the next result


class ClickModel(ABC):
    """The base of click models: descriptions, estimation, and probabilities of clicks.

    A subclass is a frozen dataclass whose fields are its options. `chance` and `after` describe how
    a user reads down a list; the likelihood of clicks and simulated clicks follow from them.
    """

    formula: ClassVar[str] = ""  # in LaTeX: the probability that the result at rank r is clicked
    source: ClassVar[str] = ""
    undefined: ClassVar[str] = ""  # data that it cannot explain, parameters that it cannot estimate
    estimates: ClassVar[Mapping[str, str]] = {}  # descriptions of the estimated parameters
    value: ClassVar[str] = "attractiveness"  # the value that documents are graded by

    @property
    def name(self) -> str:
        return type(self).__name__

    def fit(
        self,
        shown: ResultLists,
        *,
        prior: Prior | None = None,
        others: Prior = Prior(),
        limits: FitLimits = FitLimits(),
        progress: Progress | None = None,
    ) -> FittedModel:
        """Estimate the parameters from result lists with clicks.

        Args:
            shown: The result lists.
            prior: The prior of attractiveness; by default that of `usual_prior`.
            others: The prior of every other probability.
            limits: The limits at which EM stops.
            progress: Called after each iteration.
        """
        prior = prior or self.usual_prior(shown)
        return self.estimate_from(Fitting(self, shown, prior, others, limits, progress))

    @abstractmethod
    def estimate_from(self, given: Fitting) -> FittedModel:
        """Return the model with the parameters that fit the lists best."""

    def usual_prior(self, shown: ResultLists) -> Prior:
        """Return a prior around the attractiveness of all documents, taken as one document.

        Around any other value, documents that are rarely shown would bias examination: if the prior
        overrates them, the model explains their missing clicks by too little examination.
        """
        # Lists are sorted by length, so every n-th gives lists of all lengths.
        chosen = np.zeros(shown.lists, dtype=bool)
        chosen[:: -(-shown.lists // _ENOUGH)] = True
        alike = shown.part(chosen).as_one()
        rough = FitLimits(iterations=200, tolerance=1e-7)
        found = self.fit(alike, prior=Prior(), limits=rough).parameters.attraction[0]
        return Prior.around(float(found), weight=_WEIGHT)

    def begin(self, parameters: Parameters, lists: int) -> State:
        """Return the state of each list before its first result."""
        return np.zeros(lists)

    @abstractmethod
    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        """Return the probability of a click on each result at a place, given the clicks above."""

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        """Return the state after the clicks on the results at a place."""
        return state

    def marginal(self, parameters: Parameters, shown: ResultLists) -> Floats:
        """Return the marginal probability of a click on each row."""
        return self.conditional(parameters, shown)  # the same if clicks change no state

    def belief(self, fitted: FittedModel) -> Belief:
        """Return the posterior of each pair's value."""
        return Belief.beta(fitted.parameters.attraction, fitted.weight)

    def conditional(self, parameters: Parameters, shown: ResultLists) -> Floats:
        """Return the probability of a click on each row, given the clicks above it."""
        chances = np.empty(len(shown.pair))
        state = self.begin(parameters, shown.lists)
        for place in shown.places:
            here = place.lists
            chances[place.rows] = self.chance(parameters, place, state[here])
            state[here] = self.after(parameters, place, state[here], chances[place.rows])
        return chances


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A click model with its parameters and the data of their estimation; arrays are by pair."""

    model: ClickModel
    parameters: Parameters
    pairs: Pairs
    prior: Prior  # of attractiveness
    others: Prior  # of every other probability
    impressions: Ints
    clicks: Ints
    examined: Floats  # the expected number of examined impressions
    weight: Floats
    """The examined impressions that give the attractiveness the same precision, prior included."""
    satisfaction_weight: Floats | None = None  # the same for satisfaction, if it is by pair
    convergence: Convergence = Convergence()

    @property
    def attractiveness(self) -> dict[tuple[str, str], float]:
        return dict(zip(self.pairs, self.parameters.attraction.tolist(), strict=True))

    @cached_property
    def belief(self) -> Belief:
        """The posterior of each pair's value, which decides its grade."""
        return self.model.belief(self)

    def click_probabilities(self, shown: ResultLists) -> Floats:
        """Return the marginal probability of a click on each row."""
        return self.model.marginal(self._for(shown.pairs), shown)

    def conditional(self, shown: ResultLists) -> Floats:
        """Return the probability of a click on each row, given the clicks above it."""
        return self.model.conditional(self._for(shown.pairs), shown)

    def knows(self, shown: ResultLists) -> Bools:
        """Return True for rows with a query and document that the model was fitted on."""
        place = shown.pairs.places_in(self.pairs)
        known: Bools = (place >= 0) & (self.impressions[place] > 0)
        return known[shown.pair]

    def _for(self, pairs: Pairs) -> Parameters:
        """Return the parameters of other pairs; those of the priors for a pair never seen."""
        if pairs is self.pairs:
            return self.parameters
        place = pairs.places_in(self.pairs)
        found, unseen = self.parameters, place < 0
        attraction = np.where(unseen, self.prior.mode, found.attraction[place])
        satisfaction = found.satisfaction
        if satisfaction is not None and self.satisfaction_weight is not None:
            satisfaction = np.where(unseen, self.others.mode, satisfaction[place])
        return replace(found, attraction=attraction, satisfaction=satisfaction)


P = TypeVar("P")


@dataclass(frozen=True)
class Fitting:
    """The estimation of a model: the lists, the priors and the limits of EM."""

    model: ClickModel
    shown: ResultLists
    prior: Prior  # of attractiveness
    others: Prior  # of every other probability
    limits: FitLimits
    progress: Progress | None

    def maximise(self, start: P, step: Callable[[P], tuple[P, float]]) -> tuple[P, Convergence]:
        """Repeat `step`, which returns better parameters and the objective of the given ones.

        Stop when a step gains less than the tolerance for each result.
        """
        here, history = start, []
        least = self.limits.tolerance * len(self.shown.pair)
        for iteration in range(1, self.limits.iterations + 1):
            following, objective = step(here)
            history.append(objective)
            if self.progress is not None:
                label = f"fitting {self.model.name}"
                self.progress(label, iteration, self.limits.iterations)
            if len(history) > 1 and history[-1] - history[-2] <= least:
                return here, Convergence(iteration, True, tuple(history))
            here = following
        return here, Convergence(self.limits.iterations, False, tuple(history))

    def fitted(self, parameters: Parameters, **found: Any) -> FittedModel:
        shown, priors = self.shown, (self.prior, self.others)
        counts = (shown.impressions, shown.clicks)
        return FittedModel(self.model, parameters, shown.pairs, *priors, *counts, **found)


_MODELS: Registry[ClickModel] = Registry(
    "click model",
    package="cleverdon.logs.clicks",
    modules=("models",),
    order=("CM", "COEC", "DBN", "SDBN", "DCM", "PBM", "UBM"),
)
click_model = _MODELS.register


def click_models() -> tuple[type[ClickModel], ...]:
    """Return all click models.

    Returns:
        The classes, in the order of listings.

    >>> [model.__name__ for model in click_models()]
    ['CM', 'COEC', 'DBN', 'SDBN', 'DCM', 'PBM', 'UBM']
    """
    return tuple(_MODELS.all().values())


def find_model(name: str, **options: Any) -> ClickModel:
    """Return the click model of a name, with its options.

    Args:
        name: The name, in any letter case.
        options: The fields of the model.

    Returns:
        The model, to be fitted.

    Raises:
        OptionError: There is no such model or option.

    >>> find_model("dbn", continuation=0.9)
    DBN(continuation=0.9)
    """
    cls = _MODELS.find(name)
    known = [field.name for field in fields(cls)]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            hint = suggest(option, known) if known else "; it has none"
            raise OptionError(f"{cls.__name__} has no option {option!r}{hint}")
    return cls(**options)


def models_named(name: str) -> list[ClickModel]:
    """Return the model of a name, or every model for `all`, with default options."""
    return [cls() for cls in click_models()] if name.casefold() == "all" else [find_model(name)]
