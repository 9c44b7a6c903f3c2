"""What the demo's systems cost. How fast this machine is does not matter here."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.costs import Cost, Costs
from cleverdon.data import Run
from cleverdon.demo import measuring, write
from cleverdon.demo.measuring import measure_index, measure_load
from cleverdon.demo.systems import SYSTEMS, search
from cleverdon.demo.topics import Topic
from cleverdon.engine.machine import Others
from cleverdon.errors import MissingExtra

from .conftest import Written

SYSTEM = SYSTEMS[0]


@pytest.fixture
def folder(written: Written) -> Path:
    return written.demo.indexes[0].parent


def test_an_index_is_made_and_measured(written: Written, tmp_path: Path) -> None:
    lines = written.demo.indexed.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "few.jsonl").write_text("".join(lines[:20]))
    found = measure_index(SYSTEM, tmp_path, tmp_path / "few.jsonl")
    assert found.system == SYSTEM.name
    assert found.by_name["index_size"].value == SYSTEM.index(tmp_path).stat().st_size
    assert found.by_name["index_time"].value > 0


def test_what_is_timed_are_the_answers_of_the_run(
    folder: Path, topics: tuple[Topic, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "_WARMUP", 0.0)
    few = topics[:5]
    run = search(SYSTEM, folder, few)
    found = measure_load(SYSTEM, folder, few, run)
    assert found.not_valid == ()
    assert found.by_name["errors"].value == 0
    assert found.by_name["p50"].value <= found.by_name["p99"].value
    assert found.settings["load"] == {"loop": "open", "rate": measuring.RATE, "k": 100}
    other = Run.read({query: {"x": 1.0} for query in run.queries[:2]})
    found = measure_load(SYSTEM, folder, few, other)
    assert found.not_valid == ("5 topics were answered otherwise than in the run",)


def test_what_is_missing_to_measure_is_said(
    written: Written, topics: tuple[Topic, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise MissingExtra("indexing", package="psutil", extra="engine")

    monkeypatch.setattr(measuring, "measure_index", missing)
    demo, folder = written.demo, written.demo.indexes[0].parent
    run = Run.read({"q1": {"a": 1.0}})
    found = write._measured(demo, folder, topics, {SYSTEM: run}, lambda _: None)
    assert found.costs == {}
    assert found.unmeasured.endswith("pip install 'cleverdon[engine]'")


def test_what_other_programs_did_meanwhile_is_known(
    written: Written, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Costs(SYSTEM.name, {"index_size": Cost(1.0)})
    load = Costs(SYSTEM.name, {"p99": Cost(2.0)})
    monkeypatch.setattr(measuring, "measure_index", lambda *_: index)
    monkeypatch.setattr(measuring, "measure_load", lambda *_: load)
    monkeypatch.setattr(Others, "cores", lambda *_: 1.5)
    run = Run.read({"q001": {"a": 1.0}})
    found = write._measured(written.demo, folder, [], {SYSTEM: run}, lambda _: None)
    assert found.busy == 1.5
    assert set(found.costs[SYSTEM.name].by_name) == {"index_size", "p99"}
