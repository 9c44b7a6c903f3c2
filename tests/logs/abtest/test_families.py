"""Families of comparisons: by other tools on values of each user, and in simulated experiments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import tea_tasting
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from cleverdon._common.arrays import Floats
from cleverdon.logs.abtest.analysis import _corrected
from cleverdon.logs.abtest.effects import EffectOptions, estimate_effect
from cleverdon.logs.abtest.results import Effect, Participants
from cleverdon.logs.metrics.base import find_metric
from tests.logs.abtest.made import COLUMNS, aggregates, simulated

HOW = EffectOptions(level=0.05, cuped=False, sequential=False, wanted=0.05, confidence=0.95)
USERS = 150
METRICS = ("Success", "QueriesPerSession", "Dwell")
Sums = dict[str, list[tuple[Floats, Floats]]]


def users_of(seed: int, effect: float = 0.0) -> Sums:
    """Numerator and denominator of each metric, by user, of a control and two variants."""
    random = np.random.default_rng(seed)
    found: Sums = {}
    for variant in "ABC":
        of = effect if variant == "C" else 0.0
        good, sessions, none, _ = simulated(random, USERS, effect=of, past=False)
        spent = good + random.gamma(2, 1, USERS)
        found[variant] = [(good, sessions), (sessions, none + 1), (spent, sessions)]
    return found


def family(
    sums: Sums, correction: str, how: EffectOptions = HOW, variants: str = "BC"
) -> list[Effect]:
    """All comparisons with A, as one family."""
    return corrected(effects_of(sums, how, variants), correction, how)


def effects_of(sums: Sums, how: EffectOptions, variants: str = "BC") -> list[tuple[Effect, Any]]:
    none = np.zeros(USERS)
    return [
        estimate_effect(
            find_metric(name),  # type: ignore[arg-type]
            ("A", variant),
            COLUMNS,
            aggregates(*sums["A"][at], none, none),
            aggregates(*sums[variant][at], none, none),
            how,
        )
        for variant in variants
        for at, name in enumerate(METRICS)
    ]


def corrected(found: list[tuple[Effect, Any]], correction: str, how: EffectOptions) -> list[Effect]:
    users = dict.fromkeys("ABC", USERS)
    who = Participants("user", 0, 86_400_000, users, 0, 0, 0, (3 * USERS,))
    return _corrected(found, who, how, primary=True, correction=correction, power=0.8)


def test_by_statsmodels_on_values_of_each_user() -> None:
    """A ratio is compared as the mean of what each user adds to it beside the ratio itself."""
    sums = users_of(7, effect=0.1)
    rivals = []
    for variant in "BC":
        for at in range(len(METRICS)):
            sides = []
            for n, d in (sums[variant][at], sums["A"][at]):
                ratio = n.sum() / d.sum()
                sides.append(DescrStatsW(ratio + (n - ratio * d) / d.mean()))
            rivals.append(CompareMeans(*sides))
    p_values = [float(rival.ttest_ind(usevar="unequal")[1]) for rival in rivals]
    for correction, name in (
        ("holm", "holm"),
        ("bonferroni", "bonferroni"),
        ("benjamini-hochberg", "fdr_bh"),
    ):
        found = family(sums, correction)
        adjusted = multipletests(p_values, method=name)[1]
        shown = sum(adjusted <= 0.05)
        assert 0 < shown < len(p_values)
        count = len(p_values) / shown if name == "fdr_bh" else len(p_values)
        for one, rival, p, q in zip(found, rivals, p_values, adjusted, strict=True):
            scale = one.metric.scale
            assert (one.p, one.corrected) == (pytest.approx(p), pytest.approx(q))
            ends = rival.tconfint_diff(alpha=0.05 / count, usevar="unequal")
            alone = rival.tconfint_diff(alpha=0.05, usevar="unequal")
            assert (one.low, one.high) == pytest.approx([end / scale for end in ends])
            assert (one.unadjusted_low, one.unadjusted_high) == pytest.approx(
                [end / scale for end in alone]
            )


def test_by_tea_tasting() -> None:
    sums = users_of(3, effect=0.1)
    columns = {
        f"{kind}{at}": np.concatenate([sums[variant][at][part] for variant in "AC"])
        for at in range(len(METRICS))
        for part, kind in enumerate("nd")
    }
    table = pa.table({**columns, "variant": ["A"] * USERS + ["C"] * USERS})
    metrics = {
        name: tea_tasting.RatioOfMeans(f"n{at}", f"d{at}") for at, name in enumerate(METRICS)
    }
    result = tea_tasting.Experiment(metrics).analyze(table, control="A")
    adjusted = tea_tasting.multiplicity.adjust_fwer(result, method="bonferroni")  # by steps: Holm's
    found = {str(one.metric): one for one in family(sums, "holm", variants="C")}
    rows = adjusted.to_dicts()
    assert len(rows) == len(found)
    for row in rows:
        one = found[row["metric"]]
        assert (one.p, one.corrected) == pytest.approx((row["pvalue"], row["pvalue_adj"]))


def test_the_relative_interval_by_hand() -> None:
    """All factors whose product with the control is not rejected, found on a grid."""
    sums = users_of(1, effect=0.1)
    one = family(sums, "none")[4]
    (x, _), (y, _) = sums["A"][1], sums["C"][1]
    kept = [
        factor
        for factor in np.linspace(0.7, 1.6, 901)
        if stats.ttest_ind(y, factor * x, equal_var=False).pvalue > 0.05
    ]
    assert one.relative_low == pytest.approx(kept[0] - 1, abs=1e-3)
    assert one.relative_high == pytest.approx(kept[-1] - 1, abs=1e-3)


def test_a_control_that_may_be_zero_has_no_relative_interval() -> None:
    sums = users_of(1)
    rare = np.where(np.arange(USERS) < 2, 1.0, 0.0)
    sums["A"][0] = (rare, np.ones(USERS))
    found = family(sums, "holm")[0]
    assert found.low is not None
    assert (found.relative_low, found.relative_high) == (None, None)


@pytest.mark.parametrize("sequential", [False, True])
def test_null_effects(sequential: bool) -> None:
    """False alarms, joint coverage, and intervals that never contradict Bonferroni's verdict."""
    experiments, nominal = 50, 0.05
    how = replace(HOW, sequential=sequential, wanted=0.2)
    names = ("holm", "bonferroni", "none")
    alarms, missed, contradicted = (dict.fromkeys(names, 0) for _ in range(3))
    for seed in range(experiments):
        effects = effects_of(users_of(seed), how)
        for correction in names:
            found = corrected(effects, correction, how)
            shown = [one.verdict(nominal) != "not shown" for one in found]
            outside = [one.excludes_zero for one in found]
            alarms[correction] += any(shown)
            missed[correction] += any(outside)
            contradicted[correction] += shown != outside
            for one in found:  # in per cent, the interval says the same
                assert one.relative_low is not None
                assert one.relative_high is not None
                assert (one.relative_low > 0 or one.relative_high < 0) == one.excludes_zero
    for correction in ("holm", "bonferroni"):
        for wrong in (alarms, missed):
            p = stats.binomtest(wrong[correction], experiments, nominal, "greater").pvalue
            assert p > 0.01
    assert contradicted["bonferroni"] == contradicted["none"] == 0
    if not sequential:
        assert alarms["none"] > 3 * alarms["bonferroni"]


def test_intervals_hold_true_effects_at_once() -> None:
    """Where C is better: the chance that all intervals of a family hold the truth."""
    experiments = 40
    values = [[float(n.sum() / d.sum()) for n, d in _many(effect)] for effect in (0.0, 0.08)]
    truth = [0.0] * 3 + [new - old for old, new in zip(*values, strict=True)]
    wrong = 0
    for seed in range(experiments):
        found = family(users_of(seed + 500, effect=0.08), "bonferroni")
        wrong += not all(
            one.low <= true / one.metric.scale <= one.high  # type: ignore[operator]
            for one, true in zip(found, truth, strict=True)
        )
    assert stats.binomtest(wrong, experiments, 0.05, "greater").pvalue > 0.01


def _many(effect: float) -> list[tuple[Floats, Floats]]:
    """The metrics of so many users that chance is gone."""
    random = np.random.default_rng(99)
    good, sessions, none, _ = simulated(random, 400_000, effect=effect, past=False)
    spent = good + random.gamma(2, 1, len(good))
    return [(good, sessions), (sessions, none + 1), (spent, sessions)]
