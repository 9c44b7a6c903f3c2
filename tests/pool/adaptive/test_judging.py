"""Judging over all topics: turns, batches, limits, and what is not to be seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.adaptive import Judging, Limits, methods
from cleverdon.pool.contributions import gather
from tests.pool.adaptive.made_up import systems

RUNS, GRADES = systems(count=4, topics=3, docs=40, depth=12)
FOUND = gather(RUNS)
NAMES = list(methods())


def judged(judging: Judging, batch: int = 1, most: int = 10_000) -> list[tuple[str, str]]:
    """Judge by what is known, until nothing is left or enough is done."""
    done: list[tuple[str, str]] = []
    while len(done) < most and (pairs := judging.next(batch)):
        judging.judge_all((topic, doc, GRADES[topic][doc]) for topic, doc in pairs)
        done += pairs
    return done


@pytest.mark.parametrize("name", NAMES)
@given(batch=st.integers(1, 9), seed=st.integers(0, 3))
def test_all_documents_once_and_the_same_again(name: str, batch: int, seed: int) -> None:
    done = judged(Judging(FOUND, name, seed=seed), batch)
    pool = {(topic, doc) for topic in FOUND.topics for doc in FOUND.of(topic).docs}
    assert len(done) == len(set(done))
    assert set(done) == pool
    assert judged(Judging(FOUND, name, seed=seed), batch) == done


def test_topics_take_turns() -> None:
    judging = Judging(FOUND, "mtf")
    assert [topic for topic, _ in judged(judging, most=7)] == ["q0", "q1", "q2"] * 2 + ["q0"]


def test_a_batch_is_sorted_by_topic_and_shuffled_within() -> None:
    # The same documents, whatever the order; and the order of ranks is not kept.
    judging = Judging(FOUND, "rrf", seed=1)
    batch = judging.next(30)
    assert [topic for topic, _ in batch] == ["q0"] * 10 + ["q1"] * 10 + ["q2"] * 10
    assert set(judging.given) == set(batch)
    assert [pair for pair in judging.given if pair[0] == "q0"] != batch[:10]


def test_a_topic_is_the_same_with_others_beside_it() -> None:
    alone = judged(Judging(FOUND, "thompson", topics=["q1"]))
    beside = [pair for pair in judged(Judging(FOUND, "thompson")) if pair[0] == "q1"]
    assert alone == beside


def test_seeds_decide_between_equals() -> None:
    orders = {tuple(judged(Judging(FOUND, "depth", seed=seed), most=9)) for seed in range(9)}
    assert len(orders) > 1


def test_limits() -> None:
    assert len(judged(Judging(FOUND, limits=Limits(total=7)))) == 7
    assert len(judged(Judging(FOUND, limits=Limits(total=7)), batch=5)) == 7
    done = judged(Judging(FOUND, limits=Limits(budget=4)), batch=5)
    assert Counter(topic for topic, _ in done) == {"q0": 4, "q1": 4, "q2": 4}


def test_patience_and_target() -> None:
    impatient = Judging(FOUND, limits=Limits(patience=3))
    rows: dict[str, int] = {}
    for topic, doc in impatient:
        assert rows.get(topic, 0) < 3
        rows[topic] = 0 if GRADES[topic][doc] else rows.get(topic, 0) + 1
        impatient.judge(topic, doc, GRADES[topic][doc])
    assert impatient.tally.ended.keys() <= {"patience", "all given"}
    content = Judging(FOUND, limits=Limits(target=1))
    judged(content)
    assert content.tally.relevant == 3
    assert content.tally.ended == {"target": 3}


def test_patience_is_with_documents_that_were_given() -> None:
    """Old judgments that are handed over end nothing, and begin nothing anew."""
    judging = Judging(FOUND, topics=["q0"], limits=Limits(patience=2))
    docs = FOUND.of("q0").docs
    judging.judge_all(("q0", doc, 0) for doc in docs[:5])
    assert judging.tally.ended == {}
    assert (judging.tally.judged, judging.tally.given) == (5, 0)
    first = next(judging)
    judging.judge(*first, 0)
    rest = [doc for doc in docs[5:] if doc != first[1]]
    judging.judge("q0", rest[0], 1)
    judging.judge("q0", rest[0], 0)
    assert judging.tally.ended == {}
    judging.judge(*next(judging), 0)
    assert judging.tally.ended == {"patience": 1}
    # A given document whose grade comes in another way is one that was given.
    judging.judge(*first, 2)
    assert judging.next(1)


def test_a_changed_mind_is_counted_once_and_ends_patience() -> None:
    judging = Judging(FOUND, topics=["q0"], limits=Limits(patience=2))
    first, second = next(judging), next(judging)
    judging.judge(*first, 0)
    judging.judge(*second, 0)
    assert judging.tally.ended == {"patience": 1}
    assert judging.next(1) == []
    judging.judge(*second, 2)
    assert judging.tally.relevant == 1
    assert judging.tally.judged == 2
    assert judging.grades["q0"][second[1]] == 2
    assert judging.next(1)


def test_other_limits_later() -> None:
    judging = Judging(FOUND, limits=Limits(total=2))
    judged(judging)
    assert judging.tally.total == 2
    judging.limit(total=5)
    assert judging.tally.total is None
    assert len(judged(judging)) == 3


def test_relevant_from_a_grade_on() -> None:
    judging = Judging(FOUND, rel=2)
    for grade, (topic, doc) in zip((1, 2, 1.5, 3), judging, strict=False):
        judging.judge(topic, doc, grade)
    assert judging.tally.relevant == 2


def test_judgments_of_what_was_not_given() -> None:
    judging = Judging(FOUND, "mtf")
    topic = "q0"
    doc = FOUND.of(topic).docs[0]
    judging.judge(topic, doc, 1)
    judging.judge(topic, "nobody returned it", 1)
    judging.judge("nobody searched it", "d1", 1)
    tally = judging.tally
    assert (tally.given, tally.judged, tally.relevant, tally.elsewhere) == (0, 1, 1, 2)
    assert (topic, doc) not in judged(judging)
    assert judging.grades["nobody searched it"] == {"d1": 1}


def test_what_waits() -> None:
    judging = Judging(FOUND)
    given = judging.next(3)
    judging.judge(*given[1], 1)
    assert set(judging.waiting) == {given[0], given[2]}
    # In the same session they are not given twice.
    assert not set(judging.next(5)) & set(given)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"method": "best"}, "there is no method 'best'"),
        ({"seed": -1}, "seed=-1: expected a whole number from 0 on"),
        ({"rel": float("nan")}, "rel=nan"),
    ],
)
def test_what_cannot_be(how: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Judging(FOUND, **how)


def test_what_cannot_be_judged() -> None:
    with pytest.raises(InputError, match="no system returned anything for topic 'q9'"):
        Judging(FOUND, topics=["q9"])
    with pytest.raises(InputError, match="grade nan of document 'd1'"):
        Judging(FOUND).judge("q0", "d1", float("nan"))
    with pytest.raises(InputError, match=r"grade -1 of document 'd1'.* is below 0: use 0 for junk"):
        Judging(FOUND).judge("q0", "d1", -1)
    with pytest.raises(OptionError, match="budget=0: expected a whole number from 1 on"):
        Limits(budget=0)
    with pytest.raises(OptionError, match=r"total=10{20}: expected .* at most"):
        Limits(total=10**20)
