"""Stop at any point, even in the middle of a line, and go on: nothing is lost, nothing differs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cleverdon._common.files import journal_exists
from cleverdon.data import Run
from cleverdon.errors import CleverdonError, InputError, OptionError
from cleverdon.pooling.adaptive.journal import begin_journal, read_start, resume_journal
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Limits
from cleverdon.pooling.adaptive.methods import known_methods
from cleverdon.pooling.contributions import gather
from tests.pooling.adaptive.made_up import systems

RUNS, GRADES = systems(count=3, queries=2, docs=30, depth=8)
FOUND = gather(RUNS)


HEADER = (
    b'{"format": "cleverdon judging 1", "method": "mtf", "parameters": {}, "seed": 0, "rel": 1, '
    b'"queries": null, "limits": {"budget": null}, "depth": null, '
    b'"systems": [{"name": "s0", "source": "", "digest": ""}]}'
)


def judge(judging: AdaptiveJudging, batch: int = 1, most: int = 10_000) -> None:
    for _ in range(most):
        if not (pairs := judging.next(batch)):
            return
        judging.judge_all((query, doc, GRADES[query][doc]) for query, doc in pairs)


def never_stopped(method: str, batch: int = 1) -> list[tuple[str, str]]:
    judging = AdaptiveJudging(FOUND, method, seed=5)
    judge(judging, batch)
    return judging.given


def whole(path: Path, method: str = "thompson", batch: int = 1, most: int = 10_000) -> bytes:
    """A journal of judging that came to its end."""
    with begin_journal(path, FOUND, method, seed=5) as judging:
        judge(judging, batch, most)
    return path.read_bytes()


@pytest.mark.parametrize("method", list(known_methods()))
def test_each_method_goes_on_as_if_nothing_had_been(tmp_path: Path, method: str) -> None:
    path = tmp_path / "judging.jsonl"
    whole(path, method, most=4)
    while True:
        with resume_journal(path, FOUND) as judging:
            judge(judging, most=5)
            if judging.tally.given == judging.tally.pooled:
                break
    assert judging.given == never_stopped(method)
    assert judging.grades == {
        query: {doc: GRADES[query][doc] for doc in FOUND.of(query).docs} for query in FOUND.queries
    }


@pytest.mark.parametrize("batch", [1, 5])
def test_cut_anywhere(tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a kill leaves it: after any byte behind the first line."""
    monkeypatch.setattr(os, "fsync", lambda file: None)  # thousands of them, and nothing is killed
    content = whole(tmp_path / "whole.jsonl", batch=batch, most=12 // batch)
    path = tmp_path / "judging.jsonl"
    expected = never_stopped("thompson", batch)
    head = content.index(b"\n") + 1
    for end in range(head, len(content), 11):
        path.write_bytes(content[:end])
        notes: list[str] = []
        with resume_journal(path, FOUND, notes=notes) as judging:
            torn = not content[:end].endswith(b"\n")
            assert bool(notes) == torn
            again = judging.waiting
            if again and batch == 1:
                assert next(judging) == again[0]
                judging.judge(*again[0], GRADES[again[0][0]][again[0][1]])
            judge(judging, batch)
        if batch == 1:
            assert judging.given == expected
        # In batches, one that is judged in part is filled up: others may follow, but none is lost.
        assert sorted(judging.given) == sorted(expected)
        assert not judging.waiting
        # The torn line is gone from the file as well.
        assert all(json.loads(line) for line in path.read_bytes().splitlines())


_SCRIPT = """
import json, os, signal, sys
from cleverdon.pooling.adaptive.journal import begin_journal as begin, resume_journal as resume
from cleverdon._common.files import Journal, journal_exists as exists
from cleverdon.pooling.contributions import gather

path, kills = sys.argv[1], json.loads(sys.argv[2])
runs, grades = json.load(open(sys.argv[3]))
found = gather(runs)
add = Journal.add

def go_on(writes, share):
    count = 0

    def add_and_die(self, entries):
        nonlocal count
        count += 1
        if count == writes:
            line = json.dumps(entries[0]).encode() + b"\\n"
            self.file.seek(0, os.SEEK_END)
            self.file.write(line[: round(len(line) * share)])
            os.kill(os.getpid(), signal.SIGKILL)
        add(self, entries)

    Journal.add = add_and_die
    how = resume(path, found) if exists(path) else begin(path, found, "thompson", seed=5)
    with how as judging:
        for query, doc in judging:
            judging.judge(query, doc, grades[query][doc])

ends = []
for writes, share in kills:
    child = os.fork()
    if not child:
        go_on(writes, share)
        os._exit(0)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""
"""Each kill is of a process of its own; they are forked, since Python is slow to start."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has neither SIGKILL nor fork")
def test_killed_again_and_again(tmp_path: Path) -> None:
    data, path = tmp_path / "data.json", tmp_path / "judging.jsonl"
    data.write_text(json.dumps([RUNS, GRADES]))
    # The first line itself is torn; then lines of documents and of judgments, at several places.
    kills = [(1, 0.5), (2, 0.3), (3, 0.99), (6, 0), (9, 0.5), (8, 1), (1000, 0)]
    command = [sys.executable, "-c", _SCRIPT, str(path), json.dumps(kills), str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout or "[]") == [-signal.SIGKILL] * 6 + [0], done
    with resume_journal(path, FOUND) as judging:
        assert judging.given == never_stopped("thompson")
        assert not judging.waiting


