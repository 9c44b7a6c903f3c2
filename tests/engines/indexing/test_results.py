"""Medians of repetitions, their intervals, and growth in words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cleverdon.engines.indexing.results import (
    Amount,
    Build,
    IndexingResult,
    SizeBuilds,
    Spread,
    _growth_meaning,
    _growth_sentences,
)
from cleverdon.stats.intervals import median_interval
from cleverdon.stats.trends import growth

SIZES = [100, 1000, 10_000, 100_000]


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

    small = SizeBuilds(10, 1000, (build(10, 1.0),))
    large = SizeBuilds(20, 2000, tuple(build(20, time) for time in (5.0, 3.0, 4.0)))
    found = IndexingResult("mine", (small, large))
    assert found.costs().to_json() == {"index_time": {"value": 4.0, "low": None, "high": None}}
    partly = SizeBuilds(20, 2000, (build(20, 1.0), Build(20, 2000, {})))
    assert "index_time" not in partly.quantities


@pytest.mark.parametrize(
    ("exponent", "said"),
    [
        (1.0, "linear, as far as these sizes show"),
        (1.08, "slightly faster than linear"),
        (1.5, "faster than linear"),
        (0.95, "slightly slower than linear"),
        (0.5, "slower than linear"),
        (0.05, "hardly at all"),
    ],
)
def test_meanings(exponent: float, said: str) -> None:
    wobble = [1.001, 0.999, 0.999, 1.001]
    grown = growth(SIZES, [n**exponent * w for n, w in zip(SIZES, wobble, strict=True)])
    assert grown is not None
    assert _growth_meaning(grown) == said


def test_few_sizes_that_stray_tell_nothing() -> None:
    grown = growth(SIZES[:3], [1, 14, 100])
    assert grown is not None
    assert _growth_sentences({"index_time": grown}) == [
        "wall time grows as n^1.00 (95% interval -0.07 to 2.07): linear or not: these sizes do not "
        "tell",
        "    warning: the exponent changes with size, from 1.15 to 0.85: a fixed part, or another "
        "regime; the largest sizes say most about what comes",
    ]
