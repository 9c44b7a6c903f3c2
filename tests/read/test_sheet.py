"""The judges' sheet: what is written, and what comes back from spreadsheets and editors."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError
from cleverdon.read.sheet import read_sheet, write_sheet

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


@given(rows=st.dictionaries(st.tuples(ids, ids), st.integers(-1, 4), min_size=1), end=st.booleans())
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
        "q1 0 d1 1\nq2 0 d1 0.5\n",
        '{"q1": {"d1": 1}, "q2": {"d1": 0.5}}',
    ],
)
def test_what_spreadsheets_and_editors_make_of_it(tmp_path: Path, text: str) -> None:
    assert read_sheet(saved(tmp_path, text)) == {"q1": {"d1": 1}, "q2": {"d1": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query_id\tdoc_id\tgrade\nq1\td1\tyes\n", r"sheet.tsv:2: expected a grade, found 'yes'"),
        ("query_id\tdoc_id\tgrade\nq1\td1\tnan\n", r"sheet.tsv:2: expected a grade, found 'nan'"),
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
    with pytest.raises(InputError, match="which no sheet can hold"):
        write_sheet([("q1", id)], path)
    assert path.read_text() == "before"
