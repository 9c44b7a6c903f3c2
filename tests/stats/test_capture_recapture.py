"""Capture-recapture: published examples and edges."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.stats.capture_recapture import Unseen, chao, chapman


def test_chapman_by_hand() -> None:
    """Ten turtles are marked, fifteen are caught later, five of them marked: 28 live there."""
    one = chapman(10, 15, 5)
    assert one.found == 20
    assert one.found + one.missing == pytest.approx(11 * 16 / 6 - 1)
    assert one.variance == pytest.approx(11 * 16 * 5 * 10 / (36 * 7))


def test_cottontail_rabbits() -> None:
    """Edwards & Eberhardt 1967: 135 rabbits in a pen, of which 18 nights of trapping caught 76.

    43 were caught once and 16 twice. Chao 1987 gives 134 by once^2 / (2 twice); without its bias
    the estimate is 129.
    """
    one = chao(76, 43, 16, captures=142)
    assert one.found + one.missing == pytest.approx(76 + 43 * 42 / (2 * 17))
    low, high = one.interval(0.95)
    assert low < 135 < high
    by_nights = chao(76, 43, 16, captures=142, lists=18)
    assert by_nights.missing == pytest.approx(one.missing * 17 / 18)


def test_trees_of_barro_colorado() -> None:
    """The first plot of vegan's data set BCI: 93 species, 31 with one tree, 18 with two.

    vegan 2.6 prints 117.4737, with a standard error of 11.58 by another expansion.
    """
    one = chao(93, 31, 18, captures=448)
    assert one.found + one.missing == pytest.approx(117.473684, abs=1e-6)
    assert sqrt(one.variance) == pytest.approx(11.583785, abs=0.005)


def test_nothing_found_twice_is_defined() -> None:
    one = chao(5, 5, 0, captures=5)
    assert one.missing == 10
    assert one.variance == pytest.approx(10 + 5 * 81 / 4 - 625 / (4 * 15))


def test_nothing_missing_still_has_an_interval() -> None:
    """EstimateS: of 10 documents that were found 25 times, exp(-2.5) would never be found."""
    low, high = Unseen(10, 0.0, 0.0, captures=25).interval(0.95)
    never = np.exp(-2.5)
    assert low == 10
    assert high == pytest.approx((10 + 1.959964 * sqrt(10 * never)) / (1 - never))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(2, 20))
def test_estimates_are_never_below_what_was_found(
    once: int, twice: int, more: int, lists: int
) -> None:
    found = once + twice + more
    captures = once + 2 * twice + 3 * more
    one = chao(found, once, twice, captures=captures, lists=lists)
    pair = chapman(once + more, twice + more, more)
    assert one.found == found
    for unseen, confidence in ((one, 0.95), (pair, 0.9)):
        low, high = unseen.interval(confidence)
        assert unseen.found <= low <= unseen.found + unseen.missing <= high


def test_the_lower_end_is_a_whole_number_but_not_below_what_was_found() -> None:
    one = Unseen(24, 0.8, 1.4, captures=42)
    assert one.interval(0.95, whole=False)[0] == pytest.approx(24.1, abs=0.05)
    assert one.interval(0.95)[0] == 24
    low, high = Unseen(24, 30.0, 90.0, captures=42).interval(0.95)
    assert low == int(low) > 24
    assert high == Unseen(24, 30.0, 90.0, captures=42).interval(0.95, whole=False)[1]


def test_whole_numbers_cover_where_fractions_do_not() -> None:
    """Of 10 documents, two independent systems find 6 each on average: all, but for chance."""
    caught = np.random.default_rng(1).random((2000, 2, 10)) < 0.6
    hits = np.zeros(2)
    for first, second in caught:
        one = chapman(int(first.sum()), int(second.sum()), int((first & second).sum()))
        for at, whole in enumerate((False, True)):
            low, high = one.interval(0.95, whole=whole)
            hits[at] += low <= 10 <= high
    error = 2 * sqrt(0.95 * 0.05 / len(caught))
    assert hits[0] / len(caught) < 0.85
    assert abs(hits[1] / len(caught) - 0.95) < error
