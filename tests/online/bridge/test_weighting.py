"""Means by traffic, against plain Python."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.compare.resampling import draws
from cleverdon.errors import InputError, OptionError
from cleverdon.online.bridge import weighted
from cleverdon.scores import Scores

TOPICS = [f"q{n}" for n in range(6)]


def scores_of(*systems: list[float]) -> Scores:
    """Scores whose P@10 of each topic are tenths as listed."""
    qrels = {topic: {f"d{n}": 1 for n in range(10)} for topic in TOPICS}
    runs = {
        f"run{s}": {
            topic: {f"d{n}" if n < tenths else f"x{n}": float(-n) for n in range(10)}
            for topic, tenths in zip(TOPICS, values, strict=True)
        }
        for s, values in enumerate(systems)
    }
    return evaluate(qrels, runs, "P@10")


tenths = st.lists(st.integers(0, 10), min_size=6, max_size=6)
traffics = st.lists(st.integers(0, 50), min_size=6, max_size=6).filter(any)


@given(first=tenths, second=tenths, traffic=traffics)
def test_weighted_means_agree_with_plain_python(
    first: list[int], second: list[int], traffic: list[int]
) -> None:
    weights = dict(zip(TOPICS, traffic, strict=True))
    found = weighted(scores_of(first, second), weights, resamples=20)
    for one, values in zip(found.means, (first, second), strict=True):
        by_traffic = sum(w * v for w, v in zip(traffic, values, strict=True)) / sum(traffic) / 10
        assert one.mean == pytest.approx(sum(values) / 60)
        assert one.weighted == pytest.approx(by_traffic)
        assert one.difference == one.weighted - one.mean
    (apart,) = found.differences
    assert apart.difference == pytest.approx((sum(second) - sum(first)) / 60)
    assert apart.weighted == pytest.approx(found.means[1].weighted - found.means[0].weighted)
    assert found.effective == pytest.approx(sum(traffic) ** 2 / sum(w * w for w in traffic))
    assert 1 <= found.effective <= sum(w > 0 for w in traffic) + 1e-9
    assert found.largest_share == max(traffic) / sum(traffic)
    assert found.with_traffic == sum(w > 0 for w in traffic)


def test_intervals_are_shares_of_resamples() -> None:
    values, traffic = [0, 2, 4, 5, 8, 10], [9, 1, 4, 2, 2, 7]
    (found,) = weighted(
        scores_of(values), dict(zip(TOPICS, traffic, strict=True)), resamples=300, seed=3
    ).means
    means, differences = [], []
    for _, blocks in draws(6, 300, block=300, seed=3):
        for drawn in blocks.tolist():
            total = sum(traffic[t] for t in drawn)
            means.append(sum(traffic[t] * values[t] / 10 for t in drawn) / total)
            differences.append(means[-1] - sum(values[t] / 10 for t in drawn) / 6)
    for interval, drawn in (
        (found.interval, means),
        (found.difference_interval, differences),
    ):
        assert [interval.low, interval.high] == pytest.approx(
            np.quantile(drawn, [0.025, 0.975]).tolist()
        )
    assert found.interval.method == "percentile"


def test_with_equal_traffic_nothing_changes() -> None:
    found = weighted(scores_of([0, 2, 4, 5, 8, 10]), dict.fromkeys(TOPICS, 7.0))
    (one,) = found.means
    assert one.weighted == pytest.approx(one.mean)
    assert abs(one.difference_interval.low) < 1e-12 > abs(one.difference_interval.high)
    assert found.effective == pytest.approx(6)


def test_the_interval_is_as_wide_as_the_delta_method_says() -> None:
    random = np.random.default_rng(5)
    names = [f"q{n}" for n in range(300)]
    qrels = {name: {"d": 1} for name in names}
    hits = random.random(300) < 0.4
    run = {name: {"d" if hit else "x": 1.0} for name, hit in zip(names, hits, strict=True)}
    traffic = random.integers(1, 10, 300)
    weights = dict(zip(names, traffic.tolist(), strict=True))
    (one,) = weighted(evaluate(qrels, run, "P@1"), weights).means
    apart = traffic * (hits - one.weighted)
    error = sqrt((apart @ apart) / 300 / 299) / traffic.mean()
    assert one.interval.high - one.interval.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_few_topics_with_most_of_the_weight_are_told() -> None:
    scores = scores_of([1, 2, 3, 4, 5, 6])
    assert weighted(scores, {"q0": 1000, "q1": 1}).few
    found = weighted(scores, {"q0": 1000, "q1": 1})
    assert (found.largest, found.with_traffic, found.topics) == ("q0", 2, 6)
    # In one of three resamples nobody asked any of the topics: there is no interval.
    assert isnan(found.means[0].interval.low)


def test_who_is_better_may_change() -> None:
    scores = scores_of([9, 1, 1, 1, 1, 1], [1, 3, 3, 3, 3, 3])
    (apart,) = weighted(scores, {"q0": 100, "q1": 1}).differences
    assert (apart.system, apart.against, apart.turned) == ("run1", "run0", True)
    (even,) = weighted(scores, dict.fromkeys(TOPICS, 1)).differences
    assert not even.turned


def test_a_run_that_lacks_a_topic_has_nothing_for_it() -> None:
    scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}, "P@1")
    (one,) = weighted(scores, {"1": 1, "2": 3}).means
    assert (one.mean, one.weighted) == (0.5, 0.25)


def test_topics_that_nobody_asked() -> None:
    with pytest.raises(InputError, match=r"none of the 6 topics .* such as 'q0', has traffic"):
        weighted(scores_of([1] * 6), {"other": 5})


def test_weights_that_are_none() -> None:
    with pytest.raises(OptionError, match="a weight is negative or no number"):
        weighted(scores_of([1] * 6), {"q0": -1})


def test_sums_are_not_weighted() -> None:
    scores = evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["num_rel_ret"])
    with pytest.raises(OptionError, match="is no mean over topics"):
        weighted(scores, {"1": 1})


@pytest.mark.parametrize(("name", "value"), [("confidence", 1.0), ("resamples", 0)])
def test_options_are_checked(name: str, value: float) -> None:
    with pytest.raises(OptionError, match=name):
        weighted(scores_of([1] * 6), {"q0": 1}, **{name: value})  # type: ignore[arg-type]
