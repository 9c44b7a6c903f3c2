"""Estimates of the number of relevant documents: one record for all methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

from cleverdon.tables.result import as_json, in_json

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
    "lower bound": "how far chance moves the bound; no interval of R, which may be far above",
}
"""The kinds of intervals, and whose they are."""

_LAST_BITS = 1e-9
"""Sums that differ by less are the same, but for the order in which they were added up."""


@dataclass(frozen=True)
class CountEstimate:
    """An estimated number of relevant documents, R, and its interval."""

    found: int  # relevant documents that are known
    value: float
    low: float
    high: float
    confidence: float = 0.95
    interval: str = "exact"  # which of `INTERVALS`

    @property
    def is_bound(self) -> bool:
        """True if the value is a lower bound of R, and its ends are no interval of R."""
        return self.interval == "lower bound"

    @property
    def refuted(self) -> bool:
        """True if more relevant documents are known than the estimate says."""
        return self.value < self.found - _LAST_BITS

    @property
    def missing(self) -> float:
        """The estimated number of relevant documents that are not known."""
        return self.value - self.found

    def recall(self, found: int | None = None) -> tuple[float, float, float]:
        """Return recall with the ends of its interval; NaN where it is not known.

        >>> CountEstimate(found=30, value=40.0, low=32.0, high=60.0).recall()
        (0.75, 0.5, 0.9375)
        """
        found = self.found if found is None else found
        if not self.value or self.refuted:
            return nan, nan, nan
        of = (self.value, self.high, self.low)
        shares = [min(1.0, found / count) if count else 1.0 for count in of]
        return shares[0], shares[1], shares[2]

    def to_dict(self) -> dict[str, Any]:
        value, low, high = self.recall()
        record = {
            "found": self.found,
            "R": self.value,
            "low": nan if self.refuted else self.low,
            "high": nan if self.refuted else self.high,
            "interval": self.interval,
            "lower_bound": self.is_bound,
            "refuted": self.refuted,
            "recall": value,
            "recall_low": low,
            "recall_high": high,
        }
        return {name: as_json(one) for name, one in record.items()}

    def knowing(self, found: int) -> CountEstimate:
        """Raise the low end to the number of documents that are known to be relevant.

        >>> one = CountEstimate(found=30, value=40.0, low=32.0, high=60.0)
        >>> one.knowing(35).low, one.knowing(45).refuted
        (35, True)
        """
        known = replace(self, found=found)
        return known if known.refuted else replace(known, low=max(self.low, found))

    def at_most(self, most: float) -> CountEstimate:
        """Lower all numbers to what the collection can have at most."""
        ends = (min(end, most) for end in (self.value, self.low, self.high))
        value, low, high = ends
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True)
class MethodEstimates:
    """The estimates of one method: of each query, and of all together."""

    method: str = field(metadata=in_json(None))
    all: CountEstimate
    queries: Mapping[str, CountEstimate] = field(metadata=in_json("queries"))
    left_out: tuple[str, ...] = field(default=())  # queries of which it can say nothing

    def knowing(self, found: Mapping[str, int]) -> MethodEstimates:
        return self._limited(CountEstimate.knowing, found)

    def at_most(self, most: Mapping[str, int]) -> MethodEstimates:
        return self._limited(CountEstimate.at_most, most)

    def _limited(
        self, limit: Callable[[CountEstimate, int], CountEstimate], by: Mapping[str, int]
    ) -> MethodEstimates:
        queries = {query: limit(one, by[query]) for query, one in self.queries.items()}
        return replace(
            self, all=limit(self.all, sum(by[query] for query in queries)), queries=queries
        )
