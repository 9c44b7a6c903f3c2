"""How the notebooks in examples/notebooks are stored and written."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import pytest

import cleverdon
from docs.made_up import write_trec_files
from docs.notebooks import FOLDER, notebooks, read_notebook, title

EXAMPLES = FOLDER.parent
each = pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)


def code_of(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def prose_of(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def test_all_notebooks_are_listed() -> None:
    assert {path.name for path in notebooks()} == {path.name for path in FOLDER.iterdir()} - {
        ".ipynb_checkpoints"
    }


@each
def test_it_is_stored_without_outputs(path: Path) -> None:
    notebook = read_notebook(path)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata.language_info) == {"name"}
    for number, cell in enumerate(notebook.cells, start=1):
        assert cell.id == f"cell-{number:02}"
        assert not cell.metadata
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@each
def test_it_begins_with_a_question_and_ends_with_where_to_go(path: Path) -> None:
    first, *_, last = prose_of(read_notebook(path))
    assert first.startswith("# ")
    assert "**The question.**" in first
    assert "pip install 'cleverdon" in first
    assert "## The answer" in "".join(prose_of(read_notebook(path)))
    assert "**Usual mistakes.**" in last
    assert "**Where to go next.**" in last


@each
def test_it_can_be_read_in_five_minutes(path: Path) -> None:
    notebook = read_notebook(path)
    assert len(" ".join(prose_of(notebook)).split()) <= 1000
    assert max(len(code.splitlines()) for code in code_of(notebook)) <= 45


@each
def test_its_links_lead_somewhere_and_nothing_is_on_the_network(path: Path) -> None:
    for text in prose_of(read_notebook(path)):
        for link in re.findall(r"\]\(([^)]+)\)", text):
            assert (FOLDER / link.partition("#")[0]).is_file(), link
    for code in code_of(read_notebook(path)):
        assert not re.search(r"https?:|\brequests\b|urllib|%pip|!pip|!cleverdon", code)


@each
def test_it_uses_public_names_only(path: Path) -> None:
    tree = ast.parse("\n".join(code_of(read_notebook(path))))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cleverdon"):
            public = import_module(str(node.module)).__all__
            assert {alias.name for alias in node.names} <= set(public), node.module
        elif isinstance(node, ast.Import):
            imported = {alias.name for alias in node.names}
            assert not {name for name in imported if name.startswith("cleverdon.")}
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "cleverdon":
            packages = {"agreement", "logs", "pooling"}
            assert node.attr in {*cleverdon.__all__, *packages}, node.attr


def test_the_readme_lists_every_file() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for path in EXAMPLES.rglob("*"):
        hidden = any(part.startswith((".", "__")) for part in path.relative_to(EXAMPLES).parts)
        if path.is_file() and not hidden and path.suffix not in (".md", ".ipynb"):
            assert f"`{path.relative_to(EXAMPLES).as_posix()}`" in readme, path
    for path in notebooks():
        assert f"[{title(read_notebook(path))}](notebooks/{path.name})" in readme


def test_the_trec_files_are_the_simulated_ones(tmp_path: Path) -> None:
    write_trec_files(tmp_path)
    for path in tmp_path.iterdir():
        assert (EXAMPLES / "trec" / path.name).read_bytes() == path.read_bytes()
