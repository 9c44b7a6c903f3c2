"""Texts of queries and documents, from every form in which people keep them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError
from cleverdon.formats.attributes import read_attributes
from cleverdon.formats.texts import Text, read_ids, read_texts
from tests.formats.text_samples import FORMATS, TOPICS, pairs, written
from tests.formats.ways import zstd


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_recognised(tmp_path: Path, name: str) -> None:
    content, expected = FORMATS[name]
    path = written(tmp_path, content)
    assert pairs(read_texts(path)) == expected
    for id, texts in expected.items():
        assert pairs(read_texts(Path(path), wanted=[id])) == {id: texts}
        # What cannot tell how many it wants cannot end the reading early.
        assert pairs(read_texts(path, wanted=Only(id))) == {id: texts}


class Only:
    def __init__(self, id: str) -> None:
        self.id = id

    def __contains__(self, id: object) -> bool:
        return id == self.id


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("name", ["beir", "csv", "trec documents", "json"])
def test_packed_files(tmp_path: Path, packing: str, name: str) -> None:
    content, expected = FORMATS[name]
    assert isinstance(content, str)
    packed = PACKERS[packing](content.encode())
    assert pairs(read_texts(written(tmp_path, packed))) == expected


@pytest.mark.parametrize("packing", PACKERS)
def test_several_archives_are_one_text_and_a_damaged_one_is_named(
    tmp_path: Path, packing: str
) -> None:
    pack = PACKERS[packing]
    both = written(tmp_path, pack(b"1\tone\n") + pack(b"2\ttwo\n"))
    assert pairs(read_texts(both)) == {"1": ("", "one"), "2": ("", "two")}
    text = "".join(f"{number}\t{number**9}\n" for number in range(9_000)).encode()
    cut = written(tmp_path, pack(text)[:30_000])
    with pytest.raises(InputError, match=f"damaged or cut short: .* as {packing}"):
        read_texts(cut)


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    assert pairs(read_texts(written(tmp_path, zstd(b"1\tone\n")))) == {"1": ("", "one")}


def test_a_pipe_and_standard_input(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(gzip.compress(b"1\tone\n"),))
    writer.start()
    assert pairs(read_texts(fifo)) == {"1": ("", "one")}
    writer.join()
    program = "from cleverdon.formats.texts import read_texts; print(read_texts('-')['1'].text)"
    printed = subprocess.run(
        [sys.executable, "-c", program], input=b"1\tone\n", capture_output=True, check=True
    )
    assert printed.stdout.split() == [b"one"]


def test_dicts_and_lists_of_dicts() -> None:
    given = {7: "one", "b": {"title": "T", "text": "two"}, "c": {"query": "three"}, "d": None}
    expected = {"7": ("", "one"), "b": ("T", "two"), "c": ("", "three"), "d": ("", "")}
    assert pairs(read_texts(given)) == expected
    assert pairs(read_texts(given, wanted={"7", "c"})) == {"7": ("", "one"), "c": ("", "three")}
    assert pairs(read_texts([{"id": 1, "text": "one"}])) == {"1": ("", "one")}


def test_tables(tmp_path: Path) -> None:
    columns = {"_id": ["a", "b"], "title": ["T", None], "text": ["one", "two"], "other": [1, 2]}
    expected = {"a": ("T", "one"), "b": ("", "two")}
    table = pyarrow.table(columns)
    for made in (table, pandas.DataFrame(columns), polars.DataFrame(columns)):
        assert pairs(read_texts(made)) == expected
        assert pairs(read_texts(made, wanted={"b"})) == {"b": ("", "two")}
    pyarrow.parquet.write_table(table, tmp_path / "texts.parquet")
    pandas.DataFrame(columns).to_feather(tmp_path / "texts.feather")
    for name in ("texts.parquet", "texts.feather"):
        assert pairs(read_texts(tmp_path / name)) == expected
        packed = written(tmp_path, gzip.compress((tmp_path / name).read_bytes()))
        assert pairs(read_texts(packed, wanted={"a"})) == {"a": ("T", "one")}
    damaged = written(tmp_path, (tmp_path / "texts.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match="not a readable parquet file"):
        read_texts(damaged)
    with pytest.raises(InputError, match=r"no column for the text: .*; found a, b"):
        read_texts(pyarrow.table({"a": ["1"], "b": ["2"]}))


def test_folders(tmp_path: Path) -> None:
    written(tmp_path, '{"_id": "1", "text": "document"}\n', "corpus.jsonl")
    written(tmp_path, '{"_id": "1", "text": "query"}\n', "queries.jsonl")
    assert read_texts(tmp_path, kind="queries")["1"].text == "query"
    assert read_texts(tmp_path, kind="documents")["1"].text == "document"
    with pytest.raises(InputError, match=r"holds queries.jsonl and corpus.jsonl; name the one"):
        read_texts(tmp_path)
    many = tmp_path / "many"
    written(many, "2\ttwo\n", "b/part.tsv")
    written(many, gzip.compress(b"1\tone\n"), "a/part.tsv.gz")
    written(many, "read me", "README")
    written(many, "", ".hidden")
    assert list(pairs(read_texts(many))) == ["1", "2"]
    written(many, "3\tthree\n2\ttoo\n", "c/part.tsv")
    with pytest.raises(InputError, match=r"part.tsv:2: '2' has two .*, first in .*b/part.tsv:1"):
        read_texts(many)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is a folder without files"):
        read_texts(tmp_path / "empty")


def test_reading_ends_when_all_is_found(tmp_path: Path) -> None:
    # Each of these has an error further down.
    for content in (
        '{"id": "1", "text": "one"}\n{"id": "2", "text": "two"}\n{"id": \n',
        "1\tone\n2\ttwo\n3\n",
        "id,text\n1,one\n2,two\n3\n",
        "<DOC><DOCNO>1</DOCNO>one</DOC>\n<DOC><DOCNO>2</DOCNO>two</DOC>\n<DOC>x</DOC>\n<DOC>y</DOC>",
    ):
        path = written(tmp_path, content)
        assert pairs(read_texts(path, wanted={"1"})) == {"1": ("", "one")}
        assert set(read_texts(path, wanted=["2", "1", "2"])) == {"1", "2"}
        with pytest.raises(InputError):
            read_texts(path)
    assert read_texts(tmp_path / "not opened", wanted=()) == {}


def test_reading_tells_how_far_it_is_and_stops_early(tmp_path: Path) -> None:
    lines = [json.dumps({"id": str(number), "text": "x" * 1000}) for number in range(5000)]
    path = written(tmp_path, "\n".join(lines))
    size = os.path.getsize(path)
    told: list[tuple[int, int]] = []
    assert (
        len(read_texts(path, progress=lambda step, done, total: told.append((done, total)))) == 5000
    )
    assert told[-1] == (size, size)
    assert told == sorted(told)
    told.clear()
    read_texts(path, wanted={"3"}, progress=lambda step, done, total: told.append((done, total)))
    assert max(told)[0] < size / 2


def test_an_id_within_a_nested_object_or_a_text_is_no_id(tmp_path: Path) -> None:
    records = [
        {"text": 'says "id": "w"', "id": "a"},
        {"meta": {"id": "w"}, "id": "b", "text": "nested"},
        {"meta": {"id": "x"}, "text": "the one", "id": "w"},
        {"id": "esc\\aped \u00e9", "text": "odd"},
        {"id": " blank ", "text": "between blanks"},
    ]
    path = written(tmp_path, "\n".join(map(json.dumps, records)))
    assert pairs(read_texts(path, wanted={"w"})) == {"w": ("", "the one")}
    assert pairs(read_texts(path, wanted=Only("esc\\aped \u00e9"))).popitem()[1] == ("", "odd")
    assert pairs(read_texts(path, wanted={"blank"})) == {"blank": ("", "between blanks")}


def test_early_topics_have_zeros_that_their_judgments_lack(tmp_path: Path) -> None:
    path = written(tmp_path, TOPICS)
    assert read_texts(path, wanted={"7"})["7"].title == "Bread & butter"
    assert read_texts(path, wanted={"007"})["007"].title == "Bread & butter"
    assert read_texts(path, wanted={"07"}) == {}


def test_texts_are_cut_and_shown_on_one_line() -> None:
    text = read_texts({"a": {"title": " one\n two", "text": "x" * 50}}, limit=10)["a"]
    assert text == Text("one\n two", "x" * 9 + "…")
    assert text.line == "one two"
    assert Text("", "\x1b[31mred\tand\u00a0blue\x00").line == "[31mred and blue"
    assert Text("", "").line == ""
    assert read_texts({"a": "half \ud83d"})["a"].text.encode() == b"half ?"


def test_one_file_serves_for_texts_and_for_attributes(tmp_path: Path) -> None:
    path = written(tmp_path, 'id,query,language\n1,"who, why",en\n2,was,de\n')
    assert pairs(read_texts(path)) == {"1": ("", "who, why"), "2": ("", "was")}
    assert read_attributes(path).column("language") == ("language", {"1": "en", "2": "de"})


def test_a_document_may_be_longer_than_pythons_limit_for_a_cell(tmp_path: Path) -> None:
    path = written(tmp_path, f"id,text\n1,{'x' * 200_000}\n")
    assert len(read_texts(path)["1"].text) == 200_000


# Characters that every format can hold: no halves of surrogate pairs, nothing that ends a line.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30)
COLLECTION = st.dictionaries(
    WORDS.map(str.strip).filter(bool), st.tuples(WORDS.map(str.strip), WORDS.map(str.strip))
).filter(bool)


def as_jsonl(texts: dict[str, tuple[str, str]]) -> str:
    rows = ({"title": title, "_id": id, "text": text} for id, (title, text) in texts.items())
    return "\n".join(map(json.dumps, rows))


def as_json(texts: dict[str, tuple[str, str]]) -> str:
    rows = {id: {"title": title, "text": text} for id, (title, text) in texts.items()}
    return json.dumps(rows, ensure_ascii=False, indent=1)


def as_csv(texts: dict[str, tuple[str, str]]) -> str:
    made = io.StringIO()
    writer = csv.writer(made, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "title", "text"), *((id, *rest) for id, rest in texts.items())])
    return made.getvalue()


def as_trec(texts: dict[str, tuple[str, str]]) -> str:
    from html import escape

    return "".join(
        f"<DOC>\n<DOCNO>{escape(id)}</DOCNO>\n<TITLE>{escape(title)}</TITLE>\n"
        f"<TEXT>\n{escape(text)}\n</TEXT>\n</DOC>\n"
        for id, (title, text) in texts.items()
    )


@pytest.mark.parametrize("write", [as_jsonl, as_json, as_csv, as_trec])
def test_what_was_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, write: Callable[[dict[str, Any]], str]
) -> None:
    folder = tmp_path_factory.mktemp("round")

    @given(COLLECTION, st.data())
    def round_trip(texts: dict[str, tuple[str, str]], data: st.DataObject) -> None:
        path = written(folder, write(texts))
        assert pairs(read_texts(path)) == texts
        wanted = data.draw(st.sets(st.sampled_from(sorted(texts))))
        assert pairs(read_texts(path, wanted=wanted)) == {
            id: texts[id] for id in texts if id in wanted
        }

    round_trip()


@pytest.mark.parametrize("first", ["", "query\n", "\ufeff\nQueries\r\n"])
def test_a_list_of_queries(first: str, tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_bytes((first + "red shoes, size 9\r\n\n  how to: bake\nquery\n").encode())
    expected = ["red shoes, size 9", "how to: bake", "query"]
    found = read_texts(path, kind="queries")
    assert [(id, text.line) for id, text in found.items()] == [(id, id) for id in expected]
    assert list(read_texts(path, kind="queries", wanted={"query"})) == ["query"]
    for kind in (None, "documents"):
        with pytest.raises(InputError, match="is in no known format of texts"):
            read_texts(path, kind=kind)


def test_ids_of_queries(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("qid\nlamp\nred shoes\n")
    assert list(read_ids(path, kind="queries")) == ["lamp", "red shoes"]
    with pytest.raises(InputError, match=r"queries.txt:3: expected one id a line"):
        list(read_ids(path))
    path.write_text("sep=;\nquery;language\nred shoes;en\n")
    assert list(read_ids(path, kind="queries")) == ["red shoes"]
    (tmp_path / "beir").mkdir()
    (tmp_path / "beir" / "queries.jsonl").write_text('{"_id": "q1", "text": "a"}\n')
    (tmp_path / "beir" / "corpus.jsonl").write_text('{"_id": "d1", "text": "a"}\n')
    assert list(read_ids(tmp_path / "beir", kind="queries")) == ["q1"]
    assert list(read_ids(tmp_path / "beir")) == ["d1"]


@pytest.mark.parametrize("line", ["q1 0 d1 1", "q1 Q0 d1 1 2.5 tag"])
def test_judgments_and_runs_are_no_list_of_queries(line: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(f"{line}\n")
    with pytest.raises(InputError, match=r"qrels.txt:1: looks like judgments or a run"):
        read_texts(path, kind="queries")


def test_other_queries_in_text_files_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    for text, expected in (
        ("1\tred shoes\n2\tblue\n", {"1": "red shoes", "2": "blue"}),
        ("12:red\n13:blue\n", {"12": "red", "13": "blue"}),
        ("<top>\n<num> Number: 7\n<title> red\n</top>\n", {"7": "red"}),
    ):
        path.write_text(text)
        found = read_texts(path, kind="queries")
        assert {id: text.line for id, text in found.items()} == expected
