"""Topic splits: which topics a setting may be chosen on, and which it is scored on.

A split depends on the set of topics, the seed and the strata alone, not on the order in which
topics come. Write it to a file all the same, and publish that: another version of numpy may draw
other numbers from the same seed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.aggregate import worst_value
from cleverdon.arrays import Ints
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

KINDS = {
    "hold-out": "some topics are for testing, all others for training",
    "k-fold": "topics are dealt out to folds, each of which is the test set once",
    "repeated k-fold": "the same again and again, dealt out anew each time",
}
"""How topics can be split."""


@dataclass(frozen=True)
class Fold:
    """One way to part the topics."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    repeat: int = 1  # which dealing out of topics it belongs to


@dataclass(frozen=True)
class Splits:
    """Topics for training and for testing, fold by fold, and how they were parted."""

    kind: str
    seed: int
    folds: tuple[Fold, ...]
    by: str | None = None  # what it is stratified by

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics: every fold has them, in one of its two parts."""
        first = self.folds[0]
        return (*first.train, *first.test)

    @property
    def repeats(self) -> int:
        return self.folds[-1].repeat

    def __str__(self) -> str:
        sizes = sorted({len(fold.test) for fold in self.folds})
        size = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        count = len(self.folds) // self.repeats
        folds = "" if self.kind == "hold-out" else f", {count} folds"
        times = f", {self.repeats} times" if self.repeats > 1 else ""
        by = f", stratified by {self.by}" if self.by else ""
        return (
            f"{self.kind}{folds}{times}: {size} of {len(self.topics)} topics for testing "
            f"(seed {self.seed}{by})"
        )


def hold_out(
    topics: Iterable[str],
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Mapping[str, Any] | None = None,
    by_name: str | None = None,
) -> Splits:
    """Some topics for testing, all others for training; at least one of each.

    `by` gives each topic's stratum, of which testing gets its share, and `by_name` says what the
    strata are.

    >>> hold_out(["a", "b", "c", "d", "e"], share=0.4, seed=1).folds[0].test
    ('b', 'd')
    """
    named = _checked(topics)
    if not 0 < share < 1:
        raise OptionError(f"share={share}: the share of topics to test on is above 0 and below 1")
    if len(named) < 2:
        raise OptionError("there is one topic only, and none to hold out")
    random = _random(seed)
    dealt = _dealt(named, by, by_name, random)
    count = min(max(round(share * len(named)), 1), len(named) - 1)
    # Evenly spaced, so that every stratum gives its share, give or take one topic.
    chosen = ((np.arange(count) + random.random()) * len(named) / count).astype(np.int64)
    in_test = np.zeros(len(named), dtype=np.int64)
    in_test[dealt[chosen]] = 1
    return Splits("hold-out", seed, (_fold(named, in_test, 1, 1),), _named(by, by_name))


def k_fold(
    topics: Iterable[str],
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    by: Mapping[str, Any] | None = None,
    by_name: str | None = None,
) -> Splits:
    """Topics dealt out to folds whose sizes differ by one at most, each the test set once.

    With `repeats`, they are dealt out anew so many times. `by` gives each topic's stratum: its
    topics are spread over the folds as evenly as they go. `by_name` says what the strata are.

    >>> found = k_fold(["a", "b", "c", "d"], folds=2, by={"a": 1, "b": 1, "c": 2, "d": 2})
    >>> [fold.test for fold in found.folds]
    [('a', 'c'), ('b', 'd')]
    """
    named = _checked(topics)
    if len(named) < 2:
        raise OptionError("there is 1 topic only, and nothing to split")
    if not 2 <= folds <= len(named):
        raise OptionError(
            f"folds={folds}: of {len(named)} topics, from 2 to {len(named)} folds can be made"
        )
    if repeats < 1:
        raise OptionError(f"repeats={repeats}: topics are dealt out once at least")
    random = _random(seed)
    made = []
    for repeat in range(1, repeats + 1):
        number = np.empty(len(named), dtype=np.int64)
        # As cards are dealt: neighbours of one stratum go to different folds.
        number[_dealt(named, by, by_name, random)] = np.arange(len(named)) % folds
        made += [_fold(named, number, fold, repeat) for fold in range(folds)]
    kind = "k-fold" if repeats == 1 else "repeated k-fold"
    return Splits(kind, seed, tuple(made), _named(by, by_name))


def quantiles(values: Mapping[str, float], *, bins: int = 4) -> dict[str, int]:
    """Which quantile each topic's number is in, from 1 on; equal numbers are in the same one.

    >>> quantiles({"a": 0.1, "b": 0.5, "c": 0.2, "d": 0.9}, bins=2)
    {'a': 1, 'b': 2, 'c': 1, 'd': 2}
    """
    if bins < 1:
        raise OptionError(f"bins={bins}: there is one bin at least")
    numbers = np.array(list(values.values()), dtype=np.float64)
    for topic, number in values.items():
        if not np.isfinite(number):
            raise InputError(f"topic {topic!r} has {number}, which is in no quantile")
    # How many are smaller: the same for equal numbers, and spread out where there are few.
    below = np.searchsorted(np.sort(numbers), numbers)
    bin_of = below * bins // max(len(numbers), 1) + 1
    return dict(zip(values, bin_of.tolist(), strict=True))


def difficulty(scores: Scores, measure: str | Measure, *, bins: int = 4) -> dict[str, int]:
    """How hard each topic is: the quantile of its mean score over all systems, 1 the hardest.

    An undefined value counts as the measure's worst. Topics on which no system was evaluated are
    left out.
    """
    _, m = scores.index_of(scores.systems[0], measure)
    chosen = scores.measures[m]
    if chosen.text or chosen.better == "neither":
        raise OptionError(f"{chosen} does not say which topics are hard")
    scores.check_known(chosen)
    undefined = np.isnan(scores.values[:, m])
    values = np.where(undefined, worst_value(chosen), scores.values[:, m])
    count = scores.evaluated.sum(axis=0)
    sums = np.where(scores.evaluated, values, 0).sum(axis=0)
    sign = -1 if chosen.better == "lower" else 1
    means = {
        topic: round(sign * float(sums[q] / count[q]), 12)  # equal, be they added otherwise
        for q, topic in enumerate(scores.queries)
        if count[q]
    }
    return quantiles(means, bins=bins)


def _checked(topics: Iterable[str]) -> list[str]:
    if isinstance(topics, str):
        raise OptionError(f"topics are a list of ids; found the text {topics!r}")
    named = [str(topic) for topic in topics]
    if not named:
        raise OptionError("there are no topics to split")
    twice = repeated(named)
    if twice is not None:
        raise OptionError(f"topic {twice!r} is there twice")
    return named


def repeated(topics: Iterable[str]) -> str | None:
    """The first topic that occurs again, if any does."""
    seen: set[str] = set()
    for topic in topics:
        if topic in seen:
            return topic
        seen.add(topic)
    return None


def _random(seed: int) -> np.random.Generator:
    if not isinstance(seed, int) or seed < 0:
        raise OptionError(f"seed={seed!r}: a seed is a whole number from 0 on")
    return np.random.default_rng(seed)


def _dealt(
    topics: list[str],
    by: Mapping[str, Any] | None,
    by_name: str | None,
    random: np.random.Generator,
) -> Ints:
    """The rows of the topics, stratum by stratum, strata and what is in them in random order."""
    order = sorted(range(len(topics)), key=lambda row: topics[row].encode())
    strata: dict[Any, list[int]] = {}
    for row in order:
        if by is not None and topics[row] not in by:
            what = by_name or "stratum"
            raise OptionError(f"topic {topics[row]!r} has no {what}; splits by it need one of each")
        strata.setdefault(None if by is None else by[topics[row]], []).append(row)
    groups = list(strata.values())
    shuffled = [random.permutation(groups[at]) for at in random.permutation(len(groups))]
    return np.concatenate(shuffled).astype(np.int64)


def _fold(topics: list[str], number: Ints, chosen: int, repeat: int) -> Fold:
    """The fold that tests on the topics of one number, in the order in which they came."""
    test = number == chosen
    train = tuple(topic for topic, out in zip(topics, test, strict=True) if not out)
    return Fold(train, tuple(topic for topic, out in zip(topics, test, strict=True) if out), repeat)


def _named(by: Mapping[str, Any] | None, by_name: str | None) -> str | None:
    return None if by is None else by_name or "strata"
