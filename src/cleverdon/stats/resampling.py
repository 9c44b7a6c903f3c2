"""The bootstrap: one loop over resamples, several ways to draw them, BCa and percentile ends.

`resample` computes a statistic on every resample, block by block. What a resample is, a `_Draw`
decides: indices of units, or how often each unit was drawn, by index or by a multinomial
distribution. The last two have the same distribution and give different numbers from one seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import OptionError

RESAMPLES = 10_000
"""The default number of resamples."""
MOST_RESAMPLES = 200_000
"""The largest number, for ends of intervals that few resamples are beyond."""
FEWER_RESAMPLES = 2_000
"""The default where a resample takes longer than a product of matrices, as rank correlation."""
RESCORED_RESAMPLES = 500
"""The default where all runs are scored again in each resample."""
TOOLTIP_RESAMPLES = 500
"""Enough for intervals that only tooltips show."""
GROUP_RESAMPLES = 200
"""Enough to see how wide the interval of one group is, where there may be thousands of groups."""
BLOCK = 4_000_000
"""The number of numbers held at a time: 32 MB."""
_FLOOR = 1e-5  # the least value in geometric means, as in `aggregate`

Statistic = Callable[[Floats], Floats]
"""A function that makes one number of the values along the last axis."""

_Draw = Callable[[np.random.Generator, int], Any]
"""A function that draws so many resamples: an array with a row for each."""


def draw_counts(n: int) -> _Draw:
    """Resamples x n: how often each of n units is drawn, counted from drawn indices."""

    def draw(random: np.random.Generator, size: int) -> Floats:
        indices = random.integers(0, n, size=(size, n)) + np.arange(size)[:, None] * n
        return np.bincount(indices.ravel(), minlength=size * n).reshape(size, n).astype(float)

    return draw


def draw_multinomial(sizes: int | Ints) -> _Draw:
    """Resamples x kinds: how often each is drawn, given their sizes (or the number of kinds)."""
    kinds = np.ones(sizes, dtype=np.int64) if isinstance(sizes, int) else sizes
    n = int(kinds.sum())
    chances = kinds / n
    return lambda random, size: random.multinomial(n, chances, size=size).astype(float)


def resample(
    statistic: Callable[[Any], Any],
    draw: _Draw,
    resamples: int,
    *,
    seed: int | Sequence[int],
    block: int,
) -> Any:
    """Compute a statistic on every resample.

    The size of blocks changes no number: draws follow each other in one stream.

    Args:
        statistic: From a block of resamples to an array whose last axis is resamples.
        draw: What a resample is.
        resamples: How many there are.
        seed: The seed of the draws.
        block: How many resamples are drawn at a time.

    Returns:
        The statistic of all resamples, along the last axis.

    >>> values = np.array([1.0, 2.0, 6.0])
    >>> means = resample(lambda times: times @ values / 3, draw_counts(3), 1000, seed=0, block=100)
    >>> means.shape, float(means.min()), float(means.max())
    ((1000,), 1.0, 6.0)
    """
    random = np.random.default_rng(seed)
    sizes = (min(block, resamples - start) for start in range(0, resamples, block))
    return np.concatenate([statistic(draw(random, size)) for size in sizes], axis=-1)


@dataclass(frozen=True)
class FunctionOfMean:
    """A statistic that is a function of a mean: all resamples of it are one matrix product."""

    before: Statistic  # on every value
    after: Callable[[Floats, int], Floats]  # on the means, with the number of units

    def __call__(self, values: Floats) -> Floats:
        return self.after(self.before(values).mean(axis=-1), values.shape[-1])


STATISTICS: dict[str, Statistic] = {
    "mean": FunctionOfMean(lambda values: values, lambda means, n: means),
    "sum": FunctionOfMean(lambda values: values, lambda means, n: means * n),
    "geometric": FunctionOfMean(
        lambda values: np.log(np.maximum(values, _FLOOR)), lambda means, n: np.exp(means)
    ),
    "median": lambda values: np.median(values, axis=-1),
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
    """Averages x 2: the ends of bootstrap intervals, of averages or of their differences.

    `sides` are 1 or 2 x averages x units. The ends are BCa's where `corrected`, else percentiles.
    """
    shape = np.shape(statistic(sides[:, :1]))
    if shape != (len(sides), 1):
        raise OptionError(
            "the statistic must turn the last axis into one number: the shape "
            f"{sides[:, :1].shape} became {shape}"
        )
    found = []
    at_a_time = max(1, BLOCK // resamples)
    for start in range(0, sides.shape[1], at_a_time):
        block = sides[:, start : start + at_a_time]
        drawn = np.sort(_resampled_averages(block, statistic, resamples, seed), axis=1)
        tail = (1 - confidence) / 2
        levels = np.tile([tail, 1 - tail], (len(drawn), 1))
        if corrected:
            levels = _bca_levels(levels, block, statistic, drawn)
        found.append(_quantiles(drawn, levels))
    return np.concatenate(found)


def studentised_means(rows: Floats, *, resamples: int, seed: int) -> Floats:
    """Rows x resamples: how far each resample's mean is from the row's, in its standard errors.

    A resample without spread is as far as can be, or nowhere.
    """
    n = rows.shape[1]
    centred = rows - rows.mean(axis=1, keepdims=True)
    squares = centred**2

    def t_of(counts: Floats) -> Floats:
        means = centred @ counts.T / n
        variances = (squares @ counts.T / n - means**2) / (n - 1)
        error = np.sqrt(np.maximum(variances, 0))
        flat = error <= 1e-9 * np.abs(centred).max(axis=1, keepdims=True)
        endless = np.where(np.abs(means) > 0, np.copysign(np.inf, means), 0.0)
        return np.asarray(np.divide(means, error, out=endless, where=~flat))

    block = max(1, BLOCK // (n + 4 * len(rows)))
    return np.asarray(resample(t_of, draw_counts(n), resamples, seed=seed, block=block))


def _difference(sides: Floats) -> Floats:
    """Return the averages of one side, or the differences of two."""
    return np.asarray(sides[0] - sides[1] if len(sides) == 2 else sides[0])


def _resampled_averages(sides: Floats, statistic: Statistic, resamples: int, seed: int) -> Floats:
    """Averages x resamples."""
    n = sides.shape[-1]
    how: dict[str, Any]
    if isinstance(statistic, FunctionOfMean):
        before, after = statistic.before(sides), statistic.after
        how = {
            "statistic": lambda times: _difference(after(before @ (times / n).T, n)),
            "draw": draw_counts(n),
            "block": max(1, BLOCK // n),
        }
    else:
        how = {
            "statistic": lambda indices: _difference(statistic(sides[..., indices])),
            "draw": lambda random, size: random.integers(0, n, size=(size, n)),
            "block": max(1, BLOCK // sides.size),
        }
    return np.asarray(resample(resamples=resamples, seed=seed, **how))


def _bca_levels(levels: Floats, sides: Floats, statistic: Statistic, drawn: Floats) -> Floats:
    """Return the shares of resamples below the ends of BCa intervals."""
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
    """Return how fast the spread grows with the average: from leaving out one unit at a time."""
    n = sides.shape[-1]
    if isinstance(statistic, FunctionOfMean):
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
    return np.asarray(np.sum(pull**3, axis=1) / (6 * np.where(spread > 0, spread, 1) ** 1.5))


def _quantiles(drawn: Floats, levels: Floats) -> Floats:
    """Return two quantiles of each sorted row, interpolated linearly."""
    place = levels * (drawn.shape[1] - 1)
    left = np.floor(place).astype(np.int64)
    right = np.minimum(left + 1, drawn.shape[1] - 1)
    rows = np.arange(len(drawn))[:, None]
    return np.asarray(drawn[rows, left] + (place - left) * (drawn[rows, right] - drawn[rows, left]))
