"""Damaged files give a Cleverdon error, or are read as a slow parser reads them."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from cleverdon import Judgments, Run
from cleverdon.checks.linter import check
from cleverdon.errors import InputError
from cleverdon.rank import RankedRun, rank
from tests.formats.ways import same_hits, zstd
from tests.fuzz import slow
from tests.fuzz.mutate import cases

RUN = (
    b"# comment\nq1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 2.5 tag\nq1 Q0 d\xc3\xa93 3 -1e-3 tag\n\n"
    b"q2 Q0 d1 1 0 tag\nq2 Q0 a-document-id-that-makes-the-line-longer-than-64-bytes 2 .5 t\n"
    b"q1\tQ0\td4\t4\t+7.25\ttag and more\r\nq3 Q0 d1 1 inf t\nq3 Q0 d2 1 12345678901234567890 t\n"
)
QRELS = b"q1 0 d1 1\nq1 0 d2 0\n# comment\nq2\t1\td1\t-1\r\nq2 0 d2 0.5\n\nq3 Q0 d\xc3\xa9 3\n"
HEADER = "query_id,doc_id,score\n"
COLUMNS = 'q1,d1,2.5\nq1, d2 ,1\n"q,2","d 1",-3\nq2,"d\u00e9",1e3\r\n\nq3,d1,inf\n#4,d1,7\n'
JSON = b'{"q1": {"d1": 2.5, "d2": -1e-3}, "q\xc3\xa92": {"d1": 3, "d\\u00e9": 0}, "q3": {}}\n'

JUDGED = {"q1": {"d1": 1, "d2": 0, "dé3": 2}, "q2": {"d1": 1}, "q3": {"d2": 1}}


def read(cls: Any, path: Path, format: str | None) -> slow.Nested | None:
    """Read a file with Cleverdon; None after its own error. Other exceptions are failures."""
    try:
        nested: slow.Nested = cls.read(path, format=format).to_dict()
    except InputError:
        return None
    return nested


TEXTS: dict[str, tuple[Any, str, list[bytes], Callable[[bytes], slow.Nested | None]]] = {
    "run": (Run, "trec", [RUN, RUN.replace(b"\n", b"\r\n")], slow.trec_run),
    "qrels": (Judgments, "trec", [QRELS, QRELS * 2], slow.trec_qrels),
    "json": (Run, "json", [JSON], slow.as_json),
}


@pytest.mark.parametrize("target", TEXTS)
def test_read_as_by_a_slow_parser(target: str, tmp_path: Path) -> None:
    cls, format, corpus, parse = TEXTS[target]
    for name, text in cases(target, corpus):
        _compare(cls, tmp_path / "file", format, text, parse, name)


@pytest.mark.parametrize(("format", "separator"), [("csv", ","), ("tsv", "\t")])
def test_columns_as_by_a_slow_parser(format: str, separator: str, tmp_path: Path) -> None:
    header = HEADER.replace(",", separator).encode()
    body = COLUMNS.replace(",", separator).encode()
    parse = partial(slow.columns, separator=separator)
    for name, text in cases(format, [body]):
        _compare(Run, tmp_path / "file", format, header + text, parse, name)


def _compare(
    cls: Any,
    path: Path,
    format: str,
    text: bytes,
    parse: Callable[[bytes], slow.Nested | None],
    name: str,
) -> None:
    path.write_bytes(text)
    found = read(cls, path, format)
    if found is None and format == "trec" and slow.is_unclear(text):
        return
    assert found == parse(text), (name, text)


def test_streamed_is_held(tmp_path: Path) -> None:
    """A streamed run gives the same hits, or also an error, as one in memory."""
    judgments = Judgments.read(JUDGED)
    path = tmp_path / "file"
    for name, text in cases("streamed", [RUN, RUN.replace(b"q1", b"q2")]):
        path.write_bytes(text)
        held = _ranked(judgments, path, hold=True)
        streamed = _ranked(judgments, path, hold=False)
        assert (held is None) == (streamed is None), (name, text)
        if held and streamed:
            assert same_hits(held.hits, streamed.hits), (name, text)
            assert (held.results, held.extra) == (streamed.results, streamed.extra), (name, text)


def _ranked(judgments: Judgments, path: Path, *, hold: bool) -> RankedRun | None:
    try:
        if hold:
            return rank(judgments, Run.read(path, format="trec"))
        return rank(judgments, path, format="trec")
    except InputError:
        return None


WHOLE = {
    "run": RUN,
    "qrels": QRELS,
    "columns": (HEADER + COLUMNS).encode(),
    "ranks": b"q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n",
    "beir": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n",
    "json": JSON,
}


def test_whatever_it_is_taken_for(tmp_path: Path) -> None:
    """Without a named format, damage can change the format: still only Cleverdon's own errors."""
    path = tmp_path / "file"
    for _, text in cases("whatever", list(WHOLE.values())):
        path.write_bytes(text)
        for cls in (Run, Judgments):
            read(cls, path, None)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_check_finds_an_error_where_reading_does(
    kind: Literal["run", "qrels"], tmp_path: Path
) -> None:
    path = tmp_path / "file"
    cls = Run if kind == "run" else Judgments
    corpus = [WHOLE["run" if kind == "run" else "qrels"], WHOLE["columns"], WHOLE["ranks"]]
    for name, text in cases(f"check {kind}", corpus):
        path.write_bytes(text)
        refused = read(cls, path, None) is None
        report = check(path, kind=kind)
        assert bool(report.errors) == refused, (name, text, report.findings)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd])
def test_archives(pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for _, packed in cases(f"archive {pack.__name__}", [pack(RUN), pack(RUN * 50)], least=10):
        path.write_bytes(packed)
        read(Run, path, "trec")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_tables(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"file.{ending}"
    Run.read({"q1": {"d1": 1.5, "d2": 2.5}, "q2": {"a": 1.0}}).write(path)
    for _, table in cases(ending, [path.read_bytes()], least=10):
        # Another name each time, because the last file may still be mapped.
        path = path.with_name("other" if path.name == "file" else "file")
        path.unlink(missing_ok=True)
        path.write_bytes(table)
        read(Run, path, ending)
