"""Collections in every format, as one file of JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cleverdon.engines.indexing.measurement import _sample_documents, _write_documents
from cleverdon.engines.indexing.worker import read_documents
from cleverdon.engines.protocol import Document
from cleverdon.errors import InputError, OptionError

EXPECTED = [Document("d1", "", "one"), Document("d2", "", "zwölf")]


def written(folder: Path, format: str) -> Path:
    path = folder / f"corpus.{format}"
    if format == "tsv":
        path.write_text("d1\tone\nd2\tzwölf\n", "utf-8")
    elif format == "jsonl":
        rows = [{"_id": one.id, "text": one.text} for one in EXPECTED]
        path.write_text("\n".join(map(json.dumps, rows)))
    elif format == "trec":
        docs = [f"<DOC><DOCNO>{d.id}</DOCNO><TEXT>{d.text}</TEXT></DOC>" for d in EXPECTED]
        path.write_text("\n".join(docs), "utf-8")
    else:
        columns = {"id": [d.id for d in EXPECTED], "text": [d.text for d in EXPECTED]}
        pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("format", ["tsv", "jsonl", "trec", "parquet"])
def test_every_format_is_the_same_documents(format: str, tmp_path: Path) -> None:
    target = str(tmp_path / "prepared")
    prepared = _write_documents([str(written(tmp_path, format))], target)
    found = [Document(d.id, d.title, d.text.strip()) for d in read_documents(target)]
    assert found == EXPECTED
    assert prepared.documents == 2
    if format != "trec":  # whose texts keep the space around them
        assert prepared.bytes == len("one") + len("zwölf".encode())


def test_several_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    written(tmp_path / "one", "tsv")
    other = tmp_path / "other.tsv"
    other.write_text("d3\tthree\n")
    prepared = _write_documents([str(tmp_path / "one"), str(other)], str(tmp_path / "prepared"))
    assert [d.id for d in read_documents(prepared.path)] == ["d1", "d2", "d3"]


def test_an_id_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("a\tone\nb\ttwo\n")
    other = tmp_path / "other.tsv"
    other.write_text("c\tthree\na\tfour\n")
    twice = r"'a' is there twice, as document 1 of \S+corpus.tsv and as document 2 of \S+other.tsv"
    with pytest.raises(InputError, match=twice):
        _write_documents([str(path), str(other)], str(tmp_path / "prepared"))


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.tsv: there is no such collection"):
        _write_documents([str(tmp_path / "none.tsv")], str(tmp_path / "prepared"))
    with pytest.raises(InputError, match="cannot be written: No such file"):
        _write_documents([str(written(tmp_path, "tsv"))], str(tmp_path / "nowhere" / "prepared"))


def test_half_a_character_does_not_stop_it(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "a", "text": "x\\ud800y"}\n')
    prepared = _write_documents([str(path)], str(tmp_path / "prepared"))
    assert [d.text for d in read_documents(prepared.path)] == ["x?y"]


def test_samples(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"{n:03}\t{'x' * n}\n" for n in range(1, 101)))
    whole = _write_documents([str(path)], str(tmp_path / "prepared"))
    assert whole.bytes == 5050

    def ids(count: int, seed: int | None) -> list[str]:
        taken = _sample_documents(whole, count, str(tmp_path / "sample"), seed=seed)
        assert taken.documents == count
        read = list(read_documents(taken.path))
        assert taken.bytes == sum(document.bytes for document in read)
        return [document.id for document in read]

    assert ids(3, None) == ["001", "002", "003"]
    assert ids(10, 1) == sorted(ids(10, 1)) != ids(10, 2)
    assert set(ids(10, 1)) < set(ids(20, 1))  # a smaller sample is a part of a larger one
    with pytest.raises(OptionError, match=r"101 documents were asked for, and .* has 100"):
        ids(101, 0)