def test_changed_minds_and_limits_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    with begin_journal(path, FOUND, limits=Limits(budget=3)) as judging:
        query, doc = next(judging)
        judging.judge(query, doc, 0)
        judging.judge(query, doc, 2)
        judging.judge(query, doc, 2)  # says nothing new
        judging.limit(budget=9, patience=4)
    lines = [json.loads(line) for line in path.read_text().splitlines()[2:]]
    assert lines[:2] == [{"judged": [query, doc, 0]}, {"judged": [query, doc, 2]}]
    assert len(lines) == 3
    with resume_journal(path, FOUND) as judging:
        assert judging.grades == {query: {doc: 2}}
        assert judging.limits == Limits(budget=9, patience=4)


def test_runs_are_read_from_the_files_that_it_names(tmp_path: Path) -> None:
    files = {}
    for name, run in RUNS.items():
        files[name] = str(tmp_path / f"{name}.run")
        Run.read(run, name=name).write(files[name])
    path = tmp_path / "judging.jsonl"
    with begin_journal(path, gather(files, depth=5), "mtf") as judging:
        judge(judging, most=3)
        given = judging.given
    with resume_journal(path) as judging:
        assert judging.given == given
    with pytest.raises(InputError, match=r"\(down to rank 5\), and these are .* \(all results\)"):
        stopped(path, gather(files))
    Path(files["s1"]).write_text("q0 Q0 d1 1 1.0 other\n")
    advice = (
        r"begin another journal .*: cleverdon pool next NEW.jsonl RUNS --judged \S*judging.jsonl"
    )
    with pytest.raises(InputError, match=rf"judging.jsonl:1: the run 's1' is not what.*{advice}$"):
        stopped(path)
    os.unlink(files["s1"])
    with pytest.raises(InputError, match=rf"the run 's1', .*s1.run, is not there.*{advice}$"):
        stopped(path)


def test_runs_are_looked_for_beside_the_journal_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "judging"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, run in RUNS.items():
        Run.read(run, name=name).write(f"{name}.run")
    with begin_journal("judging.jsonl", gather({name: f"{name}.run" for name in RUNS})) as judging:
        judge(judging, most=3)
    monkeypatch.chdir(tmp_path)
    with resume_journal("judging/judging.jsonl") as again:
        assert again.given == judging.given
    # What is in the current folder comes first.
    Run.read(RUNS["s0"], name="s0").write("s1.run")
    with pytest.raises(InputError, match="the run 's1' is not what it was"):
        stopped(Path("judging/judging.jsonl"))


def stopped(path: Path, runs: Any = None, **how: Any) -> None:
    with resume_journal(path, runs, **how):
        pass


