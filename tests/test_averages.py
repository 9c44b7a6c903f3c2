"""Averages over queries."""

from __future__ import annotations

import math
import statistics
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Measure, evaluate, parse
from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import OptionError, UndefinedError
from cleverdon.hits import Hits
from cleverdon.measures.counts import NumRel
from cleverdon.measures.judged import Judged
from cleverdon.measures.ranked import AP
from cleverdon.scores import (
    _aggregate_values,
    _geometric_mean,
    average,
    values_to_average,
    worst_value,
)

NAN = float("nan")
QUERIES = ["q1", "q2", "q3", "q4"]
ALL = np.ones(4, dtype=bool)


class Cost(Measure):
    """A measure where lower is better."""

    better = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 9.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_means_are_added_one_by_one(values: list[float]) -> None:
    total = 0.0
    for value in values:
        total += value
    assert average(AP(), np.array(values)) == total / len(values)
    assert average(NumRel(), np.array(values)) == total


def test_numpy_would_add_otherwise() -> None:
    # This matters because trec_eval adds one by one, and the last digits differ.
    values = np.full(1000, 0.1)
    assert average(NumRel(), values) != values.sum()


def test_nothing_to_average() -> None:
    assert math.isnan(average(AP(), np.array([])))
    assert math.isnan(_geometric_mean(np.array([])))


@pytest.mark.parametrize(
    ("measure", "worst"),
    [(AP(), 0.0), (Judged(), 0.0), (Cost(), 9.0)],
    ids=["higher is better", "neither is", "lower is better"],
)
def test_undefined_counts_as_the_worst(measure: Measure, worst: float) -> None:
    assert worst_value(measure) == worst
    values = np.array([0.5, NAN, 1.0, NAN])
    found = values_to_average(measure, values, ALL, undefined="worst", queries=QUERIES)
    assert found.tolist() == [0.5, worst, 1.0, worst]


def test_what_is_undefined_for_every_query_has_no_average() -> None:
    values = np.full(4, NAN)
    for undefined in ("worst", "skip"):
        assert len(values_to_average(AP(), values, ALL, undefined=undefined, queries=QUERIES)) == 0
    found = values_to_average(AP(), values, ALL, undefined="always-worst", queries=QUERIES)
    assert found.tolist() == [0.0] * 4
    # No other tool has measures that need the size of the collection.
    for undefined in ("worst", "always-worst"):
        assert (
            len(values_to_average(parse("MCC"), values, ALL, undefined=undefined, queries=QUERIES))
            == 0
        )


def test_undefined_is_skipped() -> None:
    values = np.array([0.5, NAN, 1.0, NAN])
    assert values_to_average(AP(), values, ALL, undefined="skip", queries=QUERIES).tolist() == [
        0.5,
        1.0,
    ]


def test_undefined_is_an_error() -> None:
    values = np.array([0.5, NAN, 1.0, NAN])
    with pytest.raises(UndefinedError) as raised:
        values_to_average(AP(), values, ALL, undefined="error", queries=QUERIES)
    assert str(raised.value).startswith(
        "AP is undefined for query 'q2', 2 in all (no judged document is relevant)"
    )
    with pytest.raises(UndefinedError, match="--docs N"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "MCC", undefined="error")
    defined = np.array([0.5, 0.0, 1.0, 0.25])
    found = values_to_average(AP(), defined, ALL, undefined="error", queries=QUERIES)
    assert found.tolist() == defined.tolist()


@pytest.mark.parametrize("undefined", ["worst", "skip", "error"])
def test_queries_that_are_not_evaluated_are_left_out_in_any_case(undefined: str) -> None:
    evaluated = np.array([True, False, True, False])
    values = np.array([0.5, NAN, 1.0, NAN])
    found = values_to_average(AP(), values, evaluated, undefined=undefined, queries=QUERIES)
    assert found.tolist() == [0.5, 1.0]


def test_geometric_mean() -> None:
    assert _geometric_mean(np.array([0.25, 1.0])) == pytest.approx(0.5, rel=1e-15)
    # A zero counts as the floor, so one zero does not make the mean zero.
    assert _geometric_mean(np.array([0.0, 1e-7, 0.1])) == pytest.approx(
        (1e-5 * 1e-5 * 0.1) ** (1 / 3), rel=1e-12
    )
    assert _geometric_mean(np.array([0.0, 1.0]), floor=0.01) == pytest.approx(0.1, rel=1e-12)


