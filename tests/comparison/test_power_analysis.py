"""The power of comparisons."""

from __future__ import annotations

import sys
from math import ceil, inf, isinf, isnan, sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from cleverdon import evaluate, power
from cleverdon.comparison.differences import compare
from cleverdon.errors import MissingExtra, OptionError
from cleverdon.stats.power import power_of_test, sample_size_needed, smallest_difference
from cleverdon.stats.tests import _randomisation_test
from tests.comparison.made import made

# The quantiles of a normal distribution: queries that are as normal as 60 can be.
NORMAL = stats.norm.ppf((np.arange(60) + 0.5) / 60)
NORMAL = (NORMAL - NORMAL.mean()) / NORMAL.std(ddof=1)


def test_the_formula_same_as_statsmodels() -> None:
    oracle = TTestPower()
    rows = 0.05 + 0.2 * NORMAL
    how = {"method": "t", "level": 0.05}
    assert power_of_test(rows, **how) == pytest.approx(oracle.power(0.25, 60, 0.05))
    assert sample_size_needed(rows, **how) == ceil(oracle.solve_power(0.25, power=0.8, alpha=0.05))
    smallest = oracle.solve_power(nobs=60, power=0.8, alpha=0.05) * 0.2
    assert smallest_difference(rows, **how) == pytest.approx(smallest, rel=2e-3)


@pytest.mark.parametrize("test", ["randomisation", "t"])
def test_resampling_is_near_the_formula_where_queries_are_normal(test: str) -> None:
    rows = 0.08 + 0.2 * NORMAL
    # A thousand resamples: two standard errors of a power of .8 are .025.
    assert power_of_test(rows, test=test) == pytest.approx(
        power_of_test(rows, method="t"), abs=0.04
    )
    assert sample_size_needed(rows, test=test) == pytest.approx(
        sample_size_needed(rows, method="t"), rel=0.1
    )
    assert smallest_difference(rows, test=test) == pytest.approx(
        smallest_difference(rows, method="t"), rel=0.06
    )


def test_resampling_by_a_formula_of_its_own() -> None:
    # Of the queries two thirds are up, by the same, and none is down: k ups have p = 2 / 2^k, so
    # that it takes six of them.
    rows = np.array([0.5, 0.5, 0.5, 0.5, 0.0, 0.0])
    for n in (6, 8, 10, 14):
        exact = stats.binom.sf(5, n, 2 / 3)
        assert power_of_test(rows, units=n) == pytest.approx(exact, abs=3 * sqrt(0.25 / 1000))
    assert sample_size_needed(rows) in (10, 11)
    assert power_of_test(rows, units=5) == 0
    assert isinf(smallest_difference(np.array([0.1, 0.2, 0.3, 0.1, 0.2])))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.05, 0.002])
def test_resampling_finds_what_the_randomisation_test_finds(level: float, alternative: str) -> None:
    skewed = np.random.default_rng(1).exponential(0.3, size=40) - 0.2
    steps = np.repeat([1.0, 0.0, -1.0], [15, 24, 1])
    for rows in (skewed, steps):
        drawn = rows[np.random.default_rng(0).integers(0, 40, size=(1000, 40))]
        found = _randomisation_test(drawn, alternative=alternative, draws=8_000)
        share = float(np.mean([p.p <= level for p in found]))
        ours = power_of_test(rows, alternative=alternative, level=level)
        assert ours == pytest.approx(share, abs=0.015)


def test_wilcoxon_and_sign_tests_are_resampled_too() -> None:
    rows = 0.1 + 0.2 * NORMAL[::2]
    by = {test: power_of_test(rows, test=test) for test in ("randomisation", "wilcoxon", "sign")}
    assert by["wilcoxon"] == pytest.approx(by["randomisation"], abs=0.08)
    assert 0.3 < by["sign"] < by["randomisation"]


def test_more_queries_larger_differences_more_power() -> None:
    rows = np.random.default_rng(2).normal(0.05, 0.2, size=25)
    for method in ("t", "resampling"):
        powers = [power_of_test(rows, difference=0.1, units=n, method=method) for n in (5, 20, 80)]
        assert powers == sorted(powers)
        powers = [power_of_test(rows, difference=d, method=method) for d in (0.02, 0.1, 0.3)]
        assert powers == sorted(powers)
        assert power_of_test(rows, difference=0.0, method=method) == pytest.approx(0.05, abs=0.03)


def test_small_differences_take_the_normal_distribution() -> None:
    rows = 0.002 + 0.2 * NORMAL
    assert sample_size_needed(rows) == pytest.approx(
        sample_size_needed(rows, method="t"), rel=0.001
    )


