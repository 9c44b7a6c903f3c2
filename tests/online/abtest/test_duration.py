"""What can be shown, and how long it takes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
import pytest
import tea_tasting
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import tt_ind_solve_power

from cleverdon.online.abtest.arms import arms
from cleverdon.online.abtest.duration import Growth, growth, planning
from cleverdon.online.abtest.effects import How
from cleverdon.online.abtest.results import Participants
from tests.online.abtest.made import COLUMNS, aggregates, simulated

HOW = How(level=0.05, cuped=False, sequential=False, wanted=0.05)


def participants(users: dict[str, int], arrivals: tuple[int, ...]) -> Participants:
    days = len(arrivals)
    return Participants("user", 0, days * 86_400_000, users, 0, 0, 0, arrivals)


def test_as_other_tools_do() -> None:
    random = np.random.default_rng(1)
    sides = [aggregates(*simulated(random, 4000)) for _ in range(2)]
    found = arms(COLUMNS, *sides, cuped=False)
    assert found is not None
    who = participants({"A": 4000, "B": 4000}, (2000,) * 4)
    plan = planning(found, who, HOW, level=0.05, power=0.8)
    # Both assume that the variants vary as much; here that is true.
    rival = tea_tasting.RatioOfMeans("n0", "d0", rel_effect_size=0.05, n_obs=8000)
    smallest = tea_tasting.RatioOfMeans("n0", "d0", n_obs=8000).solve_power(sides[0])
    assert plan.smallest == pytest.approx(smallest[0].rel_effect_size, rel=0.03)
    needed = rival.solve_power(sides[0], "n_obs")[0].n_obs
    assert plan.users_needed == pytest.approx(needed, rel=0.05)
    size = 0.05 * found.control.value / found.control.variance**0.5
    each = tt_ind_solve_power(effect_size=size, alpha=0.05, power=0.8)
    assert plan.users_needed == pytest.approx(2 * each, rel=0.05)
    assert plan.days_needed == pytest.approx(4 * plan.users_needed / 8000)


def test_other_variants_need_their_users_as_well() -> None:
    random = np.random.default_rng(1)
    found = arms(COLUMNS, *(aggregates(*simulated(random, 500)) for _ in range(2)), cuped=False)
    assert found is not None
    two = planning(found, participants({"A": 500, "B": 500}, (1000,)), HOW, level=0.05, power=0.8)
    three = planning(
        found, participants({"A": 500, "B": 500, "C": 500}, (1500,)), HOW, level=0.05, power=0.8
    )
    assert three.users_needed == pytest.approx(1.5 * two.users_needed)  # type: ignore[operator]
    often = planning(
        found,
        participants({"A": 500, "B": 500}, (1000,)),
        replace(HOW, sequential=True),
        level=0.05,
        power=0.8,
    )
    assert often.users_needed > two.users_needed  # type: ignore[operator]
    assert often.smallest > two.smallest  # type: ignore[operator]


@given(st.floats(0.1, 1), st.integers(4, 60))
def test_growth_is_found_again(exponent: float, days: int) -> None:
    so_far = [1_000_000 * day**exponent for day in range(days + 1)]
    arrivals = [round(after - before) for before, after in pairwise(so_far)]
    found = growth(arrivals, days)
    assert found.exponent == pytest.approx(exponent, abs=1e-3)
    assert found.days_until(found.users) == pytest.approx(days)
    twice = found.days_until(found.users * 2**exponent)
    assert twice == pytest.approx(2 * days, rel=0.01)


def test_too_few_days_to_tell() -> None:
    assert growth([100, 10], 2).exponent == 1
    assert growth([100], 0.5).days_until(200) == 1
    assert growth([100, 0, 0, 0, 0, 0], 6).exponent == 0.05  # nobody new: it takes for ever
    assert Growth(100, 6, 0.05).days_until(1e30) == inf
    assert Growth(100, 6, 0.5).days_until(inf) == inf
