"""Engines scored in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cleverdon
from cleverdon.engines.client import Patience
from cleverdon.engines.retrieval import SearchWarning
from cleverdon.errors import InputError, OptionError

TOPICS = {"q1": "apple", "q2": "bread", "q3": "never judged"}
QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"b": 1}}


def good(query: str, k: int) -> list[tuple[str, float]]:
    return {"apple": [("a", 2.0), ("b", 1.0)], "bread": [("b", 1.0)]}[query]


def bad(query: str, k: int) -> list[tuple[str, float]]:
    return [("x", 3.0), ("b", 2.0)][:k]


def test_one_engine_or_several() -> None:
    scores = cleverdon.evaluate_engines(good, TOPICS, QRELS, "nDCG@10 RR")
    assert scores.to_dict() == {"good": {"nDCG@10": 1.0, "RR": 1.0}}
    for engines in ({"good": good, "bad": bad}, [good, bad]):
        both = cleverdon.evaluate_engines(engines, TOPICS, QRELS, "RR")
        assert both.to_dict() == {"good": {"RR": 1.0}, "bad": {"RR": 0.5}}


def test_it_is_search_and_evaluate() -> None:
    judged = {query: TOPICS[query] for query in QRELS}
    run = cleverdon.search(bad, judged, k=2)
    by_hand = cleverdon.evaluate(QRELS, {"bad": run}, "RR AP", keep=1)
    at_once = cleverdon.evaluate_engines(bad, TOPICS, QRELS, "RR AP", k=2, keep=1)
    assert at_once.to_dict() == by_hand.to_dict()
    assert at_once.top == by_hand.top


def test_settings_of_evaluations_are_handed_on(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 2\nq1 0 b 1\nq1 0 b 1\nq2 0 b 1\n")
    with pytest.raises(InputError, match="b"):
        cleverdon.evaluate_engines(good, TOPICS, qrels)
    scores = cleverdon.evaluate_engines(
        good, TOPICS, qrels, profile="trec_eval-10", duplicates="first"
    )
    assert scores.about.profile == "trec_eval-10"
    with pytest.raises(TypeError, match="depth"):
        cleverdon.evaluate_engines(good, TOPICS, QRELS, depth=3)


def test_only_judged_topics_are_asked_and_told_of() -> None:
    told: list[tuple[str, int, int]] = []
    cleverdon.evaluate_engines(good, TOPICS, QRELS, progress=lambda *at: told.append(at))
    assert told == [("searching good", done, 2) for done in range(3)]
    with pytest.raises(InputError, match="none of the queries is judged; are their ids"):
        cleverdon.evaluate_engines(good, {"other": "apple"}, QRELS)


def test_topics_whose_numbers_have_zeros(tmp_path: Path) -> None:
    topics = tmp_path / "topics.trec"
    topics.write_text("<top>\n<num> Number: 051\n<title> apple\n</top>\n")
    scores = cleverdon.evaluate_engines(good, topics, {"51": {"a": 1}}, "RR")
    assert scores.to_dict() == {"good": {"RR": 1.0}}


def test_ids_that_are_not_those_of_the_judgments() -> None:
    def passages(query: str, k: int) -> list[tuple[str, float]]:
        return [(f"{doc}#1", score) for doc, score in good(query, k)]

    with pytest.warns(SearchWarning, match="For q1, 'a#1' was found, and 'a' is judged"):
        scores = cleverdon.evaluate_engines(passages, TOPICS, QRELS, "RR")
    assert scores.to_dict() == {"passages": {"RR": 0.0}}


def test_failed_queries_left_out_are_missing() -> None:
    def lame(query: str, k: int) -> list[tuple[str, float]]:
        return {"apple": [("a", 1.0)]}[query]

    with pytest.warns(SearchWarning, match="1 of 2 queries failed: q2"):
        scores = cleverdon.evaluate_engines(
            lame, TOPICS, QRELS, "RR", failed="leave out", patience=Patience(pause=0)
        )
    assert scores.to_dict() == {"lame": {"RR": 0.5}}
    assert scores.about.runs["lame"].missing == ("q2",)


@pytest.mark.parametrize(
    ("engines", "error", "said"),
    [
        ({}, InputError, "there is no engine to evaluate"),
        ([good, good], OptionError, "two engines are called 'good'; name them"),
        (7, OptionError, "'int' is not a search engine"),
        ({"kind": "sqlit"}, InputError, "'sqlit' is not known; did you mean 'sqlite'"),
    ],
)
def test_what_is_no_engine(engines: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        cleverdon.evaluate_engines(engines, TOPICS, QRELS)
