"""Multiple comparisons: corrections of p-values, analysis of variance, Tukey's tests.

Of twenty comparisons of equal systems, one is expected to be significant at 0.05. A corrected
p-value can be compared with the level as if it were the only one.

Two-way analysis of variance takes each value as the sum of a mean, an effect of the system, one
of the unit, and an error. For retrieval: Tague-Sutcliffe & Blustein 1995; Banks et al. 1999,
doi:10.1023/A:1009984519381. Tukey's test compares each pair with the range of as many equal
systems, so that its p-values need no further correction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.legendre import leggauss

from cleverdon._common.arrays import Floats
from cleverdon._common.extras import scipy_stats
from cleverdon.errors import OptionError, check_count, check_seed, check_word
from cleverdon.stats.resampling import BLOCK
from cleverdon.stats.tests import (
    DRAWS,
    TOLERANCE,
    PValue,
    check_rows,
    check_sample_size,
    check_test_options,
    p_values_by_counting,
    p_values_by_formula,
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


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)


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


def _tukey_test(values: Floats, *, seed: int = 0) -> list[list[PValue]]:
    """Test each pair of systems by the studentised range: systems x systems."""
    residual, systems = two_way_variance(values).residual, len(values)
    means = values.mean(axis=1)
    apart = np.abs(means[:, None] - means)
    if residual.squares == 0:  # where nothing is unexplained, any distance is endless
        distances = np.where(apart > 1e-13 * np.abs(values).max(), np.inf, 0.0)
    else:
        distances = apart / np.sqrt(residual.mean_square / values.shape[1])
    p = _studentised_range_tail(distances.ravel(), systems=systems, freedom=residual.freedom)
    return [p_values_by_formula(row) for row in p.reshape(systems, systems)]


def _randomised_tukey_test(
    values: Floats, *, seed: int = 0, draws: int = DRAWS
) -> list[list[PValue]]:
    """Test each pair of systems by shuffling each unit's values: systems x systems."""
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
    return [p_values_by_counting(row, draws) for row in extreme]


FAMILY_TESTS: dict[str, Callable[..., list[list[PValue]]]] = {
    "tukey": _tukey_test,
    "randomised-tukey": _randomised_tukey_test,
}
"""Tests of all pairs at once: each takes values (systems x units) and gives systems x systems."""


def family_p_values(
    test: str, values: Floats, *, alternative: str = "two-sided", seed: int = 0, **options: Any
) -> list[list[PValue]]:
    """Compute the p-value of every pair of systems, corrected for all pairs.

    Args:
        test: One of `FAMILY_TESTS`.
        values: Systems x units.
        alternative: "two-sided"; these tests have no other.
        seed: The seed of random draws.
        options: Options of the test.

    Returns:
        Systems x systems.

    >>> values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.6]])
    >>> round(family_p_values("tukey", values)[0][1].p, 4)
    0.1296
    """
    check_word("test", test, FAMILY_TESTS)
    if alternative != "two-sided":
        raise OptionError(f"test={test!r} looks at the distance of systems, and is two-sided only")
    check_test_options(test, FAMILY_TESTS[test], options)
    check_seed(seed)
    return FAMILY_TESTS[test](check_rows(values, "values"), seed=seed, **options)