def test_answers_are_the_same_on_every_call() -> None:
    rows = np.random.default_rng(3).normal(0.1, 0.2, size=15)
    assert sample_size_needed(rows) == sample_size_needed(rows)
    assert power_of_test(rows, seed=1) == pytest.approx(power_of_test(rows, seed=2), abs=0.06)


@pytest.mark.parametrize("method", ["t", "resampling"])
def test_one_query_and_no_spread(method: str) -> None:
    one = np.array([0.3])
    assert isnan(power_of_test(one, method=method))
    assert isnan(sample_size_needed(one, method=method))
    assert isnan(smallest_difference(one, method=method))
    none = np.zeros(10)
    assert power_of_test(none, method=method) == 0
    assert sample_size_needed(none, method=method) == inf
    assert isnan(smallest_difference(none, method=method))
    same = np.full(10, 0.1)
    assert power_of_test(same, method=method) == 1
    assert sample_size_needed(same, method=method) == {"t": 2, "resampling": 6}[method]
    assert sample_size_needed(same, alternative="less", method=method) == inf


QRELS = {f"q{i}": {"a": 1, "b": 1} for i in range(30)}
RANDOM = np.random.default_rng(4)
RUNS = {
    name: {q: {d: RANDOM.random() + up * (d in "ab") for d in "abcdef"} for q in QRELS}
    for name, up in (("low", 0.0), ("middle", 0.1), ("high", 0.4))
}


def test_of_a_comparison() -> None:
    scores = evaluate(QRELS, RUNS, ["AP", "GMAP"])
    comparison = compare(scores, baseline="low")
    found = power(comparison)
    assert [(p.system, str(p.measure)) for p in found] == [
        (d.system, str(d.measure)) for d in comparison.differences
    ]
    assert {p.level for p in found} == {0.05 / 2}
    assert {p.method for p in found} == {"resampling"}
    ap = scores.values[2, 0] - scores.values[0, 0]
    high = found[2]
    assert high.difference == pytest.approx(ap.mean())
    assert high.power == power_of_test(ap, level=0.025)
    assert high.needed == sample_size_needed(ap, level=0.025)
    assert high.smallest == smallest_difference(ap, level=0.025)
    logs = np.log(np.maximum(scores.values[2, 1], 1e-5)) - np.log(
        np.maximum(scores.values[0, 1], 1e-5)
    )
    assert found[3].difference == pytest.approx(logs.mean())


def test_of_another_difference_and_by_t() -> None:
    scores = evaluate(QRELS, RUNS, "AP")
    comparison = compare(scores, baseline="high", test="t", correction="none")
    first, second = power(comparison, difference=0.1, target=0.9)
    assert (first.method, first.level, first.target) == ("t", 0.05, 0.9)
    assert first.difference == second.difference == -0.1  # the way it was seen
    oracle = TTestPower().power(0.1 / first.deviation, 30, 0.05)
    assert first.power == pytest.approx(oracle)
    up = compare(scores, baseline="high", test="t", alternative="greater", correction="none")
    assert power(up, difference=0.1)[0].difference == 0.1
    assert power(up)[0].needed == inf  # it is lower, and that is not asked about


def test_what_does_not_fit() -> None:
    scores = evaluate(QRELS, RUNS, "AP")
    comparison = compare(scores, baseline="low", test="bootstrap")
    with pytest.raises(OptionError, match="no resampling for test='bootstrap'"):
        power(comparison)
    assert power(comparison, method="t")[0].method == "t"
    for bad in ({"difference": -0.1}, {"target": 0.01}, {"level": 0.0}, {"method": "T"}):
        with pytest.raises(OptionError):
            power(compare(scores, baseline="low"), **bad)


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    comparison = compare(evaluate(QRELS, RUNS, "AP"), baseline="low")
    assert power(comparison)[0].method == "resampling"
    with pytest.raises(MissingExtra, match=r"cleverdon\[stats\]"):
        power(comparison, method="t")


def test_each_family_has_its_level() -> None:
    values = {"a": [0.1, 0.4, 0.3, 0.2], "b": [0.2, 0.3, 0.5, 0.4], "c": [0.3, 0.1, 0.2, 0.6]}
    scores = made({name: {"AP": of, "RR": of[::-1], "P@5": of} for name, of in values.items()})
    found = power(compare(scores, primary="RR"), method="t")
    levels = {(str(one.measure), one.level) for one in found}
    assert levels == {("AP", 0.05 / 6), ("RR", 0.05 / 3), ("P@5", 0.05 / 6)}
    assert "p <= 0.0083 by AP, P@5, p <= 0.017 by RR, if this one were true" in str(found)
    assert {one.level for one in power(compare(scores), level=0.01, method="t")} == {0.01}
