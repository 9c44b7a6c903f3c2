"""Which rate is the knee, by loads that were made up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cleverdon.engines.load.sweep import SweepGoal, SweepStep, knee
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import QUIET, made_load

GOAL = SweepGoal(p99=0.05)


def step(rate: float, p99: float, *, spread: float = 0.0, **load: object) -> SweepStep:
    """1,000 requests of which 4% are as slow as `p99`, or spread about it."""
    times = np.full(1000, 0.001)
    times[::25] = p99 * np.linspace(1 - spread, 1 + spread, 40)
    return SweepStep(rate, made_load(times, **load), GOAL)  # type: ignore[arg-type]


def test_between_the_last_that_keeps_and_the_first_that_does_not() -> None:
    found = knee([step(400, 0.3), step(100, 0.01), step(200, 0.02)])
    assert (found.rate, found.broken, found.found) == (200, 400, True)
    assert (found.low, found.high, found.uncertain) == (200, 400, ())


def test_all_rates_keep_the_goal_or_none_does() -> None:
    found = knee([step(100, 0.01), step(200, 0.02)])
    assert (found.rate, found.broken, found.found, found.high) == (200, None, False, None)
    found = knee([step(100, 0.2), step(200, 0.3)])
    assert (found.rate, found.broken, found.found, found.low) == (None, 100, False, None)


def test_where_the_interval_holds_the_limit_chance_may_have_decided() -> None:
    unsure = step(200, 0.049, spread=0.5)
    assert unsure.uncertain
    found = knee([step(100, 0.01), unsure, step(400, 0.5)])
    assert 200 in found.uncertain
    assert (found.low, found.high) == (100, 400)


def test_a_higher_rate_that_keeps_it_after_one_that_does_not() -> None:
    found = knee([step(100, 0.01), step(200, 0.2), step(300, 0.01)])
    assert (found.rate, found.broken, found.above) == (100, 200, (300,))


def test_errors_break_a_goal_however_fast_they_are() -> None:
    failing = step(100, 0.01, failed={"overloaded": 50})
    assert failing.broken == ("errors", "throughput") or failing.broken == ("errors",)
    assert failing.errors == pytest.approx(0.05)
    assert not failing.uncertain


def test_a_queue_that_is_left_over_is_not_keeping_up() -> None:
    growing = SweepStep(100, made_load(np.linspace(0, 4, 1000)), GOAL)
    assert growing.saturated
    assert growing.kept_up == pytest.approx(0.56, abs=0.02)
    never_sent = step(100, 0.01, generator=replace(QUIET, unsent=500))
    assert never_sent.kept_up == pytest.approx(2 / 3, abs=0.01)


def test_nothing_was_answered() -> None:
    dead = step(100, 0.01, failed={"connection": 1000})
    assert dead.p99 is None
    assert "p99" in dead.broken
    assert knee([dead]).rate is None


def test_goals_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="limit of p99"):
        SweepGoal(p99=0)
    with pytest.raises(OptionError, match="errors"):
        SweepGoal(p99=1, errors=1.5)
