"""The command in this process: starting Python takes ten times as long as most commands do."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from cleverdon.cli import main


def run_here(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What `cleverdon` says to these arguments in a folder: its streams and its exit code."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "12")
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["cleverdon", *arguments])
        try:
            main()
        except SystemExit as exit:
            code = exit.code
    said = [stream.buffer.getvalue().decode() for stream in (output, errors)]
    return subprocess.CompletedProcess(list(arguments), int(code or 0), *said)
