"""How what indexing takes grows with the collection: a power of its size.

The exponent is the slope of a straight line through the logarithms, one point a size: the median of
its repetitions. Repetitions of one size are no further points. They share whatever is special about
that size, such as a merge of segments that just happened or just did not, and would make the
interval too narrow; so it rests on sizes alone, and three of them give a wide one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log, log10, sqrt

import numpy as np

from cleverdon.compare.needs import scipy_stats
from cleverdon.errors import OptionError, check_within

LEAST_SIZES = 3
SPAN = 10.0
"""The largest size should be so many times the smallest one, or more."""
STRAY = 0.1
"""Points that are further from the line, as a share of their value, do not fit well."""
BEND = 0.2
"""By how much the exponent may differ between the smallest and the largest sizes."""


@dataclass(frozen=True)
class Prediction:
    """What another size would take, if growth goes on as it was."""

    documents: int
    value: float
    low: float
    high: float
    extrapolated: bool  # beyond the sizes that were measured


@dataclass(frozen=True)
class Growth:
    """value = factor * documents ** exponent, with an interval of the exponent."""

    exponent: float
    low: float
    high: float
    factor: float
    confidence: float
    sizes: tuple[int, ...]
    values: tuple[float, ...]
    stray: float  # the residual standard deviation, in logarithms
    warnings: tuple[str, ...] = ()

    def fitted(self, documents: float) -> float:
        """The line's own value."""
        return float(self.factor * documents**self.exponent)

    def predict(self, documents: int) -> Prediction:
        """What so many documents would take, with an interval for one more measurement.

        It holds if the power law does, which nothing that was measured can say of larger sizes.
        """
        x = np.log(self.sizes)
        spread = float(((x - x.mean()) ** 2).sum())
        away = (log(documents) - float(x.mean())) ** 2 / spread
        width = self._t() * self.stray * sqrt(1 + 1 / len(x) + away)
        value = self.fitted(documents)
        outside = not self.sizes[0] <= documents <= self.sizes[-1]
        return Prediction(documents, value, value * exp(-width), value * exp(width), outside)

    def _t(self) -> float:
        return _quantile(self.confidence, len(self.sizes) - 2)


def growth(
    sizes: Sequence[int], values: Sequence[float], *, confidence: float = 0.95
) -> Growth | None:
    """The power of growth; None where a value is 0, of which there is no logarithm.

    >>> found = growth([1000, 10_000, 100_000], [0.5, 5.0, 50.0])
    >>> round(found.exponent, 6)
    1.0
    """
    check_within("confidence", confidence, 0, 1)
    if len(sizes) < LEAST_SIZES or not len(set(sizes)) == len(sizes) == len(values):
        raise OptionError(f"growth needs {LEAST_SIZES} sizes or more, each with one value")
    if min(values) <= 0:
        return None
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    counts, found = tuple(sizes[at] for at in order), tuple(float(values[at]) for at in order)
    x, y = np.log(counts), np.log(found)
    centred = x - x.mean()
    squares = float((centred**2).sum())
    exponent = float((centred * y).sum()) / squares
    residuals = y - y.mean() - exponent * centred
    stray = sqrt(float((residuals**2).sum()) / (len(x) - 2))
    width = _quantile(confidence, len(x) - 2) * stray / sqrt(squares)
    return Growth(
        exponent=exponent,
        low=exponent - width,
        high=exponent + width,
        factor=exp(float(y.mean()) - exponent * float(x.mean())),
        confidence=confidence,
        sizes=counts,
        values=found,
        stray=stray,
        warnings=_warnings(counts, found, stray),
    )


def _warnings(sizes: Sequence[int], values: Sequence[float], stray: float) -> tuple[str, ...]:
    found = []
    if sizes[-1] < SPAN * sizes[0]:
        times = sizes[-1] / sizes[0]
        found.append(
            f"the largest size is only {times:.2g} times the smallest; take sizes that are "
            f"{SPAN:g} times apart or more"
        )
    first, last = (_slope(sizes[at : at + 2], values[at : at + 2]) for at in (0, len(sizes) - 2))
    if abs(last - first) > BEND:
        found.append(
            f"the exponent changes with size, from {first:.2f} to {last:.2f}: a fixed part, or "
            "another regime; the largest sizes say most about what comes"
        )
    elif stray > log(1 + STRAY):
        found.append(f"sizes stray from the line by {exp(stray) - 1:.0%}; repeat more often")
    return tuple(found)


def _slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    return log10(values[1] / values[0]) / log10(sizes[1] / sizes[0])


@cache
def _quantile(confidence: float, freedom: int) -> float:
    stats = scipy_stats("an interval of the exponent")
    return float(stats.t.ppf((1 + confidence) / 2, freedom))
