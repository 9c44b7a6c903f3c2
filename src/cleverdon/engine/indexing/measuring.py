"""Indexing, measured: several times, and at several sizes of the collection."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from cleverdon.compare.needs import scipy_stats
from cleverdon.engine.cpu import psutil
from cleverdon.engine.indexing.building import USUAL, Watching, build
from cleverdon.engine.indexing.disk import discard
from cleverdon.engine.indexing.documents import Prepared, prepare, sampled
from cleverdon.engine.indexing.growth import LEAST_SIZES, Growth, growth
from cleverdon.engine.indexing.jobs import CommandJob, Job, check_repeatable, engine_job
from cleverdon.engine.indexing.process_tree import check_processes
from cleverdon.engine.indexing.records import Build, Indexing, Sized
from cleverdon.engine.indexing.remarks import invalidities, remarks
from cleverdon.engine.machine import Others, facts
from cleverdon.errors import (
    InputError,
    OptionError,
    check_count,
    check_seed,
    check_within,
    check_word,
)

GROWING = ("index_time", "index_cpu", "index_memory", "index_overhead", "index_size")
"""What grows with the collection."""

SAMPLES = {
    "random": "documents drawn at random, in the order of the collection",
    "first": "the first documents of the collection",
}
"""How smaller sizes are chosen."""

LONGEST_INTERVAL = 60.0
"""Seconds; whoever looks more rarely sees no peaks."""

_ENDING = ("SIGTERM", "SIGHUP")  # asked to end; the terminal was closed

Update = Callable[[int, int], None]
"""Told how much is done, and of how much."""
Progress = Callable[[str], AbstractContextManager[Update]]
"""Opened for each step, with what it does."""


def measure_engine(
    engine: str | os.PathLike[str] | Mapping[str, Any],
    collection: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    name: str = "",
    **options: Any,
) -> Indexing:
    """What it takes an engine to index a collection; `options` are those of `measure`.

    The engine is named as on the command line, or given as a configuration: it is opened in a
    process of its own. Its index is built anew each time, and the last one stays.
    """
    return measure(engine_job(engine, name=name), paths_of(collection), **options)


def measure_command(
    command: str,
    collection: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    name: str = "",
    **options: Any,
) -> Indexing:
    """The same of a command; see `CommandJob` for what may stand in it."""
    files = paths_of(collection)
    return measure(CommandJob(command, tuple(files), name), files, **options)


def measure(
    job: Job,
    collection: Sequence[str],
    *,
    repeat: int = 3,
    sizes: Sequence[int | None] = (None,),
    sample: str = "random",
    seed: int = 0,
    output: str | None = None,
    watching: Watching = USUAL,
    progress: Progress | None = None,
) -> Indexing:
    """What a job takes: `repeat` builds at each of the sizes, of which None is all documents.

    A round goes over all sizes, the smallest first, before the next one begins: what changes on the
    machine meanwhile is then the same for all of them. `output` is where a command's last index
    goes; without it, it is deleted.
    """
    _check(job, sizes, repeat, sample, seed, output)
    check_within("interval", watching.interval, 0, LONGEST_INTERVAL)
    psutil()
    check_processes(watching.servers)
    _check_folders(watching.folders)
    step = progress or _silent
    with tempfile.TemporaryDirectory(prefix="cleverdon-") as folder, _terminable():
        with step("reading the collection") as update:
            path = os.path.join(folder, "documents.jsonl")
            whole = prepare(collection, path, progress=update)
        prepared = _sizes(whole, sizes, folder, seed if sample == "random" else None)
        others = Others()
        builds = _rounds(
            job, prepared, repeat, output=output, folder=folder, watching=watching, step=step
        )
        busy = others.cores(sum(_spent(made) for size in builds for made in size))
    found = tuple(
        Sized(size.documents, size.bytes, tuple(made))
        for size, made in zip(prepared, builds, strict=True)
    )
    return Indexing(
        system=job.name,
        sizes=found,
        growth=_growth(found),
        notes=remarks(job, found, watching, whole=whole.documents, others=busy),
        not_valid=invalidities(found),
        settings={
            "collection": list(collection),
            "documents": whole.documents,
            "bytes": whole.bytes,
            "repeat": repeat,
            "sizes": [size.documents for size in found],
            "sample": sample,
            "seed": seed,
            "interval": watching.interval,
            "servers": len(watching.servers),
            "watched": list(watching.folders),
            **job.settings,
        },
        machine=facts() | {"cores_busy_with_others": busy},
    )


def paths_of(
    collection: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
) -> list[str]:
    """The files and folders, of which there must be one."""
    given = [collection] if isinstance(collection, (str, os.PathLike)) else list(collection)
    if not given:
        raise OptionError("there is no collection to index: name a file or a folder")
    return [os.fspath(path) for path in given]


def _check(
    job: Job,
    sizes: Sequence[int | None],
    repeat: int,
    sample: str,
    seed: int,
    output: str | None,
) -> None:
    check_count("repeat", repeat)
    check_seed(seed)
    check_word("sample", sample, SAMPLES)
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
        raise InputError("is there already; name another place for the index", source=output)
    if not os.path.isdir(os.path.dirname(os.path.abspath(output))):
        raise InputError("there is no folder to put it into", source=output)


def _check_folders(folders: Sequence[str]) -> None:
    for folder in folders:
        if not os.path.exists(folder):
            raise InputError("there is no such file or folder to watch", source=folder)


def _sizes(
    whole: Prepared, sizes: Sequence[int | None], folder: str, seed: int | None
) -> list[Prepared]:
    """The documents of each size, the smallest first."""
    counts = sorted({whole.documents if size is None else size for size in sizes})
    if len(counts) < len(sizes):
        raise OptionError(f"two sizes are alike: the collection has {whole.documents:,} documents")
    return [
        whole
        if count == whole.documents
        else sampled(whole, count, os.path.join(folder, f"{count}.jsonl"), seed=seed)
        for count in counts
    ]


def _rounds(
    job: Job,
    prepared: Sequence[Prepared],
    repeat: int,
    *,
    output: str | None,
    folder: str,
    watching: Watching,
    step: Progress,
) -> list[list[Build]]:
    """The builds of each size; the last index of a command goes to `output`."""
    builds: list[list[Build]] = [[] for _ in prepared]
    for round in range(1, repeat + 1):
        for made, documents in zip(builds, prepared, strict=True):
            of_size = f" {documents.documents:,} documents" if len(prepared) > 1 else ""
            of_round = f", {round} of {repeat}" if repeat > 1 else ""
            label = f"indexing{of_size}{of_round}"
            with step(label) as update, _fresh_place(output, folder) as fresh:
                made.append(
                    build(
                        job,
                        documents,
                        fresh=fresh,
                        folder=folder,
                        watching=watching,
                        progress=update,
                    )
                )
                if output is not None and round == repeat and documents is prepared[-1]:
                    os.rename(fresh, output)
    return builds


@contextmanager
def _fresh_place(output: str | None, folder: str) -> Iterator[str]:
    """Where a command may put its index: alone in a folder, on the disk where the last one goes."""
    target = os.path.abspath(output or os.path.join(folder, "index"))
    parent, name = os.path.split(target)
    made = tempfile.mkdtemp(prefix=f".{name}.", dir=parent)
    try:
        yield os.path.join(made, name)
    finally:
        discard(made)


@contextmanager
def _terminable() -> Iterator[None]:
    """A signal to end is then an exception, as Ctrl-C is, so that nothing is left behind."""
    numbers = []
    if threading.current_thread() is threading.main_thread():
        known = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
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


def _silent(step: str) -> AbstractContextManager[Update]:
    return nullcontext(lambda done, total: None)


def _spent(made: Build) -> float:
    cpu = made.amounts.get("index_cpu")
    return cpu.value if cpu is not None else 0.0


def _growth(sizes: Sequence[Sized]) -> dict[str, Growth]:
    found: dict[str, Growth] = {}
    if len(sizes) < LEAST_SIZES:
        return found
    for name in GROWING:
        spreads = [size.spread(name) for size in sizes]
        values = [spread.median for spread in spreads if spread is not None]
        if len(values) == len(sizes):
            grown = growth([size.documents for size in sizes], values)
            if grown is not None:
                found[name] = grown
    return found
