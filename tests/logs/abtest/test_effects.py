"""The difference on one metric: against other tools, by hand, and in simulated experiments."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
import tea_tasting
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.logs.abtest.effects import (
    Arms,
    EffectOptions,
    check_direction,
    check_guardrail,
    estimate_effect,
    guardrail_margins,
)
from cleverdon.logs.abtest.results import Effect, Guardrail
from cleverdon.logs.metrics.base import find_metric
from tests.logs.abtest.made import COLUMNS, aggregates, simulated, true_effect

HOW = EffectOptions(level=0.05, cuped=False, sequential=False, wanted=0.05, confidence=0.95)
EXPERIMENTS = 160
CUPED = replace(HOW, cuped=True)

Sides = tuple[Floats, Floats, Floats, Floats]


def outcome(
    control: Sides, variant: Sides, how: EffectOptions = HOW, metric: str = "Success"
) -> tuple[Effect, Arms | None]:
    return estimate_effect(
        find_metric(metric),  # type: ignore[arg-type]
        ("A", "B"),
        COLUMNS,
        aggregates(*control),
        aggregates(*variant),
        how,
    )


def sides(seed: int, users: int = 300, effect: float = 0.0) -> tuple[Sides, Sides]:
    random = np.random.default_rng(seed)
    return simulated(random, users), simulated(random, users, effect=effect)


def test_the_delta_method_by_hand() -> None:
    n, d = np.array([1.0, 0, 3, 2]), np.array([2.0, 1, 4, 2])
    m, e = np.array([0.0, 1, 1]), np.array([1.0, 1, 5])
    none = np.zeros(4)
    found, arms = outcome((n, d, none, none), (m, e, none[:3], none[:3]))
    assert found.sides is not None
    assert [side.value for side in found.sides] == [6 / 9, 2 / 7]
    assert [side.denominator for side in found.sides] == [9, 7]
    # Sums of squares of n - r d, divided by users - 1, users and the squared mean of d.
    a = ((n - 6 / 9 * d) ** 2).sum() / 3 / 4 / (9 / 4) ** 2
    b = ((m - 2 / 7 * e) ** 2).sum() / 2 / 3 / (7 / 3) ** 2
    assert arms is not None
    assert arms.squared_error == pytest.approx(a + b)
    freedom = (a + b) ** 2 / (a**2 / 3 + b**2 / 2)
    t = (2 / 7 - 6 / 9) / sqrt(a + b)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    half = stats.t.ppf(0.975, freedom) * sqrt(a + b)
    assert found.low == pytest.approx(2 / 7 - 6 / 9 - half)
    assert found.relative == pytest.approx((2 / 7) / (6 / 9) - 1)
    assert [side.heaviest for side in found.sides] == [4 / 9, 5 / 7]


def test_a_mean_of_each_user_is_welchs_t() -> None:
    random = np.random.default_rng(1)
    x, y = random.gamma(2, 1, 40), random.gamma(2, 1.3, 25)
    control, variant = (x, np.ones(40), x * 0, x * 0), (y, np.ones(25), y * 0, y * 0)
    found, _ = outcome(control, variant, metric="QueriesPerSession")
    welch = stats.ttest_ind(y, x, equal_var=False)
    assert found.p == pytest.approx(welch.pvalue)
    rival = CompareMeans(DescrStatsW(y), DescrStatsW(x)).tconfint_diff(usevar="unequal")
    assert (found.low, found.high) == pytest.approx(rival)


@pytest.mark.parametrize("how", [HOW, CUPED])
def test_as_tea_tasting_does(how: EffectOptions) -> None:
    control, variant = sides(2, effect=0.05)
    columns = {
        name: np.concatenate(pair)
        for name, *pair in zip(("n", "d", "pn", "pd"), control, variant, strict=True)
    }
    table = pa.table({**columns, "variant": ["A"] * 300 + ["B"] * 300})
    past = ("pn", "pd") if how.cuped else ()
    rival = tea_tasting.RatioOfMeans("n", "d", *past).analyze(table, "A", "B", "variant")
    found, arms = outcome(control, variant, how)
    assert found.p == pytest.approx(rival.pvalue)
    assert found.difference == pytest.approx(rival.effect_size)
    assert (found.low, found.high) == pytest.approx(
        (rival.effect_size_ci_lower, rival.effect_size_ci_upper)
    )
    # Its interval is of the logarithm of the ratio, which can disagree with the test about 0.
    assert (found.relative_low, found.relative_high) == pytest.approx(
        (rival.rel_effect_size_ci_lower, rival.rel_effect_size_ci_upper), abs=0.02
    )
    assert arms is not None
    assert sqrt(arms.squared_error) == pytest.approx(rival.effect_size / rival.statistic)


@pytest.mark.parametrize("how", [HOW, CUPED])
def test_without_a_difference_p_values_are_even(how: EffectOptions) -> None:
    p_values = [outcome(*sides(seed, users=200), how)[0].p for seed in range(EXPERIMENTS)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    alarms = sum(p <= 0.05 for p in p_values if p is not None)
    assert stats.binomtest(alarms, EXPERIMENTS, 0.05).pvalue > 0.01


def test_intervals_hold_the_truth_and_sessions_taken_for_users_would_not() -> None:
    truth = true_effect(0.08)
    held = plainly = 0
    for seed in range(EXPERIMENTS):
        control, variant = sides(seed + 1000, users=200, effect=0.08)
        found, _ = outcome(control, variant)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
        # What it would be if each session were a sample of its own.
        rates = [side[0].sum() / side[1].sum() for side in (control, variant)]
        error = sqrt(
            sum(
                r * (1 - r) / side[1].sum()
                for r, side in zip(rates, (control, variant), strict=True)
            )
        )
        plainly += abs(rates[1] - rates[0] - truth) <= 1.96 * error
    assert stats.binomtest(held, EXPERIMENTS, 0.95).pvalue > 0.01
    assert plainly / EXPERIMENTS < 0.93


def test_cuped_takes_out_variance_and_moves_nothing() -> None:
    truth = true_effect(0.08)
    adjusted, plain, removed = [], [], []
    for seed in range(EXPERIMENTS):
        found, _ = outcome(*sides(seed + 5000, users=200, effect=0.08), CUPED)
        assert found.adjustment is not None
        adjusted.append(found.difference)
        plain.append(found.adjustment.raw_difference)
        removed.append(found.adjustment.removed)
        assert found.adjustment.known == pytest.approx(0.65, abs=0.15)
    assert np.mean(removed) > 0.15
    # What is said to be gone is gone, as far as so many experiments can tell.
    assert 1 - np.var(adjusted) / np.var(plain) == pytest.approx(np.mean(removed), abs=0.15)
    assert np.mean(adjusted) == pytest.approx(truth, abs=3.5 * np.std(adjusted) / sqrt(EXPERIMENTS))


def test_users_without_a_past_are_not_adjusted() -> None:
    random = np.random.default_rng(3)
    control, variant = simulated(random, 200, past=False), simulated(random, 200, past=False)
    adjusted, _ = outcome(control, variant, CUPED)
    plain, _ = outcome(control, variant)
    assert (adjusted.adjustment, adjusted.p) == (None, plain.p)


def test_users_who_differed_before_are_noticed() -> None:
    control, variant = sides(4)
    good, sessions, _, before = variant
    found, _ = outcome(control, (good, sessions, before, before), CUPED)
    assert found.adjustment is not None
    assert found.adjustment.p_before is not None
    assert found.adjustment.p_before < 1e-6


def test_those_who_look_often_need_more() -> None:
    control, variant = sides(5, effect=0.2)
    once, arms = outcome(control, variant)
    often, _ = outcome(control, variant, replace(HOW, sequential=True))
    assert arms is not None
    assert once.p is not None
    assert often.p is not None
    assert often.fixed_p == once.p < often.p
    assert often.low < once.low < once.high < often.high  # type: ignore[operator]
    assert often.relative_low < once.relative_low < once.relative_high < often.relative_high  # type: ignore[operator]


def test_what_cannot_be_tested_says_so() -> None:
    one, none = np.ones(3), np.zeros(3)
    alike, _ = outcome((one, one, none, none), (none, one, none, none))
    assert (alike.p, alike.difference) == (None, -1)
    assert alike.untested.startswith("users do not vary within either variant")
    same, _ = outcome((one, one, none, none), (one, one, none, none))
    assert (same.p, same.difference) == (None, 0)
    assert same.untested.startswith("all users of both variants have the same value")
    undefined, _ = outcome((one, one, none, none), (none, none, none, none))
    assert (undefined.p, undefined.sides) == (None, None)
    assert undefined.untested == "the log has no session"


@pytest.mark.parametrize("sequential", [False, True])
def test_nothing_in_either_variant_is_no_certainty(sequential: bool) -> None:
    one, none = np.ones(3), np.zeros(3)
    how = replace(HOW, sequential=sequential)
    found, arms = outcome((none, one, none, none), (none, one, none, none), how)
    assert arms is None
    assert (found.difference, found.low, found.high, found.p, found.fixed_p) == (0, *[None] * 4)
    assert found.untested == (
        "neither variant has any sessions with a click and a sign of success, so there is "
        "nothing to compare"
    )


@pytest.mark.parametrize("sequential", [False, True])
def test_intervals_of_shares_end_where_nothing_is_possible(sequential: bool) -> None:
    some, one, none = np.array([0.0, 1, 1]), np.ones(3), np.zeros(3)
    how = replace(HOW, sequential=sequential)
    sides = (some, one, none, none), (some[::-1], one, none, none)
    share, _ = outcome(*sides, how)
    assert (share.low, share.high) == (-1, 1)
    mean, _ = outcome(*sides, how, metric="QueriesPerSession")
    assert mean.low is not None
    assert mean.low < -1
    assert mean.p == share.p


@pytest.mark.parametrize("sequential", [False, True])
def test_nothing_in_one_of_the_variants(sequential: bool) -> None:
    some, one, none = np.array([0.0, 1, 1]), np.ones(3), np.zeros(3)
    how = replace(HOW, sequential=sequential)
    ceased, _ = outcome((some, one, none, none), (none, one, none, none), how)
    assert ceased.relative == -1
    assert ceased.relative_low is None
    assert ceased.p is not None
    begun, _ = outcome((none, one, none, none), (some, one, none, none), how)
    assert (begun.relative, begun.relative_low) == (None, None)
    # Whoever looks often has to say beforehand, as a share of the control, what to look for.
    assert (begun.p is None) == sequential
    assert begun.untested.startswith("the control's value is 0") == sequential


def held(x, y, margin: float, metric: str = "Latency", how: EffectOptions = HOW) -> Guardrail:  # type: ignore[no-untyped-def]
    """A guardrail on a mean of one number a user: the control's and the variant's."""
    sides = [aggregates(values, np.ones(len(values)), 0 * values, 0 * values) for values in (x, y)]
    return check_guardrail(
        *estimate_effect(find_metric(metric), ("A", "B"), COLUMNS, *sides, how), margin, how
    )  # type: ignore[arg-type]


def test_a_guardrail_by_hand() -> None:
    random = np.random.default_rng(1)
    x, y = random.gamma(9, 10, 60), random.gamma(9, 10, 50)
    found = held(x, y, 0.1)
    beyond = y.mean() - 1.1 * x.mean()
    parts = y.var(ddof=1) / 50, 1.1**2 * x.var(ddof=1) / 60
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 49 + parts[1] ** 2 / 59)
    assert found.p == pytest.approx(stats.t.cdf(beyond / sqrt(sum(parts)), freedom))
    assert found.p_beyond == pytest.approx(1 - found.p)
    # Each end of its interval is the margin at which one side's p would be the level.
    assert found.effect.confidence == pytest.approx(0.9)
    high = found.effect.relative_high
    assert high is not None
    assert stats.ttest_ind(
        y, (1 + high) * x, equal_var=False, alternative="less"
    ).pvalue == pytest.approx(0.05)
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
def test_a_guardrail_is_broken_in_the_metrics_bad_direction(
    metric: str, factor: float, verdict: str, sequential: bool
) -> None:
    x = np.tile([90.0, 100.0, 110.0], 700)
    found = held(x, factor * x, 0.05, metric, replace(HOW, sequential=sequential))
    assert found.verdict == verdict
    # The interval has the margin outside exactly where the verdict is not open.
    low, high = found.effect.relative_low, found.effect.relative_high
    assert low is not None
    assert high is not None
    margin = 0.05 if metric == "Latency" else -0.05
    assert (verdict == "open") == (low <= margin <= high)


def test_at_the_margin_a_guardrail_is_kept_as_often_as_the_level_says() -> None:
    random = np.random.default_rng(2)
    mistakes = sum(
        held(random.gamma(9, 10, 100), random.gamma(9, 10.5, 100), 0.05).verdict == "kept"
        for _ in range(160)
    )
    assert stats.binomtest(mistakes, 160, 0.05).pvalue > 0.01


def test_a_guardrail_that_cannot_be_tested_stays_open() -> None:
    zero, some = np.zeros(3), np.array([0.0, 1, 2])
    assert held(zero, some, 0.1).verdict == "open"
    assert held(zero, some, 0.1).p is None


def test_margins_of_guardrails() -> None:
    assert guardrail_margins({"Latency": 0.1}) == {"Latency": 0.1}
    assert guardrail_margins("Latency") == {"Latency": 0.02}
    for wrong in ("Latency=fast", "Latency="):
        with pytest.raises(OptionError, match="a margin is a share, as in Latency"):
            guardrail_margins([wrong])
    for wrong in ("Latency=0", "Latency=2", "Latency=nan"):
        with pytest.raises(OptionError, match="between 0 and 1"):
            guardrail_margins([wrong])
    with pytest.raises(OptionError, match="Dwell cannot be a guardrail"):
        check_direction(find_metric("Dwell"))  # type: ignore[arg-type]
