"""Significance tests for paired differences.

Each test takes differences (comparisons x units) and gives a p-value for each comparison;
`TESTS` lists them by name. They answer: could differences as large as these be chance? Tests of
all pairs at once and corrections for several tests are in `multiple_comparisons`.
Sequential tests are at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from math import exp, log, sqrt
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.extras import scipy_special, scipy_stats
from cleverdon.errors import OptionError, check_count, check_seed, check_word, suggest
from cleverdon.stats.effect_sizes import DECIMALS
from cleverdon.stats.resampling import BLOCK, draw_counts, resample


@dataclass(frozen=True)
class PValue:
    """The probability of a result at least as extreme as the observed one by chance alone.

    >>> str(PValue(0.03125, exact=True, draws=64)), str(PValue(1 / 1001, exact=False, draws=1000))
    ('0.0312', '< 1e-03')
    """

    p: float
    exact: bool
    """True if it is the test's own p-value; one from random draws or a normal curve is near it."""
    draws: int
    """The number of draws, or of assignments of signs, counted; 0 where a formula gave it."""

    def __str__(self) -> str:
        if self.draws and not self.exact and self.p <= 1 / (1 + self.draws):
            least = 1 / self.draws
            above = f"{least:.0e}"  # which may be rounded down, and must not be
            return f"< {above if float(above) >= self.p else f'{least * 1.05:.1e}'}"
        return f"{self.p:.4f}" if self.p >= 1e-4 or self.p == 0 else f"{self.p:.0e}"


def p_values_by_formula(values: Iterable[float], *, exact: bool = True) -> list[PValue]:
    """Return p-values that a formula gave."""
    return [PValue(float(p), exact=exact, draws=0) for p in values]


def p_values_by_counting(extreme: Iterable[int], draws: int) -> list[PValue]:
    """Return p-values of random draws; the observed result counts as one more, so none is 0."""
    return [PValue((1 + int(count)) / (1 + draws), exact=False, draws=draws) for count in extreme]


def check_sample_size(purpose: str, values: Floats) -> int:
    """Return the number of units, of which a test that looks at their spread needs two."""
    units = int(values.shape[-1])
    if units < 2:
        raise OptionError(
            f"{purpose} needs at least 2 units, such as queries, and there is {units}"
        )
    return units


EXACT_UP_TO = 20  # differences that are not 0 are tried with all their signs
DRAWS = 100_000
TOLERANCE = 1e-9  # sums of the same numbers in another order count as equal
_ROWS = 4096  # so many draws at a time are enough for a matrix product to be fast


def _randomisation_test(
    differences: Floats, *, alternative: str = "two-sided", seed: int = 0, draws: int = DRAWS
) -> list[PValue]:
    """Test whether the mean difference of each comparison is 0, by random signs."""
    # All comparisons share their draws, which makes one matrix product of them.
    check_count("draws", draws)
    towards = -differences if alternative == "less" else differences
    both = alternative == "two-sided"
    many = np.count_nonzero(towards, axis=1) > EXACT_UP_TO
    extreme = _count_extreme(towards[many], both=both, seed=seed, draws=draws)
    drawn = iter(p_values_by_counting(extreme, draws))
    return [
        next(drawn) if is_many else _enumerate_signs(row, both=both)
        for row, is_many in zip(towards, many, strict=True)
    ]


def _enumerate_signs(differences: Floats, *, both: bool) -> PValue:
    """Return p by every way to set the signs, for both sides or for sums that are as high."""
    # The sums of one half of the differences are looked up among the sorted sums of the other, so
    # that 2^10 steps do for 2^20 ways.
    values = differences[differences != 0]  # a sign changes nothing at 0
    ways = 2 ** len(values)
    enough = float(_extreme_from(differences[None], both=both)[0])
    if both and enough <= 0:
        return PValue(1.0, exact=True, draws=ways)
    half = len(values) // 2
    left, right = _sums(values[:half]), np.sort(_sums(values[half:]))
    extreme = ways - int(np.searchsorted(right, enough - left).sum())
    # As many sums are as low as are as high: those with all signs turned.
    return PValue((1 + both) * extreme / ways, exact=True, draws=ways)


def _sums(values: Floats) -> Floats:
    sums: Floats = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _extreme_from(differences: Floats, *, both: bool) -> Floats:
    """Return the sum from which on a sum is as extreme as the observed one."""
    seen = differences.sum(axis=1)
    slack = TOLERANCE * np.abs(differences).sum(axis=1)
    return np.asarray((np.abs(seen) if both else seen) - slack)


