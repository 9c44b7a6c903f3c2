"""Confidence intervals."""

from __future__ import annotations

import sys
from inspect import signature
from itertools import product
from math import isnan
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from cleverdon import evaluate
from cleverdon.comparison.differences import compare
from cleverdon.comparison.samples import average_intervals
from cleverdon.errors import OptionError
from cleverdon.measures.notation import parse
from cleverdon.scores import _geometric_mean
from cleverdon.stats.intervals import (
    METHODS,
    Interval,
    interval,
    intervals,
    ratio_interval,
    t_outside,
    t_quantile,
)


def geometric(values: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.exp(np.log(np.maximum(values, 1e-5)).mean(axis=axis))


STATISTICS = {"mean": np.mean, "geometric": geometric, "median": np.median}


def seeded(seed: int) -> dict[str, np.random.Generator]:
    """The keyword changed its name in scipy 1.15."""
    word = "rng" if "rng" in signature(stats.bootstrap).parameters else "random_state"
    return {word: np.random.default_rng(seed)}


def same(found: Interval, low: float, high: float) -> bool:
    return (found.low, found.high) == (pytest.approx(low, rel=1e-9), pytest.approx(high, rel=1e-9))


@pytest.mark.parametrize("method", ["BCa", "percentile"])
@pytest.mark.parametrize(
    ("n", "name"),
    [(5, "mean"), (5, "median"), (8, "mean"), (8, "median"), *((30, name) for name in STATISTICS)],
)
def test_same_as_scipy_on_the_same_resamples(n: int, name: str, method: str) -> None:
    # scipy draws its resamples as we do, so the same generator gives the same ones. It takes a
    # resample of all queries for one below or above the estimate, as the last digit falls; with
    # whole 64ths no digit is lost, and with 30 queries there is no such resample.
    for seed in range(5):
        values = np.random.default_rng(seed).permutation(64)[:n] / 64
        found = interval(values, method=method.lower(), statistic=name, resamples=2000, seed=seed)
        theirs = stats.bootstrap(
            (values,),
            STATISTICS[name],
            n_resamples=2000,
            method=method,
            **seeded(seed),
        ).confidence_interval
        assert same(found, theirs.low, theirs.high)


@pytest.mark.parametrize("name", ["geometric", "median"])
def test_differences_of_averages_same_as_scipy(name: str) -> None:
    random = np.random.default_rng(3)
    ours, theirs = random.gamma(2, size=(2, 15))

    def gap(a: np.ndarray, b: np.ndarray, axis: int = -1) -> np.ndarray:
        return STATISTICS[name](a, axis=axis) - STATISTICS[name](b, axis=axis)

    (found,) = intervals(np.array([[ours], [theirs]]), statistic=name, resamples=3000, seed=4)
    other = stats.bootstrap(
        (ours, theirs), gap, paired=True, n_resamples=3000, **seeded(4)
    ).confidence_interval
    assert same(found, other.low, other.high)


def test_percentile_is_near_the_exact_one_of_all_resamples() -> None:
    values = np.array([0.1, 0.25, 0.4, 0.45, 0.9])
    every = np.array([np.mean(drawn) for drawn in product(values, repeat=5)])
    low, high = np.quantile(every, [0.05, 0.95])
    found = interval(values, method="percentile", confidence=0.9, resamples=100_000)
    assert (found.low, found.high) == (
        pytest.approx(low, abs=0.011),
        pytest.approx(high, abs=0.011),
    )


def test_bca_is_near_the_exact_one_of_all_resamples() -> None:
    values = np.array([0.1, 0.25, 0.4, 0.45, 0.9])
    every = np.array([np.mean(drawn) for drawn in product(values, repeat=5)])
    normal = NormalDist()
    below, equal = np.mean(every < 0.42 - 1e-9), np.mean(np.abs(every - 0.42) <= 1e-9)
    bias = normal.inv_cdf(below + equal / 2)
    # The jackknife of a mean is the values themselves, turned round and shrunk.
    pull = values - values.mean()
    acceleration = np.sum(pull**3) / (6 * np.sum(pull**2) ** 1.5)
    ends = [
        np.quantile(every, normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))))
        for z in (normal.inv_cdf(0.05), normal.inv_cdf(0.95))
    ]
    found = interval(values, method="bca", confidence=0.9, resamples=100_000)
    assert [found.low, found.high] == pytest.approx(ends, abs=0.011)


