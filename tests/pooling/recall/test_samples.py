"""Intervals of stratified samples: how often they hold the truth, in simulated collections."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon._common.arrays import Floats
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.recall.samples import (
    SampledStratum,
    _weighted_interval,
    estimate_from_sample,
)
from cleverdon.stats.proportions import gamma_interval

SIMULATIONS = 4000
TOLERANCE = 3.5 * sqrt(0.95 * 0.05 / SIMULATIONS)
"""What chance can do to a coverage of 95% that is simulated so often: 1.2 points."""

# Sizes of strata, how many are drawn of each, and how many are relevant.
COLLECTIONS = {
    "one stratum, rare": ([100_000], [200], [500]),
    "two, one never sampled well": ([2000, 100_000], [100, 100], [40, 50]),
    "next to nothing": ([2000, 100_000], [100, 100], [10, 5]),
    "fifty queries": ([10_000] * 50, [200] * 50, [20] * 50),
    "fifty queries, one each": ([10_000] * 50, [200] * 50, [1] * 50),
    "by runs": ([1000, 100_000] * 25, [100, 100] * 25, [30, 3] * 25),
    "not rare": ([1000, 1000], [100, 100], [300, 500]),
    "most are relevant": ([1000, 1000], [50, 50], [900, 700]),
    "half is drawn": ([100, 100], [50, 50], [10, 5]),
    "one stratum as a whole": ([50, 5000], [50, 100], [20, 40]),
    "few drawn": ([1080], [13], [307]),
}


def simulated(sizes: list[int], drawn: list[int], relevant: list[int]) -> Floats:
    """How many relevant documents samples have: samples x strata."""
    random = np.random.default_rng(20260101)
    rows = zip(sizes, drawn, relevant, strict=True)
    return np.array(
        [random.hypergeometric(k, size - k, n, SIMULATIONS) for size, n, k in rows], dtype=float
    ).T


@pytest.mark.parametrize("name", COLLECTIONS)
def test_gamma_intervals_hold_the_truth_as_often_as_they_say(name: str) -> None:
    sizes, drawn, relevant = COLLECTIONS[name]
    seen = simulated(sizes, drawn, relevant)
    n, size = np.array(drawn, dtype=float), np.array(sizes, dtype=float)
    low, high = gamma_interval(seen, n, n / size, np.ones(len(n), dtype=bool), confidence=0.95)
    truth = sum(relevant)
    assert ((low <= truth) & (truth <= high)).mean() >= 0.95 - TOLERANCE


@pytest.mark.parametrize("name", ["two, one never sampled well", "next to nothing"])
def test_the_usual_interval_does_not(name: str) -> None:
    """Why there is another: estimate plus or minus 1.96 standard errors."""
    sizes, drawn, relevant = COLLECTIONS[name]
    seen = simulated(sizes, drawn, relevant)
    n, size = np.array(drawn, dtype=float), np.array(sizes, dtype=float)
    share = seen / n
    total = (size * share).sum(axis=1)
    variance = (size**2 * (1 - n / size) * share * (1 - share) / (n - 1)).sum(axis=1)
    reach = 1.96 * np.sqrt(variance)
    assert (np.abs(total - sum(relevant)) <= reach).mean() < 0.7


@pytest.mark.parametrize("relevant", [5, 60, 400])
def test_unequal_probabilities(relevant: int) -> None:
    """Each document is drawn or not by itself, with a probability of its own."""
    random = np.random.default_rng(7)
    probability = random.uniform(0.02, 0.6, 2000)
    wanted = random.choice(2000, relevant, replace=False)
    drawn = random.random((1000, relevant)) < probability[wanted]
    # Of documents that are not relevant only the probabilities matter: that of the least likely.
    levels = np.append(probability[wanted], probability.min())
    seen = np.hstack((drawn, np.zeros((1000, 1)))).astype(float)
    low, high = gamma_interval(
        seen, np.ones(len(levels)), levels, np.zeros(len(levels), dtype=bool), confidence=0.95
    )
    holds = ((low <= relevant) & (relevant <= high)).mean()
    assert holds >= 0.95 - 3.5 * sqrt(0.95 * 0.05 / 1000)


@st.composite
def strata(draw: st.DrawFn) -> list[SampledStratum]:
    parts = []
    for number in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 500))
        drawn = draw(st.integers(1, size))
        seen = draw(st.integers(0, drawn))
        parts.append(SampledStratum("q", str(number), drawn, seen, drawn / size, size))
    return parts


@given(strata(), st.integers(0, 50))
def test_intervals_hold_the_estimate_and_what_was_found(
    parts: list[SampledStratum], found: int
) -> None:
    one = estimate_from_sample({"q": found}, parts).all
    seen = sum(part.relevant for part in parts)
    undrawn = sum((part.size or 0) - part.drawn for part in parts)
    assert found + seen <= one.low <= one.value + 1e-9
    assert one.value <= one.high + 1e-9
    assert one.high <= found + seen + undrawn
    assert one.missing == pytest.approx(sum(part.total for part in parts))
    value, low, high = one.recall()
    if one.value:
        assert 0 <= low <= value <= high <= 1


def test_one_stratum_of_one_topic_is_exact() -> None:
    parts = [SampledStratum("q", "all", 200, 3, 0.2, 1000)]
    one = estimate_from_sample({"q": 10}, parts).queries["q"]
    assert (one.low, one.high) == (10 + 4, 10 + 40)


def test_nothing_seen_in_a_stratum_is_not_nothing_there() -> None:
    census = SampledStratum("q", "census", 50, 20, 1.0, 50)
    sampled = SampledStratum("q", "sampled", 100, 0, 0.01, 10_000)
    low, high = _weighted_interval([census, sampled])
    assert low == pytest.approx(20)
    assert high > 20 + 300


def test_everything_drawn_leaves_no_doubt() -> None:
    assert _weighted_interval(
        [SampledStratum("q", "a", 5, 2, 1.0, 5), SampledStratum("q", "b", 9, 0, 1.0, 9)]
    ) == (2, 2)


def test_topics_without_a_sample_are_left_out() -> None:
    parts = [
        SampledStratum("q1", "all", 10, 1, 0.1, 100),
        SampledStratum("q2", "a", 10, 1, 0.1, 100),
        SampledStratum("q2", "b", 0, 0, 0.0, 100),
    ]
    found = estimate_from_sample({"q1": 4, "q2": 5, "q3": 6}, parts)
    assert found.left_out == ("q2", "q3")
    assert found.all.found == 4
    with pytest.raises(InputError, match="no query has a sample"):
        estimate_from_sample({"q3": 6}, parts)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((5, 6, 0.5, 10), "6 relevant of 5 drawn"),
        ((5, 1, 1.5, 10), "probability 1.5"),
        ((11, 1, 1.0, 10), "has 10 documents, and 11 of it were drawn"),
    ],
)
def test_impossible_parts(numbers: tuple[int, int, float, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        SampledStratum("q", "s", *numbers)
