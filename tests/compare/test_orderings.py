"""Agreement between orders of systems."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from cleverdon import Scores, correlate, evaluate
from cleverdon.compare import agreements
from cleverdon.compare.orderings import COEFFICIENTS, Comparing, agreements_with
from cleverdon.errors import OptionError

TOPICS = [f"q{i:02}" for i in range(25)]  # in the order that scores have them in
SYSTEMS = [f"s{i}" for i in range(6)]


def made(values: np.ndarray, measures: str, topics: list[str] = TOPICS) -> Scores:
    """Scores with these values: systems x measures x topics."""
    qrels = {topic: {"a": 1} for topic in topics}
    runs = {f"s{i}": {topic: {"a": 1.0} for topic in topics} for i in range(len(values))}
    return dataclasses.replace(evaluate(qrels, runs, measures), values=values)


def random_values(seed: int, measures: int, topics: int = len(TOPICS)) -> np.ndarray:
    random = np.random.default_rng(seed)
    skill = random.normal(size=(len(SYSTEMS), 1, 1))
    noise = random.normal(scale=2, size=(len(SYSTEMS), measures, topics))
    return (1 / (1 + np.exp(-skill - noise))).round(2)


def test_two_measures_against_a_plain_bootstrap() -> None:
    values = random_values(1, 3)
    found = agreements(made(values, "AP RR nDCG"), resamples=300, seed=4, p=0.8)
    assert [(one.first, one.second) for one in found] == [
        ("AP", "RR"),
        ("AP", "nDCG"),
        ("RR", "nDCG"),
    ]
    one = found[1]
    n = len(TOPICS)
    drawn_topics = np.random.default_rng([4, 0]).integers(0, n, size=(300, n))
    times = [np.bincount(topics, minlength=n) for topics in drawn_topics]

    def coefficients(counts: np.ndarray) -> list[float]:
        a, b = (
            {s: round(float(np.average(values[s, m], weights=counts)), 12) for s in range(6)}
            for m in (0, 2)
        )
        return [
            correlate.kendall(a, b),
            correlate.tau_ap(a, b, symmetric=True),
            correlate.spearman(a, b),
            correlate.rbo(a, b, p=0.8).extrapolated,
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
    once = agreements(scores, resamples=200)
    monkeypatch.setattr("cleverdon.compare.orderings._BLOCK", 1000)
    assert agreements(scores, resamples=200) == once
    assert agreements(scores, resamples=200, seed=1) != once


def test_lower_is_better_for_some_measures_and_some_averages_are_geometric() -> None:
    values = random_values(3, 1)
    opposite = made(np.concatenate((values, 1 - values), axis=1), "AP Fallout")
    (one,) = agreements(opposite, resamples=50)
    assert one.kendall.value == pytest.approx(1)
    assert one.kendall.interval.low == pytest.approx(1)
    scores = made(np.concatenate((values, values), axis=1), "AP GMAP")
    (other,) = agreements(scores, resamples=50)
    by = [{s: scores.mean(s, m) for s in scores.systems} for m in scores.measures]
    assert other.kendall.value == pytest.approx(correlate.kendall(*by))


def test_two_judgments_on_the_topics_that_both_have() -> None:
    first, second = random_values(4, 2), random_values(5, 2, topics=21)
    topics = ["other", *TOPICS[5:]]
    found = agreements(made(first, "AP RR"), other=made(second, "AP RR", topics), resamples=50)
    assert [one.topics for one in found] == [(20, 20), (20, 20)]
    assert found[0].first == "AP, first judgments"
    means = [
        {s: round(float(table[s, 1, rows].mean()), 12) for s in range(6)}
        for table, rows in ((first, slice(5, 25)), (second, slice(1, 21)))
    ]
    assert found[1].kendall.value == pytest.approx(correlate.kendall(*means))
    directed = agreements(
        made(first, "AP RR"),
        other=made(second, "AP RR", topics),
        symmetric=False,
        resamples=50,
    )
    truth, estimate = means
    assert directed[1].tau_ap.value == pytest.approx(correlate.tau_ap(estimate, truth))
    (same, _) = agreements(made(first, "AP RR"), other=made(first, "AP RR"), resamples=50)
    assert (same.kendall.value, same.kendall.interval.low) == (1, 1)


def test_sets_of_topics_are_drawn_apart() -> None:
    scores = made(random_values(6, 1), "AP")
    sets = {"few": TOPICS[:8], "more": TOPICS[8:], "again": TOPICS[:8]}
    found = agreements(scores, topics=sets, resamples=200)
    assert [(one.first, one.second, one.topics) for one in found] == [
        ("AP, few", "AP, more", (8, 17)),
        ("AP, few", "AP, again", (8, 8)),
        ("AP, more", "AP, again", (17, 8)),
    ]
    assert found[1].kendall.value == 1
    assert found[1].kendall.interval.low < 1  # the same topics, and yet not the same draws


def test_one_topic_has_no_interval_and_ties_no_coefficient() -> None:
    scores = made(random_values(7, 1), "AP")
    (one,) = agreements(scores, topics={"one": TOPICS[:1], "rest": TOPICS[1:]}, resamples=50)
    assert not math.isnan(one.kendall.value)
    assert math.isnan(one.kendall.interval.low)
    flat = made(np.ones((6, 2, 25)), "AP RR")
    (tied,) = agreements(flat, resamples=50)
    assert math.isnan(tied.kendall.value)
    assert math.isnan(tied.spearman.interval.high)
    assert tied.tau_ap.value == pytest.approx(0)


def test_sums_in_another_order_are_ties() -> None:
    values = np.array([[[0.1, 0.2, 0.3, 0.7]], [[0.7, 0.3, 0.2, 0.1]], [[0.2, 0.2, 0.2, 0.2]]])
    scores = made(np.concatenate((values, values), axis=1), "AP RR", TOPICS[:4])
    (one,) = agreements(scores, resamples=50)
    # Two systems are tied in both orders; of the other pairs all agree.
    assert one.kendall.value == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["s0"]}, "there is only one, 's0'"),
        ({"systems": ["s0", "s0"]}, "a system is named twice"),
        ({"systems": ["s0", "s9"]}, "there is no system 's9'"),
        ({"measures": "AP"}, "there is one measure only, AP"),
        ({"measures": "AP P@5"}, "P@5 was not evaluated"),
        ({"confidence": 1}, "confidence=1"),
        ({"resamples": 0}, "resamples=0"),
        ({"resamples": True}, "resamples=True"),
        ({"seed": -1}, "seed=-1"),
        ({"p": "high"}, "p='high'"),
        ({"p": 1}, "p=1: expected a number between 0 and 1"),
        ({"topics": {"a": ["q00"]}}, "one set of topics only"),
        ({"topics": {"a": ["q00"], "b": []}}, "b: there are no topics"),
        ({"topics": {"a": ["q00"], "b": ["x"]}}, "b: not all systems were evaluated on topic 'x'"),
    ],
)
def test_what_has_no_answer(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        agreements(made(random_values(8, 2), "AP RR"), **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_two_judgments_that_have_nothing_in_common() -> None:
    ours = made(random_values(9, 1), "AP")
    theirs = made(random_values(9, 1), "AP", [f"other {topic}" for topic in TOPICS])
    with pytest.raises(OptionError, match="no topic in common"):
        agreements(ours, other=theirs)
    with pytest.raises(OptionError, match="not by both at once"):
        agreements(ours, other=ours, topics={"a": ["q00"], "b": ["q01"]})
    stranger = dataclasses.replace(ours, systems=tuple(f"x{i}" for i in range(6)))
    with pytest.raises(OptionError, match="there is none"):
        agreements(ours, other=stranger)


def test_orders_that_come_from_anywhere() -> None:
    values = random_values(9, 3)
    by_measures = agreements(made(values, "AP RR nDCG"), symmetric=False, resamples=50)
    others = {"RR": values[:, 1], "nDCG": values[:, 2]}
    how = Comparing(symmetric=False, resamples=50)
    assert agreements_with(("AP", values[:, 0]), others, SYSTEMS, how) == by_measures[:2]
    with pytest.raises(OptionError, match="the same systems and topics"):
        agreements_with(("AP", values[:, 0]), {"RR": values[:, 1, :5]}, SYSTEMS, how)
    with pytest.raises(OptionError, match="only one, 's0'"):
        agreements_with(("AP", values[:1, 0]), {}, SYSTEMS[:1], how)
