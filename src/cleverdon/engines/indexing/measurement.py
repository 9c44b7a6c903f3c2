"""The measurement of indexing: several times, and at several sizes of the collection.

Collections come as JSONL, TSV, TREC or Parquet, some of which have to be held in memory to be read.
Read once and written as JSON lines, they cost the same to read for every engine and every size, and
next to no memory.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon._common.extras import scipy_stats
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.engines.indexing.builds import (
    DEFAULT_WATCH,
    CommandJob,
    DocumentFile,
    IndexingJob,
    WatchOptions,
    build_index,
    check_repeatable,
    engine_job,
)
from cleverdon.engines.indexing.results import Build, IndexingResult, SizeBuilds
from cleverdon.engines.indexing.worker import read_documents
from cleverdon.engines.protocol import Document
from cleverdon.engines.resources import (
    OtherPrograms,
    check_processes,
    delete_path,
    disturbance_text,
    load_psutil,
    machine_facts,
)
from cleverdon.errors import (
    InputError,
    OptionError,
    UsageError,
    check_count,
    check_seed,
    check_within,
    check_word,
)
from cleverdon.formats.streams import name_of_stream
from cleverdon.formats.texts import files_of, records_of
from cleverdon.stats.trends import LEAST_SIZES, Growth, growth


def _read_collection(path: str, progress: Progress | None) -> Iterator[Document]:
    try:
        with closing(records_of(path, keep=lambda _: True, progress=progress)) as records:
            for record in records:
                yield Document(
                    record.id, _without_surrogates(record.title), _without_surrogates(record.text)
                )
    except FileNotFoundError:
        raise InputError("there is no such collection", source=path) from None


def _write_documents(
    collection: Sequence[str], path: str, *, progress: Progress | None = None
) -> DocumentFile:
    """Write a collection to a file; each document's id must be its own."""
    sizes, ids = array("q"), array("q")
    files = [source for given in collection for source in files_of(given, "documents")]
    ends = []  # how many documents there are up to the end of each file
    try:
        with open(path, "w", encoding="utf-8") as file:
            for source in files:
                for document in _read_collection(source, progress):
                    fields = {"id": document.id, "title": document.title, "text": document.text}
                    file.write(json.dumps(fields, ensure_ascii=False) + "\n")
                    sizes.append(document.bytes)
                    ids.append(hash(document.id))
                ends.append(len(sizes))
    except OSError as error:
        if error.filename not in (None, path):
            raise
        raise InputError(f"cannot be written: {error.strerror}", source=path) from None
    if not sizes:
        raise InputError("there are no documents", source=", ".join(collection))
    prepared = DocumentFile(path, np.array(sizes, dtype=np.int64))
    _check_ids(prepared, np.array(ids, dtype=np.int64), files, ends)
    return prepared


def _sample_documents(
    whole: DocumentFile, documents: int, path: str, *, seed: int | None
) -> DocumentFile:
    """Write a sample to a file: at random, or the first; a larger sample contains a smaller one."""
    check_count("documents", documents)
    if documents > whole.documents:
        raise OptionError(
            f"{documents:,} documents were asked for, and the collection has {whole.documents:,}"
        )
    taken = np.zeros(whole.documents, dtype=bool)
    if seed is None:
        taken[:documents] = True
    else:
        taken[np.random.default_rng(seed).permutation(whole.documents)[:documents]] = True
    with open(whole.path, "rb") as lines, open(path, "wb") as file:
        file.writelines(line for line, wanted in zip(lines, taken, strict=True) if wanted)
    return DocumentFile(path, np.asarray(whole.sizes[taken]))


