"""A small collection, an index of it, and a search service over that."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cleverdon.engines.protocol import Document
from tests.engines.service import Service, serving, write_index

_TEXT = (
    "apple bread cheese date egg fig grape honey ice jam kale lemon mint nut olive pear quince rice"
    " sugar tea walnut yeast"
)
_WORDS = _TEXT.split()


@pytest.fixture(scope="session")
def documents() -> tuple[Document, ...]:
    """Two hundred recipes of few words, so that scores differ and some are equal."""
    chance = random.Random(8)
    return tuple(
        Document(
            id=f"d{number:03}",
            title=" ".join(chance.sample(_WORDS, 2)),
            text=" ".join(chance.choices(_WORDS, k=chance.randint(5, 30))),
        )
        for number in range(200)
    )


@pytest.fixture(scope="session")
def topics() -> dict[str, str]:
    """Twenty queries, each with an answer."""
    chance = random.Random(9)
    return {f"q{number:02}": " ".join(chance.sample(_WORDS, 3)) for number in range(1, 21)}


@pytest.fixture(scope="session")
def index_file(tmp_path_factory: pytest.TempPathFactory, documents: tuple[Document, ...]) -> Path:
    """The documents in SQLite FTS5, as `fts5(id UNINDEXED, title, text)`."""
    path = tmp_path_factory.mktemp("engine") / "index.db"
    write_index(path, documents)
    return path


@pytest.fixture(scope="session")
def service(index_file: Path) -> Iterator[Service]:
    """A service that never fails; its URL is `service.url`, the search at /search?q=...&k=..."""
    with serving(index_file) as running:
        yield running


@pytest.fixture
def start_service(index_file: Path) -> Iterator[Callable[..., Service]]:
    """Starts services that fail as told: `start_service("--fail-every", "3")`. They end with it."""
    with ExitStack() as stack:
        yield lambda *options: stack.enter_context(serving(index_file, *options))
