"""A project that is thrown away, open in a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cleverdon.assess.project import Project
from tests.assess.making import made_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with made_project(tmp_path / "project") as made:
        yield made
