"""Indexing on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.commands import Command


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"d{n}\tdocument number {n}\n" for n in range(40)))
    return path.name


def test_a_table_of_one_size(cleverdon: Command, corpus: str, tmp_path: Path) -> None:
    done = cleverdon("index", "mine=sqlite:index.db", corpus, "--repeat", "1")
    assert done.returncode == 0
    heading, _, header, _, first = done.stdout.splitlines()[:5]
    assert heading == "40 documents, 710 B of text, 1 build"
    assert header.split()[:4] == ["quantity", "median", "least", "most"]
    assert first.startswith("wall time")
    size = (tmp_path / "index.db").stat().st_size
    assert f"{size / 1000:.3g} kB" in done.stdout
    assert "growth" not in done.stdout


def test_sizes_growth_plot_and_the_file_of_results(
    cleverdon: Command, corpus: str, tmp_path: Path
) -> None:
    done = cleverdon(
        *("index", "--command", "cp {input} {output}", corpus, "--name", "copy", "--repeat", "1"),
        *("--sizes", "4,12,all", "--at", "4000", "--json", "costs.json", "--plot", "growth.json"),
        *("-f", "csv", "--seed", "3"),
    )
    assert done.returncode == 0
    assert done.stdout.startswith("quantity,median,least,most,less,more,low,high\n")
    held = json.loads((tmp_path / "costs.json").read_text())
    assert (held["kind"], held["version"], held["system"]) == ("cleverdon index", 1, "copy")
    assert held["settings"]["sizes"] == [4, 12, 40]
    assert held["settings"]["command"] == "cp {input} {output}"
    (build,) = held["sizes"][2]["builds"]
    assert held["costs"]["index_size"]["value"] == build["index_size"]["value"]
    assert held["predictions"][0]["index_size"]["extrapolated"] is True
    drawn = json.loads((tmp_path / "growth.json").read_text())
    assert drawn["title"]["text"] == "What indexing takes by documents: copy"
    assert not list(tmp_path.glob("*index*"))  # no -o


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sqlite:index.db"], "there is no collection to index"),
        (
            ["sqlite:index.db", "corpus.tsv", "--sizes", "a"],
            "expected numbers of documents, as in 1000",
        ),
        (["sqlite:index.db", "corpus.tsv", "--at", "9"], "with --at, give at least three sizes"),
        (["sqlite:index.db", "corpus.tsv", "--sizes", "1,2,3", "--plot", "x.gif"], "'.gif'"),
        (
            [
                *("sqlite:index.db", "corpus.tsv", "--sizes", "1,2,3"),
                *("--plot", "x.json", "--json", "x.json"),
            ],
            "x.json would be written twice",
        ),
        (["--command", "wc {files}", "-"], "{files} is there for files"),
        (["sqlite:index.db", "nothing.tsv"], "nothing.tsv: there is no such collection"),
        (["sqlite:index.db", "corpus.tsv", "-o", "x"], "an engine has its own place"),
        (["command:cat", "corpus.tsv"], "cannot index"),
        (["corpus.tsv", "corpus.tsv"], "'corpus.tsv' is not an engine"),
        (["--command", "sh -c 'echo why >&2; exit 4'", "corpus.tsv"], "sh ended with exit code 4"),
        (["--command", "true", "corpus.tsv", "--pid", "99999999"], "no process 99999999"),
        (["sqlite:corpus.tsv", "corpus.tsv"], "corpus.tsv"),
    ],
)
def test_errors(cleverdon: Command, corpus: str, arguments: list[str], message: str) -> None:
    done = cleverdon("index", *arguments)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither SIGHUP nor SIGTERM")
@pytest.mark.parametrize("numbers", [["SIGHUP"], ["SIGTERM"], ["SIGINT", "SIGINT"]], ids="-".join)
def test_signals_end_all_of_it(corpus: str, tmp_path: Path, numbers: list[str]) -> None:
    script = Path(sys.executable).parent / "cleverdon"
    # It does not end when it is asked to, and notes that it was.
    slow = "sh -c 'trap \"echo > $0.asked\" TERM; echo > $0; while :; do sleep 61; done' {output}"
    process = subprocess.Popen(
        [script, "index", "--command", slow, corpus, "-o", "index"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    started = []
    for number, made in zip(numbers, ("index", "index.asked"), strict=False):
        while process.poll() is None and not list(tmp_path.glob(f".index.*/{made}")):
            time.sleep(0.01)
        started = started or psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.Signals[number])
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.Signals[numbers[0]]
    assert b"Traceback" not in said
    assert started
    assert not any(one.is_running() and one.status() != "zombie" for one in started)
    assert [path.name for path in tmp_path.iterdir()] == [corpus]
