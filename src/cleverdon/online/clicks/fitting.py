"""Estimating what cannot be seen: priors, and expectation maximisation (EM)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class Prior:
    """What a probability is taken for before anything is seen: Beta(1 + hits, 1 + misses).

    As if it had been tried hits + misses times before. The estimate is the mode of the posterior,
    (hits + seen) / (hits + misses + tried). Prior(0, 0) is flat, and the estimate that of maximum
    likelihood.

    >>> Prior(1, 1).estimate(np.array([0.0, 3.0]), np.array([0.0, 4.0]))
    array([0.5       , 0.66666667])
    """

    hits: float = 1.0
    misses: float = 1.0

    def __post_init__(self) -> None:
        if not (self.hits >= 0 and self.misses >= 0 and np.isfinite(self.hits + self.misses)):
            raise OptionError(f"{self}: hits and misses are numbers from 0 on")

    @classmethod
    def around(cls, rate: float, *, weight: float) -> Prior:
        """A prior with this mode, as if tried `weight` times before."""
        return cls(weight * rate, weight * (1 - rate))

    @property
    def mode(self) -> float:
        """The estimate where nothing was seen; of a flat prior, one half."""
        total = self.hits + self.misses
        return self.hits / total if total else 0.5

    def estimate(self, seen: Floats, tried: Floats) -> Floats:
        """The probability that `seen` of `tried` speak for; `mode` where nothing was tried."""
        total = tried + self.hits + self.misses
        default = np.full(np.shape(total), self.mode)
        found = np.divide(seen + self.hits, total, out=default, where=total > 0)
        capped: Floats = np.minimum(
            found, 1.0
        )  # expected counts may sum to a hair above what was tried
        return capped

    def log_density(self, values: Floats) -> float:
        """The sum of the logarithms of the prior's density, up to a constant."""
        found = 0.0
        if self.hits:
            found += self.hits * float(np.sum(np.log(values)))
        if self.misses:
            found += self.misses * float(np.sum(np.log1p(-values)))
        return found


@dataclass(frozen=True)
class Limits:
    """When EM ends."""

    iterations: int = 500
    tolerance: float = 1e-8
    """The least gain a result in the log of the posterior for which it goes on."""

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise OptionError(f"iterations={self.iterations}: there must be at least one")
        if not self.tolerance >= 0:
            raise OptionError(f"tolerance={self.tolerance}: it is a number from 0 on")


@dataclass(frozen=True)
class Convergence:
    """How estimation went."""

    iterations: int = 0
    """0 where there is a formula, and nothing to iterate."""
    converged: bool = True
    objective: tuple[float, ...] = ()
    """At the start of each iteration, the log-likelihood plus the log of the priors' density."""


P = TypeVar("P")


def climb(
    start: P,
    step: Callable[[P], tuple[P, float]],
    *,
    results: int,
    limits: Limits,
    told: Callable[[int, int], None] | None = None,
) -> tuple[P, Convergence]:
    """EM: repeat `step`, which gives better parameters and how good the given ones were.

    It ends when a step gains less than the tolerance for each of so many `results`.
    """
    here, history = start, []
    for iteration in range(1, limits.iterations + 1):
        following, objective = step(here)
        history.append(objective)
        if told is not None:
            told(iteration, limits.iterations)
        if len(history) > 1 and history[-1] - history[-2] <= limits.tolerance * results:
            return here, Convergence(iteration, True, tuple(history))
        here = following
    return here, Convergence(limits.iterations, False, tuple(history))


def log_likelihood(chance: Floats, times: Floats | None = None) -> float:
    """The log of the probability of all that was seen, each of which had this chance.

    What was never seen (`times` is 0) counts for nothing, whatever its chance.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(chance)
    if times is not None:
        logs = np.where(times > 0, logs, 0.0) * times
    return float(np.sum(logs))


def share(part: Floats, whole: Floats) -> Floats:
    """The part divided by the whole, and 0 where there is no whole."""
    zero = np.zeros(np.broadcast_shapes(np.shape(part), np.shape(whole)))
    return np.divide(part, whole, out=zero, where=np.asarray(whole) > 0)


def weight(
    estimate: Floats, tried: Floats, misses: Floats, certain: Floats, prior: Prior
) -> Floats:
    """How many sure trials an estimated probability is known as well as by, the prior's included.

    A miss that only may have been a trial, with probability w, tells less than w of a sure one: the
    second derivative of the log-likelihood has w^2 where the expected count has w (Louis 1982,
    doi:10.1111/j.2517-6161.1982.tb01203.x). `misses` is the sum of w, and `certain` that of w^2.
    The weight is that of the Beta distribution with the posterior's mode and curvature.
    """
    total = tried + prior.hits + prior.misses
    whole = misses + prior.misses
    kept = np.where(whole > 0, share(certain + prior.misses, whole), 1.0)
    found: Floats = total * (1 - estimate + estimate * kept)
    return found
