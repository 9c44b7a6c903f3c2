"""Imports follow the order in docs/architecture.md; names that one module uses are private."""

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
ALLOWED = {
    (importer, imported)
    for importers, homes in re.findall(
        r"^\| (`[^|]+`) \| (`[^|]+`) \|", SECTION, flags=re.MULTILINE
    )
    for importer in re.findall(r"`(\S+?)`", importers)
    for imported in re.findall(r"`(\S+?)`", homes)
}
LAZY = GUIDE.partition("## Imports within functions")[2].partition("\n## ")[0]
LAZY_LIBRARIES = {
    name
    for row in re.findall(r"^\| (`.*`) \| anywhere", LAZY, flags=re.MULTILINE)
    for name in re.findall(r"`(\w+)`", row)
}
FILES = sorted(SOURCE.rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


MODULES = {module_of(path): path for path in FILES}


def entry(module: str) -> str:
    """Return the name of a module, or of its package, in the order of imports."""
    while module and module not in ORDER:
        module = module.rpartition(".")[0]
    return module


@cache  # two tests call it for every file
def imports(path: Path) -> tuple[tuple[str, bool], ...]:
    """Return the modules of Cleverdon that a file imports, and whether at module level."""
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
                home = (node.module or "").removeprefix("cleverdon.")
                submodules = [f"{home}.{alias.name}" for alias in node.names]
                names = [home, *(name for name in submodules if name in MODULES)]
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


LONGEST_CHAIN = 17


def test_no_chain_of_imports_is_too_long() -> None:
    """A reader who follows a call through all layers should not have to open more modules."""
    depths: dict[str, int] = {}

    def depth(module: str) -> int:
        if module not in depths:
            at_once = {name for name, now in imports(MODULES[module]) if now}
            known = {_module(name) for name in at_once} - {"", module}
            depths[module] = 1 + max(map(depth, known), default=0)
        return depths[module]

    assert max(map(depth, MODULES)) <= LONGEST_CHAIN


def _module(name: str) -> str:
    while name and name not in MODULES:
        name = name.rpartition(".")[0]
    return name


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_within_functions_have_a_reason(path: Path) -> None:
    """Those of the table in docs/architecture.md need no other: commands, and some libraries."""
    commands = "cli" in (*path.relative_to(SOURCE).parts, path.stem)
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    at_top = [node for node in tree.body if isinstance(node, (ast.If, ast.With))]
    nested = (node for node in ast.walk(tree) if isinstance(node, _BLOCKS))
    for block in (node.body for node in nested if node not in at_top):
        reason = False
        for node in block:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                reason = False
                continue
            first = lines[node.lineno - 2].strip().startswith("#")
            reason |= first or "#" in "".join(lines[node.lineno - 1 : node.end_lineno])
            name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            root = (name or "").partition(".")[0]
            known = commands if root == "cleverdon" else root in LAZY_LIBRARIES
            assert reason or known, f"{path}:{node.lineno}: why is this not imported at the top?"


def test_every_lazy_library_of_the_table_is_one() -> None:
    used = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node.col_offset
    }
    assert used >= LAZY_LIBRARIES


_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.With, ast.For, ast.If, ast.Try)


def test_the_table_of_old_places_names_modules_that_exist() -> None:
    table = GUIDE.partition("## Where things were before")[2]
    named = set(re.findall(r"`([\w/]+)` \(", table))
    assert len(named) > 300
    known = {module_of(path).replace(".", "/") for path in FILES} | {"__init__"}
    assert named - known - {f"{name}/__init__" for name in known} == set()


def test_no_exported_name_is_hidden_by_a_module() -> None:
    for path in FILES:
        if path.name == "__init__.py" and "__all__ = [" in (text := path.read_text("utf-8")):
            listed = text.partition("__all__ = [")[2].partition("]")[0]
            names = set(re.findall(r'"(\w+)"', listed))
            modules = {other.stem for other in path.parent.glob("*.py")}
            modules |= {other.parent.name for other in path.parent.glob("*/__init__.py")}
            # Modules that are names of their own.
            own = {"errors", "measures", "plots", "profiles"} if path.parent == SOURCE else set()
            assert not names & modules - own, f"{path}: {names & modules - own}"


