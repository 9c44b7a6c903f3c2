"""The command as people run it: with its streams and exit code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import run_here

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cleverdon(tmp_path: Path) -> Command:
    """Runs `cleverdon` in an empty folder; the text of `stdin` is piped to it.

    What needs no process `alone` runs in this one.
    """
    script = Path(sys.executable).parent / "cleverdon"

    def run(
        *arguments: str, stdin: str = "", alone: bool = False
    ) -> subprocess.CompletedProcess[str]:
        if alone:
            return subprocess.run(
                [str(script), *arguments], cwd=tmp_path, input=stdin, capture_output=True, text=True
            )
        return run_here(arguments, tmp_path, stdin=stdin)

    return run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with judgments and two runs."""
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n3 0 d 0\n")
    (tmp_path / "good.run").write_text(
        "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 c 1 5 t\n3 Q0 d 1 1 t\n"
    )
    (tmp_path / "bad.run").write_text("1 Q0 b 1 2.0 t\n1 Q0 x 2 1.0 t\n9 Q0 c 1 5 t\n")
    return tmp_path
