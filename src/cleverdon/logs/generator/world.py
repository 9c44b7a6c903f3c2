"""The world of a generated log: its recipe, vocabulary, results and times of searches.

Every query is a number, and every number has a text. Small numbers are asked for most, and are
short: a noun. Then come nouns with an adjective, and then those with more words behind them. So
texts need no list of a million entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.errors import OptionError
from cleverdon.logs.calendar import DAY, MINUTE, SECOND

_MOST_EVENTS = 1_000_000_000
_MOST_EFFECT = 0.25  # with a larger one, chances of clicks would exceed 1


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The parameters of a generated log: the same recipe gives the same rows."""

    events: int = 1_000_000  # the approximate number of rows of both tables
    seed: int = 0
    days: int = 28  # the first is a Monday
    variants: bool = True
    """Whether there is an experiment: from half of the days on, every user sees A or B."""
    effect: float = 0.05  # the relative increase by B of the chance of a click
    mismatch: float = 0.0  # the share of the users of B that is missing
    bots: float = 0.0005
    """The share of users that are bots, which search a lot and never click."""
    missing: float = 0.01  # the share of unknown latencies and dwell times
    anonymous: float = 0.0  # the share of users without an id
    keystrokes: bool = False  # whether unfinished queries are searched for, too
    faults: float = 0.0
    """The share of events that are repeated or have a wrong time, and of pages without
    impressions."""

    def __post_init__(self) -> None:
        _check("events", self.events, 1, _MOST_EVENTS)
        _check("days", self.days, 1, 366)
        _check("effect", self.effect, -1, _MOST_EFFECT)
        for name in ("mismatch", "bots", "missing", "anonymous", "faults"):
            _check(name, getattr(self, name), 0, 0.5)
        if self.seed < 0:
            raise OptionError(f"seed={self.seed}: a seed is a whole number of at least 0")


def _check(name: str, value: float, lowest: float, highest: float) -> None:
    if not lowest <= value <= highest:
        raise OptionError(f"{name}={value}: it can be from {lowest:,} to {highest:,}")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(" "))


_NOUNS = _words(
    "bicycle lamp tent kettle backpack headphones desk chair keyboard monitor camera tripod "
    "guitar drum piano mattress pillow blanket curtain carpet mirror shelf wardrobe sofa table "
    "oven fridge toaster blender teapot knife saucepan bowl plate mug bottle thermos jacket "
    "raincoat scarf gloves boots sandals trainers hat belt wallet watch ring necklace puzzle kite "
    "skateboard canoe paddle compass hammer drill ladder wheelbarrow"
)
# The first of these words is none.
_ADJECTIVES = _words(
    " small large red blue green black white wooden steel leather folding electric wireless "
    "portable vintage waterproof lightweight foldable organic"
)
_FACETS = _words(
    " cheap used new repair spare sale delivery review rental gift warranty size colour price "
    "outlet set cover stand bag parts manual battery charger strap handle cleaner stock store "
    "discount"
)
_DETAILS = _words(
    " tomorrow today online nearby 2024 2025 2026 children adults women men camping travel office "
    "garden kitchen bathroom school winter summer beginners professionals students pair dozen "
    "instructions comparison alternatives returns"
)

_SUBJECTS = len(_NOUNS) * len(_ADJECTIVES)
"""Queries on the same subject differ in the words after it."""
_REFINEMENTS = len(_FACETS) * len(_DETAILS)
DISTINCT_QUERIES = _SUBJECTS * _REFINEMENTS

_SPELLINGS = (0.80, 0.90, 0.93, 1.0)
"""Cumulative shares of plain, capitalised and upper-case queries, and of extra spaces."""


def texts(queries: Ints) -> Any:
    """Return the normalised text of each query, as an Arrow array."""
    subject, refinement = queries % _SUBJECTS, queries // _SUBJECTS
    noun, adjective = subject % len(_NOUNS), subject // len(_NOUNS)
    facet, detail = refinement % len(_FACETS), refinement // len(_FACETS)

    def words(choice: tuple[str, ...], which: Ints) -> Any:
        return pa.array([word or None for word in choice], pa.string()).take(pa.array(which))

    parts = (words(_ADJECTIVES, adjective), words(_NOUNS, noun))
    behind = (words(_FACETS, facet), words(_DETAILS, detail))
    return pc.binary_join_element_wise(*parts, *behind, " ", null_handling="skip")


def as_typed(normalised: Any, draw: Any) -> Any:
    """Vary texts as users type them: capitals, extra white space."""
    spelling = pa.array(np.searchsorted(_SPELLINGS, draw, side="right"))
    doubled = pc.replace_substring(normalised, " ", "  ")
    return pc.choose(
        spelling,
        normalised,
        pc.utf8_capitalize(normalised),
        pc.utf8_upper(normalised),
        pc.binary_join_element_wise("", doubled, "", " "),
    )


START = int(datetime(2026, 3, 2, tzinfo=UTC).timestamp()) * SECOND
"""A Monday, in milliseconds since 1970 in UTC."""

ZIPF = 1.0
"""The share of the r-th most frequent query is proportional to r to the power of minus this."""

