"""Forks, pickles, and standard streams."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from cleverdon import Judgments, Run, evaluate

QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}


def _score(path: str) -> float:
    return evaluate(QRELS, path, "nDCG").mean("r", "nDCG")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_a_forked_child_can_evaluate(tmp_path: Path) -> None:
    # A child does not have its parent's threads, and would wait for them for ever.
    path = tmp_path / "r.run"
    Run.read(RUN).write(path)
    here = _score(str(path))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_score, (str(path),)).get(timeout=60) == here


def test_runs_and_judgments_are_pickled_whole() -> None:
    for rows in (Run.read(RUN, name="mine"), Judgments.read(QRELS)):
        again = pickle.loads(pickle.dumps(rows))
        assert (again.to_dict(), again.name) == (rows.to_dict(), rows.name)
        assert type(again) is type(rows)


@pytest.mark.skipif(os.name == "nt", reason="the shell's syntax")
def test_standard_input_is_read_from_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "in").write_text("a title, not a row\nq Q0 a 1 1 t\n")
    script = Path(sys.executable).parent / "cleverdon"
    command = f"(read line; {script} eval qrels - -m RR -f csv) < in"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("system,RR\nstdin,1.0\n", "")


@pytest.mark.skipif(os.name == "nt", reason="the shell's syntax")
def test_closed_standard_output_is_no_traceback(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "cleverdon"
    done = subprocess.run(["bash", "-c", f"{script} measures >&-"], capture_output=True, text=True)
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="the shell's syntax")
def test_closed_standard_error_leaves_the_output_alone(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "cleverdon"
    done = subprocess.run(["bash", "-c", f"{script} explain RR 2>&-"], capture_output=True)
    assert done.returncode == 0
    assert b"RR" in done.stdout


def test_hashing_ahead_is_waited_for_and_gives_the_same(tmp_path: Path) -> None:
    # This deadlocked within a few rounds when the hash ran on the thread pool.
    path = tmp_path / "run.txt"
    path.write_bytes(b"q Q0 a 1 1 t\n" * 400_000)
    program = (
        "import sys; from cleverdon import _core\n"
        "digests = set()\n"
        "for _ in range(40):\n"
        "    source = _core.Source(sys.argv[1])\n"
        "    source.hash_ahead()\n"
        "    digests.add(source.digest())\n"
        "digests.add(_core.Source(sys.argv[1]).digest())\n"
        "print(len(digests))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "1\n"


def test_python_dash_m() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "cleverdon", "--help"], capture_output=True, text=True, check=True
    )
    assert found.stdout.startswith("Usage: cleverdon ")


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """A command that evaluates a small run."""
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "a.run").write_text("q Q0 a 1 1.0 t\n")
    files = [str(tmp_path / name) for name in ("qrels.txt", "a.run")]
    return [sys.executable, "-m", "cleverdon", "eval", *files, "-m", "AP"]


def test_eval_ends_at_once_and_loses_nothing(small: list[str], tmp_path: Path) -> None:
    for command in (small, [*small, "--help"], [*small, "-f", "json"]):
        done = subprocess.run(command, capture_output=True, text=True)
        written = tmp_path / "written"
        with written.open("wb") as file:
            assert subprocess.run(command, stdout=file).returncode == 0
        assert done.returncode == 0
        assert len(done.stdout.splitlines()) > 2
        assert written.read_text() == done.stdout
    wrong = subprocess.run([*small, "-m", "nDGC"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert "cleverdon: error:" in wrong.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
def test_eval_says_that_its_output_could_not_be_written(small: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(small, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0
    assert "No space left" in done.stderr


def test_eval_calls_what_was_to_be_called_at_its_end(small: list[str]) -> None:
    program = (
        "import atexit, os, sys; from cleverdon.cli import run_process\n"
        "atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'], flush=True))\n"
        "run_process()"
    )
    for threads, given in (("1", {}), ("2", {"OPENBLAS_NUM_THREADS": "2"})):
        inherited = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
        done = subprocess.run(
            [sys.executable, "-c", program, *small[3:]],
            capture_output=True,
            text=True,
            env=inherited | given,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == threads
