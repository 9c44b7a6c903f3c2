"""Agreement between orders of systems."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from cleverdon import Scores, correlate, evaluate
from cleverdon.comparison.orderings import (
    COEFFICIENTS,
    CorrelationOptions,
    RunCorrelations,
    order_agreements_with,
)
from cleverdon.comparison.tuning import tune_scores
from cleverdon.errors import OptionError
from cleverdon.stats import correlation as rank_correlation
from cleverdon.tables.table import FORMATS

QUERIES = [f"q{i:02}" for i in range(25)]  # in the order that scores have them in
SYSTEMS = [f"s{i}" for i in range(6)]


def made(values: np.ndarray, measures: str, queries: list[str] = QUERIES) -> Scores:
    """Scores with these values: systems x measures x queries."""
    qrels = {query: {"a": 1} for query in queries}
    runs = {f"s{i}": {query: {"a": 1.0} for query in queries} for i in range(len(values))}
    return dataclasses.replace(evaluate(qrels, runs, measures), values=values)


def random_values(seed: int, measures: int, queries: int = len(QUERIES)) -> np.ndarray:
    random = np.random.default_rng(seed)
    skill = random.normal(size=(len(SYSTEMS), 1, 1))
    noise = random.normal(scale=2, size=(len(SYSTEMS), measures, queries))
    return (1 / (1 + np.exp(-skill - noise))).round(2)


def test_two_measures_against_a_plain_bootstrap() -> None:
    values = random_values(1, 3)
    found = correlate(made(values, "AP RR nDCG"), resamples=300, seed=4, p=0.8)
    assert [(one.first, one.second) for one in found] == [
        ("AP", "RR"),
        ("AP", "nDCG"),
        ("RR", "nDCG"),
    ]
    one = found[1]
    n = len(QUERIES)
    drawn_queries = np.random.default_rng([4, 0]).integers(0, n, size=(300, n))
    times = [np.bincount(queries, minlength=n) for queries in drawn_queries]

    def coefficients(counts: np.ndarray) -> list[float]:
        a, b = (
            {s: round(float(np.average(values[s, m], weights=counts)), 12) for s in range(6)}
            for m in (0, 2)
        )
        return [
            rank_correlation.kendall(a, b),
            rank_correlation.tau_ap(a, b, symmetric=True),
            rank_correlation.spearman(a, b),
            rank_correlation.rbo(a, b, p=0.8).extrapolated,
        ]

    drawn = np.array([coefficients(counts) for counts in times])
    for name, wanted, of_name in zip(COEFFICIENTS, coefficients(np.ones(n)), drawn.T, strict=True):
        coefficient = getattr(one, name)
        assert coefficient.value == pytest.approx(wanted, abs=1e-12)
        ends = coefficient.interval
        assert [ends.low, ends.high] == pytest.approx(np.quantile(of_name, [0.025, 0.975]))
        assert (ends.confidence, ends.method) == (0.95, "percentile")


def test_the_same_on_every_call_whatever_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = made(random_values(2, 2), "AP RR")
    once = correlate(scores, resamples=200)
    monkeypatch.setattr("cleverdon.comparison.orderings._BLOCK", 1000)
    assert correlate(scores, resamples=200) == once
    assert correlate(scores, resamples=200, seed=1) != once


def test_lower_is_better_for_some_measures_and_some_averages_are_geometric() -> None:
    values = random_values(3, 1)
    opposite = made(np.concatenate((values, 1 - values), axis=1), "AP Fallout")
    (one,) = correlate(opposite, resamples=50)
    assert one.kendall.value == pytest.approx(1)
    assert math.isnan(one.kendall.interval.low)  # for every resample agrees
    scores = made(np.concatenate((values, values), axis=1), "AP GMAP")
    (other,) = correlate(scores, resamples=50)
    by = [{s: scores.mean(s, m) for s in scores.systems} for m in scores.measures]
    assert other.kendall.value == pytest.approx(rank_correlation.kendall(*by))


def test_two_judgments_on_the_queries_that_both_have() -> None:
    first, second = random_values(4, 2), random_values(5, 2, queries=21)
    queries = ["other", *QUERIES[5:]]
    found = correlate(made(first, "AP RR"), other=made(second, "AP RR", queries), resamples=50)
    assert [one.queries for one in found] == [(20, 20), (20, 20)]
    assert found[0].first == "AP, first judgments"
    means = [
        {s: round(float(table[s, 1, rows].mean()), 12) for s in range(6)}
        for table, rows in ((first, slice(5, 25)), (second, slice(1, 21)))
    ]
    assert found[1].kendall.value == pytest.approx(rank_correlation.kendall(*means))
    directed = correlate(
        made(first, "AP RR"),
        other=made(second, "AP RR", queries),
        symmetric=False,
        resamples=50,
    )
    truth, estimate = means
    assert directed[1].tau_ap.value == pytest.approx(rank_correlation.tau_ap(estimate, truth))
    (same, _) = correlate(made(first, "AP RR"), other=made(first, "AP RR"), resamples=50)
    assert same.kendall.value == 1
    assert math.isnan(same.kendall.interval.low)  # no interval has no width


def test_sets_of_queries_are_drawn_apart() -> None:
    scores = made(random_values(6, 1), "AP")
    sets = {"few": QUERIES[:8], "more": QUERIES[8:], "again": QUERIES[:8]}
    found = correlate(scores, query_sets=sets, resamples=200)
    assert [(one.first, one.second, one.queries) for one in found] == [
        ("AP, few", "AP, more", (8, 17)),
        ("AP, few", "AP, again", (8, 8)),
        ("AP, more", "AP, again", (17, 8)),
    ]
    assert found[1].kendall.value == 1
    assert found[1].kendall.interval.low < 1  # the same queries, and yet not the same draws


def test_one_query_has_no_interval_and_ties_no_coefficient() -> None:
    scores = made(random_values(7, 1), "AP")
    (one,) = correlate(scores, query_sets={"one": QUERIES[:1], "rest": QUERIES[1:]}, resamples=50)
    assert not math.isnan(one.kendall.value)
    assert math.isnan(one.kendall.interval.low)
    flat = made(np.ones((6, 2, 25)), "AP RR")
    (tied,) = correlate(flat, resamples=50)
    assert math.isnan(tied.kendall.value)
    assert math.isnan(tied.spearman.interval.high)
    assert tied.tau_ap.value == pytest.approx(0)


def test_sums_in_another_order_are_ties() -> None:
    values = np.array([[[0.1, 0.2, 0.3, 0.7]], [[0.7, 0.3, 0.2, 0.1]], [[0.2, 0.2, 0.2, 0.2]]])
    scores = made(np.concatenate((values, values), axis=1), "AP RR", QUERIES[:4])
    (one,) = correlate(scores, resamples=50)
    # Two systems are tied in both orders; of the other pairs all agree.
    assert one.kendall.value == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["s0"]}, "there is only one, 's0'"),
        ({"systems": ["s0", "s0"]}, "a system is named twice"),
        ({"systems": ["s0", "s9"]}, "there is no system 's9'"),
        ({"measures": "AP"}, "there is only one measure, AP"),
        ({"measures": "AP P@5"}, "P@5 was not evaluated"),
        ({"confidence": 1}, "confidence=1"),
        ({"resamples": 0}, "resamples=0"),
        ({"resamples": True}, "resamples=True"),
        ({"seed": -1}, "seed=-1"),
        ({"p": "high"}, "p='high'"),
        ({"p": 1}, "p=1: expected a number between 0 and 1"),
        ({"query_sets": {"a": ["q00"]}}, "only one set of queries"),
        ({"query_sets": {"a": ["q00"], "b": []}}, "b: there are no queries"),
        (
            {"query_sets": {"a": ["q00"], "b": ["x"]}},
            "b: not all systems were evaluated on query 'x'",
        ),
    ],
)
def test_what_has_no_answer(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        correlate(made(random_values(8, 2), "AP RR"), **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_two_judgments_that_have_nothing_in_common() -> None:
    ours = made(random_values(9, 1), "AP")
    theirs = made(random_values(9, 1), "AP", [f"other {query}" for query in QUERIES])
    with pytest.raises(OptionError, match="no query in common"):
        correlate(ours, other=theirs)
    with pytest.raises(OptionError, match="not by both at once"):
        correlate(ours, other=ours, query_sets={"a": ["q00"], "b": ["q01"]})
    stranger = dataclasses.replace(ours, systems=tuple(f"x{i}" for i in range(6)))
    with pytest.raises(OptionError, match="there is none"):
        correlate(ours, other=stranger)


def test_orders_that_come_from_anywhere() -> None:
    values = random_values(9, 3)
    by_measures = correlate(made(values, "AP RR nDCG"), symmetric=False, resamples=50)
    others = {"RR": values[:, 1], "nDCG": values[:, 2]}
    how = CorrelationOptions(symmetric=False, resamples=50)
    with_first = order_agreements_with(("AP", values[:, 0]), others, SYSTEMS, how)
    assert with_first.items == by_measures.items[:2]
    with pytest.raises(OptionError, match="the same systems and queries"):
        order_agreements_with(("AP", values[:, 0]), {"RR": values[:, 1, :5]}, SYSTEMS, how)
    with pytest.raises(OptionError, match="only one, 's0'"):
        order_agreements_with(("AP", values[:1, 0]), {}, SYSTEMS[:1], how)


QRELS = {f"q{i}": {"a": 1, "b": 2} for i in range(4)}
RUNS = {
    "x|y": {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in QRELS},
    "z": {query: {"c": 3.0, "b": 2.0, "a": 1.0} for query in QRELS},
}
SCORES = evaluate(QRELS, RUNS, "nDCG RR")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str) -> None:
    found = correlate(SCORES, resamples=20)
    for_programs = format in ("csv", "tsv", "json")
    assert ("spearman" if for_programs else "rho") in found.render(format)
    assert ("spearman" if for_programs else "rho") in found.render(format, matrix="spearman")
    assert "q0" in RunCorrelations({"rbo": {"q0": 0.5, "q1": math.nan}}).render(format)
    assert "x" in tune_scores(SCORES, "RR", folds=2).render(format)


def test_notes_are_sentences_where_they_share_a_line() -> None:
    below = correlate(SCORES, resamples=20).render("latex").splitlines()[-1]
    assert "by 4 queries. in brackets: 95\\% intervals of a bootstrap over queries.\\par" in below


def test_undefined_is_a_dash_an_empty_cell_or_null() -> None:
    found = {"rbo": {"q0": 0.5, "q1": math.nan}, "kendall": {"q0": math.nan, "q1": math.nan}}
    text = RunCorrelations(found).render()
    assert "q1          -        -" in text
    assert text.endswith("means of what is defined: rbo 0.5000, kendall -")
    assert RunCorrelations(found).render("csv").split("\n") == [
        "query,rbo,kendall",
        "q0,0.5,",
        "q1,,",
    ]
    whole = json.loads(RunCorrelations(found).render("json"))
    assert whole == {
        "means": {"rbo": 0.5, "kendall": None},
        "queries": {"q0": {"rbo": 0.5, "kendall": None}, "q1": {"rbo": None, "kendall": None}},
    }


def test_a_square_has_all_orders() -> None:
    square = json.loads(correlate(SCORES, resamples=20).render("json", matrix="kendall"))
    assert square == {"kendall": {"nDCG": {"nDCG": 1.0, "RR": 1.0}, "RR": {"nDCG": 1.0, "RR": 1.0}}}


def test_words_that_are_not_known() -> None:
    found = correlate(SCORES, resamples=20)
    with pytest.raises(OptionError, match="format='xml' is not known"):
        found.render("xml")
    with pytest.raises(OptionError, match="did you mean 'kendall'"):
        found.render(matrix="kendal")
