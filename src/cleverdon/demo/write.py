"""Build the demo collection and write it down: documents, topics, qrels, indexes and runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cleverdon.demo.documents import Document, collect_documents
from cleverdon.demo.judgments import judge
from cleverdon.demo.modules import import_modules
from cleverdon.demo.systems import SYSTEMS, System, indexed, search
from cleverdon.demo.topics import Topic, choose_topics
from cleverdon.errors import CleverdonError, MissingExtra

if TYPE_CHECKING:
    from cleverdon.costs import Costs
    from cleverdon.data import Run
    from cleverdon.engine.protocol import Document as Indexed


@dataclass(frozen=True)
class Demo:
    """Where the parts of the demo were written, and how large it is."""

    collection: Path
    topics: Path
    qrels: Path
    indexed: Path  # what the systems index of the collection
    indexes: tuple[Path, ...]
    runs: tuple[Path, ...]
    documents: int
    queries: int
    skipped: tuple[str, ...]  # modules that could not be imported
    costs: dict[str, Costs] = field(default_factory=dict)  # by system, where they were measured
    unmeasured: str = ""  # why they were not, where they should have been
    busy: float = 0.0  # how many cores other programs kept busy while they were measured


def write_demo(
    directory: Path, *, progress: Callable[[str], object] | None = None, measure: bool = False
) -> Demo:
    """Write the demo collection and four systems' indexes and runs under a directory.

    Files that are there already are replaced, each in one step, so that a reader never sees half of
    one. `progress` is called with one line of text as each step begins. With `measure`, it is
    measured what the systems cost, which takes some seconds.
    """
    say = progress or _say_nothing
    if sys.flags.optimize >= 2:
        message = "the demo is made of docstrings, and python -OO drops them; run it without -OO"
        raise CleverdonError(message)

    has_files = directory.is_dir() and any(directory.iterdir())
    if has_files and not (directory / "collection.jsonl").exists():
        raise CleverdonError(f"{directory} has other files in it; give an empty or a new folder")
    say("reading the documentation of the standard library")
    imported = import_modules()
    documents = collect_documents(imported.modules)
    _write_lines(directory / "collection.jsonl", map(_collection_line, documents))

    say(f"drawing queries and judgments from {len(documents):,} documents")
    topics = choose_topics(documents)
    _write_lines(directory / "topics.tsv", (f"{topic.id}\t{topic.text}" for topic in topics))
    judgments = judge(topics, documents)
    _write_lines(
        directory / "qrels.txt", (f"{one.topic} 0 {one.document} {one.grade}" for one in judgments)
    )

    folder = directory / "indexes"
    searched = indexed(documents)
    _write_lines(folder / "documents.jsonl", map(_indexed_line, searched))
    demo = Demo(
        collection=directory / "collection.jsonl",
        topics=directory / "topics.tsv",
        qrels=directory / "qrels.txt",
        indexed=folder / "documents.jsonl",
        indexes=tuple(system.index(folder) for system in SYSTEMS),
        runs=tuple(directory / "runs" / f"{system.name}.run" for system in SYSTEMS),
        documents=len(documents),
        queries=len(topics),
        skipped=imported.skipped,
    )
    runs = {}
    for system, path in zip(SYSTEMS, demo.runs, strict=True):
        say(f"indexing, and searching with {system.name}: {system.description}")
        _index(system, folder, searched)
        runs[system] = search(system, folder, topics)
        _write_lines(path, _run_lines(runs[system], topics))
    return _measured(demo, folder, topics, runs, say) if measure else demo


def _index(system: System, folder: Path, documents: Sequence[Indexed]) -> None:
    from cleverdon.engine.configured import open_engine

    open_engine(system.engine(folder)).index(documents)


def _measured(
    demo: Demo,
    folder: Path,
    topics: Sequence[Topic],
    runs: dict[System, Run],
    say: Callable[[str], object],
) -> Demo:
    """The demo with what its systems cost; or with what is missing to measure it."""
    from cleverdon.costs import merged
    from cleverdon.demo.measuring import RATE, measure_index, measure_load
    from cleverdon.engine.machine import Others

    found = []
    try:
        others = Others()
        for system, run in runs.items():
            say(f"timing {system.name}: indexing, then {RATE:g} requests a second")
            found.append(measure_index(system, folder, demo.indexed))
            found.append(measure_load(system, folder, topics, run))
    except MissingExtra as error:
        return replace(demo, unmeasured=str(error))
    return replace(demo, costs=merged(found), busy=others.cores(0.0))


def _say_nothing(_line: str) -> None:
    pass


def _collection_line(document: Document) -> str:
    fields = {
        "id": document.id,
        "title": document.id.removeprefix(f"{document.module}."),
        "module": document.module,
        "text": document.body,
    }
    return json.dumps(fields, ensure_ascii=False)


def _indexed_line(document: Indexed) -> str:
    fields = {"id": document.id, "title": document.title, "text": document.text}
    return json.dumps(fields, ensure_ascii=False)


def _run_lines(run: Run, topics: Sequence[Topic]) -> Iterator[str]:
    for topic in topics:
        for rank, (document, score) in enumerate(
            run.ranking(topic.id) if topic.id in run else [], start=1
        ):
            # repr() gives the shortest digits that read back as the same number: rounding would
            # make ties.
            yield f"{topic.id} Q0 {document} {rank} {score!r} {run.name}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
