from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.tantivy import Tantivy
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError
from tests.engines.adapters.local_searches import check_that_half_an_index_leaves_the_old_one, found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, documents: tuple[Document, ...]) -> Path:
    folder = tmp_path_factory.mktemp("tantivy") / "index"
    Tantivy(folder=folder).index(iter(documents))
    return folder


def test_it_finds_all_that_have_the_words(
    folder: Path, documents: tuple[Document, ...], topics: dict[str, str]
) -> None:
    texts = {one.id: set(f"{one.title} {one.text}".split()) for one in documents}
    for operator, enough in (("or", any), ("and", all)):
        engine = Tantivy(folder=folder, operator=operator)
        answers = found(engine, *topics.values(), k=1000)
        for query, results in zip(topics.values(), answers, strict=True):
            expected = {
                id for id, text in texts.items() if enough(w in text for w in query.split())
            }
            assert {id for id, _ in results} == expected
            scores = [score for _, score in results]
            assert scores == sorted(scores, reverse=True)


def test_it_scores_as_tantivy_does(folder: Path, topics: dict[str, str]) -> None:
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()
    answers = found(Tantivy(folder=folder, weights={"title": 3}), *topics.values(), k=20)
    for query, results in zip(topics.values(), answers, strict=True):
        parsed = index.parse_query(query, ["title", "text"], field_boosts={"title": 3.0})
        hits = searcher.search(parsed, 20).hits
        # In single precision, and in an order that depends on how many are asked for.
        expected = pytest.approx([score for score, _ in hits], rel=1e-6)
        assert [score for _, score in results] == expected


def test_equal_scores_come_in_falling_order_of_ids(tmp_path: Path) -> None:
    for writers in (1, 3):
        engine = Tantivy(folder=tmp_path / "index", writers=writers)
        engine.index(Document(f"d{number:03}", "", "same words") for number in range(100))
        for k in (1, 7, 100, 200):
            (results,) = found(engine, "same", k=k)
            assert [id for id, _ in results] == [f"d{n:03}" for n in range(99, -1, -1)][:k]


@given(text=st.text(max_size=30))
def test_no_text_is_a_syntax_error(folder: Path, text: str) -> None:
    found(Tantivy(folder=folder, threads=1), text, f'apple "{text} [a TO', f"text:{text}* -apple")


def test_syntax_is_words(folder: Path) -> None:
    engine = Tantivy(folder=folder)
    same = found(engine, "text apple", "text:apple", "-apple", "*", "")
    assert same[0] == same[1] == same[2]
    assert same[0]
    assert same[3] == same[4] == []


def test_more_can_be_asked_for_than_there_is(folder: Path) -> None:
    (results,) = found(Tantivy(folder=folder), "apple", k=10**15)
    assert results == found(Tantivy(folder=folder), "apple", k=len(results))[0]
    assert len(results) > 10


def test_stems_where_they_are_asked_for(tmp_path: Path) -> None:
    stemmed = open_engine(f"tantivy:{tmp_path / 'index'}?tokenizer=en_stem")
    stemmed.index([Document("d1", "", "it opened")])
    for engine in (stemmed, Tantivy(folder=tmp_path / "index")):
        assert [id for id, _ in found(engine, "opening")[0]] == ["d1"]
    with pytest.raises(InputError, match="indexed with the tokenizer 'en_stem'"):
        found(Tantivy(folder=tmp_path / "index", tokenizer="default"), "x")
    for tokenizer in ("whitespace", "raw"):
        engine = Tantivy(folder=tmp_path / tokenizer, tokenizer=tokenizer)
        engine.index([Document("d1", "", "opened")])
        assert [id for id, _ in found(engine, "opened")[0]] == ["d1"]


def test_an_index_that_fails_midway_leaves_the_old_one(tmp_path: Path) -> None:
    check_that_half_an_index_leaves_the_old_one(Tantivy(folder=tmp_path / "index"))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_size_and_what_is_not_there(tmp_path: Path, folder: Path) -> None:
    assert Tantivy(folder=folder).size() == sum(f.stat().st_size for f in folder.iterdir())
    missing = Tantivy(folder=tmp_path / "none")
    assert missing.size() is None
    with pytest.raises(InputError, match="this makes it: cleverdon index tantivy:"):
        found(missing, "apple")
    (tmp_path / "diary.txt").write_text("mine")
    with pytest.raises(InputError, match="tantivy cannot read it"):
        found(Tantivy(folder=tmp_path), "apple")
    with pytest.raises(InputError, match="did not make this"):
        Tantivy(folder=tmp_path).index([])
    with pytest.raises(OptionError, match=r"columns=.*body"):
        found(Tantivy(folder=folder, columns=["body"]), "apple")
    with pytest.raises(CleverdonError, match="missing: a document has no stored field 'key'"):
        found(Tantivy(folder=folder, id="key"), "apple")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"operator": "xor"}, "operator='xor' is not known"),
        ({"weights": {"titel": 2}}, "did you mean 'title'"),
        ({"writers": 0}, "writers=0"),
        ({"tokenizer": "english"}, "tokenizer='english' is not known; it can be 'default', 'en_"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Tantivy(folder="index", **options)


def test_indexing_makes_its_own_columns() -> None:
    with pytest.raises(OptionError, match="indexing makes title and text"):
        Tantivy(folder="index", columns="body").index([])


def test_without_tantivy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    monkeypatch.delitem(sys.modules, "cleverdon.engines.adapters.tantivy")
    with pytest.raises(MissingExtra, match="pip install tantivy"):
        open_engine("tantivy:index")
