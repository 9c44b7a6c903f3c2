"""What a bootstrap draws: topics where there are several, else documents.

Documents of one topic are judged by the same idea of what is relevant, so that drawing them one by
one would make the interval too narrow. Documents with the same grades by the same judges are one
unit, drawn as often as chance would draw any of them. Where there are more units than need be,
they are dealt at random into batches, which are drawn instead: sums of many independent units say
as much about how far a coefficient varies, and 2,000 resamples of 100,000 documents take a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.compare.intervals import Interval
from cleverdon.errors import check_count, check_seed, check_within
from cleverdon.judge.labels import Labels, patterns

RESAMPLES = 2000
BATCHES = 1000
"""The most units that are drawn; that many give the spread to within some 2%."""

Over = Literal["topics", "documents"]


@dataclass(frozen=True, eq=False)
class Units:
    """What is drawn, and how often: the same for everything that is estimated at once."""

    over: Over
    unit: Ints  # of each item: which unit it belongs to; -1 where it is of none
    sizes: Ints  # of each unit: how many topics, or documents, are in it
    alike: bool  # whether what is in a unit is the same, and could as well be drawn one by one
    confidence: float
    resamples: int
    seed: int

    @classmethod
    def of(
        cls,
        labels: Labels,
        *,
        confidence: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Units:
        """Units of the items that two judges at least have judged."""
        check_within("confidence", confidence, 0, 1)
        resamples, seed = check_count("resamples", resamples), check_seed(seed)
        rows = labels.shared
        topics, place = np.unique(labels.topic[rows], return_inverse=True)
        over: Over = "topics" if len(topics) > 1 else "documents"
        if over == "documents":
            _, place = np.unique(patterns(labels.level[rows]), return_inverse=True)
        alike = over == "documents" and place.max(initial=-1) < BATCHES
        if over == "documents" and not alike:
            place = np.arange(len(place))
        if not alike:
            place = _dealt(int(place.max(initial=-1)) + 1, seed)[place]
        unit = np.full(len(labels), -1)
        unit[rows] = place
        if over == "topics":  # one is in one unit with all its documents, and counts once
            place = place[np.unique(labels.topic[rows], return_index=True)[1]]
        return cls(over, unit, np.bincount(place), alike, confidence, resamples, seed)

    @property
    def count(self) -> int:
        """How many units there are."""
        return len(self.sizes)

    @property
    def drawn_from(self) -> int:
        """How many topics, or documents, there are."""
        return int(self.sizes.sum())

    @cached_property
    def times(self) -> Floats:
        """Resamples x units: how often each unit is drawn, as a whole or in parts."""
        random = np.random.default_rng([self.seed, 1])
        if not self.alike:
            every = np.full(self.count, 1 / self.count)
            return random.multinomial(self.count, every, size=self.resamples).astype(float)
        chance = self.sizes / self.sizes.sum()
        drawn = random.multinomial(self.drawn_from, chance, size=self.resamples)
        found: Floats = drawn / self.sizes
        return found

    def behind(self, present: Bools) -> int:
        """How many topics, or documents, are in the units that have a part in something."""
        return int(self.sizes[present].sum())

    def interval(self, drawn: Floats, *, behind: int) -> Interval:
        """The middle part of what was drawn; resamples without a value are left out.

        One topic or document behind a value tells nothing of its spread.
        """
        defined = drawn[~np.isnan(drawn)]
        if len(defined) == 0 or behind < 2:
            return Interval(np.nan, np.nan, self.confidence, "percentile")
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return Interval(float(low), float(high), self.confidence, "percentile")


def _dealt(total: int, seed: int) -> Ints:
    """Which batch each topic or document is in; itself where there are few."""
    if total <= BATCHES:
        return np.arange(total)
    return np.random.default_rng([seed, 0]).permutation(total) % BATCHES