def test_student_same_as_scipy() -> None:
    values = np.random.default_rng(5).normal(0.3, 0.2, size=(3, 12))
    for row, found in zip(values, intervals(values, method="t", confidence=0.9), strict=True):
        theirs = stats.ttest_1samp(row, 0).confidence_interval(0.9)
        assert same(found, theirs.low, theirs.high)
    logs = stats.ttest_1samp(np.log(np.abs(values[0])), 0).confidence_interval(0.95)
    found = interval(np.abs(values[0]), method="t", statistic="geometric")
    assert same(found, np.exp(logs.low), np.exp(logs.high))


@pytest.mark.parametrize(
    ("method", "statistic", "at_least"),
    [
        ("t", "mean", 0.93),
        ("studentised", "mean", 0.93),
        ("bca", "mean", 0.91),
        ("percentile", "mean", 0.91),
        ("bca", "geometric", 0.91),
        ("percentile", "median", 0.91),
    ],
)
def test_the_truth_is_inside_about_as_often_as_stated(
    method: str, statistic: str, at_least: float
) -> None:
    # Skewed scores of 30 queries, where bootstrap intervals are known to be a little short.
    drawn = np.random.default_rng(6).beta(1, 2, size=(600, 30))
    many = np.random.default_rng(7).beta(1, 2, size=2_000_000)
    truth = float(STATISTICS[statistic](many))
    found = [
        interval(row, method=method, statistic=statistic, resamples=400, seed=i)
        for i, row in enumerate(drawn)
    ]
    inside = float(np.mean([one.low <= truth <= one.high for one in found]))
    assert at_least <= inside <= 0.95 + 3 * (0.95 * 0.05 / len(found)) ** 0.5


def test_any_statistic_can_be_given() -> None:
    values = np.random.default_rng(8).random(20)
    mine = interval(values, statistic=lambda drawn: drawn.mean(axis=-1))
    assert (mine.low, mine.high) == pytest.approx(
        (interval(values, method="bca").low, interval(values, method="bca").high), rel=1e-9
    )
    with pytest.raises(OptionError, match="last axis"):
        interval(values, statistic=lambda drawn: drawn.mean())


def test_blocks_and_neighbours_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(9).random((7, 13))
    for statistic in ("mean", "median"):
        whole = intervals(values, statistic=statistic, resamples=999)
        with monkeypatch.context() as patch:
            patch.setattr("cleverdon.stats.resampling.BLOCK", 2000)
            apart = intervals(values, statistic=statistic, resamples=999)
        alone = [interval(row, statistic=statistic, resamples=999) for row in values]
        for a, b, c in zip(whole, apart, alone, strict=True):
            assert same(a, b.low, b.high)
            assert same(a, c.low, c.high)


@pytest.mark.parametrize("method", list(METHODS))
def test_one_unit_and_equal_values(method: str) -> None:
    one = interval(np.array([0.4]), method=method)
    assert isnan(one.low)
    assert isnan(one.high)
    equal = interval(np.full(7, 0.1), method=method)
    assert isnan(equal.low)  # which would claim to be certain
    assert isnan(equal.high)
    several = interval(np.array([0.1, 0.3, 0.2, 0.25, 0.15, 0.2]), method=method)
    assert several.low < 0.2 < several.high


def test_an_outlier_leaves_the_ends_within_the_data() -> None:
    values = np.array([0.0] * 40 + [1.0])
    found = interval(values, method="bca", confidence=0.9999)
    assert 0 <= found.low < found.high <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bac"}, "did you mean 'bca'"),
        ({"statistic": "medium"}, "did you mean 'median'"),
        ({"confidence": 1.0}, "between 0 and 1"),
        ({"resamples": 0}, "at least 1"),
        ({"method": "t", "statistic": "median"}, "for means"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        interval(np.array([0.1, 0.2]), **options)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="NaN"):
        interval(np.array([0.1, np.nan]))