def _count_extreme(differences: Floats, *, both: bool, seed: int, draws: int) -> Ints:
    """Return how many draws give each comparison a sum as extreme as the one seen."""
    comparisons, units = differences.shape
    extreme = np.zeros(comparisons, dtype=np.int64)
    if not comparisons:
        return extreme
    # The sum under signs is twice that of the differences that keep theirs, less the sum of all.
    total, enough = differences.sum(axis=1), _extreme_from(differences, both=both)
    high, low = (total + enough) / 2, (total - enough) / 2
    for kept in draw_signs(units, draws=draws, seed=seed, beside=comparisons):
        sums = differences @ kept.T
        for i, row in enumerate(sums):  # a row at a time stays in the processor's cache
            if both:
                extreme[i] += np.count_nonzero((row >= high[i]) | (row <= low[i]))
            else:
                extreme[i] += np.count_nonzero(row >= high[i])
    return extreme


def draw_signs(units: int, *, draws: int, seed: int, beside: int) -> Iterator[Floats]:
    """Draws x units, in blocks: 1 where a difference keeps its sign, 0 where it is turned."""
    random = np.random.default_rng(seed)
    words = -(-units // 64)  # whole words, so that the size of blocks does not change a draw
    size = min(_ROWS, max(1, BLOCK // (units + beside)))
    for start in range(0, draws, size):
        shape = (min(size, draws - start), words)
        bits = random.integers(0, 2**64, size=shape, dtype=np.uint64).astype("<u8", copy=False)
        yield np.unpackbits(bits.view(np.uint8), axis=1, count=units).astype(np.float64)


def every_sign(units: int) -> Iterator[Floats]:
    """Draws x units, in blocks: all ways to keep or turn the signs of a few units."""
    for start in range(0, 2**units, _ROWS):
        numbers = np.arange(start, min(start + _ROWS, 2**units))
        yield (numbers[:, None] >> np.arange(units) & 1).astype(np.float64)


def t_test(differences: Floats, *, alternative: str = "two-sided", seed: int = 0) -> list[PValue]:
    """Test whether the mean difference of each comparison is 0, by Student's t.

    >>> round(t_test(np.array([[0.1, 0.2, 0.3]]))[0].p, 4)
    0.0742
    """
    units = check_sample_size("the t test", differences)
    t = scipy_stats("the t test").t(units - 1)
    statistic = t_statistic(differences)
    if alternative == "two-sided":
        return p_values_by_formula(2 * t.sf(np.abs(statistic)))
    return p_values_by_formula(t.sf(statistic if alternative == "greater" else -statistic))


def t_statistic(differences: Floats) -> Floats:
    """Return the mean of each row over its standard error; infinite where a row has no spread."""
    mean = differences.mean(axis=1)
    # The mean of equal numbers may differ from them in the last digit, which is no spread.
    same = (differences == differences[:, :1]).all(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(differences.shape[1])
    endless = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.asarray(np.divide(mean, error, out=endless, where=~same))


def interaction_test(
    groups: Sequence[Floats], *, seed: int = 0, draws: int = DRAWS // 10
) -> PValue:
    """Test whether the means of several groups of units are equal, by shuffling the units.

    The statistic is Welch's, in which a group with a small standard error counts for more, so that
    groups of different spread are no false alarm: Janssen 1997, doi:10.1016/S0167-7152(97)00043-6.
    Groups of one unit have no spread, and are left out.

    Args:
        groups: The values of each group's units.
        seed: The seed of the draws.
        draws: The number of shuffles.

    Returns:
        The p-value; 1 where fewer than two groups have two units.

    >>> round(interaction_test([np.array([0.1, 0.2, 0.3]), np.array([0.8, 0.7, 0.9])]).p, 1)
    0.1
    """
    check_count("draws", draws)
    check_seed(seed)
    kept = [np.asarray(group, dtype=float) for group in groups if len(group) > 1]
    if len(kept) < 2:
        return PValue(1.0, exact=True, draws=0)
    sizes = np.array([len(group) for group in kept])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    values = np.concatenate(kept)
    # A group in which a shuffle has put equal values has some spread still, that of all units.
    floor = 1e-6 * values.var()
    if floor == 0:
        return PValue(1.0, exact=True, draws=0)

    def statistic(rows: Floats) -> Floats:
        means = np.add.reduceat(rows, starts, axis=1) / sizes
        squares = np.add.reduceat(rows**2, starts, axis=1) / sizes - means**2
        weights = sizes / (np.maximum(squares, floor) * sizes / (sizes - 1))
        centre = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
        return np.asarray((weights * (means - centre) ** 2).sum(axis=1))

    enough = statistic(values[None])[0] * (1 - TOLERANCE)
    random = np.random.default_rng(seed)
    extreme = 0
    size = max(1, min(_ROWS, BLOCK // len(values)))
    for start in range(0, draws, size):
        rows = np.tile(values, (min(size, draws - start), 1))
        extreme += int(np.count_nonzero(statistic(random.permuted(rows, axis=1)) >= enough))
    return p_values_by_counting([extreme], draws)[0]


def sign_test(
    differences: Floats, *, alternative: str = "two-sided", seed: int = 0
) -> list[PValue]:
    """Test whether both systems are ahead equally often."""
    up, down = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    coin = scipy_stats("the sign test").binom(up + down, 0.5)
    if alternative == "two-sided":
        return p_values_by_formula(np.minimum(1.0, 2 * coin.cdf(np.minimum(up, down))))
    return p_values_by_formula(coin.cdf(down if alternative == "greater" else up))


_ZEROS = {
    "wilcox": "units without a difference are left out",
    "pratt": "they are ranked, and their ranks then left out",
    "zsplit": "they are ranked, and half of their ranks count for each side",
}
"""The treatments of units on which both systems are even."""

_TABLE_UP_TO = 50  # units have an exact table, if no differences are tied or 0
_TIES_UP_TO = 13  # units have all signs tried where there are ties or zeros


def _wilcoxon_test(
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    zeros: str = "wilcox",
    continuity: bool = False,
) -> list[PValue]:
    """Test whether the differences are symmetric around 0; normal where no exact p is at hand."""
    check_word("zeros", zeros, _ZEROS)
    stats = scipy_stats("Wilcoxon's test")
    units = differences.shape[1]
    sizes = np.sort(np.abs(differences), axis=1)
    plain = (sizes[:, 0] > 0) & (np.diff(sizes, axis=1) > 0).all(axis=1)

    def by_scipy(rows: Floats, method: str) -> Floats:
        options = {"zero_method": zeros, "correction": continuity, "alternative": alternative}
        p: Floats = stats.wilcoxon(rows, axis=1, method=method, **options).pvalue
        return p

    def by_enumeration(row: Floats) -> PValue:
        towards = -row if alternative == "less" else row
        ranked = towards[towards != 0] if zeros == "wilcox" else towards
        ranks = np.sign(ranked) * stats.rankdata(np.abs(ranked))
        return _enumerate_signs(ranks, both=alternative == "two-sided")

    tabled = plain if units <= _TABLE_UP_TO else np.zeros_like(plain)
    found: dict[int, PValue] = {}
    if tabled.any():
        exact = p_values_by_formula(by_scipy(differences[tabled], "exact"))
        found |= zip(np.flatnonzero(tabled).tolist(), exact, strict=True)
    rest = np.flatnonzero(~tabled).tolist()
    if units <= _TIES_UP_TO:
        found |= {i: by_enumeration(differences[i]) for i in rest}
    elif rest:
        near = p_values_by_formula(by_scipy(differences[rest], "approx"), exact=False)
        found |= zip(rest, near, strict=True)
    return [found[i] for i in range(len(differences))]


_BOOTSTRAP_ROWS = 2048


def _bootstrap_test(
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    draws: int = DRAWS,
    studentised: bool = True,
) -> list[PValue]:
    """Test whether the mean difference is 0, by the bootstrap (not studentised: Smucker's)."""
    check_count("draws", draws)
    units = check_sample_size("the bootstrap test", differences)
    towards = -differences if alternative == "less" else differences
    mean = towards.mean(axis=1)
    null = towards - mean[:, None]
    spread = np.sqrt((null**2).mean(axis=1))
    slack = TOLERANCE * np.abs(towards).max(axis=1, initial=0)
    wanted = ((np.abs(mean) if alternative == "two-sided" else mean) - slack)[:, None]

    def count_extreme(counts: Floats) -> Ints:
        """Comparisons x 1: how many resamples of a block are as extreme as what was seen."""
        found = null @ counts.T / units
        if alternative == "two-sided":
            found = np.abs(found)
        enough = wanted
        if studentised:
            # found / its spread >= wanted / spread, without dividing by what may be 0.
            squares = (null**2) @ counts.T / units
            enough = wanted * np.sqrt(np.maximum(squares - found**2, 0))
            found = found * spread[:, None]
        return np.asarray(np.count_nonzero(found >= enough, axis=1, keepdims=True))

    size = min(_BOOTSTRAP_ROWS, max(1, BLOCK // (units + 2 * len(towards))))
    drawn = resample(count_extreme, draw_counts(units), draws, seed=seed, block=size)
    extreme = drawn.sum(axis=1)
    # Where all differences are the same, so are all draws: 0, once shifted.
    without = np.where(wanted[:, 0] > 0, 0, draws)
    return p_values_by_counting(np.where(spread <= slack, without, extreme), draws)


ALTERNATIVES = {
    "two-sided": "the systems differ",
    "greater": "the system's values are higher than the baseline's",
    "less": "the system's values are lower than the baseline's",
}
"""The hypotheses that a small p-value supports."""

TESTS: dict[str, Callable[..., list[PValue]]] = {
    "randomisation": _randomisation_test,
    "t": t_test,
    "wilcoxon": _wilcoxon_test,
    "sign": sign_test,
    "bootstrap": _bootstrap_test,
}
"""The tests by name: each takes differences (comparisons x units) and returns p-values."""


def p_values(
    test: str, differences: Floats, *, alternative: str = "two-sided", seed: int = 0, **options: Any
) -> list[PValue]:
    """Return the p-value of each comparison.

    Differences that are all 0 have p = 1 by every test and on both sides.

    Args:
        test: One of `TESTS`.
        differences: Comparisons x units.
        alternative: One of `ALTERNATIVES`.
        seed: The seed of random draws.
        options: Options of the test, such as `draws`.

    Returns:
        A p-value for each comparison.

    >>> [p.p for p in p_values("sign", np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]))]
    [0.25, 1.0]
    """
    check_word("test", test, TESTS)
    check_word("alternative", alternative, ALTERNATIVES)
    check_test_options(test, TESTS[test], options)
    check_seed(seed)
    rows = round_differences(check_rows(differences, "differences"))
    found = [PValue(1.0, exact=True, draws=0)] * len(rows)
    some = np.flatnonzero(rows.any(axis=1)).tolist()
    if some:
        tested = TESTS[test](rows[some], alternative=alternative, seed=seed, **options)
        for i, p in zip(some, tested, strict=True):
            found[i] = p
    return found


def check_rows(rows: Floats, what: str) -> Floats:
    if rows.ndim != 2:
        raise OptionError(
            f"{what} have a row each, with one number per unit: not {rows.ndim} dimensions"
        )
    if rows.shape[1] == 0:
        raise OptionError("there are no values to compare")
    if not np.isfinite(rows).all():
        raise OptionError(f"{what} must be finite numbers: there are NaN or infinite ones")
    return rows


def round_differences(differences: Floats) -> Floats:
    """Remove rounding errors of sums."""
    scale = np.maximum(1.0, np.abs(differences).max(axis=1, initial=0, keepdims=True))
    return np.asarray(np.round(differences / scale, DECIMALS) * scale)


def check_test_options(test: str, function: Callable[..., Any], options: dict[str, Any]) -> None:
    fixed = {"differences", "values", "alternative", "seed"}
    known = [name for name in signature(function).parameters if name not in fixed]
    for name in options:
        if name not in known:
            hint = suggest(name, known) if known else ": it has none"
            raise OptionError(f"test={test!r} has no option {name!r}{hint}")


MARGIN_CLAIMS = {
    "equivalence": "the systems differ by less than the margin",
    "non-inferiority": "the system is not worse than the baseline by the margin or more",
}
"""The claims that a small p-value of a margin test supports."""


def margin_test(
    differences: Floats,
    *,
    margin: float,
    claim: str = "equivalence",
    test: str = "t",
    seed: int = 0,
    **options: Any,
) -> list[PValue]:
    """Test whether each comparison's mean difference lies within a margin.

    Equivalence is tested at both ends, one-sided, and the larger p counts (Schuirmann 1987,
    doi:10.1007/BF01068419); non-inferiority at the lower end only.

    Args:
        differences: Comparisons x units; for non-inferiority, higher is better.
        margin: The difference that would matter.
        claim: One of `MARGIN_CLAIMS`.
        test: One of `TESTS`.
        seed: The seed of random draws.
        options: Options of the test.

    Returns:
        A p-value for each comparison.

    >>> rows = np.array([[0.01, -0.02, 0.02, 0.01]])
    >>> [round(margin_test(rows, margin=0.05, claim=claim)[0].p, 4) for claim in MARGIN_CLAIMS]
    [0.0069, 0.0039]
    """
    check_word("claim", claim, MARGIN_CLAIMS)
    if not 0 < margin < np.inf:
        raise OptionError(f"margin={margin}: a margin is above 0")
    above = p_values(test, differences + margin, alternative="greater", seed=seed, **options)
    if claim == "non-inferiority":
        return above
    below = p_values(test, differences - margin, alternative="less", seed=seed, **options)
    return [max(pair, key=lambda p: p.p) for pair in zip(above, below, strict=True)]


def chi_square_homogeneity(counts: Any) -> tuple[float, Any]:
    """Return the p-value of equal shares in all rows, and what each row adds to the statistic."""
    special = scipy_special("seeing whether shares change", extra="logs")
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    odd = ((counts - expected) ** 2 / expected).sum(axis=1)
    degrees = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return (float(special.chdtrc(degrees, odd.sum())) if degrees else 1.0), odd


def split_p_value(counts: Sequence[int], shares: Sequence[float]) -> float:
    """Return the p-value of counts, given the share that is expected of each.

    Of two counts it is exact, by the binomial distribution; of more it is by chi-square.

    >>> round(split_p_value([60, 40], [0.5, 0.5]), 4)
    0.0569
    """
    stats = scipy_stats("a sample-ratio check")
    total, whole = sum(counts), sum(shares)
    if len(counts) == 2:
        return float(stats.binomtest(counts[0], total, shares[0] / whole).pvalue)
    return float(stats.chisquare(counts, [total * share / whole for share in shares]).pvalue)


def welch_test(ours: Floats, theirs: Floats) -> float:
    """Return Welch's p-value of equal means of two samples that are not paired."""
    for values in (ours, theirs):
        check_sample_size("the t test", values)
    if np.ptp(ours) == np.ptp(theirs) == 0:  # where there is no spread, any difference is beyond it
        return float(ours[0] == theirs[0])
    return float(scipy_stats("the t test").ttest_ind(ours, theirs, equal_var=False).pvalue)


def welch_freedom(variances: tuple[float, float], sizes: tuple[int, int]) -> float:
    """Return the degrees of freedom of Welch's t, of two means with these variances.

    >>> round(welch_freedom((0.01, 0.02), (40, 50)), 2)
    83.9
    """
    parts = (part**2 / (size - 1) for part, size in zip(variances, sizes, strict=True))
    return sum(variances) ** 2 / sum(parts)


def welch_tails(
    difference: float, variances: tuple[float, float], sizes: tuple[int, int]
) -> tuple[float, float]:
    """Return both tails of Welch's t for a difference of two means with these variances.

    >>> low, high = welch_tails(0.3, (0.01, 0.02), (40, 50))
    >>> round(low, 3), round(high, 3)
    (0.957, 0.043)
    """
    t = scipy_stats("Welch's t test").t(welch_freedom(variances, sizes))
    statistic = difference / sqrt(sum(variances))
    return float(t.cdf(statistic)), float(t.sf(statistic))


# Sequential tests: p-values and intervals that stay valid however often one looks. The mixture
# sequential probability ratio test weighs the difference that was seen against all differences
# that might be true, by a normal distribution around 0. Johari et al. 2022,
# doi:10.1287/opre.2021.2135; for means of any distribution with many users, Waudby-Smith et al.
# 2024, doi:10.1214/24-AOS2408.


def always_valid_p(difference: float, *, variance: float, spread: float) -> float:
    """Return the p-value of a difference, valid at every look.

    Args:
        difference: The observed difference.
        variance: Its variance, which shrinks as users come in.
        spread: The standard deviation of possible differences, the same at every look.

    Returns:
        The p-value.

    >>> round(always_valid_p(0.3, variance=0.01, spread=0.1), 4)
    0.1491
    >>> always_valid_p(0.0, variance=0.01, spread=0.1)
    1.0
    """
    grown = variance + spread * spread
    evidence = 0.5 * log(variance / grown)
    evidence += spread * spread * difference * difference / (2 * variance * grown)
    return min(1.0, exp(-evidence))


def confidence_sequence(
    difference: float, *, variance: float, spread: float, level: float = 0.05
) -> tuple[float, float]:
    """Return the differences whose always-valid p-value is above the level.

    Args:
        difference: The observed difference.
        variance: Its variance.
        spread: The standard deviation of possible differences.
        level: The level of significance.

    Returns:
        The lower and the upper end.

    >>> low, high = confidence_sequence(0.3, variance=0.01, spread=0.1)
    >>> round(low, 4), round(high, 4)
    (-0.0656, 0.6656)
    """
    half = sqrt(variance) * sequential_boundary(variance, spread=spread, level=level)
    return difference - half, difference + half


def sequential_boundary(variance: float, *, spread: float, level: float) -> float:
    """Return the standard errors from 0 that a difference needs, at a look with this variance."""
    grown = variance + spread * spread
    return sqrt(grown / (spread * spread) * (log(grown / variance) - 2 * log(level)))
