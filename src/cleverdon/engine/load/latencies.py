"""Percentiles of response times, each with an interval.

A percentile is the smallest time that at least so large a share of the requests stay within: an
order statistic, as an HdrHistogram holds it, so to 3 significant digits or a microsecond.

Its interval is made of two other order statistics. Were requests independent, the number of them
below the true percentile would be binomial, and so would be the ranks between which it lies,
whatever the distribution. But a stall slows down all requests that come along while it lasts, and
says no more than one slow request would. So the sample counts for less, n / deff: the design
effect is the variance of how many requests of a stretch of time exceed the percentile, over the
variance that independent ones would have (Kish 1965; Woodruff 1952; the loss of degrees of freedom
as by Korn and Graubard 1998). Where too few requests lie beyond the percentile, one end of the
interval is not known, and None.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats, plain
from cleverdon.compare.needs import scipy_special
from cleverdon.engine.load.histogram import Histogram
from cleverdon.errors import OptionError, check_within

PERCENTILES = {
    "p50": 5000,
    "p90": 9000,
    "p95": 9500,
    "p99": 9900,
    "p99.9": 9990,
    "p99.99": 9999,
}
"""Shares of the requests, in ten-thousandths, so that ranks are computed without rounding."""

CONFIDENCE = 0.95
STRETCHES = 20
"""So many stretches of neighbouring requests show how much those depend on each other."""


@dataclass(frozen=True)
class Percentile:
    """One percentile, in seconds."""

    name: str
    value: float
    low: float | None  # None where too few requests lie on that side to know
    high: float | None
    design_effect: float = 1.0

    @property
    def known(self) -> bool:
        """Whether there is an upper limit; without one the value may be far too low."""
        return self.high is not None


@dataclass(frozen=True)
class Latencies:
    """How long requests took, in seconds."""

    percentiles: tuple[Percentile, ...]
    mean: float
    max: float
    count: int
    confidence: float = CONFIDENCE  # of the intervals

    def __getitem__(self, name: str) -> Percentile:
        for percentile in self.percentiles:
            if percentile.name == name:
                return percentile
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """As results have it: seconds, and null for what is not known."""
        return {
            "count": self.count,
            "mean": plain(self.mean),
            "max": plain(self.max),
            "confidence": self.confidence,
            "percentiles": {
                found.name: {
                    "value": plain(found.value),
                    "low": found.low,
                    "high": found.high,
                    "design_effect": found.design_effect,
                }
                for found in self.percentiles
            },
        }


def latencies(seconds: Floats, *, confidence: float = CONFIDENCE) -> Latencies:
    """The percentiles of times that stand in the order in which requests were to be sent.

    >>> found = latencies(np.arange(1, 1001) / 1000)
    >>> round(found["p90"].value, 3), found["p99.99"].high
    (0.9, None)
    """
    check_within("confidence", confidence, 0, 1)
    if not len(seconds):
        raise OptionError("there are no times to take percentiles of: no request was answered")
    histogram = Histogram.of(seconds)
    return Latencies(
        percentiles=tuple(
            _percentile(name, share, seconds, histogram, confidence)
            for name, share in PERCENTILES.items()
        ),
        mean=float(np.mean(seconds)),
        max=float(np.max(seconds)),
        count=len(seconds),
        confidence=confidence,
    )


def _percentile(
    name: str, share: int, seconds: Floats, histogram: Histogram, confidence: float
) -> Percentile:
    count = len(seconds)
    value = histogram.at_rank(rank_of(share, count))
    effect, degrees = design_effect(seconds > value)
    low, high = ranks_around(share / 10_000, count, effect, degrees=degrees, confidence=confidence)
    return Percentile(
        name,
        value,
        None if low is None else histogram.at_rank(low),
        None if high is None else histogram.at_rank(high),
        effect,
    )


def rank_of(share: int, count: int) -> int:
    """From 1: the lowest rank that so many ten-thousandths of the requests stay within."""
    return max(1, -(-count * share // 10_000))


def percentile_of(times: Floats, name: str) -> float:
    """A percentile, as p99, of sorted times as they are; NaN where there are none."""
    return float(times[rank_of(PERCENTILES[name], len(times)) - 1]) if len(times) else nan


def design_effect(exceeds: Bools) -> tuple[float, int | None]:
    """How many requests count for one, and on how many degrees of freedom that rests.

    Never below 1: that stretches are more alike than chance would have them is chance.
    """
    count = len(exceeds)
    share = float(exceeds.mean())
    if count < 2 * STRETCHES or share in (0.0, 1.0):
        return 1.0, None
    edges = np.linspace(0, count, STRETCHES + 1).astype(np.int64)
    sizes = np.diff(edges)
    off = np.add.reduceat(exceeds.astype(np.float64), edges[:-1]) - share * sizes
    variance = float((off**2).sum()) * STRETCHES / (STRETCHES - 1)
    return max(1.0, variance / (count * share * (1 - share))), STRETCHES - 1


def ranks_around(
    share: float, count: int, effect: float, *, degrees: int | None, confidence: float
) -> tuple[int | None, int | None]:
    """Ranks between which the percentile of so large a share lies, with this confidence."""
    special = scipy_special("an interval of a percentile")
    tail = (1 - confidence) / 2
    if degrees is not None:
        # The design effect is an estimate itself; what that costs, as Korn and Graubard have it.
        effect *= float(special.stdtrit(degrees, tail) / special.ndtri(tail)) ** 2
    size = count / effect

    def at_most(k: float) -> float:
        """How likely k of the requests at most are below the percentile, for any real k."""
        if k < 0 or k >= size:
            return float(k >= size)
        return float(special.betainc(size - k, k + 1, 1 - share))

    # Both round to the safe side where a request counts for less than one.
    ranks = range(1, count + 1)
    low = bisect_right(ranks, tail, key=lambda rank: at_most((rank - 1) / effect))
    high = bisect_left(ranks, 1 - tail, key=lambda rank: at_most(rank / effect - 1)) + 1
    return low or None, high if high <= count else None
