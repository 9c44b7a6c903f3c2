"""How fast judging goes: judgments over time, an hour of work, seconds a document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles

from cleverdon.assess.watching.facts import Grading
from cleverdon.assess.watching.measured import Measured, unknown

PAUSE = 600.0
"""Seconds between two judgments from which on somebody was away, and not at work."""
FEWEST = 5
"""Below how many judgments nothing is said of speed."""
MOST_BINS = 60
HOUR = 3_600.0
WIDTHS = (HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR, 365 * 24 * HOUR)
"""What judgments are counted by; the first with which a chart has no more than `MOST_BINS`."""


@dataclass(frozen=True)
class Pace:
    """How many judgments were made in each hour, or day where there are many."""

    width: float  # seconds
    start: float  # of the first
    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        """Judgments in all, changed ones counted again."""
        return sum(self.counts)


@dataclass(frozen=True)
class Speed:
    """How fast somebody judges."""

    judgments: int  # grades given, changed ones counted again
    per_hour: Measured  # of work: pauses of ten minutes or more are left out
    seconds: Measured  # a document: the median, and the middle half as its ends


def pace_of(gradings: Sequence[Grading]) -> Pace:
    """Judgments over time, from the first one on."""
    moments = [one.at for one in gradings]
    if not moments:
        return Pace(HOUR, 0.0, ())
    first, last = min(moments), max(moments)
    width = next((one for one in WIDTHS if last - first < one * (MOST_BINS - 1)), WIDTHS[-1])
    start = first // width * width
    counts = [0] * (int((last - start) // width) + 1)
    for moment in moments:
        counts[int((moment - start) // width)] += 1
    return Pace(width, start, tuple(counts))


def speed_of(gradings: Iterable[Grading]) -> Speed:
    """How fast the person goes who made these."""
    every = list(gradings)
    return Speed(len(every), _per_hour([one.at for one in every]), _seconds(every))


def _per_hour(moments: Iterable[float]) -> Measured:
    gaps = [later - earlier for earlier, later in pairwise(sorted(moments))]
    worked = [gap for gap in gaps if gap < PAUSE]
    if len(worked) < FEWEST or not sum(worked):
        return unknown(f"fewer than {FEWEST + 1} judgments in one go", of=len(worked))
    return Measured(len(worked) / sum(worked) * HOUR, of=len(worked))


def _seconds(gradings: Iterable[Grading]) -> Measured:
    """The median, which a document that stayed open over lunch does not move."""
    known = [one.seconds for one in gradings if one.seconds is not None]
    if len(known) < FEWEST:
        return unknown(f"fewer than {FEWEST} judgments with a time", of=len(known))
    low, _, high = quantiles(known, n=4, method="inclusive")
    return Measured(median(known), low, high, len(known))
