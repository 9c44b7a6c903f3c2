"""A project that is thrown away, open in a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from cleverdon.judging.project import Project, open_project
from tests import postgres
from tests.judging.projects import made_project


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder: copying it is quicker than making it again."""
    folder = tmp_path_factory.mktemp("made") / "project"
    made_project(folder).close()
    return folder


@pytest.fixture
def project(made_once: Path, tmp_path: Path) -> Iterator[Project]:
    copytree(made_once, tmp_path / "project")
    with open_project(tmp_path / "project") as opened:
        yield opened


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Path]:
    """Where a PostgreSQL server is, which nobody stops."""
    with postgres.server() as host:
        yield host


@pytest.fixture
def empty_postgresql(postgresql: Path) -> str:
    """The URL of a database in which there is nothing."""
    return postgres.empty_database(postgresql)
