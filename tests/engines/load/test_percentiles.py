"""Percentiles equal exact ones, and their intervals hold what they promise."""

from fractions import Fraction
from math import ceil, inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon.engines.load.results import (
    _HDR_PRECISION,
    _PERCENTILES,
    _percentile_rank,
    latencies,
)
from cleverdon.errors import OptionError
from cleverdon.stats.intervals import design_effect, quantile_ranks

TIMES = st.lists(st.floats(1e-6, 600), min_size=1, max_size=400).map(np.array)


@given(TIMES)
def test_percentiles_are_the_exact_order_statistics_within_the_promised_precision(seconds):
    found = latencies(seconds)
    ordered = np.sort(seconds)
    for percentile in found.percentiles:
        share = Fraction(percentile.name.removeprefix("p")) / 100
        exact = ordered[max(1, ceil(share * len(seconds))) - 1]
        assert percentile.value == pytest.approx(exact, rel=_HDR_PRECISION, abs=1e-6)
        # So many requests do stay within it.
        assert np.count_nonzero(seconds <= percentile.value + 1e-6) >= share * len(seconds)
    assert (found.max, found.count) == (ordered[-1], len(seconds))
    assert found.mean == pytest.approx(seconds.mean())


@given(TIMES)
def test_values_rise_and_lie_within_their_intervals(seconds):
    found = latencies(seconds)
    values = [percentile.value for percentile in found.percentiles]
    assert values == sorted(values)
    assert values[-1] <= found.max
    for percentile in found.percentiles:
        low = -inf if percentile.low is None else percentile.low
        high = inf if percentile.high is None else percentile.high
        assert low <= percentile.value <= high


def test_of_independent_requests_ranks_are_those_of_the_exact_binomial_interval():
    for share, count in ((0.5, 10), (0.5, 201), (0.9, 150), (0.99, 1000)):
        low, high = quantile_ranks(share, count, 1.0, degrees=None, confidence=0.95)
        below = stats.binom(count, share)
        # The percentile is above the low rank unless fewer requests are below it, and so on.
        assert below.cdf(low - 1) <= 0.025 < below.cdf(low)
        assert below.cdf(high - 1) >= 0.975 > below.cdf(high - 2)


def test_an_end_that_too_few_requests_lie_beyond_is_not_known():
    found = latencies(np.random.default_rng(2).exponential(size=300))
    assert found["p90"].known
    assert not found["p99"].known
    assert found["p99"].low is not None
    # 1 - 0.99^n > 0.975 from n = 368 on.
    assert quantile_ranks(0.99, 367, 1.0, degrees=None, confidence=0.95)[1] is None
    assert quantile_ranks(0.99, 368, 1.0, degrees=None, confidence=0.95)[1] == 368
    alone = latencies(np.array([0.25]))["p50"]
    assert (alone.value, alone.low, alone.high) == (0.25, None, None)


def _covered(make, truth: float, share: int, count: int, *, corrected: bool = True) -> float:
    """How often the interval holds the truth; an end that is not known holds anything."""
    random = np.random.default_rng(8)
    held = []
    for _ in range(400):
        seconds = make(random, count)
        ordered = np.sort(seconds)
        effect, degrees = 1.0, None
        if corrected:
            effect, degrees = design_effect(seconds > ordered[_percentile_rank(share, count) - 1])
        low, high = quantile_ranks(share / 1e4, count, effect, degrees=degrees, confidence=0.95)
        held.append(
            (low is None or ordered[low - 1] <= truth)
            and (high is None or truth <= ordered[high - 1])
        )
    return float(np.mean(held))


LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)
"""What 400 simulations may fall short of 95% by chance."""


def _stalled(random: np.random.Generator, count: int) -> np.ndarray:
    """Stretches of 40 requests, of which one in twenty is 10 seconds slower as a whole."""
    slow = np.repeat(random.random(-(-count // 40)) < 0.05, 40)[:count]
    return random.exponential(size=count) + 10.0 * slow


@pytest.mark.parametrize("share", [5000, 9000, 9900, 9990])
def test_intervals_of_independent_times_hold_the_truth(share):
    truth = -np.log(1 - share / 1e4)
    covered = _covered(lambda random, count: random.exponential(size=count), truth, share, 2000)
    assert covered >= LEAST


@pytest.mark.parametrize("share", [9000, 9900])
def test_intervals_of_stalls_hold_the_truth_where_plain_ones_do_not(share):
    # 95% are exponential, and 5% exponential and 10 more: solved for the percentile.
    grid = np.linspace(0, 20, 2_000_001)
    held = 0.95 * -np.expm1(-grid) + 0.05 * -np.expm1(-np.maximum(grid - 10, 0))
    truth = float(grid[np.searchsorted(held, share / 1e4)])
    assert _covered(_stalled, truth, share, 8000) >= LEAST
    assert _covered(_stalled, truth, share, 8000, corrected=False) < 0.85


def test_one_stall_counts_as_one_slow_request():
    seconds = np.full(6000, 0.01)
    seconds[3000:3200] = np.linspace(2, 0.01, 200)  # 1 in 30, all of them neighbours
    found = latencies(seconds)
    assert found["p99"].value > 1
    assert found["p99"].design_effect > 20
    assert not found["p99"].known  # it may have been the only one in an hour
    assert found["p50"].high == pytest.approx(0.01, rel=_HDR_PRECISION)


@given(st.integers(0, 100))
def test_the_order_of_independent_times_makes_no_great_difference(seed):
    exceeds = np.random.default_rng(seed).random(4000) < 0.1
    assert 1 <= design_effect(exceeds)[0] < 3


def test_what_is_shown_as_json():
    found = latencies(np.linspace(0.001, 1, 50)).to_dict()
    assert found["percentiles"].keys() == _PERCENTILES.keys()
    assert found["percentiles"]["p99.99"]["high"] is None
    assert (found["count"], found["confidence"]) == (50, 0.95)


def test_without_times_there_is_nothing():
    with pytest.raises(OptionError, match="no request was answered"):
        latencies(np.zeros(0))
    with pytest.raises(OptionError, match="confidence=95"):
        latencies(np.ones(3), confidence=95)
    with pytest.raises(KeyError):
        latencies(np.ones(3))["p98"]
