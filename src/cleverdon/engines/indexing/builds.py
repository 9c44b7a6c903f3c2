"""One build of an index by an engine or a command, in a process that is watched."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from threading import Thread
from time import perf_counter
from typing import IO, Any, TypeVar

from cleverdon._common.arrays import Ints
from cleverdon._common.progress import Progress
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.indexing.results import Amount, Build
from cleverdon.engines.protocol import Engine
from cleverdon.engines.resources import (
    CPU_TICK,
    NO_CPU,
    SAMPLING_INTERVAL,
    Cpu,
    DiskUse,
    ProcessTree,
    Sampler,
    delete_path,
    high_water_mark,
    unfinished_files,
)
from cleverdon.errors import CleverdonError, OptionError


@dataclass(frozen=True, eq=False)
class DocumentFile:
    """Documents as a file: an object with id, title and text on each line."""

    path: str
    sizes: Ints  # bytes of each document's title and text, in UTF-8

    @property
    def documents(self) -> int:
        return len(self.sizes)

    @property
    def bytes(self) -> int:
        """The size of the text, without ids and JSON syntax."""
        return int(self.sizes.sum())


@dataclass(frozen=True)
class ProcessStart:
    """The command of a process and its standard input."""

    words: tuple[str, ...]
    stdin: str | None = None  # a file that is its standard input
    message: str | None = None  # a line that is written to its standard input, which stays open


@dataclass(frozen=True)
class EngineJob:
    """An engine, opened anew in the process that indexes."""

    given: str | Mapping[str, Any]
    engine: Engine
    named: str = ""
    reports = True  # the process reports its own costs

    @property
    def name(self) -> str:
        return self.named or self.engine.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"engine": dict(self.engine.settings)}

    @property
    def hidden(self) -> bool:
        return not self.engine.in_process

    @property
    def replaces(self) -> bool:
        # Engines that delete documents only on request have an option of this name.
        return getattr(self.engine, "replace", True) is not False

    def place(self, fresh: str) -> str | None:
        return self.engine.place

    def started(self, documents: DocumentFile, place: str | None) -> ProcessStart:
        message = json.dumps({"engine": self.given, "input": documents.path})
        return ProcessStart(
            (sys.executable, "-m", "cleverdon.engines.indexing.worker"), message=message
        )


@dataclass(frozen=True)
class CommandJob:
    """A program that is given documents in a file, or on its standard input.

    `{input}` stands for a file of JSON lines with id, title and text; `{files}` for the collection
    as it was given, which cannot be cut to sizes; `{output}` for where to put the index. Where
    neither of the first two is there, the lines are the program's standard input.
    """

    command: str
    files: tuple[str, ...]
    named: str = ""
    reports = False
    hidden = False
    replaces = True

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"command {self.command!r} cannot be read: {error}") from None
        if not words:
            raise OptionError("the command is empty; give a program and its arguments")
        if shutil.which(words[0]) is None:
            raise OptionError(f"there is no program {words[0]!r}, or it cannot be run")

    @property
    def name(self) -> str:
        return self.named or os.path.basename(shlex.split(self.command)[0])

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"command": self.command}

    @property
    def takes_files(self) -> bool:
        return "{files}" in self.command

    def place(self, fresh: str) -> str | None:
        return fresh if "{output}" in self.command else None

    def started(self, documents: DocumentFile, place: str | None) -> ProcessStart:
        words: list[str] = []
        for word in shlex.split(self.command):
            filled = word.replace("{input}", documents.path).replace("{output}", place or "")
            words += self.files if word == "{files}" else [filled]
        piped = not self.takes_files and "{input}" not in self.command
        return ProcessStart(tuple(words), stdin=documents.path if piped else os.devnull)


IndexingJob = EngineJob | CommandJob


def engine_job(given: str | os.PathLike[str] | Mapping[str, Any], *, name: str = "") -> EngineJob:
    if not isinstance(given, (str, os.PathLike, Mapping)):
        raise OptionError(
            f"{type(given).__name__!r} cannot be indexed with: give the engine by its name or as a "
            "configuration, since it is opened in a process of its own"
        )
    engine = open_engine(given)
    if type(engine).index is Engine.index:
        engine.index(())  # which says why it cannot
    text = os.fspath(given) if isinstance(given, os.PathLike) else given
    return EngineJob(text, engine, name)


def check_repeatable(job: IndexingJob, builds: int) -> None:
    """Raise an OptionError where a second build could not replace the first one."""
    if builds > 1 and not job.replaces:
        raise OptionError(
            f"{job.name} is indexed {builds} times, and may not replace what is there: set its "
            "option replace to true, or measure once, with one size"
        )


@dataclass(frozen=True)
class BuildOutcome:
    """All that watched a build, once it is over."""

    job: IndexingJob
    documents: DocumentFile
    tree: ProcessTree
    disk: DiskUse
    sampler: Sampler
    watching: WatchOptions

    def from_reports(self, reported: Mapping[str, Any]) -> Build:
        """Return the build by the reports of its process, without starting and reading."""
        done, begun = reported["done"], dict(reported["begun"])
        resident = begun.pop("memory")
        reading, wall = done["reading"], done["wall"]
        cpu = self.tree.spent(Cpu(**done["cpu"]), before=Cpu(**begun))
        cpu -= Cpu(user=done["reading_cpu"])
        # Other threads and processes do not wait for us to read. So much of the reading may have
        # been beside their work, and is not taken away.
        overlap = reading
        if not self.job.hidden and not self.tree.unwaited():
            overlap = min(reading, done["elsewhere"])
        time = Amount(wall - reading + overlap, less=done["timing"] + overlap)
        amounts = self._amounts(time, cpu)
        amounts["reading"] = Amount(reading)
        if resident is not None and "index_memory" in amounts:
            amounts["memory_before"] = Amount(resident + self.tree.server_memory)
        return self._build(
            amounts,
            samples=self.sampler.samples - reported["samples_before"],
            size=done["size"],
            taken=done["taken"],
            overlap=overlap,
        )

    def from_waiting(self, wall: float, waited: Cpu) -> Build:
        amounts = self._amounts(Amount(wall), self.tree.spent(waited))
        return self._build(amounts, samples=self.sampler.samples)

    def _amounts(self, time: Amount, cpu: Cpu) -> dict[str, Amount]:
        amounts = {"index_time": time}
        if time.value > 0:
            for name, amount in (
                ("documents_rate", self.documents.documents),
                ("text_rate", self.documents.bytes),
            ):
                rate = amount / time.value
                fastest = amount / (time.value - time.less) if time.less < time.value else rate
                slowest = amount / (time.value + time.more)
                amounts[name] = Amount(rate, less=rate - slowest, more=fastest - rate)
        if self.job.hidden and not self.watching.servers:
            return amounts  # who did the work was not seen
        # The time of unwaited processes after the last sample is unknown.
        unseen = self.tree.unwaited() * self.sampler.longest + CPU_TICK * len(self.watching.servers)
        amounts["index_cpu"] = Amount(cpu.total, more=unseen)
        amounts["cpu_user"] = Amount(cpu.user, more=unseen)
        amounts["cpu_system"] = Amount(cpu.system, more=unseen)
        memory = self.tree.memory
        amounts["index_memory"] = Amount(memory, more=self.tree.memory_bound - memory)
        return amounts

    def _build(
        self,
        amounts: dict[str, Amount],
        *,
        samples: int,
        size: int | None = None,
        taken: int | None = None,
        overlap: float = 0.0,
    ) -> Build:
        index = self.disk.index() or size
        if index is None and self.watching.folders:
            index = self.disk.kept()
        if index is not None:
            amounts["index_size"] = Amount(index)
            if self.documents.bytes:
                amounts["index_ratio"] = Amount(index / self.documents.bytes)
        missed = self.disk.largest_rise
        if self.disk.sees_index:
            # Other files that stay, as a server's log, count as overhead.
            peak = max(self.disk.peak, index or 0)
            amounts["disk_peak"] = Amount(peak, more=missed)
            amounts["index_overhead"] = Amount(peak - (index or 0), more=missed)
        elif not self.job.hidden:
            amounts["index_overhead"] = Amount(self.disk.peak, more=missed)
        return Build(
            documents=self.documents.documents,
            bytes=self.documents.bytes,
            amounts=amounts,
            samples=samples,
            longest_gap=self.sampler.longest,
            taken=taken,
            left=self.tree.running(),
            overlap=overlap,
        )


T = TypeVar("T")

_LAST_LINES = 5
_LAST_BYTES = 10_000  # the end of the output in which the last lines are looked for
_SIGNAL_INTERVAL = 0.2  # seconds between two moments in which Ctrl-C is certainly heard
_TEMPORARY_VARIABLES = ("TMPDIR", "TMP", "TEMP", "SQLITE_TMPDIR")


class IndexingFailure(CleverdonError):
    """An index that was not built."""


@dataclass(frozen=True)
class WatchOptions:
    """Other processes and folders to watch, and the seconds between samples.

    >>> WatchOptions(folders=("/var/lib/search",)).interval
    0.02
    """

    servers: tuple[int, ...] = ()
    folders: tuple[str, ...] = ()
    interval: float = SAMPLING_INTERVAL


DEFAULT_WATCH = WatchOptions()


def build_index(
    job: IndexingJob,
    documents: DocumentFile,
    *,
    fresh: str,
    folder: str,
    watching: WatchOptions = DEFAULT_WATCH,
    step: str = "indexing",
    progress: Progress | None = None,
) -> Build:
    """Build an index, and measure it. After an error no process and no part of an index is left."""
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
        process = _start_process(started, stack, temporary, errors, reports=job.reports)
        with _whole_or_nothing(place, process.pid, old=old), _kill_on_error(tree):
            tree.begin(process.pid)
            sampler = Sampler(tree.sample, interval=watching.interval)
            with Sampler(disk.sample, interval=watching.interval), sampler:
                reported = (
                    _read_reports(process, sampler, documents, step, progress)
                    if job.reports
                    else {}
                )
                waited = NO_CPU if "done" in reported else _wait_for_process(process, tree)
                wall = perf_counter() - began
            if "done" in reported:  # the process waits to be let go
                if process.stdin is not None:
                    _close_pipe(process.stdin)
                process.wait()
            _check_built(started, process, reported, errors)
            if not job.reports and place is not None and not os.path.lexists(place):
                there = ", ".join(sorted(os.listdir(os.path.dirname(place))))
                raise IndexingFailure(
                    f"{started.words[0]} ended well, and left nothing at {{output}}"
                    + (f", but next to it: {there}" if there else "")
                )
        outcome = BuildOutcome(job, documents, tree, disk, sampler, watching)
        return outcome.from_reports(reported) if job.reports else outcome.from_waiting(wall, waited)


def _start_process(
    started: ProcessStart, stack: ExitStack, temporary: str, errors: IO[bytes], *, reports: bool
) -> subprocess.Popen[bytes]:
    """Start the process, with its own folder for temporary files; it ends with the stack."""
    environment = os.environ | dict.fromkeys(_TEMPORARY_VARIABLES, temporary)

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
    stack.callback(_end_process, starting)
    try:
        process = _call_interruptibly(start, starting)
    except OSError as error:
        reason = error.strerror or error
        raise IndexingFailure(f"{started.words[0]} cannot be started: {reason}") from None
    if started.message is not None and process.stdin is not None:
        with suppress(BrokenPipeError):  # then it has ended, and its exit code says why
            process.stdin.write(started.message.encode() + b"\n")
            process.stdin.flush()
    return process


def _end_process(starting: Future[subprocess.Popen[bytes]]) -> None:
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
            _close_pipe(pipe)


def _close_pipe(pipe: IO[bytes]) -> None:
    with suppress(OSError):  # nobody reads it any more
        pipe.close()


@contextmanager
def _kill_on_error(tree: ProcessTree) -> Iterator[None]:
    try:
        yield
    except BaseException:
        tree.kill()
        raise


@contextmanager
def _whole_or_nothing(place: str | None, pid: int, *, old: bool) -> Iterator[None]:
    """Delete the unfinished index after an error; an older index stays."""
    try:
        yield
    except BaseException:
        if place is not None:
            begun = [
                path for path in unfinished_files(place, {pid}) if not path.endswith(".before")
            ]
            for path in begun if old else (*begun, place):
                delete_path(path)
        raise


def _read_reports(
    process: subprocess.Popen[bytes],
    sampler: Sampler,
    documents: DocumentFile,
    step: str,
    progress: Progress | None,
) -> dict[str, Any]:
    reported: dict[str, Any] = {}

    def read() -> None:
        for line in process.stdout or ():
            reported.update(json.loads(line))
            if "begun" in reported:  # earlier samples are of Python as it starts
                reported.setdefault("samples_before", sampler.samples)
            if progress is not None and "taken" in reported:
                progress(step, reported["taken"], documents.documents)
            if "done" in reported or "failed" in reported:
                break

    _call_interruptibly(read)
    return reported


def _wait_for_process(process: subprocess.Popen[bytes], tree: ProcessTree) -> Cpu:
    """Wait for the process, and return its processor time with that of its children."""
    if not hasattr(os, "wait4"):  # Windows: sampling has to do
        _call_interruptibly(process.wait)
        return NO_CPU
    _, status, usage = _call_interruptibly(lambda: os.wait4(process.pid, 0))
    process.returncode = os.waitstatus_to_exitcode(status)
    # The largest of these processes, to its very end; but before the program took over, it was a
    # copy of this process, and as large.
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if largest > high_water_mark(os.getpid()) > 0:
        tree.at_least(largest)
    return Cpu(usage.ru_utime, usage.ru_stime)


def _call_interruptibly(call: Callable[[], T], given: Future[T] | None = None) -> T:
    # In another thread, where no signal interrupts it. This one waits a little at a time: a signal
    # that comes just before it waits, or to another thread, would not wake it up.
    result: Future[T] = Future() if given is None else given

    def work() -> None:
        if not result.set_running_or_notify_cancel():
            return
        try:
            result.set_result(call())
        except BaseException as error:  # raised where the result is awaited
            result.set_exception(error)

    Thread(target=work, name="cleverdon-indexing", daemon=True).start()
    while not wait([result], timeout=_SIGNAL_INTERVAL).done:
        pass
    return result.result()


def _check_built(
    started: ProcessStart,
    process: subprocess.Popen[bytes],
    reported: dict[str, Any],
    errors: IO[bytes],
) -> None:
    if "failed" in reported:
        raise IndexingFailure(f"indexing failed: {reported['failed']}")
    code = process.returncode
    if code == 0:
        return
    what = "the process that indexes" if started.message is not None else started.words[0]
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
