"""Excel workbooks, read and written; openpyxl and pandas are the oracles."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cleverdon.cli import cleverdon as cli
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError
from cleverdon.formats.texts import read_texts

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("python_calamine")
pytest.importorskip("xlsxwriter")

HEADER = ["Query Text", "SKU", "Rating"]
ROWS = [["red shoes", "007", 3], ["red shoes", 12, 0.5], ["blue", "b1", 1], ["green", None, None]]
GRADES = {"red shoes": {"007": 3.0, "12": 0.5}, "blue": {"b1": 1.0}, "green": {}}


def book(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def test_a_sheet_is_read_as_openpyxl_reads_it(tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", {"Ratings": [HEADER, *ROWS]})
    found = Judgments.read(path)
    assert (found.to_dict(), found.name) == (GRADES, "book")
    expected: dict[str, dict[str, float]] = {}
    for query, doc, grade in openpyxl.load_workbook(path)["Ratings"].iter_rows(2, values_only=True):
        of_query = expected.setdefault(query, {})
        if doc is not None:
            of_query[str(doc)] = float(grade)
    assert found.to_dict() == expected


def test_sheets_by_name(tmp_path: Path) -> None:
    notes = [["These are notes"], ["and more"]]
    path = book(tmp_path / "book.xlsx", {"Notes": notes, "Ratings": [HEADER, *ROWS], "Empty": []})
    assert Judgments.read(path).to_dict() == GRADES  # only one can be meant
    assert Judgments.read(f"{path}#ratings").to_dict() == GRADES
    with pytest.raises(InputError, match="has no sheet 'x': it has 'Notes', 'Ratings', 'Empty'"):
        Judgments.read(f"{path}#x")
    with pytest.raises(InputError, match="the sheet 'Empty' is empty"):
        Judgments.read(f"{path}#Empty")
    with pytest.raises(InputError, match="no column for the query"):
        Judgments.read(f"{path}#Notes")
    two = book(tmp_path / "two.xlsx", {"2023": [HEADER, *ROWS], "2024": [HEADER, *ROWS[:1]]})
    with pytest.raises(
        InputError, match=r"which sheet is meant, '2023' or '2024'\? Answer with .*two.xlsx#2023"
    ):
        Judgments.read(two)
    result = CliRunner().invoke(cli, ["convert", f"{two}#2024", "-", "--to", "csv"])
    assert result.stdout == "query_id,doc_id,relevance\nred shoes,007,3\n"


@pytest.mark.parametrize("ending", ["xlsx", "csv", "tsv", "json", "jsonl", "parquet", "arrow"])
def test_ids_and_empty_queries_survive(ending: str, tmp_path: Path) -> None:
    run = Run.read(
        {"q 1": {"007": 1.5, "=1+1": 0.5, "http://a.b/c": 0.25, 'd "e"': 0.125}, "12": {}}
    )
    path = tmp_path / f"run.{ending}"
    run.write(path)
    assert Run.read(path).to_dict() == run.to_dict()
    judgments = Judgments.read({"q 1": {"1e5": 2, " d ": 0}, "none": {}})
    judgments.write(path)
    assert Judgments.read(path).to_dict() == judgments.to_dict()


def test_what_was_written_is_what_others_read(tmp_path: Path) -> None:
    path = tmp_path / "run.xlsx"
    Run.read({"q1": {"a": 1.5, "b": 2.5}, "q2": {}}, name="mine").write(path)
    rows = list(openpyxl.load_workbook(path)["run"].iter_rows(values_only=True))
    assert rows == [
        ("query_id", "doc_id", "rank", "score"),
        ("q1", "b", 1, 2.5),
        ("q1", "a", 2, 1.5),
        ("q2", None, None, None),
    ]
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 0


WRONG = {
    "a date as id": (
        [["q", datetime.datetime(2024, 3, 4), 1]],
        "2: the document id is a date.* Format the column as text",
    ),
    "a date as grade": (
        [["q", "d", datetime.datetime(2024, 3, 4)]],
        "2: the grade '2024-03-04.*' is not a number",
    ),
    "a fraction as id": ([["q", 1.5, 1]], r"2: the document id is a float \(1.5\)"),
    "no query": ([["q", "d", 1], [None, "d", 1]], "3: the query id is missing"),
    "no grade": ([["q", "d", None]], "2: the grade '' is not a number"),
    "no number": ([["q", "d", "high"]], "2: the grade 'high' is not a number"),
    "twice": (
        [["q", "d", 1], [], ["q", "d", 2]],
        "4: document 'd' occurs twice .* first on line 2",
    ),
    "nothing": ([], "has no rows"),
    "more than 15 digits": (
        [["q", "d", 1], ["q", 1234567890123456789, 1]],
        "3: the id in cell B3 is a number of more than 15 digits.*format the column as text",
    ),
    "an error": ([["q", "d", 1], ["q", "e", "#N/A"]], "3: the cell C3 holds #N/A; put a value"),
    "a formula": ([["q", "d", "=1+1"]], "2: the cell C2 holds a formula without a value; open"),
}


def test_numbers_as_excel_shows_them(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    for row in (["query", "doc", "rating"], ["q1", 12, 1], ["q1", 7, 0], ["q1", 123456, 2]):
        sheet.append(row)
    for row in range(2, 5):
        sheet.cell(row, 2).number_format = "00000"
    made.save(tmp_path / "zeros.xlsx")
    expected = {"q1": {"00012": 1.0, "00007": 0.0, "123456": 2.0}}
    assert Judgments.read(tmp_path / "zeros.xlsx").to_dict() == expected
    sheet.cell(3, 2).number_format = '"SKU-"0000'
    made.save(tmp_path / "sku.xlsx")
    with pytest.raises(InputError, match=r"sku.xlsx:3: the id in cell B3 .* shown as .*SKU.* text"):
        Judgments.read(tmp_path / "sku.xlsx")


def test_merged_cells(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for row in (["query", "doc", "rating"], ["q1", "d1", 1], [None, "d2", 0], ["q2", "d3", 2]):
        made.active.append(row)
    made.active.merge_cells("A2:A3")
    made.save(tmp_path / "merged.xlsx")
    with pytest.raises(
        InputError, match=r"merged.xlsx:2: the cells A2:A3 are merged; unmerge them"
    ):
        Judgments.read(tmp_path / "merged.xlsx")


@pytest.mark.parametrize(("rows", "message"), WRONG.values(), ids=WRONG.keys())
def test_errors_name_file_and_row(rows: list[list[Any]], message: str, tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", {"Ratings": [HEADER, *rows]})
    with pytest.raises(InputError, match=f"book.xlsx:?.*{message}"):
        Judgments.read(path)


def test_damaged_files(tmp_path: Path) -> None:
    path = book(tmp_path / "book.xlsx", {"Ratings": [HEADER, *ROWS]})
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:200], b"PK\x03\x04", b"\xd0\xcf\x11\xe0junk"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="is not a readable Excel file"):
            Judgments.read(path)


def test_texts_of_queries(tmp_path: Path) -> None:
    rows = [["Query ID", "Query Text"], [7, "red shoes"], ["008", "blue"]]
    path = book(tmp_path / "queries.xlsx", {"Queries": rows, "Notes": [["some"], ["notes"]]})
    assert {id: text.line for id, text in read_texts(path).items()} == {
        "7": "red shoes",
        "008": "blue",
    }
    assert read_texts(f"{path}#Queries")["7"].line == "red shoes"


def test_a_question_shows_the_first_rows(tmp_path: Path) -> None:
    rows = [["query", "sku", "product_id", "rating"], ["q", "s", 12, 1]]
    path = book(tmp_path / "book.xlsx", {"Sheet1": rows})
    with pytest.raises(InputError, match=r"--columns doc=sku(.|\n)*\| document\? \|"):
        Judgments.read(path)
    assert Judgments.read(path, columns="doc=product_id").to_dict() == {"q": {"12": 1.0}}


def test_a_title_above_the_header(tmp_path: Path) -> None:
    rows = [["Ratings of May"], [], ["query", "doc", "rating"], ["q", "d", 1]]
    path = book(tmp_path / "book.xlsx", {"Ratings": rows})
    with pytest.raises(InputError, match=r"is the header in row 3\? Delete what is above it"):
        Judgments.read(path)
