"""The bootstrap: averages of topics drawn with replacement, and the intervals that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import OptionError

RESAMPLES = 10_000
_BLOCK = 4_000_000
"""How many numbers are held at a time."""
_FLOOR = 1e-5
"""What lower values count as in geometric means, as in `aggregate`."""

Statistic = Callable[[Floats], Floats]
"""What makes one number of the values along the last axis."""


@dataclass(frozen=True)
class OfMeans:
    """A statistic that is a function of a mean: all resamples of it are one matrix product."""

    before: Statistic  # on every value
    after: Callable[[Floats, int], Floats]  # on the means, with the number of topics

    def __call__(self, values: Floats) -> Floats:
        return self.after(self.before(values).mean(axis=-1), values.shape[-1])


def _logarithms(values: Floats) -> Floats:
    found: Floats = np.log(np.maximum(values, _FLOOR))
    return found


def _median(values: Floats) -> Floats:
    found: Floats = np.median(values, axis=-1)
    return found


STATISTICS: dict[str, Statistic] = {
    "mean": OfMeans(lambda values: values, lambda means, n: means),
    "sum": OfMeans(lambda values: values, lambda means, n: means * n),
    "geometric": OfMeans(_logarithms, lambda means, n: np.exp(means)),
    "median": _median,
}
"""The averages that have names; any other can be given as a function."""


def bootstrap(
    sides: Floats,
    *,
    corrected: bool,
    confidence: float,
    statistic: Statistic,
    resamples: int,
    seed: int,
) -> Floats:
    """Averages x 2: the ends of bootstrap intervals, BCa where corrected, else percentile.

    `sides` are 1 x averages x topics; or 2 x averages x topics for differences between averages.
    """
    _check(statistic, sides)
    found = []
    at_a_time = max(1, _BLOCK // resamples)
    for start in range(0, sides.shape[1], at_a_time):
        block = sides[:, start : start + at_a_time]
        drawn = np.sort(_resampled(block, statistic, resamples, seed), axis=1)
        tail = (1 - confidence) / 2
        levels = np.tile([tail, 1 - tail], (len(drawn), 1))
        if corrected:
            levels = _corrected(levels, block, statistic, drawn)
        found.append(_quantiles(drawn, levels))
    ends = np.concatenate(found)
    # All equal: rounding must not make an interval of it.
    flat = np.ptp(sides, axis=-1).max(axis=0) == 0
    ends[flat] = _difference(statistic(sides[:, flat]))[:, None]
    return ends


def draws(n: int, resamples: int, *, block: int, seed: int) -> Iterator[tuple[int, Ints]]:
    """Blocks of resamples: the first one's number, and which of n topics each draws."""
    random = np.random.default_rng(seed)
    for start in range(0, resamples, block):
        yield start, random.integers(0, n, size=(min(block, resamples - start), n))


def _check(statistic: Statistic, sides: Floats) -> None:
    made = np.shape(statistic(sides[:, :1]))
    if made != (len(sides), 1):
        raise OptionError(
            "the statistic does not make one number of the values along the last axis: of "
            f"{sides[:, :1].shape} it makes {made}"
        )


def _difference(sides: Floats) -> Floats:
    """Of one side its averages, of two the differences of theirs."""
    found: Floats = sides[0] - sides[1] if len(sides) == 2 else sides[0]
    return found


def _resampled(sides: Floats, statistic: Statistic, resamples: int, seed: int) -> Floats:
    """Averages x resamples: what each would have been on other topics."""
    n = sides.shape[-1]
    drawn = np.empty((sides.shape[1], resamples))
    if isinstance(statistic, OfMeans):
        before = statistic.before(sides)
        for start, topics in draws(n, resamples, block=max(1, _BLOCK // n), seed=seed):
            rows = np.arange(len(topics))[:, None] * n
            times = np.bincount((topics + rows).ravel(), minlength=topics.size)
            means = before @ (times.reshape(topics.shape) / n).T
            drawn[:, start : start + len(topics)] = _difference(statistic.after(means, n))
        return drawn
    for start, topics in draws(n, resamples, block=max(1, _BLOCK // sides.size), seed=seed):
        drawn[:, start : start + len(topics)] = _difference(statistic(sides[..., topics]))
    return drawn


def _corrected(levels: Floats, sides: Floats, statistic: Statistic, drawn: Floats) -> Floats:
    """At which shares of the resamples BCa has the ends."""
    normal = NormalDist()
    resamples = drawn.shape[1]
    estimate = _difference(statistic(sides))[:, None]
    # A resample is equal to the estimate but for rounding, as where only the order differs.
    margin = 1e-12 * np.maximum(np.abs(estimate), np.abs(drawn).max(axis=1, keepdims=True))
    below = (drawn < estimate - margin).mean(axis=1)
    up_to = (drawn <= estimate + margin).mean(axis=1)
    share = np.clip((below + up_to) / 2, 1 / (resamples + 1), resamples / (resamples + 1))
    bias = np.array([normal.inv_cdf(one) for one in share])[:, None]
    z = np.array([[normal.inv_cdf(level) for level in row] for row in levels]) + bias
    room = 1 - _acceleration(sides, statistic)[:, None] * z
    # Where the spread grows so fast that there is no room, the end is the last resample.
    z = np.where(room > 0, bias + z / np.where(room > 0, room, 1), np.sign(z) * np.inf)
    return np.array([[normal.cdf(one) for one in row] for row in z])


def _acceleration(sides: Floats, statistic: Statistic) -> Floats:
    """How fast the spread grows with the average: from leaving out one topic at a time."""
    n = sides.shape[-1]
    if isinstance(statistic, OfMeans):
        before = statistic.before(sides)
        without = (before.sum(axis=-1, keepdims=True) - before) / (n - 1)
        left = _difference(statistic.after(without, n - 1))
    else:
        others = np.arange(n - 1) + (np.arange(n - 1) >= np.arange(n)[:, None])
        left = np.stack([_difference(statistic(sides[..., rest])) for rest in others], axis=1)
    pull = left.mean(axis=1, keepdims=True) - left
    # Rounding is no spread.
    pull[np.abs(pull) <= 1e-12 * np.abs(left).max(axis=1, keepdims=True)] = 0
    spread = np.sum(pull**2, axis=1)
    found: Floats = np.sum(pull**3, axis=1) / (6 * np.where(spread > 0, spread, 1) ** 1.5)
    return found


def _quantiles(drawn: Floats, levels: Floats) -> Floats:
    """Of each sorted row, the values that its two shares lie below, with lines in between."""
    place = levels * (drawn.shape[1] - 1)
    left = np.floor(place).astype(np.int64)
    right = np.minimum(left + 1, drawn.shape[1] - 1)
    rows = np.arange(len(drawn))[:, None]
    found: Floats = drawn[rows, left] + (place - left) * (drawn[rows, right] - drawn[rows, left])
    return found