@given(st.lists(st.floats(1e-4, 1), min_size=1, max_size=50))
def test_the_geometric_mean_is_at_most_the_mean(values: list[float]) -> None:
    array = np.array(values)
    assert _geometric_mean(array) <= average(AP(), array) * (1 + 1e-12)
    assert _geometric_mean(array) >= min(values) * (1 - 1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50))
def test_every_way_against_the_standard_library(values: list[float]) -> None:
    wanted = {
        "mean": statistics.fmean(values),
        "geometric": statistics.geometric_mean([max(value, 1e-5) for value in values]),
        "median": statistics.median(values),
        "min": min(values),
        "max": max(values),
        "std": statistics.stdev(values),
    }
    found = {how: _aggregate_values(AP(), np.array(values), how) for how in wanted}
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    spread = _aggregate_values(AP(), np.array(values), "std", ddof=0)
    assert spread == pytest.approx(statistics.pstdev(values), rel=1e-9, abs=1e-12)
    quarter = statistics.quantiles(values, n=4, method="inclusive")[0]
    assert _aggregate_values(AP(), np.array(values), "quantile", quantile=0.25) == pytest.approx(
        quarter
    )


def test_too_few_values() -> None:
    for how in ("mean", "geometric", "median", "min", "max", "std", "quantile"):
        assert math.isnan(_aggregate_values(AP(), np.array([]), how))
    assert math.isnan(_aggregate_values(AP(), np.array([0.5]), "std"))  # undefined for one value
    assert _aggregate_values(AP(), np.array([0.5]), "std", ddof=0) == 0


@pytest.mark.parametrize(
    ("measure", "how", "options", "message"),
    [
        ("AP", "medium", {}, "how='medium' is not known; did you mean 'median'?"),
        ("AP", "quantile", {"quantile": 2}, "quantile=2: a quantile lies between 0 and 1"),
        ("AP", "geometric", {"floor": 0}, "floor=0: the floor is above 0"),
        ("MCC", "geometric", {}, "MCC can be below 0, where there is no geometric mean"),
    ],
)
def test_what_cannot_be(measure: str, how: str, options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        _aggregate_values(parse(measure), np.array([0.5]), how, **options)  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)


def test_a_class_has_its_own_average() -> None:
    values = np.array([0.25, 1.0])
    assert average(parse("GMAP"), values) == pytest.approx(0.5)
    assert average(parse("AP"), values) == 0.625


# Scores

QRELS = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1}, "q3": {"c": 1}, "q4": {"c": 0}}
RUNS = {
    "good": {"q1": {"a": 1.0}, "q2": {"a": 2.0, "x": 1.0}, "q3": {"x": 1.0}},
    "poor": {"q1": {"x": 1.0}},
}


def test_scores_aggregate_in_every_way() -> None:
    scores = evaluate(QRELS, RUNS, ["AP", "GMAP", "NumRet"])
    # AP of good is 1, 0.5, 0 and undefined, which counts as 0.
    assert scores.aggregate().tolist() == scores.means.tolist()
    gm = (0.5 * 1e-5 * 1e-5) ** 0.25
    assert scores.means[0].tolist() == pytest.approx([0.375, gm, 4])
    assert scores.aggregate("geometric")[0, :2].tolist() == pytest.approx([gm, gm])
    assert scores.aggregate("geometric", floor=0.5)[0, 0] == pytest.approx(0.5**0.75)
    assert scores.aggregate("median")[0].tolist() == [0.25, 0.25, 1]
    assert scores.aggregate("min").tolist() == [[0, 0, 0], [0, 0, 0]]
    assert scores.aggregate("max").tolist() == [[1, 1, 2], [0, 0, 1]]
    assert scores.aggregate("quantile", quantile=1).tolist() == scores.aggregate("max").tolist()
    assert scores.aggregate("std")[0, 0] == pytest.approx(statistics.stdev([1, 0.5, 0, 0]))
    assert scores.to_dict(average="max")["good"] == {"AP": 1, "GMAP": 1, "NumRet": 2}
    assert scores.to_record(average="max")["max"] == scores.to_dict(average="max")


