"""The line that suggests the next step: a command that works, and only where somebody sees it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from cleverdon.cli import declarations, hints
from tests.commands import run_here
from tests.transcript.inputs import fill

FILES = "examples/qrels.txt examples/bm25.run examples/dense.run"
JUDGING = "--queries made/topics.tsv --documents made/docs.jsonl"
POOL = "pool make made/a.run made/b.run -k 3 -o pool.tsv"
INIT = f"judge init new {JUDGING} --runs made/a.run made/b.run"
TRIED = f"""\
eval {FILES} -m AP -m nDCG@10 --ties ascending -f json
    compare {FILES} -m AP -m nDCG@10
eval examples/qrels.txt examples/bm25.run
    eval examples/qrels.txt examples/bm25.run --per-query
eval 'R N | R' -m AP
    eval 'R N | R'
compare {FILES} --baseline bm25 -m AP --sort AP
    claim {FILES} -m AP --baseline bm25
claim {FILES} -m AP --margin 0.1
    report {FILES} -m AP
slices {FILES} --attributes examples/topics.csv --by language -m AP
    claim {FILES} -m AP
check examples/bm25.run --qrels examples/qrels.txt
    eval examples/qrels.txt examples/bm25.run
measures nDCG
    explain nDCG
splits {FILES} --difficulty AP --folds 3 -o folds.json
    tune {FILES} --folds folds.json
search 'command:cat made/a.run' made/topics.tsv -o found.run
    check found.run
{POOL} {JUDGING}
    judge init judging {JUDGING} --pool pool.tsv
{POOL} && pool qrels pool.tsv made/graded.tsv -o pooled.txt
    collection stats pooled.txt
{INIT}
    judge serve new
{INIT} && judge people new --add ann
    judge status new
{INIT} && judge people new --add ann && judge assign new
    judge status new
{INIT} && judge import new made/qrels.txt --judge trec
    judge status new
{INIT} && judge backup new -o new.zip && judge restore new.zip other
    judge serve other
agree examples/labels.csv -c kappa
    agree examples/labels.csv -c kappa --disagreements 10
agree examples/labels.csv -c kappa --aggregate majority -o one.txt
    collection stats one.txt
collection merge made/one.qrels made/energy.qrels -o all.txt
    collection stats all.txt
collection filter examples/qrels.txt --query q1 -o some.txt
    collection stats some.txt
collection subset examples/qrels.txt --share 0.5 -o some.txt
    collection stats some.txt
logs generate week --events 200
    logs check week
logs check log --without-bots
    logs metrics log --without-bots
logs metrics log -m PageCTR
    logs report log
logs abtest log --control A
    logs report log --control A
"""
"""Commands, of which the last one suggests the next, and how that begins."""


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_wants_hints", lambda context: True)


def last_words(said: str) -> str:
    *_, last = said.splitlines() or [""]
    return last.removeprefix("Next: cleverdon ") if last.startswith("Next: ") else ""


CASES = [tuple(case.split("\n    ")) for case in re.split(r"\n(?=\S)", TRIED.strip())]


@pytest.mark.parametrize(("before", "expected"), CASES)
@pytest.mark.usefixtures("shown")
def test_the_next_step_works(before: str, expected: str, tmp_path: Path) -> None:
    if any(step.startswith("judge ") for step in (*before.split(" && "), expected)):
        pytest.importorskip("sqlalchemy", reason="the judging app needs the extra web")
    fill(tmp_path, shlex.split(f"{before} made/a.run many/docs.jsonl examples/qrels.txt"))
    for command in before.split(" && "):
        done = run_here(shlex.split(command), tmp_path)
        assert done.returncode == 0, done.stderr
    following = last_words(done.stderr)
    assert following.startswith(expected)
    words = shlex.split(following)
    if words[:2] == ["judge", "serve"]:
        words.append("--help")  # it would serve until somebody stops it
    if words == ["logs", "report", "log"]:
        words.append("--help")  # reports take long, and that of another step is written
    after = run_here(words, tmp_path)
    assert after.returncode == 0, after.stderr


def test_every_hint_is_tried() -> None:
    tried = [before.rpartition(" && ")[2] for before, _ in CASES]
    for name in hints._STEPS:
        assert any(command.startswith(f"{name} ") for command in tried), name


@pytest.mark.parametrize(
    "command",
    [
        "eval - examples/bm25.run < examples/qrels.txt",
        f"eval {FILES} --output scores.csv --baseline bm25 -q --sort AP -m AP --weights x",
        "claim examples/qrels.txt examples/none.run",
    ],
)
@pytest.mark.usefixtures("shown")
def test_no_hint_where_it_could_not_work(command: str, tmp_path: Path) -> None:
    fill(tmp_path, shlex.split(f"{command} {FILES}"))
    words, _, file = command.partition(" < ")
    stdin = (tmp_path / file).read_text() if file else ""
    assert "Next:" not in run_here(shlex.split(words), tmp_path, stdin=stdin).stderr


def on_a_terminal(words: list[str], folder: Path, **environment: str) -> str:
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "cleverdon", *words],
        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, **environment},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # how Linux reports the end
            break
        if not part:
            break
        said += part
    done.wait()
    os.close(ours)
    return said.decode()


def test_hints_are_for_terminals_and_can_be_turned_off(tmp_path: Path) -> None:
    words = ["measures", "nDCG"]
    assert "Next: cleverdon explain nDCG" in on_a_terminal(words, tmp_path)
    assert "Next:" not in on_a_terminal(["--no-hints", *words], tmp_path)
    assert "Next:" not in on_a_terminal(words, tmp_path, CLEVERDON_HINTS="0")
    assert run_here(words, tmp_path).stderr == ""
