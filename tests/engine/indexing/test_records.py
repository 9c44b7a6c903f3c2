"""Medians of repetitions, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cleverdon.engine.indexing.records import (
    Amount,
    Build,
    Indexing,
    Sized,
    Spread,
    median_interval,
)


@pytest.mark.parametrize("n", range(1, 30))
def test_the_interval_is_the_shortest_that_holds_often_enough(n: int) -> None:
    low, high = median_interval(list(range(1, n + 1)))
    binomial = stats.binom(n, 0.5)
    if low is None or high is None:
        assert n < 6
        return
    assert high == n + 1 - low
    assert 1 - 2 * binomial.cdf(low - 1) >= 0.95
    assert 1 - 2 * binomial.cdf(low) < 0.95  # one further in would not be enough


def test_it_holds_whatever_the_distribution() -> None:
    rng = np.random.default_rng(1)
    samples = np.sort(rng.exponential(size=(2000, 9)), axis=1)
    intervals = [median_interval(sample.tolist()) for sample in samples]
    hit = np.mean([low <= np.log(2) <= high for low, high in intervals])  # type: ignore[operator]
    assert hit >= 0.95 - 0.015


def test_spread_by_hand() -> None:
    found = Spread.of([Amount(3, more=1), Amount(1, less=2), Amount(7)])
    assert (found.median, found.least, found.most, found.deviation) == (3, 1, 7, 2)
    assert (found.low, found.high, found.less, found.more) == (None, None, 2, 1)


def test_costs_are_medians_of_the_largest_size() -> None:
    def build(n: int, time: float) -> Build:
        return Build(n, 100 * n, {"index_time": Amount(time), "reading": Amount(1.0)})

    small = Sized(10, 1000, (build(10, 1.0),))
    large = Sized(20, 2000, tuple(build(20, time) for time in (5.0, 3.0, 4.0)))
    found = Indexing("mine", (small, large))
    assert found.costs().to_json() == {"index_time": {"value": 4.0, "low": None, "high": None}}
    partly = Sized(20, 2000, (build(20, 1.0), Build(20, 2000, {})))
    assert partly.spread("index_time") is None
