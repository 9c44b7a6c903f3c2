"""Resource usage: processor time, memory and disk of the machine and of process trees.

Processor time. When a process ends and its parent waits for it, the system adds what it spent to
the parent's account; so waiting for the first process gives a total that no sampling could,
including children that lived for a moment. Missing are those that nobody in the tree waited for:
what was last seen of them is added. The sum of what was seen of single processes was certainly
spent: the larger of both counts.

Memory. Resident memory, summed over all processes at each sample; shared pages count for each
process. On Linux and Windows each process has a high-water mark, and the sum of these bounds what
the tree held at once. A new process may still be the image of its parent: it counts from the second
sample on, and not while it has exactly as much memory.

Disk. A file counts with its length, or with its blocks on disk where that is less; partly used
blocks are not rounded up, so that the same index has the same size on every disk. Files with
several names count once. Files that are open and deleted are found through the processes that hold
them (Linux only).
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from threading import Event, Thread
from time import monotonic, perf_counter, sleep, thread_time
from typing import Any, Self

from cleverdon import __version__
from cleverdon._common.extras import require
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class Cpu:
    """Seconds that processors spent: in the program itself, and in the system on its behalf."""

    user: float = 0.0
    system: float = 0.0

    @property
    def total(self) -> float:
        return self.user + self.system

    def __add__(self, other: Cpu) -> Cpu:
        return Cpu(self.user + other.user, self.system + other.system)

    def __sub__(self, other: Cpu) -> Cpu:
        return Cpu(max(0.0, self.user - other.user), max(0.0, self.system - other.system))


NO_CPU = Cpu()

CPU_TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 1 / 64
"""The step in which the system tells the time of other processes; that of Windows is 1/64 s."""


def spent() -> Cpu:
    """Return the processor time of this process and of its children that have ended."""
    try:
        import resource
    except ImportError:  # Windows, where children that have ended are forgotten
        times = os.times()
        return Cpu(times.user + times.children_user, times.system + times.children_system)
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Cpu(own.ru_utime + children.ru_utime, own.ru_stime + children.ru_stime)


def load_psutil() -> Any:
    return require("psutil", "measuring processes", extra="engine")


_BUSY = 0.2  # cores that other programs keep busy, from which on times are in doubt


def machine_facts() -> dict[str, Any]:
    """Return the facts that times and sizes depend on, without the machine's name."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "memory": load_psutil().virtual_memory().total,
        "python": platform.python_version(),
        "cleverdon": __version__,
    }


def disturbance_text(cores: float) -> str:
    """Return a note on the cores that other programs kept busy; empty if there were few."""
    if cores <= _BUSY:
        return ""
    return f"other programs kept {cores:.1f} cores busy meanwhile: times may be too long"


class OtherPrograms:
    """A counter of the cores that other programs keep busy from now on."""

    def __init__(self) -> None:
        self._began, self._busy, self._own = perf_counter(), _busy(), spent()

    def cores(self, measured: float) -> float:
        lasted = perf_counter() - self._began
        # What our children spent was counted once they ended, and is in `measured` already.
        ours = max((spent() - self._own).total, measured)
        return max(0.0, (_busy() - self._busy - ours) / lasted) if lasted > 0 else 0.0


def _busy() -> float:
    times = load_psutil().cpu_times()
    idle = ("idle", "iowait", "guest", "guest_nice", "steal")
    return float(sum(getattr(times, name) for name in times._fields if name not in idle))


def process_memory(pid: int) -> int:
    """Return resident memory in bytes; shared memory counts for each process."""
    library = load_psutil()
    try:
        process = library.Process(pid)
        family = [process, *process.children(recursive=True)]
        total = process.memory_info().rss
    except library.NoSuchProcess:
        raise OptionError(f"pid={pid}: there is no such process") from None
    except library.AccessDenied:
        raise OptionError(
            f"pid={pid}: this process is another user's, and may not be seen"
        ) from None
    for child in family[1:]:
        try:
            total += child.memory_info().rss
        except (library.NoSuchProcess, library.AccessDenied):
            continue  # it ended meanwhile
    return int(total)


_KILL_GRACE = 1.0  # seconds that processes get to end by themselves before they are ended
_END_MOMENT = 0.2  # seconds in which helpers end that only wait for the first process to do so
_HIGH_WATER = re.compile(rb"VmHWM:\s*(\d+) kB")


