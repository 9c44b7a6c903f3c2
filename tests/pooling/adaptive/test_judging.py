"""Judging over all queries: turns, batches, limits, and what is not to be seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.adaptive.judging import (
    AdaptiveJudging,
    Limits,
    Tally,
)
from cleverdon.pooling.adaptive.methods import known_methods
from cleverdon.pooling.contributions import gather
from tests.pooling.adaptive.made_up import systems

RUNS, GRADES = systems(count=4, queries=3, docs=40, depth=12)
FOUND = gather(RUNS)
NAMES = list(known_methods())


def judged(judging: AdaptiveJudging, batch: int = 1, most: int = 10_000) -> list[tuple[str, str]]:
    """Judge by what is known, until nothing is left or enough is done."""
    done: list[tuple[str, str]] = []
    while len(done) < most and (pairs := judging.next(batch)):
        judging.judge_all((query, doc, GRADES[query][doc]) for query, doc in pairs)
        done += pairs
    return done


@pytest.mark.parametrize("name", NAMES)
@given(batch=st.integers(1, 9), seed=st.integers(0, 3))
def test_all_documents_once_and_the_same_again(name: str, batch: int, seed: int) -> None:
    done = judged(AdaptiveJudging(FOUND, name, seed=seed), batch)
    pool = {(query, doc) for query in FOUND.queries for doc in FOUND.of(query).docs}
    assert len(done) == len(set(done))
    assert set(done) == pool
    assert judged(AdaptiveJudging(FOUND, name, seed=seed), batch) == done


def test_topics_take_turns() -> None:
    judging = AdaptiveJudging(FOUND, "mtf")
    assert [query for query, _ in judged(judging, most=7)] == ["q0", "q1", "q2"] * 2 + ["q0"]


def test_a_batch_is_sorted_by_topic_and_shuffled_within() -> None:
    # The same documents, whatever the order; and the order of ranks is not kept.
    judging = AdaptiveJudging(FOUND, "rrf", seed=1)
    batch = judging.next(30)
    assert [query for query, _ in batch] == ["q0"] * 10 + ["q1"] * 10 + ["q2"] * 10
    assert set(judging.given) == set(batch)
    assert [pair for pair in judging.given if pair[0] == "q0"] != batch[:10]


def test_a_topic_is_the_same_with_others_beside_it() -> None:
    alone = judged(AdaptiveJudging(FOUND, "thompson", queries=["q1"]))
    beside = [pair for pair in judged(AdaptiveJudging(FOUND, "thompson")) if pair[0] == "q1"]
    assert alone == beside


def test_seeds_decide_between_equals() -> None:
    orders = {
        tuple(judged(AdaptiveJudging(FOUND, "depth", seed=seed), most=9)) for seed in range(9)
    }
    assert len(orders) > 1


def test_limits() -> None:
    assert len(judged(AdaptiveJudging(FOUND, limits=Limits(total=7)))) == 7
    assert len(judged(AdaptiveJudging(FOUND, limits=Limits(total=7)), batch=5)) == 7
    done = judged(AdaptiveJudging(FOUND, limits=Limits(budget=4)), batch=5)
    assert Counter(query for query, _ in done) == {"q0": 4, "q1": 4, "q2": 4}


def test_patience_and_target() -> None:
    impatient = AdaptiveJudging(FOUND, limits=Limits(patience=3))
    rows: dict[str, int] = {}
    for query, doc in impatient:
        assert rows.get(query, 0) < 3
        rows[query] = 0 if GRADES[query][doc] else rows.get(query, 0) + 1
        impatient.judge(query, doc, GRADES[query][doc])
    assert impatient.tally.ended.keys() <= {"patience", "all given"}
    content = AdaptiveJudging(FOUND, limits=Limits(target=1))
    judged(content)
    assert content.tally.relevant == 3
    assert content.tally.ended == {"target": 3}


def test_patience_is_with_documents_that_were_given() -> None:
    """Old judgments that are handed over end nothing, and begin nothing anew."""
    judging = AdaptiveJudging(FOUND, queries=["q0"], limits=Limits(patience=2))
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
    judging = AdaptiveJudging(FOUND, queries=["q0"], limits=Limits(patience=2))
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
    judging = AdaptiveJudging(FOUND, limits=Limits(total=2))
    judged(judging)
    assert judging.tally.total == 2
    judging.limit(total=5)
    assert judging.tally.total is None
    assert len(judged(judging)) == 3


def test_relevant_from_a_grade_on() -> None:
    judging = AdaptiveJudging(FOUND, rel=2)
    for grade, (query, doc) in zip((1, 2, 1.5, 3), judging, strict=False):
        judging.judge(query, doc, grade)
    assert judging.tally.relevant == 2


def test_judgments_of_what_was_not_given() -> None:
    judging = AdaptiveJudging(FOUND, "mtf")
    query = "q0"
    doc = FOUND.of(query).docs[0]
    judging.judge(query, doc, 1)
    judging.judge(query, "nobody returned it", 1)
    judging.judge("nobody searched it", "d1", 1)
    tally = judging.tally
    assert (tally.given, tally.judged, tally.relevant, tally.elsewhere) == (0, 1, 1, 2)
    assert (query, doc) not in judged(judging)
    assert judging.grades["nobody searched it"] == {"d1": 1}


def test_what_waits() -> None:
    judging = AdaptiveJudging(FOUND)
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
        AdaptiveJudging(FOUND, **how)


def test_what_cannot_be_judged() -> None:
    with pytest.raises(InputError, match="no system returned anything for query 'q9'"):
        AdaptiveJudging(FOUND, queries=["q9"])
    with pytest.raises(InputError, match="document 'd1' of query 'q0': the grade nan"):
        AdaptiveJudging(FOUND).judge("q0", "d1", float("nan"))
    with pytest.raises(InputError, match="the grade -1 is below 0; use 0 for junk"):
        AdaptiveJudging(FOUND).judge("q0", "d1", -1)
    with pytest.raises(OptionError, match="budget=0: expected a whole number from 1 on"):
        Limits(budget=0)
    with pytest.raises(OptionError, match=r"total=10{20}: expected .* at most"):
        Limits(total=10**20)


def test_how_far_judging_has_come() -> None:
    tally = Tally(
        pooled=1200, given=30, judged=24, relevant=6, waiting=6, elsewhere=0, queries=3, ended={}
    )
    assert tally.text == (
        "24 of 1,200 documents judged; 6 relevant (25%); 6 given and not judged yet"
    )
    ended = {"patience": 2, "all given": 1}
    tally = Tally(
        pooled=9, given=0, judged=0, relevant=0, waiting=0, elsewhere=4, queries=3, ended=ended
    )
    assert tally.text == (
        "0 of 9 documents judged; 0 relevant; 0 given and not judged yet; 4 judged that no run "
        "returned; 3 of 3 queries over (nothing relevant for too long: 2, all documents given: 1)"
    )


def test_why_nothing_is_given_names_the_limit() -> None:
    def ended(total: int | None = None, **reasons: int) -> str:
        counts = {reason.replace("_", " "): count for reason, count in reasons.items()}
        return Tally(9, 3, 3, 0, 0, 0, queries=2, ended=counts, total=total).over_text

    assert ended(all_given=2).startswith("there is nothing more to judge")
    assert ended(total=1200) == (
        "nothing more is given, by --total 1,200: to go on, give a larger number"
    )
    assert "by --budget and --patience:" in ended(budget=1, patience=1)
    assert "by --target-relevant:" in ended(all_given=1, target=1)
    reached = Tally(9, 3, 3, 0, 0, 0, queries=2, ended={}, total=1200)
    assert reached.text.endswith("; 1,200 given in all, the limit")
