"""Parts of judgments: random ones, and those of other pools."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments, Run
from cleverdon.collection.subsets import (
    sample_judgments,
    sample_queries,
    simulate_pool,
    subset_notes,
)
from cleverdon.errors import InputError, OptionError
from tests.collection.examples import everything, judgments, qrels, runs

MANY = {f"q{i}": {f"d{j}": float(j % 4) for j in range(40)} for i in range(10)}


def test_random_queries_keep_all_their_judgments() -> None:
    found = sample_queries(MANY, share=0.3, seed=5)
    assert len(found.judgments.queries) == 3
    assert found.judgments.to_dict() == {query: MANY[query] for query in found.judgments.queries}
    assert len(sample_queries(MANY, count=100).judgments.queries) == 10


def test_what_is_drawn_depends_on_seed_and_query_alone() -> None:
    shuffled = {query: dict(reversed(docs.items())) for query, docs in reversed(MANY.items())}
    few = {query: MANY[query] for query in ("q3", "q7")}
    for by_grade in (False, True):
        how: dict[str, Any] = {"share": 0.25, "seed": 3, "by_grade": by_grade}
        drawn = sample_judgments(MANY, **how).judgments.to_dict()
        assert sample_judgments(shuffled, **how).judgments.to_dict() == drawn
        assert sample_judgments(few, **how).judgments.to_dict() == {q: drawn[q] for q in few}
        assert sample_judgments(MANY, **{**how, "seed": 4}).judgments.to_dict() != drawn
    assert sample_queries(shuffled, count=4, seed=2).judgments.to_dict() == (
        sample_queries(MANY, count=4, seed=2).judgments.to_dict()
    )


def test_every_grade_gives_its_share() -> None:
    found = sample_judgments(MANY, share=0.2, seed=1, by_grade=True).judgments
    for query in found.queries:
        counts = Counter(found[query].values())
        assert sum(counts.values()) == 8
        assert set(counts.values()) == {2}


def test_every_document_has_the_same_chance() -> None:
    qrels = {"q": dict.fromkeys("abcdefgh", 1.0)}
    times: Counter[str] = Counter()
    for seed in range(400):
        times.update(sample_judgments(qrels, count=2, seed=seed).judgments["q"].keys())
    # 100 times each are expected; 4 standard deviations are 35.
    assert all(65 < times[doc] < 135 for doc in "abcdefgh")


def test_the_others_may_stay_as_not_judged() -> None:
    given = {"q": {"a": 1.0, "b": 2.0, "c": -2.0, "d": 0.0}}
    found = sample_judgments(given, count=1, seed=1, mark=True)
    grades = found.judgments["q"]
    assert list(grades) == ["a", "b", "c", "d"]
    assert grades["c"] == -2
    assert sum(grade >= 0 for grade in grades.values()) == found.judged == 1
    assert sum(grade == -1 for grade in grades.values()) == 2


def test_one_of_each_query_at_least_is_told_of() -> None:
    few = {"q1": {"a": 1.0, "b": 0.0}, "q2": {f"d{i}": 1.0 for i in range(20)}}
    found = sample_judgments(few, share=0.1)
    assert (found.judged, found.raised) == (3, 1)
    assert list(subset_notes(found)) == [
        "3 of 22 judgments kept; 2 of 2 queries",
        "1 query with so few judgments that the share of them is none: one of each was taken",
    ]
    marked = sample_judgments(few, share=0.1, mark=True)
    assert next(subset_notes(marked)) == (
        "3 of 22 judgments drawn, the other 19 kept as not judged; 2 of 2 queries"
    )
    assert sample_judgments(few, count=1).raised == 0


def test_marked_subtopics() -> None:
    rows = [("q", "s", "a", 1), ("q", "t", "a", 2), ("q", "s", "b", 1)]
    found = sample_judgments(Judgments.read(rows, format="subtopics"), count=1, mark=True).judgments
    (kept,) = [doc for doc, grade in found["q"].items() if grade >= 0]
    (other,) = {"a", "b"} - {kept}
    assert found.notes.subtopics is not None
    assert set(found.notes.subtopics["q"][other].values()) == {-1.0}


@given(judgments, st.floats(0.1, 0.9), st.integers(0, 9), st.booleans())
def test_the_same_seed_gives_the_same(
    of: Judgments, share: float, seed: int, by_grade: bool
) -> None:
    how: dict[str, Any] = {"share": share, "seed": seed, "by_grade": by_grade}
    try:
        found = sample_judgments(of, **how).judgments
    except InputError:  # where nothing at all was judged
        assert all(grade < 0 for _, _, grade in of.rows())
        return
    assert everything(found) == everything(sample_judgments(of, **how).judgments)
    assert set(found.rows()) <= set(of.rows())


@given(qrels, runs, st.integers(1, 4))
def test_pools_against_plain_python(
    given: dict[str, dict[str, float]], systems: dict[str, Any], depth: int
) -> None:
    pool: dict[str, set[str]] = {}
    for nested in systems.values():
        run = Run.read(nested)
        for query in run.queries:
            docs = [doc for doc, _ in run.ranking(query)[:depth]]
            pool.setdefault(query, set()).update(docs)
    expected = {
        query: {doc: grade for doc, grade in docs.items() if doc in pool.get(query, ())}
        for query, docs in given.items()
    }
    expected = {query: docs for query, docs in expected.items() if docs}
    try:
        found = simulate_pool(given, systems, depth=depth)
    except InputError:
        assert not expected
        return
    assert found.judgments.to_dict() == expected
    lacking = sum(len(pool.get(query, set()) - docs.keys()) for query, docs in given.items())
    assert found.not_judged == lacking


def test_deeper_pools_have_more_and_some_systems_less() -> None:
    runs = {
        name: {q: {f"d{(j * step) % 40}": -float(j) for j in range(10)} for q in MANY}
        for name, step in (("x", 1), ("y", 3))
    }
    sizes = [len(simulate_pool(MANY, runs, depth=depth).judgments) for depth in (1, 3, 10)]
    assert all(a < b for a, b in pairwise(sizes))
    alone = simulate_pool(MANY, {"x": runs["x"]}, depth=3).judgments.to_dict()
    assert simulate_pool(MANY, runs, depth=3, leave_out=["y"]).judgments.to_dict() == alone
    assert simulate_pool(MANY, runs, depth=3, systems=["x"]).judgments.to_dict() == alone


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="either a share or a count"):
        sample_queries(MANY)
    with pytest.raises(OptionError, match="either a share or a count"):
        sample_judgments(MANY, share=0.5, count=2)
    with pytest.raises(OptionError, match=r"share=1\.5: expected a number between 0 and 1"):
        sample_judgments(MANY, share=1.5)
    with pytest.raises(OptionError, match="whole number from 1 on"):
        sample_queries(MANY, count=0)
    with pytest.raises(OptionError, match="seed=-1: expected a whole number from 0 on"):
        sample_queries(MANY, count=1, seed=-1)
    run = {"x": {"q0": {"d1": 1.0}}}
    with pytest.raises(OptionError, match="there is no system 'y'"):
        simulate_pool(MANY, run, leave_out=["y"])
    with pytest.raises(OptionError, match="no system is left"):
        simulate_pool(MANY, run, leave_out=["x"])
