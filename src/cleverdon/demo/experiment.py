"""The demo's experiment: four systems on SQLite search the collection, and are timed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cleverdon._common.files import write_file
from cleverdon._common.progress import Progress, ignore_progress
from cleverdon.demo.collection import (
    DemoDocument,
    DemoQuery,
    choose_queries,
    collect_documents,
    import_modules,
    judge,
    name_words,
)
from cleverdon.errors import CleverdonError, MissingExtra
from cleverdon.pooling.query_expansion import FUNCTION_WORDS

if TYPE_CHECKING:
    from cleverdon.costs import Costs
    from cleverdon.data import Run
    from cleverdon.engines.protocol import Document as Indexed


@dataclass(frozen=True)
class Demo:
    """The files of the demo, and its size."""

    collection: Path
    query_file: Path
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


def write_demo(directory: Path, *, progress: Progress | None = None, measure: bool = False) -> Demo:
    """Write the demo collection and four systems' indexes and runs under a directory.

    Files that are there already are replaced, each in one step, so that a reader never sees half of
    one. `progress` is called with the name of each step as it begins. With `measure`, it is
    measured what the systems cost, which takes some seconds.
    """
    from cleverdon.engines.configuration import open_engine  # engines load slowly

    report = progress or ignore_progress
    if sys.flags.optimize >= 2:
        message = "the demo needs docstrings, which python -OO removes; run it without -OO"
        raise CleverdonError(message)

    has_files = directory.is_dir() and any(directory.iterdir())
    if has_files and not (directory / "collection.jsonl").exists():
        raise CleverdonError(f"{directory} has other files in it; give an empty or a new folder")
    report("reading the documentation of the standard library")
    imported = import_modules()
    documents = collect_documents(imported.modules)
    _write_lines(directory / "collection.jsonl", map(_collection_line, documents))

    report(f"drawing queries and judgments from {len(documents):,} documents")
    queries = choose_queries(documents)
    _write_lines(directory / "topics.tsv", (f"{query.id}\t{query.text}" for query in queries))
    judgments = judge(queries, documents)
    _write_lines(
        directory / "qrels.txt", (f"{one.query} 0 {one.document} {one.grade}" for one in judgments)
    )

    folder = directory / "indexes"
    searched = _indexed_document(documents)
    _write_lines(folder / "documents.jsonl", map(_indexed_line, searched))
    demo = Demo(
        collection=directory / "collection.jsonl",
        query_file=directory / "topics.tsv",
        qrels=directory / "qrels.txt",
        indexed=folder / "documents.jsonl",
        indexes=tuple(system.index(folder) for system in _SYSTEMS),
        runs=tuple(directory / "runs" / f"{system.name}.run" for system in _SYSTEMS),
        documents=len(documents),
        queries=len(queries),
        skipped=imported.skipped,
    )
    runs = {}
    for system, path in zip(_SYSTEMS, demo.runs, strict=True):
        report(f"indexing, and searching with {system.name}: {system.description}")
        open_engine(system.engine(folder)).index(searched)
        runs[system] = _search_queries(system, folder, queries)
        _write_lines(path, _run_lines(runs[system], queries))
    return _measured(demo, folder, queries, runs, report) if measure else demo


def _measured(
    demo: Demo,
    folder: Path,
    queries: Sequence[DemoQuery],
    runs: dict[System, Run],
    report: Progress,
) -> Demo:
    from cleverdon.costs import merge_costs  # engines load slowly
    from cleverdon.engines.resources import OtherPrograms

    found = []
    try:
        others = OtherPrograms()
        for system, run in runs.items():
            report(f"timing {system.name}: indexing, then {LOAD_RATE:g} requests a second")
            found.append(_measure_index(system, folder, demo.indexed))
            found.append(_measure_load(system, folder, queries, run))
    except MissingExtra as error:
        return replace(demo, unmeasured=str(error))
    return replace(demo, costs=merge_costs(found), busy=others.cores(0.0))


def _collection_line(document: DemoDocument) -> str:
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


def _run_lines(run: Run, queries: Sequence[DemoQuery]) -> Iterator[str]:
    for query in queries:
        for rank, (document, score) in enumerate(
            run.ranking(query.id) if query.id in run else [], start=1
        ):
            # repr() gives the shortest digits that read back as the same number: rounding would
            # make ties.
            yield f"{query.id} Q0 {document} {rank} {score!r} {run.name}"


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(str(path), "".join(f"{line}\n" for line in lines).encode())


DEPTH = 100


@dataclass(frozen=True)
class System:
    """A way to search: how words are cut, how terms combine, and what a name counts."""

    name: str
    description: str
    tokenizer: Literal["unicode61", "porter unicode61"] = "unicode61"
    operator: Literal["or", "and"] = "or"
    ignored: frozenset[str] = frozenset()
    name_weight: float = 1.0

    def index(self, folder: Path) -> Path:
        """Return the path of the system's index below a folder."""
        return folder / f"{self.name}.db"

    def engine(self, folder: Path) -> dict[str, Any]:
        """The engine that it is, as a configuration."""
        return {
            "kind": "sqlite",
            "name": self.name,
            "file": str(self.index(folder)),
            "tokenizer": self.tokenizer,
            "operator": self.operator,
            "ignored": sorted(self.ignored),
            "weights": {"title": self.name_weight},
        }


