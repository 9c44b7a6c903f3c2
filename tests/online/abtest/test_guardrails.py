"""Not worse by more than a margin."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from cleverdon.errors import OptionError
from cleverdon.online.abtest.effects import How, effect
from cleverdon.online.abtest.guardrails import check_direction, guardrail, margins
from cleverdon.online.abtest.results import Guardrail
from cleverdon.online.metrics.registry import find
from tests.online.abtest.made import COLUMNS, aggregates

HOW = How(level=0.05, cuped=False, sequential=False, wanted=0.05)


def held(x, y, margin: float, metric: str = "Latency", how: How = HOW) -> Guardrail:  # type: ignore[no-untyped-def]
    """A guardrail on a mean of one number a user: the control's and the variant's."""
    sides = [aggregates(values, np.ones(len(values)), 0 * values, 0 * values) for values in (x, y)]
    return guardrail(*effect(find(metric), ("A", "B"), COLUMNS, *sides, how), margin, how)  # type: ignore[arg-type]


def test_by_hand() -> None:
    random = np.random.default_rng(1)
    x, y = random.gamma(9, 10, 60), random.gamma(9, 10, 50)
    found = held(x, y, 0.1)
    beyond = y.mean() - 1.1 * x.mean()
    parts = y.var(ddof=1) / 50, 1.1**2 * x.var(ddof=1) / 60
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 49 + parts[1] ** 2 / 59)
    assert found.p == pytest.approx(stats.t.cdf(beyond / sqrt(sum(parts)), freedom))
    assert found.p_beyond == pytest.approx(1 - found.p)
    # It is Welch's test of the variant against a control that is 10% slower.
    welch = stats.ttest_ind(y, 1.1 * x, equal_var=False, alternative="less")
    assert found.p == pytest.approx(welch.pvalue)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize(
    ("metric", "factor", "verdict"),
    [
        ("Latency", 1.0, "kept"),
        ("Latency", 0.8, "kept"),
        ("Latency", 1.3, "broken"),
        ("Latency", 1.05, "open"),
        ("Success", 1.3, "kept"),
        ("Success", 0.8, "broken"),
    ],
)
def test_the_bad_direction_is_the_metrics_own(
    metric: str, factor: float, verdict: str, sequential: bool
) -> None:
    x = np.tile([90.0, 100.0, 110.0], 700)
    found = held(x, factor * x, 0.05, metric, replace(HOW, sequential=sequential))
    assert found.verdict == verdict


def test_at_the_margin_it_is_kept_by_mistake_as_often_as_the_level_says() -> None:
    random = np.random.default_rng(2)
    mistakes = sum(
        held(random.gamma(9, 10, 100), random.gamma(9, 10.5, 100), 0.05).verdict == "kept"
        for _ in range(160)
    )
    assert stats.binomtest(mistakes, 160, 0.05).pvalue > 0.01


def test_where_nothing_can_be_tested_it_stays_open() -> None:
    zero, some = np.zeros(3), np.array([0.0, 1, 2])
    assert held(zero, some, 0.1).verdict == "open"
    assert held(zero, some, 0.1).p is None


def test_margins() -> None:
    assert margins({"Latency": 0.1}) == {"Latency": 0.1}
    assert margins("Latency") == {"Latency": 0.02}
    for wrong in ("Latency=fast", "Latency="):
        with pytest.raises(OptionError, match="a margin is a share, as in Latency"):
            margins([wrong])
    for wrong in ("Latency=0", "Latency=2", "Latency=nan"):
        with pytest.raises(OptionError, match="above 0 and below 1"):
            margins([wrong])
    with pytest.raises(OptionError, match="Dwell is no guardrail"):
        check_direction(find("Dwell"))  # type: ignore[arg-type]
