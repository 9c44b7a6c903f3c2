"""What is said of judgments that were merged, filtered, cut or split."""

from __future__ import annotations

import csv
import io

from cleverdon import Judgments
from cleverdon.cli.qrels_files import _qrels_size
from cleverdon.collection.filters import filter_judgments, filter_notes
from cleverdon.collection.merges import _contradictions_csv, merge, merge_notes
from cleverdon.collection.subsets import (
    sample_queries,
    simulate_pool,
    split_into_files,
    split_judgments,
    split_notes,
    subset_notes,
)

MANY = {"q1": {f"d{at}": float(at % 2) for at in range(1000)}, "q2": {"a": 2.0}}


def test_sizes() -> None:
    assert _qrels_size(Judgments.read(MANY)) == "1,001 judgments of 2 queries"
    assert _qrels_size(Judgments.read({"q": {"a": 1}})) == "1 judgment of 1 query"
    marked = Judgments.read({"q": {"a": 1, "b": -1, "c": 0}})
    assert _qrels_size(marked) == "2 judgments and 1 document not judged, of 1 query"


def test_a_merge() -> None:
    other = {"q1": {f"d{at}": 2.0 for at in range(8)}, "q3": {"a": 0.0}}
    told = list(merge_notes(merge({"one": MANY, "two": other}, policy="min")))
    assert told[:4] == [
        "one: 1,001 judgments of 2 queries, 1,001 new",
        "two: 9 judgments of 2 queries, 1 new",
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
            io.StringIO(_contradictions_csv(found.contradictions, found.inputs[0].name.split()))
        )
    )
    assert rows == [
        {"query_id": "q1", "doc_id": "a", "subtopic": "s,1", "one": "1", "taken": "2.5"}
    ]


def test_a_filter() -> None:
    assert list(filter_notes(filter_judgments(MANY))) == ["no judgment was dropped"]
    found = filter_judgments(
        MANY, queries=["q1", "q8", "q9"], grades={1: 3, 7: 1}, docs=["d1", "d3", "no"]
    )
    assert list(filter_notes(found)) == [
        "999 judgments of 1,001 dropped (query: 1, document: 998)",
        "1 query dropped: q2",
        "2 grades became another",
        "warning: no judgment that is kept has grade 7: nothing was made of it",
        "warning: 2 queries named without judgments: q8, q9",
        "warning: 1 document named that no judgment mentions: no",
    ]
    assert "1 grade became another" in filter_notes(filter_judgments(MANY, binary=True, rel=1))


def test_more_queries_than_there_are() -> None:
    told = list(subset_notes(sample_queries(MANY, count=50)))
    assert told[1:] == ["all queries are kept: 50 were asked for, of 2"]
    assert len(list(subset_notes(sample_queries(MANY, count=2)))) == 1


def test_another_share_is_held_out() -> None:
    qrels = {f"q{at}": {"d1": 1.0} for at in range(12)}
    (told,) = split_notes(split_into_files(qrels, "{name}.txt", hold_out=0.01))
    assert told == "1 of 12 queries held out, which is 8.3% and not 1%: test has one query at least"
    assert list(split_notes(split_into_files(qrels, "{name}.txt", hold_out=0.2))) == []


def test_a_pool_and_a_split() -> None:
    found = simulate_pool(MANY, {"q1": {"d1": 2.0, "x": 1.0}})
    assert list(subset_notes(found)) == [
        "1 of 1,001 judgments kept; 1 of 2 queries",
        "1 query lost: q2",
        "1 document of the pool in no judgment",
    ]
    parts = split_judgments(MANY, {"part": ["q2", "q7"]})
    assert list(split_notes(parts)) == [
        "warning: 1 judged query in no part: q1",
        "warning: 1 query of parts without judgments: q7",
    ]
