"""p-values and intervals for those who look every day."""

from __future__ import annotations

from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.online.abtest import always_valid_p, confidence_sequence
from cleverdon.online.abtest.sequential import smallest_difference, users_needed

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
    needed = users_needed(0.2, 2.0, **about)
    assert needed == pytest.approx(
        next(
            users for users in range(2, 10_000) if smallest_difference(4.0 / users, **about) <= 0.2
        )
    )
    found = random.normal(0.2, 2.0 / sqrt(needed), 4000)
    p = np.vectorize(always_valid_p)(found, variance=4.0 / needed, spread=0.1)
    assert (p <= 0.05).mean() == pytest.approx(0.8, abs=0.025)
    assert users_needed(0.0, 2.0, **about) == inf


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
