"""Judgments of some queries, documents and grades."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments
from cleverdon.collection.filters import filter_judgments
from cleverdon.errors import InputError, OptionError
from tests.collection.examples import everything, judgments

QRELS = {"q1": {"a": 2, "b": 0, "c": -1}, "q2": {"a": 1, "spam": 1}, "q3": {"a": 0}}


def test_queries() -> None:
    assert filter_judgments(QRELS, queries=["q1", "q9"]).judgments.queries == ["q1"]
    assert filter_judgments(QRELS, queries=["q1", "q9"]).missing == ("q9",)
    assert filter_judgments(QRELS, queries_like="[12]$").judgments.queries == ["q1", "q2"]
    assert filter_judgments(QRELS, queries=["q1"], exclude=True).judgments.queries == ["q2", "q3"]
    # What is listed and what is like it are both kept.
    both = filter_judgments(QRELS, queries=["q3"], queries_like="1").judgments.queries
    assert both == ["q1", "q3"]


def test_documents_and_grades() -> None:
    found = filter_judgments(QRELS, docs=["spam"], exclude=True)
    assert found.judgments["q2"] == {"a": 1}
    assert found.dropped == {"document": 1}
    assert filter_judgments(QRELS, docs_like="^s").judgments.to_dict() == {"q2": {"spam": 1}}
    found = filter_judgments(QRELS, lowest=1)
    assert found.judgments.to_dict() == {"q1": {"a": 2}, "q2": {"a": 1, "spam": 1}}
    assert found.dropped == {"grade": 3}
    assert found.dropped_queries == ("q3",)
    assert filter_judgments(QRELS, highest=0).judgments["q1"] == {"b": 0, "c": -1}
    assert filter_judgments(QRELS, drop_unjudged=True).dropped == {"not judged": 1}


def test_other_grades() -> None:
    assert filter_judgments(QRELS, grades={2: 1, 1: 0}).judgments["q1"] == {"a": 1, "b": 0, "c": -1}
    assert filter_judgments(QRELS, binary=True, rel=2).judgments["q1"] == {"a": 1, "b": 0, "c": -1}
    assert filter_judgments(QRELS, binary=True, rel=2).judgments["q2"] == {"a": 0, "spam": 0}


def test_what_became_of_grades_is_counted() -> None:
    assert filter_judgments(QRELS).regraded is None
    assert filter_judgments(QRELS, binary=True).regraded == 1
    found = filter_judgments(QRELS, grades={2: 1, 9: 1, 1: 1}, queries=["q1"])
    assert (found.regraded, found.unmet) == (1, (9, 1))
    rows = [("q1", "s", "a", 3), ("q1", "t", "a", 1)]
    given = Judgments.read(rows, format="subtopics")
    assert (
        filter_judgments(given, grades={1: 2}).regraded,
        filter_judgments(given, grades={1: 2}).unmet,
    ) == (
        1,
        (),
    )


def test_documents_that_nobody_judged_are_told_of() -> None:
    assert filter_judgments(QRELS, docs=["b", "none"], exclude=True).missing_docs == ("none",)


def test_too_few_relevant_are_counted_last() -> None:
    assert filter_judgments(QRELS, min_relevant=2).judgments.queries == ["q2"]
    found = filter_judgments(QRELS, grades={1: 0}, min_relevant=1)
    assert found.judgments.queries == ["q1"]
    assert found.dropped == {"too few relevant": 3}


def test_subtopics_are_regraded_each() -> None:
    rows = [("q1", "s", "a", 3), ("q1", "t", "a", 1), ("q1", "t", "b", 1)]
    given = Judgments.read(rows, format="subtopics")
    found = filter_judgments(given, grades={3: 0, 1: 2}).judgments
    # The largest grade is now that of the other subtopic.
    assert found.to_dict() == {"q1": {"a": 2, "b": 2}}
    assert found.notes.subtopics == {"q1": {"a": {"s": 0, "t": 2}, "b": {"t": 2}}}


def test_a_sample_that_loses_documents_is_told_of() -> None:
    given = Judgments.read([("q1", 0, "a", 1, 1), ("q2", 0, "b", 2, -1)], format="strata")
    assert filter_judgments(given, queries=["q1"]).warnings == ()
    (warning,) = filter_judgments(given, drop_unjudged=True).warnings
    assert "infAP" in warning


@given(judgments, st.integers(-1, 3), st.booleans(), st.integers(0, 2))
def test_twice_is_once(of: Judgments, lowest: int, drop: bool, least: int) -> None:
    how: dict[str, Any] = {
        "queries_like": "q1",
        "docs": ["a", "b", "c"],
        "lowest": lowest,
        "drop_unjudged": drop,
        "min_relevant": least,
    }
    try:
        once = filter_judgments(of, **how).judgments
    except InputError:  # nothing is left
        return
    again = filter_judgments(once, **how)
    assert everything(again.judgments) == everything(once)
    assert not again.dropped
    assert everything(filter_judgments(of).judgments) == everything(of)


def test_mistakes() -> None:
    with pytest.raises(InputError, match="no query that is named has judgments, such as 'q9'"):
        filter_judgments(QRELS, queries=["q9"])
    with pytest.raises(InputError, match="no judgment is left"):
        filter_judgments(QRELS, lowest=7)
    with pytest.raises(OptionError, match="queries is empty"):
        filter_judgments(QRELS, queries=[])
    with pytest.raises(OptionError, match="no query or document is"):
        filter_judgments(QRELS, exclude=True)
    with pytest.raises(OptionError, match="min_relevant=-1: expected a whole number"):
        filter_judgments(QRELS, min_relevant=-1)
    with pytest.raises(OptionError, match="above highest"):
        filter_judgments(QRELS, lowest=2, highest=1)
    with pytest.raises(OptionError, match="no regular expression"):
        filter_judgments(QRELS, queries_like="(")
    with pytest.raises(OptionError, match=r"write \['q1'\]"):
        filter_judgments(QRELS, queries="q1")
    with pytest.raises(OptionError, match="give one of them"):
        filter_judgments(QRELS, binary=True, grades={1: 2})
