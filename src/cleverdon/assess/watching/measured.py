"""A number with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist

from cleverdon.errors import CleverdonError
from cleverdon.judge.agreement import Estimate
from cleverdon.online.clusters import wilson

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Measured:
    """What is known of a number: None where it is undefined, and then `why` says the reason."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    of: int = 0  # how many documents or judgments it rests on
    why: str = ""


def unknown(why: str, *, of: int = 0) -> Measured:
    """A number that cannot be told yet."""
    return Measured(of=of, why=why)


def not_yet(error: CleverdonError) -> str:
    """Why a statistic that needs more judgments is not there: the rest of a page stands."""
    return f"not yet, since it cannot be computed of the judgments so far ({error})"


def of_estimate(estimate: Estimate, of: int, *, why: str = "") -> Measured:
    """An estimate of `judge`, whose undefined numbers are NaN."""
    value, ends = estimate.value, estimate.interval
    if not isfinite(value):
        return unknown(why or "it is not defined for these grades", of=of)
    low, high = (end if isfinite(end) else None for end in (ends.low, ends.high))
    return Measured(value, low, high, of, why)


def of_share(count: int, size: int, *, why: str, confidence: float = CONFIDENCE) -> Measured:
    """A share of a sample with Wilson's interval; `why` is said where the sample is empty.

    >>> found = of_share(3, 4, why="")
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.75, 0.301, 0.954)
    """
    if not size:
        return unknown(why)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = wilson(count / size, size, z=z)
    return Measured(count / size, low, high, size)
