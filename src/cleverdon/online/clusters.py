"""Intervals of ratios whose parts come in clusters: the delta method.

Sessions of one user are alike, so that a thousand of them tell less than a thousand users would.
The users are the sample: each adds something to numerator and denominator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from cleverdon.compare.needs import scipy_stats


@dataclass(frozen=True)
class Totals:
    """Sums over users: of what they add to the numerator and the denominator, and of products."""

    users: int
    numerator: float
    denominator: float
    numerator_squared: float
    denominator_squared: float
    product: float

    @classmethod
    def of(cls, row: Mapping[str, Any], place: int) -> Totals:
        """From the columns that `summed` gives: those of the metric in that place."""
        names = ("users", "n", "d", "nn", "dd", "nd")
        return cls(*(row[f"{name}{place}"] or 0 for name in names))

    @property
    def ratio(self) -> float | None:
        return self.numerator / self.denominator if self.denominator else None

    @property
    def variance(self) -> float | None:
        """The variance of the ratio, to first order; None where there is but one user.

        Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919.
        """
        ratio = self.ratio
        if ratio is None or self.users < 2:
            return None
        # The sum of (n - r d)^2 over users, whose mean is 0 by the choice of r.
        squares = (
            self.numerator_squared
            - 2 * ratio * self.product
            + ratio * ratio * self.denominator_squared
        )
        spread = max(squares, 0.0) / (self.users - 1)
        mean = self.denominator / self.users
        return spread / (self.users * mean * mean)


def interval(
    totals: Totals, *, level: float, share: bool
) -> tuple[float | None, float | None, float | None]:
    """The ratio and its interval; a share's does not leave 0 to 1."""
    ratio, variance = totals.ratio, totals.variance
    if ratio is None or variance is None:
        return ratio, None, None
    stats = scipy_stats("an interval")
    half = float(stats.t.ppf((1 + level) / 2, totals.users - 1)) * sqrt(variance)
    low, high = ratio - half, ratio + half
    return (ratio, max(low, 0.0), min(high, 1.0)) if share else (ratio, low, high)
