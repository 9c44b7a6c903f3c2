"""Digests of files: computed when somebody asks, and unknown if the file has changed since."""

from __future__ import annotations

import json
import os
import pickle
from dataclasses import asdict
from pathlib import Path

import pytest
from click.testing import CliRunner

import cleverdon
from cleverdon import Judgments, Run, _core
from cleverdon._common.digests import UNKNOWN, PendingDigest, digest_of, same_file
from cleverdon.cli import cleverdon as command

QRELS = "q 0 a 1\nq 0 b 0\n"
RUN = "q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose digests were computed."""
    found: list[str] = []
    compute = PendingDigest.compute

    def note(pending: PendingDigest) -> str:
        found.append(Path(pending._path).name)
        return compute(pending)

    monkeypatch.setattr(PendingDigest, "compute", note)
    return found


def _change(path: Path, how: str) -> None:
    before = path.stat()
    if how == "deleted":
        path.unlink()
    elif how == "longer":
        path.write_text(path.read_text() + "q Q0 c 3 1 t\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif how == "written again":
        path.write_text(path.read_text())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    else:  # another file of the same size and time
        other = path.with_suffix(".new")
        other.write_text(path.read_text())
        os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
        os.replace(other, path)


def test_nobody_asks_where_scores_are_printed(
    files: tuple[Path, Path], computed: list[str]
) -> None:
    scores = cleverdon.evaluate(*files, ["AP", "RR"], bounds=True, keep=1)
    assert "AP" in str(scores)
    assert scores.to_csv()
    Judgments.read(files[0]).noting(docs=5)
    assert CliRunner().invoke(command, ["eval", *map(str, files)]).exit_code == 0
    assert computed == []
    about = scores.about
    assert about.runs["a"].digest == _core.Source(str(files[1])).digest()
    assert about.runs["a"].digest == Run.read(files[1]).digest
    assert computed == ["a.run", "a.run"]  # the first is computed once
    assert about.qrels_digest == _core.Source(str(files[0])).digest()


def test_json_has_the_digests(files: tuple[Path, Path]) -> None:
    done = CliRunner().invoke(command, ["eval", *map(str, files), "--format", "json"])
    about = json.loads(done.stdout)["about"]
    assert about["qrels_digest"] == _core.Source(str(files[0])).digest()
    assert about["runs"]["a"]["digest"] == _core.Source(str(files[1])).digest()


@pytest.mark.parametrize("how", ["deleted", "longer", "written again", "replaced"])
def test_unknown_if_the_file_has_changed(files: tuple[Path, Path], how: str) -> None:
    scores = cleverdon.evaluate(*files, "AP")
    _change(files[1], how)
    about = json.loads(scores.render("json"))["about"]
    assert about["runs"]["a"]["digest"] == UNKNOWN == "unknown"
    assert len(about["qrels_digest"]) == 64


def test_a_digest_that_was_computed_stays(files: tuple[Path, Path]) -> None:
    run = Run.read(files[1])
    before = run.digest
    _change(files[1], "deleted")
    assert run.digest == before


def test_the_current_folder_may_change(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files[1].parent)
    run = Run.read("a.run")
    monkeypatch.chdir("/")
    assert len(run.digest) == 64


def test_a_part_of_a_comparison_asks_no_earlier(
    files: tuple[Path, Path], computed: list[str]
) -> None:
    other = files[1].with_name("b.run")
    other.write_text(RUN.replace("2.5", "0.5"))
    scores = cleverdon.evaluate(files[0], [files[1], other], ["AP", "RR"])
    str(cleverdon.compare(scores, correction="none"))
    assert computed == []


def test_copies_have_the_digest(files: tuple[Path, Path]) -> None:
    about = cleverdon.evaluate(*files, "AP").about
    again = pickle.loads(pickle.dumps(about))
    assert asdict(again) == asdict(about)
    changed = about.replace(queries=7)
    assert (changed.queries, changed.qrels_digest) == (7, about.qrels_digest)


def test_a_pipe_has_its_digest_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    if os.fork() == 0:
        pipe.write_text(RUN)
        os._exit(0)
    source = _core.Source(str(pipe))
    assert source.stamp is None
    plain = tmp_path / "a.run"
    plain.write_text(RUN)
    assert digest_of(source) == _core.Source(str(plain)).digest()
    os.wait()


def test_what_is_unknown_is_the_same_as_nothing() -> None:
    assert same_file("ab", "ab")
    assert not same_file("ab", "cd")
    assert not same_file(UNKNOWN, UNKNOWN)
    assert not same_file("", "")


def test_a_gate_does_not_take_unknown_judgments_for_the_same(files: tuple[Path, Path]) -> None:
    ours, theirs = cleverdon.evaluate(*files, "AP"), cleverdon.evaluate(*files, "AP")
    _change(files[0], "written again")
    with pytest.raises(cleverdon.errors.OptionError, match=r"other judgments \(hash unknown"):
        cleverdon.gate(ours, ["AP >= 0.5"], baseline=theirs)
