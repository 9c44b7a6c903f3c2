"""A small collection, and a command whose costs are known."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")


def worker(**wanted: float) -> str:
    """The command that takes so much."""
    words = [sys.executable, "-S", str(WORKER), "{output}"]
    return shlex.join([*words, *(f"{name}={value}" for name, value in wanted.items())])


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Ten documents of 13 bytes each."""
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"d{n}\ttext number {n}\n" for n in range(10)))
    return path
