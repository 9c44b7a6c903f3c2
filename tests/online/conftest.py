"""The engines, each started once for all tests that are to give the same on every one of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ibis
import pytest

from tests.online.engines import postgres, spark


@pytest.fixture(scope="session")
def _spark() -> Iterator[Any]:
    with spark() as connection:
        yield connection


@pytest.fixture(scope="session")
def _postgres() -> Iterator[Any]:
    # Not below pytest's own folder, which only its owner may enter, and PostgreSQL is not root.
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        postgres(Path(folder)) as connection,
    ):
        yield connection


# Tests on Spark keep to one process: starting it takes longer than most of them.
@pytest.fixture(
    params=[
        "duckdb",
        pytest.param("spark", marks=pytest.mark.xdist_group("spark")),
        pytest.param("postgres", marks=pytest.mark.xdist_group("postgres")),
    ]
)
def engine(request: pytest.FixtureRequest) -> Any:
    """A connection to each engine in turn."""
    if request.param == "duckdb":
        return ibis.duckdb.connect()
    return request.getfixturevalue(f"_{request.param}")
