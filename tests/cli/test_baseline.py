"""--baseline, by the name of a run or by its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.cli.options import resolve_baseline
from tests.commands import Command

RUNS = "qrels.txt good.run bad.run"
COMMANDS = [
    f"compare {RUNS} -m AP -f csv",
    f"claim {RUNS} -m AP",
    f"slices {RUNS} -m AP --attributes topics.csv",
    f"power {RUNS} -m AP --test t",
    f"eval {RUNS} -m AP --risk 1",
    "collection diff qrels.txt second.txt good.run bad.run -m AP",
    "agree qrels.txt --model model=second.txt --runs good.run --runs bad.run -m AP",
]
WRITING = [f"report {RUNS} -m AP -o out.html", f"plot forest {RUNS} -m AP -o out.json"]


@pytest.fixture
def folder(files: Path) -> Path:
    (files / "topics.csv").write_text("topic,kind\n1,short\n2,short\n3,long\n")
    (files / "second.txt").write_text("1 0 a 0\n1 0 b 1\n2 0 c 1\n3 0 d 0\n")
    return files


@pytest.mark.parametrize("line", [*COMMANDS, *WRITING])
def test_a_baseline_can_be_given_by_its_file(cleverdon: Command, folder: Path, line: str) -> None:
    def run(baseline: str) -> tuple[str, bytes]:
        done = cleverdon(*line.split(), "--baseline", baseline)
        assert done.returncode == 0, done.stderr
        written = [file.read_bytes() for file in folder.glob("out.*")]
        return done.stdout, b"".join(written)

    named, by_file = run("bad"), run("bad.run")
    assert by_file[0] == named[0]
    if not line.startswith("report"):  # which has the time of writing
        assert by_file[1] == named[1]


@pytest.mark.parametrize("line", [*COMMANDS, *WRITING])
def test_a_file_that_is_no_run_is_unknown(cleverdon: Command, folder: Path, line: str) -> None:
    done = cleverdon(*line.split(), "--baseline", "other.run")
    assert done.returncode == 1
    assert "there is no system 'other.run'; it can be 'good', 'bad'" in done.stderr


def test_names_come_before_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    assert resolve_baseline(None, ("good.run",)) is None
    assert resolve_baseline("good.run", ("a=good.run", "good.run=bad.run")) == "good.run"
    assert resolve_baseline("a=good.run", ("a=good.run", "bad.run")) == "a"
    assert resolve_baseline("./good.run", ("bad.run", "good.run")) == "good"
    assert resolve_baseline("good.run", ("a=good.run", "b=good.run")) == "good.run"
    assert resolve_baseline("qrels.txt", ("good.run", "-")) == "qrels.txt"