PAGE_SIZE = 10
EXAMINATION: Floats = np.arange(1.0, PAGE_SIZE + 1) ** -0.7
"""The chance that a user looks at each of a page's results."""

_MOST_ATTRACTIVE = 0.5

_HOURS = (2, 1, 1, 1, 1, 2, 4, 7, 10, 12, 12, 11, 10, 11, 12, 12, 11, 10, 11, 13, 14, 12, 8, 4)
_WEEKDAYS = (1.0, 1.05, 1.05, 1.0, 0.9, 0.65, 0.7)
_NOTHING_FOUND = 0.2  # the share of the rarest queries that find nothing

_ROWS_A_PERSON = 73.0
_KEYSTROKES_A_PERSON = 20.4
_ROWS_A_BOT = 525.0
"""Average rows of a user, as measured: they make logs as large as requested."""


@dataclass(frozen=True, eq=False)
class World:
    """The distributions that are the same for all users; a function of the recipe."""

    recipe: Recipe

    @property
    def users(self) -> int:
        bots = self.recipe.bots
        person = _ROWS_A_PERSON + _KEYSTROKES_A_PERSON * self.recipe.keystrokes
        return max(1, round(self.recipe.events / ((1 - bots) * person + bots * _ROWS_A_BOT)))

    @property
    def experiment_start(self) -> int | None:
        """The start of the experiment; that of the log, if it spans one day."""
        return START + self.recipe.days // 2 * DAY if self.recipe.variants else None

    @property
    def share_of_b(self) -> float:
        there = 1 - self.recipe.mismatch
        return there / (1 + there)

    @property
    def incident(self) -> tuple[int, int]:
        """The twenty minutes of slow searches."""
        begin = START + self.recipe.days // 2 * DAY + 15 * 60 * MINUTE
        return begin, begin + 20 * MINUTE

    def bots(self, users: Ints) -> Bools:
        """Return which users are bots: evenly spread, so their number does not vary."""
        share = self.recipe.bots
        chosen: Bools = np.floor((users + 1) * share) > np.floor(users * share)
        return chosen

    def drawn_queries(self, random: np.random.Generator, count: int) -> Ints:
        at_least = np.searchsorted(self._popularity, random.random(count), side="right")
        return np.minimum(at_least, DISTINCT_QUERIES - 1)

    def refined(self, random: np.random.Generator, queries: Ints) -> Ints:
        """Return other queries on the same subject."""
        more = 1 + np.floor((_REFINEMENTS - 1) * random.random(len(queries)) ** 4).astype(np.int64)
        return queries % _SUBJECTS + (queries // _SUBJECTS + more) % _REFINEMENTS * _SUBJECTS

    def found(self, queries: Ints) -> Ints:
        rarity = np.log1p(queries) / np.log1p(DISTINCT_QUERIES)
        nothing = self._chance(queries, salt=1) < _NOTHING_FOUND * rarity**3
        # Frequent queries have results: their pages are full for every seed.
        many = 100 * np.maximum(0.5 - rarity, 0)
        some = (np.exp(1 + 7 * self._chance(queries, salt=2)) + many).astype(np.int64)
        return np.where(nothing, 0, some)

    def documents(self, queries: Ints, items: Ints) -> Ints:
        """Return the number of a query's n-th best document."""
        # A stride that shares no factor with ten million: no query has a document twice.
        return (self._mixed(queries, salt=3).astype(np.int64) % 9_999_991 + items * 7919) % 10**7

    def attractiveness(self, queries: Ints, items: Ints) -> Floats:
        """Return the chance that a user who looks at a result clicks it."""
        return _MOST_ATTRACTIVE * self._chance(queries * 4096 + items, salt=4) ** 2

    def moments(self, random: np.random.Generator, count: int) -> Ints:
        """Draw times, most of them in busy hours."""
        minutes = np.searchsorted(self._busy, random.random(count), side="right")
        minutes = np.minimum(minutes, self.recipe.days * 1440 - 1)
        return START + minutes * MINUTE + random.integers(0, MINUTE, count)

    def load(self, times: Ints) -> Floats:
        """Return the load as a share of that of the busiest minute."""
        minutes = (times - START) // MINUTE % len(self._week)
        return self._week[minutes]

    @cached_property
    def _popularity(self) -> Floats:
        return _cumulated(np.arange(1.0, DISTINCT_QUERIES + 1) ** -ZIPF)

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
        """Return a number from 0 to 1 that depends on the number and the seed only."""
        return (self._mixed(numbers, salt=salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def _mixed(self, numbers: Ints, *, salt: int) -> NDArray[Any]:
        """Hash by the last step of SplitMix (Steele et al. 2014, doi:10.1145/2660193.2660195)."""
        start = (self.recipe.seed * 16 + salt + 1) * 0x9E3779B97F4A7C15 % 2**64
        bits = numbers.astype(np.uint64) + np.uint64(start)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        return bits ^ (bits >> np.uint64(31))


def _cumulated(weights: Floats) -> Floats:
    total = np.cumsum(weights)
    shares: Floats = total / total[-1]
    return shares
