"""Imports point one way: that of the lines in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cleverdon"
GUIDE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("## What may import what")[2].partition("\n## ")[0]
ORDER = {
    name: place
    for place, line in enumerate(re.findall(r"^    (.+)", SECTION, flags=re.MULTILINE))
    for name in line.split()
}
ALLOWED = set(re.findall(r"^\| `(\S+)` \| `(\S+)` \|", SECTION, flags=re.MULTILINE))
FILES = sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def entry(module: str) -> str:
    """The name under which a module, or the package that it is in, stands in the order."""
    while module and module not in ORDER:
        module = module.rpartition(".")[0]
    return module


@cache  # both tests ask it of every file
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """What of Cleverdon a file imports, and whether it does so as soon as it is loaded."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    at_once = {id(statement) for statement in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out in full"
            if node.module == "cleverdon":
                names = [alias.name for alias in node.names]
            else:
                names = [(node.module or "").removeprefix("cleverdon.")]
            of_ours = (node.module or "").partition(".")[0] == "cleverdon"
        elif isinstance(node, ast.Import):
            names = [alias.name.removeprefix("cleverdon.") for alias in node.names]
            of_ours = node.names[0].name.startswith("cleverdon")
        else:
            continue
        if of_ours:
            yield from ((name, id(node) in at_once) for name in names if name != "__version__")


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_point_one_way(path: Path) -> None:
    importer = entry(module_of(path))
    if module_of(path) == "":
        assert not any(at_once for _, at_once in imports(path)), "the package imports nothing"
        return
    assert importer, f"{module_of(path)} has no place in docs/architecture.md"
    for imported, at_once in imports(path):
        home = entry(imported)
        assert home, f"{imported} has no place in docs/architecture.md"
        upwards = ORDER[home] >= ORDER[importer] and home != importer
        excused = (importer, home) in ALLOWED and not at_once
        assert not upwards or excused, f"{module_of(path)} imports {imported}"


def test_no_exception_is_stale() -> None:
    used = {(entry(module_of(path)), entry(name)) for path in FILES for name, _ in imports(path)}
    assert used >= ALLOWED


def test_every_line_of_the_order_is_of_a_module() -> None:
    known = {module_of(path) for path in FILES} | {"_core"}
    assert set(ORDER) <= known