@dataclass
class _SeenProcess:
    process: Any  # psutil.Process
    server: bool
    fresh: bool  # seen for the first time
    own: Cpu = NO_CPU
    family: Cpu = NO_CPU  # with the children that it waited for
    memory: int = 0
    high: int = 0
    marked: bool = False  # whether the system keeps a high-water mark
    parent: int = 0
    orphan: bool = False
    alive: bool = True


class ProcessTree:
    """The tree below a process, and perhaps those of servers that work for it."""

    def __init__(self, *, servers: Sequence[int] = ()) -> None:
        self._gone = (
            load_psutil().NoSuchProcess,
            load_psutil().ZombieProcess,
            load_psutil().AccessDenied,
        )
        self._seen: dict[int, _SeenProcess] = {}
        self._root, self._servers = 0, check_processes(servers)
        self._leads = False
        self._last = 0
        self.memory = 0  # the most that was seen at once
        self.memory_bound = 0
        """More than that it cannot have been, but for what lived between two looks only."""
        self.sample()
        self._before = self._server_spent()
        self.server_memory, self.memory, self.memory_bound = self.memory, 0, 0
        """The memory that servers held before indexing began."""

    def begin(self, pid: int) -> None:
        self._root = pid
        self._leads = hasattr(os, "getsid") and os.getsid(pid) == pid
        self._add(pid, server=False)

    def sample(self) -> None:
        for server in self._servers:
            for pid in (server, *_descendants(server)):
                self._add(pid, server=True)
        if self._root:
            for pid in self._below():
                self._add(pid, server=False)
        memory = bound = 0
        unsure = False
        for seen in self._seen.values():
            if seen.alive:
                self._read(seen)
                if seen.fresh or self._is_image(seen):
                    seen.fresh, seen.high = False, 0
                    continue
                memory += seen.memory if seen.alive else 0
                bound += seen.high  # one that has just ended may have been there until now
                unsure |= seen.memory > 0 and not seen.marked
        marks = (seen.high for seen in self._seen.values() if seen.marked)
        self.memory = max(self.memory, memory, max(marks, default=0))
        # Without a mark, what was not seen is taken to be no more than what a look adds.
        bound += unsure * abs(memory - self._last)
        self.memory_bound = max(self.memory_bound, bound, self.memory)
        self._last = memory

    def spent(self, waited: Cpu, *, before: Cpu = NO_CPU) -> Cpu:
        """Return the CPU time of all; `waited` is the account of the first, opened at `before`."""
        tree = [seen for seen in self._seen.values() if not seen.server]
        accounted = sum((seen.family for seen in self._unwaited()), waited)
        sampled = sum((seen.own for seen in tree), NO_CPU) - before
        return max(accounted, sampled, key=lambda cpu: cpu.total) + (
            self._server_spent() - self._before
        )

    def unwaited(self) -> int:
        """Count the processes in nobody's account: orphans, and those that still run."""
        return len(self._unwaited())

    def running(self) -> int:
        """Count the processes, without servers, that do not end in a moment."""
        left = [seen.process for seen in self._seen.values() if not seen.server]
        return len(_still_running(left, _END_MOMENT))

    def at_least(self, memory: int) -> None:
        self.memory = max(self.memory, memory)
        self.memory_bound = max(self.memory_bound, memory)

    @property
    def pids(self) -> list[int]:
        """The processes alive at the last sample, with servers."""
        return [pid for pid, seen in list(self._seen.items()) if seen.alive]

    def kill(self) -> None:
        with suppress(*self._gone):
            self.sample()
        left = [seen.process for seen in self._seen.values() if not seen.server]
        try:
            self._send(signal.SIGTERM, left)
            left = _still_running(left, _KILL_GRACE)
        finally:  # also where Ctrl-C is pressed once more
            self._send(getattr(signal, "SIGKILL", signal.SIGTERM), left)
            if self._leads:  # one that was started since the last look
                with suppress(OSError):
                    os.killpg(self._root, signal.SIGKILL)

    def _send(self, how: signal.Signals, processes: Sequence[Any]) -> None:
        for process in processes:
            with suppress(*self._gone):
                process.send_signal(how)

    def _add(self, pid: int, *, server: bool) -> None:
        known = self._seen.get(pid)
        if known is None or not known.alive:
            with suppress(*self._gone):
                fresh = pid != self._root and not server
                self._seen[pid] = _SeenProcess(load_psutil().Process(pid), server, fresh)

    def _read(self, seen: _SeenProcess) -> None:
        try:
            with seen.process.oneshot():
                times, held = seen.process.cpu_times(), seen.process.memory_info()
                seen.parent = seen.process.ppid()
                seen.orphan = seen.parent not in self._seen
        except self._gone:
            seen.alive = False
            return
        seen.own = Cpu(times.user, times.system)
        waited = Cpu(getattr(times, "children_user", 0.0), getattr(times, "children_system", 0.0))
        seen.family = seen.own + waited
        if not held.rss:
            # It has ended, but nobody has waited for it: what it held, it held until this look.
            seen.high, seen.memory = seen.high if seen.memory else 0, 0
            return
        seen.memory = held.rss
        # The mark of a server covers its whole life, not only this work.
        mark = 0 if seen.server else high_water_mark(seen.process.pid)
        if mark or not seen.marked:  # else it ends just now, and its last mark stays
            seen.marked, seen.high = mark > 0, max(mark, held.rss)

    def _is_image(self, seen: _SeenProcess) -> bool:
        parent = self._seen.get(seen.parent)
        return parent is not None and parent.alive and parent.memory == seen.memory

    def _below(self) -> Iterator[int]:
        tree = ((pid, seen) for pid, seen in self._seen.items() if not seen.server)
        lost = [pid for pid, seen in tree if seen.orphan and seen.alive]
        for top in {self._root, *lost}:
            yield from _descendants(top)
        if self._leads:
            for pid in load_psutil().pids():
                with suppress(OSError):
                    if os.getsid(pid) == self._root and pid != self._root:
                        yield pid

    def _unwaited(self) -> list[_SeenProcess]:
        return [
            seen
            for pid, seen in self._seen.items()
            if not seen.server and pid != self._root and (seen.orphan or seen.alive)
        ]

    def _server_spent(self) -> Cpu:
        alive = (seen for seen in self._seen.values() if seen.server and seen.alive)
        return sum((seen.family for seen in alive), NO_CPU)


