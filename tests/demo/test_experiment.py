"""The demo on disk: its files, its systems and what they cost."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cleverdon.costs import Cost, Costs
from cleverdon.data import Run
from cleverdon.demo import experiment
from cleverdon.demo.collection import DemoDocument, DemoQuery, ImportedModules
from cleverdon.demo.experiment import (
    _SYSTEMS,
    System,
    _indexed_document,
    _measure_index,
    _measure_load,
    _search_queries,
    write_demo,
)
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.resources import OtherPrograms
from cleverdon.errors import CleverdonError, InputError, MissingExtra

from .conftest import Written


def _lines(path: Path) -> list[str]:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return text.removesuffix("\n").split("\n")


def _queries(written: Written) -> dict[str, str]:
    return dict(line.split("\t") for line in _lines(written.demo.query_file))


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
    assert demo.queries == len(_queries(written)) == len(_lines(demo.query_file))
    assert [path.name for path in demo.runs] == [f"{system.name}.run" for system in _SYSTEMS]
    present = {path for path in written.directory.rglob("*") if path.is_file()}
    written_down = {demo.collection, demo.query_file, demo.qrels, demo.indexed}
    assert present == {*written_down, *demo.indexes, *demo.runs}
    assert len(_lines(demo.indexed)) == demo.documents
    assert (demo.costs, demo.unmeasured) == ({}, "")  # nobody asked for them


def test_progress_names_every_system(written: Written) -> None:
    assert all(any(system.name in line for line in written.said) for system in _SYSTEMS)


def test_another_process_writes_the_same_bytes(written: Written, tmp_path: Path) -> None:
    for name in ("collection.jsonl", "qrels.txt"):
        (tmp_path / name).write_text("of an earlier demo, to be replaced")
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    script = "import pathlib; from cleverdon.demo.experiment import write_demo; "
    done = _python(f"{script} write_demo(pathlib.Path({str(tmp_path)!r}))", hash_seed=seed)
    assert (done.returncode, done.stderr) == (0, "")
    for path in (
        written.demo.collection,
        written.demo.query_file,
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
    for query in _queries(written).values():
        sentence = " ".join(query.lower().split()).rstrip(".")
        assert sentence not in searched, query
        assert bare(query) not in searched_bare, query


def test_the_qrels_are_well_formed(written: Written) -> None:
    queries, collection = _queries(written), _collection(written)
    rows = [line.split(" ") for line in _lines(written.demo.qrels)]
    assert all(len(row) == 4 for row in rows)
    assert {zero for _, zero, _, _ in rows} == {"0"}
    assert len({(query, document) for query, _, document, _ in rows}) == len(rows)
    assert {document for _, _, document, _ in rows} <= collection.keys()
    best: dict[str, str] = defaultdict(str)
    for query, _, _, grade in rows:
        best[query] = max(best[query], grade)
    assert best == dict.fromkeys(queries, "2")


@pytest.mark.parametrize("name", [system.name for system in _SYSTEMS])
def test_the_runs_are_well_formed(written: Written, name: str) -> None:
    queries, collection = _queries(written), _collection(written)
    rows = [line.split(" ") for line in _lines(written.directory / "runs" / f"{name}.run")]
    assert {(len(row), row[1], row[5]) for row in rows} == {(6, "Q0", name)}
    assert len({(row[0], row[2]) for row in rows}) == len(rows)
    assert {row[0] for row in rows} <= queries.keys()
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
    assert len({round(value, 3) for value in score.values()}) == len(_SYSTEMS)
    ranked = [value for name, value in score.items() if name != "boolean-and"]
    assert 0.3 < min(ranked) < max(ranked) < 0.8
    assert 0 < score["boolean-and"] < min(ranked) / 2


def test_a_python_without_docstrings_is_told_so() -> None:
    done = _python("from cleverdon.demo.experiment import write_demo; write_demo(None)", "-OO")
    assert "CleverdonError" in done.stderr
    assert "-OO" in done.stderr


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        message = "disk full"
        raise OSError(message)

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(
        experiment, "import_modules", lambda: ImportedModules((("json", json),), ())
    )
    with pytest.raises(InputError, match="disk full"):
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


def _document(name: str, body: str) -> DemoDocument:
    return DemoDocument(
        id=f"jars.{name}", module="jars", owner="jars", name=name, summary="Held out.", body=body
    )


_DOCUMENTS = (
    _document("openLid", "Unscrews something slowly."),
    _document("shut", "The lid is screwed down; opening it later is easy."),
    _document("shut_again", "The lid is screwed down; opening it later is easy."),
    _document("weigh", "Says how heavy the jar is."),
)
_BY_NAME = {system.name: system for system in _SYSTEMS}

Found = Callable[..., list[str]]


def _results(
    system: System, folder: Path, text: str, documents: Sequence[DemoDocument], *, depth: int = 100
) -> list[tuple[str, float]]:
    open_engine(system.engine(folder)).index(_indexed_document(documents))
    run = _search_queries(
        system, folder, [DemoQuery(id="q1", text=text, document=documents[0])], depth=depth
    )
    return run.ranking("q1") if "q1" in run else []


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The names of what a system, by its own name, finds for a text."""

    def names(system: str, text: str, *, depth: int = 100) -> list[str]:
        results = _results(_BY_NAME[system], tmp_path, text, _DOCUMENTS, depth=depth)
        return [document.removeprefix("jars.") for document, _ in results]

    return names


