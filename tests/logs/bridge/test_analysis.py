"""Weighted means, correlations over queries, and both together."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon import evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.logs.bridge.analysis import _metric_by_text, correlate_with_metric, weight_by_traffic
from cleverdon.logs.bridge.traffic import match_queries
from cleverdon.logs.log import log_of
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.scores import Scores
from cleverdon.stats import correlation as rank_correlation
from cleverdon.stats.correlation import ResampledValues
from tests.logs.bridge.made import small_traffic

numbers = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@given(
    points=st.lists(st.tuples(numbers, numbers, st.integers(0, 3)), min_size=2, max_size=9).filter(
        lambda points: sum(count for *_, count in points) > 1
    )
)
def test_coefficients_of_resamples_are_those_of_what_was_drawn(
    points: list[tuple[float, float, int]],
) -> None:
    x, y, counts = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    times = counts.astype(int)
    xs, ys = (dict(enumerate(np.repeat(values, times).tolist())) for values in (x, y))
    of_counts = counts[None]
    first, second = ResampledValues(x), ResampledValues(y)
    for function, expected in (
        (ResampledValues.kendall, rank_correlation.kendall(xs, ys)),
        (ResampledValues.spearman, rank_correlation.spearman(xs, ys)),
    ):
        assert function(first, second, of_counts)[0] == pytest.approx(expected, nan_ok=True)
    flat = len(set(xs.values())) == 1 or len(set(ys.values())) == 1
    r = float("nan") if flat else np.corrcoef(list(xs.values()), list(ys.values()))[0, 1]
    assert ResampledValues.pearson(first, second, of_counts)[0] == pytest.approx(r, nan_ok=True)


def test_many_queries_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    x, y = (
        ResampledValues(random.random(40)),
        ResampledValues(random.integers(0, 5, 40).astype(float)),
    )
    counts = random.integers(0, 3, (7, 40)).astype(float)
    at_once = ResampledValues.kendall(x, y, counts)
    monkeypatch.setattr("cleverdon.stats.correlation.BLOCK", 130)
    assert ResampledValues.kendall(x, y, counts).tolist() == at_once.tolist()


def values(metric: str) -> dict[str, tuple[float, float]]:
    found = _metric_by_text(small_traffic().tables, metric, ["shoes", "hats", "caps", "boots"])
    return {one.text: (one.value, one.denominator) for one in found}


def test_metrics_of_single_texts() -> None:
    assert values("QueryCTR") == {"shoes": (2 / 3, 3), "hats": (0, 2), "caps": (0, 1)}
    assert values("ZeroResults") == {"shoes": (0, 3), "hats": (1, 2), "caps": (0, 1)}
    assert values("ClickRank") == {"shoes": (1, 2)}
    assert values("TimeToClick") == {"shoes": (1, 2)}, "in seconds"


def test_metrics_of_sessions_are_of_single_queries() -> None:
    assert values("Success") == {"shoes": (1 / 3, 3), "hats": (0, 2), "caps": (0, 1)}
    assert values("Abandonment") == {"shoes": (1 / 3, 3), "hats": (1, 2), "caps": (1, 1)}
    assert values("GoodAbandonment") == {"shoes": (0, 3), "hats": (0, 2), "caps": (1, 1)}
    assert values("SessionCTR") == values("QueryCTR")


@pytest.mark.parametrize("metric", ["Users", "TopQueries", "Reformulation", "QueriesPerSession"])
def test_metrics_that_single_queries_do_not_have(metric: str) -> None:
    with pytest.raises(OptionError, match=rf"{metric} has no value for a single query.*QueryCTR"):
        _metric_by_text(small_traffic().tables, metric, ["shoes"])


def test_a_log_without_clicks() -> None:
    log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    with pytest.raises(InputError, match=r"QueryCTR needs .*events\.action"):
        _metric_by_text(build_session_tables(log), "QueryCTR", ["shoes"])


SIZE = 12
QRELS = {f"t{n}": {f"d{i}": 1 for i in range(SIZE)} for n in range(SIZE)}
TEXTS = {f"t{n}": f"query {n:02}" for n in range(SIZE)}


def clicked(times: list[int]) -> SessionTables:
    """Twelve queries, each asked twenty times and clicked so often, always on rank 13 less that."""
    queries, events = [], []
    for n, clicks in enumerate(times):
        for asked in range(20):
            page = {"query_id": f"{n}-{asked}", "user": f"u{asked}", "text": f"query {n:02}"}
            queries.append(page | {"time": n * 10_000_000})
            if asked < clicks:
                click = {"query_id": page["query_id"], "time": n * 10_000_000 + 5}
                events.append(click | {"action": "click", "position": 13 - clicks})
    return build_session_tables(log_of(queries, events))


def run_with(hits: list[int]) -> dict[str, dict[str, float]]:
    """A run that finds so many relevant documents among twelve."""
    return {
        f"t{n}": {f"d{i}" if i < found else f"x{i}": -float(i) for i in range(SIZE)}
        for n, found in enumerate(hits)
    }


@pytest.fixture(scope="module")
def rising() -> SessionTables:
    return clicked(list(range(1, SIZE + 1)))


def test_a_measure_that_agrees_with_users(rising: SessionTables) -> None:
    scores = evaluate(QRELS, {"live": run_with(list(range(1, SIZE + 1)))}, "P@12")
    found = correlate_with_metric(scores, rising, match_queries(TEXTS, QRELS))
    for coefficient in (found.kendall, found.spearman, found.pearson):
        assert coefficient.value == pytest.approx(1)
        assert isnan(coefficient.interval.low)  # for every resample agrees
    assert (found.system, str(found.measure), str(found.metric)) == ("live", "P@12", "QueryCTR")
    assert len(found.points) == SIZE
    assert not found.few
    point = found.points[0]
    assert (point.text, point.queries, point.denominator) == ("query 00", ("t0",), 20)
    assert (point.offline, point.online) == (pytest.approx(1 / 12), 1 / 20)
    assert found.expected == 1


def test_where_lower_is_better_agreement_is_negative(rising: SessionTables) -> None:
    scores = evaluate(QRELS, {"live": run_with(list(range(1, SIZE + 1)))}, "P@12")
    found = correlate_with_metric(
        scores, rising, match_queries(TEXTS, QRELS), metric="ClickRank", least=1
    )
    assert found.kendall.value == pytest.approx(-1)
    assert found.expected == -1


def test_coefficients_and_their_intervals(rising: SessionTables) -> None:
    hits = [3, 1, 2, 6, 4, 5, 9, 7, 12, 8, 10, 11]
    scores = evaluate(
        QRELS, {"other": run_with([1] * SIZE), "live": run_with(hits)}, ["RR", "P@12"]
    )
    queries = match_queries(TEXTS, QRELS)
    found = correlate_with_metric(scores, rising, queries, system="live", measure="P@12", seed=1)
    by_hits = dict(enumerate(hits))
    in_order = dict(enumerate(range(SIZE)))
    assert found.kendall.value == pytest.approx(rank_correlation.kendall(by_hits, in_order))
    assert found.spearman.value == pytest.approx(rank_correlation.spearman(by_hits, in_order))
    assert found.pearson.value == pytest.approx(np.corrcoef(hits, range(SIZE))[0, 1])
    for one in (found.kendall, found.spearman, found.pearson):
        assert 0 < one.interval.low < one.value < one.interval.high <= 1
    same = correlate_with_metric(scores, rising, queries, system="live", measure="P@12", seed=1)
    assert same.kendall == found.kendall
    flat = correlate_with_metric(scores, rising, queries)
    assert (flat.system, str(flat.measure)) == ("other", "RR")
    assert isnan(flat.kendall.value)
    assert isnan(flat.kendall.interval.low)


def test_queries_with_too_little_behind_them_are_left_out(rising: SessionTables) -> None:
    scores = evaluate(QRELS, run_with([1] * SIZE), "P@12")
    found = correlate_with_metric(
        scores, rising, match_queries(TEXTS, QRELS), metric="ClickRank", least=10
    )
    # Of ClickRank it is clicks that count: only three queries have ten of them.
    assert (len(found.points), found.seldom, found.few) == (3, 9, True)
    nothing = correlate_with_metric(scores, rising, match_queries(TEXTS, QRELS), least=21)
    assert nothing.points == ()
    assert isnan(nothing.kendall.value)
    with pytest.raises(OptionError, match="least=0"):
        correlate_with_metric(scores, rising, match_queries(TEXTS, QRELS), least=0)


def test_undefined_values_are_left_out_and_equal_texts_averaged(rising: SessionTables) -> None:
    qrels = {**QRELS, "t0": {"d0": 0}, "twin": {"d0": 1}}
    texts = {**TEXTS, "twin": "Query 01"}
    run = {**run_with([12] * SIZE), "twin": {"x": 1.0}}
    found = correlate_with_metric(evaluate(qrels, run, "AP"), rising, match_queries(texts, qrels))
    assert found.undefined == 1
    twins = found.points[0]
    assert (twins.queries, twins.offline) == (("t1", "twin"), 0.5)
    assert len(found.points) == SIZE - 1


def test_names_are_checked(rising: SessionTables) -> None:
    scores = evaluate(QRELS, {"live": run_with([1] * SIZE)}, "P@12")
    queries = match_queries(TEXTS, QRELS)
    with pytest.raises(OptionError, match="there is no system 'life'; did you mean 'live'"):
        correlate_with_metric(scores, rising, queries, system="life")
    with pytest.raises(OptionError, match="was not evaluated"):
        correlate_with_metric(scores, rising, queries, measure="AP")


QUERIES = [f"q{n}" for n in range(6)]


def scores_of(*systems: list[float]) -> Scores:
    """Scores whose P@10 of each query are tenths as listed."""
    qrels = {query: {f"d{n}": 1 for n in range(10)} for query in QUERIES}
    runs = {
        f"run{s}": {
            query: {f"d{n}" if n < tenths else f"x{n}": float(-n) for n in range(10)}
            for query, tenths in zip(QUERIES, values, strict=True)
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
    weights = dict(zip(QUERIES, traffic, strict=True))
    found = weight_by_traffic(scores_of(first, second), weights, resamples=20)
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
    (found,) = weight_by_traffic(
        scores_of(values),
        dict(zip(QUERIES, traffic, strict=True)),
        interval="percentile",
        resamples=300,
        seed=3,
    ).means
    means, differences = [], []
    for drawn in np.random.default_rng(3).integers(0, 6, size=(300, 6)).tolist():
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
    found = weight_by_traffic(scores_of([0, 2, 4, 5, 8, 10]), dict.fromkeys(QUERIES, 7.0))
    (one,) = found.means
    assert one.weighted == pytest.approx(one.mean)
    assert isnan(one.difference_interval.low)  # for it is always 0
    student = stats.t.interval(0.95, 5, one.mean, stats.sem([0, 0.2, 0.4, 0.5, 0.8, 1.0]))
    assert (one.interval.low, one.interval.high) == pytest.approx(student)
    assert one.interval.method == "jackknife"
    assert found.effective == pytest.approx(6)


def test_the_interval_is_as_wide_as_the_delta_method_says() -> None:
    random = np.random.default_rng(5)
    names = [f"q{n}" for n in range(300)]
    qrels = {name: {"d": 1} for name in names}
    hits = random.random(300) < 0.4
    run = {name: {"d" if hit else "x": 1.0} for name, hit in zip(names, hits, strict=True)}
    traffic = random.integers(1, 10, 300)
    weights = dict(zip(names, traffic.tolist(), strict=True))
    (one,) = weight_by_traffic(evaluate(qrels, run, "P@1"), weights).means
    apart = traffic * (hits - one.weighted)
    error = sqrt((apart @ apart) / 300 / 299) / traffic.mean()
    assert one.interval.high - one.interval.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_few_queries_with_most_of_the_weight_are_told() -> None:
    scores = scores_of([1, 2, 3, 4, 5, 6])
    assert weight_by_traffic(scores, {"q0": 1000, "q1": 1}).few
    found = weight_by_traffic(scores, {"q0": 1000, "q1": 1})
    assert (found.largest, found.with_traffic, found.queries) == ("q0", 2, 6)
    # In one of three resamples nobody asked any of the queries: there is no such interval.
    drawn = weight_by_traffic(scores, {"q0": 1000, "q1": 1}, interval="percentile")
    assert isnan(drawn.means[0].interval.low)
    # One query has nearly all of the weight: Student's says that nothing is known.
    ends = found.means[0].interval
    assert (ends.low, ends.method) == (0, "jackknife")
    assert isnan(weight_by_traffic(scores, {"q0": 1000}).means[0].interval.low)


def test_who_is_better_may_change() -> None:
    scores = scores_of([9, 1, 1, 1, 1, 1], [1, 3, 3, 3, 3, 3])
    (apart,) = weight_by_traffic(scores, {"q0": 100, "q1": 1}).differences
    assert (apart.system, apart.against, apart.turned) == ("run1", "run0", True)
    (even,) = weight_by_traffic(scores, dict.fromkeys(QUERIES, 1)).differences
    assert not even.turned


def test_a_run_that_lacks_a_query_has_nothing_for_it() -> None:
    scores = evaluate({"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}}, "P@1")
    (one,) = weight_by_traffic(scores, {"1": 1, "2": 3}).means
    assert (one.mean, one.weighted) == (0.5, 0.25)


def test_queries_that_nobody_asked() -> None:
    with pytest.raises(
        InputError, match=r"none of the 6 evaluated queries, such as 'q0', has traffic"
    ):
        weight_by_traffic(scores_of([1] * 6), {"other": 5})


def test_weights_that_are_none() -> None:
    with pytest.raises(OptionError, match="a weight is negative or not a number"):
        weight_by_traffic(scores_of([1] * 6), {"q0": -1})


def test_sums_are_not_weighted() -> None:
    scores = evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["num_rel_ret"])
    with pytest.raises(OptionError, match="is not a mean over queries"):
        weight_by_traffic(scores, {"1": 1})


@pytest.mark.parametrize(
    ("name", "value"), [("confidence", 1.0), ("resamples", 0), ("interval", "bca")]
)
def test_options_are_checked(name: str, value: float | str) -> None:
    how = {"interval": "percentile", name: value}
    with pytest.raises(OptionError, match=name):
        weight_by_traffic(scores_of([1] * 6), {"q0": 1}, **how)  # type: ignore[arg-type]


def test_a_weighted_mean_by_leaving_out_each_query() -> None:
    values, traffic = np.array([0, 2, 4, 5, 8, 10]) / 10, np.array([9.0, 1, 4, 2, 2, 7])
    (one,) = weight_by_traffic(
        scores_of([0, 2, 4, 5, 8, 10]), dict(zip(QUERIES, traffic, strict=True)), confidence=0.9
    ).means
    left = [np.average(np.delete(values, i), weights=np.delete(traffic, i)) for i in range(6)]
    error = np.sqrt(5 / 6 * sum((np.array(left) - np.mean(left)) ** 2))
    effective = traffic.sum() ** 2 / (traffic**2).sum()
    reach = stats.t.ppf(0.95, effective - 1) * error
    assert one.interval.low == pytest.approx(max(one.weighted - reach, 0))
    assert one.interval.high == pytest.approx(min(one.weighted + reach, 1))
