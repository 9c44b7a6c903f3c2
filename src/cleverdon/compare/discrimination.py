"""How well measures tell systems apart: discriminative power, swap rates, split-half stability.

None of the three says that a measure measures the right thing. A measure that gives every system
its own constant would do best in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import inf, nan

import numpy as np

from cleverdon.aggregate import average
from cleverdon.arrays import Floats, Ints
from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.tests import DECIMALS, FAMILY_TESTS, TESTS, family_p_values, p_values
from cleverdon.correlate import kendall
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

Measures = str | Measure | Iterable[str | Measure] | None


@dataclass(frozen=True)
class Discrimination:
    """How many pairs of systems a measure tells apart."""

    measure: Measure
    pairs: int
    significant: int
    level: float

    @property
    def share(self) -> float:
        """The measure's discriminative power."""
        return self.significant / self.pairs


def discriminative_power(
    scores: Scores,
    *,
    measures: Measures = None,
    test: str = "randomisation",
    level: float = 0.05,
    correction: str = "none",
    seed: int = 0,
) -> list[Discrimination]:
    """The share of all pairs of systems that a test tells apart, measure by measure.

    Sakai 2006, doi:10.1145/1148170.1148261. Each pair is tested at the level by itself, as there;
    a correction is one over all pairs of a measure, and Tukey's tests have theirs built in.
    """
    check_word("test", test, [*TESTS, *FAMILY_TESTS])
    check_word("correction", correction, CORRECTIONS)
    if test in FAMILY_TESTS and correction != "none":
        raise OptionError(f"test={test!r} corrects for all pairs itself, and takes no correction")
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    found = []
    for sample in _several(scores, measures):
        first, second = _pairs(sample)
        values = sample.summable
        if test in FAMILY_TESTS:
            of = family_p_values(test, values, seed=seed)
            p = [of[i][j] for i, j in zip(first, second, strict=True)]
        else:
            p = p_values(test, values[first] - values[second], seed=seed)
        adjusted = np.array(corrected(correction, [one.p for one in p]))
        significant = int((adjusted <= level).sum())
        found.append(Discrimination(sample.measure, len(p), significant, level))
    return found


@dataclass(frozen=True, eq=False)
class SwapRates:
    """How often another set of topics puts two systems in the opposite order."""

    measure: Measure
    topics: int  # in each set
    trials: int
    edges: Floats  # from which difference on each bin is
    compared: Ints  # per bin: pairs of systems, over all trials
    swapped: Ints

    @property
    def rates(self) -> Floats:
        """Per bin the share of pairs that swapped; NaN where there was no pair."""
        found: Floats = np.divide(
            self.swapped,
            self.compared,
            out=np.full(len(self.compared), nan),
            where=self.compared > 0,
        )
        return found

    @property
    def rate(self) -> float:
        """The share of all pairs that swapped, whatever their difference."""
        return float(self.swapped.sum() / self.compared.sum())

    def trusted_from(self, rate: float = 0.05) -> float:
        """The difference from which on no bin has a swap rate above `rate`; NaN where none has."""
        filled = np.flatnonzero(self.compared > 0)
        above = filled[self.rates[filled] > rate]
        last = above[-1] if len(above) else -1
        later = filled[filled > last]
        return float(self.edges[later[0]]) if len(later) else nan


