"""p-values and intervals that stay valid however often one looks.

Whoever looks at an ordinary p-value every day, and stops when it is small, finds differences where
there are none. The mixture sequential probability ratio test weighs the difference that was seen
against all differences that might be true, by a normal distribution around 0, and may be looked at
at any time. Johari et al. 2022, doi:10.1287/opre.2021.2135; that it holds for means of any
distribution, once there are many users, Waudby-Smith et al. 2024, doi:10.1214/24-AOS2408.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from statistics import NormalDist

from cleverdon.compare.design import fewest


def always_valid_p(difference: float, *, variance: float, spread: float) -> float:
    """The p-value of a difference, valid at every look.

    `variance` is that of the difference, which shrinks as users come in; `spread` is the standard
    deviation of the differences that are thought possible. It is to be the same at every look.

    >>> round(always_valid_p(0.3, variance=0.01, spread=0.1), 4)
    0.1491
    >>> always_valid_p(0.0, variance=0.01, spread=0.1)
    1.0
    """
    grown = variance + spread * spread
    evidence = 0.5 * log(variance / grown)
    evidence += spread * spread * difference * difference / (2 * variance * grown)
    return min(1.0, exp(-evidence))


def confidence_sequence(
    difference: float, *, variance: float, spread: float, level: float = 0.05
) -> tuple[float, float]:
    """The differences whose always-valid p-value is above the level.

    >>> low, high = confidence_sequence(0.3, variance=0.01, spread=0.1)
    >>> round(low, 4), round(high, 4)
    (-0.0656, 0.6656)
    """
    half = sqrt(variance) * boundary(variance, spread=spread, level=level)
    return difference - half, difference + half


def boundary(variance: float, *, spread: float, level: float) -> float:
    """How many standard errors a difference must be away from 0, at a look with this variance."""
    grown = variance + spread * spread
    squared = grown / (spread * spread) * (log(grown / variance) - 2 * log(level))
    return sqrt(squared)


def smallest_difference(variance: float, *, spread: float, level: float, power: float) -> float:
    """The smallest true difference that such a look finds with that chance."""
    reach = boundary(variance, spread=spread, level=level) + NormalDist().inv_cdf(power)
    return reach * sqrt(variance)


def users_needed(
    difference: float, deviation: float, *, spread: float, level: float, power: float
) -> float:
    """How many users it takes until the difference is found with such a chance, at the latest.

    `deviation` is the standard error of the difference, times the root of the number of users. It
    may be found at an earlier look, so that the chance is a little larger still.
    """
    if not difference or not spread:
        return inf

    def enough(users: int) -> bool:
        variance = deviation * deviation / users
        least = smallest_difference(variance, spread=spread, level=level, power=power)
        return abs(difference) >= least

    return fewest(enough)
