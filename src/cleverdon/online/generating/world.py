"""The world of a log: how popular queries are, what they find, when users search."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.online.generating.recipe import Recipe
from cleverdon.online.generating.words import QUERIES, REFINEMENTS, SUBJECTS

SECOND = 1000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE

START = int(datetime(2026, 3, 2, tzinfo=UTC).timestamp()) * SECOND
"""A Monday; all times are in milliseconds since 1970 began in UTC."""

ZIPF = 1.0
"""The share of the r-th most frequent query goes down as r to the power of minus this."""

PAGE_SIZE = 10
EXAMINATION: Floats = np.arange(1.0, PAGE_SIZE + 1) ** -0.7
"""How likely it is that a user looks at each of a page's results."""

MOST_ATTRACTIVE = 0.5

_HOURS = (2, 1, 1, 1, 1, 2, 4, 7, 10, 12, 12, 11, 10, 11, 12, 12, 11, 10, 11, 13, 14, 12, 8, 4)
_WEEKDAYS = (1.0, 1.05, 1.05, 1.0, 0.9, 0.65, 0.7)
_NOTHING_FOUND = 0.2
"""How often the rarest queries find nothing; the most frequent ones always find something."""

_ROWS_A_PERSON = 73.0
_KEYSTROKES_A_PERSON = 20.4
_ROWS_A_BOT = 525.0
"""How many rows a user has on average: measured, so that logs become as large as was asked for."""


@dataclass(frozen=True, eq=False)
class World:
    """What does not change from user to user; a function of the recipe."""

    recipe: Recipe

    @property
    def users(self) -> int:
        bots = self.recipe.bots
        person = _ROWS_A_PERSON + _KEYSTROKES_A_PERSON * self.recipe.keystrokes
        return max(1, round(self.recipe.events / ((1 - bots) * person + bots * _ROWS_A_BOT)))

    @property
    def experiment_start(self) -> int | None:
        """When users begin to see variants; those of a log of one day see them from its start."""
        return START + self.recipe.days // 2 * DAY if self.recipe.variants else None

    @property
    def share_of_b(self) -> float:
        there = 1 - self.recipe.mismatch
        return there / (1 + there)

    @property
    def incident(self) -> tuple[int, int]:
        """When searching was slow: twenty minutes of an afternoon in the middle of the log."""
        begin = START + self.recipe.days // 2 * DAY + 15 * 60 * MINUTE
        return begin, begin + 20 * MINUTE

    def bots(self, users: Ints) -> Bools:
        """Which users are programs: evenly spread, so that their number is no matter of chance."""
        share = self.recipe.bots
        chosen: Bools = np.floor((users + 1) * share) > np.floor(users * share)
        return chosen

    def drawn_queries(self, random: np.random.Generator, count: int) -> Ints:
        """Queries by how popular they are."""
        at_least = np.searchsorted(self._popularity, random.random(count), side="right")
        return np.minimum(at_least, QUERIES - 1)

    def refined(self, random: np.random.Generator, queries: Ints) -> Ints:
        """Other queries on the same subject."""
        more = 1 + np.floor((REFINEMENTS - 1) * random.random(len(queries)) ** 4).astype(np.int64)
        return queries % SUBJECTS + (queries // SUBJECTS + more) % REFINEMENTS * SUBJECTS

    def found(self, queries: Ints) -> Ints:
        """How many results each query has."""
        rarity = np.log1p(queries) / np.log1p(QUERIES)
        nothing = self._chance(queries, salt=1) < _NOTHING_FOUND * rarity**3
        # What many search for is there: at the head, pages are full whatever the seed.
        many = 100 * np.maximum(0.5 - rarity, 0)
        some = (np.exp(1 + 7 * self._chance(queries, salt=2)) + many).astype(np.int64)
        return np.where(nothing, 0, some)

    def documents(self, queries: Ints, items: Ints) -> Ints:
        """The number of the document that is a query's n-th best, of ten million."""
        # A stride that shares no factor with ten million: no query has a document twice.
        return (self._mixed(queries, salt=3).astype(np.int64) % 9_999_991 + items * 7919) % 10**7

    def attractiveness(self, queries: Ints, items: Ints) -> Floats:
        """How likely who looks at a result clicks it, which has nothing to do with its rank."""
        return MOST_ATTRACTIVE * self._chance(queries * 4096 + items, salt=4) ** 2

    def moments(self, random: np.random.Generator, count: int) -> Ints:
        """Moments of the log, most of them at busy hours of busy days."""
        minutes = np.searchsorted(self._busy, random.random(count), side="right")
        minutes = np.minimum(minutes, self.recipe.days * 1440 - 1)
        return START + minutes * MINUTE + random.integers(0, MINUTE, count)

    def load(self, times: Ints) -> Floats:
        """How busy the engine is, as a share of the busiest minute of a week."""
        minutes = (times - START) // MINUTE % len(self._week)
        return self._week[minutes]

    @cached_property
    def _popularity(self) -> Floats:
        return _cumulated(np.arange(1.0, QUERIES + 1) ** -ZIPF)

    @cached_property
    def _week(self) -> Floats:
        hours = np.multiply.outer(_WEEKDAYS, _HOURS).ravel()
        # From hour to hour it grows and falls steadily.
        minutes = np.interp(np.arange(7 * 1440) / 60, np.arange(7 * 24), hours)
        busiest: Floats = minutes / minutes.max()
        return busiest

    @cached_property
    def _busy(self) -> Floats:
        return _cumulated(np.resize(self._week, self.recipe.days * 1440))

    def _chance(self, numbers: Ints, *, salt: int) -> Floats:
        """A number from 0 to 1 that is always the same for the same number and the same seed."""
        return (self._mixed(numbers, salt=salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def _mixed(self, numbers: Ints, *, salt: int) -> NDArray[Any]:
        """Scatter numbers over all of 64 bits.

        The last step of SplitMix (Steele et al. 2014, doi:10.1145/2660193.2660195).
        """
        start = (self.recipe.seed * 16 + salt + 1) * 0x9E3779B97F4A7C15 % 2**64
        bits = numbers.astype(np.uint64) + np.uint64(start)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        return bits ^ (bits >> np.uint64(31))


def _cumulated(weights: Floats) -> Floats:
    total = np.cumsum(weights)
    shares: Floats = total / total[-1]
    return shares
