"""The paired tests against scipy, and under the null."""

from __future__ import annotations

import sys
from itertools import product
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from cleverdon._common.arrays import Floats
from cleverdon.errors import MissingExtra, OptionError
from cleverdon.stats import tests as module
from cleverdon.stats.multiple_comparisons import FAMILY_TESTS, family_test
from cleverdon.stats.power import sequential_smallest_difference, sequential_users_needed
from cleverdon.stats.tests import (
    ALTERNATIVES,
    TESTS,
    PValue,
    _randomisation_test,
    always_valid_p,
    confidence_sequence,
    p_values,
)
from tests.stats.null import assert_level

SIDES = list(ALTERNATIVES)


def drawn(seed: int, comparisons: int, units: int, decimals: int = 15) -> Floats:
    random = np.random.default_rng(seed)
    return random.normal(0.2, 1, size=(comparisons, units)).round(decimals)


def found(test: str, differences: Floats, **options: object) -> list[float]:
    return [p.p for p in p_values(test, differences, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("units", [2, 7, 50])
def test_t_is_scipys(units: int, alternative: str) -> None:
    ours = np.random.default_rng(units).normal(size=(20, units))
    theirs = np.random.default_rng(1).normal(size=(20, units))
    expected = stats.ttest_rel(ours, theirs, axis=1, alternative=alternative).pvalue
    assert found("t", ours - theirs, alternative=alternative) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("units", "decimals"), [(8, 15), (8, 1), (7, 0), (30, 15), (30, 1), (60, 1)]
)
def test_wilcoxon_is_scipys_row_by_row(
    units: int, decimals: int, alternative: str, zeros: str
) -> None:
    # scipy is slow where it tries all signs.
    differences = drawn(units, 2 if units < 9 else 12, units, decimals)
    expected = [
        stats.wilcoxon(row, alternative=alternative, zero_method=zeros).pvalue
        for row in differences.round(12)
    ]
    result = found("wilcoxon", differences, alternative=alternative, zeros=zeros)
    assert result == pytest.approx(expected, rel=1e-9)


def test_wilcoxon_takes_scipys_continuity_correction() -> None:
    differences = drawn(4, 5, 60, 1)
    expected = stats.wilcoxon(differences, axis=1, correction=True).pvalue
    assert found("wilcoxon", differences, continuity=True) == pytest.approx(expected)


def test_differences_that_differ_by_rounding_alone_are_ties() -> None:
    clean = np.array([[3, 2, -1, 1, 1, -1, 2, 4, 1, -2]]) / 10
    noisy = np.array(
        [[0.4 - 0.1, 0.3 - 0.1, 0.1 - 0.2, 0.3 - 0.2, 0.8 - 0.7, 0.6 - 0.7, 0.9 - 0.7]]
    )
    noisy = np.concatenate([noisy, [[0.7 - 0.3, 1 - 0.9, 0.5 - 0.7]]], axis=1)
    assert len(np.unique(np.abs(noisy))) > len(np.unique(np.abs(clean)))
    for test in TESTS:
        assert found(test, noisy) == pytest.approx(found(test, clean))
    assert found("sign", np.array([[1e-17, 1e-17, -1e-17, 0.1]])) == [1]


@settings(max_examples=40, deadline=None)
@given(arrays(np.int8, (4, 23), elements=st.integers(-3, 3)), st.sampled_from(SIDES))
def test_sign_is_scipys_binomial_test(differences: Floats, alternative: str) -> None:
    expected = [
        stats.binomtest(up, up + down, 0.5, alternative=alternative).pvalue if up + down else 1
        for up, down in (((row > 0).sum(), (row < 0).sum()) for row in differences)
    ]
    assert found("sign", differences / 10, alternative=alternative) == pytest.approx(expected)


@pytest.mark.parametrize("studentised", [True, False])
@pytest.mark.parametrize("alternative", SIDES)
def test_bootstrap_is_near_all_possible_resamples(alternative: str, studentised: bool) -> None:
    row = np.array([0.5, -0.2, 0.31, 0.17, 0.4])
    places = np.array(list(product(range(5), repeat=5)))  # each of them as likely
    null = (row - row.mean())[places]
    means, seen = null.mean(axis=1), row.mean()
    if studentised:
        with np.errstate(divide="ignore"):
            means = means / null.std(axis=1)
        seen = seen / row.std()
    look = {"two-sided": np.abs, "greater": lambda x: x, "less": lambda x: -x}[alternative]
    expected = float(np.mean(look(means) >= look(seen) - 1e-12))
    result = found("bootstrap", row[None], alternative=alternative, studentised=studentised)
    assert result == pytest.approx([expected], abs=4 * (0.25 / 100_000) ** 0.5)


def test_bootstrap_is_the_same_on_every_call_alone_or_with_others() -> None:
    differences = drawn(6, 5, 40)
    together = found("bootstrap", differences, draws=3000)
    assert together == found("bootstrap", differences, draws=3000)
    assert together == [found("bootstrap", row[None], draws=3000)[0] for row in differences]


@pytest.mark.parametrize("test", TESTS)
def test_turning_the_differences_turns_the_sides(test: str) -> None:
    differences = drawn(9, 4, 25, 1)
    up = found(test, differences, alternative="greater")
    assert up == pytest.approx(found(test, -differences, alternative="less"))
    both = found(test, differences)
    assert both == pytest.approx(found(test, -differences), abs=0.01)
    down = found(test, differences, alternative="less")
    if test != "bootstrap":  # its draws are not symmetric
        assert both == pytest.approx(np.minimum(1, 2 * np.minimum(up, down)), abs=0.01)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", TESTS)
def test_no_difference_speaks_for_nothing(test: str, alternative: str) -> None:
    differences = np.zeros((3, 12))
    differences[1] = np.arange(12) - 3.0
    result = found(test, differences, alternative=alternative)
    assert (result[0], result[2]) == (1, 1)
    assert result[1] == found(test, differences[1:2], alternative=alternative)[0]


@pytest.mark.parametrize("test", TESTS)
def test_the_same_difference_everywhere_is_as_sure_as_can_be(test: str) -> None:
    same = np.full((1, 30), 0.1)
    assert found(test, same, alternative="less") == pytest.approx([1], abs=1e-6)
    assert found(test, same)[0] <= 1.1e-5


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_one_unit_has_no_spread(test: str) -> None:
    with pytest.raises(OptionError, match="at least 2 units, such as queries, and there is 1"):
        found(test, np.array([[0.3]]))


@pytest.mark.parametrize("test", ["randomisation", "wilcoxon", "sign"])
def test_one_unit_shows_nothing(test: str) -> None:
    assert found(test, np.array([[0.3]])) == [1]


def test_what_is_no_number_is_refused() -> None:
    for wrong in (np.nan, np.inf):
        with pytest.raises(OptionError, match="finite"):
            p_values("t", np.array([[0.1, wrong]]))
    with pytest.raises(OptionError, match="no values"):
        p_values("t", np.zeros((2, 0)))
    with pytest.raises(OptionError, match="dimensions"):
        p_values("t", np.zeros(3))


def test_words_are_checked() -> None:
    one = np.array([[0.1, 0.2]])
    with pytest.raises(OptionError, match="did you mean 'wilcoxon'"):
        p_values("wilcoxson", one)
    with pytest.raises(OptionError, match="alternative='more'"):
        p_values("t", one, alternative="more")
    with pytest.raises(OptionError, match="no option 'draw'; did you mean 'draws'"):
        p_values("randomisation", one, draw=5)
    with pytest.raises(OptionError, match="no option 'draws': it has none"):
        p_values("t", one, draws=5)
    with pytest.raises(OptionError, match="zeros='drop'"):
        p_values("wilcoxon", one, zeros="drop")


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    one = np.array([[0.1, 0.2]])
    for test in ("t", "wilcoxon", "sign"):
        with pytest.raises(MissingExtra, match=r"cleverdon\[stats\]"):
            p_values(test, one)
    for test in ("randomisation", "bootstrap"):
        p_values(test, one, draws=10)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", TESTS)
def test_under_the_null_p_is_small_as_often_as_it_says(test: str, alternative: str) -> None:
    # Alike on average, but not on any query.
    differences = np.random.default_rng(21).normal(size=(3000, 25))
    options = {"draws": 999} if test in ("randomisation", "bootstrap") else {}
    result = found(test, differences, alternative=alternative, **options)
    assert_level(result, never_below=test != "sign")  # its values are few and far apart


@pytest.mark.parametrize("test", TESTS)
def test_under_the_null_of_discrete_values_p_is_not_small_too_often(test: str) -> None:
    # As of P@10: most queries even, the others by steps.
    random = np.random.default_rng(22)
    differences = random.choice((-0.2, -0.1, 0, 0, 0, 0.1, 0.2), size=(3000, 30))
    options = {"draws": 999} if test in ("randomisation", "bootstrap") else {}
    assert_level(found(test, differences, **options), never_below=False)


def test_the_bootstrap_without_spread_is_too_sure_with_few_units() -> None:
    differences = np.random.default_rng(23).normal(size=(3000, 12))
    assert_level(found("bootstrap", differences, draws=999), never_below=True)
    plain = np.array(found("bootstrap", differences, draws=999, studentised=False))
    assert np.mean(plain <= 0.05) > 0.065


def test_what_no_draw_reached_is_never_rounded_down() -> None:
    for draws in (70, 1000, 3000, 100_000, 123_456):
        p = PValue(1 / (1 + draws), exact=False, draws=draws)
        assert p.p <= float(str(p).removeprefix("< ")) < 1.2 * p.p


def test_a_seed_is_no_negative_number() -> None:
    rows = drawn(0, 2, 30)
    for test in TESTS:
        with pytest.raises(OptionError, match="seed=-1"):
            p_values(test, rows, seed=-1)
    for test in FAMILY_TESTS:
        with pytest.raises(OptionError, match="seed=-1"):
            family_test(test, rows, seed=-1)


def one(differences: Floats, alternative: str = "two-sided", **options: int) -> PValue:
    return _randomisation_test(differences[None], alternative=alternative, **options)[0]


def enumerated(differences: Floats, alternative: str) -> float:
    """p by trying every assignment of signs, one by one."""
    look = {"two-sided": abs, "greater": lambda x: x, "less": lambda x: -x}[alternative]
    seen = look(float(differences.sum()))
    sums = [look(float(np.dot(s, differences))) for s in product((1, -1), repeat=len(differences))]
    return sum(x >= seen - 1e-12 for x in sums) / len(sums)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("seed", range(15))
def test_exact_for_few_queries(seed: int, alternative: str) -> None:
    random = np.random.default_rng(seed)
    # To one decimal, so that many sums are the same but for rounding.
    differences = random.normal(0.3, 1, size=int(random.integers(1, 11))).round(1)
    result = one(differences, alternative)
    assert result.exact
    assert result.p == pytest.approx(enumerated(differences, alternative), abs=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
def test_exact_as_scipy_has_it(alternative: str) -> None:
    differences = np.random.default_rng(8).normal(0.3, 1, size=(3, 12))
    for row, result in zip(
        differences, _randomisation_test(differences, alternative=alternative), strict=True
    ):
        expected = stats.permutation_test(
            (row,), np.sum, permutation_type="samples", n_resamples=10_000, alternative=alternative
        )
        assert result.p == pytest.approx(expected.pvalue, abs=1e-12)


def test_twenty_are_exact_and_more_are_drawn() -> None:
    ones = np.ones(30)
    ones[20:] = 0
    assert one(ones) == PValue(2 / 2**20, exact=True, draws=2**20)
    assert one(ones, "less").p == 1
    assert not one(np.ones(21)).exact


def test_many_exact_ones_at_once_are_no_more_work_than_one_by_one() -> None:
    differences = np.random.default_rng(2).normal(size=(300, 20))
    together = _randomisation_test(differences)
    assert together[:3] == [one(row) for row in differences[:3]]
    assert all(p.exact for p in together)


@pytest.mark.parametrize("alternative", SIDES)
def test_drawn_p_is_within_its_error_of_the_exact_one(
    alternative: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = np.random.default_rng(5).normal(0.2, 1, size=(6, 18)).round(1)
    exact = np.array([p.p for p in _randomisation_test(differences, alternative=alternative)])
    monkeypatch.setattr(module, "EXACT_UP_TO", 0)
    drawn = _randomisation_test(differences, alternative=alternative)
    assert not any(p.exact for p in drawn)
    error = np.sqrt(exact * (1 - exact) / module.DRAWS)
    assert np.all(np.abs(np.array([p.p for p in drawn]) - exact) <= 4 * error + 2 / module.DRAWS)


def test_drawn_p_is_the_same_on_every_call_alone_or_with_others_and_in_any_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.random.default_rng(3).normal(0.2, 1, size=(7, 70)).round(1)
    together = _randomisation_test(differences, draws=5000)
    assert together == _randomisation_test(differences, draws=5000)
    assert together == [one(row, draws=5000) for row in differences]
    assert together != _randomisation_test(differences, draws=5000, seed=1)
    monkeypatch.setattr(module, "BLOCK", 1000)
    assert together == _randomisation_test(differences, draws=5000)


def test_p_counts_the_one_that_was_seen() -> None:
    result = one(np.ones(50), draws=1000)
    assert result == PValue(1 / 1001, exact=False, draws=1000)
    assert str(result) == "< 1e-03"
    assert str(one(np.array([1.0, 2.0]))) == "0.5000"
    assert one(np.ones(50), "less", draws=1000).p == 1


def test_no_difference_is_no_evidence() -> None:
    for alternative in SIDES:
        assert one(np.zeros(50), alternative).p == 1
    assert one(np.array([0.4])).p == 1
    assert _randomisation_test(np.zeros((0, 5))) == []


def test_draws_are_counted_from_one() -> None:
    with pytest.raises(OptionError, match="draws=0"):
        one(np.ones(50), draws=0)


@pytest.mark.parametrize("units", [12, 40])
@pytest.mark.parametrize("alternative", SIDES)
def test_under_the_null_the_randomisation_test_keeps_its_level(
    units: int, alternative: str
) -> None:
    # Skewed by query, but even in sign: what the test supposes, and no more.
    random = np.random.default_rng(11)
    sizes = random.gamma(0.7, size=(3000, units)) * random.choice((-1, 1), (3000, units))
    assert_level(_randomisation_test(sizes, alternative=alternative, draws=999), never_below=True)


sizes = st.floats(1e-3, 10)


@given(st.floats(-5, 5), sizes, sizes, st.floats(0.001, 0.5))
def test_the_interval_is_of_what_p_does_not_exclude(
    difference: float, variance: float, spread: float, level: float
) -> None:
    low, high = confidence_sequence(difference, variance=variance, spread=spread, level=level)
    for end in (low, high):
        p = always_valid_p(difference - end, variance=variance, spread=spread)
        assert p == pytest.approx(level)
    inside = low <= 0 <= high
    p = always_valid_p(difference, variance=variance, spread=spread)
    assert inside == (p >= level) or p == pytest.approx(level)


@given(st.floats(-5, 5), sizes, sizes)
def test_it_never_shows_more_than_the_p_value_of_one_look(
    difference: float, variance: float, spread: float
) -> None:
    once = 2 * NormalDist().cdf(-abs(difference) / sqrt(variance))
    assert always_valid_p(difference, variance=variance, spread=spread) >= once


@pytest.mark.parametrize("users", [100, 5000])
def test_it_is_the_asymptotic_confidence_sequence(users: int) -> None:
    """The formula of Waudby-Smith et al., with rho the spread in standard deviations of a user."""
    rho, deviation, level = 0.05, 2.0, 0.05
    grown = users * rho**2 + 1
    half = deviation * sqrt(2 * grown / (users**2 * rho**2) * log(sqrt(grown) / level))
    low, high = confidence_sequence(
        1.0, variance=deviation**2 / users, spread=rho * deviation, level=level
    )
    assert (low, high) == (pytest.approx(1 - half), pytest.approx(1 + half))


def test_looking_every_day_is_harmless_only_so() -> None:
    """Of 2,000 experiments without a difference, looked at on 28 days, how many have p <= 0.05?"""
    random = np.random.default_rng(6)
    experiments, days, a_day = 2000, 28, 100
    # Users come in day by day; what is compared are the means of skewed values.
    totals = random.gamma(0.5 * a_day, 1.0, (2, experiments, days)).cumsum(axis=2)
    users = a_day * np.arange(1, days + 1)
    differences = (totals[1] - totals[0]) / users
    variances = 2 * 0.5 / users
    once = 2 * (1 - np.vectorize(NormalDist().cdf)(np.abs(differences) / np.sqrt(variances)))
    always = np.vectorize(always_valid_p)(differences, variance=variances, spread=0.05 * 0.5)
    assert (once[:, -1] <= 0.05).mean() < 0.07  # one look is as good as its word
    assert (once <= 0.05).any(axis=1).mean() > 0.2  # many are not
    assert (always <= 0.05).any(axis=1).mean() <= 0.05
    wide = np.vectorize(always_valid_p)(differences, variance=variances, spread=0.5)
    assert (wide <= 0.05).any(axis=1).mean() <= 0.05


def test_a_true_difference_is_found_by_then() -> None:
    random = np.random.default_rng(7)
    about = {"spread": 0.1, "level": 0.05, "power": 0.8}
    needed = sequential_users_needed(0.2, 2.0, **about)
    assert needed == pytest.approx(
        next(
            users
            for users in range(2, 10_000)
            if sequential_smallest_difference(4.0 / users, **about) <= 0.2
        )
    )
    found = random.normal(0.2, 2.0 / sqrt(needed), 4000)
    p = np.vectorize(always_valid_p)(found, variance=4.0 / needed, spread=0.1)
    assert (p <= 0.05).mean() == pytest.approx(0.8, abs=0.025)
    assert sequential_users_needed(0.0, 2.0, **about) == inf


def test_it_holds_for_users_who_come_again() -> None:
    """Ratios over all sessions so far, of users who differ and are there on many of 21 days."""
    random = np.random.default_rng(8)
    experiments, users, days = 500, 200, 21
    chance = random.uniform(0.1, 0.7, (2, experiments, users, 1))
    often = random.gamma(1.0, 0.3, (2, experiments, users, 1)) * np.ones(days)
    sessions = random.poisson(often)
    good = random.binomial(sessions, chance * np.ones(days)).cumsum(axis=3).astype(float)
    sessions = sessions.cumsum(axis=3).astype(float)
    mean = sessions.mean(axis=2)
    ratio = good.mean(axis=2) / mean
    errors = (good - ratio[:, :, None, :] * sessions).var(axis=2, ddof=1) / (users * mean**2)
    differences, variances = ratio[1] - ratio[0], errors.sum(axis=0)
    once = 2 * (1 - np.vectorize(NormalDist().cdf)(np.abs(differences) / np.sqrt(variances)))
    always = np.vectorize(always_valid_p)(differences, variance=variances, spread=0.1 * 0.4)
    assert (once <= 0.05).any(axis=1).mean() > 0.12
    assert (always <= 0.05).any(axis=1).mean() <= 0.05
