"""Run commands in this process: starting Python takes ten times as long as most commands."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from threading import Thread
from typing import TextIO

import pytest

from cleverdon.cli import main

Command = Callable[..., subprocess.CompletedProcess[str]]


@contextmanager
def _piped(text: str) -> Iterator[TextIO]:
    """Replace standard input with a pipe that has this text, for Rust and for Python."""
    reading, writing = os.pipe()
    writer = Thread(target=_write, args=(writing, text.encode()))
    before = os.dup(0)
    os.dup2(reading, 0)
    os.close(reading)
    writer.start()
    try:
        with open(0, encoding="utf-8", closefd=False) as stream:
            yield stream
    finally:
        os.dup2(before, 0)  # closes the pipe's last reader, if some text was not read
        os.close(before)
        writer.join()


def _write(pipe: int, text: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as stream:
        stream.write(text)


def run_here(
    arguments: Sequence[str], folder: Path, *, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `cleverdon` with these arguments in a folder; return its streams and its exit code."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "12")
    with (
        pytest.MonkeyPatch.context() as patch,
        _piped(stdin) as standard_input,
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        patch.chdir(folder)
        patch.setattr(sys, "stdin", standard_input)
        patch.setattr(sys, "argv", ["cleverdon", *arguments])
        try:
            main()
        except SystemExit as exit:
            code = exit.code
    said = [stream.buffer.getvalue().decode() for stream in (output, errors)]
    return subprocess.CompletedProcess(list(arguments), int(code or 0), *said)
