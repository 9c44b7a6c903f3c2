"""Exact intervals of counts, by inversion of the hypergeometric distribution.

Of `size` documents `relevant` are relevant, and `drawn` are looked at. An end of the interval is
the last number of relevant documents with which what was seen, or something more extreme on that
side, still has half of the chance that the confidence leaves. So the interval holds the truth at
least as often as it says, whatever the truth is: also where nothing was found, and where everything
was drawn. It is Clopper and Pearson's of a finite collection; Buonaccorsi 1987, The American
Statistician 41.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import OptionError

_LARGEST = 10**15
"""No collection has more documents."""


def tails(size: int, relevant: int, drawn: int, seen: int) -> tuple[float, float]:
    """The chances that at most, and that at least, `seen` relevant documents are drawn.

    >>> at_most, at_least = tails(size=10, relevant=4, drawn=3, seen=1)
    >>> round(at_most, 4), round(at_least, 4)
    (0.6667, 0.8333)
    """
    fewest, most = max(0, drawn - (size - relevant)), min(drawn, relevant)
    if seen < fewest:
        return 0.0, 1.0
    if seen > most:
        return 1.0, 0.0
    chances = _chances(size, relevant, drawn, fewest, most)
    at = seen - fewest
    return float(chances[: at + 1].sum()), float(chances[at:].sum())


def _chances(size: int, relevant: int, drawn: int, fewest: int, most: int) -> Floats:
    """Of each count from `fewest` to `most`, by the ratios of neighbours.

    Ratios of small numbers keep digits that differences of large logarithms of factorials lose.
    """
    count = np.arange(fewest, most, dtype=float)
    up = (relevant - count) * (drawn - count)
    down = (count + 1) * (size - relevant - drawn + count + 1)
    logs = np.concatenate(([0.0], np.cumsum(np.log(up) - np.log(down))))
    chances = np.exp(logs - logs.max())
    whole: Floats = chances / chances.sum()
    return whole


def relevant_interval(
    size: int, drawn: int, seen: int, *, confidence: float = 0.95
) -> tuple[int, int]:
    """How many of `size` documents are relevant, where `seen` of `drawn` were.

    Both ends together, an equal part of the risk on either side. `most_relevant` is the upper
    end by itself, at the whole of the risk.

    >>> relevant_interval(1000, 200, 0), relevant_interval(1000, 200, 3)
    ((0, 16), (4, 40))
    """
    low, high = _both(size, drawn, seen)
    risk = _risk(confidence) / 2
    first = _first(low, high, lambda count: tails(size, count, drawn, seen)[1] > risk)
    last = _first(low, high, lambda count: tails(size, count, drawn, seen)[0] <= risk)
    # Where no count is refused from above, the last possible one is the end.
    return first, high if tails(size, high, drawn, seen)[0] > risk else last - 1


def most_relevant(size: int, drawn: int, seen: int, *, confidence: float = 0.95) -> int:
    """The upper bound alone: of nothing seen, about 3 in `drawn` (the rule of three).

    >>> most_relevant(100_000, 300, 0), 3 * 100_000 / 300
    (992, 1000.0)
    """
    low, high = _both(size, drawn, seen)
    risk = _risk(confidence)
    if tails(size, high, drawn, seen)[0] > risk:
        return high
    return _first(low, high, lambda count: tails(size, count, drawn, seen)[0] <= risk) - 1


def size_interval(
    first: int, second: int, both: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """How many there are, where `both` were caught twice: `first` once, `second` independently.

    The upper end is infinite where nothing, or too little, was caught twice.

    >>> size_interval(10, 15, 5)
    (21.0, 73.0)
    """
    if not 0 <= both <= min(first, second):
        raise OptionError(f"both={both}: at most as many as either caught, {first} and {second}")
    risk = _risk(confidence) / 2
    least = first + second - both

    def low_enough(size: int) -> bool:
        return tails(size, first, second, both)[1] <= risk

    low = _first(least, _LARGEST, lambda size: tails(size, first, second, both)[0] > risk)
    if not low_enough(_LARGEST):
        return float(low), inf
    beyond = least
    while not low_enough(beyond):
        beyond *= 2
    return float(low), float(_first(least, beyond, low_enough) - 1)


def _both(size: int, drawn: int, seen: int) -> tuple[int, int]:
    """The fewest and the most that can be relevant, whatever chance does."""
    if not 0 <= seen <= drawn <= size:
        raise OptionError(
            f"{seen} relevant of {drawn} drawn of {size}: none is below 0 or above the next"
        )
    return seen, size - (drawn - seen)


def _risk(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence}: it lies between 0 and 1")
    return 1 - confidence


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first count from `low` to `high` that it holds for, where it holds for all after it."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
