"""Queries needed and power: against statsmodels, enumeration and simulation."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf, sqrt

import numpy as np
import pytest
from statsmodels.stats.power import FTestAnovaPower, TTestPower

from cleverdon import evaluate
from cleverdon.comparison.power_analysis import _score_variance, design_query_set
from cleverdon.comparison.samples import samples
from cleverdon.errors import OptionError
from cleverdon.stats.power import (
    _common_step,
    _saddlepoint_p_values,
    normal_difference,
    normal_sample_size,
    sample_size_for_anova,
    sample_size_for_interval,
    sample_size_for_t_test,
    t_test_power,
)
from cleverdon.stats.tests import _enumerate_signs
from tests.comparison.made import made

SIDES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("level", [0.01, 0.05, 0.1])
def test_t_power_and_units_same_as_statsmodels(level: float, alternative: str) -> None:
    oracle = TTestPower()
    side = -1 if alternative == "less" else 1
    for effect in (0.1, 0.25, 0.5, 1.0, 2.0):
        for n in (2, 3, 10, 50, 200):
            theirs = oracle.power(side * effect, n, level, alternative=SIDES[alternative])
            ours = t_test_power(side * effect * 0.2, 0.2, n, level=level, alternative=alternative)
            if np.isnan(theirs):  # far out, scipy has NaN for the side that has nothing
                assert 1 - 1e-4 < ours <= 1
            else:
                assert ours == pytest.approx(theirs, abs=1e-6)
        for power in (0.5, 0.8, 0.95):
            ours = int(
                sample_size_for_t_test(
                    side * effect * 0.2, 0.2, level=level, power=power, alternative=alternative
                )
            )
            # Its own solver does not always converge; what it says of this number and the one
            # below it does as well.
            reached, below = (
                oracle.power(side * effect, n, level, alternative=SIDES[alternative])
                for n in (ours, ours - 1)
            )
            assert reached >= power
            assert ours == 2 or below < power


@pytest.mark.parametrize("systems", [2, 3, 10, 50])
def test_anova_units_same_as_statsmodels(systems: int) -> None:
    for gap in (0.1, 0.25, 0.5, 1.0):
        # The best and the worst are `gap` deviations apart, the others half way.
        effect = gap / sqrt(2 * systems)
        exact = FTestAnovaPower().solve_power(effect, power=0.8, alpha=0.05, k_groups=systems)
        ours = sample_size_for_anova(gap * 0.3, 0.3, systems=systems)
        assert ours == ceil(float(exact) / systems - 1e-6)


def test_interval_units_by_simulation() -> None:
    from scipy.stats import t

    n = int(sample_size_for_interval(0.1, 0.1))
    assert n == 18
    random = np.random.default_rng(1)
    widths = []
    for units in (n - 1, n):
        spreads = random.normal(0, 0.1, size=(100_000, units)).std(axis=1, ddof=1)
        widths.append(2 * t.ppf(0.975, units - 1) * spreads.mean() / sqrt(units))
    assert widths[0] > 0.1 >= widths[1] - 1e-4


def test_known_numbers() -> None:
    # Half a standard deviation, 5%, 80%: 34 queries, as textbooks have it.
    assert sample_size_for_t_test(0.5, 1) == 34
    # Approximations of the normal distribution ask for two fewer.
    assert normal_sample_size(0.5, 1) == 32
    assert normal_difference(1, 32) == pytest.approx(0.5, abs=0.01)


def test_nothing_to_find_and_nothing_in_the_way() -> None:
    assert sample_size_for_t_test(0, 0.2) == inf
    assert sample_size_for_t_test(-0.1, 0.2, alternative="greater") == inf
    assert normal_sample_size(0, 0.2) == inf
    assert sample_size_for_anova(0, 0.2, systems=3) == inf
    assert sample_size_for_t_test(1e-9, 0.2) == inf  # more than anybody counts
    assert sample_size_for_t_test(0.1, 0) == 2
    assert sample_size_for_anova(0.1, 0, systems=3) == 2
    assert sample_size_for_interval(0.1, 0) == 2
    assert t_test_power(0, 0, 10) == 0
    assert t_test_power(0.1, 0.2, 1) == 0


def test_bad_options() -> None:
    for bad in ({"level": 0}, {"level": 1.5}, {"power": 1}, {"power": 0.01}):
        with pytest.raises(OptionError):
            sample_size_for_t_test(0.1, 0.2, **bad)
    with pytest.raises(OptionError, match="deviation=-1"):
        sample_size_for_t_test(0.1, -1)
    with pytest.raises(OptionError, match="systems=1: expected a whole number from 2 on"):
        sample_size_for_anova(0.1, 0.2, systems=1)
    with pytest.raises(OptionError, match="width=0"):
        sample_size_for_interval(0, 0.2)


def test_a_design_from_earlier_runs() -> None:
    random = np.random.default_rng(2)
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    runs = {
        name: {query: {"a": random.random(), "b": 0.5, "c": 0.6} for query in qrels}
        for name in ("one", "two", "three")
    }
    of = samples(evaluate(qrels, runs, ["RR", "P@1"]))
    found = design_query_set(of, difference=0.1, systems=3)
    for sample, one in zip(of, found, strict=True):
        residual = sample.values - sample.values.mean(axis=1, keepdims=True)
        variance = float((residual**2).sum() / (3 * 19))
        assert one.variance == _score_variance(sample) == pytest.approx(variance)
        assert one.by_t == sample_size_for_t_test(0.1, sqrt(2 * variance))
        assert one.by_anova == sample_size_for_anova(0.1, sqrt(variance), systems=3)
        assert one.by_interval == sample_size_for_interval(0.2, sqrt(2 * variance))
    # The coarser measure varies more, and needs more queries.
    assert found[1].by_t > found[0].by_t
    alone = samples(evaluate({"q0": {"a": 1}}, {"r": {"q0": {"a": 1.0}}}, "RR"))
    with pytest.raises(OptionError, match="only one query"):
        design_query_set(alone, difference=0.1)


def test_of_a_geometric_mean_logarithms_vary() -> None:
    values = {"one": [0.1, 0.5, 0.2], "two": [0.3, 0.01, 0.9]}
    (sample,) = samples(made({name: {"GMAP": of} for name, of in values.items()}))
    expected = np.mean([np.var(np.log(of), ddof=1) for of in values.values()])
    assert _score_variance(sample) == pytest.approx(expected)


Generator = np.random.Generator
KINDS: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": lambda r, n: r.normal(0.15, 0.3, n),
    "skewed": lambda r, n: r.exponential(0.3, n) - 0.15,
    "heavy": lambda r, n: r.standard_t(2, n) * 0.2 + 0.1,
    "one outlier": lambda r, n: np.append(r.normal(0.05, 0.2, n - 1), 1.0),
    "wins": lambda r, n: r.choice([-1.0, 1.0], n, p=[0.3, 0.7]),
    "tenths": lambda r, n: r.integers(-3, 6, n) / 10,
}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", KINDS)
def test_near_the_enumeration(kind: str, alternative: str) -> None:
    random = np.random.default_rng(1)
    off = []
    for _ in range(150):
        towards = KINDS[kind](random, 18)
        exact = _enumerate_signs(towards, both=alternative == "two-sided").p
        row = -towards if alternative == "less" else towards
        found = float(
            _saddlepoint_p_values(row[None], alternative=alternative, step=_common_step(row))[0]
        )
        assert 0 < found <= 1
        if 1e-4 < exact < 0.3:
            off.append(abs(np.log(found / exact)))
    assert len(off) > 5
    assert np.median(off) < 0.06
    assert max(off) < 0.5


def test_all_one_way_and_none() -> None:
    rows = np.array([[0.1] * 15 + [0.0], [-0.2] * 16, [0.1, -0.1] * 8])
    assert _saddlepoint_p_values(rows).tolist() == [2 * 0.5**15, 2 * 0.5**16, 1.0]
    assert _saddlepoint_p_values(rows, alternative="less").tolist() == [1.0, 0.5**16, 1.0]


def test_steps() -> None:
    assert _common_step(np.array([0.3, -0.2, 0.0])) == pytest.approx(0.1)
    assert _common_step(np.array([0.5, 1.5])) == 0.5
    assert _common_step(np.array([0.05, 0.15, 1.0]) * 7) == pytest.approx(0.35)
    assert _common_step(np.array([0.12, 0.1234567])) == 0
    assert _common_step(np.zeros(3)) == 0
