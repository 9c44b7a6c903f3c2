"""Intervals of ratios whose parts come in clusters: the delta method.

Sessions of one user are alike, so that a thousand of them tell less than a thousand users would.
The users are the sample: each adds something to numerator and denominator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from cleverdon.errors import MissingExtra


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
        users, numerator, *others = (row[f"{name}{place}"] or 0 for name in names)
        if isinstance(numerator, float):
            numerator = _settled(numerator)
        return cls(users, numerator, *others)

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
    """The ratio and its interval, which does not leave what is possible: 0 on, for shares to 1.

    Where all users agree, their spread says nothing. A share then has Wilson's interval, with users
    as the sample, and a mean has none.
    """
    ratio, variance = totals.ratio, totals.variance
    if ratio is None or variance is None:
        return ratio, None, None
    ndtri, stdtrit = _quantiles()
    if variance <= _NOTHING * ratio * ratio:
        if not share:
            return ratio, None, None
        return ratio, *wilson(ratio, totals.users, z=float(ndtri((1 + level) / 2)))
    half = float(stdtrit(totals.users - 1, (1 + level) / 2)) * sqrt(variance)
    low, high = max(ratio - half, 0.0), ratio + half
    return ratio, _settled(low), _settled(min(high, 1.0) if share else high)


def _quantiles() -> tuple[Any, Any]:
    """Those of the normal and of Student's distribution, without the second that the rest of
    scipy.stats takes to import."""
    try:
        from scipy.special import ndtri, stdtrit  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("an interval", package="scipy", extra="logs") from None
    return ndtri, stdtrit


_NOTHING = 1e-24
"""A variance, relative to the square of the ratio, that only rounding accounts for."""


def wilson(share: float, size: int, *, z: float) -> tuple[float, float]:
    """Wilson's interval of a share in a sample: Wilson 1927, doi:10.2307/2276774.

    >>> low, high = wilson(0.0, 10, z=1.959964)
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2775)
    """
    middle = share + z * z / (2 * size)
    half = z * sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return max((middle - half) / scale, 0.0), min((middle + half) / scale, 1.0)


def _settled(number: float) -> float:
    """Without the last digits, which depend on the order in which an engine adds up."""
    return float(f"{number:.12g}")
