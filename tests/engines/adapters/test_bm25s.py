from __future__ import annotations

import sys
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.bm25s import BM25S
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document
from cleverdon.errors import InputError, MissingExtra, OptionError
from tests.engines.adapters.local_searches import found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, documents: tuple[Document, ...]) -> Path:
    folder = tmp_path_factory.mktemp("bm25s") / "index"
    BM25S(folder=folder).index(iter(documents))
    return folder


def by_hand(
    documents: tuple[Document, ...], query: str, *, k1: float = 1.5, b: float = 0.75
) -> dict[str, float]:
    """BM25 as Lucene has it, term by term."""
    texts = {one.id: Counter(f"{one.title} {one.text}".split()) for one in documents}
    average = sum(text.total() for text in texts.values()) / len(texts)
    scores: dict[str, float] = {}
    for word in query.split():
        holders = sum(word in text for text in texts.values())
        idf = log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for id, text in texts.items():
            if word in text:
                length = k1 * (1 - b + b * text.total() / average)
                scores[id] = scores.get(id, 0) + idf * text[word] / (text[word] + length)
    return scores


def test_it_ranks_as_bm25_by_hand(
    folder: Path, documents: tuple[Document, ...], topics: dict[str, str]
) -> None:
    answers = found(BM25S(folder=folder), *topics.values(), k=1000)
    for query, results in zip(topics.values(), answers, strict=True):
        expected = by_hand(documents, query)
        assert dict(results) == pytest.approx(expected, rel=1e-5)
        scores = [score for _, score in results]
        assert scores == sorted(scores, reverse=True)


def test_the_first_k_are_those_of_all(folder: Path, topics: dict[str, str]) -> None:
    engine = BM25S(folder=folder)
    for k in (1, 3, 50):
        for whole, cut in zip(
            found(engine, *topics.values(), k=10**6),
            found(engine, *topics.values(), k=k),
            strict=True,
        ):
            assert cut == whole[:k]


def test_other_parameters(tmp_path: Path, documents: tuple[Document, ...]) -> None:
    engine = open_engine(f"bm25s:{tmp_path / 'index'}?k1=0.9&b=0.4")
    engine.index(documents)
    plain = BM25S(folder=tmp_path / "index")
    (results,) = found(plain, "apple fig", k=300)
    assert dict(results) == pytest.approx(by_hand(documents, "apple fig", k1=0.9, b=0.4), rel=1e-5)
    assert plain.settings["k1"] == 0.9
    with pytest.raises(InputError, match=r"indexed with k1=0\.9, and 2 was asked for"):
        found(BM25S(folder=tmp_path / "index", k1=2), "apple")


def test_equal_scores_come_in_falling_order_of_ids(tmp_path: Path) -> None:
    engine = BM25S(folder=tmp_path / "index")
    engine.index(
        Document(f"d{number}", "", "equal words" if number else "other") for number in range(9)
    )
    for k in (1, 4, 8, 20):
        (results,) = found(engine, "equal", k=k)
        assert [id for id, _ in results] == [f"d{number}" for number in range(8, 0, -1)][:k]


def test_stop_words(tmp_path: Path) -> None:
    engine = BM25S(folder=tmp_path / "index", stopwords="")
    engine.index([Document("d1", "", "the apple"), Document("d2", "", "fig")])
    assert [id for id, _ in found(engine, "the")[0]] == ["d1"]
    own = BM25S(folder=tmp_path / "own", stopwords=["apple"])
    own.index([Document("d1", "", "the apple"), Document("d2", "", "fig")])
    assert [len(results) for results in found(own, "apple", "the fig")] == [0, 2]


@given(text=st.text(max_size=30))
def test_any_text_can_be_asked(folder: Path, text: str) -> None:
    assert all(score > 0 for _, score in found(BM25S(folder=folder, threads=1), text)[0])


def test_words_that_no_document_has_find_nothing(folder: Path) -> None:
    assert found(BM25S(folder=folder), "", "zebra", "the of", "?") == [[], [], [], []]


def test_documents_without_words(tmp_path: Path) -> None:
    engine = BM25S(folder=tmp_path / "index")
    engine.index([Document("d1", "", ""), Document("d2", "", "apple"), Document("d3", "", "the")])
    assert [id for id, _ in found(engine, "apple")[0]] == ["d2"]
    with pytest.raises(InputError, match="no document has a word"):
        engine.index([Document("d1", "", "")])
    assert [id for id, _ in found(engine, "apple")[0]] == ["d2"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_size_and_what_is_not_there(tmp_path: Path, folder: Path) -> None:
    assert BM25S(folder=folder).size() == sum(f.stat().st_size for f in folder.iterdir())
    missing = BM25S(folder=tmp_path / "none")
    assert missing.size() is None
    with pytest.raises(InputError, match="this makes it: cleverdon index bm25s:"):
        found(missing, "apple")
    (tmp_path / "diary.txt").write_text("mine")
    mine = BM25S(folder=tmp_path)
    with pytest.raises(InputError, match="not an index that cleverdon made"):
        found(mine, "apple")
    with pytest.raises(InputError, match="did not make this"):
        mine.index([Document("d1", "", "apple")])
    assert (tmp_path / "diary.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bm25+"}, "method='bm25\\+' is not known"),
        ({"k1": -1}, "k1=-1"),
        ({"b": 2}, "b=2"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        BM25S(folder="index", **options)


def test_without_bm25s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    monkeypatch.delitem(sys.modules, "cleverdon.engines.adapters.bm25s")
    with pytest.raises(MissingExtra, match="pip install bm25s"):
        open_engine("bm25s:index")
