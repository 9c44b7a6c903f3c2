"""Orders of systems: do two measures, two judgments or two sets of topics agree on them?

The interval of a coefficient is a bootstrap's over topics: how alike the orders would have been,
had other topics of the same kind been used. Drawing topics adds chance of its own, so that such
intervals lie rather low; orders that are the same have 1 as the upper end, not as the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cleverdon import correlate
from cleverdon.arrays import Floats
from cleverdon.compare.coefficients import Orders, coefficients
from cleverdon.compare.intervals import Interval
from cleverdon.compare.samples import Sample, samples
from cleverdon.errors import OptionError, check_count, check_seed, check_within
from cleverdon.measures.base import Measure
from cleverdon.rankings import Ranking
from cleverdon.scores import Scores

RESAMPLES = 2000
COEFFICIENTS = {
    "kendall": "Kendall's tau-b",
    "tau_ap": "AP correlation, which minds the top more",
    "spearman": "Spearman's rho",
    "rbo": "rank-biased overlap, which minds the top more",
}
"""What there is of each pair of orders."""
_BLOCK = 250_000
"""How many pairs of systems, or topics, are held at a time: what fits the processor's cache."""
_DIGITS = 12
"""Averages that differ further behind are equal, and were added up in another order."""


@dataclass(frozen=True)
class Comparing:
    """How orders are compared, and how the intervals of that are drawn."""

    p: float = 0.9  # the persistence of rank-biased overlap
    symmetric: bool = True  # whether tau-AP is the mean of both directions
    confidence: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        check_within("p", self.p, 0, 1)
        check_within("confidence", self.confidence, 0, 1)
        check_count("resamples", self.resamples)
        check_seed(self.seed)


@dataclass(frozen=True)
class Coefficient:
    """How alike two orders are; NaN where all systems of one are tied."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Agreement:
    """How alike two orders of the same systems are."""

    first: str
    second: str
    systems: tuple[str, ...]
    topics: tuple[int, int]  # how many each order rests on
    kendall: Coefficient
    tau_ap: Coefficient
    spearman: Coefficient
    rbo: Coefficient


@dataclass(frozen=True, eq=False)
class _Side:
    """What gives one order."""

    label: str
    merits: Floats  # systems x topics: the higher their mean, the better the system
    drawn_with: int = 0  # sides of the same number are on the same topics, and drawn together

    @property
    def topics(self) -> int:
        return int(self.merits.shape[1])

    def order(self, systems: Sequence[str]) -> dict[str, float]:
        means = np.round(self.merits.mean(axis=1), _DIGITS)
        return dict(zip(systems, means.tolist(), strict=True))

    def resampled(self, times: Floats) -> Orders:
        """The orders where each topic is there so many `times`: resamples x topics."""
        return Orders(np.round(times @ self.merits.T / self.topics, _DIGITS))


def agreements(
    scores: Scores,
    *,
    other: Scores | None = None,
    topics: Mapping[str, Iterable[str]] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    p: float = 0.9,
    symmetric: bool = True,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Agreement]:
    """How alike the orders of systems are, by each pair of measures.

    With `other`, the same runs' scores by other judgments: by each measure, the two judgments, on
    the topics that both have. With `topics`, sets of them by name: by each measure, each pair of
    sets. tau-AP is the mean of both directions; with symmetric=False the first order is the truth.
    `p` is the persistence of rank-biased overlap, which is the extrapolated one.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}
    >>> runs = {"x": {"q1": {"b": 2, "a": 1}, "q2": {"c": 2, "a": 1}}, "y": {"q2": {"a": 1}}}
    >>> (found,) = agreements(evaluate(qrels, runs, "nDCG P@1"))
    >>> found.first, found.second, found.tau_ap.value
    ('nDCG', 'P@1', 0.0)
    """
    if other is not None and topics is not None:
        raise OptionError("orders are by two judgments or by sets of topics, not by both at once")
    how = Comparing(p, symmetric, confidence, resamples, seed)
    named = tuple(scores.systems if systems is None else systems)
    if other is not None and systems is None:
        named = tuple(name for name in named if name in other.systems)
    _check_systems(named)
    first = samples(scores, measures=measures, systems=named)
    if other is not None:
        sides, pairs = _by_judgments(scores, other, first)
    elif topics is not None:
        sides, pairs = _by_topics(first, topics)
    else:
        if len(first) < 2:
            raise OptionError(f"there is one measure only, {first[0].measure}: name another")
        sides = [_Side(str(sample.measure), sample.merits) for sample in first]
        pairs = list(combinations(range(len(sides)), 2))
    return _compared(sides, pairs, named, how)


def agreements_with(
    first: tuple[str, Floats],
    others: Mapping[str, Floats],
    systems: Iterable[str],
    how: Comparing,
) -> list[Agreement]:
    """How alike each of several orders is with one, the first, whatever they come from.

    Each order is its name and its values, systems x topics, of which the higher mean is the better;
    all of them on the same topics, which are drawn together. tau-AP takes the first for the truth,
    unless it is symmetric.
    """
    named = tuple(systems)
    _check_systems(named)
    label, values = first
    for name, other in others.items():
        if not other.shape == values.shape == (len(named), values.shape[1]):
            raise OptionError(
                f"{name}: found values of {other.shape} systems x topics, where {label} has "
                f"{values.shape}; both are to be of the same systems and topics"
            )
    sides = [_Side(label, values), *(_Side(name, other) for name, other in others.items())]
    return _compared(sides, [(0, at) for at in range(1, len(sides))], named, how)


def _check_systems(named: tuple[str, ...]) -> None:
    if len(named) < 2:
        found = f"only one, {named[0]!r}" if named else "none"
        raise OptionError(f"an order has two systems at least; there is {found}")


def _compared(
    sides: list[_Side],
    pairs: list[tuple[int, int]],
    named: tuple[str, ...],
    how: Comparing,
) -> list[Agreement]:
    """The coefficients of each pair of sides, with their intervals."""
    drawn = _bootstrap(sides, pairs, how)
    orders = [side.order(named) for side in sides]
    made = []
    for at, (a, b) in enumerate(pairs):
        values = _coefficients(orders[a], orders[b], how)
        topics_of = sides[a].topics, sides[b].topics
        known = min(topics_of) > 1
        of_pair = {
            name: Coefficient(value, _interval(drawn[name][at], how.confidence, known=known))
            for name, value in values.items()
        }
        made.append(Agreement(sides[a].label, sides[b].label, named, topics_of, **of_pair))
    return made


def _by_judgments(
    scores: Scores, other: Scores, first: list[Sample]
) -> tuple[list[_Side], list[tuple[int, int]]]:
    """The sides of two judgments, next to each other."""
    wanted = [sample.measure for sample in first]
    second = samples(other, measures=wanted, systems=first[0].systems)
    in_second = set(second[0].topics)
    shared = [topic for topic in first[0].topics if topic in in_second]
    if not shared:
        raise OptionError("the two judgments have no topic in common")
    labels = [of.about.qrels or "judgments" for of in (scores, other)]
    if labels[0] == labels[1]:
        labels = [f"first {labels[0]}", f"second {labels[1]}"]
    sides = [
        _Side(f"{sample.measure}, {label}", _on(sample, shared))
        for pair in zip(first, second, strict=True)
        for label, sample in zip(labels, pair, strict=True)
    ]
    return sides, [(at, at + 1) for at in range(0, len(sides), 2)]


def _by_topics(
    first: list[Sample], topics: Mapping[str, Iterable[str]]
) -> tuple[list[_Side], list[tuple[int, int]]]:
    """The sides of all sets of topics by each measure; sets are drawn apart from each other."""
    if len(topics) < 2:
        raise OptionError("there is one set of topics only, and nothing to compare with")
    sides, pairs = [], []
    for sample in first:
        for number, (name, wanted) in enumerate(topics.items()):
            chosen = list(dict.fromkeys(wanted))
            for topic in chosen:
                if topic not in sample.topics:
                    raise OptionError(f"{name}: not all systems were evaluated on topic {topic!r}")
            if not chosen:
                raise OptionError(f"{name}: there are no topics")
            sides.append(_Side(f"{sample.measure}, {name}", _on(sample, chosen), number))
        start = len(sides) - len(topics)
        pairs += list(combinations(range(start, len(sides)), 2))
    return sides, pairs


def _on(sample: Sample, topics: Sequence[str]) -> Floats:
    row = {topic: at for at, topic in enumerate(sample.topics)}
    merits: Floats = sample.merits[:, [row[topic] for topic in topics]]
    return merits


def _coefficients(a: Ranking, b: Ranking, how: Comparing) -> dict[str, float]:
    """The first order is tau-AP's truth, where one of them is."""
    return {
        "kendall": correlate.kendall(a, b),
        "tau_ap": correlate.tau_ap(b, a, symmetric=how.symmetric),
        "spearman": correlate.spearman(a, b),
        "rbo": correlate.rbo(a, b, p=how.p).extrapolated,
    }


