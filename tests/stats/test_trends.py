"""Slopes over time and exponents of growth, with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped, unused-ignore]

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.stats.trends import FEWEST_POINTS, drift, growth


def noise(count: int, *, alike: float, seed: int, growth: float = 0.0) -> Floats:
    """Noise of which each value is like the one before, and that may grow."""
    chance = np.random.default_rng(seed)
    values: Floats = chance.normal(size=count + 50)
    for at in range(1, len(values)):
        values[at] += alike * values[at - 1]
    return values[50:] + growth * np.arange(count, dtype=np.float64)


@given(st.integers(FEWEST_POINTS, 60), st.integers(0, 10_000))
def test_the_slope_is_scipys(count: int, seed: int) -> None:
    values = noise(count, alike=0.0, seed=seed, growth=0.05)
    found = drift(np.arange(0.0, 2.0 * count, 2.0), values)
    theil = stats.theilslopes(values, np.arange(count) * 2.0)
    assert found.slope == pytest.approx(theil.slope)
    assert found.low <= found.slope <= found.high
    assert found.inflation >= 1


def test_without_dependence_the_interval_and_p_are_the_usual_ones() -> None:
    values = np.tile([1.0, -1.0], 15) * np.linspace(0.5, 1.5, 30) + 0.02 * np.arange(30)
    found = drift(np.arange(30.0), values)
    assert found.inflation == 1  # neighbours are unlike, and that gains nothing
    theil = stats.theilslopes(values, np.arange(30.0))
    assert found.low == pytest.approx(theil.low_slope, abs=0.01)
    assert found.high == pytest.approx(theil.high_slope, abs=0.01)
    kendall = stats.kendalltau(np.arange(30.0), values, method="asymptotic")
    assert found.p == pytest.approx(kendall.pvalue, abs=0.05)


@pytest.mark.parametrize(("alike", "most"), [(0.0, 0.08), (0.5, 0.12)])
def test_false_alarms_are_rare_though_neighbours_are_alike(alike: float, most: float) -> None:
    times = np.arange(40.0)
    alarms = [drift(times, noise(40, alike=alike, seed=seed)).p <= 0.05 for seed in range(300)]
    assert np.mean(alarms) <= most


def test_a_trend_is_found() -> None:
    values = noise(40, alike=0.3, seed=1, growth=0.15)
    found = drift(np.arange(40.0), values)
    assert found.p < 0.001
    assert found.low <= 0.15 <= found.high


def test_what_never_changes_does_not_drift() -> None:
    found = drift(np.arange(10.0), np.full(10, 3.0))
    assert (found.slope, found.p) == (0, 1)
    assert np.isnan([found.low, found.high]).all()
    steps = drift(np.arange(40.0), np.repeat([3.0, 4.0], [39, 1]))  # nearly all slopes are 0
    assert steps.slope == 0
    assert np.isnan([steps.low, steps.high]).all()


def test_too_few_points_say_nothing() -> None:
    values = np.arange(10.0)
    values[:3] = np.nan
    found = drift(np.arange(10.0), values)
    assert np.isnan([found.slope, found.low, found.high, found.p]).all()
    assert found.points == 7


def test_points_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="rising"):
        drift(np.zeros(10), np.arange(10.0))
    with pytest.raises(OptionError, match="windows longer"):
        drift(np.arange(3000.0), np.arange(3000.0))


SIZES = [1000, 3000, 10_000, 30_000]


@given(st.floats(0.1, 3), st.floats(1e-6, 1e6))
def test_exact_power_laws_are_recovered(exponent: float, factor: float) -> None:
    found = growth(SIZES, [factor * n**exponent for n in SIZES])
    assert found is not None
    assert found.exponent == pytest.approx(exponent)
    assert found.factor == pytest.approx(factor)
    assert np.isnan([found.low, found.high]).all()  # no spread to measure chance by
    assert found.warnings == ()
    said = found.predict(10**6)
    assert said.extrapolated
    assert said.value == pytest.approx(factor * 1e6**exponent)
    assert np.isnan([said.low, said.high]).all()
    assert not found.predict(5000).extrapolated


def test_slope_and_interval_are_those_of_a_regression_of_logarithms() -> None:
    values = [1.0, 3.4, 9.1, 35.0]
    found = growth(SIZES[::-1], values[::-1])
    by_scipy = stats.linregress(np.log(SIZES), np.log(values))
    width = stats.t.ppf(0.975, 2) * by_scipy.stderr
    assert found is not None
    assert found.sizes == tuple(SIZES)
    assert found.exponent == pytest.approx(by_scipy.slope)
    assert found.low == pytest.approx(by_scipy.slope - width)
    assert found.high == pytest.approx(by_scipy.slope + width)
    assert np.log(found.factor) == pytest.approx(by_scipy.intercept)


@pytest.mark.parametrize("sizes", [[1000, 10_000, 100_000], [100, 300, 1000, 3000, 10_000]])
def test_intervals_hold_as_often_as_they_say(sizes: list[int]) -> None:
    rng = np.random.default_rng(8)
    exponent, beyond, rounds = 1.08, 10**6, 1000
    hit = hit_beyond = 0
    for _ in range(rounds):
        noise = rng.normal(0, 0.1, len(sizes) + 1)
        values = [1e-3 * n**exponent * np.exp(e) for n, e in zip(sizes, noise, strict=False)]
        found = growth(sizes, values, confidence=0.9)
        assert found is not None
        hit += found.low <= exponent <= found.high
        said = found.predict(beyond)
        hit_beyond += said.low <= 1e-3 * beyond**exponent * np.exp(noise[-1]) <= said.high
    # 4 standard errors of a share of 90% in 1000.
    assert abs(hit / rounds - 0.9) < 0.038
    assert abs(hit_beyond / rounds - 0.9) < 0.038


def test_what_does_not_fit_is_said() -> None:
    narrow = growth([1000, 2000, 4000], [1, 2, 4])
    assert narrow is not None
    assert narrow.warnings == (
        "the largest size is only 4 times the smallest; take sizes that are 10 times apart or more",
    )
    fixed = growth(SIZES, [5 + n / 1000 for n in SIZES])  # a start that always takes as long
    assert fixed is not None
    assert "the exponent changes with size, from 0.26 to 0.77" in fixed.warnings[0]
    up_and_down = growth([100, 300, 1000, 3000, 10_000], [1, 3, 14, 30, 100])
    assert up_and_down is not None
    assert up_and_down.warnings == ("sizes stray from the line by 19%; repeat more often",)


def test_zero_has_no_exponent_and_two_sizes_no_growth() -> None:
    assert growth(SIZES, [0, 1, 2, 3]) is None
    for sizes in ([1, 2], [1, 2, 2]):
        with pytest.raises(OptionError, match="3 sizes or more"):
            growth(sizes, [1.0] * len(sizes))
