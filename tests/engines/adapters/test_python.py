from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cleverdon.engines.adapters.python import Python
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Document, Results
from cleverdon.errors import InputError, OptionError

_MODULE = """
from cleverdon.engines.protocol import Engine

def search(query, k):
    return [(f"{query}{n}", k - n) for n in range(k)]

async def search_async(query, k):
    return {query: 1}

def one_argument(query):
    return []

class Searcher:
    def search(self, query, k):
        return [("object", 1)]

class Needy:
    def __init__(self, file):
        pass

class Whole(Engine):
    in_process = True
    indexed = 0

    async def search(self, query, k):
        return [("engine", float(self.indexed))]

    in_batches = True

    async def search_all(self, queries, k):
        return {query: [("batch", 1.0)] for query in queries}

    def index(self, documents):
        self.indexed = len(list(documents))

    def size(self):
        return 7

made = Searcher()
number = 7
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    (tmp_path / "a_retriever.py").write_text(_MODULE)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("a_"):
            del sys.modules[name]


def found(name: str) -> Results:
    engine = open_engine(f"python:{name}")

    async def ask() -> Results:
        async with engine:
            return await engine.search("x", 2)

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a_retriever:search", [("x0", 2.0), ("x1", 1.0)]),
        ("a_retriever:search_async", [("x", 1.0)]),
        ("a_retriever:Searcher", [("object", 1.0)]),
        ("a_retriever:made", [("object", 1.0)]),
        ("a_retriever:made.search", [("object", 1.0)]),
        ("a_retriever:Whole", [("engine", 0.0)]),
    ],
)
def test_functions_objects_and_classes(folder: Path, name: str, expected: Results) -> None:
    assert found(name) == expected


def test_an_engine_keeps_all_that_it_can(folder: Path) -> None:
    engine = Python(function="a_retriever:Whole", name="mine")
    engine.index([Document("d1", "", "")])
    assert asyncio.run(engine.search("x", 1)) == [("engine", 1.0)]
    assert engine.size() == 7
    assert engine.in_process
    assert engine.in_batches
    assert asyncio.run(engine.search_all({"q1": "x"}, 1)) == {"q1": [("batch", 1.0)]}
    assert engine.set_concurrency(3) == 3
    assert engine.name == "mine"
    assert engine.settings == {"kind": "python", "function": "a_retriever:Whole"}
    plain = Python(function="a_retriever:search")
    assert plain.name == "search"
    assert plain.size() is None
    with pytest.raises(OptionError, match="search cannot index"):
        plain.index([])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a_retriever", "expected MODULE:FUNCTION"),
        (":search", "expected MODULE:FUNCTION"),
        ("a_retriever:", "expected MODULE:FUNCTION"),
        ("a_retriever.py:search", r"without folders and \.py"),
        ("a_retreiver:search", "there is no module 'a_retreiver', in the current folder"),
        ("a_retriever.inner:search", "there is no module 'a_retriever.inner'"),
        ("a_retriever:serch", "has no 'serch'; did you mean 'search'"),
        ("a_retriever:one_argument", r"one_argument\(query\) cannot be called as search\(query, k"),
        ("a_retriever:number", "is not a search engine"),
    ],
)
def test_what_is_not_there(folder: Path, name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        open_engine(f"python:{name}")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\n1 / 0\n", r"a_broken\.py:2: a_broken failed when it was imported: ZeroDivision"),
        ("import sys\nsys.exit(2)\n", r"a_broken\.py:2: a_broken failed .* SystemExit: 2"),
        ("def f(:\n", r"a_broken\.py:1: a_broken failed when it was imported: SyntaxError"),
        ("\nimport no_such_library\n", r"a_broken\.py:2: a_broken needs the module 'no_such_lib"),
    ],
)
def test_modules_that_cannot_be_imported(folder: Path, code: str, message: str) -> None:
    (folder / "a_broken.py").write_text(code)
    with pytest.raises(InputError, match=message):
        open_engine("python:a_broken:search")


def test_a_class_that_wants_more(folder: Path) -> None:
    with pytest.raises(InputError, match="a Needy cannot be made without arguments: TypeError"):
        open_engine("python:a_retriever:Needy")
