"""What a reader sees of each topic's rankings."""

from __future__ import annotations

from typing import Any

import pytest

from cleverdon import Scores, evaluate
from cleverdon.read.texts import Text
from cleverdon.show.report import report, shown_documents
from cleverdon.show.report.rankings import document_texts, ranking_data
from tests.show.report.examples import DOCUMENTS, scores


def shown(of: Scores, query: str, system: str) -> dict[str, Any]:
    """One ranking, with ids in place of numbers, and what the topic has."""
    data = ranking_data(of)
    topic = data["topics"][of.queries.index(query)]
    found: dict[str, Any] = dict(topic["systems"][of.systems.index(system)])
    name = data["documents"]
    found["rows"] = [(rank, name[doc], grade) for rank, doc, grade in found["rows"]]
    found["relevant"] = [(name[doc], grade) for doc, grade in topic["relevant"]]
    found["judged"], found["of"] = topic["judged"], topic["of"]
    return found


def test_the_first_results_and_below_them_what_was_judged() -> None:
    good = shown(scores(), "1", "good")
    assert good["rows"] == [(1, "a", 2), (2, "x", None), (3, "p", -1), (4, "b", 1)]
    assert good["relevant"] == [("a", 2), ("b", 1)]
    assert (good["judged"], good["of"]) == (3, 2)  # p was pooled, and not judged
    assert (good["returned"], good["more"], good["missing"]) == (4, 0, 0)
    assert good["found"] == [1, 4]
    poor = shown(scores(), "1", "poor")
    assert poor["rows"] == [(1, "x", None), (2, "c", 0), (3, "y", None), (4, "b", 1)]
    assert (poor["found"], poor["missing"]) == ([4], 1)


def test_a_topic_that_was_not_returned_and_one_without_relevant_documents() -> None:
    assert shown(scores(), "3", "poor") == {
        "rows": [],
        "returned": 0,
        "more": 0,
        "found": [],
        "missing": 0,
        "relevant": [],
        "judged": 1,
        "of": 0,
    }


def test_ids_stand_once_in_the_list() -> None:
    documents = ranking_data(scores())["documents"]
    assert sorted(documents) == ["a", "b", "c", "d", "p", "x", "y"]


@pytest.mark.parametrize(
    ("ties", "wanted", "value"),
    [
        ("best", [(1, "r", 1), (2, "n", 0), (3, "u", None)], 1),
        ("worst", [(1, "n", 0), (2, "u", None), (3, "r", 1)], 1 / 3),
        ("descending", [(1, "u", None), (2, "r", 1), (3, "n", 0)], 1 / 2),
        ("ascending", [(1, "n", 0), (2, "r", 1), (3, "u", None)], 1 / 2),
    ],
)
def test_ties_are_shown_in_the_order_in_which_they_counted(
    ties: str, wanted: list[Any], value: float
) -> None:
    tied = evaluate(
        {"q": {"r": 1, "n": 0}},
        {"s": {"q": {"r": 1.0, "n": 1.0, "u": 1.0}}},
        "RR",
        keep=3,
        ties=ties,
    )
    assert tied.mean("s", "RR") == pytest.approx(value)
    found = shown(tied, "q", "s")
    assert found["found"] == [round(1 / value)]
    # Which of the others comes first within a group of ties is a matter of no consequence.
    assert [row for row in found["rows"] if row[1] == "r"] == [row for row in wanted if row[2] == 1]
    assert sorted(found["rows"]) == [(rank, doc, grade) for rank, doc, grade in found["rows"]]
    assert {doc for _, doc, _ in found["rows"]} == {"r", "n", "u"}


def test_a_tied_group_that_reaches_below_what_was_kept() -> None:
    run = {"q": {"u": 2.0, "v": 1.0, "w": 1.0, "r": 1.0}}
    for ties, rank in (("best", 2), ("worst", 4)):
        tied = evaluate({"q": {"r": 1}}, {"s": run}, "RR", keep=2, ties=ties)
        rows = shown(tied, "q", "s")["rows"]
        assert (rank, "r", 1) in rows
        assert len({row[0] for row in rows}) == len(rows)
        assert len({row[1] for row in rows}) == len(rows)


def test_fractional_and_negative_grades() -> None:
    qrels = {"q": {"a": 0.5, "b": 2.5, "c": -2, "d": 0.25}}
    run = {"q": {"a": 3.0, "c": 2.0, "b": 1.0}}
    found = shown(evaluate(qrels, {"s": run}, "nDCG", keep=5), "q", "s")
    assert found["rows"] == [(1, "a", 0.5), (2, "c", -2), (3, "b", 2.5)]
    assert found["relevant"] == [("b", 2.5), ("a", 0.5), ("d", 0.25)]
    assert (found["judged"], found["of"], found["found"]) == (3, 1, [3])
    assert found["missing"] == 1  # d, which gains little


def test_deep_rankings_end_with_a_count() -> None:
    judged = {f"r{n:03}": 1 for n in range(60)}
    run = {"q": {f"r{n:03}": 100.0 - n for n in range(50)}}
    found = shown(evaluate({"q": judged}, {"s": run}, "AP", keep=10), "q", "s")
    assert len(found["rows"]) == 30
    assert found["more"] == 20
    assert len(found["found"]) == 50
    assert found["missing"] == 10
    assert len(found["relevant"]) == 50  # as many as are listed
    assert found["of"] == 60


def test_texts_of_what_is_shown() -> None:
    wanted = shown_documents(scores())
    assert wanted == {"a", "b", "c", "d", "p", "x", "y"}
    made = report(scores(), documents=DOCUMENTS | {"elsewhere": Text("", "Not shown.")})
    rankings = made.content["rankings"]
    at = {name: str(n) for n, name in enumerate(rankings["documents"])}
    assert set(rankings["texts"]) == {at["a"], at["x"]}
    title, text = rankings["texts"][at["a"]]
    assert title == "A title"
    assert len(text) == 400
    assert text == ("Its text. " * 80)[:399] + "…"
    assert rankings["texts"][at["x"]] == ["", "Words."]
    assert "texts" not in report(scores()).content["rankings"]


def test_only_the_ends_of_long_texts_are_left_out() -> None:
    data = {"documents": ["a"]}
    assert document_texts(data, {"a": Text("", "12345")}, limit=5) == {"0": ["", "12345"]}
    assert document_texts(data, {"a": Text("", "123 56")}, limit=5) == {"0": ["", "123…"]}
