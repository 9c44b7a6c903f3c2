"""What samples are drawn from: made-up systems, or per-topic scores of real ones.

Made-up systems each rank 100 documents by a score that relevant documents have more of, some
queries more than others; AP, nDCG@10, RR, P@10 and R@10 are computed from these rankings, so that
differences have the ties, zeros and tails that such measures have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import sqrt
from typing import Any, Protocol
from unittest.mock import patch

import numpy as np

from cleverdon import evaluate
from cleverdon._common.arrays import Floats
from cleverdon.comparison import slices
from cleverdon.scores import Scores
from cleverdon.stats.tests import TESTS, interaction_test

MEASURES = ("AP", "nDCG@10", "RR", "P@10")
FIVE_MEASURES = (*MEASURES, "R@10")
SIZES = (5, 10, 20, 50, 100, 200)
DRAWS = 2000
SYSTEMS = 6
_DOCS = 100


@lru_cache(maxsize=4)
def population(queries: int = 20_000, seed: int = 1, *, measures: int = len(MEASURES)) -> Floats:
    """Return values of made-up systems: systems x measures x queries.

    Each of the first six is a little better than the one before. The last two are twins, but that
    one is far better on a tenth of the queries and a little worse on the others, as a system
    with query expansion may be.
    """
    random = np.random.default_rng(seed)
    relevant = np.minimum(1 + random.geometric(0.15, size=queries), 60)
    easy = random.normal(0.9, 0.7, size=queries)
    rel = np.arange(_DOCS) < relevant[:, None]
    common = random.normal(size=(queries, _DOCS))
    values = np.empty((SYSTEMS + 2, len(FIVE_MEASURES), queries))
    noise: Floats = np.zeros(1)
    lucky = random.random(queries) < 0.1
    for s in range(SYSTEMS + 2):
        skill = easy + random.normal(0.06 * s, 0.35, size=queries)
        if s >= SYSTEMS:
            skill = easy if s == SYSTEMS else np.where(lucky, easy + 2, easy - 0.15)
        own = random.normal(size=(queries, _DOCS))
        noise = 0.7 * own if s <= SYSTEMS else noise + 0.15 * own
        values[s] = _measured(rel, 0.7 * common + noise + rel * skill[:, None])
    return values[:, :measures]


def _measured(rel: Any, scores: Floats) -> Floats:
    """Return five measures of rankings by these scores: measures x queries."""
    relevant = rel.sum(axis=1)
    ranks = np.arange(1, rel.shape[1] + 1)
    gain = 1 / np.log2(ranks + 1)
    ideal = np.concatenate([[0.0], np.cumsum(gain[:10])])[np.minimum(relevant, 10)]
    hit = np.take_along_axis(rel, np.argsort(-scores, axis=1), axis=1).astype(float)
    return np.array(
        [
            (hit.cumsum(axis=1) / ranks * hit).sum(axis=1) / relevant,
            hit[:, :10] @ gain[:10] / ideal,
            1 / (hit.argmax(axis=1) + 1),
            hit[:, :10].mean(axis=1),
            hit[:, :10].sum(axis=1) / relevant,
        ]
    )


@lru_cache(maxsize=4)
def equal_systems(systems: int, queries: int = 5000, seed: int = 1) -> Floats:
    """Return the AP of made-up systems that are equally good: systems x queries."""
    random = np.random.default_rng(seed)
    relevant = np.minimum(1 + random.geometric(0.15, size=queries), 60)
    skill = random.normal(0.9, 0.7, size=(queries, 1))
    rel = np.arange(_DOCS) < relevant[:, None]
    common = random.normal(size=(queries, _DOCS))
    own = (random.normal(size=(queries, _DOCS)) for _ in range(systems))
    return np.array([_measured(rel, 0.8 * common + 0.5 * noise + rel * skill)[0] for noise in own])


def balanced(differences: Floats, target: float = 0.0) -> Floats:
    """Return the chance of each query by which the true mean difference is the target.

    Queries are drawn unevenly, those with gains more rarely: ties and zeros remain what they are.
    """
    off = differences - target
    low, high = -1000.0, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        tilt = np.exp(middle * off - np.max(middle * off))
        low, high = (middle, high) if tilt @ off < 0 else (low, middle)
    chances: Floats = tilt / tilt.sum()
    return chances


def draw_by(chances: Floats, shape: tuple[int, ...], random: np.random.Generator) -> Any:
    """Draw queries by their chances."""
    ends = np.cumsum(chances)
    return np.minimum(np.searchsorted(ends, random.random(shape)), len(ends) - 1)


@dataclass(frozen=True)
class SignedDifferences:
    """Differences of a population that have a sign each with one chance, and so any small mean.

    The size of each difference and the share of zeros remain what they are.
    """

    sizes: Floats

    def mean_for(self, effect: float) -> float:
        """Return the mean that is `effect` standard deviations."""
        return effect * sqrt(float((self.sizes**2).mean()) / (1 + effect**2))

    def draw(self, n: int, mean: float, random: np.random.Generator) -> Floats:
        """Draw n differences whose true mean is this."""
        wanted = mean / float(self.sizes.mean())
        if abs(wanted) > 1:
            raise ValueError(f"no signs give these differences a mean of {mean:g}")
        found = self.sizes[random.integers(0, len(self.sizes), size=n)]
        return np.asarray(found * np.where(random.random(n) < (1 + wanted) / 2, 1.0, -1.0))


class Source(Protocol):
    """What differences and families of systems are drawn from."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, by whose number differences are drawn."""

    @property
    def nulls(self) -> tuple[str, ...]:
        """The kinds of differences without a true mean difference."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of pairs of systems."""

    def null(self, name: str, m: int, shape: tuple[int, int], seed: Sequence[int]) -> Floats:
        """Return differences with a true mean of 0, repetitions x n."""

    def pairs(
        self, kind: str, m: int, shape: tuple[int, int], seed: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """Return two systems' values, each repetitions x n, and the true mean differences."""


@dataclass(frozen=True)
class MadeUp:
    """Samples of the made-up systems."""

    values: Floats
    measures: tuple[str, ...] = MEASURES
    nulls: tuple[str, ...] = ("symmetric", "skewed")
    kinds: tuple[str, ...] = ("symmetric", "skewed")

    def differences(self, kind: str) -> Floats:
        """Return the differences of a kind: measures x queries."""
        values = self.values
        return np.asarray(values[-1] - values[-2] if kind == "skewed" else values[3] - values[0])

    def null(self, name: str, m: int, shape: tuple[int, int], seed: Sequence[int]) -> Floats:
        """Draw with random signs, or so that gains are as rare as it takes."""
        random = np.random.default_rng(list(seed))
        row = self.differences(name)[m]
        if name == "skewed":
            return np.asarray(row[draw_by(balanced(row), shape, random)])
        found = row[random.integers(0, len(row), size=shape)]
        return np.asarray(found * random.choice([-1.0, 1.0], size=shape))

    def pairs(
        self, kind: str, m: int, shape: tuple[int, int], seed: Sequence[int]
    ) -> tuple[Floats, Floats, Floats]:
        """Draw queries of two systems."""
        random = np.random.default_rng(list(seed))
        ours, theirs = (self.values[s, m] for s in ((-1, -2) if kind == "skewed" else (3, 0)))
        at = random.integers(0, len(ours), size=shape)
        truth = float((ours - theirs).mean())
        return ours[at], theirs[at], np.full(shape[0], truth)


def facts_table(source: MadeUp) -> str:
    """Describe the made-up differences."""
    lines = [
        "| differences | measure | mean | standard deviation | zeros | skewness |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for name in source.kinds:
        for measure, row in zip(source.measures, source.differences(name), strict=True):
            weight = balanced(row) if name == "skewed" else np.full(len(row), 1 / len(row))
            mean = float(weight @ row)
            spread = sqrt(weight @ (row - mean) ** 2)
            skew = weight @ (row - mean) ** 3 / spread**3
            lines.append(
                f"| {name} | {measure} | {0.0 if abs(mean) < 1e-9 else mean:.3f} | {spread:.3f} | "
                f"{weight @ (row == 0):.2f} | {skew:+.2f} |"
            )
    return "\n".join(lines)


# Scores without an evaluation


def query_names(n: int) -> list[str]:
    """Return the names of n queries, in the order of values, which is that of the names."""
    return [f"q{i:05}" for i in range(n)]


@lru_cache(maxsize=64)
def _template(n: int, systems: int, measures: tuple[str, ...]) -> Scores:
    queries = {query: {"a": 1} for query in query_names(n)}
    runs = {f"s{k}": {query: {"a": 1.0} for query in queries} for k in range(systems)}
    return evaluate(queries, runs, measures)


def scores_of(values: Floats, measures: Sequence[str] = MEASURES) -> Scores:
    """Return scores with these values: systems x measures x queries."""
    template = _template(values.shape[2], len(values), tuple(measures))
    return replace(template, values=np.ascontiguousarray(values))


def covers(low: float, high: float, truth: float) -> bool:
    """Return whether an interval holds the truth, but for rounding."""
    return low - 1e-12 <= truth <= high + 1e-12


def drawn_options(test: str) -> dict[str, Any]:
    """Return the options by which a test draws less than users' 100,000 times."""
    return {"draws": DRAWS} if test in ("randomisation", "randomised-tukey", "bootstrap") else {}


@contextmanager
def fewer_draws(draws: int = DRAWS // 2) -> Iterator[None]:
    """Let functions that have no option for it draw less often, which changes no level.

    `slice_by` and `gate` always draw as often as users need it.
    """
    fewer = {**TESTS, "randomisation": partial(TESTS["randomisation"], draws=draws)}
    shuffles = partial(interaction_test, draws=draws)
    with patch.dict(TESTS, fewer), patch.object(slices, "interaction_test", shuffles):
        yield
