"""Multiple comparisons: corrections of p-values, max-T, analysis of variance, Tukey, Dunnett.

Of twenty comparisons of equal systems, one is expected to be significant at 0.05. A corrected
p-value can be compared with the level as if it were the only one. Each procedure also says how far
intervals reach that cover all true differences of the family at once, so that an interval and a
verdict come from one procedure.

Max-T (Westfall & Young 1993) draws a sign for each unit, the same for all comparisons, and looks
at the largest t of all: comparisons that depend on each other cost less than by Holm's correction.
The step-down version compares the largest t with the largest of all, the next with the largest of
those that remain, and so on.

Two-way analysis of variance takes each value as the sum of a mean, an effect of the system, one
of the unit, and an error. For retrieval: Tague-Sutcliffe & Blustein 1995; Banks et al. 1999,
doi:10.1023/A:1009984519381. Tukey's test compares each pair with the range of as many equal
systems, so that its p-values need no further correction; Dunnett's (1955,
doi:10.1080/01621459.1955.10501294) does the same for comparisons with one baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import floor, sqrt
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.legendre import leggauss

from cleverdon._common.arrays import Floats
from cleverdon._common.extras import scipy_stats
from cleverdon.errors import OptionError, check_count, check_seed, check_word
from cleverdon.stats.resampling import BLOCK
from cleverdon.stats.tests import (
    ALTERNATIVES,
    DRAWS,
    TOLERANCE,
    PValue,
    check_rows,
    check_sample_size,
    check_test_options,
    draw_signs,
    every_sign,
    p_values_by_counting,
    p_values_by_formula,
    round_differences,
)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct by Holm's method: the chance of even one false alarm stays at the level. Holm 1979.

    Never weaker than Bonferroni's, and as general: the tests may depend on each other.

    Args:
        p_values: One for each test.

    Returns:
        The corrected p-values, in the same order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(_ascending(p_values)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Correct by Bonferroni's method: the chance of even one false alarm stays at the level.

    Args:
        p_values: One for each test.

    Returns:
        The corrected p-values, in the same order.

    >>> bonferroni([0.01, 0.04, 0.5])
    [0.03, 0.12, 1.0]
    """
    return [min(1.0, len(p_values) * p) for p in p_values]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Correct by Benjamini and Hochberg's method: the share of false alarms stays at the level.

    The expected share, that is. It finds more of the true differences than Holm's, and promises
    less. Proven for tests that are independent or lean the same way. Benjamini & Hochberg 1995,
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    Args:
        p_values: One for each test.

    Returns:
        The corrected p-values, in the same order.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    adjusted = [0.0] * len(p_values)
    smallest = 1.0
    for rank, i in reversed(list(enumerate(_ascending(p_values), 1))):
        smallest = min(smallest, len(p_values) * p_values[i] / rank)
        adjusted[i] = smallest
    return adjusted


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": list,
}
"""The corrections for a family of comparisons; the first is the default."""


COMPARISON_CORRECTIONS = ("max-t", *CORRECTIONS)
"""Those of paired comparisons on the same units, of which `max_t` needs the differences."""


FAMILYWISE = ("holm", "bonferroni")
"""Those by which even the lowest of all p-values is multiplied by their number."""


def correct_p_values(correction: str, p_values: Sequence[float]) -> list[float]:
    """Correct p-values for multiple comparisons.

    Args:
        correction: One of `CORRECTIONS`.
        p_values: One for each test.

    Returns:
        The corrected p-values, in the same order.

    Raises:
        OptionError: There is no such correction, or a number is no p-value.

    >>> correct_p_values("bonferroni", [0.01, 0.5])
    [0.02, 1.0]
    """
    check_word("correction", correction, CORRECTIONS)
    wrong = [p for p in p_values if not 0 <= p <= 1]  # unlike `p < 0 or p > 1`, true of NaN
    if wrong:
        raise OptionError(f"{wrong[0]} is not a p-value: these lie between 0 and 1")
    return CORRECTIONS[correction](p_values)