@pytest.mark.filterwarnings("ignore:.*found nothing for any query")
def test_the_summary_cannot_be_found(found: Found) -> None:
    assert found("bm25", "held") == []


def test_camel_case_names_are_found_by_their_parts(found: Found) -> None:
    assert found("bm25", "open") == ["openLid"]
    assert found("bm25", "openlid") == ["openLid"]


def test_porter_finds_inflections(found: Found) -> None:
    assert set(found("bm25-porter", "open")) == {"openLid", "shut", "shut_again"}


def test_a_match_in_the_name_counts_for_more(tmp_path: Path) -> None:
    documents = (_document("lid", "One of many words in here."), _document("pot", "A lid, a lid."))
    weighted, plain = (
        dict(_results(_BY_NAME[name], tmp_path, "lid", documents))
        for name in ("name-weighted", "bm25")
    )
    assert weighted["jars.lid"] > plain["jars.lid"] > 0
    assert weighted["jars.pot"] == plain["jars.pot"]


@pytest.mark.filterwarnings("ignore:.*found nothing for any query")
def test_boolean_and_wants_every_content_word(found: Found) -> None:
    assert found("boolean-and", "the heavy jars of a jar") == ["weigh"]
    assert found("boolean-and", "heavy lid") == []
    assert found("boolean-and", "the of a") == []


def test_ties_come_in_descending_order_of_ids(tmp_path: Path) -> None:
    documents = tuple(dataclasses.replace(one, name="x") for one in _DOCUMENTS)
    (first, second) = _results(_BY_NAME["bm25"], tmp_path, "screwed down", documents)
    assert first[1] == second[1] > 0
    assert [first[0], second[0]] == ["jars.shut_again", "jars.shut"]


def test_results_are_cut_at_the_depth_asked_for(found: Found) -> None:
    assert len(found("bm25", "jars", depth=3)) == 3


SYSTEM = _SYSTEMS[0]


@pytest.fixture
def folder(written: Written) -> Path:
    return written.demo.indexes[0].parent


def test_an_index_is_made_and_measured(written: Written, tmp_path: Path) -> None:
    lines = written.demo.indexed.read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "few.jsonl").write_text("".join(lines[:20]))
    found = _measure_index(SYSTEM, tmp_path, tmp_path / "few.jsonl")
    assert found.system == SYSTEM.name
    assert found.by_name["index_size"].value == SYSTEM.index(tmp_path).stat().st_size
    assert found.by_name["index_time"].value > 0


def test_what_is_timed_are_the_answers_of_the_run(
    folder: Path, queries: tuple[DemoQuery, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "_WARMUP", 0.0)
    few = queries[:5]
    run = _search_queries(SYSTEM, folder, few)
    found = _measure_load(SYSTEM, folder, few, run)
    assert found.not_valid == ()
    assert found.by_name["errors"].value == 0
    assert found.by_name["p50"].value <= found.by_name["p99"].value
    assert found.settings["load"] == {"loop": "open", "rate": experiment.LOAD_RATE, "k": 100}
    other = Run.read({query: {"x": 1.0} for query in run.queries[:2]})
    found = _measure_load(SYSTEM, folder, few, other)
    assert found.not_valid == ("5 queries were answered otherwise than in the run",)


def test_what_is_missing_to_measure_is_said(
    written: Written, queries: tuple[DemoQuery, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise MissingExtra("indexing", package="psutil", extra="engine")

    monkeypatch.setattr(experiment, "_measure_index", missing)
    demo, folder = written.demo, written.demo.indexes[0].parent
    run = Run.read({"q1": {"a": 1.0}})
    found = experiment._measured(demo, folder, queries, {SYSTEM: run}, lambda _: None)
    assert found.costs == {}
    assert found.unmeasured.endswith("pip install 'cleverdon[engine]'")


def test_what_other_programs_did_meanwhile_is_known(
    written: Written, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = Costs(SYSTEM.name, {"index_size": Cost(1.0)})
    load = Costs(SYSTEM.name, {"p99": Cost(2.0)})
    monkeypatch.setattr(experiment, "_measure_index", lambda *_: index)
    monkeypatch.setattr(experiment, "_measure_load", lambda *_: load)
    monkeypatch.setattr(OtherPrograms, "cores", lambda *_: 1.5)
    run = Run.read({"q001": {"a": 1.0}})
    found = experiment._measured(written.demo, folder, [], {SYSTEM: run}, lambda _: None)
    assert found.busy == 1.5
    assert set(found.costs[SYSTEM.name].by_name) == {"index_size", "p99"}