def swap_rates(
    scores: Scores,
    *,
    measures: Measures = None,
    topics: int | None = None,
    trials: int = 50,
    width: float = 0.01,
    bins: int = 21,
    seed: int = 0,
) -> list[SwapRates]:
    """How often systems swap between two sets of topics, by how far apart they were in the first.

    Voorhees & Buckley 2002, doi:10.1145/564376.564432. In every trial two sets without a topic in
    common are drawn, of half of the topics each unless `topics` says fewer. Pairs of systems are
    put into bins by the size of the difference in the first set, `width` each, the last of them
    open; a pair has swapped where the difference in the second set is on the other side of 0. No
    difference in either is no swap.
    """
    if trials < 1 or bins < 1 or not 0 < width < inf:
        raise OptionError(f"trials={trials}, bins={bins}, width={width}: all are above 0")
    of = _several(scores, measures)
    n = len(of[0].topics)
    size = n // 2 if topics is None else topics
    if not 1 <= size <= n // 2:
        raise OptionError(f"topics={size}: there are {n}, and two sets of them have none in common")
    compared, swapped = np.zeros((2, len(of), bins), dtype=np.int64)
    first, second = _pairs(of[0])
    random = np.random.default_rng(seed)
    for _ in range(trials):
        drawn = random.permutation(n)
        for m, sample in enumerate(of):
            before, after = (
                _averages(sample, drawn[part]) for part in (slice(0, size), slice(size, 2 * size))
            )
            here, there = before[first] - before[second], after[first] - after[second]
            # A difference that is 0.03 but for rounding is in the bin that starts there.
            place = np.minimum(np.floor(np.abs(here) / width + 1e-9), bins - 1).astype(np.int64)
            compared[m] += np.bincount(place, minlength=bins)
            swapped[m] += np.bincount(place[here * there < 0], minlength=bins)
    edges = np.arange(bins, dtype=np.float64) * width
    return [
        SwapRates(sample.measure, size, trials, edges, compared[m], swapped[m])
        for m, sample in enumerate(of)
    ]


@dataclass(frozen=True)
class Stability:
    """How alike two halves of the topics order the systems."""

    measure: Measure
    topics: int  # in each half
    trials: int
    tau: float  # Kendall's tau-b, averaged over trials
    low: float  # that 5% of trials are below
    high: float  # that 5% are above


def split_half(
    scores: Scores, *, measures: Measures = None, trials: int = 100, seed: int = 0
) -> list[Stability]:
    """Kendall's tau between the orders of systems by two random halves of the topics.

    Trials in which a half has all systems even are left out; NaN where that is all of them.
    """
    if trials < 1:
        raise OptionError(f"trials={trials}: there is at least one")
    of = _several(scores, measures)
    n = len(of[0].topics)
    if n < 2:
        raise OptionError("there is only one topic, and no half of it")
    random = np.random.default_rng(seed)
    drawn = [random.permutation(n) for _ in range(trials)]
    found = []
    for sample in of:
        taus = np.array([_agreement(sample, order) for order in drawn])
        taus = taus[~np.isnan(taus)]
        low, high = np.quantile(taus, [0.05, 0.95]) if len(taus) else (nan, nan)
        mean = float(taus.mean()) if len(taus) else nan
        found.append(Stability(sample.measure, n // 2, trials, mean, float(low), float(high)))
    return found


def _agreement(sample: Sample, order: Ints) -> float:
    """Tau between the systems' averages over the first and the second half of the topics."""
    half = len(order) // 2
    first, second = (
        dict(zip(sample.systems, _averages(sample, part).tolist(), strict=True))
        for part in (order[:half], order[half : 2 * half])
    )
    return kendall(first, second)


def _several(scores: Scores, measures: Measures) -> list[Sample]:
    of = samples(scores, measures=measures)
    if len(of[0].systems) < 2:
        raise OptionError(f"there is only one system, {of[0].systems[0]!r}, and no pair of them")
    return of


def _pairs(sample: Sample) -> tuple[Ints, Ints]:
    """The numbers of both systems of every pair."""
    pairs = np.array(list(combinations(range(len(sample.systems)), 2)))
    return pairs[:, 0], pairs[:, 1]


def _averages(sample: Sample, topics: Ints) -> Floats:
    """Every system's average over some topics.

    Rounded: the same values in another order add up to another last digit, which is no difference.
    """
    return np.round([average(sample.measure, row) for row in sample.values[:, topics]], DECIMALS)
