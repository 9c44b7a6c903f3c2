"""Build the demo collection and write it down: documents, topics, qrels and runs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cleverdon.demo.documents import Document, collect_documents
from cleverdon.demo.judgments import judge
from cleverdon.demo.modules import import_modules
from cleverdon.demo.systems import SYSTEMS, Result, System, search
from cleverdon.demo.topics import Topic, choose_topics
from cleverdon.errors import CleverdonError


@dataclass(frozen=True)
class Demo:
    """Where the parts of the demo were written, and how large it is."""

    collection: Path
    topics: Path
    qrels: Path
    runs: tuple[Path, ...]
    documents: int
    queries: int
    skipped: tuple[str, ...]  # modules that could not be imported


def write_demo(directory: Path, *, progress: Callable[[str], object] | None = None) -> Demo:
    """Write the demo collection and four systems' runs on it under a directory.

    Files that are there already are replaced, each in one step, so that a reader never sees half of
    one. `progress` is called with one line of text as each step begins.
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

    runs = tuple(_write_run(directory, system, documents, topics, say) for system in SYSTEMS)
    return Demo(
        collection=directory / "collection.jsonl",
        topics=directory / "topics.tsv",
        qrels=directory / "qrels.txt",
        runs=runs,
        documents=len(documents),
        queries=len(topics),
        skipped=imported.skipped,
    )


def _say_nothing(_line: str) -> None:
    pass


def _write_run(
    directory: Path,
    system: System,
    documents: Sequence[Document],
    topics: Sequence[Topic],
    say: Callable[[str], object],
) -> Path:
    say(f"searching with {system.name}: {system.description}")
    path = directory / "runs" / f"{system.name}.run"
    results = search(system, documents, topics)
    _write_lines(path, (_run_line(result, tag=system.name) for result in results))
    return path


def _collection_line(document: Document) -> str:
    fields = {
        "id": document.id,
        "title": document.id.removeprefix(f"{document.module}."),
        "module": document.module,
        "text": document.body,
    }
    return json.dumps(fields, ensure_ascii=False)


def _run_line(result: Result, *, tag: str) -> str:
    # repr() gives the shortest digits that read back as the same number: rounding would make ties.
    return f"{result.topic} Q0 {result.document} {result.rank} {result.score!r} {tag}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