def intervals_adjusted_for(correction: str, corrected: Sequence[float], level: float) -> float:
    """Return the number that the error of each interval of a family is divided by.

    With it, intervals go with corrected p-values. Those by Bonferroni's method also stand beside
    Holm's, which has none of its own that are simple. With Benjamini and Hochberg's correction,
    intervals of what is significant miss the truth as rarely as significant differences are false
    alarms. Benjamini & Yekutieli 2005, doi:10.1198/016214504000001907.

    >>> intervals_adjusted_for("holm", [0.01, 0.2, 0.3], 0.05)
    3
    >>> intervals_adjusted_for("benjamini-hochberg", [0.01, 0.02, 0.3], 0.05)
    1.5
    """
    check_word("correction", correction, CORRECTIONS)
    if correction == "none":
        return 1
    if correction == "benjamini-hochberg":
        return len(corrected) / max(1, sum(p <= level for p in corrected))
    return max(1, len(corrected))


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)


@dataclass(frozen=True)
class MaxT:
    """Comparisons corrected by the largest t of random signs, and how far intervals reach.

    Attributes:
        corrected: The corrected p-value of each comparison.
        alone: The p-value of each comparison by itself, by the same draws.
        largest: The largest statistic of each draw, the largest first: a mean difference in roots
            of mean squares over the root of the number of units, which has the order of t.
        exact: True if all signs were tried.
        units: The number of units.
        seen: The statistic of each comparison.
    """

    corrected: list[float]
    alone: list[PValue]
    largest: Floats
    exact: bool
    units: int
    seen: Floats

    def reach(self, level: float) -> float:
        """Return how many standard errors intervals extend that cover all differences at once.

        An interval of this reach excludes 0 exactly where the first step of the test rejects. Of
        few values, such as those of P@10, the statistic has few values too: between the last that
        is not significant and the first that is, the reach is where a line through their shares of
        draws crosses the level. The last alone would cover too rarely.
        """
        draws = len(self.largest)
        count = floor(level * draws + 1e-9) if self.exact else floor(level * (1 + draws)) - 1
        if count < 0:
            return np.inf
        slack = TOLERANCE * sqrt(self.units)
        last = float(self.largest[min(count, draws - 1)]) + slack
        rising = self.largest[::-1]
        above = int(np.searchsorted(rising, last + slack, "right"))
        if above < draws:
            significant = float(rising[above])  # the first such value, and what was seen below it
            significant = min([significant, *self.seen[self.seen > last + slack].tolist()])
            as_high = draws - int(np.searchsorted(rising, last - 2 * slack, "left"))
            share = (as_high - level * draws) / (as_high - (draws - above))
            last += min(max(share, 0.0), 1.0) * (significant - slack - last)
        room = self.units - last**2
        return last * sqrt((self.units - 1) / room) if room > 0 else np.inf


_EVERY_SIGN_UP_TO = 16  # units have all their signs tried, which is fewer than `DRAWS`


