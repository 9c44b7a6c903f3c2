"""Several tables below each other, in every format."""

from __future__ import annotations

import csv
import io

import pytest

from cleverdon.tables.sections import Section, count_format, render_sections
from cleverdon.tables.table import FORMATS, TextTable

PARTS = [
    Section("grades", TextTable(["grade", "judgments"], [["0", "7"], ["1", "5"]], 1, [])),
    Section("by | language", TextTable(["language", "queries"], [["de, en", "3"]], 1, [])),
]


def test_a_heading_is_left_out_where_the_first_column_says_it() -> None:
    lines = render_sections(PARTS, "table", below=["first", "second"]).splitlines()
    assert lines[0].split() == ["grade", "judgments"]
    assert "grades" not in lines
    assert lines[lines.index("by | language") + 2].split() == ["language", "queries"]
    assert lines[-2:] == ["first", "second"]


def test_markdown() -> None:
    text = render_sections(PARTS, "markdown", below=["    a | b"])
    assert text.startswith("## grades\n\n| grade | judgments |")
    assert "## by \\| language" in text
    assert text.endswith("- a \\| b")
    assert render_sections(PARTS, "markdown", below=["w", "    do"]).endswith("- w\n  - do")


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_a_row_for_each_cell_where_a_file_is_one_table(format: str, delimiter: str) -> None:
    rows = list(csv.reader(io.StringIO(render_sections(PARTS, format)), delimiter=delimiter))
    assert rows == [
        ["section", "row", "column", "value"],
        ["grades", "0", "judgments", "7"],
        ["grades", "1", "judgments", "5"],
        ["by | language", "de, en", "queries", "3"],
    ]


def test_every_format_of_text_has_all_cells() -> None:
    for format in FORMATS:
        if format != "json":
            text = render_sections(PARTS, format)
            assert all(cell in text for part in PARTS for row in part.grid.rows for cell in row)


def test_counts() -> None:
    assert count_format(exact=False)(1234567) == "1,234,567"
    assert count_format(exact=True)(1234567) == "1234567"
