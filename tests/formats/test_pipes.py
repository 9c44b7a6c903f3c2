"""Standard input and named pipes: packed or not, redirected or not, and Ctrl-C while waiting."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from cleverdon import Run
from tests.formats.ways import RUN, RUNS, run_lines, zstd

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")

READ = """
import json, sys
from cleverdon import Run
print(json.dumps(Run.read(sys.argv[1]).to_dict()))
"""
TEXT = "".join(run_lines()).encode()


def read_in_a_process(path: str, **options: object) -> dict[str, dict[str, float]]:
    done = subprocess.run(
        [sys.executable, "-c", READ, path],
        capture_output=True,
        check=True,
        timeout=30,
        **options,  # type: ignore[call-overload]
    )
    nested: dict[str, dict[str, float]] = json.loads(done.stdout)
    return nested


@pytest.mark.parametrize(
    "content",
    [TEXT, gzip.compress(TEXT), zstd(TEXT), json.dumps(RUN).encode()],
    ids=["plain", "gzip", "zstd", "json"],
)
def test_standard_input(content: bytes, tmp_path: Path) -> None:
    assert read_in_a_process("-", input=content) == RUN
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as redirected:
        assert read_in_a_process("-", stdin=redirected) == RUN


def test_parquet_through_a_pipe(tmp_path: Path) -> None:
    content = RUNS["parquet"](tmp_path).read_bytes()
    assert read_in_a_process("-", input=content) == RUN


def test_the_name_in_messages() -> None:
    failed = subprocess.run(
        [sys.executable, "-c", READ, "-"], input=b"q Q0 d 1 abc t\n", capture_output=True
    )
    assert b"InputError: standard input:1:10: the score 'abc' is not a number" in failed.stderr
    failed = subprocess.run([sys.executable, "-c", READ, "-"], input=b"", capture_output=True)
    assert b"InputError: standard input: is empty" in failed.stderr


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


def feed(path: Path, *pieces: bytes, pause: float = 0.0) -> threading.Thread:
    def write() -> None:
        with path.open("wb") as pipe:
            for piece in pieces:
                pipe.write(piece)
                pipe.flush()
                time.sleep(pause)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT)], ids=["plain", "gzip"])
def test_named_pipes(content: bytes, fifo: Path) -> None:
    """What a shell makes of <(zcat run.gz)."""
    writer = feed(fifo, *(content[i : i + 7] for i in range(0, len(content), 7)), pause=0.001)
    assert Run.read(fifo).to_dict() == RUN
    writer.join()


def test_a_large_pipe(fifo: Path) -> None:
    rows = [b"q%d Q0 d%d 1 %d t\n" % (i % 3, i, i) for i in range(200_000)]
    writer = feed(fifo, b"".join(rows))
    run = Run.read(fifo)
    writer.join()
    assert (len(run), run.queries) == (200_000, ["q0", "q1", "q2"])
    assert run["q1"]["d199999"] == 199_999


INTERRUPTED = """
import sys
from cleverdon import Run, evaluate
print("ready", flush=True)
try:
    if sys.argv[2] == "read":
        Run.read(sys.argv[1])
    else:
        evaluate({"q": {"d": 1}}, sys.argv[1])
except KeyboardInterrupt:
    sys.exit(42)
"""


def interrupted(path: str, how: str, *, given: bytes) -> int | None:
    """The exit code of a process that waits for a pipe and gets Ctrl-C; None if it waits on."""
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, path, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdout.readline()
        process.stdin.write(given)
        process.stdin.flush()
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        return process.wait(timeout=3)
    except subprocess.TimeoutExpired:
        return None
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


@pytest.mark.parametrize("how", ["read", "evaluate"])
@pytest.mark.parametrize(
    "given",
    [b"q Q0 d 1 1 t\n" * 3, b"".join(b"q%d Q0 d 1 1 t\n" % i for i in range(50_000))],
    ids=["after a little", "after much"],
)
def test_ctrl_c_while_a_pipe_is_open(given: bytes, how: str) -> None:
    assert interrupted("-", how, given=given) == 42


def test_ctrl_c_before_anything_comes() -> None:
    assert interrupted("-", "read", given=b"") == 42


def test_ctrl_c_before_a_named_pipe_is_opened(fifo: Path) -> None:
    assert interrupted(str(fifo), "read", given=b"") == 42
