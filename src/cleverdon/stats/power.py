"""Power of paired tests, and the number of units that a difference needs.

By formula it is that of a paired t-test; the noncentral distributions are taken as they are,
where Sakai 2016, doi:10.1007/s10791-015-9273-z, approximates first. By resampling, units are
drawn with replacement from those at hand and put to the test itself, over and over; the
randomisation test then has its p-value from a saddlepoint approximation.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, copysign, inf, lgamma, nan, sqrt
from statistics import NormalDist
from typing import Any, TypedDict, Unpack

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.extras import scipy_stats
from cleverdon.errors import OptionError, check_count, check_within, check_word
from cleverdon.stats.effect_sizes import DECIMALS, standard_deviation
from cleverdon.stats.resampling import BLOCK, resample
from cleverdon.stats.tests import ALTERNATIVES, p_values, sequential_boundary

_LARGEST = 10_000_000  # for more units, the answer is infinite


def t_test_power(
    difference: float,
    deviation: float,
    units: int,
    *,
    level: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """Return the power of a paired t-test, given the standard deviation of the differences."""
    _check_design(level=level)
    towards = _in_direction(difference, alternative)
    if units < 2:
        return 0.0  # no test is possible, and nothing is found
    if deviation == 0:
        return float(towards > 0)
    stats = scipy_stats("power of a t-test")
    shift = towards / deviation * sqrt(units)
    reach = stats.t.isf(level / 2 if alternative == "two-sided" else level, units - 1)
    found = float(stats.nct.sf(reach, units - 1, shift))
    if alternative == "two-sided" and shift < 5:
        # Also what is found on the wrong side, as long as it is not nothing.
        found += float(stats.nct.cdf(-reach, units - 1, shift))
    return found


def sample_size_for_t_test(
    difference: float,
    deviation: float,
    *,
    level: float = 0.05,
    power: float = 0.8,
    alternative: str = "two-sided",
) -> float:
    """Return the fewest units with which a paired t-test finds the difference with that power.

    Args:
        difference: The mean difference to be found.
        deviation: The standard deviation of the differences over units.
        level: The level of significance.
        power: The power to reach.
        alternative: One of `ALTERNATIVES`.

    Returns:
        The number of units; infinite where the difference is 0 or in the wrong direction.

    >>> sample_size_for_t_test(0.05, 0.1)
    34
    """
    _check_design(level=level, power=power, deviation=deviation)
    if not _in_direction(difference, alternative) > 0:
        return inf
    how: dict[str, Any] = {"level": level, "alternative": alternative}
    return _smallest_count(lambda n: t_test_power(difference, deviation, n, **how) >= power)


def sample_size_for_anova(
    difference: float, deviation: float, *, systems: int, level: float = 0.05, power: float = 0.8
) -> float:
    """Return the fewest units with which one-way analysis of variance sees that systems differ.

    `difference` is between the best and the worst system; the others are half way, which is the
    hardest case. `deviation` is that of one system's scores over units.
    """
    _check_design(level=level, power=power, deviation=deviation)
    systems = check_count("systems", systems, least=2)
    if difference == 0:
        return inf
    if deviation == 0:
        return 2
    stats = scipy_stats("analysis of variance")
    effect = (difference / deviation) ** 2 / 2

    def enough(n: int) -> bool:
        between, within = systems - 1.0, systems * (n - 1.0)  # larger than 64 bits, maybe
        reach = stats.f.isf(level, between, within)
        return bool(stats.ncf.sf(reach, between, within, n * effect) >= power)

    return _smallest_count(enough)


def sample_size_for_interval(width: float, deviation: float, *, confidence: float = 0.95) -> float:
    """Return the fewest units with which Student's interval is expected to be so narrow."""
    _check_design(level=1 - confidence, deviation=deviation)
    if width <= 0:
        raise OptionError(f"width={width}: an interval's width is above 0")
    stats = scipy_stats("Student's interval")

    def enough(n: int) -> bool:
        # The standard deviation that a sample shows is on average a little below the true one.
        shown = np.exp(lgamma(n / 2) - lgamma((n - 1) / 2)) / sqrt((n - 1) / 2)
        reach = float(stats.t.isf((1 - confidence) / 2, n - 1))
        return bool(2 * reach * shown * deviation / sqrt(n) <= width)

    return _smallest_count(enough)


