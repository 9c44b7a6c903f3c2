from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from cleverdon.demo import write
from cleverdon.demo.modules import Imported
from cleverdon.demo.systems import SYSTEMS
from cleverdon.demo.write import write_demo
from cleverdon.errors import CleverdonError

from .conftest import Written


def _lines(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.removesuffix("\n").split("\n")


def _topics(written: Written) -> dict[str, str]:
    return dict(line.split("\t") for line in _lines(written.demo.topics))


def _collection(written: Written) -> dict[str, dict[str, str]]:
    documents = (json.loads(line) for line in _lines(written.demo.collection))
    return {document["id"]: document for document in documents}


def _python(script: str, *options: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return subprocess.run(
        [sys.executable, *options, "-c", script],
        capture_output=True,
        check=False,
        env=environment,
        text=True,
    )


def test_the_record_agrees_with_the_files(written: Written) -> None:
    demo = written.demo
    assert demo.documents == len(_collection(written)) == len(_lines(demo.collection))
    assert demo.queries == len(_topics(written)) == len(_lines(demo.topics))
    assert [path.name for path in demo.runs] == [f"{system.name}.run" for system in SYSTEMS]
    present = {path for path in written.directory.rglob("*") if path.is_file()}
    written_down = {demo.collection, demo.topics, demo.qrels, demo.indexed}
    assert present == {*written_down, *demo.indexes, *demo.runs}
    assert len(_lines(demo.indexed)) == demo.documents
    assert (demo.costs, demo.unmeasured) == ({}, "")  # nobody asked for them


def test_progress_names_every_system(written: Written) -> None:
    assert all(any(system.name in line for line in written.said) for system in SYSTEMS)


def test_another_process_writes_the_same_bytes(written: Written, tmp_path: Path) -> None:
    for name in ("collection.jsonl", "qrels.txt"):
        (tmp_path / name).write_text("of an earlier demo, to be replaced")
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    script = "import pathlib; from cleverdon.demo import write_demo; "
    done = _python(f"{script} write_demo(pathlib.Path({str(tmp_path)!r}))", hash_seed=seed)
    assert (done.returncode, done.stderr) == (0, "")
    for path in (
        written.demo.collection,
        written.demo.topics,
        written.demo.qrels,
        *written.demo.runs,
    ):
        other = tmp_path / path.relative_to(written.directory)
        assert other.read_bytes() == path.read_bytes(), path.name


def test_no_query_stands_in_the_searched_text(written: Written) -> None:
    def bare(text: str) -> str:
        return " ".join(re.findall(r"\w+", text.lower()))

    documents = _collection(written).values()
    searched = "\n".join(" ".join(one["text"].lower().split()) for one in documents)
    searched_bare = "\n".join(bare(" ".join(one.values())) for one in documents)
    for query in _topics(written).values():
        sentence = " ".join(query.lower().split()).rstrip(".")
        assert sentence not in searched, query
        assert bare(query) not in searched_bare, query


def test_the_qrels_are_well_formed(written: Written) -> None:
    topics, collection = _topics(written), _collection(written)
    rows = [line.split(" ") for line in _lines(written.demo.qrels)]
    assert all(len(row) == 4 for row in rows)
    assert {zero for _, zero, _, _ in rows} == {"0"}
    assert len({(topic, document) for topic, _, document, _ in rows}) == len(rows)
    assert {document for _, _, document, _ in rows} <= collection.keys()
    best: dict[str, str] = defaultdict(str)
    for topic, _, _, grade in rows:
        best[topic] = max(best[topic], grade)
    assert best == dict.fromkeys(topics, "2")


@pytest.mark.parametrize("name", [system.name for system in SYSTEMS])
def test_the_runs_are_well_formed(written: Written, name: str) -> None:
    topics, collection = _topics(written), _collection(written)
    rows = [line.split(" ") for line in _lines(written.directory / "runs" / f"{name}.run")]
    assert {(len(row), row[1], row[5]) for row in rows} == {(6, "Q0", name)}
    assert len({(row[0], row[2]) for row in rows}) == len(rows)
    assert {row[0] for row in rows} <= topics.keys()
    assert {row[2] for row in rows} <= collection.keys()
    for _, group in itertools.groupby(rows, key=lambda row: row[0]):
        ranked = [(int(row[3]), float(row[4]), row[2]) for row in group]
        assert [rank for rank, _, _ in ranked] == list(range(1, len(ranked) + 1))
        assert len(ranked) <= 100
        # The order an evaluation restores from the scores alone: ties by descending id.
        assert ranked == sorted(ranked, key=lambda row: (row[1], row[2]), reverse=True)


def test_the_systems_differ_and_none_is_perfect_or_useless(written: Written) -> None:
    import ir_measures as measures

    qrels = list(measures.read_trec_qrels(str(written.demo.qrels)))
    ndcg = measures.nDCG @ 10
    score = {
        path.stem: measures.calc_aggregate([ndcg], qrels, measures.read_trec_run(str(path)))[ndcg]
        for path in written.demo.runs
    }
    assert len({round(value, 3) for value in score.values()}) == len(SYSTEMS)
    ranked = [value for name, value in score.items() if name != "boolean-and"]
    assert 0.3 < min(ranked) < max(ranked) < 0.8
    assert 0 < score["boolean-and"] < min(ranked) / 2


def test_a_python_without_docstrings_is_told_so() -> None:
    done = _python("from cleverdon.demo import write_demo; write_demo(None)", "-OO")
    assert "CleverdonError" in done.stderr
    assert "-OO" in done.stderr


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(write, "import_modules", lambda: Imported((("json", json),), ()))
    with pytest.raises(OSError, match="disk full"):
        write_demo(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_importing_the_demo_loads_nothing_it_will_read() -> None:
    done = _python("import sys, cleverdon.demo; print({'sqlite3', 'mailbox'} & sys.modules.keys())")
    assert done.stdout.strip() == "set()"


def test_other_peoples_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("years of work")
    with pytest.raises(CleverdonError, match="has other files in it"):
        write_demo(tmp_path)
    assert (tmp_path / "qrels.txt").read_text() == "years of work"
