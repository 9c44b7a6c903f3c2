from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cleverdon.demo.documents import Document
from cleverdon.demo.systems import SYSTEMS, System, indexed, search
from cleverdon.demo.topics import Topic
from cleverdon.engine.configured import open_engine


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

Found = Callable[..., list[str]]


def _results(
    system: System, folder: Path, text: str, documents: Sequence[Document], *, depth: int = 100
) -> list[tuple[str, float]]:
    open_engine(system.engine(folder)).index(indexed(documents))
    run = search(system, folder, [Topic(id="q1", text=text, document=documents[0])], depth=depth)
    return run.ranking("q1") if "q1" in run else []


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The names of what a system, by its own name, finds for a text."""

    def names(system: str, text: str, *, depth: int = 100) -> list[str]:
        results = _results(_BY_NAME[system], tmp_path, text, _DOCUMENTS, depth=depth)
        return [document.removeprefix("jars.") for document, _ in results]

    return names


@pytest.mark.filterwarnings("ignore:.*found nothing for any query")
def test_the_summary_cannot_be_found(found: Found) -> None:
    assert found("bm25", "held") == []


def test_camel_case_names_are_found_by_their_parts(found: Found) -> None:
    assert found("bm25", "open") == ["openLid"]
    assert found("bm25", "openlid") == ["openLid"]


def test_porter_finds_inflections(found: Found) -> None:
    assert set(found("bm25-porter", "open")) == {"openLid", "shut", "shut_again"}


def test_a_match_in_the_name_counts_for_more(tmp_path: Path) -> None:
    documents = (_document("lid", "One of many words in here."), _document("pot", "A lid, a lid."))
    weighted, plain = (
        dict(_results(_BY_NAME[name], tmp_path, "lid", documents))
        for name in ("name-weighted", "bm25")
    )
    assert weighted["jars.lid"] > plain["jars.lid"] > 0
    assert weighted["jars.pot"] == plain["jars.pot"]


@pytest.mark.filterwarnings("ignore:.*found nothing for any query")
def test_boolean_and_wants_every_content_word(found: Found) -> None:
    assert found("boolean-and", "the heavy jars of a jar") == ["weigh"]
    assert found("boolean-and", "heavy lid") == []
    assert found("boolean-and", "the of a") == []


def test_ties_come_in_descending_order_of_ids(tmp_path: Path) -> None:
    documents = tuple(dataclasses.replace(one, name="x") for one in _DOCUMENTS)
    (first, second) = _results(_BY_NAME["bm25"], tmp_path, "screwed down", documents)
    assert first[1] == second[1] > 0
    assert [first[0], second[0]] == ["jars.shut_again", "jars.shut"]


def test_results_are_cut_at_the_depth_asked_for(found: Found) -> None:
    assert len(found("bm25", "jars", depth=3)) == 3
