from __future__ import annotations

import dataclasses
import sqlite3
import sys

import pytest

from cleverdon.demo.documents import Document
from cleverdon.demo.systems import SYSTEMS, System, match_expression, search
from cleverdon.demo.topics import Topic
from cleverdon.errors import CleverdonError


def _document(name: str, body: str) -> Document:
    return Document(
        id=f"jars.{name}", module="jars", owner="jars", name=name, summary="Held out.", body=body
    )


_DOCUMENTS = (
    _document("openLid", "Unscrews something slowly."),
    _document("shut", "The lid is screwed down; opening it later is easy."),
    _document("shut_again", "The lid is screwed down; opening it later is easy."),
    _document("weigh", "Says how heavy the jar is."),
)
_BY_NAME = {system.name: system for system in SYSTEMS}


def _found(system: System, text: str, *, depth: int = 100) -> list[str]:
    topic = Topic(id="q1", text=text, document=_DOCUMENTS[0])
    return [
        result.document.removeprefix("jars.")
        for result in search(system, _DOCUMENTS, [topic], depth=depth)
    ]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize(
    "text",
    [
        '"',
        'a "quoted" word',
        "it's -not- NEAR(x, 3) AND OR NOT",
        "name:lid * ^start {text}: +x",
        "a\\b; DROP TABLE documents --",
        "col : value (",
        "naïve Ünïcode 日本",
        "under_score",
        "\x00 \t",
        "...",
        "",
    ],
)
def test_no_query_is_a_syntax_error(system: System, text: str) -> None:
    _found(system, text)


def test_operators_and_punctuation_are_words_or_nothing() -> None:
    assert match_expression('Jar AND "lid" -(x*)') == '"jar" OR "and" OR "lid" OR "x"'
    assert match_expression("a lid, a jar", operator="AND", ignored=frozenset("a")) == (
        '"lid" AND "jar"'
    )
    assert match_expression("?!") == ""


def test_the_summary_cannot_be_found() -> None:
    assert _found(_BY_NAME["bm25"], "held") == []


def test_camel_case_names_are_found_by_their_parts() -> None:
    assert _found(_BY_NAME["bm25"], "open") == ["openLid"]
    assert _found(_BY_NAME["bm25"], "openlid") == ["openLid"]


def test_porter_finds_inflections() -> None:
    assert set(_found(_BY_NAME["bm25-porter"], "open")) == {"openLid", "shut", "shut_again"}


def test_a_match_in_the_name_counts_for_more() -> None:
    documents = (_document("lid", "One of many words in here."), _document("pot", "A lid, a lid."))
    topic = Topic(id="q1", text="lid", document=documents[0])
    weighted, plain = (
        [result.score for result in search(_BY_NAME[name], documents, [topic])]
        for name in ("name-weighted", "bm25")
    )
    assert weighted != plain


def test_boolean_and_wants_every_content_word() -> None:
    assert _found(_BY_NAME["boolean-and"], "the heavy jars of a jar") == ["weigh"]
    assert _found(_BY_NAME["boolean-and"], "heavy lid") == []
    assert _found(_BY_NAME["boolean-and"], "the of a") == []


def test_scores_descend_and_ties_come_in_descending_order_of_ids() -> None:
    topic = Topic(id="q1", text="screwed down", document=_DOCUMENTS[0])
    documents = tuple(dataclasses.replace(one, name="x") for one in _DOCUMENTS)
    results = search(_BY_NAME["bm25"], documents, [topic])
    assert [result.rank for result in results] == [1, 2]
    assert results[0].score == results[1].score > 0
    assert [result.document for result in results] == ["jars.shut_again", "jars.shut"]


def test_results_are_cut_at_the_depth_asked_for() -> None:
    assert len(_found(_BY_NAME["bm25"], "jars", depth=3)) == 3


def test_a_python_without_sqlite_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(CleverdonError, match="FTS5"):
        _found(SYSTEMS[0], "lid")


def test_an_sqlite_without_fts5_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class WithoutFTS5(sqlite3.Connection):
        def execute(self, *_: object) -> sqlite3.Cursor:
            message = "no such module: fts5"
            raise sqlite3.OperationalError(message)

    monkeypatch.setattr(sqlite3, "connect", WithoutFTS5)
    with pytest.raises(CleverdonError, match="no such module: fts5"):
        _found(SYSTEMS[0], "lid")
