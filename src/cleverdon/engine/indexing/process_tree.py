"""A process and all that it started: their processor time and their memory, sampled.

Processor time. When a process ends and its parent waits for it, the system adds what it spent to
the parent's account; so waiting for the first process gives a total that no sampling could, of
children that lived for a moment as well. Missing there are those that nobody in the tree waited
for: they outlived their parents, or still run. They are known by having been seen, and what was
last seen of them is added. Whatever the system says, the sum of what was seen of single processes
is spent: the larger of both is told.

Memory. What is resident, summed over all processes at each look. Pages that processes share are
counted for each of them, as after a fork. Between two looks there may have been more: on Linux and
Windows each process has a high-water mark, and the sum of these bounds what the tree held at once.
For a single process both are the same, and the peak is exact. A new process may still be the image
of its parent, and seem to have all of its memory: it counts from the second look on, and not while
it has exactly as much as its parent.
"""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

from cleverdon.engine.cpu import NOTHING, Cpu, psutil
from cleverdon.errors import OptionError

_GRACE = 1.0
"""Seconds that processes get to end by themselves before they are ended."""
_MOMENT = 0.2
"""Seconds in which helpers end that only wait for the first process to do so."""
_HIGH = re.compile(rb"VmHWM:\s*(\d+) kB")


@dataclass
class _Seen:
    """What was last seen of a process."""

    process: Any  # psutil.Process
    server: bool
    fresh: bool  # seen for the first time
    own: Cpu = NOTHING
    family: Cpu = NOTHING  # with the children that it waited for
    memory: int = 0
    high: int = 0
    marked: bool = False  # whether the system keeps a high-water mark
    parent: int = 0
    orphan: bool = False
    alive: bool = True


class ProcessTree:
    """The tree below a process, and perhaps those of servers that work for it."""

    def __init__(self, *, servers: Sequence[int] = ()) -> None:
        self._gone = (psutil().NoSuchProcess, psutil().ZombieProcess, psutil().AccessDenied)
        self._seen: dict[int, _Seen] = {}
        self._root, self._servers = 0, check_processes(servers)
        self._leads = False
        self._last = 0
        self.memory = 0
        """The most that was seen at once."""
        self.memory_bound = 0
        """More than that it cannot have been, but for what lived between two looks only."""
        self.look()
        self._before = self._server_spent()
        self.server_memory, self.memory, self.memory_bound = self.memory, 0, 0
        """Of the most, what servers held before anything began."""

    def begin(self, pid: int) -> None:
        """This is the first process."""
        self._root = pid
        self._leads = hasattr(os, "getsid") and os.getsid(pid) == pid
        self._add(pid, server=False)

    def look(self) -> None:
        """See what there is now, and keep the most."""
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

    def spent(self, waited: Cpu, *, before: Cpu = NOTHING) -> Cpu:
        """What all spent, servers included; `waited` is what waiting for the first process gave.

        `before` is what the first process had spent when that account was opened.
        """
        tree = [seen for seen in self._seen.values() if not seen.server]
        told = sum((seen.family for seen in self._unwaited()), waited)
        sampled = sum((seen.own for seen in tree), NOTHING) - before
        return max(told, sampled, key=lambda cpu: cpu.total) + self.spent_by_servers()

    def spent_by_servers(self) -> Cpu:
        """What servers spent since this began."""
        return self._server_spent() - self._before

    def unwaited(self) -> int:
        """How many processes are in nobody's account: they lost their parents, or run still."""
        return len(self._unwaited())

    def running(self) -> int:
        """How many of the processes, servers aside, run on and do not end in a moment."""
        left = [seen.process for seen in self._seen.values() if not seen.server]
        return len(_still_running(left, _MOMENT))

    def at_least(self, memory: int) -> None:
        """So much was held at once, as is known from elsewhere."""
        self.memory = max(self.memory, memory)
        self.memory_bound = max(self.memory_bound, memory)

    @property
    def pids(self) -> list[int]:
        """All that were alive at the last look, servers among them."""
        return [pid for pid, seen in list(self._seen.items()) if seen.alive]

    def kill(self) -> None:
        """End all of them, servers aside."""
        with suppress(*self._gone):
            self.look()
        left = [seen.process for seen in self._seen.values() if not seen.server]
        try:
            self._send(signal.SIGTERM, left)
            left = _still_running(left, _GRACE)
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
                self._seen[pid] = _Seen(psutil().Process(pid), server, fresh)

    def _read(self, seen: _Seen) -> None:
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
        # That of a server is of its whole life, and not of this work.
        mark = 0 if seen.server else high_water(seen.process.pid)
        if mark or not seen.marked:  # else it ends just now, and its last mark stays
            seen.marked, seen.high = mark > 0, max(mark, held.rss)

    def _is_image(self, seen: _Seen) -> bool:
        parent = self._seen.get(seen.parent)
        return parent is not None and parent.alive and parent.memory == seen.memory

    def _below(self) -> Iterator[int]:
        """All that were started, also those that lost their parents and are below nobody."""
        tree = ((pid, seen) for pid, seen in self._seen.items() if not seen.server)
        lost = [pid for pid, seen in tree if seen.orphan and seen.alive]
        for top in {self._root, *lost}:
            yield from _descendants(top)
        if self._leads:
            for pid in psutil().pids():
                with suppress(OSError):
                    if os.getsid(pid) == self._root and pid != self._root:
                        yield pid

    def _unwaited(self) -> list[_Seen]:
        return [
            seen
            for pid, seen in self._seen.items()
            if not seen.server and pid != self._root and (seen.orphan or seen.alive)
        ]

    def _server_spent(self) -> Cpu:
        alive = (seen for seen in self._seen.values() if seen.server and seen.alive)
        return sum((seen.family for seen in alive), NOTHING)


def check_processes(pids: Sequence[int]) -> tuple[int, ...]:
    """The processes, all of which must be there."""
    for pid in pids:
        try:
            there = psutil().pid_exists(pid)
        except OverflowError:  # larger than any number of a process
            there = False
        if not there:
            raise OptionError(f"there is no process {pid} to watch; name one that runs")
    return tuple(pids)


def _still_running(processes: Sequence[Any], patience: float) -> list[Any]:
    """Which of them have not ended after so many seconds, or before if all have."""
    until = monotonic() + patience
    left = [one for one in processes if _runs(one)]
    while left and monotonic() < until:
        sleep(0.005)
        left = [one for one in left if _runs(one)]
    return left


def _runs(process: Any) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil().STATUS_ZOMBIE)
    except (psutil().NoSuchProcess, psutil().AccessDenied):
        return False


def high_water(pid: int) -> int:
    """The most that a process ever held, in bytes; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            found = _HIGH.search(file.read())
        return int(found[1]) * 1024 if found else 0
    except OSError:
        pass
    with suppress(psutil().Error):
        return int(getattr(psutil().Process(pid).memory_info(), "peak_wset", 0))
    return 0


def _descendants(pid: int) -> Iterator[int]:
    """All processes below this one."""
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
        with suppress(psutil().NoSuchProcess, psutil().AccessDenied):
            yield from (child.pid for child in psutil().Process(pid).children(recursive=True))