QRELS = {f"q{i}": {"a": 1, "b": 1} for i in range(9)}
RUNS = {
    "one": {f"q{i}": {"ab"[i % 2]: 9.0, **{f"x{j}": j for j in range(i)}} for i in range(9)},
    "two": {f"q{i}": {"b": 0.5, **{f"x{j}": 1 + j for j in range(i // 2)}} for i in range(9)},
}


def test_comparisons_have_the_interval_of_what_they_compare() -> None:
    scores = evaluate(QRELS, RUNS, ["AP", "GMAP", "NumRet"])
    ap, gmap, count = compare(scores, baseline="one", interval="percentile", seed=5).differences
    ours, theirs = scores.values[1, :, :], scores.values[0, :, :]
    drawn = np.random.default_rng(5).integers(0, 9, size=(10_000, 9))
    ends = np.quantile((ours - theirs)[0][drawn].mean(axis=1), [0.025, 0.975])
    assert (ap.interval.low, ap.interval.high) == pytest.approx(tuple(ends))
    gaps = [
        _geometric_mean(ours[1][rows]) - _geometric_mean(theirs[1][rows]) for rows in drawn[:2000]
    ]
    ends = np.quantile(gaps, [0.025, 0.975])
    assert (gmap.interval.low, gmap.interval.high) == pytest.approx(tuple(ends), abs=0.02)
    assert gmap.interval.low < gmap.difference < gmap.interval.high
    assert count.interval.low <= count.difference <= count.interval.high
    assert count.difference == (ours - theirs)[2].sum()


def test_intervals_of_every_system() -> None:
    scores = evaluate(QRELS, RUNS, ["AP", "GMAP"])
    found = average_intervals(scores)
    assert list(found) == [(name, m) for m in scores.measures for name in scores.systems]
    for (name, measure), one in found.items():
        if name == "one":  # the same on every query
            assert isnan(one.low)
        else:
            assert one.low <= scores.mean(name, measure) <= one.high
    medians = average_intervals(scores, average="median", measures="AP", systems=["two"])
    assert list(medians) == [("two", parse("AP"))]


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "scipy", None)
    scores = evaluate(QRELS, RUNS, "AP")
    found = compare(scores, baseline="one").differences[0]
    assert found.interval.method == "t"
    assert found.interval.low < found.difference < found.interval.high


@pytest.mark.parametrize("freedom", [1, 2, 3.5, 9, 24, 49, 50, 51, 199, 10_000])
def test_students_distribution_same_as_scipy(freedom: float) -> None:
    for t in (0.01, 0.3, 1, 1.5, 2, 3, 10, 100):
        assert t_outside(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-10)
    for outside in (0.5, 0.1, 0.05, 0.001, 0.05 / 1900):
        expected = stats.t.isf(outside / 2, freedom)
        assert t_quantile(1 - outside, freedom) == pytest.approx(expected, rel=1e-10)


def test_the_ratio_is_inside_as_often_as_stated_and_unknown_where_the_baseline_may_be_0() -> None:
    random = np.random.default_rng(3)
    theirs = random.gamma(2, 0.2, size=(2000, 30))
    ours = 0.5 * theirs + random.gamma(2, 0.15, size=theirs.shape)
    found = [ratio_interval(*pair) for pair in zip(ours, theirs, strict=True)]
    inside = np.mean([one.low <= (0.2 + 0.3) / 0.4 <= one.high for one in found])
    assert 0.93 <= inside <= 0.965
    assert isnan(ratio_interval(ours[0], random.normal(0, 1, size=30)).low)


def test_what_is_infinite_has_no_interval() -> None:
    with pytest.raises(OptionError, match="NaN or infinite"):
        interval(np.array([1.0, np.inf, 2.0]))
