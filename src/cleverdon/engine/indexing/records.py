"""What making an index took: of one time, and of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb
from statistics import median
from typing import Any, Literal

from cleverdon.costs import QUANTITIES, Cost, Costs
from cleverdon.engine.indexing.growth import Growth


@dataclass(frozen=True)
class Measurable:
    """One thing that is measured of every build."""

    unit: Literal["s", "B", "1/s", "B/s", ""]
    what: str


MEASURED = {
    "index_time": Measurable(
        "s", "wall time of indexing, without reading where that can be told apart"
    ),
    "reading": Measurable("s", "wall time of reading the collection"),
    "index_cpu": Measurable("s", "processor time of all processes, user and system"),
    "cpu_user": Measurable("s", "of it in programs"),
    "cpu_system": Measurable("s", "of it in the system"),
    "documents_rate": Measurable("1/s", "documents a second"),
    "text_rate": Measurable("B/s", "text a second"),
    "index_memory": Measurable("B", "the most memory at once, of all processes"),
    "memory_before": Measurable("B", "memory before the first document"),
    "disk_peak": Measurable("B", "the most disk at once, temporary files included"),
    "index_overhead": Measurable("B", "disk beyond the finished index, at its peak"),
    "index_size": Measurable("B", "the finished index"),
    "index_ratio": Measurable("", "the index's size as a share of the text's"),
}
"""All of it, by name."""

CONFIDENCE = 0.95
"""Of intervals of medians; from six repetitions on there is one."""


@dataclass(frozen=True)
class Amount:
    """A value, and how much less or more it may be by the way it was measured."""

    value: float
    less: float = 0.0
    more: float = 0.0


@dataclass(frozen=True)
class Build:
    """What one build took; what could not be measured is not there."""

    documents: int
    bytes: int  # of text
    amounts: Mapping[str, Amount]  # by the names of MEASURED
    samples: int = 0
    longest_gap: float = 0.0  # seconds: the longest time between two looks at the processes
    taken: int | None = None  # documents that the engine took, where that can be known
    left: int = 0  # processes that still ran when it was over
    overlap: float = 0.0  # seconds of reading in its wall time: work may have gone on beside it

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "documents": self.documents,
            "bytes": self.bytes,
            "samples": self.samples,
            "longest_gap": self.longest_gap,
            "taken": self.taken,
            "left": self.left,
            "overlap": self.overlap,
        } | {
            name: {"value": one.value, "less": one.less, "more": one.more}
            for name, one in self.amounts.items()
        }


@dataclass(frozen=True)
class Spread:
    """A quantity over repetitions."""

    median: float
    least: float
    most: float
    deviation: float  # the median of the distances from the median
    low: float | None  # the interval of the median; None where repetitions are too few for one
    high: float | None
    less: float  # how far measuring itself may be off: the worst of the repetitions
    more: float

    @classmethod
    def of(cls, amounts: Sequence[Amount]) -> Spread:
        """The spread of some values."""
        values = sorted(one.value for one in amounts)
        middle = median(values)
        low, high = median_interval(values)
        return cls(
            median=middle,
            least=values[0],
            most=values[-1],
            deviation=median(abs(value - middle) for value in values),
            low=low,
            high=high,
            less=max(one.less for one in amounts),
            more=max(one.more for one in amounts),
        )


def median_interval(
    values: Sequence[float], confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """The interval of the median between two of the values, which must be sorted.

    The true median is below the i-th smallest of n values with the chance of fewer than i heads in
    n throws, whatever the distribution. Nothing is assumed but that repetitions are independent.

    >>> median_interval([1, 2, 3, 4, 5, 6]), median_interval([1, 2, 3])
    ((1, 6), (None, None))
    """
    n = len(values)
    below, cut = 0.0, 0  # the chance of one side, with so many values cut off
    while cut < n // 2:
        below += comb(n, cut) / 2**n
        if 2 * below > 1 - confidence:
            break
        cut += 1
    return (values[cut - 1], values[n - cut]) if cut else (None, None)


@dataclass(frozen=True)
class Sized:
    """All builds of one size of the collection."""

    documents: int
    bytes: int
    builds: tuple[Build, ...]

    def spread(self, name: str) -> Spread | None:
        """Of a quantity; None where it could not be measured each time."""
        found = [build.amounts[name] for build in self.builds if name in build.amounts]
        return Spread.of(found) if len(found) == len(self.builds) else None


@dataclass(frozen=True)
class Indexing:
    """What indexing took, at one size of the collection or at several."""

    system: str
    sizes: tuple[Sized, ...]  # the smallest first
    growth: Mapping[str, Growth] = field(default_factory=dict)  # where there are 3 sizes or more
    notes: tuple[str, ...] = ()
    not_valid: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def largest(self) -> Sized:
        """The builds of the most documents."""
        return self.sizes[-1]

    def costs(self) -> Costs:
        """What files of results say of it: medians at the largest size."""
        spreads = {name: self.largest.spread(name) for name in MEASURED if name in QUANTITIES}
        return Costs(
            system=self.system,
            by_name={
                name: Cost(spread.median, spread.low, spread.high)
                for name, spread in spreads.items()
                if spread is not None
            },
            not_valid=self.not_valid,
            settings=self.settings,
        )