TREES = {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in MODULES.items()}
EXPORTED = {
    name
    for path in FILES
    if path.name == "__init__.py" and (text := path.read_text(encoding="utf-8"))
    for listed in re.findall(r"__all__ = \[(.*?)\]", text, flags=re.DOTALL)
    for name in re.findall(r'"(\w+)"', listed)
}
DOCUMENTS = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in (ROOT, ROOT / "docs")
    for path in (*folder.glob("*.md"), *folder.glob("*.toml"))
)
PLAIN_BASES = {"Generic", "Protocol", "ABC", "object"}
PLAIN_DECORATORS = {"cache", "lru_cache", "contextmanager", "asynccontextmanager", "overload"}
FOUND_BY_NAME = {
    *("api", "pages"),  # the routers of the judging app
    *("revision", "down_revision", "upgrade"),  # read by Alembic
    "main",  # of modules that run as processes
    "TYPE_CHECKING",  # known to type checkers by its name
    *(
        "COLLECTION_COMMANDS",
        "COMMAND_GROUPS",
        "POOL_COMMANDS",
        "EXTRAS",
        "RENAMED_OPTIONS",
    ),  # lists to add to
    *("DOUBT_RULES", "DoubtRule", "doubt_rule", "Format"),  # for contributors to extend
}
TYPE_MAKERS = {"TypeVar", "ParamSpec", "NewType", "namedtuple"}


@pytest.mark.parametrize("module", list(MODULES))
def test_names_that_only_one_module_uses_are_private(module: str) -> None:
    """Classes that callers receive, or that a registry holds, are exempt; so are commands."""
    path = f"cleverdon.{module}"
    public = [name for name in _plain_names(TREES[module]) if not name.startswith("_")]
    found = {
        name
        for name in public
        if name not in EXPORTED | FOUND_BY_NAME
        and (path, name) not in _uses()
        and not _named_in_text(module, name)
        and f"{path}.{name}" not in DOCUMENTS
        and f"{path}:{name}" not in DOCUMENTS
        and not re.search(rf"from {re.escape(path)} import[^\n]*\b{name}\b", DOCUMENTS)
    }
    assert not found, "begin them with an underscore: no other module uses them"


def _plain_names(tree: ast.Module) -> Iterator[str]:
    """Yield module-level functions, constants, and classes without decorators or special bases."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if all(_last_name(one) in PLAIN_DECORATORS for one in node.decorator_list):
                yield node.name
        elif isinstance(node, ast.ClassDef):
            plain = all(_last_name(base) in PLAIN_BASES for base in node.bases)
            if plain and not node.decorator_list and not node.keywords:
                yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            made = node.value.func if isinstance(node.value, ast.Call) else None
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if made is None or _last_name(made) not in TYPE_MAKERS:
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


@cache
def _uses() -> set[tuple[str, str]]:
    """Return all pairs of a module and its name that another file imports or looks up."""
    found = set()
    tools = [
        path for folder in ("docs", "benchmarks", "tools") for path in (ROOT / folder).glob("*.py")
    ]
    others = {str(path): ast.parse(path.read_text(encoding="utf-8")) for path in tools}
    for module, tree in (*TREES.items(), *others.items()):
        known = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                if node.module != f"cleverdon.{module}":
                    found |= {(node.module, alias.name) for alias in node.names}
                known |= {
                    alias.asname or alias.name: f"{node.module}.{alias.name}"
                    for alias in node.names
                }
        found |= {
            (known[node.value.id], node.attr)
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in known
        }
    return found


def _named_in_text(module: str, name: str) -> bool:
    """Tell whether another module has the name in a string, as entry points and lazy imports do."""
    last = module.rpartition(".")[2]
    return any(
        re.search(rf"""["'.:]{name}["']|(>>>|\.\.\.) from \S+ import[^\n]*\b{name}\b""", text)
        for other, text in _texts().items()
        if other != module and last in text
    )


@cache
def _texts() -> dict[str, str]:
    return {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}