def max_t(
    differences: Floats, *, alternative: str = "two-sided", seed: int = 0, draws: int = DRAWS
) -> MaxT:
    """Correct for all comparisons at once by step-down max-T, with random signs.

    Each unit has one sign for all comparisons, so that comparisons that depend on each other do so
    in the draws. Westfall & Young 1993, Resampling-based multiple testing, algorithm 2.8.

    Args:
        differences: Comparisons x units.
        alternative: "two-sided", "greater" or "less".
        seed: The seed of the draws.
        draws: The number of draws; up to 16 units, all signs are tried instead.

    Returns:
        The corrected p-values, and the reach of intervals.

    >>> rows = np.array([[1.0, 2, 3, 2, 4, 3], [1.0, -1, 2, 0, 3, 1]])
    >>> found = max_t(rows)
    >>> found.corrected, round(found.reach(0.05), 2)
    ([0.03125, 0.25], 4.58)
    """
    check_word("alternative", alternative, ALTERNATIVES)
    check_count("draws", draws)
    check_seed(seed)
    rows = round_differences(check_rows(differences, "differences"))
    if alternative == "less":
        rows = -rows
    both = alternative == "two-sided"
    units = rows.shape[1]
    exact = units <= _EVERY_SIGN_UP_TO
    draws = 2**units if exact else draws
    roots = np.sqrt((rows**2).sum(axis=1))
    scaled = rows / np.where(roots > 0, roots, 1)[:, None]
    seen = np.abs(scaled.sum(axis=1)) if both else scaled.sum(axis=1)
    order = np.argsort(-seen, kind="stable")
    ordered, totals = scaled[order], scaled[order].sum(axis=1)
    enough = seen[order] - TOLERANCE * np.abs(ordered).sum(axis=1)
    extreme, alone = np.zeros((2, len(rows)), dtype=np.int64)
    largest = []
    if exact:
        signs = every_sign(units)
    else:
        signs = draw_signs(units, draws=draws, seed=seed, beside=len(rows))
    for kept in signs:
        # The sum under signs is twice that of what keeps its sign, less the sum of all.
        sums = 2 * (ordered @ kept.T) - totals[:, None]
        if both:
            np.abs(sums, out=sums)
        running = np.full(len(kept), -np.inf)
        for i in range(len(rows) - 1, -1, -1):  # a row at a time stays in the processor's cache
            alone[order[i]] += np.count_nonzero(sums[i] >= enough[i])
            np.maximum(running, sums[i], out=running)
            extreme[i] += np.count_nonzero(running >= enough[i])
        largest.append(running)
    alone[roots == 0] = draws
    if exact:
        p, singly = extreme / draws, [PValue(n / draws, exact=True, draws=draws) for n in alone]
    else:
        p, singly = (1 + extreme) / (1 + draws), p_values_by_counting(alone, draws)
    corrected = np.empty(len(rows))
    corrected[order] = np.maximum.accumulate(p)
    corrected[roots == 0] = 1.0
    falling = np.sort(np.concatenate(largest))[::-1]
    return MaxT(corrected.tolist(), singly, falling, exact, units, seen)


@dataclass(frozen=True)
class Effect:
    """A source of variance: its sum of squares and its degrees of freedom."""

    squares: float  # the sum of squares
    freedom: int

    @property
    def mean_square(self) -> float:
        return self.squares / self.freedom


@dataclass(frozen=True)
class TwoWayVariance:
    """The sums of squares of a table of systems x units."""

    systems: Effect
    units: Effect
    residual: Effect

    def f(self, effect: Effect) -> float:
        """Return the effect's mean square over the error's; NaN where there is neither."""
        if self.residual.squares:
            return effect.mean_square / self.residual.mean_square
        return np.inf if effect.squares else np.nan

    def p(self, effect: Effect) -> float:
        """Return how often chance alone gives such an F; 1 where all values are the same."""
        f = self.f(effect)
        if np.isnan(f):
            return 1.0
        distribution = scipy_stats("analysis of variance").f
        return float(distribution.sf(f, effect.freedom, self.residual.freedom))

    def strength(self, effect: Effect) -> float:
        """Return partial omega squared: around 0.01 is small, 0.06 medium, 0.14 large.

        It falls below 0 where there is less than chance gives.
        """
        error = self.residual.mean_square
        cells = 1 + self.systems.freedom + self.units.freedom + self.residual.freedom
        over = effect.squares - effect.freedom * error
        under = effect.squares + (cells - effect.freedom) * error
        return over / under if under else np.nan


def two_way_variance(values: Floats) -> TwoWayVariance:
    """Return the sums of squares of values that are systems x units."""
    units = check_sample_size("analysis of variance", values)
    systems = len(values)
    if systems < 2:
        raise OptionError(f"analysis of variance needs at least 2 systems, and there is {systems}")
    of_system = values.mean(axis=1) - values.mean()
    of_unit = values.mean(axis=0) - values.mean()
    rest = values - values.mean() - of_system[:, None] - of_unit
    # Squares of nothing but rounding are nothing.
    nothing = values.size * (1e-13 * np.abs(values).max()) ** 2

    def effect(squares: float, freedom: int) -> Effect:
        return Effect(squares if squares > nothing else 0.0, freedom)

    return TwoWayVariance(
        effect(float(units * np.sum(of_system**2)), systems - 1),
        effect(float(systems * np.sum(of_unit**2)), units - 1),
        effect(float(np.sum(rest**2)), (systems - 1) * (units - 1)),
    )


