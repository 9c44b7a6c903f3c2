"""One demo for all the tests here: building it is most of what they would spend their time on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cleverdon.demo import Demo, write_demo
from cleverdon.demo.documents import Document, collect_documents
from cleverdon.demo.modules import import_modules
from cleverdon.demo.topics import Topic, choose_topics


@dataclass(frozen=True)
class Written:
    """The demo, and the lines that were said while it was written."""

    directory: Path
    demo: Demo
    said: tuple[str, ...]


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    directory = tmp_path_factory.mktemp("demo")
    said: list[str] = []
    demo = write_demo(directory, progress=said.append)
    return Written(directory=directory, demo=demo, said=tuple(said))


@pytest.fixture(scope="session")
def documents() -> tuple[Document, ...]:
    return collect_documents(import_modules().modules)


@pytest.fixture(scope="session")
def topics(documents: tuple[Document, ...]) -> tuple[Topic, ...]:
    return choose_topics(documents)
