"""Fixtures for tests of commands, and settings of hypothesis, numpy's threads and Ctrl-C.

The profile `ci` is the default: the same few cases every time. To search for new cases:

    HYPOTHESIS_PROFILE=fuzz pytest tests/differential
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.commands import Command, run_here

# Matrices are small here, and all cores are busy: threads of OpenBLAS would wait for each other,
# which takes up to half of a test's time. OpenBLAS reads this when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell without job control starts background processes with SIGINT ignored, and child processes
# inherit that. Some tests send SIGINT.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Drawing a collection takes long, which is no property of Cleverdon.
_SLOW_DRAWS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile(
    "ci",
    max_examples=12,  # `make fuzz` uses many more
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=_SLOW_DRAWS,
)
settings.register_profile(
    "fuzz",
    max_examples=5000,
    derandomize=False,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW_DRAWS,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def cleverdon(tmp_path: Path) -> Command:
    """Return a function that runs `cleverdon` in an empty folder; `stdin` is piped to it.

    With `alone`, the command runs in a process of its own.
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
    """Write judgments and two runs into a folder."""
    (tmp_path / "qrels.txt").write_text("1 0 a 2\n1 0 b 0\n2 0 c 1\n3 0 d 0\n")
    (tmp_path / "good.run").write_text(
        "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 c 1 5 t\n3 Q0 d 1 1 t\n"
    )
    (tmp_path / "bad.run").write_text("1 Q0 b 1 2.0 t\n1 Q0 x 2 1.0 t\n9 Q0 c 1 5 t\n")
    return tmp_path
