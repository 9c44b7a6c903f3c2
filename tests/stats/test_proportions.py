"""Exact intervals, held against trying every count with scipy's distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from cleverdon.errors import OptionError
from cleverdon.stats.proportions import (
    _hypergeometric_tails,
    hypergeometric_interval,
    population_size_interval,
)


@st.composite
def drawn_samples(draw: st.DrawFn) -> tuple[int, int, int]:
    size = draw(st.integers(1, 60))
    drawn = draw(st.integers(0, size))
    return size, drawn, draw(st.integers(0, drawn))


@given(drawn_samples(), st.integers(0, 60))
def test_tails_are_scipys(sample: tuple[int, int, int], relevant: int) -> None:
    size, drawn, seen = sample
    relevant = min(relevant, size)
    at_most, at_least = _hypergeometric_tails(size, relevant, drawn, seen)
    assert at_most == pytest.approx(hypergeom.cdf(seen, size, relevant, drawn), abs=1e-12)
    assert at_least == pytest.approx(hypergeom.sf(seen - 1, size, relevant, drawn), abs=1e-12)


def test_tails_of_a_large_collection() -> None:
    # Drawing with and without replacement is the same here; scipy's own loses four digits.
    at_most, at_least = _hypergeometric_tails(10**12, 10**9, 5000, 3)
    assert at_most == pytest.approx(binom.cdf(3, 5000, 0.001), rel=1e-6)
    assert at_least == pytest.approx(binom.sf(2, 5000, 0.001), rel=1e-6)


@given(drawn_samples(), st.sampled_from([0.8, 0.95, 0.99]))
def test_intervals_are_those_of_trying_every_count(
    sample: tuple[int, int, int], confidence: float
) -> None:
    size, drawn, seen = sample
    risk = (1 - confidence) / 2
    counts = np.arange(seen, size - (drawn - seen) + 1)
    kept = counts[
        (hypergeom.cdf(seen, size, counts, drawn) > risk)
        & (hypergeom.sf(seen - 1, size, counts, drawn) > risk)
    ]
    found = hypergeometric_interval(size, drawn, seen, confidence=confidence)
    assert found == (kept[0], kept[-1])


@given(drawn_samples())
def test_intervals_hold_the_estimate_and_what_is_possible(sample: tuple[int, int, int]) -> None:
    size, drawn, seen = sample
    low, high = hypergeometric_interval(size, drawn, seen)
    assert seen <= low <= high <= size - (drawn - seen)
    if drawn:
        assert np.floor(low) <= size * seen / drawn <= np.ceil(high) + 1


def test_everything_drawn_leaves_no_doubt() -> None:
    assert hypergeometric_interval(50, 50, 7) == (7, 7)


def test_nothing_drawn_says_nothing() -> None:
    assert hypergeometric_interval(50, 0, 0) == (0, 50)


@pytest.mark.parametrize("drawn", [100, 300, 1000])
def test_rule_of_three(drawn: int) -> None:
    # Of a large collection, nothing seen in n means at most about 3/n, with 95% confidence.
    _, most = hypergeometric_interval(10**7, drawn, 0, confidence=0.9)  # 5% on each side
    assert most == pytest.approx(3 * 10**7 / drawn, rel=0.02)


@pytest.mark.parametrize(("size", "drawn"), [(200, 40), (1000, 50), (60, 30)])
def test_coverage_is_at_least_nominal_for_every_truth(size: int, drawn: int) -> None:
    """Not simulated: the chance of each outcome is known, so coverage is a sum."""
    ends = np.array([hypergeometric_interval(size, drawn, seen) for seen in range(drawn + 1)])
    for truth in range(0, size + 1, 7):
        holds = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        assert hypergeom.pmf(np.arange(drawn + 1), size, truth, drawn)[holds].sum() >= 0.95


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12))
def test_sizes_are_those_of_trying_every_one(first: int, second: int, both: int) -> None:
    both = min(both, first, second)
    low, high = population_size_interval(first, second, both)
    sizes = np.arange(first + second - both, 2000)
    tails = np.minimum(
        hypergeom.cdf(both, sizes, first, second), hypergeom.sf(both - 1, sizes, first, second)
    )
    # A tail of exactly 0.025, as of 1 in 40, is on either side by rounding.
    for end, at in ((low, 0), (high, -1)):
        ends = {sizes[tails > 0.025 * (1 + slack)][at] for slack in (-1e-9, 1e-9)}
        assert end in ends if sizes[-1] not in ends else end >= sizes[-1]


@pytest.mark.parametrize("numbers", [(10, 20, 5), (10, 5, 6), (10, 5, -1)])
def test_impossible_samples(numbers: tuple[int, int, int]) -> None:
    with pytest.raises(OptionError, match="expected rising numbers from 0 on"):
        hypergeometric_interval(*numbers)


def test_impossible_catches_and_confidences() -> None:
    with pytest.raises(OptionError, match="both=4"):
        population_size_interval(3, 9, 4)
    with pytest.raises(OptionError, match="confidence=1"):
        hypergeometric_interval(10, 5, 1, confidence=1)