_FARTHEST = 16.0  # normal values are never further apart
_NEVER = 1e-16
_KNOWN_TO = 1e-11


def _studentised_range_tail(distances: Floats, *, systems: int, freedom: int) -> Floats:
    """Return the chance that equal systems are so far apart, in estimated standard errors."""
    # Right to some 1e-11, with a freedom of 1 or 2 to 1e-5; what would be lower is 1e-11.
    within = _range_probability(systems)
    errors, weights = _error_distribution(freedom)
    found = np.empty(len(distances))
    size = max(1, BLOCK // len(errors))
    for start in range(0, len(distances), size):
        block = np.minimum(distances[start : start + size, None] * errors, _FARTHEST)
        found[start : start + size] = (1 - within(block)) @ weights
    found = np.where(np.isinf(distances), 0.0, np.clip(found, _KNOWN_TO, 1))
    return np.where(distances > 0, found, 1.0)


@lru_cache(maxsize=32)
def _range_probability(systems: int) -> Chebyshev:
    """Return the chance that all systems are within a distance, where the error is 1."""
    normal = scipy_stats("Tukey's test").norm
    nodes, weights = leggauss(128)
    lowest, likely = 9 * nodes, 9 * weights * normal.pdf(9 * nodes)

    def chance(distances: Floats) -> Floats:
        # Any system is the lowest, and all others lie between it and the distance from it.
        others = normal.cdf(lowest + distances[:, None]) - normal.cdf(lowest)
        return np.asarray(systems * (others ** (systems - 1) @ likely))

    return Chebyshev.interpolate(chance, 200, domain=(0, _FARTHEST))


@lru_cache(maxsize=32)
def _error_distribution(freedom: int) -> tuple[Floats, Floats]:
    """Return possible estimates of the error, and how likely each is."""
    chi2 = scipy_stats("Tukey's test").chi2(freedom)
    least, most = np.sqrt(np.array([chi2.ppf(_NEVER), chi2.isf(_NEVER)]) / freedom)
    nodes, weights = leggauss(200)
    errors = (most + least) / 2 + (most - least) / 2 * nodes
    # In logarithms and up to a factor, since powers of it are beyond floats.
    density = (freedom - 1) * np.log(errors) - freedom * errors**2 / 2
    weights = weights * np.exp(density - density.max())
    return errors, weights / weights.sum()


def _dunnett_tail(distances: Floats, *, systems: int, freedom: int) -> Floats:
    """Return the chance that one of the others is so far from the baseline, in standard errors."""
    errors, weights = _error_distribution(freedom)
    within = _baseline_probability(systems)
    found = 1 - within(np.minimum(distances[:, None] * errors, _FARTHEST)) @ weights
    return np.where(distances > 0, np.clip(found, _KNOWN_TO, 1), 1.0)


@lru_cache(maxsize=32)
def _baseline_probability(systems: int) -> Chebyshev:
    """Return the chance that all others are near the baseline, where the error is 1."""
    normal = scipy_stats("Dunnett's test").norm
    nodes, weights = leggauss(128)
    baseline, likely = 9 * nodes, 9 * weights * normal.pdf(9 * nodes)

    def chance(distances: Floats) -> Floats:
        apart = np.sqrt(2) * distances[:, None]
        others = normal.cdf(baseline + apart) - normal.cdf(baseline - apart)
        return np.asarray(others ** (systems - 1) @ likely)

    return Chebyshev.interpolate(chance, 200, domain=(0, _FARTHEST))


@dataclass(frozen=True)
class FamilyTest:
    """A test of many pairs of systems at once.

    Attributes:
        p: The p-value of each pair, systems x systems.
        reach: A function of the level: how far intervals reach that cover all differences at once.
    """

    p: list[list[PValue]]
    reach: Callable[[float], float]


@lru_cache(maxsize=256)  # each measure of a family asks for the same one
def _distance_beyond(
    tail: Callable[..., Floats], level: float, systems: int, freedom: int
) -> float:
    """Return the distance in standard errors beyond which chance leads in this share of cases."""

    def beyond(distance: float) -> float:
        return float(tail(np.array([distance]), systems=systems, freedom=freedom)[0])

    low, high = 0.0, 1.0
    while beyond(high) > level and high < 1e6:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > level else (low, middle)
    return high


def _by_pooled_error(values: Floats, tail: Callable[..., Floats], *, errors: float) -> FamilyTest:
    """Test by distances in standard errors, from the error of a two-way analysis of variance."""
    residual, systems = two_way_variance(values).residual, len(values)
    means = values.mean(axis=1)
    apart = np.abs(means[:, None] - means)
    error = sqrt(errors * residual.mean_square / values.shape[1])
    if residual.squares == 0:  # where nothing is unexplained, any distance is endless
        distances = np.where(apart > 1e-13 * np.abs(values).max(), np.inf, 0.0)
    else:
        distances = apart / error

    def beyond(distance: Floats) -> Floats:
        return tail(distance, systems=systems, freedom=residual.freedom)

    p = np.where(np.isinf(distances), 0.0, beyond(distances.ravel()).reshape(distances.shape))

    def reach(level: float) -> float:
        if not error:
            return np.nan
        return _distance_beyond(tail, level, systems, residual.freedom) * error

    return FamilyTest([p_values_by_formula(row) for row in p], reach)


def _tukey_test(values: Floats, *, seed: int = 0) -> FamilyTest:
    """Test each pair of systems by the studentised range."""
    return _by_pooled_error(values, _studentised_range_tail, errors=1)


def _dunnett_test(values: Floats, *, seed: int = 0) -> FamilyTest:
    """Test each system against one baseline; of the pairs, only those with it count."""
    return _by_pooled_error(values, _dunnett_tail, errors=2)


def _randomised_tukey_test(values: Floats, *, seed: int = 0, draws: int = DRAWS) -> FamilyTest:
    """Test each pair of systems by shuffling each unit's values."""
    check_count("draws", draws)
    systems, units = values.shape
    by_unit = (values - values.mean(axis=0)).T  # a unit's mean takes no part in any distance
    ranges = np.empty(draws)
    random = np.random.default_rng(seed)
    size = max(1, BLOCK // by_unit.size)
    for start in range(0, draws, size):
        shape = (min(size, draws - start), units, systems)
        shuffled = np.empty(shape)
        shuffled[:] = by_unit
        random.permuted(shuffled, axis=2, out=shuffled)
        ranges[start : start + shape[0]] = np.ptp(shuffled.sum(axis=1), axis=1)
    ranges.sort()
    sums = by_unit.sum(axis=0)
    slack = TOLERANCE * np.abs(by_unit).sum(axis=0).max()
    extreme = draws - np.searchsorted(ranges, np.abs(sums[:, None] - sums) - slack)

    def reach(level: float) -> float:
        count = floor(level * (1 + draws)) - 1
        return float(ranges[draws - 1 - count] + slack) / units if count >= 0 else np.inf

    return FamilyTest([p_values_by_counting(row, draws) for row in extreme], reach)


FAMILY_TESTS: dict[str, Callable[..., FamilyTest]] = {
    "tukey": _tukey_test,
    "randomised-tukey": _randomised_tukey_test,
    "dunnett": _dunnett_test,
}
"""Tests of many pairs at once, which take values: systems x units."""


def family_test(
    test: str, values: Floats, *, alternative: str = "two-sided", seed: int = 0, **options: Any
) -> FamilyTest:
    """Test every pair of systems, corrected for all pairs; Dunnett's for those with a baseline.

    Args:
        test: One of `FAMILY_TESTS`.
        values: Systems x units.
        alternative: "two-sided"; these tests have no other.
        seed: The seed of random draws.
        options: Options of the test.

    Returns:
        The p-values, systems x systems, and the reach of intervals.

    >>> values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.6]])
    >>> found = family_test("tukey", values)
    >>> round(found.p[0][1].p, 4), round(found.reach(0.05), 4)
    (0.1296, 0.2868)
    """
    check_word("test", test, FAMILY_TESTS)
    if alternative != "two-sided":
        raise OptionError(f"test={test!r} looks at the distance of systems, and is two-sided only")
    check_test_options(test, FAMILY_TESTS[test], options)
    check_seed(seed)
    return FAMILY_TESTS[test](check_rows(values, "values"), seed=seed, **options)