def test_another_method_or_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    whole(path, "mtf", most=2)
    with pytest.raises(OptionError, match="was begun with the method mtf, not hedge"):
        stopped(path, FOUND, method="hedge")
    with pytest.raises(InputError, match="which was in memory, is not there"):
        stopped(path)
    with pytest.raises(
        InputError, match=r"began with the runs s0, s1, s2 .* these are the runs s0, s1 "
    ):
        stopped(path, {name: RUNS[name] for name in ("s0", "s1")})
    with (
        pytest.raises(InputError, match="exists already"),
        begin_journal(path, FOUND, "mtf"),
    ):
        pass


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (1, b"{}", ":1: is not a journal of judging"),
        (1, b"q1 0 d1 1", ":1: is not a journal of judging"),
        (1, b'{"format": "cleverdon judging 9"}', ":1: is a file of 'cleverdon judging 9'"),
        (1, b'{"format": "cleverdon judging 1"}', ":1: the first line lacks depth, limits"),
        (1, HEADER.replace(b'"mtf"', b'"mtx"'), ":1: .*there is no method 'mtx'"),
        (1, HEADER.replace(b'"source"', b'"path"'), ":1: .*a system lacks its name, source"),
        (1, HEADER.replace(b'"budget"', b'"most"'), ":1: .*unexpected keyword"),
        (1, HEADER.replace(b'"rel": 1', b'"rel": "x"'), ":1: the journal is damaged"),
        (1, HEADER.replace(b'"seed": 0', b'"seed": -1'), ":1: .*seed=-1"),
        (1, HEADER.replace(b'"queries": null', b'"queries": 5'), ":1: the journal is damaged"),
        (3, b'{"judged": ["q0"', ":3: the journal is damaged here.*in JSON; put back a copy"),
        (3, b'{"judged": ["q0"', ":3: .* RUNS --judged .*judging.jsonl$"),
        (3, b'{"judged": ["q0", "d1", -1]}', ":3: .*is below 0"),
        (3, b"\x00\xff", ":3: the journal is damaged here.*in JSON"),
        (3, b'{"said": 1}', ':3: .*expected "given"'),
        (3, b'{"judged": ["q0", "d1"]}', ":3: the journal is damaged"),
        (3, b'{"judged": ["q0", "d1", "x"]}', ":3: .*the grade 'x'"),
        (2, b'{"given": [["q9", "d1"]]}', ":2: .*there is no query 'q9'"),
        (2, b'{"given": [["q0", "d999"]]}', ":2: .*would be given, not 'd999'"),
        (2, b'{"limits": {"budget": 0}}', ":2: .*budget=0"),
    ],
)
def test_a_damaged_line(tmp_path: Path, line: int, text: bytes, message: str) -> None:
    path = tmp_path / "judging.jsonl"
    lines = whole(path, most=4).splitlines()
    lines[line - 1] = text
    path.write_bytes(b"\n".join(lines) + b"\n")
    before = path.read_bytes()
    with pytest.raises(CleverdonError, match=message):
        stopped(path, FOUND)
    assert path.read_bytes() == before


def test_nothing_whole(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    with pytest.raises(InputError, match="cannot be opened: No such file"):
        stopped(path, FOUND)
    path.write_bytes(b'{"format": "clev')
    assert not journal_exists(path)
    with begin_journal(path, FOUND) as judging:  # what is left of a first line counts as nothing
        judge(judging, most=1)
    stopped(path, FOUND)
    with pytest.raises(InputError, match="cannot be opened"):
        stopped(tmp_path, FOUND)


@pytest.mark.parametrize("content", [b"q1 0 d1 1\nq1 0 d2 1", b"q1 0 d1 1", b"{}"])
def test_files_of_others_are_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a journal of judging"):
        stopped(path, FOUND)
    with pytest.raises(InputError, match="is not a journal of judging"), begin_journal(path, FOUND):
        pass
    assert path.read_bytes() == content


def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    with begin_journal(path, FOUND) as judging:
        judge(judging, most=1)
        with pytest.raises(InputError, match="another process is at work with this file"):
            stopped(path, FOUND)
        judge(judging, most=1)
    stopped(path, FOUND)


def test_how_it_began_is_known_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    limits = Limits(budget=3)
    with begin_journal(
        path, gather(RUNS, depth=4), "hedge(beta=0.2)", queries=["q1"], limits=limits
    ):
        pass
    with open(path, "ab") as file:
        file.write(b"damaged\n")
    start = read_start(path)
    assert str(start.method) == "hedge(beta=0.2)"
    assert (start.queries, start.limits, start.depth) == (("q1",), limits, 4)
    assert start.systems == FOUND.contributors
    with pytest.raises(InputError, match="cannot be opened"):
        read_start(tmp_path)


def test_the_name_of_queries_in_version_0_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "judging.jsonl"
    path.write_bytes(HEADER.replace(b'"queries": null', b'"topics": ["q1"]') + b"\n")
    assert read_start(path).queries == ("q1",)
