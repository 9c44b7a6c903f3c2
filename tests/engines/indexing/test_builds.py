"""Costs that are known beforehand come out, within the errors that are stated."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import psutil
import pytest

from cleverdon.engines.indexing.builds import IndexingFailure, WatchOptions
from cleverdon.engines.indexing.measurement import index
from cleverdon.engines.indexing.results import Build
from tests.engines.indexing.conftest import WORKER, worker

LINUX = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="only Linux says in /proc what a process held, and has open",
)
INTERPRETER = 40e6
"""Python itself takes less memory than this."""
STARTS = 1.0
"""Seconds that starting Python takes at most, on a busy machine, in processor time."""


def built(command: str, collection: Path, **options: object) -> Build:
    (build,) = index(None, collection, command=command, repeat=1, **options).largest.builds
    return build


@LINUX
def test_memory_disk_and_processor_time_are_as_taken(collection: Path) -> None:
    wanted = {"memory": 150, "cpu": 0.2, "child": 0.2, "temporary": 20, "nameless": 10, "size": 5}
    build = built(worker(**wanted), collection)
    memory = build.amounts["index_memory"]
    # The most is held while the child runs.
    assert 150e6 <= memory.value <= 150e6 + 2 * INTERPRETER
    assert memory.more <= INTERPRETER
    cpu = build.amounts["index_cpu"]
    assert 0.4 <= cpu.value <= 0.4 + 2 * STARTS
    assert cpu.value == pytest.approx(
        build.amounts["cpu_user"].value + build.amounts["cpu_system"].value
    )
    assert build.amounts["index_time"].value >= 0.4
    assert build.amounts["index_size"].value == 5_000_000
    # Four bytes more where `tempfile` was just trying out its folder.
    assert build.amounts["disk_peak"].value == pytest.approx(30_000_000, abs=4)
    assert build.amounts["index_overhead"].value == pytest.approx(25_000_000, abs=4)
    assert build.amounts["index_ratio"].value == 5_000_000 / build.bytes
    assert (build.documents, build.bytes) == (10, 130)
    assert build.samples > 2  # more than at the start and at the end


@LINUX
def test_a_process_that_nobody_waits_for_counts_as_well(collection: Path) -> None:
    build = built(worker(orphan=0.2), collection)
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or ()  # those of other users cannot be seen
        if "hold=60" in words and str(WORKER) in words:
            process.kill()
    assert 0.2 <= build.amounts["index_cpu"].value <= 0.2 + 2 * STARTS
    assert build.amounts["index_cpu"].more > 0  # what it spends from then on is not known
    assert build.left == 1


def test_a_server_is_watched_where_it_is_named(collection: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "old").write_bytes(bytes(1000))
    command = f"cp {{input}} {data / 'new'}"
    watching = WatchOptions(servers=(os.getpid(),), folders=(str(data),))
    build = built(command, collection, watching=watching)
    lines = 10 * len('{"id": "d0", "title": "", "text": "text number 0"}\n')
    assert build.amounts["index_size"].value == pytest.approx(lines)
    assert build.amounts["index_memory"].value >= psutil.Process().memory_info().rss / 2


def test_a_command_that_fails_says_why(collection: Path, tmp_path: Path) -> None:
    with pytest.raises(IndexingFailure, match=r"exit code 3: first line \| the reason$"):
        index(None, collection, command=worker(exit=3), output=str(tmp_path / "index"))
    with pytest.raises(IndexingFailure, match=r"ended by SIGKILL; perhaps .* out of memory"):
        index(None, collection, command="sh -c 'kill -9 $$'")
    with pytest.raises(IndexingFailure, match=r"nothing at {output}, but next to it: index\.idx$"):
        index(None, collection, command="touch {output}.idx", output=str(tmp_path / "index"))
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.tsv"]


def test_the_index_of_a_command_goes_where_it_is_wanted(collection: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    index(None, collection, command="cp {input} {output}", output=str(output), repeat=2)
    assert len(output.read_text().splitlines()) == 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.tsv", "index"]


def test_lines_may_come_on_standard_input(collection: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    index(None, collection, command="sh -c 'cat > $0' {output}", output=str(output), repeat=1)
    assert output.read_text().startswith('{"id": "d0", "title": ""')
    other = tmp_path / "other"
    index(None, collection, command="cp {files} {output}", output=str(other), repeat=1)
    assert other.read_text() == collection.read_text()


SLOW = """
import time

class Engine:
    place = "half"

    def search(self, query, k):
        return []

    def index(self, documents):
        open("half", "w").close()
        time.sleep(60)
        open("late", "w").close()
"""


@pytest.mark.skipif(
    os.name == "nt", reason="Windows cannot send a signal to one thread, nor run sh"
)
@pytest.mark.filterwarnings(  # it may come while psutil has a file open, as Python itself warns
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("what", ["command", "engine"])
def test_an_interrupt_leaves_nothing_behind(
    what: str, collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow_engine.py").write_text(SLOW)
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    def interrupt() -> None:
        while not [path for path in tmp_path.rglob("*") if path.name == "half"]:
            time.sleep(0.01)
        # The system may have any thread take a signal; then nothing wakes up the one that waits.
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    if what == "command":
        # A child of the command works on, and half an index is there.
        command = "sh -c 'echo > $0; sleep 60 & sleep 60 && echo > late' {output}"
        measured = partial(index, None, collection, command=command, output="half")
    else:
        measured = partial(index, "python:slow_engine:Engine", collection)
    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        measured()
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert left == []
    names = {path.name for path in tmp_path.iterdir()} - {"__pycache__"}
    assert names == {"corpus.tsv", "slow_engine.py"}