_SYSTEMS = (
    System("bm25", "BM25 over name, path and text, words as they stand"),
    System("bm25-porter", "BM25 over Porter stems", tokenizer="porter unicode61"),
    System("name-weighted", "BM25 where a match in the name counts five times", name_weight=5.0),
    # How catalogues searched before ranking, made as kind as it can be: stems, no function words
    # (hardly any text has them all), and the matches in BM25 order. Most sentences still find
    # nothing, and an empty result is a result that an evaluation has to count.
    System(
        "boolean-and",
        "every content word must occur, as a Porter stem; the matches ordered by BM25",
        tokenizer="porter unicode61",
        operator="and",
        ignored=FUNCTION_WORDS,
    ),
)


def _indexed_document(documents: Iterable[DemoDocument]) -> tuple[Indexed, ...]:
    """Return a document as it is indexed: without its summary, its name as the title."""
    from cleverdon.engines.protocol import Document as Indexed  # engines load slowly

    return tuple(
        Indexed(
            id=document.id,
            title=_with_parts(document.name),
            text=f"{_with_parts(document.owner)}\n{document.body}",
        )
        for document in documents
    )


def _search_queries(
    system: System, folder: Path, queries: Iterable[DemoQuery], *, depth: int = DEPTH
) -> Run:
    """Put every query to a system, whose index is in the folder."""
    from cleverdon.engines.retrieval import search as put  # engines load slowly

    return put(system.engine(folder), {query.id: query.text for query in queries}, k=depth)


def _with_parts(name: str) -> str:
    """Add the words of a name that the tokenizer would not find: it splits no CamelCase."""
    parts = name_words(name)
    found_anyway = parts == name.replace("_", " ").replace(".", " ").strip()
    return name if found_anyway else f"{name} {parts}"


LOAD_RATE = 60.0
"""Requests a second: many for one user, and few enough that none waits for another for long.

A request takes three of the systems some 4 ms of a processor. Nearly all of that is SQLite's: the
queries are sentences, nine of ten documents have a "the" or an "of" in them, and all that match get
a score. At 100 a second, a machine that has other work as well falls behind, and what is timed is
the queue.
"""

_WARMUP = 0.2


def _measure_index(system: System, folder: Path, collection: Path) -> Costs:
    """Index a file of documents in a process of its own, and return its costs."""
    from cleverdon.engines.indexing.measurement import index  # engines load slowly

    return index(system.engine(folder), collection, name=system.name, repeat=1).costs()


def _measure_load(system: System, folder: Path, queries: Sequence[DemoQuery], run: Run) -> Costs:
    """Ask for every query once, at random moments, whether or not others are answered.

    What is timed are the answers that the run has; should they differ, nothing of it is valid.
    """
    from cleverdon.engines.configuration import open_engine  # engines load slowly
    from cleverdon.engines.load.bench import Bench
    from cleverdon.engines.load.sender import load
    from cleverdon.engines.load.workload import Mix, OpenLoop

    mix = Mix.of({query.id: query.text for query in queries})
    found = load(
        open_engine(system.engine(folder)),
        mix,
        OpenLoop(LOAD_RATE),
        order=mix.each_once(seed=0),
        k=DEPTH,
        warmup=_WARMUP,
    )
    costs = replace(
        Bench(system.name, found).costs(),
        settings={"load": {"loop": "open", "rate": LOAD_RATE, "k": DEPTH}},
    )
    other = sum(
        results != (run.ranking(queries[place].id) if queries[place].id in run else [])
        for place, results in found.answers.items()
    )
    if not other:
        return costs
    reason = f"{other} queries were answered otherwise than in the run"
    return replace(costs, not_valid=(*costs.not_valid, reason))
