"""What is known of documents' worth, as distributions: how likely it lies between two bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import scipy_stats


@dataclass(frozen=True, eq=False)
class Belief:
    """An estimate for each pair, and a Beta or a Gamma distribution around it."""

    estimate: Floats
    kind: Literal["beta", "gamma"]
    first: Floats
    """Beta's alpha, or Gamma's shape."""
    second: Floats
    """Beta's beta, or Gamma's rate."""

    @classmethod
    def beta(cls, mode: Floats, weight: Floats) -> Belief:
        """The Beta distribution with this mode, as after `weight` trials.

        >>> known = Belief.beta(np.array([0.25]), np.array([8.0]))
        >>> known.first, known.second
        (array([3.]), array([7.]))
        """
        return cls(mode, "beta", 1 + weight * mode, 1 + weight * (1 - mode))

    @classmethod
    def gamma(cls, shape: Floats, rate: Floats) -> Belief:
        """The Gamma distribution, with its mean as the estimate."""
        return cls(shape / rate, "gamma", shape, rate)

    def times(self, other: Belief) -> Belief:
        """The product of two independent Betas: the Beta with the same mean and variance."""
        means = [one.first / (one.first + one.second) for one in (self, other)]
        squares = [
            mean * (one.first + 1) / (one.first + one.second + 1)
            for one, mean in zip((self, other), means, strict=True)
        ]
        mean = means[0] * means[1]
        variance = squares[0] * squares[1] - mean**2
        size = mean * (1 - mean) / variance - 1
        return Belief(self.estimate * other.estimate, "beta", mean * size, (1 - mean) * size)

    def below(self, bound: Floats | float) -> Floats:
        """How likely the true value is at most this."""
        found: Floats = self._distribution().cdf(bound)
        return found

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """From where to where the true value lies, with equal tails on both sides."""
        tail = (1 - confidence) / 2
        of = self._distribution()
        return of.ppf(tail), of.ppf(1 - tail)

    def part(self, wanted: Any) -> Belief:
        """That of some of the pairs."""
        return Belief(self.estimate[wanted], self.kind, self.first[wanted], self.second[wanted])

    def _distribution(self) -> Any:
        stats = scipy_stats("the confidence of grades from clicks")
        if self.kind == "beta":
            return stats.beta(self.first, self.second)
        return stats.gamma(self.first, scale=1 / np.asarray(self.second))
