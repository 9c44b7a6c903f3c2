"""When the requests of an open loop are to be sent, decided before the first of them is."""

from __future__ import annotations

from math import isfinite

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.engine.load.records import OpenLoop
from cleverdon.errors import OptionError, check_count

MOST = 20_000_000
"""No load has more requests: their times alone would fill a gigabyte."""

_BLOCK = 1 << 16
_STREAM = 1
"""Arrivals and queries are drawn from one seed and must know nothing of each other."""


def intended_times(
    pattern: OpenLoop,
    *,
    seconds: float | None = None,
    requests: int | None = None,
    stream: int = _STREAM,
) -> Floats:
    """Seconds after the start at which each request is to be sent.

    They end after so many seconds or so many requests, whichever comes first. The gaps of a
    Poisson process are exponential, the first from the start on. A seed gives the same times on
    every machine; a longer load begins with the times of a shorter one, and at twice the rate all
    times are half of what they were.

    >>> intended_times(OpenLoop(4, "constant"), seconds=1)
    array([0.  , 0.25, 0.5 , 0.75])
    >>> len(intended_times(OpenLoop(1000, seed=7), requests=50))
    50
    """
    check_length(seconds, requests)
    many = requests if requests is not None else pattern.rate * (seconds or 0.0)
    if many > MOST:
        raise OptionError(
            f"{many:,.0f} requests are more than the {MOST:,} that one load can hold; "
            "lower the rate, or shorten the load"
        )
    if pattern.arrivals == "constant":
        # One more than can fit, so that the comparison below decides and not a rounding.
        times = np.arange(int(many) + 2, dtype=np.float64) / pattern.rate
    else:
        times = _poisson(pattern, seconds, requests, stream)
    if seconds is not None:
        times = times[times < seconds]
    return times[:requests]


def _poisson(pattern: OpenLoop, seconds: float | None, requests: int | None, stream: int) -> Floats:
    random = np.random.default_rng([pattern.seed, stream])
    blocks: list[Floats] = []
    last, drawn = 0.0, 0
    # Blocks of one size whatever is asked for: their sums, and so the times, never differ.
    while (requests is None or drawn < requests) and (seconds is None or last < seconds):
        gaps = random.exponential(size=_BLOCK) / pattern.rate
        blocks.append(last + np.cumsum(gaps))
        last, drawn = float(blocks[-1][-1]), drawn + _BLOCK
    return np.concatenate(blocks)


def check_length(seconds: float | None, requests: int | None) -> None:
    """Raise an OptionError unless a load has an end."""
    if seconds is None and requests is None:
        raise OptionError("a load needs an end: give seconds, requests, or both")
    if requests is not None:
        check_count("requests", requests)
    if seconds is not None:
        check_seconds("seconds", seconds)


def check_seconds(option: str, value: float, *, zero: bool = False) -> None:
    """Raise an OptionError unless the value is a time that passes."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    if not number or value < 0 or (value == 0 and not zero):
        least = "from 0 on" if zero else "above 0"
        raise OptionError(f"{option}={value!r}: expected seconds, {least}")
