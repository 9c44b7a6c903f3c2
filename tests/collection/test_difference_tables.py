"""Differences between judgments as tables, sentences and JSON."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from cleverdon import Judgments, evaluate
from cleverdon.collection.difference import diff, effects

OLD = {f"q{at:02}": {"a": 1.0, "b": 0.0, f"c{at}": 2.0} for at in range(15)}
NEW = {query: {**docs, "b": 2.0, "d": 1.0} for query, docs in OLD.items() if query != "q00"}
RUNS = {
    name: {query: {doc: 2.0, "a": 1.0} for query in OLD}
    for name, doc in (("x", "z"), ("y", "b"), ("w", "a"))
}


def test_people_see_those_that_changed_most_and_programs_all() -> None:
    found = diff(OLD, NEW)
    assert "the 10 queries that changed most, of 15" in str(found)
    rows = list(csv.DictReader(io.StringIO(found.to_csv("queries that changed"))))
    assert {row["query"] for row in rows} == set(OLD)
    assert found.closing() == [
        "1 query only in first judgments",
        "documents that became relevant: 14; that no longer are: 0",
    ]


def test_counts_have_separators_for_people_alone() -> None:
    many = {"q": {f"d{at}": 1.0 for at in range(1500)}}
    found = diff(many, many | {"q": dict.fromkeys(many["q"], 2.0)})
    assert "1,500" in str(found)
    assert "1,500" in str(found.by_query())
    assert "1500" in found.to_csv("queries that changed")
    assert found.by_query().render("tsv").splitlines()[1].split("\t") == [
        "q", "0", "0", "0", "1500", "1500", "1500",
    ]  # fmt: skip


def test_json_has_the_queries_and_the_claims() -> None:
    moved = effects(*(evaluate(of, RUNS, "RR") for of in (OLD, NEW)))
    whole = json.loads(replace(diff(OLD, NEW), effects=tuple(moved)).to_json())
    assert whole["queries_only_before"] == ["q00"]
    assert whole["queries"][1] == {
        "query": "q01", "same": 2, "added": 1, "removed": 0, "changed": 1,
        "relevant_before": 2, "relevant_after": 4,
    }  # fmt: skip
    (effect,) = whole["effects"]
    assert effect["queries"] == sorted(NEW)
    assert effect["left_out"]["only_before"] == 1
    shown = {(flip["system"], flip["baseline"]): flip["kind"] for flip in effect["flips"]}
    # y is better than x and as good as w, now that b is relevant; it was as poor as x.
    assert shown == {("y", "x"): "gained", ("w", "y"): "lost"}
    text = str(replace(diff(OLD, NEW), effects=tuple(moved)))
    assert "on 14 queries of both; left out: 1 only in first judgments" in text
    assert "lost: w against y by RR, +0.5000" in text


def test_letters_beyond_ascii_stay_as_they_are() -> None:
    found = diff({"frage ü": {"döc": 1}}, {"frage ü": {"döc": 0}})
    assert '"doc": "döc"' in found.by_judgment().to_json()
    assert "frage ü  döc" in str(found.by_judgment())


def test_strata_that_only_one_has() -> None:
    strata = Judgments.read([("q1", 0, "a", 1, 1)], format="strata")
    assert diff(strata, {"q1": {"a": 1}}).closing() == [
        "only one of the two has strata: grades of documents were compared, and not these"
    ]
