"""How many relevant documents there are, as the methods say it: one record for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import exp, log, nan, sqrt
from statistics import NormalDist

METHODS = {
    "sample": "a random sample of the documents that are not in the pool",
    "lincoln-petersen": "what two systems found, and how much of it both did (Chapman)",
    "chao": "how many documents one system found, and how many two did (Chao)",
}
"""The methods, and what each rests on; the first that there is counts most."""

INTERVALS = {
    "exact": "by inversion of the hypergeometric distribution",
    "gamma": "Fay and Feuer's, for weighted sums of rare counts",
    "log-normal": "Chao's, for large numbers: it takes systems for independent",
}
"""The kinds of intervals, and whose they are."""

_LAST_BITS = 1e-9
"""Sums that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class Estimate:
    """An estimated number of relevant documents, R, and where it lies."""

    found: int  # relevant documents that are known
    value: float
    low: float
    high: float
    confidence: float = 0.95
    interval: str = "exact"  # which of `INTERVALS`

    @property
    def refuted(self) -> bool:
        """Whether more relevant documents are known than the estimate says there are."""
        return self.value < self.found - _LAST_BITS

    @property
    def missing(self) -> float:
        """How many relevant documents are not among the known ones."""
        return self.value - self.found

    def recall(self, found: int | None = None) -> tuple[float, float, float]:
        """The share that was found, by the pool or by a run: its estimate, low and high ends.

        NaN where there is nothing to be found, and where the estimate is refuted.

        >>> Estimate(found=30, value=40.0, low=32.0, high=60.0).recall()
        (0.75, 0.5, 0.9375)
        """
        found = self.found if found is None else found
        if not self.value or self.refuted:
            return nan, nan, nan
        of = (self.value, self.high, self.low)
        shares = [min(1.0, found / count) if count else 1.0 for count in of]
        return shares[0], shares[1], shares[2]

    def knowing(self, found: int) -> Estimate:
        """The same where so many relevant documents are known, by whatever way.

        There are no fewer than these, so the low end is no lower. An estimate below them is left as
        it is: it is refuted.

        >>> one = Estimate(found=30, value=40.0, low=32.0, high=60.0)
        >>> one.knowing(35).low, one.knowing(45).refuted
        (35, True)
        """
        known = replace(self, found=found)
        return known if known.refuted else replace(known, low=max(self.low, found))

    def at_most(self, most: float) -> Estimate:
        """The same where there cannot be more than so many, as the collection has no more."""
        ends = (min(end, most) for end in (self.value, self.low, self.high))
        value, low, high = ends
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True)
class Estimates:
    """What one method says, of each topic and of all together."""

    method: str
    all: Estimate
    topics: Mapping[str, Estimate]
    left_out: tuple[str, ...] = field(default=())  # topics of which it can say nothing

    def knowing(self, found: Mapping[str, int]) -> Estimates:
        """The same where so many relevant documents of each topic are known."""
        topics = {topic: one.knowing(found[topic]) for topic, one in self.topics.items()}
        whole = self.all.knowing(sum(found[topic] for topic in topics))
        return replace(self, all=whole, topics=topics)

    def at_most(self, most: Mapping[str, int]) -> Estimates:
        """The same where each topic cannot have more relevant documents than so many."""
        topics = {topic: one.at_most(most[topic]) for topic, one in self.topics.items()}
        whole = self.all.at_most(sum(most[topic] for topic in topics))
        return replace(self, all=whole, topics=topics)


def log_normal(
    found: int, missing: float, variance: float, *, captures: int, confidence: float
) -> tuple[float, float]:
    """The ends of an interval that starts at what was found (Chao 1987, doi:10.2307/2531532).

    The number of missing documents is taken to be log-normal. Where the estimate is that none is
    missing, it has no variance either; then the ends are those of Colwell's EstimateS, of the
    chance that a document is never caught if `captures` fall on all evenly.

    >>> low, high = log_normal(76, 57.78, 577.0, captures=142, confidence=0.95)
    >>> round(low, 1), round(high, 1)
    (102.4, 202.4)
    """
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    if missing > 0:
        factor = exp(reach * sqrt(log(1 + variance / missing**2)))
        return found + missing / factor, found + missing * factor
    if not found:
        return 0.0, 0.0
    never = exp(-captures / found)
    high = (found + reach * sqrt(found * never)) / (1 - never)
    return float(found), high
