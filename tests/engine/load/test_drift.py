"""Slopes over time, and whether they are chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped, unused-ignore]

from cleverdon.arrays import Floats
from cleverdon.engine.load.drift import FEWEST, drift
from cleverdon.errors import OptionError


def noise(count: int, *, alike: float, seed: int, growth: float = 0.0) -> Floats:
    """Noise of which each value is like the one before, and that may grow."""
    chance = np.random.default_rng(seed)
    values: Floats = chance.normal(size=count + 50)
    for at in range(1, len(values)):
        values[at] += alike * values[at - 1]
    return values[50:] + growth * np.arange(count, dtype=np.float64)


@given(st.integers(FEWEST, 60), st.integers(0, 10_000))
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
    assert (found.slope, found.low, found.high, found.p) == (0, 0, 0, 1)


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
