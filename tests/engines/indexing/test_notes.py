"""What is said of what was not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from cleverdon.engines.indexing.builds import (
    DEFAULT_WATCH,
    DocumentFile,
    ProcessStart,
    WatchOptions,
    check_repeatable,
    engine_job,
)
from cleverdon.engines.indexing.measurement import _indexing_notes, _invalid_reasons
from cleverdon.engines.indexing.results import Amount, Build, SizeBuilds
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class Job:
    hidden: bool
    replaces: bool = True
    settings: Any = None
    name: str = "mine"
    reports = True

    def place(self, fresh: str) -> str | None:
        return None if self.hidden else "index"

    def started(self, documents: DocumentFile, place: str | None) -> ProcessStart:
        raise NotImplementedError


def said(
    job: Job, watching: WatchOptions = DEFAULT_WATCH, *, others: float = 0.0, **of: Any
) -> list[str]:
    took = {"index_time": Amount(10.0)}
    sizes = [SizeBuilds(10, 100, (Build(10, 100, took, **({"samples": 50} | of)),))]
    return [
        note.split(":")[0]
        for note in _indexing_notes(job, sizes, watching, whole=10, others=others)
    ]


def test_nothing_is_said_where_all_was_seen() -> None:
    assert said(Job(hidden=False)) == []
    assert said(Job(hidden=True), WatchOptions(servers=(1,), folders=("/data",))) == []


def test_a_server_that_was_not_watched() -> None:
    assert said(Job(hidden=True), others=1.0) == [
        "mine works in a process of its own",
        "the disk of mine was not watched; --watch names its folder",
    ]


def test_work_that_may_have_gone_on_while_documents_were_read() -> None:
    assert said(Job(hidden=False), overlap=0.1) == []
    assert said(Job(hidden=False), overlap=1.0) == [
        "mine works in several threads or processes, perhaps while documents are read"
    ]


def test_a_busy_machine_few_looks_and_processes_that_run_on() -> None:
    assert said(Job(hidden=False), others=1.25, samples=3, left=2) == [
        "a build was over after a few looks at it",
        "2 of the processes that were started still ran at the end; what they did afterwards is "
        "not counted",
        "other programs kept 1.2 cores busy meanwhile",
    ]


def test_documents_that_were_left_out() -> None:
    took = {"index_time": Amount(10.0)}
    builds = (Build(10, 100, took, taken=10), Build(10, 100, took, taken=4))
    assert _invalid_reasons([SizeBuilds(10, 100, builds)]) == ("the engine took 4 of 10 documents",)
    few = _indexing_notes(
        Job(hidden=False), [SizeBuilds(10, 100, builds)], WatchOptions(), whole=30, others=0
    )
    assert "of the collection's 30 documents, 10 were taken" in few


def test_what_may_not_be_replaced_is_built_once() -> None:
    check_repeatable(Job(hidden=True, replaces=False), 1)
    check_repeatable(Job(hidden=True), 3)
    with pytest.raises(OptionError, match="mine is indexed 3 times, and may not replace"):
        check_repeatable(Job(hidden=True, replaces=False), 3)
    job = engine_job("elasticsearch+http://127.0.0.1:1/docs")
    assert not job.replaces
    assert job.hidden
    assert engine_job("elasticsearch+http://127.0.0.1:1/docs?replace=true").replaces