def _in_direction(difference: float, alternative: str) -> float:
    """Return how far a difference lies in the direction that a test asks about."""
    check_word("alternative", alternative, ALTERNATIVES)
    return {"two-sided": abs(difference), "greater": difference, "less": -difference}[alternative]


def normal_sample_size(difference: float, deviation: float, **design: Any) -> float:
    """Return about how many units are needed, given level, power and alternative: normal."""
    towards = _in_direction(difference, design.get("alternative", "two-sided"))
    if not towards > 0:
        return inf
    return max(2, ceil((_standard_errors(**design) * deviation / towards) ** 2))


def normal_difference(deviation: float, units: int, **design: Any) -> float:
    """Return about how large a difference is found, given level, power and alternative: normal."""
    return _standard_errors(**design) * deviation / sqrt(units)


def _standard_errors(
    level: float = 0.05, power: float = 0.8, alternative: str = "two-sided"
) -> float:
    """Return how many standard errors away from 0 the truth has to be."""
    _check_design(level=level, power=power)
    normal = NormalDist()
    sides = 2 if alternative == "two-sided" else 1
    return normal.inv_cdf(power) - normal.inv_cdf(level / sides)


def _smallest_count(enough: Callable[[int], bool], *, near: int = 2) -> float:
    """Return the smallest number from 2 on that is enough; `near` is a guess that saves trials."""
    low = high = max(2, near)
    if enough(high):
        low = max(1, high // 2)
        while low > 1 and enough(low):
            low, high = max(1, low // 2), low
    else:
        while not enough(high):
            low, high = high, 2 * high
            if high > _LARGEST:
                return inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check_design(*, level: float, power: float = 0.8, deviation: float = 0.0) -> None:
    check_within("level", level, 0, 1)
    if not level < power < 1:
        raise OptionError(f"power={power}: it lies between the level, {level:g}, and 1")
    if not 0 <= deviation < inf:
        raise OptionError(f"deviation={deviation}: a standard deviation is a number from 0 on")


_ROUNDS = 60
_CLOSE = 1e-9
_LARGEST_PART = 20  # the smallest difference is at most so many steps: P@20 has 1 in 20


def _saddlepoint_p_values(
    rows: Floats, *, alternative: str = "two-sided", step: float = 0.0
) -> Floats:
    """Approximate the p-value of each row of differences; all are multiples of a `step` above 0."""
    scaled = rows / np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
    spacing = 2 * step / np.sqrt(np.sum(rows**2, axis=1))  # a turned sign moves the sum by two
    seen = scaled.sum(axis=1)
    towards = {"two-sided": np.abs(seen), "greater": seen, "less": -seen}[alternative]
    p = np.where(towards > 0, 0.5, 1.0)
    largest = np.abs(scaled).sum(axis=1)
    all_one_way = towards >= largest * (1 - _CLOSE)
    p[all_one_way] = 0.5 ** np.count_nonzero(rows[all_one_way], axis=1)
    # Near 0 the formula divides by 0, and p is no small number anyway.
    usual = (towards > 0.1) & ~all_one_way
    p[usual] = _tail_probability(scaled[usual], towards[usual], spacing[usual])
    return np.minimum(1.0, 2 * p) if alternative == "two-sided" else p


def _common_step(values: Floats) -> float:
    """Return the number that all values are whole multiples of; 0 where there is none."""
    sizes = np.unique(np.abs(values[values != 0]))
    if len(sizes) == 0:
        return 0.0
    for parts in range(1, _LARGEST_PART + 1):
        multiples = sizes / (sizes[0] / parts)
        if np.all(np.abs(multiples - np.round(multiples)) < 1e-6):
            return float(sizes[0] / parts)
    return 0.0


def _tail_probability(rows: Floats, sums: Floats, spacing: Floats) -> Floats:
    """Return how likely random signs give a row at least its sum; rows have length 1."""
    at = sums.copy()  # below the solution, which Newton's method then never passes
    for _ in range(_ROUNDS):
        level = np.tanh(at[:, None] * rows)
        short = sums - np.sum(rows * level, axis=1)
        curve = np.sum(rows**2 * (1 - level**2), axis=1)
        at += short / curve
        if np.all(short <= _CLOSE):
            break
    reach = np.abs(at[:, None] * rows)
    # log cosh x, without its overflow.
    cumulant = np.sum(reach + np.log1p(np.exp(-2 * reach)) - np.log(2), axis=1)
    w = np.sqrt(2 * (at * sums - cumulant))
    paced = np.where(spacing > 0, -np.expm1(-spacing * at) / np.where(spacing > 0, spacing, 1), at)
    normal = NormalDist()
    beyond = np.array([normal.cdf(-one) for one in w])
    density = np.exp(-(w**2) / 2) / sqrt(2 * np.pi)
    return np.asarray(beyond + density * (1 / (paced * np.sqrt(curve)) - 1 / w))


TARGET_POWER = 0.8
"""The power to reach, by convention."""

POWER_METHODS = ("resampling", "t")
"""By drawing units with replacement and testing them, or by the formula of the paired t-test."""

RESAMPLED_TESTS = ("randomisation", "t", "wilcoxon", "sign")
"""The tests that resampling is quick enough for."""

_SIMULATIONS = 1000  # sets of units that are drawn and tested
_ENUMERATED_UP_TO = 12  # differences that are not 0 are tried with all their signs
_UP_TO = 2_000  # with more units the mean is normal, and nothing is drawn


class TestOptions(TypedDict, total=False):
    """The options of a test whose power is asked for: keywords of `power_of_test`."""

    level: float
    alternative: str
    test: str
    method: str
    seed: int


def power_of_test(
    differences: Floats,
    *,
    difference: float | None = None,
    units: int | None = None,
    level: float = 0.05,
    alternative: str = "two-sided",
    test: str = "randomisation",
    method: str = "resampling",
    seed: int = 0,
) -> float:
    """Return the power of a test: the chance that it finds a difference.

    By resampling, it is the share of sets of units, drawn from those given and shifted to the
    difference, on which the test finds it; the randomisation test is by formula where more than 12
    differences are not 0.

    Args:
        differences: The difference of each unit.
        difference: The mean difference that is taken to be true; by default that of `differences`.
        units: How many units; by default that of `differences`.
        level: The level of significance.
        alternative: One of `ALTERNATIVES`.
        test: One of `RESAMPLED_TESTS`.
        method: One of `POWER_METHODS`.
        seed: The seed of random draws.

    Returns:
        The power; NaN of one unit, which shows no variation.

    >>> round(power_of_test(np.array([0.1, 0.2, -0.1, 0.3]), difference=0.2, method="t"), 2)
    0.37
    """
    check_word("method", method, POWER_METHODS)
    check_word("alternative", alternative, ALTERNATIVES)
    if len(differences) < 2:
        return nan
    mean = float(differences.mean())
    wanted = mean if difference is None else difference
    n = len(differences) if units is None else units
    if method == "t":
        return t_test_power(
            wanted, standard_deviation(differences), n, level=level, alternative=alternative
        )
    shifted = np.round(differences + (wanted - mean), DECIMALS)
    step = _common_step(shifted)
    significant = resample(
        lambda drawn: _significant(shifted[drawn], test, level, alternative, step),
        lambda random, size: random.integers(0, len(shifted), size=(size, n)),
        _SIMULATIONS,
        seed=seed,
        block=max(1, BLOCK // n),
    )
    return int(significant.sum()) / _SIMULATIONS


def sample_size_needed(
    differences: Floats,
    *,
    difference: float | None = None,
    target: float = TARGET_POWER,
    **options: Unpack[TestOptions],
) -> float:
    """Return the fewest units with which a difference is found with the target power.

    Args:
        differences: The difference of each unit.
        difference: The mean difference that is taken to be true; by default that of `differences`.
        target: The power to reach.
        options: level, alternative, test, method and seed, as in `power_of_test`.

    Returns:
        The number of units, by resampling right to a few in a hundred. Infinite where the
        difference is 0 or in the wrong direction, NaN of one unit.

    >>> sample_size_needed(np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.2, -0.2, 0.1]))
    41
    """
    if len(differences) < 2:
        return nan
    wanted = float(differences.mean()) if difference is None else difference
    about = _level_and_alternative(options)
    spread = standard_deviation(differences)
    near = normal_sample_size(wanted, spread, power=target, **about)
    if options.get("method") == "t":
        return sample_size_for_t_test(wanted, spread, power=target, **about)
    if near > _UP_TO:
        return near
    return _smallest_count(
        lambda n: power_of_test(differences, difference=wanted, units=n, **options) >= target,
        near=int(near),
    )


def _level_and_alternative(options: TestOptions) -> dict[str, Any]:
    defaults = {"level": 0.05, "alternative": "two-sided"}
    return {name: options.get(name, default) for name, default in defaults.items()}


def smallest_difference(
    differences: Floats, *, target: float = TARGET_POWER, **options: Unpack[TestOptions]
) -> float:
    """Return the smallest difference that these units show with the target power.

    Args:
        differences: The difference of each unit.
        target: The power to reach.
        options: level, alternative, test, method and seed, as in `power_of_test`.

    Returns:
        The difference without its sign, to three digits. NaN where the differences do not vary,
        infinite where the units are too few to show anything at that level.

    >>> round(smallest_difference(np.array([0.1, 0.2, -0.1, 0.3]), method="t"), 2)
    0.36
    """
    spread = standard_deviation(differences)
    if not spread > 0:
        return nan
    about = _level_and_alternative(options)

    def shown(size: float) -> bool:
        wanted = in_asked_direction(size, about["alternative"], float(differences.mean()))
        return power_of_test(differences, difference=wanted, **options) >= target

    low, high = 0.0, normal_difference(spread, len(differences), power=target, **about)
    while not shown(high):
        low, high = high, 2 * high
        if high > 1e6 * spread:
            return inf
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def in_asked_direction(size: float, alternative: str, seen: float) -> float:
    """Return a difference of that size in the tested direction, or else in the observed one."""
    return copysign(size, {"two-sided": seen, "greater": 1.0, "less": -1.0}[alternative])


def _significant(rows: Floats, test: str, level: float, alternative: str, step: float) -> Bools:
    """Return which rows of differences the test finds to be more than chance."""
    by_formula = np.zeros(len(rows), dtype=bool)
    if test == "randomisation":
        by_formula = np.count_nonzero(rows, axis=1) > _ENUMERATED_UP_TO
    p = np.empty(len(rows))
    p[by_formula] = _saddlepoint_p_values(rows[by_formula], alternative=alternative, step=step)
    if not by_formula.all():
        # Sets of few units are often the same: each is tested once.
        each, which = np.unique(np.sort(rows[~by_formula], axis=1), axis=0, return_inverse=True)
        found = p_values(test, each, alternative=alternative)
        p[~by_formula] = np.array([one.p for one in found])[which]
    return np.asarray(p <= level)


_EXACT_SIGN_TEST = 5_000  # with more units, the normal distribution is as good as the binomial


def sign_test_power(
    delta: float, units: int, *, decided: float = 1.0, level: float = 0.05
) -> float:
    """Return the power of the sign test; all but a share `decided` of the units are ties."""
    if not _possible_preference(delta, decided):
        return nan
    counts = np.array([round(units * decided)])
    return float(_sign_test_power_of_counts(counts, 0.5 + delta / decided, level)[0])


def sign_test_units(
    delta: float, *, decided: float = 1.0, level: float = 0.05, target: float = TARGET_POWER
) -> float:
    """Return the units from which on the power of the sign test stays above the target.

    One unit more may lower the power a little, since a p-value can only have certain values.

    Args:
        delta: The share of units for A, with half of the ties, less 1/2.
        decided: The share of units that are no ties.
        level: The level of significance.
        target: The power.

    Returns:
        The number of units; infinite where delta is 0, NaN where it is larger than ties leave room
        for.

    >>> sign_test_units(0.05)
    820
    """
    if not 0 < level < target < 1:
        raise OptionError(f"level={level}, target={target}: it takes 0 < level < target < 1")
    if not _possible_preference(delta, decided):
        return nan
    if delta == 0:
        return inf
    win = 0.5 + delta / decided
    if win == 0.5:
        return inf  # too small to be told from no preference at all
    normal = NormalDist()
    reach = -normal.inv_cdf(level / 2) / 2 + normal.inv_cdf(target) * sqrt(win * (1 - win))
    near = ceil((reach / (win - 0.5)) ** 2)
    if near > _EXACT_SIGN_TEST:
        return ceil(near / decided)
    counts = np.arange(1, 2 * near + 50, dtype=np.int64)
    short = np.flatnonzero(_sign_test_power_of_counts(counts, win, level) < target)
    return ceil((int(short[-1]) + 2 if len(short) else 1) / decided)


def sign_test_smallest_delta(
    units: int, *, decided: float = 1.0, level: float = 0.05, target: float = TARGET_POWER
) -> float:
    """Return the smallest preference that the units show with that power, to 1e-4; else NaN."""

    def shown(delta: float) -> bool:
        return sign_test_power(delta, units, decided=decided, level=level) >= target

    if not decided > 0 or not shown(decided / 2):
        return nan
    low, high = 0.0, decided / 2
    while high - low > 1e-4:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _possible_preference(delta: float, decided: float) -> bool:
    """Return whether a preference is possible, given the share of units that are no ties."""
    return 0 <= delta <= decided / 2 * (1 + 1e-12) and decided > 0


def _sign_test_power_of_counts(counts: Ints, win: float, level: float) -> Floats:
    """Return the sign test's power for each count, if A wins with the chance `win`."""
    binom = scipy_stats("the power of a sign test").binom
    # The most losses that still are significant; -1 where even none would not be.
    most = binom.ppf(level / 2, counts, 0.5)
    most -= binom.cdf(most, counts, 0.5) > level / 2
    win = min(win, 1.0)
    return np.asarray(binom.cdf(most, counts, 1 - win) + binom.cdf(most, counts, win))


def sequential_smallest_difference(
    variance: float, *, spread: float, level: float, power: float
) -> float:
    """Return the smallest true difference that a look with this variance finds."""
    reach = sequential_boundary(variance, spread=spread, level=level) + NormalDist().inv_cdf(power)
    return reach * sqrt(variance)


def sequential_users_needed(
    difference: float, deviation: float, *, spread: float, level: float, power: float
) -> float:
    """Return the number of users after which the difference is found with at least this power.

    `deviation` is the standard error of the difference, times the root of the number of users.
    """
    if not difference or not spread:
        return inf

    def enough(users: int) -> bool:
        variance = deviation * deviation / users
        least = sequential_smallest_difference(variance, spread=spread, level=level, power=power)
        return abs(difference) >= least

    return _smallest_count(enough)