def _bootstrap(
    sides: list[_Side], pairs: list[tuple[int, int]], how: Comparing
) -> dict[str, Floats]:
    """Of each coefficient, pairs x resamples."""
    functions = coefficients(symmetric=how.symmetric, p=how.p)
    drawn = {name: np.empty((len(pairs), how.resamples)) for name in functions}
    topics = {side.drawn_with: side.topics for side in sides}
    random = {number: np.random.default_rng([how.seed, number]) for number in topics}
    largest = max(len(sides[0].merits) ** 2, max(topics.values()))
    block = max(1, _BLOCK // largest)
    for start in range(0, how.resamples, block):
        end = min(start + block, how.resamples)
        times = {number: _times(random[number], n, end - start) for number, n in topics.items()}
        orders = [side.resampled(times[side.drawn_with]) for side in sides]
        for at, (a, b) in enumerate(pairs):
            for name, function in functions.items():
                drawn[name][at, start:end] = function(orders[b], orders[a])
    return drawn


def _times(random: np.random.Generator, topics: int, resamples: int) -> Floats:
    """Resamples x topics: how often each topic is drawn."""
    drawn = random.integers(0, topics, size=(resamples, topics))
    cells = (drawn + np.arange(resamples)[:, None] * topics).ravel()
    return np.bincount(cells, minlength=drawn.size).reshape(drawn.shape).astype(float)


def _interval(drawn: Floats, confidence: float, *, known: bool) -> Interval:
    """Percentiles; resamples that tie all systems have no coefficient, and are left out."""
    defined = drawn[~np.isnan(drawn)]
    if not known or len(defined) == 0:
        return Interval(np.nan, np.nan, confidence, "percentile")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, "percentile")
