"""The interval of a total that is estimated from a sample with known probabilities.

A document that was drawn with probability 1/4 stands for four (Horvitz & Thompson 1952,
doi:10.1080/01621459.1952.10483446). The usual interval, the estimate plus or minus some standard
errors, fails where relevant documents are rare: where none was drawn from a large stratum, its
variance is estimated as 0. In simulations such 95% intervals hold the truth in 40% to 65% of the
samples (docs/recall.md has the numbers).

So the interval here is the gamma interval of Fay & Feuer 1997 (Statistics in Medicine 16, 791) for
weighted sums of rare counts: its upper end is what it would be had one more relevant document been
drawn where that weighs most. Two things are added to it: the correction for a finite collection,
and the factor 1 - x / (n + 4) for strata in which relevant documents are no longer rare, with four
documents added to the sample as Agresti & Coull 1998, doi:10.1080/00031305.1998.10480550, have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.errors import MissingExtra, OptionError

_ADDED = 4
"""Documents that are added to a sample to have its share with some caution."""


@dataclass(frozen=True)
class Part:
    """Documents of a topic that were drawn alike, and how many of them proved to be relevant."""

    topic: str
    stratum: str
    drawn: int  # and judged
    relevant: int
    probability: float  # with which each of them was drawn
    size: int | None = None  # of the stratum they were drawn from; None: known by probability only

    def __post_init__(self) -> None:
        if not 0 <= self.relevant <= self.drawn or not 0 <= self.probability <= 1:
            raise OptionError(
                f"stratum {self.stratum!r} of topic {self.topic!r}: {self.relevant} relevant of "
                f"{self.drawn} drawn with probability {self.probability:g} cannot be"
            )
        if self.drawn > (self.drawn if self.size is None else self.size):
            raise OptionError(
                f"stratum {self.stratum!r} of topic {self.topic!r} has {self.size} documents, and "
                f"{self.drawn} of it were drawn"
            )

    @property
    def unknown(self) -> bool:
        """Whether there are documents, and nothing is known of them."""
        return self.drawn == 0 and self.size != 0

    @property
    def total(self) -> float:
        """How many relevant documents those that were drawn stand for."""
        if not self.relevant:
            return 0.0
        if self.size is not None:  # the same, without a division that rounds
            return self.relevant * self.size / self.drawn
        return self.relevant / self.probability


def weighted_interval(parts: Sequence[Part], *, confidence: float = 0.95) -> tuple[float, float]:
    """Where the number of relevant documents in all these parts together lies.

    >>> returned = Part("q1", "returned", 100, 8, 0.1, 1000)
    >>> rest = Part("q1", "rest", 100, 0, 0.01, 10_000)
    >>> low, high = weighted_interval([returned, rest])
    >>> round(low), round(high)
    (38, 430)
    """
    drawn = [part for part in parts if part.drawn]
    if not drawn:
        return 0.0, 0.0
    seen = np.array([part.relevant for part in drawn], dtype=float)
    low, high = gamma_ends(
        seen[None],
        np.array([part.drawn for part in drawn], dtype=float),
        np.array([part.probability for part in drawn]),
        np.array([part.size is not None for part in drawn]),
        confidence=confidence,
    )
    most = sum(np.inf if part.size is None else part.size - part.drawn for part in drawn)
    found = float(seen.sum())
    return max(float(low[0]), found), max(min(float(high[0]), found + float(most)), found)


def gamma_ends(
    seen: Floats,
    drawn: Floats,
    probability: Floats,
    fixed: Bools,
    *,
    confidence: float,
) -> tuple[Floats, Floats]:
    """The ends of many samples' intervals: `seen` is samples x parts, all else a number a part.

    `fixed` says of which parts a number was drawn that was fixed beforehand.
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence}: it lies between 0 and 1")
    weight, left = 1 / probability, 1 - probability
    share = np.where(fixed, seen / (drawn + _ADDED), 0.0)
    total = (weight * seen).sum(axis=-1)
    variance = (weight**2 * left * seen * (1 - share)).sum(axis=-1)
    heaviest = int(np.argmax(weight * left))
    one_more = weight[heaviest]
    if left[heaviest] == 0:  # everything was drawn: nothing is left to chance
        return total, total
    tail = (1 - confidence) / 2
    low = np.where(variance > 0, _quantile(tail, total, variance), total)
    high = _quantile(1 - tail, total + one_more, variance + one_more**2 * left[heaviest])
    return low, high


def _quantile(share: float, mean: Floats, variance: Floats) -> Floats:
    """Of the gamma distribution that has this mean and variance; 0 where it has none."""
    try:
        # All of scipy's distributions would take a second to import.
        from scipy.special import gammaincinv  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        purpose = "an interval of a stratified sample"
        raise MissingExtra(purpose, package="scipy", extra="stats") from None
    known = variance > 0
    shape = np.where(known, mean**2, 1.0) / np.where(known, variance, 1.0)
    scale = variance / np.where(known, mean, 1.0)
    ends: Floats = scale * gammaincinv(shape, share)
    return ends
