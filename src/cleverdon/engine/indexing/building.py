"""One index built in a process of its own, and watched while it is."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from time import perf_counter
from typing import IO, Any

from cleverdon.engine.indexing.amounts import Outcome
from cleverdon.engine.indexing.cpu import NOTHING, Cpu
from cleverdon.engine.indexing.disk import DiskUse, beside
from cleverdon.engine.indexing.documents import Prepared
from cleverdon.engine.indexing.jobs import Job, Started
from cleverdon.engine.indexing.process_tree import ProcessTree, high_water
from cleverdon.engine.indexing.records import Build
from cleverdon.engine.indexing.sampling import INTERVAL, Sampler
from cleverdon.errors import CleverdonError

Progress = Callable[[int, int], None]

_LAST_LINES = 5
_LISTEN = 0.2
"""Seconds between two moments in which Ctrl-C is certainly heard."""
_TEMPORARY = ("TMPDIR", "TMP", "TEMP", "SQLITE_TMPDIR")


class IndexingFailure(CleverdonError):
    """An index that was not built."""


@dataclass(frozen=True)
class Watching:
    """What is watched beside the process and its children, and how often."""

    servers: tuple[int, ...] = ()
    folders: tuple[str, ...] = ()
    interval: float = INTERVAL


USUAL = Watching()


def build(
    job: Job,
    documents: Prepared,
    *,
    fresh: str,
    folder: str,
    watching: Watching = USUAL,
    progress: Progress | None = None,
) -> Build:
    """Build an index of these documents, and say what it took.

    `fresh` is where a command may put its index, and `folder` is for files of our own. Whatever
    ends this, no process is left behind, and no part of an index.
    """
    place = job.place(fresh)
    with ExitStack() as stack:
        temporary = tempfile.mkdtemp(prefix="cleverdon-")
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        errors = stack.enter_context(tempfile.NamedTemporaryFile(dir=folder))
        stack.enter_context(_whole_or_nothing(place))
        tree = ProcessTree(servers=watching.servers)
        disk = DiskUse(
            index=place,
            temporary=temporary,
            watched=watching.folders,
            pids=lambda: tree.pids,
        )
        started = job.started(documents, place)
        began = perf_counter()
        process = stack.enter_context(_process(started, temporary, errors, reports=job.reports))
        with _ended_with(tree, process):
            tree.begin(process.pid)
            looks = Sampler(tree.look, interval=watching.interval)
            with Sampler(disk.look, interval=watching.interval), looks:
                told = _reports(process, documents, progress) if job.reports else {}
                waited = NOTHING if "done" in told else _wait(process, tree)
                wall = perf_counter() - began
            if "done" in told:
                _let_go(process)
            _check(started, process, told, errors)
        outcome = Outcome(job, documents, tree, disk, looks, watching.servers, watching.folders)
        return outcome.reported(told) if job.reports else outcome.waited_for(wall, waited)


@contextmanager
def _process(
    started: Started, temporary: str, errors: IO[bytes], *, reports: bool
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, with a folder of its own for temporary files; it has ended when this ends."""
    environment = os.environ | dict.fromkeys(_TEMPORARY, temporary)
    with ExitStack() as stack:
        stdin: Any = subprocess.PIPE
        if started.stdin is not None:
            stdin = stack.enter_context(open(started.stdin, "rb"))
        try:
            process = subprocess.Popen(
                started.words,
                stdin=stdin,
                stdout=subprocess.PIPE if reports else errors,
                stderr=errors,
                env=environment,
                start_new_session=True,  # Ctrl-C is for us alone, who then end all of it
            )
        except OSError as error:
            reason = error.strerror or error
            raise IndexingFailure(f"{started.words[0]} cannot be started: {reason}") from None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                stack.callback(_closed, pipe)
        stack.callback(_ended, process)
        if started.told is not None and process.stdin is not None:
            with suppress(BrokenPipeError):  # then it has ended, and its exit code says why
                process.stdin.write(started.told.encode() + b"\n")
                process.stdin.flush()
        yield process


def _ended(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()


def _closed(pipe: IO[bytes]) -> None:
    with suppress(OSError):  # nobody reads it any more
        pipe.close()


@contextmanager
def _ended_with(tree: ProcessTree, process: subprocess.Popen[bytes]) -> Iterator[None]:
    """After an error or Ctrl-C, nothing that was started goes on."""
    try:
        yield
    except BaseException:
        tree.kill()
        process.wait()
        raise


@contextmanager
def _whole_or_nothing(place: str | None) -> Iterator[None]:
    """After an error, what is new at the index's place is taken away again."""
    before = set(beside(place)) if place is not None else set()
    try:
        yield
    except BaseException:
        for path in set(beside(place)) - before if place is not None else ():
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    os.unlink(path)
        raise


def _reports(
    process: subprocess.Popen[bytes], documents: Prepared, progress: Progress | None
) -> dict[str, Any]:
    """What the process says of itself, until it is done or ends."""
    told: dict[str, Any] = {}
    for line in process.stdout or ():
        told |= json.loads(line)
        if progress is not None and "taken" in told:
            progress(told["taken"], documents.documents)
        if "done" in told or "failed" in told:
            break
    return told


def _wait(process: subprocess.Popen[bytes], tree: ProcessTree) -> Cpu:
    """What the process spent, with the children that it waited for, once it has ended."""
    if not hasattr(os, "wait4"):  # Windows: sampling has to do
        process.wait()
        return NOTHING
    with ThreadPoolExecutor(1) as waiting:
        # Not in this thread: a signal that comes just before it waits would not wake it up.
        ended = waiting.submit(os.wait4, process.pid, 0)
        try:
            while not ended.done():
                wait([ended], timeout=_LISTEN)
        except BaseException:
            tree.kill()  # before anything waits for the thread, which waits for the process
            raise
    _, status, usage = ended.result()
    process.returncode = os.waitstatus_to_exitcode(status)
    # The largest of these processes, to its very end; but before the program took over, it was a
    # copy of this process, and as large.
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if largest > high_water(os.getpid()) > 0:
        tree.at_least(largest)
    return Cpu(usage.ru_utime, usage.ru_stime)


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """The process that waits to be told so ends."""
    if process.stdin is not None:
        _closed(process.stdin)
    process.wait()


def _check(
    started: Started, process: subprocess.Popen[bytes], told: dict[str, Any], errors: IO[bytes]
) -> None:
    """Raise an IndexingFailure where no index was built."""
    if "failed" in told:
        raise IndexingFailure(f"indexing failed: {told['failed']}")
    code = process.returncode
    if code == 0:
        return
    what = "the process that indexes" if started.told is not None else started.words[0]
    if code < 0:
        name = signal.Signals(-code).name
        hint = "; perhaps the system was out of memory" if name == "SIGKILL" else ""
        message = f"{what} was ended by {name}{hint}"
    else:
        message = f"{what} ended with exit code {code}"
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if line.strip()][-_LAST_LINES:]
    raise IndexingFailure(f"{message}: {' | '.join(said)}" if said else message)
