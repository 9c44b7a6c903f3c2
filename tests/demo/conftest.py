"""One demo for all the tests here: building it is most of what they would spend their time on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cleverdon.demo.collection import (
    DemoDocument,
    DemoQuery,
    choose_queries,
    collect_documents,
    import_modules,
)
from cleverdon.demo.experiment import Demo, write_demo


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
    demo = write_demo(directory, progress=lambda step, *_: said.append(step))
    return Written(directory=directory, demo=demo, said=tuple(said))


@pytest.fixture(scope="session")
def documents() -> tuple[DemoDocument, ...]:
    return collect_documents(import_modules().modules)


@pytest.fixture(scope="session")
def queries(documents: tuple[DemoDocument, ...]) -> tuple[DemoQuery, ...]:
    return choose_queries(documents)