def _without_surrogates(text: str) -> str:
    # JSON may hold one half of a surrogate pair, which no file can be written with.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _check_ids(
    prepared: DocumentFile, hashes: Ints, files: Sequence[str], ends: Sequence[int]
) -> None:
    # Engines differ in what they make of an id that is there twice; so no id may be.
    if len(np.unique(hashes)) == len(hashes):
        return
    seen: dict[str, int] = {}
    for place, document in enumerate(read_documents(prepared.path), start=1):
        if document.id in seen:
            first, second = (
                _document_position(at, files, ends) for at in (seen[document.id], place)
            )
            raise InputError(
                f"the id {document.id!r} is there twice, as {first} and as {second}; engines "
                "differ in which of them they keep: take one away, or give it another id"
            )
        seen[document.id] = place


def _document_position(place: int, files: Sequence[str], ends: Sequence[int]) -> str:
    file = bisect_left(ends, place)
    before = ends[file - 1] if file else 0
    return f"document {place - before:,} of {name_of_stream(files[file])}"


_FEW_SAMPLES = 10  # fewer looks than this at a build say little of its peaks
_NOTABLE_READING = 0.02  # reading that is a smaller share of the wall time is not worth a word


def _indexing_notes(
    job: IndexingJob,
    sizes: Sequence[SizeBuilds],
    watching: WatchOptions,
    *,
    whole: int,
    others: float,
) -> tuple[str, ...]:
    found = []
    builds = sizes[-1].builds
    unseen = job.hidden and not watching.servers
    if unseen:
        found.append(
            f"{job.name} works in a process of its own: its processor time and its memory were not "
            "seen; --pid names the process"
        )
    if job.hidden and not watching.folders:
        found.append(f"the disk of {job.name} was not watched; --watch names its folder")
    if not job.hidden and job.place("here") is None and not watching.folders:
        found.append(
            "where the index lies is not known: of the disk, only temporary files were seen; "
            "--watch names its folder"
        )
    if any(
        build.overlap > _NOTABLE_READING * build.amounts["index_time"].value for build in builds
    ):
        found.append(
            f"{job.name} works in several threads or processes, perhaps while documents are read: "
            "its wall time is with reading"
        )
    if min(build.samples for build in builds) < _FEW_SAMPLES:
        found.append(
            "a build was over after a few looks at it: its peaks are in doubt; take more documents"
        )
    left = max(build.left for build in builds)
    if left:
        found.append(
            f"{left} of the processes that were started still ran at the end; what they did "
            "afterwards is not counted"
        )
    if disturbance_text(others) and not unseen:  # who would be among the others
        found.append(disturbance_text(others))
    if sizes[-1].documents < whole:
        found.append(f"of the collection's {whole:,} documents, {sizes[-1].documents:,} were taken")
    return tuple(found)


def _invalid_reasons(sizes: Sequence[SizeBuilds]) -> tuple[str, ...]:
    found = {
        f"the engine took {build.taken:,} of {build.documents:,} documents"
        for size in sizes
        for build in size.builds
        if build.taken is not None and build.taken != build.documents
    }
    return tuple(sorted(found))


_GROWING_QUANTITIES = ("index_time", "index_cpu", "index_memory", "index_overhead", "index_size")
"""The quantities whose growth is fitted."""

_SAMPLE_KINDS = {
    "random": "documents drawn at random, in the order of the collection",
    "first": "the first documents of the collection",
}
"""The ways to choose the documents of smaller sizes."""

_LONGEST_INTERVAL = 60.0  # seconds; longer intervals miss peaks

_END_SIGNALS = ("SIGTERM", "SIGHUP")  # asked to end; the terminal was closed


