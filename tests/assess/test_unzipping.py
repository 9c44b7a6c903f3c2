"""Archives of one file are read as the file is; of all others it is said what is wrong."""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest

from cleverdon.assess.importing import kinds, unzipping
from cleverdon.assess.project import Project
from cleverdon.assess.web.app import make_app
from cleverdon.errors import InputError
from tests.assess.bringing import Bring, brought, standing
from tests.assess.making import script

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


def zipped(files: Mapping[str, str], method: int = ZIP_DEFLATED) -> bytes:
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
        with suppress(InputError), unzipping.unzipped(str(path), called="a.zip"):
            pass


def test_an_archive_unpacks_to_no_more_than_an_import_may_have(
    bring: Bring, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = QRELS + "\n" * 500
    monkeypatch.setattr(kinds, "LARGEST", len(text))
    assert bring(zipped({"a": text})).recorded == 2
    large = zipped({"a": f"{text}\n"})
    too_large = r"has more than 520 bytes once it is unpacked: bring it in parts"
    with pytest.raises(InputError, match=too_large):
        bring(large)
    with pytest.raises(InputError, match=too_large):
        bring(gzip.compress(f"{text}\n".encode()))
    # What an archive says of itself may be wrong.
    said, smaller = (count.to_bytes(4, "little") for count in (521, 20))
    with pytest.raises(InputError, match="is damaged or cut short"):
        bring(large.replace(said, smaller))
    assert os.listdir(scratch) == []
