"""Archives of one file are read as the file is; of all others it is said what is wrong."""

from __future__ import annotations

import bz2
import gzip
import html
import io
import json
import lzma
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
from httpx import Response

from cleverdon.errors import InputError
from cleverdon.judging import imports
from cleverdon.judging.imports import importer, worker
from cleverdon.judging.project import Project
from cleverdon.judging.web.app import make_app
from tests.judging.import_files import Bring, brought, standing
from tests.judging.projects import script

QRELS = "t1 0 d1 2\nt1 0 d2 1\n"


@pytest.fixture
def bring(project: Project, tmp_path: Path) -> Bring:
    return partial(brought, project, tmp_path)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def zipped(files: Mapping[str, str | bytes], method: int = ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with ZipFile(made, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def encrypted(archive: bytes) -> bytes:
    """With the flags of a password, in both headers."""
    made = bytearray(archive)
    made[6] |= 1
    made[made.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(made)


def test_tables_as_people_have_them(project: Project, bring: Bring, tmp_path: Path) -> None:
    for library in ("xlsxwriter", "python_calamine"):
        pytest.importorskip(library)  # not among the web stack's own
    rows = [
        {"Query ID": "t1", "SKU": "d1", "Rating": 2},
        {"Query ID": "t1", "SKU": "d2", "Rating": 1},
    ]
    polars.DataFrame(rows).write_excel(tmp_path / "made.xlsx")
    lines = "sep=;\nQuery ID;SKU;Rating\nt1;d1;2\nt1;d2;1\n"
    for content in (json.dumps(rows), (tmp_path / "made.xlsx").read_bytes(), lines):
        assert bring(content).form == "qrels"
        grades = {(query, doc): grade for (_, query, doc), grade in standing(project).items()}
        assert grades == {("t1", "d1"): 2, ("t1", "d2"): 1}


def test_a_book_as_quepid_exports_it(project: Project, bring: Bring, scratch: Path) -> None:
    pair = {"query_text": "water in motion 1", "doc_id": "d1", "judgements": [{"rating": 3.0}]}
    text = json.dumps({"name": "b", "query_doc_pairs": [pair]})
    found = bring(zipped({"book_export_3.json": text}), "book_export_3.json.zip")
    assert (found.form, found.recorded) == ("Quepid's JSON", 1)
    assert standing(project) == {("book_export_3", "t1", "d1"): 3}
    assert os.listdir(scratch) == []
    assert bring(text, "book_export_3.json").unchanged == 1, "the same file, packed or not"


def test_every_form_may_come_so(project: Project, bring: Bring) -> None:
    beside = {"__MACOSX/._a.qrels": "\0", "folder/": ""}
    bring(zipped({"folder/a.qrels": QRELS, **beside}), "a.zip")
    record = {"query": "t1", "doc_id": "d1", "rel": "1", "annotator": 1, "annotation_id": 1}
    bring(zipped({"result.json": json.dumps([record])}), "b.zip", name="b")
    bring(zipped({"c.csv": "query_id,doc_id,grade,judge\nt1,d1,3,c\n"}), "c.zip")
    assert standing(project) == {
        ("a", "t1", "d1"): 2,
        ("a", "t1", "d2"): 1,
        ("b", "t1", "d1"): 1,
        ("c", "t1", "d1"): 3,
    }


def test_over_http(project: Project, scratch: Path) -> None:
    eve = script(make_app(project), "eve")
    call = "/api/imports?file=old.zip"
    wrong = eve.post(call, content=zipped({"old.qrels": f"{QRELS}t1 0 d3 8\n"}))
    assert wrong.status_code == 400
    assert wrong.json()["error"].startswith("old.zip:3: the grade '8'"), "the line in what is in it"
    assert eve.post(call, content=zipped({"old.qrels": QRELS})).json()["judges"] == ["old"]
    assert os.listdir(scratch) == []


@pytest.mark.parametrize(
    ("archive", "said"),
    [
        (zipped({"a": QRELS, "b": QRELS}), "is a zip archive of 2 files, first 'a': expected one"),
        (zipped({"folder/": ""}), "is a zip archive of 0 files: expected one; unpack it"),
        (encrypted(zipped({"a": QRELS})), "is a zip archive with a password: unpack it, and"),
        (zipped({"a": QRELS}, ZIP_BZIP2), "is a zip archive of an unusual method: unpack"),
        (zipped({"a": QRELS})[:-30], "is damaged or cut short: it cannot be unpacked as zip"),
        (zipped({"a": QRELS}, 0).replace(b"d2 1", b"d2 3"), "is damaged or cut short"),
        (b"PK\x03\x04", "is damaged or cut short"),
    ],
    ids=["two", "none", "password", "bzip2", "cut", "changed", "begun"],
)
def test_what_cannot_be_unpacked_is_said(bring: Bring, archive: bytes, said: str) -> None:
    with pytest.raises(InputError, match=f"old.qrels: {said}"):
        bring(archive)


def test_no_byte_that_is_wrong_is_an_error_of_another_kind(tmp_path: Path) -> None:
    archive, path = zipped({"é": QRELS}), tmp_path / "a.zip"
    for at, byte in product(range(4, len(archive)), (0, 255)):
        path.write_bytes(archive[:at] + bytes([byte]) + archive[at + 1 :])
        with suppress(InputError), importer._unzipped(str(path), called="a.zip"):
            pass


def test_an_archive_unpacks_to_no_more_than_an_import_may_have(
    bring: Bring, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = QRELS + "\n" * 500
    monkeypatch.setattr(imports, "LARGEST", len(text))
    assert bring(zipped({"a": text})).recorded == 2
    large = zipped({"a": f"{text}\n"})
    too_large = r"has more than 520 bytes once it is unpacked: split it into several files"
    with pytest.raises(InputError, match=too_large):
        bring(large)
    with pytest.raises(InputError, match=too_large):
        bring(gzip.compress(f"{text}\n".encode()))
    # What an archive says of itself may be wrong.
    said, smaller = (count.to_bytes(4, "little") for count in (521, 20))
    with pytest.raises(InputError, match="is damaged or cut short"):
        bring(large.replace(said, smaller))
    assert os.listdir(scratch) == []


def table_of(rows: int, doc: str = "d1") -> pyarrow.Table:
    columns = {"query_id": ["t1"] * rows, "doc_id": [doc] * rows, "relevance": [1] * rows}
    return pyarrow.table(columns)


def parquet(table: pyarrow.Table, *, use_dictionary: bool = True) -> bytes:
    file = io.BytesIO()
    options = {"compression": "zstd", "use_dictionary": use_dictionary, "store_schema": False}
    pyarrow.parquet.write_table(table, file, **options)
    return file.getvalue()


def wide_parquet() -> bytes:
    """A hundred thousand times the same long id: the file says that it holds some kilobytes."""
    rows = 100_000
    ids = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * rows), ["d" * 100_000])
    return parquet(table_of(rows).set_column(1, "doc_id", ids))


def arrow(table: pyarrow.Table, *, stream: bool) -> bytes:
    file = io.BytesIO()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    make = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    with make(file, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=1000)
    return file.getvalue()


MEGABYTE = "d" * 1000
ROWS, BYTES = "has more than 1,000 rows: split it into", "bytes once it is unpacked: split it"
MEMORY = "needs more than 0.75 GB of memory: split it into several files, or import it by"
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "rows of Parquet": (lambda: parquet(table_of(1_001)), ROWS),
    "bytes of Parquet": (lambda: parquet(table_of(999, MEGABYTE), use_dictionary=False), BYTES),
    "packed Parquet": (lambda: gzip.compress(parquet(table_of(1_001))), ROWS),
    "zipped Parquet": (lambda: zipped({"a": parquet(table_of(1_001))}), ROWS),
    "rows of Arrow": (lambda: arrow(table_of(1_001), stream=False), ROWS),
    "rows of a stream": (lambda: arrow(table_of(1_001), stream=True), ROWS),
    "bytes of Arrow": (lambda: arrow(table_of(999, MEGABYTE), stream=False), BYTES),
    "gzip": (lambda: gzip.compress(b"t1 0 d1 1\n" * 60_000), BYTES),
    "xz": (lambda: lzma.compress(b"t1 0 d1 1\n" * 60_000), BYTES),
    "bzip2": (lambda: bz2.compress(b"t1 0 d1 1\n" * 60_000), BYTES),
    "zip": (lambda: zipped({"a": b"t1 0 d1 1\n" * 60_000}), BYTES),
}


def sent(project: Project, content: bytes, *, only_look: bool, by_page: bool) -> Response:
    eve = script(make_app(project), "eve")
    if by_page:
        form = {"only_look": str(only_look).lower(), "name": "x"}
        return eve.post("/imports", data=form, files={"file": ("a.bin", content)})
    path = f"/api/imports?only_look={str(only_look).lower()}&name=x&file=a.bin"
    return eve.post(path, content=content)


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_is_unpacked_is_bounded_in_every_format(
    bring: Bring, project: Project, monkeypatch: pytest.MonkeyPatch, bomb: str
) -> None:
    monkeypatch.setattr(imports, "MOST_ROWS", 1_000)
    monkeypatch.setattr(imports, "LARGEST", 500_000)
    make, said = BOMBS[bomb]
    content = make()
    assert len(content) < 100_000
    with pytest.raises(InputError, match=said):
        bring(content)
    assert standing(project) == {}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is known to limit memory")
@pytest.mark.parametrize(("only_look", "by_page"), [(True, False), (False, True)])
def test_what_is_sent_takes_no_more_memory_than_it_may(
    project: Project, monkeypatch: pytest.MonkeyPatch, only_look: bool, by_page: bool
) -> None:
    monkeypatch.setattr(worker, "_MEMORY", 3 << 28)
    answer = sent(project, wide_parquet(), only_look=only_look, by_page=by_page)
    assert (answer.status_code, MEMORY in html.unescape(answer.text)) == (400, True)
    monkeypatch.setattr(imports, "MOST_ROWS", 1_000)
    answer = sent(project, parquet(table_of(1_001)), only_look=only_look, by_page=by_page)
    assert (answer.status_code, ROWS in answer.text) == (400, True)
    assert standing(project) == {}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux is known to limit memory")
def test_json_of_few_bytes_and_many_objects_is_bounded_too(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_MEMORY", 3 << 28)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    bomb = gzip.compress(b"[" + b"[]," * 10_000_000 + b"[]]", compresslevel=1)
    answer = sent(project, bomb, only_look=True, by_page=False)
    assert (answer.status_code, MEMORY in answer.json()["error"]) == (400, True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # Until it runs another program, a child counts as large as the process that made it.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak <= max(before, own, 800_000), "kilobytes"
    nested = sent(project, b"[" * 1_000_000, only_look=True, by_page=False)
    assert nested.status_code == 400


def test_an_import_that_does_not_end_well_is_said_and_the_server_goes_on(
    project: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def ended(script: str) -> Response:
        program = tmp_path / "python"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", str(program))
            return sent(project, QRELS.encode(), only_look=False, by_page=False)

    killed = ended("echo no memory >&2; kill -ABRT $$")
    assert killed.status_code == 400
    assert killed.json()["error"].startswith("a.bin: needs more than 2 GB of memory: split it")
    assert "importing a.bin ended with -6: no memory" in caplog.text
    monkeypatch.setattr(worker, "_SECONDS", 0.3)
    assert "minutes to import: split it" in ended("exec sleep 30").json()["error"]
    with pytest.raises(RuntimeError, match="by a defect"):
        ended("echo a secret >&2; exit 1")
    assert "a secret" in caplog.text
    monkeypatch.undo()
    monkeypatch.setattr(worker, "_PATIENCE", 0.01)
    with worker._TURN:
        crowded = sent(project, QRELS.encode(), only_look=True, by_page=False)
    assert (crowded.status_code, "another import is going on" in crowded.text) == (409, True)
    assert sent(project, QRELS.encode(), only_look=False, by_page=False).status_code == 200