def check_processes(pids: Sequence[int]) -> tuple[int, ...]:
    """Return the processes; raise an OptionError if one does not exist."""
    for pid in pids:
        try:
            there = load_psutil().pid_exists(pid)
        except OverflowError:  # larger than any number of a process
            there = False
        if not there:
            raise OptionError(f"there is no process {pid} to watch; name one that runs")
    return tuple(pids)


def _still_running(processes: Sequence[Any], patience: float) -> list[Any]:
    until = monotonic() + patience
    left = [one for one in processes if _runs(one)]
    while left and monotonic() < until:
        sleep(0.005)
        left = [one for one in left if _runs(one)]
    return left


def _runs(process: Any) -> bool:
    try:
        return bool(process.is_running() and process.status() != load_psutil().STATUS_ZOMBIE)
    except (load_psutil().NoSuchProcess, load_psutil().AccessDenied):
        return False


def high_water_mark(pid: int) -> int:
    """Return the peak memory of a process in bytes; 0 if the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            found = _HIGH_WATER.search(file.read())
        return int(found[1]) * 1024 if found else 0
    except OSError:
        pass
    with suppress(load_psutil().Error):
        return int(getattr(load_psutil().Process(pid).memory_info(), "peak_wset", 0))
    return 0


def _descendants(pid: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        threads = []
    listed = False
    for thread in threads:
        with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
            listed = True
            for child in map(int, file.read().split()):
                yield child
                yield from _descendants(child)
    if not listed:
        # Where the system keeps no such lists, psutil asks all processes for their parents.
        with suppress(load_psutil().NoSuchProcess, load_psutil().AccessDenied):
            yield from (child.pid for child in load_psutil().Process(pid).children(recursive=True))


SAMPLING_INTERVAL = 0.02  # seconds between two looks, unless looking itself takes long

_SAMPLING_SHARE = 0.1
"""Looking takes no more than this share of one core: what is measured should not notice."""


class Sampler:
    """Calls a function over and over in a thread, until it is left."""

    def __init__(self, look: Callable[[], None], *, interval: float = SAMPLING_INTERVAL) -> None:
        self._look, self._interval = look, interval
        self._stop = Event()
        self._thread = Thread(target=self._work, name="cleverdon-sampler", daemon=True)
        self._error: BaseException | None = None
        self._last: float | None = None
        self.samples = 0
        self.longest = 0.0
        """The longest time between two looks: nothing that lasted longer was missed."""

    def __enter__(self) -> Self:
        self._once()
        self._thread.start()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._stop.set()
        self._thread.join()
        if kind is None:
            if self._error is not None:
                raise self._error
            self._once()

    def _work(self) -> None:
        pause = self._interval
        try:
            while not self._stop.wait(pause):
                pause = max(self._interval, self._once() * (1 / _SAMPLING_SHARE - 1))
        except BaseException as error:  # raised when the sampler ends
            self._error = error

    def _once(self) -> float:
        """Take a sample, and return its processor time, which may be far below its duration."""
        began, busy = perf_counter(), thread_time()
        if self._last is not None:
            self.longest = max(self.longest, began - self._last)
        self._last = began
        self._look()
        self.samples += 1
        return thread_time() - busy


_FileSizes = dict[tuple[int, int], int]  # bytes by device and number of the file

_INDEX_SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The endings of an index's files: its own, and those of SQLite's journals."""
_NO_DISK = ("/memfd:", "/dev/shm/", "/dev/zero", "/SYSV", "/anon_hugepage")


