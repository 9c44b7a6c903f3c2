"""Which format a file is taken for, and whether for a run or judgments."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon import Judgments, Run, evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import split_columns
from cleverdon.formats.detection import FORMATS, detect_format, guess_kind
from cleverdon.formats.inputs import head_of, open_source, run_name
from tests.formats.ways import JUDGMENTS, RUNS


@pytest.mark.parametrize(
    ("head", "as_run", "as_qrels"),
    [
        ("q Q0 d 1 0.5 t\n", "trec", None),
        ("q\tQ0\td\t1\t0.5\tt\n", "trec", None),
        ("q Q0 d 1 0.5 a tag of words", "trec", None),
        ("q 0 d 1\n", None, "trec"),
        ("q\td\t1\n", "msmarco", "beir"),
        ("q d 1\n", "msmarco", "beir"),
        ("# a b c d e f\n\nq d 1\n", "msmarco", "beir"),
        ("\ufeffq d 1\r\n", "msmarco", "beir"),
        ("query-id\tcorpus-id\tscore\nq\td\t1\n", "tsv", "tsv"),
        ("QID,DocNo,Score\n", "csv", "csv"),
        ('"qid","docno","score"\n', "csv", "csv"),
        ("\n\nscore,doc_id,query_id\r\n", "csv", "csv"),
        ("\ufeffquery,document,grade\n", "csv", "csv"),
        (' \n {"q": {"d": 1}}', "json", "json"),
        ('\ufeff{"q": {"d": 1}}', "json", "json"),
        ("q,d,1\n", "trec", "trec"),
        ("q Q0 d 1 0.5\n", "trec", "trec"),
        ("", "trec", "trec"),
        ("# only a comment", "trec", "trec"),
        ("PAR1....", "parquet", "parquet"),
        ("ARROW1..", "arrow", "arrow"),
    ],
)
def test_formats(head: str, as_run: str | None, as_qrels: str | None) -> None:
    for kind, expected in (("score", as_run), ("rank", as_run), ("grade", as_qrels)):
        if expected is None:
            with pytest.raises(InputError, match=r"file: looks like .* exchanged\?"):
                detect_format(head.encode(), kind=kind, source="file")
        else:
            assert detect_format(head.encode(), kind=kind, source="file") == expected


def test_streams_of_arrow() -> None:
    assert detect_format(b"\xff\xff\xff\xff\x10", kind="score", source="") == "arrow"


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_taken_for_runs(name: str, tmp_path: Path) -> None:
    path = RUNS[name](tmp_path)
    if isinstance(path, Path):
        assert _guessed(path) == "run"


@pytest.mark.parametrize("name", JUDGMENTS)
def test_judgments_are_taken_for_judgments(name: str, tmp_path: Path) -> None:
    path = JUDGMENTS[name](tmp_path)
    if isinstance(path, Path):
        # Grades with a point, in JSON, look like scores.
        assert _guessed(path) == ("run" if name.startswith("json") else "qrels")


def _guessed(path: Path) -> str | None:
    source = open_source(str(path))
    return guess_kind(str(path), source, head_of(source))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"q": {"d": 1, "e": 0}}', "qrels"),
        ('{"q": {"d": 1, "e": 0.5}}', "run"),
        ('{"q": {"d": 1e-3}}', "run"),
        ("q\td\t1\nq\te\t2\nr\td\t1\n", "run"),
        ("q\td\t1\nq\te\t1\n", "qrels"),
        ("q\td\t1\nr\td\t1\n", "qrels"),
        ("qid,docno,label\n", "qrels"),
        ("qid,docno,score\n", "run"),
        ("qid,docno,rank\n", "run"),
        ("qid,docno,what\n", None),
        ("q d\n", None),
        ("", None),
    ],
)
def test_kinds(text: str, kind: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert _guessed(path) == kind


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("a,b,c", ["a", "b", "c"]),
        (" a , b b ,", ["a", "b b", ""]),
        ("", [""]),
        ('"a,b",c', ["a,b", "c"]),
        ('" a ",c', [" a ", "c"]),
        ('"a","b"', ["a", "b"]),
        ('"a', ['"a']),
        ('"', ['"']),
        ('""', [""]),
        ('"a"b,c"', ['a"b,c']),
        ('x"a","b', ['x"a"', '"b']),
    ],
)
def test_fields_of_columns(line: str, fields: list[str], tmp_path: Path) -> None:
    assert split_columns(line, separator=",") == fields


def test_a_header_decides_by_names(tmp_path: Path) -> None:
    """In any order, in any case, among others; the better name wins."""
    path = tmp_path / "file.csv"
    names = [f"other{i}" for i in range(50)]
    path.write_text(",".join([*names, "Score", "relevance", "doc_id", "QUERY_ID"]) + "\n")
    with path.open("a") as file:
        file.write(",".join([*("x" for _ in names), "0.5", "2", "d", "q"]) + "\n")
    assert Run.read(path).to_dict() == {"q": {"d": 0.5}}
    assert Judgments.read(path).to_dict() == {"q": {"d": 2.0}}


def test_a_quoted_header(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text('"title, long","query_id","doc_id","score"\n"a, b",q,d,1\n"c",q,"e, f",2\n')
    assert Run.read(path).to_dict() == {"q": {"d": 1.0, "e, f": 2.0}}


def test_formats_by_name(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("q\td\t3\n")
    assert Run.read(path, format="msmarco").to_dict() == {"q": {"d": -3.0}}
    assert Judgments.read(path, format="beir").to_dict() == {"q": {"d": 3.0}}
    with pytest.raises(
        InputError, match=r"the first line names no columns: .* --columns query=1,doc=2"
    ):
        Run.read(path, format="tsv")
    with pytest.raises(InputError, match="expected at least 6 fields"):
        Run.read(path, format="trec")
    with pytest.raises(InputError, match="1:1: Expecting value"):
        Run.read(path, format="json")
    for format in ("parquet", "arrow"):
        with pytest.raises(InputError, match=f"is not a readable {format} file"):
            Run.read(path, format=format)
    with pytest.raises(OptionError, match="format='beir' is one of judgments"):
        Run.read(path, format="beir")
    with pytest.raises(OptionError, match="format='trac' is not known; did you mean 'trec'"):
        Run.read(path, format="trac")
    with pytest.raises(OptionError, match="format='json' is for files, and a dict is none"):
        Run.read({"q": {"d": 1}}, format="json")
    assert set(FORMATS) >= {"trec", "msmarco", "beir", "csv", "tsv", "json", "parquet", "arrow"}


def test_a_comment_is_none_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_text("query_id,doc_id,score\n#1,d,0.5\n")
    assert Run.read(path).to_dict() == {"#1": {"d": 0.5}}


def test_names_of_files() -> None:
    assert [run_name(path) for path in ("a/b.run", "x.tar.gz", "-", ".gz", "b.json.zst")] == [
        "b",
        "x.tar",
        "stdin",
        ".gz",
        "b",
    ]


# Three columns without a header: MS MARCO's runs have ranks there, and BEIR's judgments grades.


@pytest.mark.parametrize(
    "text",
    [
        "q a 1\nq b 2\nq c 3\n",
        "q a 1\nq b 2\nr a 1\n",
        "q b 2\nr a 1\nq a 1\n",
        "".join(f"q{n} d 1\n" for n in range(9_000)) + "q0 e 2\n",  # ranks beyond the head
    ],
)
def test_a_run_is_not_taken_for_judgments(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=r"looks like a run of MS MARCO's.*--qrels-format beir"):
        Judgments.read(path)
    with pytest.raises(InputError, match="looks like a run of MS MARCO's"):
        evaluate(path, {"q": {"a": 1.0}})
    assert len(Judgments.read(path, format="beir")) == text.count("\n")
    assert len(Run.read(path)) == text.count("\n")


@pytest.mark.parametrize("text", ["q a 1\nr a 1\n", "q a 0\nq b 1\n", "q a 1\nq b 3\n", "q a 2\n"])
def test_judgments_of_three_columns(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.tsv"
    path.write_text(text)
    assert len(Judgments.read(path)) == text.count("\n")


def test_judgments_are_not_taken_for_a_run(tmp_path: Path) -> None:
    path = tmp_path / "file.tsv"
    path.write_text("q a 1\nq b 0\nq c 1\n")
    for read in (Run.read, lambda run: evaluate({"q": {"a": 1}}, run)):
        with pytest.raises(InputError, match=r"looks like judgments.*--run-format msmarco"):
            read(path)
    assert len(Run.read(path, format="msmarco")) == 3


def test_weights_may_count_as_ranks_do(tmp_path: Path) -> None:
    path = tmp_path / "weights.txt"
    path.write_text("q a 1\nq b 2\n")
    rows = [("q", "a", "d1", 1), ("q", "b", "d2", 1)]
    scores = evaluate(
        Judgments.read(rows, format="subtopics"), {"q": {"d2": 1.0}}, "ERR_IA@5", weights=path
    )
    assert scores.mean("run", "ERR_IA@5") > 0


def test_json_without_a_number_may_be_either(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    texts = {'{"q": {}}': None, '{"q": []}': "run", '{"q": {}, "r": {"d": 1}}': "qrels"}
    for text, kind in texts.items():
        path.write_text(text)
        source = open_source(str(path))
        assert guess_kind(str(path), source, head_of(source)) == kind


BY_TABS = {
    "q3.tsv": "red shoes\td1\t1\nred shoes\td2\t0\nblue hat\td1\t2\n",
    "q3.txt": "red shoes\td1\t1\nred shoes\td2\t0\nblue hat\td1\t2\n",
    "q4.tsv": "# graded\nred shoes\t0\td1\t1\nred shoes\t0\td2\t0\nblue hat\t0\td1\t2\n",
    "q4.qrels": "red shoes\t0\td1\t1\r\nred shoes\t0\td2\t0\r\nblue hat\t0\td1\t2\r\n",
}


@pytest.mark.parametrize("name", BY_TABS)
def test_blanks_are_part_of_ids_where_tabs_separate(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(BY_TABS[name], newline="")
    expected = {"red shoes": {"d1": 1.0, "d2": 0.0}, "blue hat": {"d1": 2.0}}
    assert Judgments.read(path).to_dict() == expected
    assert _guessed(path) == "qrels"


@pytest.mark.parametrize("ending", ["run", "tsv"])
def test_runs_by_tabs(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text("q 1\tQ0\tred shoe\t1\t9.5\tbm\nq 1\tQ0\tblue hat\t2\t8.5\tbm\n")
    assert Run.read(path).ranking("q 1") == [("red shoe", 9.5), ("blue hat", 8.5)]
    path.write_text("red shoes\td1\t1\nred shoes\td2\t2\n")
    assert [doc for doc, _ in Run.read(path).ranking("red shoes")] == ["d1", "d2"]
    path.write_text("q1\tQ0\tred shoe\t1\t9.5\t\nq1\tQ0\td2\t2\t8.5\t\n")  # without a tag
    assert Run.read(path).ranking("q1") == [("red shoe", 9.5), ("d2", 8.5)]


def test_tabs_and_blanks_may_both_separate(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for text in (
        "q1 Q0\td1 1\t9.5 bm\nq1 Q0\td2 2\t8.5 bm\n",
        "q1 Q0 d1 1\t9.5 bm\nq1\tQ0\td2\t2\t8.5\tbm\n",
        "q1\tQ0\td1\t1\t9.5\ta tag\nq1\tQ0\td2\t2\t8.5\ttag\n",
        "q1\tQ0 \td1\t1\t9.5\tbm \nq1\tQ0\td2\t2\t8.5\tbm\n",
    ):
        path.write_text(text)
        assert Run.read(path).to_dict() == {"q1": {"d1": 9.5, "d2": 8.5}}
    path.write_text("q1 0\td1\t1\nq1 0\td2\t0\n")
    assert Judgments.read(path).to_dict() == {"q1": {"d1": 1.0, "d2": 0.0}}


def test_unclear_fields_are_an_error_at_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1\tQ0\tred shoe\t1\t9.5\tbm\nq1\tQ0\tblue hat\t8.5\tbm\n")
    message = (
        r"a.run:2: the line has 5 fields by tabs, and 6 by blanks and tabs; expected query, Q0"
    )
    with pytest.raises(InputError, match=message):
        Run.read(path)
    path.write_text("q1\tQ0\tred shoe\t1\t9.5\n")
    with pytest.raises(InputError, match=r"a.run:1: the line has 5 fields by tabs, and 6 by"):
        Run.read(path)
    # Beyond what is looked at to find out the format, a further field is one.
    lines = [f"q1\tQ0\td{rank}\t{rank}\t{-rank}\tbm\n" for rank in range(1, 5000)]
    path.write_text("".join([*lines, "q1\tQ0\tred shoe\t5000\t-5000\tbm\n"]))
    with pytest.raises(InputError, match=r"a.run:5000:1: there are blanks within fields: 6 fields"):
        Run.read(path)
    path.write_text("".join([*lines, "q1\tQ0\tshoe\t5000\t-5000\tthe tag\n"]))
    assert Run.read(path).to_dict()["q1"]["shoe"] == -5000
