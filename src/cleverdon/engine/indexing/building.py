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
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from threading import Thread
from time import perf_counter
from typing import IO, Any, TypeVar

from cleverdon.engine.cpu import NOTHING, Cpu
from cleverdon.engine.indexing.amounts import Outcome
from cleverdon.engine.indexing.disk import DiskUse, discard, unfinished
from cleverdon.engine.indexing.documents import Prepared
from cleverdon.engine.indexing.jobs import Job, Started
from cleverdon.engine.indexing.process_tree import ProcessTree, high_water
from cleverdon.engine.indexing.records import Build
from cleverdon.engine.indexing.sampling import INTERVAL, Sampler
from cleverdon.errors import CleverdonError

Progress = Callable[[int, int], None]
T = TypeVar("T")

_LAST_LINES = 5
_LAST_BYTES = 10_000
"""Of what was printed, where the last lines are looked for: programs may print no end of it."""
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

    `fresh` is where a command may put its index, in a folder of its own that whoever calls this
    clears away; `folder` is for files of our own. Whatever ends this, no process is left behind,
    and no part of an engine's index.
    """
    place = job.place(fresh)
    old = place is not None and os.path.lexists(place)
    with ExitStack() as stack:
        temporary = tempfile.mkdtemp(prefix="cleverdon-")
        stack.callback(shutil.rmtree, temporary, ignore_errors=True)
        errors = stack.enter_context(tempfile.NamedTemporaryFile(dir=folder))
        tree = ProcessTree(servers=watching.servers)
        disk = DiskUse(
            index=place,
            temporary=(temporary, os.path.dirname(fresh)),
            watched=watching.folders,
            pids=lambda: tree.pids,
        )
        started = job.started(documents, place)
        began = perf_counter()
        process = _process(started, stack, temporary, errors, reports=job.reports)
        with _whole_or_nothing(place, process.pid, old=old), _ended_with(tree):
            tree.begin(process.pid)
            looks = Sampler(tree.look, interval=watching.interval)
            with Sampler(disk.look, interval=watching.interval), looks:
                told = _reports(process, looks, documents, progress) if job.reports else {}
                waited = NOTHING if "done" in told else _wait(process, tree)
                wall = perf_counter() - began
            if "done" in told:
                _let_go(process)
            _check(started, process, told, errors)
            if not job.reports and place is not None and not os.path.lexists(place):
                raise IndexingFailure(_nothing_at(started, place))
        outcome = Outcome(job, documents, tree, disk, looks, watching.servers, watching.folders)
        return outcome.reported(told) if job.reports else outcome.waited_for(wall, waited)


def _process(
    started: Started, stack: ExitStack, temporary: str, errors: IO[bytes], *, reports: bool
) -> subprocess.Popen[bytes]:
    """The process, with a folder of its own for temporary files; it ends with the stack."""
    environment = os.environ | dict.fromkeys(_TEMPORARY, temporary)

    def start() -> subprocess.Popen[bytes]:
        given = started.stdin
        with nullcontext(subprocess.PIPE) if given is None else open(given, "rb") as stdin:
            return subprocess.Popen(
                started.words,
                stdin=stdin,
                stdout=subprocess.PIPE if reports else errors,
                stderr=errors,
                env=environment,
                start_new_session=True,  # Ctrl-C is for us alone, who then end all of it
            )

    # Ctrl-C must not come between its start and our knowing of it: it is started where no signal
    # interrupts, and what ends it is in place before.
    starting: Future[subprocess.Popen[bytes]] = Future()
    stack.callback(_ended, starting)
    try:
        process = _heard(start, starting)
    except OSError as error:
        reason = error.strerror or error
        raise IndexingFailure(f"{started.words[0]} cannot be started: {reason}") from None
    if started.told is not None and process.stdin is not None:
        with suppress(BrokenPipeError):  # then it has ended, and its exit code says why
            process.stdin.write(started.told.encode() + b"\n")
            process.stdin.flush()
    return process


def _ended(starting: Future[subprocess.Popen[bytes]]) -> None:
    """If it was started at all, it is over now, and nothing is written or read any more."""
    if starting.cancel() or starting.exception() is not None:
        return
    process = starting.result()
    if process.poll() is None:
        with suppress(OSError):  # it has just ended
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            _closed(pipe)


def _closed(pipe: IO[bytes]) -> None:
    with suppress(OSError):  # nobody reads it any more
        pipe.close()


@contextmanager
def _ended_with(tree: ProcessTree) -> Iterator[None]:
    """After an error or Ctrl-C, nothing that was started goes on."""
    try:
        yield
    except BaseException:
        tree.kill()
        raise


@contextmanager
def _whole_or_nothing(place: str | None, pid: int, *, old: bool) -> Iterator[None]:
    """After an error, what the process made of an index is taken away.

    An index that was there stays: at its place, or as .index.1234.before while it is replaced.
    """
    try:
        yield
    except BaseException:
        if place is not None:
            begun = [path for path in unfinished(place, {pid}) if not path.endswith(".before")]
            for path in begun if old else (*begun, place):
                discard(path)
        raise


def _reports(
    process: subprocess.Popen[bytes],
    looks: Sampler,
    documents: Prepared,
    progress: Progress | None,
) -> dict[str, Any]:
    """What the process says of itself, until it is done or ends."""
    told: dict[str, Any] = {}

    def read() -> None:
        for line in process.stdout or ():
            told.update(json.loads(line))
            if "begun" in told:  # looks before that were at Python as it starts
                told.setdefault("looks_before", looks.samples)
            if progress is not None and "taken" in told:
                progress(told["taken"], documents.documents)
            if "done" in told or "failed" in told:
                break

    _heard(read)
    return told


def _wait(process: subprocess.Popen[bytes], tree: ProcessTree) -> Cpu:
    """What the process spent, with the children that it waited for, once it has ended."""
    if not hasattr(os, "wait4"):  # Windows: sampling has to do
        _heard(process.wait)
        return NOTHING
    _, status, usage = _heard(lambda: os.wait4(process.pid, 0))
    process.returncode = os.waitstatus_to_exitcode(status)
    # The largest of these processes, to its very end; but before the program took over, it was a
    # copy of this process, and as large.
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if largest > high_water(os.getpid()) > 0:
        tree.at_least(largest)
    return Cpu(usage.ru_utime, usage.ru_stime)


def _heard(call: Callable[[], T], given: Future[T] | None = None) -> T:
    """What a call gives that may take long, while Ctrl-C is heard; `given` is where it comes.

    It is made in another thread, where no signal interrupts it. This one waits a little at a time:
    a signal that comes just before it waits, or to another thread, would not wake it up.
    """
    result: Future[T] = Future() if given is None else given

    def work() -> None:
        if not result.set_running_or_notify_cancel():
            return
        try:
            result.set_result(call())
        except BaseException as error:  # told to whoever waits for this
            result.set_exception(error)

    Thread(target=work, name="cleverdon-indexing", daemon=True).start()
    while not wait([result], timeout=_LISTEN).done:
        pass
    return result.result()


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
        known = -code in {one.value for one in signal.Signals}
        name = signal.Signals(-code).name if known else f"signal {-code}"
        hint = "; perhaps the system was out of memory" if name == "SIGKILL" else ""
        message = f"{what} was ended by {name}{hint}"
    else:
        message = f"{what} ended with exit code {code}"
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST_BYTES))
    lines = errors.read().decode("utf-8", "replace").splitlines()
    said = [line.strip() for line in lines if line.strip()][-_LAST_LINES:]
    raise IndexingFailure(f"{message}: {' | '.join(said)}" if said else message)


def _nothing_at(started: Started, place: str) -> str:
    message = f"{started.words[0]} ended well, and left nothing at {{output}}"
    there = sorted(os.listdir(os.path.dirname(place)))
    return f"{message}, but beside it: {', '.join(there)}" if there else message
