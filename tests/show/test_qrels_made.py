"""What is said of judgments that were merged, filtered, cut or split."""

from __future__ import annotations

import csv
import io

from cleverdon import Judgments
from cleverdon.collection import filtered, merge, pooled, some_topics, split
from cleverdon.show.qrels_made import (
    contradictions_csv,
    size,
    told_of_filter,
    told_of_hold_out,
    told_of_merge,
    told_of_split,
    told_of_subset,
)

MANY = {"q1": {f"d{at}": float(at % 2) for at in range(1000)}, "q2": {"a": 2.0}}


def test_sizes() -> None:
    assert size(Judgments.read(MANY)) == "1,001 judgments of 2 topics"
    assert size(Judgments.read({"q": {"a": 1}})) == "1 judgment of 1 topic"
    marked = Judgments.read({"q": {"a": 1, "b": -1, "c": 0}})
    assert size(marked) == "2 judgments and 1 document not judged, of 1 topic"


def test_a_merge() -> None:
    other = {"q1": {f"d{at}": 2.0 for at in range(8)}, "q3": {"a": 0.0}}
    told = list(told_of_merge(merge({"one": MANY, "two": other}, policy="min")))
    assert told[:4] == [
        "one: 1,001 judgments of 2 topics, 1,001 new",
        "two: 9 judgments of 2 topics, 1 new",
        "8 documents judged in several files",
        "8 contradictions, settled by min:",
    ]
    assert told[4] == "    q1 d0: 0 in one, 2 in two; taken: 0"
    assert told[-1] == "    and 3 more (--contradictions FILE lists all)"


def test_contradictions_of_subtopics_and_odd_names() -> None:
    one, two = (
        Judgments.read([("q1", "s,1", "a", grade)], format="subtopics") for grade in (1, 2.5)
    )
    found = merge({"one": one, "two": two, "none": one}, policy="max")
    rows = list(
        csv.DictReader(
            io.StringIO(contradictions_csv(found.contradictions, found.inputs[0].name.split()))
        )
    )
    assert rows == [
        {"query_id": "q1", "doc_id": "a", "subtopic": "s,1", "one": "1", "taken": "2.5"}
    ]


def test_a_filter() -> None:
    assert list(told_of_filter(filtered(MANY))) == ["no judgment was dropped"]
    found = filtered(MANY, topics=["q1", "q8", "q9"], grades={1: 3, 7: 1}, docs=["d1", "d3", "no"])
    assert list(told_of_filter(found)) == [
        "999 judgments of 1,001 dropped (topic: 1, document: 998)",
        "1 topic dropped: q2",
        "2 grades became another",
        "warning: no judgment that is kept has grade 7: nothing was made of it",
        "warning: 2 topics named without judgments: q8, q9",
        "warning: 1 document named that no judgment mentions: no",
    ]
    assert "1 grade became another" in told_of_filter(filtered(MANY, binary=True, rel=1))


def test_more_topics_than_there_are() -> None:
    told = list(told_of_subset(some_topics(MANY, count=50)))
    assert told[1:] == ["all topics are kept: 50 were asked for, of 2"]
    assert len(list(told_of_subset(some_topics(MANY, count=2)))) == 1


def test_another_share_is_held_out() -> None:
    (told,) = told_of_hold_out(0.01, 11, 1)
    assert told == "1 of 12 topics held out, which is 8.3% and not 1%: test has one topic at least"
    assert list(told_of_hold_out(0.2, 10, 2)) == []


def test_a_pool_and_a_split() -> None:
    found = pooled(MANY, {"q1": {"d1": 2.0, "x": 1.0}})
    assert list(told_of_subset(found)) == [
        "1 of 1,001 judgments kept; 1 of 2 topics",
        "1 topic lost: q2",
        "1 document of the pool in no judgment",
    ]
    parts = split(MANY, {"part": ["q2", "q7"]})
    assert list(told_of_split(parts)) == [
        "warning: 1 judged topic in no part: q1",
        "warning: 1 topic of parts without judgments: q7",
    ]
