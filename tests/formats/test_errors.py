"""Every kind of damage is an InputError that says what is wrong, and where."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cleverdon import Judgments, Run, evaluate
from cleverdon.errors import InputError
from tests.formats.ways import zstd

RUN_SHAPE = "query Q0 document rank score tag"
QRELS_SHAPE = "query iteration document grade"
GOOD_RUN = b"q Q0 good 1 1.5 t\n"
GOOD_QRELS = b"q 0 good 1\n"


def refused(path: Path, *, judgments: bool = False) -> str:
    """The message about a file, the same from reading it and from evaluating it."""
    if judgments:
        with pytest.raises(InputError) as caught:
            Judgments.read(path)
        with pytest.raises(InputError) as again:
            evaluate(path, {"q": {"good": 1.0}})
    else:
        with pytest.raises(InputError) as caught:
            Run.read(path)
        with pytest.raises(InputError) as again:
            evaluate({"q": {"good": 1}}, path)
    assert str(caught.value) == str(again.value)
    assert caught.value.source == str(path)
    return str(caught.value).removeprefix(str(path)).removeprefix(":").strip()


FORMS = '["d1", "d2"], {"d1": 0.5}, [("d1", 0.5)] or [{"id": "d1", "score": 0.5}]'


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""], ids=["newline", "crlf", "at the end"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q Q0 d 1 nan t", "2:10: the score 'nan' is not a number that can be ordered"),
        (b"q Q0 d 1 -NaN t", "2:10: the score '-NaN' is not a number that can be ordered"),
        (b"q Q0 d 1 abc t", "2:10: the score 'abc' is not a number"),
        (b"q\tQ0   d 1 1,5 t", "2:12: the score '1,5' is not a number"),
        (b"q Q0 d 1 0x1p3 t", "2:10: the score '0x1p3' is not a number"),
        (b"q Q0 d 1 1_000 t", "2:10: the score '1_000' is not a number"),
        (b"q Q0 d 1 1e t", "2:10: the score '1e' is not a number"),
        (b"q Q0 d 1 - t", "2:10: the score '-' is not a number"),
        (b"q Q0 d 1 " + b"9" * 60 + b"x t", f"2:10: the score '{'9' * 40}…' is not a number"),
        (b"q Q0 d 1 1\x1b[0m t", "2:10: the score '1\\u{1b}[0m' is not a number"),
        (b"q Q0 good 2 1.0 t", "2: document 'good' occurs twice for query 'q', first on line 1"),
        (b"q Q0 d\xff 1 1 t", "2:7: the byte 0xff is not UTF-8; convert the file first, for "
         "example with iconv"),
        (b"q Q0 \xe9t\xe9 1 1 t", "2:6: the byte 0xe9 is not UTF-8; convert the file first, for "
         "example with iconv"),
        (b"q Q0 d\0 1 1 t", "2:7: there is a NUL byte; expected UTF-8 text"),
    ],
)  # fmt: skip
def test_lines_of_a_run(line: bytes, message: str, end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(GOOD_RUN + line + end)
    assert refused(path) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q Q0 d 1 1.5", f"2:13: expected at least 6 fields ({RUN_SHAPE}), found only 5 fields"),
        (b"q", f"2:2: expected at least 6 fields ({RUN_SHAPE}), found only 1 field"),
        (b" # q", f"2:5: expected at least 6 fields ({RUN_SHAPE}), found only 2 fields"),
    ],
)
def test_short_lines_of_a_run(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(GOOD_RUN + line + b"\n" + GOOD_RUN)
    assert refused(path) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q 0 d nan", "2:7: the grade 'nan' is not a number that can be ordered"),
        (b"q 0 d inf", "2:7: the grade 'inf' is not finite"),
        (b"q 0 d 1e999", "2:7: the grade '1e999' is not finite"),
        (b"q 0 d yes", "2:7: the grade 'yes' is not a number"),
        (b"q 0 d", f"2:6: expected 4 fields ({QRELS_SHAPE}), found only 3 fields"),
        (b"q 0 d 1 2", f"2:1: expected 4 fields ({QRELS_SHAPE}), found more than 4 fields"),
        (b"q 0 good 0", "2: document 'good' occurs twice for query 'q', first on line 1"),
        (
            b"q 1 good 0",
            "2: document 'good' occurs twice for query 'q', first on line 1; where the second "
            "field is a subtopic, the format is 'subtopics'",
        ),
    ],
)
def test_lines_of_judgments(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(GOOD_QRELS + line + b"\n")
    assert refused(path, judgments=True) == message


def test_judgments_of_five_fields_may_be_of_a_sampled_pool(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"# drawn\nq 0 good 1 1\nq 0 d 1 0\n")
    assert refused(path, judgments=True).endswith(
        "found more than 4 fields; where the pool was sampled, the format is 'strata' or 'sampled'"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q,d", "3:4: expected 3 fields (query_id, doc_id, score), found only 2 fields"),
        (b"q,d,1,2", "3:1: expected 3 fields (query_id, doc_id, score), found more than 3 fields"),
        (b",d,1", "3:1: the query id (field 1) is empty"),
        (b"q,  ,1", "3:5: the document id (field 2) is empty"),
        (b'q,"",1', "3:4: the document id (field 2) is empty"),
        (b"q,d,", "3:5: the score '' is not a number"),
        (b"q,d,x", "3:5: the score 'x' is not a number"),
        (b"q,good,2", "3: document 'good' occurs twice for query 'q', first on line 2"),
        (b'q,"good",2', "3: document 'good' occurs twice for query 'q', first on line 2"),
        (
            b'q,12" tv,2',
            '3:3: the document id (field 2) has a quote in it, but not around it; write "12"" tv"',
        ),
    ],
)
def test_lines_of_columns(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(b"query_id,doc_id,score\nq,good,1\n" + line + b"\n")
    assert refused(path) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q\td", "2:4: expected 3 fields (query, document, rank), found only 2 fields"),
        (b"q\td\t1\t9", "2:1: expected 3 fields (query, document, rank), found more than 3 fields"),
        (b"q\td\tfirst", "2:5: the rank 'first' is not a number"),
    ],
)
def test_lines_of_ms_marco(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    path.write_bytes(b"q\tgood\t1\n" + line + b"\n")
    assert refused(path) == message


def test_places_are_those_of_editors(tmp_path: Path) -> None:
    """Lines and columns count from 1, blank lines and comments included, a mark not."""
    path = tmp_path / "run.txt"
    path.write_bytes(b"\xef\xbb\xbfq Q0 d 1 abc t\n")
    assert refused(path).startswith("1:10: ")
    path.write_bytes(b"# comment\n\n" + GOOD_RUN + b"\r\n \nq Q0 d 1 abc t\n")
    assert refused(path).startswith("6:10: ")
    with pytest.raises(InputError) as caught:
        Run.read(path)
    error = caught.value
    assert (error.line, error.column, error.source) == (6, 10, str(path))
    assert error.message == "the score 'abc' is not a number"


def test_the_first_of_several_errors_is_told(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"q Q0 d 1 one t\n" * 5000)
    assert refused(path).startswith("1:10: ")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstd])
def test_packed_text_has_the_same_places(pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(pack(GOOD_RUN + b"q Q0 d 1 abc t\n"))
    assert refused(path) == "2:10: the score 'abc' is not a number"
    path.write_bytes(pack(GOOD_RUN + b"r Q0 d 1 1 t\n" + GOOD_RUN))
    assert refused(path) == "3: document 'good' occurs twice for query 'q', first on line 1"


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes(("\ufeff" + GOOD_RUN.decode()).encode(encoding))
        assert Run.read(path).to_dict() == {"q": {"good": 1.5}}
        path.write_bytes(("\ufeff" + GOOD_RUN.decode()).encode(encoding) + b"x")
        assert "is not valid UTF-16: byte " in refused(path)
        path.write_bytes(GOOD_RUN.decode().encode(encoding))
        assert refused(path).endswith("there is a NUL byte; expected UTF-8 text")


def test_files_with_nothing_in_them(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    for content, message in [
        (b"", "is empty"),
        (gzip.compress(b""), "is empty"),
        (b"\n\n \n", "has no rows"),
        (b"# a comment\n# and another", "has no rows"),
        (b"query_id,doc_id,score\n", "has no rows"),
        (b"\xef\xbb\xbf", "has no rows"),
        (b"{}", "has no rows"),
    ]:
        path.write_bytes(content)
        assert refused(path) == message, content


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere") == "there is no such file"
    assert refused(tmp_path) == "is a directory; give a file"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert refused(tmp_path / "loop").startswith("cannot be read: ")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_files_that_may_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(GOOD_RUN)
    path.chmod(0)
    with _not_as_root():
        assert refused(path) == "may not be read (permission denied)"


@contextmanager
def _not_as_root() -> Iterator[None]:
    """As nobody, where the tests are run by root, who may read everything."""
    nobody, before = 65534, os.geteuid()
    if before == 0:
        os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.mark.parametrize(
    ("pack", "name"),
    [(gzip.compress, "gzip"), (bz2.compress, "bzip2"), (lzma.compress, "xz"), (zstd, "zstd")],
)
def test_damaged_archives(pack: Any, name: str, tmp_path: Path) -> None:
    packed = pack(b"".join(b"q Q0 d%d 1 %d t\n" % (i, i) for i in range(3000)))
    path = tmp_path / "run"
    half = len(packed) // 2
    changed = packed[:half] + b"\xaa\x55\xaa\x55" + packed[half + 4 :]
    # zstd's frames need not have a check sum, and these have none.
    for damaged in (packed[:half], packed[:-1], *([] if name == "zstd" else [changed])):
        path.write_bytes(damaged)
        message = f"is damaged or cut short: it cannot be unpacked as {name} ("
        assert refused(path).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"q": {"d": 1}', "1:15: Expecting ',' delimiter"),
        ('{"q":\n {"d": }}', "2:8: Expecting value"),
        ('{"q": {"d": 1, "d": 2}}', "the key 'd' occurs twice in one object"),
        ('{"q": {"d": 1}, "q": {"e": 2}}', "the key 'q' occurs twice in one object"),
        ('{"q": 5}', f"query 'q': expected documents as {FORMS}; found 5"),
        (
            '{"q": [1.5]}',
            f"query 'q': expected documents as {FORMS}; one of them is 1.5, which is no id: "
            "ids are text or whole numbers",
        ),
        ('{"q": {"d": "1"}}', "the score of document 'd' of query 'q' is text, not a number: '1'"),
        ('{"q": {"d": null}}', "the score of document 'd' of query 'q' is not a number: None"),
        (
            '{"q": {"d": NaN}}',
            "the score of document 'd' of query 'q' is not a number that can be ordered: nan",
        ),
        ('{"q": {"": 1}}', "a document id is empty"),
        ('{"": {"d": 1}}', "a query id is empty"),
    ],
)
def test_json(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    assert refused(path) == message


def test_json_that_python_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(b'{"q": ' * 100_000)
    assert refused(path) == 'is nested too deeply: expected {"query": {"document": number}}'
    path.write_bytes(b'{"q": {"d": ' + b"1" * 5000 + b"}}")
    assert refused(path).startswith("Exceeds the limit")
    for wrong in (b"\xff", b"\xed\xa0\x80"):
        path.write_bytes(b'{"q": {"d' + wrong + b'": 1}}')
        assert refused(path).startswith("is not UTF-8: ")
    path.write_bytes(b'{"q": {"d\\ud800": 1}}')
    assert refused(path) == "the document id 'd\\ud800' is not UTF-8"
    path.write_text('{"q": {"d": 1}}', encoding="utf-16")
    assert Run.read(path, format="json").to_dict() == {"q": {"d": 1.0}}


def test_broken_tables(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(b"PAR1 and then nothing that belongs there PAR1")
    assert refused(path).startswith("is not a readable parquet file: ")
    path.write_bytes(b"ARROW1 and then nothing that belongs there")
    assert refused(path).startswith("is not a readable arrow file: ")


OBJECTS: list[tuple[Any, str]] = [
    ({"q": {"d": "x"}}, "the score of document 'd' of query 'q' is text, not a number: 'x'"),
    ({"q": {"d": None}}, "the score of document 'd' of query 'q' is not a number: None"),
    ({"q": {"d": float("nan")}}, "the score of document 'd' of query 'q' is not a number that "
     "can be ordered: nan"),
    ({"q": {"d": 10**400}}, "the score of document 'd' of query 'q' is not a number: 1000000000"
     "00000000000000000000000000000000000000000000000000…"),
    (
        {"q": [("d", 1, 2)]},
        f"query 'q': expected documents as {FORMS}; one of them is ('d', 1, 2)",
    ),
    ({"q": {"d": 1}, 2.5: {"d": 1}}, "the query id 2.5 is neither text nor an integer"),
    ({"q": {None: 1}}, "the document id None is neither text nor an integer"),
    ({b"\xff": {"d": 1}}, "the query id b'\\xff' is not UTF-8"),
    ({1: {"d": 1}, "1": {"d": 2}}, "document 'd' occurs twice for query '1'"),
    ([("q", "d")], "row 0 is not (query, document, score): ('q', 'd')"),
    ([("q", "d", 1), ("q", "e", 1, 2)], "row 1 is not (query, document, score): ('q', 'e', 1, 2)"),
    ([("q", "d", 1), ("q", "d", 2)], "document 'd' occurs twice for query 'q'"),
    (["q d 1"], "row 0 is not (query, document, score): 'q d 1'"),
    ([("q", "", 1)], "a document id is empty"),
    ([], "run: has no rows"),
    ({}, "run: has no rows"),
    (None, "'NoneType' cannot be read as run: give a file, a dict of dicts, a data frame, or "
     "rows of (query, document, number)"),
    (b"run.txt", "'bytes' cannot be read as run: give a file, a dict of dicts, a data frame, or "
     "rows of (query, document, number)"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), OBJECTS)
def test_objects(data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Run.read(data)
    assert str(caught.value) == message


def test_infinite_grades() -> None:
    with pytest.raises(InputError) as caught:
        Judgments.read({"q": {"d": float("inf")}})
    assert str(caught.value) == "the grade of document 'd' of query 'q' is not finite: inf"


def test_tables_in_memory() -> None:
    import pandas
    import polars

    good: dict[str, list[Any]] = {"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"score": [float("nan")]}, "the score in row 0 is not a number that can be ordered"),
        ({"query_id": polars.Series([None], dtype=polars.String)}, "column \"query_id\" is empty "
         "(null) in row 0"),
        ({"query_id": [1.5]}, "column \"query_id\" holds Float64, not text or integers; convert "
         "the ids first"),
        ({"doc_id": [True]}, "column \"doc_id\" holds Boolean, not text or integers; convert "
         "the ids first"),
    ]  # fmt: skip
    for change, message in cases:
        with pytest.raises(InputError) as caught:
            Run.read(polars.DataFrame({**good, **change}, strict=False))
        assert str(caught.value).startswith(f"polars DataFrame: {message}"), change
    columns = "query_id, qid, topic_id, question_id, query_no, query_number, query"
    with pytest.raises(InputError) as caught:
        Run.read(pandas.DataFrame({"quary": ["q"], "doc_id": ["d"], "score": [1.0]}))
    assert str(caught.value) == (
        f"pandas DataFrame: no column for the query: expected one of {columns}; "
        "found quary, doc_id, score. Which one has the query? Answer with --columns query=NAME, in "
        "Python columns={'query': 'NAME'}. The first rows:\n"
        "    quary | doc_id   | score\n"
        "          | document | score\n"
        "    q     | d        | 1.0"
    )
    with pytest.raises(InputError, match="no column for the grade: expected one of relevance, "):
        Judgments.read(pandas.DataFrame({"qid": ["q"], "docno": ["d"]}))


def test_headers_without_a_number(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("qid,docno,text\nq,d,hello\n")
    with pytest.raises(InputError) as caught:
        Run.read(path)
    assert str(caught.value) == (
        f"{path}: no column for the score: expected one of score, sim, similarity, "
        "similarity_score, search_score, relevance_score, scores; found qid, docno, text. Which "
        "one has the score? Answer with --columns score=NAME, in Python "
        "columns={'score': 'NAME'}. The first rows:\n"
        "    qid   | docno    | text\n"
        "    query | document |\n"
        "    q     | d        | hello"
    )


@pytest.mark.parametrize(
    "nested",
    [
        pytest.param({"\ud800": {"d": 1.0}}, id="query"),
        pytest.param({"q": {"\ud800": 1.0}}, id="document"),
        pytest.param({10**5000: {"d": 1.0}}, id="integer"),
    ],
)
def test_ids_that_are_no_text(nested: dict[Any, dict[Any, float]]) -> None:
    with pytest.raises(InputError):
        Run.read(nested)


@pytest.mark.parametrize("query", ["\ud800", "", 10**5000], ids=["half", "empty", "long"])
def test_queries_that_are_no_text(query: Any) -> None:
    """Of documents, evaluating a dict looks only at those that are judged or tied with one."""
    with pytest.raises(InputError):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}, query: {"d": 1.0}})


def test_true_is_no_id() -> None:
    with pytest.raises(InputError, match="True is neither text nor an integer"):
        Run.read({True: {"d": 1.0}})


def test_empty_ids_in_tables() -> None:
    import polars

    with pytest.raises(InputError, match="is empty"):
        Run.read(polars.DataFrame({"query_id": [""], "doc_id": ["d"], "score": [1.0]}))


def test_text_for_scores_in_tables() -> None:
    import polars

    with pytest.raises(InputError, match=r"not a number|text"):
        Run.read(polars.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": ["x"]}))


@pytest.mark.parametrize("sign", ["+-", "++"])
def test_two_signs_are_no_number(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(f"q Q0 d 1 {sign}5 t\n")
    assert refused(path) == f"1:10: the score '{sign}5' is not a number"


def test_lines_that_end_in_a_carriage_return_only(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(b"q Q0 a 1 2 t\rq Q0 b 2 1 t\r")
    assert str(refused(path)).startswith("its lines end in carriage returns only")
    path.write_bytes(b"q Q0 a 1 2 t\rq Q0 b 2 1 t\r\n")
    message = "there is a carriage return within the line; lines end in newlines"
    assert refused(path) == f"1:13: {message}"


def test_no_runs_at_all() -> None:
    with pytest.raises(InputError):
        evaluate({"q": {"d": 1}}, {})