@shows_progress("indexing")
def index(
    engine: str | os.PathLike[str] | Mapping[str, Any] | None,
    collection: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    command: str | None = None,
    name: str = "",
    repeat: int = 3,
    sizes: Sequence[int | None] = (None,),
    sampling: str = "random",
    seed: int = 0,
    confidence: float = 0.95,
    at: Sequence[int] = (),
    output: str | None = None,
    watching: WatchOptions = DEFAULT_WATCH,
    progress: Progress | bool | None = None,
) -> IndexingResult:
    """Index a collection and measure time, memory and disk.

    Each index is built anew, in a process of its own. A round goes over all sizes, the smallest
    first, before the next round begins, so that changes on the machine affect all sizes alike. The
    last index of an engine stays.

    Args:
        engine: An engine's name, as "sqlite:index.db", or configuration; None with `command`.
        collection: Files or folders of documents.
        command: A program that builds the index; see `CommandJob` for its placeholders.
        name: The system's name in results.
        repeat: How often to build each index.
        sizes: Numbers of documents; None is all of them. Growth is fitted from three sizes on.
        sampling: How smaller sizes are chosen: "random", or the "first" documents.
        seed: Seed of the random samples.
        confidence: Confidence of the intervals of medians and of growth.
        at: Other numbers of documents, for which the fitted growth predicts amounts.
        output: Where a command's last index goes; by default it is deleted.
        watching: Other processes and folders that count, and how often to look at them.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The amounts of every build, their medians, and how they grow.

    Raises:
        OptionError: An option has no sensible value, or does not suit the engine or command.
        InputError: The collection cannot be read.
        IndexingFailure: The index was not built.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "docs.tsv")
    ...     _ = path.write_text("d1\\ta red apple\\nd2\\ta green apple\\n")
    ...     index(f"sqlite:{folder}/index.db", path, repeat=1).largest.documents
    2
    """
    progress = as_callback(progress)
    files = _collection_paths(collection)
    job: IndexingJob
    if command is not None:
        job = CommandJob(command, tuple(files), name)
    elif engine is not None:
        job = engine_job(engine, name=name)
    else:
        raise OptionError("give an engine or a command to index with")
    _check_options(job, sizes, repeat, sampling, seed, output)
    check_within("confidence", confidence, 0, 1)
    check_within("interval", watching.interval, 0, _LONGEST_INTERVAL)
    load_psutil()
    check_processes(watching.servers)
    for folder in watching.folders:
        if not os.path.exists(folder):
            raise InputError("there is no such file or folder to watch", source=folder)
    report = progress or ignore_progress
    with tempfile.TemporaryDirectory(prefix="cleverdon-") as folder, _end_on_signals():
        report("reading the collection")
        path = os.path.join(folder, "documents.jsonl")
        whole = _write_documents(files, path, progress=report)
        prepared = _prepare_sizes(whole, sizes, folder, seed if sampling == "random" else None)
        others = OtherPrograms()
        builds = _build_rounds(
            job, prepared, repeat, output=output, folder=folder, watching=watching, progress=report
        )
        measured = (made.amounts.get("index_cpu") for size in builds for made in size)
        busy = others.cores(sum(cpu.value for cpu in measured if cpu is not None))
    found = tuple(
        SizeBuilds(size.documents, size.bytes, tuple(made), confidence)
        for size, made in zip(prepared, builds, strict=True)
    )
    return IndexingResult(
        system=job.name,
        sizes=found,
        growth=_fit_growth(found, confidence),
        notes=_indexing_notes(job, found, watching, whole=whole.documents, others=busy),
        not_valid=_invalid_reasons(found),
        settings={
            "collection": files,
            "documents": whole.documents,
            "bytes": whole.bytes,
            "repeat": repeat,
            "sizes": [size.documents for size in found],
            "sample": sampling,
            "seed": seed,
            "confidence": confidence,
            "interval": watching.interval,
            "servers": len(watching.servers),
            "watched": list(watching.folders),
            **job.settings,
        },
        machine=machine_facts() | {"cores_busy_with_others": busy},
        at=tuple(at),
    )


