"""HdrHistograms of times: 1 µs to 1 h, to 3 significant digits, as other tools read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import MissingExtra

LONGEST = 3_600_000_000  # µs
DIGITS = 3
PRECISION = 1e-3
"""How far a value may be off, as a share of it; below a millisecond, a microsecond."""

HEADER = (
    "#[Histogram log format version 1.3]\n"
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n'
)
"""What stands above the lines of a histogram log."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Times, as an HdrHistogram holds them."""

    held: Any  # hdrh's own
    longest: float  # seconds, not rounded

    @classmethod
    def of(cls, seconds: Floats) -> Histogram:
        """Times are rounded to microseconds; what takes more than an hour counts as an hour."""
        held = _hdr_histogram()(1, LONGEST, DIGITS)
        rounded = np.clip(np.rint(seconds * 1e6), 0, LONGEST).astype(np.int64)
        # Of the binary digits of a value it keeps the first 11. Without the others there are few
        # values to record; all of them, one at a time, would take as long as some loads do.
        dropped = np.maximum(np.frexp(rounded)[1] - held.sub_bucket_half_count_magnitude - 1, 0)
        rounded = rounded >> dropped << dropped
        for value, count in zip(*np.unique(rounded, return_counts=True), strict=True):
            held.record_value(int(value), int(count))
        return cls(held, float(np.max(seconds, initial=0.0)))

    @cached_property
    def _up_to(self) -> Ints:
        counts = np.frombuffer(self.held.counts, dtype=np.uint64)
        return np.cumsum(counts.astype(np.int64))

    def at_rank(self, rank: int) -> float:
        """The time at a rank, from 1: the longest one that the histogram cannot tell from it.

        hdrh's own percentiles round ranks to the nearest. A time that 99% of the requests stay
        within has to be at the next rank above, which is how HdrHistogram defines it elsewhere.
        """
        place = int(np.searchsorted(self._up_to, rank))
        value = self.held.get_highest_equivalent_value(self.held.get_value_from_index(place))
        return min(int(value) / 1e6, self.longest)

    def encoded(self) -> str:
        """The histogram in base64 (V2, compressed), its values in microseconds."""
        return str(self.held.encode(), "ascii")

    def log_line(self, *, start: float, seconds: float, tag: str = "") -> str:
        """A line of a histogram log: when it began, how long it lasted, the longest time in ms."""
        name = f"Tag={tag}," if tag else ""
        return f"{name}{start:.3f},{seconds:.3f},{self.longest * 1000:.3f},{self.encoded()}\n"


def _hdr_histogram() -> Any:
    try:
        from hdrh.histogram import HdrHistogram
    except ImportError:
        raise MissingExtra(
            "a histogram of response times", package="hdrhistogram", extra="engine"
        ) from None
    return HdrHistogram
