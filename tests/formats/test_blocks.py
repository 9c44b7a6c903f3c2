"""Files of several blocks: rows, places and duplicates are right wherever a block ends."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cleverdon import Judgments, Run, evaluate
from cleverdon.errors import InputError
from cleverdon.rank import rank
from tests.formats.ways import same_hits, zstd

MEGABYTE = 1 << 20
"""What the core takes as one block."""

QRELS = {f"q{i}": {f"doc-{i}-{j}": j % 3 for j in range(0, 40, 7)} for i in range(0, 3000, 7)}


def lines(queries: int = 3000, depth: int = 40) -> list[bytes]:
    """About 3.5 MB of a run, in order."""
    return [
        b"q%d Q0 doc-%d-%d %d %.3f a-tag\n" % (query, query, doc, doc + 1, 100 - doc * 0.25)
        for query in range(queries)
        for doc in range(depth)
    ]


@pytest.fixture(scope="module")
def large() -> list[bytes]:
    listed = lines()
    assert sum(map(len, listed)) > 3 * MEGABYTE
    return listed


PACKINGS = pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, zstd], ids=["plain", "gzip", "zstd"]
)


def put(path: Path, listed: list[bytes], pack: Any = bytes) -> Path:
    text = b"".join(listed)
    path.write_bytes(gzip.compress(text, 1) if pack is gzip.compress else pack(text))
    return path


def refused(path: Path) -> str:
    """What is said about a run, read and streamed."""
    with pytest.raises(InputError) as caught:
        Run.read(path)
    with pytest.raises(InputError) as again:
        rank(Judgments.read(QRELS), path)
    assert str(again.value) == str(caught.value)
    return str(caught.value).removeprefix(f"{path}:")


@PACKINGS
def test_streamed_is_held(pack: Any, large: list[bytes], tmp_path: Path) -> None:
    path = put(tmp_path / "run", large, pack)
    judgments = Judgments.read(QRELS)
    held = Run.read(path)
    assert (len(held), len(held.queries)) == (len(large), 3000)
    assert held["q2999"] == {f"doc-2999-{doc}": 100 - doc * 0.25 for doc in range(40)}
    one, other = rank(judgments, path), rank(judgments, held)
    assert same_hits(one.hits, other.hits)
    assert (one.results, one.extra, one.tied) == (other.results, other.extra, other.tied)


@PACKINGS
def test_scattered_queries(pack: Any, large: list[bytes], tmp_path: Path) -> None:
    """Rows in any order: the queries of every block are in all others."""
    shuffled = [large[i] for i in np.random.default_rng(1).permutation(len(large))]
    path = put(tmp_path / "run", shuffled, pack)
    ordered = put(tmp_path / "ordered", large)
    judgments = Judgments.read(QRELS)
    expected = rank(judgments, ordered)
    assert same_hits(rank(judgments, path).hits, expected.hits)
    assert same_hits(rank(judgments, Run.read(path)).hits, expected.hits)
    assert Run.read(path).to_dict() == Run.read(ordered).to_dict()


@PACKINGS
@pytest.mark.parametrize("at", [0, 29_999, 60_000, 119_999])
def test_the_line_of_an_error(pack: Any, at: int, large: list[bytes], tmp_path: Path) -> None:
    listed = list(large)
    listed[at] = listed[at].replace(b"a-tag", b"").rstrip() + b"\n"
    message = refused(put(tmp_path / "run", listed, pack))
    width = len(listed[at])
    assert message == (
        f"{at + 1}:{width}: expected at least 6 fields (query Q0 document rank score tag), "
        "found only 5 fields"
    )


def test_the_first_of_errors_in_several_blocks(large: list[bytes], tmp_path: Path) -> None:
    """Blocks are read at the same time, and still it is always the first that is told."""
    listed = list(large)
    for at in range(20_000, 120_000, 100):
        listed[at] = b"q Q0 d 1 abc t\n"
    path = put(tmp_path / "run", listed)
    for _ in range(5):
        assert refused(path) == "20001:10: the score 'abc' is not a number"


@PACKINGS
def test_encoding_in_a_later_block(pack: Any, large: list[bytes], tmp_path: Path) -> None:
    listed = list(large)
    listed[100_000] = b"q2500 Q0 doc\xfe 1 1.5 t\n"
    message = refused(put(tmp_path / "run", listed, pack))
    assert message.startswith("100001:13: the byte 0xfe is not UTF-8")
    listed[100_000] = b"q2500 Q0 doc\0 1 1.5 t\n"
    message = refused(put(tmp_path / "run", listed, pack))
    assert message == "100001:13: there is a NUL byte; expected UTF-8 text"


@PACKINGS
@pytest.mark.parametrize(("first", "second"), [(0, 119_999), (41, 42), (50_000, 50_030)])
def test_duplicates(pack: Any, first: int, second: int, large: list[bytes], tmp_path: Path) -> None:
    """Both lines are named, next to each other or at the two ends of the file."""
    listed = list(large)
    listed[second] = listed[first].replace(b" 1 ", b" 2 ")
    query, _, doc = listed[first].decode().split()[:3]
    assert refused(put(tmp_path / "run", listed, pack)) == (
        f"{second + 1}: document '{doc}' occurs twice for query '{query}', "
        f"first on line {first + 1}"
    )


def test_duplicates_among_scattered_queries(large: list[bytes], tmp_path: Path) -> None:
    shuffled = [large[i] for i in np.random.default_rng(2).permutation(len(large))]
    shuffled[90_000] = shuffled[1_000]
    query, _, doc = shuffled[1_000].decode().split()[:3]
    assert refused(put(tmp_path / "run", shuffled)) == (
        f"90001: document '{doc}' occurs twice for query '{query}', first on line 1001"
    )


@PACKINGS
def test_one_query_of_several_blocks(pack: Any, tmp_path: Path) -> None:
    """A query is never cut in two, however long it is."""
    count = 150_000
    one = [b"q1 Q0 doc-%d %d %d t\n" % (i, i + 1, count - i) for i in range(count)]
    listed = [b"q0 Q0 a 1 1 t\n", *one, b"q2 Q0 a 1 1 t\n"]
    assert sum(map(len, listed)) > 3 * MEGABYTE
    path = put(tmp_path / "run", listed, pack)
    scores = evaluate({"q1": {f"doc-{count - 1}": 1}, "q2": {"a": 1}}, path, ["RR", "NumRet"])
    values = dict(zip(scores.queries, scores.values[0].T.tolist(), strict=True))
    assert values == {"q1": [1 / count, count], "q2": [1.0, 1.0]}
    assert len(Run.read(path)) == count + 2


@PACKINGS
def test_very_long_lines(pack: Any, tmp_path: Path) -> None:
    name = b"x" * (3 * MEGABYTE)
    listed = [b"q1 Q0 %s 1 2 t\n" % name, b"q1 Q0 b 2 1 t\n", b"q2 Q0 c 1 1 t" + b" and" * MEGABYTE]
    path = put(tmp_path / "run", listed, pack)
    run = Run.read(path)
    assert run.ranking("q1") == [(name.decode(), 2.0), ("b", 1.0)]
    assert run["q2"] == {"c": 1.0}
    scores = evaluate({"q1": {"b": 1}, "q2": {"c": 1}}, path, "RR")
    assert scores.values[0, 0].tolist() == [0.5, 1.0]


def test_lengths_around_a_block(tmp_path: Path) -> None:
    """The end of a file within a byte or two of the end of a block."""
    judgments = Judgments.read({"q0": {"d0": 1}, "q9": {"d": 1}})
    row = b"q%d Q0 d%d 1 1.5 t\n"
    for missing in range(-3, 4):
        listed: list[bytes] = []
        size = 0
        while size < MEGABYTE - 200:
            listed.append(row % (len(listed) % 7, len(listed)))
            size += len(listed[-1])
        tail = b"q9 Q0 d 1 1 %s\n" % (b"t" * (MEGABYTE - size - 13 + missing))
        path = put(tmp_path / "run", [*listed, tail])
        assert path.stat().st_size == MEGABYTE + missing
        for form in (tail, tail.rstrip()):
            path = put(tmp_path / "run", [*listed, form])
            assert len(Run.read(path)) == len(listed) + 1
            assert rank(judgments, path).hits.returned.tolist()[1] == 1


def test_header_and_large_columns(large: list[bytes], tmp_path: Path) -> None:
    rows = [line.split() for line in large]
    listed = [b"score,doc_id,query_id\n", *(b"%s,%s,%s\n" % (r[4], r[2], r[0]) for r in rows)]
    path = put(tmp_path / "run.csv", listed)
    judgments = Judgments.read(QRELS)
    expected = rank(judgments, put(tmp_path / "run.txt", large))
    assert same_hits(rank(judgments, path).hits, expected.hits)
    listed[100_000] = b"1,,q\n"
    assert refused(put(path, listed)) == "100001:3: the document id (field 2) is empty"


def test_progress_is_told(large: list[bytes], tmp_path: Path) -> None:
    path = put(tmp_path / "run", large * 4)
    told: list[tuple[int, int]] = []
    with pytest.raises(InputError, match="occurs twice"):
        Run.read(path, progress=lambda step, done, total: told.append((done, total)))
    assert all(0 <= done <= total == path.stat().st_size for done, total in told)
    assert told == sorted(told)


def test_an_error_in_progress_stops(large: list[bytes], tmp_path: Path) -> None:
    """What the caller's function raises comes out, at the latest when reading is done."""
    path = put(tmp_path / "run", large * 30)

    def complain(step: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises((RuntimeError, InputError), match=r"enough|occurs twice"):
        Run.read(path, progress=complain)