def test_what_is_undefined_or_not_evaluated_is_treated_as_in_means() -> None:
    skipped = evaluate(QRELS, RUNS, "AP", undefined="skip")
    assert skipped.aggregate("median")[0, 0] == 0.5
    present = evaluate(QRELS, RUNS, "AP", missing="skip")
    assert present.aggregate("median")[0, 0] == 0.5
    assert present.aggregate("max")[1, 0] == 0


class Found(Measure):
    """A count with a formula for its expected value over ties."""

    def parts(self, hits: Hits) -> tuple[Ints]:
        return (hits.count(hits.relevant(1)),)

    def of_parts(self, found: Floats) -> Floats:
        return found

    expected = Measure.score


def test_micro_averages_are_of_one_order_of_ties() -> None:
    assert evaluate(QRELS, RUNS, Found()).aggregate("micro").tolist() == [[2], [0]]
    expected = evaluate(QRELS, RUNS, Found(), ties="expected")
    assert expected.mean("good", Found()) == 0.5
    with pytest.raises(OptionError, match="there are no micro-averages where ties=expected"):
        expected.aggregate("micro")


def test_f_of_mean_precision_and_mean_recall() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1, "b": 1, "c": 1, "d": 1}, "q3": {"a": 0}}
    run = {"q1": {"a": 2, "x": 1}, "q2": {"b": 1}}
    names = ["SetF", "SetF(alpha=0.2)", "SetE", "F@2", "F(beta=2)@2", "SetP", "SetR", "P@2", "R@2"]
    for undefined in ("worst", "skip"):
        scores = evaluate(qrels, run, names, undefined=undefined)
        p, r, p2, r2 = scores.means[0, -4:].tolist()
        f2 = 5 * p * r / (4 * p + r)
        assert scores.of_means("run", "SetF") == pytest.approx(2 * p * r / (p + r))
        assert scores.of_means("run", "SetF(alpha=0.2)") == pytest.approx(f2)
        assert scores.of_means("run", "SetE") == pytest.approx(1 - 2 * p * r / (p + r))
        assert scores.of_means("run", "F@2") == pytest.approx(2 * p2 * r2 / (p2 + r2))
        assert scores.of_means("run", "F(beta=2)@2") == pytest.approx(5 * p2 * r2 / (4 * p2 + r2))
    # By hand: precision is (1/2 + 1) / 2 and recall (1 + 1/4) / 2 where q3 has none.
    assert scores.of_means("run", "SetF") == pytest.approx(2 * 0.75 * 0.625 / 1.375)
    nothing = evaluate(qrels, {"q1": {"x": 1}}, names[:5])
    assert nothing.aggregate("of-means").tolist() == [[0, 0, 1, 0, 0]]
    unjudged = evaluate({"q": {"a": 0}}, {"q": {"a": 1}}, "F@2")
    assert np.isnan(unjudged.aggregate("of-means")).all()


def test_other_measures_have_no_average_of_means() -> None:
    for name in ("AP", "P@1"):
        with pytest.raises(OptionError, match=f"{name} does not combine precision and recall"):
            evaluate(QRELS, RUNS, name).aggregate("of-means")
    with pytest.raises(OptionError, match="there is no average of-means where ties=expected"):
        evaluate(QRELS, RUNS, "F@1", ties="expected").aggregate("of-means")


def test_values_that_count_as_infinite() -> None:
    """Undefined values without a worst value are larger than all others; numpy does not warn."""
    qrels = {query: {"a": 1} for query in ("q1", "q2", "q3", "q4")}
    run = {"q1": {"a": 1}, "q2": {"b": 2, "a": 1}, "q3": {"b": 1}, "q4": {"b": 1}}
    scores = evaluate(qrels, run, "SearchLength")
    assert scores.mean("run", "SearchLength") == np.inf
    assert np.isnan(scores.aggregate("std").item())
    shares = {0: 0, 1 / 6: 0.5, 1 / 3: 1, 0.5: np.inf, 0.9: np.inf, 1: np.inf}
    for share, value in shares.items():
        found = scores.aggregate("quantile", quantile=share).item()
        assert found == pytest.approx(value)