def _collection_paths(
    collection: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> list[str]:
    given = [collection] if isinstance(collection, (str, os.PathLike)) else list(collection)
    if not given:
        raise UsageError("there is no collection to index: name a file or a folder")
    return [os.fspath(path) for path in given]


def _check_options(
    job: IndexingJob,
    sizes: Sequence[int | None],
    repeat: int,
    sampling: str,
    seed: int,
    output: str | None,
) -> None:
    check_count("repeat", repeat)
    check_seed(seed)
    check_word("sampling", sampling, _SAMPLE_KINDS)
    for size in sizes:
        if size is not None:
            check_count("sizes", size)
    if not sizes or len(set(sizes)) < len(sizes):
        raise OptionError(f"sizes={list(sizes)}: expected one or more, no two alike")
    if isinstance(job, CommandJob) and job.takes_files:
        if set(sizes) != {None}:
            raise OptionError("{files} is the whole collection, which has one size; take {input}")
        if "-" in job.files:
            raise OptionError("{files} is there for files, and - is none; take {input}")
    check_repeatable(job, repeat * len(sizes))
    if len(sizes) >= LEAST_SIZES:
        scipy_stats("an interval of the exponent")  # before anything is built
    if output is None:
        return
    if not isinstance(job, CommandJob) or job.place("") is None:
        raise OptionError("output is for a command with {output}; an engine has its own place")
    if os.path.lexists(output):
        raise InputError("exists already; name another place for the index", source=output)
    if not os.path.isdir(os.path.dirname(os.path.abspath(output))):
        raise InputError("there is no folder to put it into", source=output)


def _prepare_sizes(
    whole: DocumentFile, sizes: Sequence[int | None], folder: str, seed: int | None
) -> list[DocumentFile]:
    counts = sorted({whole.documents if size is None else size for size in sizes})
    if len(counts) < len(sizes):
        raise OptionError(f"two sizes are alike: the collection has {whole.documents:,} documents")
    return [
        whole
        if count == whole.documents
        else _sample_documents(whole, count, os.path.join(folder, f"{count}.jsonl"), seed=seed)
        for count in counts
    ]


def _build_rounds(
    job: IndexingJob,
    prepared: Sequence[DocumentFile],
    repeat: int,
    *,
    output: str | None,
    folder: str,
    watching: WatchOptions,
    progress: Progress,
) -> list[list[Build]]:
    builds: list[list[Build]] = [[] for _ in prepared]
    for round in range(1, repeat + 1):
        for made, documents in zip(builds, prepared, strict=True):
            of_size = f" {documents.documents:,} documents" if len(prepared) > 1 else ""
            of_round = f", {round} of {repeat}" if repeat > 1 else ""
            step = f"indexing{of_size}{of_round}"
            progress(step)
            with _fresh_place(output, folder) as fresh:
                made.append(
                    build_index(
                        job,
                        documents,
                        fresh=fresh,
                        folder=folder,
                        watching=watching,
                        step=step,
                        progress=progress,
                    )
                )
                if output is not None and round == repeat and documents is prepared[-1]:
                    os.rename(fresh, output)
    return builds


@contextmanager
def _fresh_place(output: str | None, folder: str) -> Iterator[str]:
    """Yield a path for a command's index: alone in a folder, on the disk of the last one."""
    target = os.path.abspath(output or os.path.join(folder, "index"))
    parent, name = os.path.split(target)
    made = tempfile.mkdtemp(prefix=f".{name}.", dir=parent)
    try:
        yield os.path.join(made, name)
    finally:
        delete_path(made)


@contextmanager
def _end_on_signals() -> Iterator[None]:
    """Turn signals to end into an exception, as Ctrl-C is, so that nothing is left behind."""
    numbers = []
    if threading.current_thread() is threading.main_thread():
        known = [getattr(signal, name) for name in _END_SIGNALS if hasattr(signal, name)]
        numbers = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _fit_growth(sizes: Sequence[SizeBuilds], confidence: float) -> dict[str, Growth]:
    found: dict[str, Growth] = {}
    if len(sizes) < LEAST_SIZES:
        return found
    for name in _GROWING_QUANTITIES:
        values = [size.quantities[name].median for size in sizes if name in size.quantities]
        if len(values) == len(sizes):
            grown = growth([size.documents for size in sizes], values, confidence=confidence)
            if grown is not None:
                found[name] = grown
    return found
