"""Correlations over queries: the coefficients, online values by text, and both together."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import correlate, evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.online.bridge import by_text, correlated, known_topics
from cleverdon.online.bridge.coefficients import Drawn, kendall, pearson, spearman
from cleverdon.online.stages import Stages, staged
from cleverdon.online.worked import log_of
from tests.online.bridge.made import small_traffic

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
    first, second = Drawn(x), Drawn(y)
    for function, expected in (
        (kendall, correlate.kendall(xs, ys)),
        (spearman, correlate.spearman(xs, ys)),
    ):
        assert function(first, second, of_counts)[0] == pytest.approx(expected, nan_ok=True)
    flat = len(set(xs.values())) == 1 or len(set(ys.values())) == 1
    r = float("nan") if flat else np.corrcoef(list(xs.values()), list(ys.values()))[0, 1]
    assert pearson(first, second, of_counts)[0] == pytest.approx(r, nan_ok=True)


def test_many_queries_are_compared_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    x, y = Drawn(random.random(40)), Drawn(random.integers(0, 5, 40).astype(float))
    counts = random.integers(0, 3, (7, 40)).astype(float)
    at_once = kendall(x, y, counts)
    monkeypatch.setattr("cleverdon.online.bridge.coefficients._BLOCK", 130)
    assert kendall(x, y, counts).tolist() == at_once.tolist()


def values(metric: str) -> dict[str, tuple[float, float]]:
    found = by_text(small_traffic().stages, metric, ["shoes", "hats", "caps", "boots"])
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
        by_text(small_traffic().stages, metric, ["shoes"])


def test_a_log_without_clicks() -> None:
    log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    with pytest.raises(InputError, match=r"QueryCTR needs .*events\.action"):
        by_text(staged(log), "QueryCTR", ["shoes"])


SIZE = 12
QRELS = {f"t{n}": {f"d{i}": 1 for i in range(SIZE)} for n in range(SIZE)}
TEXTS = {f"t{n}": f"query {n:02}" for n in range(SIZE)}


def clicked(times: list[int]) -> Stages:
    """Twelve queries, each asked twenty times and clicked so often, always on rank 13 less that."""
    queries, events = [], []
    for n, clicks in enumerate(times):
        for asked in range(20):
            page = {"query_id": f"{n}-{asked}", "user": f"u{asked}", "text": f"query {n:02}"}
            queries.append(page | {"time": n * 10_000_000})
            if asked < clicks:
                click = {"query_id": page["query_id"], "time": n * 10_000_000 + 5}
                events.append(click | {"action": "click", "position": 13 - clicks})
    return staged(log_of(queries, events))


def run_with(hits: list[int]) -> dict[str, dict[str, float]]:
    """A run that finds so many relevant documents among twelve."""
    return {
        f"t{n}": {f"d{i}" if i < found else f"x{i}": -float(i) for i in range(SIZE)}
        for n, found in enumerate(hits)
    }


@pytest.fixture(scope="module")
def rising() -> Stages:
    return clicked(list(range(1, SIZE + 1)))


def test_a_measure_that_agrees_with_users(rising: Stages) -> None:
    scores = evaluate(QRELS, {"live": run_with(list(range(1, SIZE + 1)))}, "P@12")
    found = correlated(scores, rising, known_topics(TEXTS, QRELS))
    for coefficient in (found.kendall, found.spearman, found.pearson):
        assert coefficient.value == pytest.approx(1)
        assert coefficient.interval.low == pytest.approx(1)
    assert (found.system, str(found.measure), str(found.metric)) == ("live", "P@12", "QueryCTR")
    assert len(found.points) == SIZE
    assert not found.few
    point = found.points[0]
    assert (point.text, point.topics, point.denominator) == ("query 00", ("t0",), 20)
    assert (point.offline, point.online) == (pytest.approx(1 / 12), 1 / 20)
    assert found.expected == 1


def test_where_lower_is_better_agreement_is_negative(rising: Stages) -> None:
    scores = evaluate(QRELS, {"live": run_with(list(range(1, SIZE + 1)))}, "P@12")
    found = correlated(scores, rising, known_topics(TEXTS, QRELS), metric="ClickRank", least=1)
    assert found.kendall.value == pytest.approx(-1)
    assert found.expected == -1


def test_coefficients_and_their_intervals(rising: Stages) -> None:
    hits = [3, 1, 2, 6, 4, 5, 9, 7, 12, 8, 10, 11]
    scores = evaluate(
        QRELS, {"other": run_with([1] * SIZE), "live": run_with(hits)}, ["RR", "P@12"]
    )
    topics = known_topics(TEXTS, QRELS)
    found = correlated(scores, rising, topics, system="live", measure="P@12", seed=1)
    by_hits = dict(enumerate(hits))
    in_order = dict(enumerate(range(SIZE)))
    assert found.kendall.value == pytest.approx(correlate.kendall(by_hits, in_order))
    assert found.spearman.value == pytest.approx(correlate.spearman(by_hits, in_order))
    assert found.pearson.value == pytest.approx(np.corrcoef(hits, range(SIZE))[0, 1])
    for one in (found.kendall, found.spearman, found.pearson):
        assert 0 < one.interval.low < one.value < one.interval.high <= 1
    same = correlated(scores, rising, topics, system="live", measure="P@12", seed=1)
    assert same.kendall == found.kendall
    flat = correlated(scores, rising, topics)
    assert (flat.system, str(flat.measure)) == ("other", "RR")
    assert isnan(flat.kendall.value)
    assert isnan(flat.kendall.interval.low)


def test_queries_with_too_little_behind_them_are_left_out(rising: Stages) -> None:
    scores = evaluate(QRELS, run_with([1] * SIZE), "P@12")
    found = correlated(scores, rising, known_topics(TEXTS, QRELS), metric="ClickRank", least=10)
    # Of ClickRank it is clicks that count: only three queries have ten of them.
    assert (len(found.points), found.seldom, found.few) == (3, 9, True)
    nothing = correlated(scores, rising, known_topics(TEXTS, QRELS), least=21)
    assert nothing.points == ()
    assert isnan(nothing.kendall.value)
    with pytest.raises(OptionError, match="least=0"):
        correlated(scores, rising, known_topics(TEXTS, QRELS), least=0)


def test_undefined_values_are_left_out_and_equal_texts_averaged(rising: Stages) -> None:
    qrels = {**QRELS, "t0": {"d0": 0}, "twin": {"d0": 1}}
    texts = {**TEXTS, "twin": "Query 01"}
    run = {**run_with([12] * SIZE), "twin": {"x": 1.0}}
    found = correlated(evaluate(qrels, run, "AP"), rising, known_topics(texts, qrels))
    assert found.undefined == 1
    twins = found.points[0]
    assert (twins.topics, twins.offline) == (("t1", "twin"), 0.5)
    assert len(found.points) == SIZE - 1


def test_names_are_checked(rising: Stages) -> None:
    scores = evaluate(QRELS, {"live": run_with([1] * SIZE)}, "P@12")
    topics = known_topics(TEXTS, QRELS)
    with pytest.raises(OptionError, match="there is no system 'life'; did you mean 'live'"):
        correlated(scores, rising, topics, system="life")
    with pytest.raises(OptionError, match="was not evaluated"):
        correlated(scores, rising, topics, measure="AP")
