"""Costs that are known beforehand come out, within the errors that are stated."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from cleverdon.engine.indexing.building import IndexingFailure, Watching
from cleverdon.engine.indexing.measuring import measure_command
from cleverdon.engine.indexing.records import Build
from tests.engine.indexing.conftest import WORKER, worker

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
INTERPRETER = 40e6
"""Python itself takes less memory than this."""
STARTS = 1.0
"""Seconds that starting Python takes at most, on a busy machine, in processor time."""


def built(command: str, collection: Path, **options: object) -> Build:
    (build,) = measure_command(command, collection, repeat=1, **options).largest.builds
    return build


@LINUX
def test_memory_disk_and_processor_time_are_as_taken(collection: Path) -> None:
    wanted = {"memory": 150, "cpu": 0.3, "child": 0.3, "temporary": 20, "nameless": 10, "size": 5}
    build = built(worker(**wanted, hold=0.2), collection)
    memory = build.amounts["index_memory"]
    # The most is held while the child runs.
    assert 150e6 <= memory.value <= 150e6 + 2 * INTERPRETER
    assert memory.more <= INTERPRETER
    cpu = build.amounts["index_cpu"]
    assert 0.6 <= cpu.value <= 0.6 + 2 * STARTS
    assert cpu.value == pytest.approx(
        build.amounts["cpu_user"].value + build.amounts["cpu_system"].value
    )
    assert build.amounts["index_time"].value >= 0.8
    assert build.amounts["index_size"].value == 5_000_000
    assert build.amounts["disk_peak"].value == 30_000_000
    assert build.amounts["index_overhead"].value == 25_000_000
    assert build.amounts["index_ratio"].value == 5_000_000 / build.bytes
    assert (build.documents, build.bytes) == (10, 130)
    assert build.samples > 10


@LINUX
def test_a_process_that_nobody_waits_for_counts_as_well(collection: Path) -> None:
    build = built(worker(orphan=0.3, hold=0.2), collection)
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or ()  # those of other users cannot be seen
        if "hold=60" in words and str(WORKER) in words:
            process.kill()
    assert 0.3 <= build.amounts["index_cpu"].value <= 0.3 + 2 * STARTS
    assert build.amounts["index_cpu"].more > 0  # what it spends from then on is not known
    assert build.left == 1


def test_a_server_is_watched_where_it_is_named(collection: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "old").write_bytes(bytes(1000))
    command = f"cp {{input}} {data / 'new'}"
    watching = Watching(servers=(os.getpid(),), folders=(str(data),))
    build = built(command, collection, watching=watching)
    lines = 10 * len('{"id": "d0", "title": "", "text": "text number 0"}\n')
    assert build.amounts["index_size"].value == pytest.approx(lines)
    assert build.amounts["index_memory"].value >= psutil.Process().memory_info().rss / 2


def test_a_command_that_fails_says_why(collection: Path, tmp_path: Path) -> None:
    with pytest.raises(IndexingFailure, match=r"exit code 3: first line \| the reason$"):
        measure_command(worker(exit=3), collection, output=str(tmp_path / "index"))
    with pytest.raises(IndexingFailure, match=r"ended by SIGKILL; perhaps .* out of memory"):
        measure_command("sh -c 'kill -9 $$'", collection)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.tsv"]


def test_the_index_of_a_command_goes_where_it_is_wanted(collection: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    measure_command("cp {input} {output}", collection, output=str(output), repeat=2)
    assert len(output.read_text().splitlines()) == 10
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.tsv", "index"]


def test_lines_may_come_on_standard_input(collection: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    measure_command("sh -c 'cat > $0' {output}", collection, output=str(output), repeat=1)
    assert output.read_text().startswith('{"id": "d0", "title": ""')
    other = tmp_path / "other"
    measure_command("cp {files} {output}", collection, output=str(other), repeat=1)
    assert other.read_text() == collection.read_text()


def test_an_interrupt_leaves_nothing_behind(collection: Path, tmp_path: Path) -> None:
    output = tmp_path / "index"
    # A child of the command works on, and half an index is there.
    command = "sh -c 'echo half > $0; sleep 60 & sleep 60' {output}"

    def interrupt() -> None:
        while not list(tmp_path.glob(".index.*")):
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    with pytest.raises(KeyboardInterrupt):
        measure_command(command, collection, output=str(output))
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert left == []
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.tsv"]
