"""The judges' sheet: what is written, and what comes back from spreadsheets and editors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError
from cleverdon.formats.sheets import check_replaceable, read_sheet, read_sheets, write_sheet

ids = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=8)


def saved(tmp_path: Path, content: str | bytes, name: str = "sheet.tsv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_sheet_has_empty_grades_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    write_sheet([("q1", "d2"), ("q1", "d1")], path)
    assert path.read_text() == "query_id\tdoc_id\tgrade\nq1\td2\t\nq1\td1\t\n"
    assert read_sheet(path) == {}


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_sheet([("q1", "d2")], "-")
    assert capfdbinary.readouterr().out == b"query_id\tdoc_id\tgrade\nq1\td2\t\n"


@given(rows=st.dictionaries(st.tuples(ids, ids), st.integers(0, 4), min_size=1), end=st.booleans())
def test_what_is_filled_in_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[str, str], int], end: bool
) -> None:
    path = tmp_path_factory.mktemp("sheet") / ("sheet.csv" if end else "sheet.tsv")
    write_sheet(rows, path)
    head, *lines = path.read_text("utf-8").splitlines()
    filled = [f"{line}{grade}" for line, grade in zip(lines, rows.values(), strict=True)]
    path.write_text("\n".join([head, *filled]), "utf-8")
    found = {
        (query, doc): grade
        for query, docs in read_sheet(path).items()
        for doc, grade in docs.items()
    }
    assert found == rows


@pytest.mark.parametrize(
    "text",
    [
        "query_id\tdoc_id\tgrade\nq1\td1\t1\nq1\td2\t?\nq1\td3\t\nq2\td1\t0.5\n",
        "query_id\tdoc_id\tgrade\nq1\td1\t1\nq1\td3\nq2\td1\t0.5\n",  # an editor cut a tab off
        "query_id,doc_id,grade\r\nq1,d1,1\r\nq1,d3,\r\nq2,d1,0.5\r\n",
        "\ufeffquery_id;doc_id;grade\r\nq1;d1;1\r\nq1;d3;\r\nq2;d1;0,5\r\n",
        '"query_id","doc_id","grade","note"\n"q1","d1","1","two\nlines"\nq2,d1,0.5,\n',
        "grade\tdoc_id\tquery_id\n1\td1\tq1\n0.5\td1\tq2\n",
        "query_id,doc_id,grade,,\nq1,d1,1,,\n,,,,\nq2,d1,0.5,,\n",
        "query_id\tdoc_id\tgrade\nq1\td1\t1\nq1\td1\t\nq1\td1\t1.0\nq2\td1\t0.5\n",
        "query_id\tdoc_id\tgrade\r\nq1\td1\t1\r\nq2\td1\t0.5\r\n".encode("utf-16"),
        "\ufeffquery_id\tdoc_id\tgrade\nq1\td1\t1\nq2\td1\t0.5\n".encode("utf-16-be"),
        "q1 0 d1 1\nq2 0 d1 0.5\n",
        '{"q1": {"d1": 1}, "q2": {"d1": 0.5}}',
    ],
)
def test_what_spreadsheets_and_editors_make_of_it(tmp_path: Path, text: str | bytes) -> None:
    assert read_sheet(saved(tmp_path, text)) == {"q1": {"d1": 1}, "q2": {"d1": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id\tdoc_id\tgrade\nq1\td1\tyes\n", r"sheet.tsv:2: expected a grade, found 'yes'"),
        ("query_id\tdoc_id\tgrade\nq1\td1\tnan\n", r"sheet.tsv:2: expected a grade, found 'nan'"),
        (
            "query_id\tdoc_id\tgrade\nq1\td1\t1\nq1\td2\t-1\n",
            r"sheet.tsv:3: the grade -1 of .*'d2' is below 0; use 0 for junk; leave it empty where",
        ),
        ("query_id\tdoc_id\tgrade\nq1\td1\t1\tx\n", r"sheet.tsv:2: expected 3 columns .* found 4"),
        ("query_id\tdoc_id\tgrade\nq1\t\t1\n", r"sheet.tsv:2: the document's id is missing"),
        ("query_id\tdoc_id\nq1\td1\n", r"sheet.tsv: no column for the grade"),
        (
            "query_id\tdoc_id\tgrade\nq1\td1\t1\n\nq1\td1\t2\n",
            r"sheet.tsv:4: document 'd1' of query 'q1' has the grade 2, and 1 on line 2",
        ),
        (b"query_id\tdoc_id\tgrade\nq1\td\xff\t1\n", r"sheet.tsv:2:5: the byte 0xff"),
        ("q1 0 d1 x\n", r"sheet.tsv:1"),
        ("", r"sheet.tsv"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read_sheet(saved(tmp_path, text))


@pytest.mark.parametrize("id", ["a\tb", "a\nb", " a", ""])
def test_ids_that_no_sheet_can_hold_are_refused(tmp_path: Path, id: str) -> None:
    path = saved(tmp_path, "before")
    with pytest.raises(InputError, match="is not a sheet without grades"):
        write_sheet([("q1", "d1")], path)
    with pytest.raises(InputError, match="which no sheet can hold"):
        write_sheet([("q1", id)], path)
    assert path.read_text() == "before"


@pytest.mark.parametrize(
    "text",
    ["q1 0 d1 1\nq1 0 d2 -1\n", "query_id,doc_id,relevance\nq1,d1,1\nq1,d2,-1\n"],
)
def test_below_0_in_qrels_is_pooled_and_not_judged(tmp_path: Path, text: str) -> None:
    qrels = saved(tmp_path, text, "qrels")
    assert read_sheet(qrels) == {"q1": {"d1": 1, "d2": -1}}
    # So it contradicts no grade, whichever comes first.
    sheet = saved(tmp_path, "query_id\tdoc_id\tgrade\nq1\td2\t2\n")
    for order in ([qrels, sheet], [sheet, qrels]):
        assert read_sheets(order) == {"q1": {"d1": 1, "d2": 2}}


def test_two_sheets_that_contradict_each_other(tmp_path: Path) -> None:
    texts = [f"query_id\tdoc_id\tgrade\nq1\td1\t{grade}\n" for grade in ("?", 1, 1, 2)]
    files = [saved(tmp_path, text, f"{number}.tsv") for number, text in enumerate(texts)]
    assert read_sheets(files[:3]) == {"q1": {"d1": 1}}
    with pytest.raises(InputError, match=r"3.tsv: document 'd1' .* the grade 2, and 1 in .*1.tsv"):
        read_sheets(files)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("query_id\tdoc_id\tgrade\nq1\td1\t0\nq1\td2\t\n", "sheet.tsv: has 1 grade, which"),
        ("query_id,doc_id,grade\nq1,d1,1\nq1,d2,2\n", "sheet.tsv: has 2 grades, which"),
        ("query_id\tdoc_id\tgrade\nq1\td1\tyes\n", "has 1 grade, .* name another file, or hand"),
        ("query_id\tdoc_id\tgrade\nq1\td1\t2\n".encode("utf-16"), "has 1 grade"),
        ("query_id\tdoc_id\tgrade\nq1\td1\t2\tx\n", "is not a sheet without grades"),
        ("q1 0 d1 1\n", "is not a sheet without grades; name another"),
        ('{"format": "cleverdon judging 1", "method": "mtf"}\n', "is not a sheet without grades"),
    ],
)
def test_what_judges_filled_in_is_not_overwritten(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    path = saved(tmp_path, content)
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        write_sheet([("q1", "d3")], path)
    assert path.read_bytes() == before


def test_what_nobody_filled_in_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "sheet.tsv"
    for content in ("", "query_id\tdoc_id\tgrade\nq1\td1\t\nq1\td2\t?\n"):
        path.write_text(content)
        write_sheet([("q1", "d3")], path)
        assert path.read_text() == "query_id\tdoc_id\tgrade\nq1\td3\t\n"
    check_replaceable(tmp_path / "not there")
    check_replaceable("-")


JOURNAL = (
    b'{"format": "cleverdon judging 1", "method": "mtf"}\n'
    b'{"given": [["q1", "d1"], ["q1", "d2"]]}\n'
    b'{"judged": ["q1", "d1", 0.0]}\n'
    b'{"judged": ["q1", "d2", 2]}\n'
    b'{"limits": {"budget": 3}}\n'
    b'{"judged": ["q1", "d1", 1.0]}\n'
)


def test_a_journal_has_the_last_grades(tmp_path: Path) -> None:
    found = {"q1": {"d1": 1, "d2": 2}}
    assert read_sheet(saved(tmp_path, JOURNAL)) == found
    notes: list[str] = []
    # A line that is cut short at the end said nothing yet.
    assert read_sheet(saved(tmp_path, JOURNAL + b'{"judged": ["q1", "d1"'), notes=notes) == found
    assert [note.partition(": ")[2] for note in notes] == [
        "the last line was cut short, and is left out"
    ]
    assert read_sheet(saved(tmp_path, JOURNAL + b'{"judged": ["q1", "d1"')) == found


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\xff",
        b"[]",
        b'{"judged": ["q1", "d3"]}',
        b'{"judged": ["q1", 3, 1]}',
        b'{"judged": ["q1", "d3", "x"]}',
        b'{"judged": ["q1", "d3", NaN]}',
        b'{"said": 1}',
    ],
)
def test_a_damaged_line_of_a_journal_loses_no_other(tmp_path: Path, line: bytes) -> None:
    lines = JOURNAL.splitlines()
    path = saved(tmp_path, b"\n".join([*lines[:3], line, *lines[3:], b""]))
    with pytest.raises(
        InputError, match=r":4: .* `cleverdon pool next \S+ -n 0 --write-qrels FILE`"
    ):
        read_sheet(path)
    notes: list[str] = []
    assert read_sheet(path, notes=notes) == {"q1": {"d1": 1, "d2": 2}}
    assert [note.partition(" and")[0] for note in notes] == [f"{path}:4: the line is damaged,"]


def test_a_journal_of_another_version(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a journal of another version"):
        read_sheet(saved(tmp_path, JOURNAL.replace(b"judging 1", b"judging 9")))


def test_the_format_is_of_what_is_no_sheet(tmp_path: Path) -> None:
    qrels = saved(tmp_path, "q1 0 d1 1\n", "qrels")
    sheet = saved(tmp_path, "query_id\tdoc_id\tgrade\nq1\td2\t2\n")
    assert read_sheet(qrels, format="trec") == {"q1": {"d1": 1}}
    assert read_sheet(sheet, format="trec") == {"q1": {"d2": 2}}
    with pytest.raises(InputError):
        read_sheet(qrels, format="csv")