class DiskUse:
    """The disk that an index, temporary files and watched folders take."""

    def __init__(
        self,
        *,
        index: str | None,
        temporary: Sequence[str],
        watched: Sequence[str] = (),
        pids: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        self._index, self._temporary, self._watched = index, temporary, watched
        self._pids = pids
        self._before = self._now()
        self._rest = sum(_size_of(place) for place in watched)
        self._last = 0
        self.peak = 0  # the most that was seen, beyond what was there at the start
        self.largest_rise = 0
        """The most that came between two looks: as much may have come and gone unseen."""

    @property
    def sees_index(self) -> bool:
        """True if the index is among the sampled files, as far as is known."""
        return self._index is not None or bool(self._watched)

    def sample(self) -> None:
        now = self._now() - self._before
        self.largest_rise = max(self.largest_rise, now - self._last)
        self.peak = max(self.peak, now)
        self._last = now

    def index(self) -> int:
        """Return the present size of the index."""
        return sum(self._of_index().values())

    def kept(self) -> int:
        index = self._of_index()
        held = dict(index)
        for place in self._watched:
            held |= _files_at(place)
        rest = sum(held.values()) - sum(index.values())
        return sum(index.values()) + max(0, rest - self._rest)

    def _of_index(self) -> _FileSizes:
        held: _FileSizes = {}
        for end in _INDEX_SUFFIXES if self._index is not None else ():
            held |= _files_at(f"{self._index}{end}")
        return held

    def _now(self) -> int:
        held, pids = self._of_index(), set(self._pids())
        begun = unfinished_files(self._index, pids) if self._index is not None else ()
        for place in (*begun, *self._temporary, *self._watched):
            held |= _files_at(place)
        for pid in pids:
            held |= _deleted_files(pid)
        return sum(held.values())


def _size_of(path: str) -> int:
    return sum(_files_at(path).values())


def _files_at(path: str) -> _FileSizes:
    """Return a file, or all files below a folder; links are not followed."""
    held: _FileSizes = {}
    with suppress(OSError):  # gone since it was listed
        found = os.lstat(path)
        if S_ISDIR(found.st_mode):
            with os.scandir(path) as entries:
                for entry in entries:
                    held |= _files_at(entry.path)
        elif S_ISREG(found.st_mode):
            held[found.st_dev, found.st_ino] = _file_bytes(found)
    return held


def unfinished_files(index: str, pids: Container[int]) -> list[str]:
    """Find the parts of an unfinished index: .index.db.1234, if 1234 is one of the processes."""
    place = Path(index)
    begun = re.compile(rf"\.{re.escape(place.name)}\.(\d+)(?!\d)")
    try:
        found = [(name, begun.match(name)) for name in os.listdir(place.parent)]
    except OSError:
        return []
    return [str(place.parent / name) for name, of in found if of and int(of[1]) in pids]


def delete_path(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def _file_bytes(found: os.stat_result) -> int:
    blocks = getattr(found, "st_blocks", None)
    return found.st_size if blocks is None else min(found.st_size, blocks * 512)


def _deleted_files(pid: int) -> _FileSizes:
    held: _FileSizes = {}
    with suppress(OSError):
        for number in os.listdir(f"/proc/{pid}/fd"):
            link = f"/proc/{pid}/fd/{number}"
            with suppress(OSError):
                name = os.readlink(link)
                if name.endswith(" (deleted)") and not name.startswith(_NO_DISK):
                    found = os.stat(link)
                    if S_ISREG(found.st_mode):
                        held[found.st_dev, found.st_ino] = _file_bytes(found)
    return held
