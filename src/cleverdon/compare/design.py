"""How many topics to make: by the t-test, by analysis of variance, by the width of an interval.

Sakai's topic-set-size design: say which difference must not be missed, or how wide an interval may
be, take the variance of scores from an earlier collection, and read off the number of topics. Sakai
2016, doi:10.1007/s10791-015-9273-z. There the numbers are approximated first and then stepped to
the right one; here the noncentral distributions are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, isfinite, lgamma, sqrt
from statistics import NormalDist

import numpy as np

from cleverdon.compare.needs import scipy_stats
from cleverdon.compare.samples import Sample
from cleverdon.compare.tests import ALTERNATIVES
from cleverdon.errors import OptionError, check_count, check_word
from cleverdon.measures.base import Measure

LARGEST = 10_000_000
"""More topics than this are not counted out: the answer is infinite."""


@dataclass(frozen=True)
class Design:
    """How many topics a measure needs, by the three ways."""

    measure: Measure
    variance: float  # of one system's scores over topics
    by_t: float  # topics for the paired t-test
    by_anova: float  # topics for one-way analysis of variance over so many systems
    by_interval: float  # topics for the interval of a difference


def design(
    samples: list[Sample],
    *,
    difference: float,
    width: float | None = None,
    systems: int = 2,
    level: float = 0.05,
    power: float = 0.8,
) -> list[Design]:
    """How many topics each measure needs, its variance taken from the runs of an earlier set.

    The difference must not be missed between two systems, nor between the best and the worst of
    `systems`; an interval of a difference is to be no wider than `width`, by default twice the
    difference. The variance of a difference is taken to be twice that of a score, as Sakai does:
    as if two systems' scores went up and down independently. Where they are known to go together,
    `topics_for_t` with the deviation of the differences asks for fewer.
    """
    if not isfinite(difference):
        raise OptionError(f"difference={difference}: expected a finite number")
    if any(sample.values.shape[1] < 2 for sample in samples):
        raise OptionError("there is only one topic, and no variance to design with")
    found = []
    for sample in samples:
        variance = score_variance(sample)
        spread = sqrt(2 * variance)
        found.append(
            Design(
                sample.measure,
                variance,
                topics_for_t(difference, spread, level=level, power=power),
                topics_for_anova(
                    difference, sqrt(variance), systems=systems, level=level, power=power
                ),
                topics_for_interval(
                    2 * difference if width is None else width, spread, confidence=1 - level
                ),
            )
        )
    return found


def score_variance(sample: Sample) -> float:
    """How much one system's scores vary over topics, pooled over systems.

    The residual variance of a one-way analysis of variance: each system around its own mean. Of a
    geometric mean it is that of logarithms, and so must the difference be.
    """
    return float(np.var(sample.summable, axis=1, ddof=1).mean())


def t_power(
    difference: float,
    deviation: float,
    topics: int,
    *,
    level: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """How likely a paired t-test is to find a difference that is there.

    `deviation` is the standard deviation of the differences over topics.

    >>> round(t_power(0.05, 0.1, 34), 4)
    0.8078
    """
    _check(level=level)
    towards = in_direction(difference, alternative)
    if topics < 2:
        return 0.0  # no test is possible, and nothing is found
    if deviation == 0:
        return float(towards > 0)
    stats = scipy_stats("power of a t-test")
    shift = towards / deviation * sqrt(topics)
    reach = stats.t.isf(level / 2 if alternative == "two-sided" else level, topics - 1)
    found = float(stats.nct.sf(reach, topics - 1, shift))
    if alternative == "two-sided" and shift < 5:
        # Also what is found on the wrong side, as long as it is not nothing.
        found += float(stats.nct.cdf(-reach, topics - 1, shift))
    return found


def topics_for_t(
    difference: float,
    deviation: float,
    *,
    level: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """The fewest topics with which a paired t-test finds the difference with that power.

    `deviation` is the standard deviation of the differences over topics. Infinite where the
    difference is 0, or in the direction that is not asked about.

    >>> topics_for_t(0.05, 0.1)
    34
    """
    _check(level=level, power=power, deviation=deviation)
    towards = in_direction(difference, alternative)
    if not towards > 0:
        return inf
    return fewest(
        lambda n: t_power(difference, deviation, n, level=level, alternative=alternative) >= power
    )


def topics_for_anova(
    difference: float,
    deviation: float,
    *,
    systems: int,
    level: float = 0.05,
    power: float = 0.8,
) -> float:
    """The fewest topics with which one-way analysis of variance sees that systems differ.

    `difference` is between the best and the worst of them, the others being half way, which is
    the hardest case; `deviation` is that of one system's scores over topics.

    >>> topics_for_anova(0.05, 0.1, systems=3)
    79
    """
    _check(level=level, power=power, deviation=deviation)
    systems = check_count("systems", systems, least=2)
    if difference == 0:
        return inf
    if deviation == 0:
        return 2
    stats = scipy_stats("analysis of variance")
    effect = (difference / deviation) ** 2 / 2

    def enough(n: int) -> bool:
        between, within = systems - 1.0, systems * (n - 1.0)  # larger than 64 bits, maybe
        reach = stats.f.isf(level, between, within)
        return bool(stats.ncf.sf(reach, between, within, n * effect) >= power)

    return fewest(enough)


def topics_for_interval(width: float, deviation: float, *, confidence: float = 0.95) -> float:
    """The fewest topics with which Student's interval is expected to be no wider than that.

    `deviation` is the standard deviation of what the interval is of: for differences, theirs.

    >>> topics_for_interval(0.1, 0.1)
    18
    """
    _check(level=1 - confidence, deviation=deviation)
    if width <= 0:
        raise OptionError(f"width={width}: an interval's width is above 0")
    stats = scipy_stats("Student's interval")

    def enough(n: int) -> bool:
        # The standard deviation that a sample shows is on average a little below the true one.
        shown = np.exp(lgamma(n / 2) - lgamma((n - 1) / 2)) / sqrt((n - 1) / 2)
        reach = float(stats.t.isf((1 - confidence) / 2, n - 1))
        return bool(2 * reach * shown * deviation / sqrt(n) <= width)

    return fewest(enough)


def in_direction(difference: float, alternative: str) -> float:
    """How far a difference lies in the direction that a test asks about."""
    check_word("alternative", alternative, ALTERNATIVES)
    return {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative]


def normal_topics(
    difference: float,
    deviation: float,
    *,
    level: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """About how many topics: the normal distribution in place of Student's, and no library.

    >>> normal_topics(0.05, 0.1)
    32
    """
    towards = in_direction(difference, alternative)
    if not towards > 0:
        return inf
    return max(2, ceil((_reach(level, power, alternative) * deviation / towards) ** 2))


def normal_difference(
    deviation: float,
    topics: int,
    *,
    level: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """About how large a difference is found with that power: normal, and no library."""
    return _reach(level, power, alternative) * deviation / sqrt(topics)


def _reach(level: float, power: float, alternative: str) -> float:
    """How many standard errors away from 0 the truth has to be."""
    _check(level=level, power=power)
    normal = NormalDist()
    sides = 2 if alternative == "two-sided" else 1
    return normal.inv_cdf(power) - normal.inv_cdf(level / sides)


def fewest(enough: Callable[[int], bool], *, near: int = 2) -> float:
    """The smallest number of topics, from 2 on, that is enough, where more are never too many.

    `near` is a guess at it, which saves trying.
    """
    low = high = max(2, near)
    if enough(high):
        low = max(1, high // 2)
        while low > 1 and enough(low):
            low, high = max(1, low // 2), low
    else:
        while not enough(high):
            low, high = high, 2 * high
            if high > LARGEST:
                return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check(*, level: float, power: float = 0.8, deviation: float = 0.0) -> None:
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    if not level < power < 1:
        raise OptionError(f"power={power}: it lies between the level, {level:g}, and 1")
    if not 0 <= deviation < inf:
        raise OptionError(f"deviation={deviation}: a standard deviation is a number from 0 on")
