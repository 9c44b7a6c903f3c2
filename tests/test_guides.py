"""The pages for newcomers: their promises about the package, and what they may not lose."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import cleverdon

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NEWCOMERS = (
    *("five_minutes", "guide_student", "guide_researcher", "guide_search_engineer", "guide_rag"),
    *("guide_relevance_team", "migration", "ties", "unjudged", "which_measure"),
)
GENERATED = {"cli", "measures", "metrics"}
FOR_DEVELOPERS = {"bench", "dev", "portable", "site"}


def text(page: str) -> str:
    return (DOCS / f"{page}.md").read_text("utf-8")


def rows(page: str) -> list[list[str]]:
    """Return the cells of all tables of a page, without their headings."""
    tables = re.findall(r"(?:^\|.*\n)+", text(page), flags=re.MULTILINE)
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for table in tables
        for line in table.splitlines()[2:]
    ]


def test_each_page_says_where_to_go_next() -> None:
    for page in {path.stem for path in DOCS.glob("*.md")} - GENERATED - {"architecture"}:
        headings = re.findall(r"^## (.+)", text(page), flags=re.MULTILINE)
        assert headings[-1] == "Where to go next", page


def test_the_front_page_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\((\w+)\.md", text("index")))
    assert linked >= {path.stem for path in DOCS.glob("*.md")} - {"index"}


@pytest.mark.parametrize("page", NEWCOMERS)
def test_pages_for_newcomers_need_one_import(page: str) -> None:
    modules = re.findall(r"^>>> (?:from|import) (cleverdon\S*)", text(page), flags=re.MULTILINE)
    assert set(modules) <= {"cleverdon"}
    used = set(re.findall(r"\bcleverdon\.([a-zA-Z_]+)\(", text(page)))
    assert used <= set(cleverdon.__all__)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 90


def test_install_lists_every_extra_and_what_is_always_needed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [re.split(r"[^\w-]", package)[0] for package in project["dependencies"]]
    assert f"It depends on {' and '.join(needed)}" in text("install")
    listed = {row[0].strip("| `") for row in rows("install")}
    assert listed | FOR_DEVELOPERS == {*project["optional-dependencies"], "all", *FOR_DEVELOPERS}


def test_each_word_of_the_glossary_has_a_link() -> None:
    entries = re.findall(r"^\*\*.+?(?:\n\n|\Z)", text("glossary"), flags=re.MULTILINE | re.DOTALL)
    assert len(entries) >= 40
    for entry in entries:
        assert re.search(r"See\s+(the\s+)?\[[^\]]+\]\([^)]+\)", entry), entry


def test_each_cell_about_another_tool_has_its_evidence() -> None:
    assert len(rows("other_tools")) > 30
    for row in rows("other_tools"):
        for cell in row[1:]:
            assert re.search(r"\]\([^)]+\)|\]\[[^\]]+\]|\[\w+\]", cell), cell


def test_the_names_of_addresses_are_known() -> None:
    page = text("other_tools")
    known = set(re.findall(r"^\[([^\]]+)\]: https://", page, flags=re.MULTILINE))
    assert known >= set(re.findall(r"\]\[([^\]]+)\]", page))
    for name in known:
        assert len(re.findall(rf"\[{re.escape(name)}\]", page)) > 1, f"{name} is not used"


def test_each_row_of_the_decision_table_has_a_reason_and_a_source() -> None:
    table = [row for row in rows("which_measure") if len(row) == 6]
    assert len(table) > 15
    for row in table:
        assert all(cell.strip("| ") for cell in row), row
        for measure in re.findall(r"\[`([^`]+)`\]\(measures", row[3]):
            cleverdon.parse(measure.replace("@k", "@10"))
