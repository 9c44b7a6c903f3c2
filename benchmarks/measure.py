"""Time and peak memory of fresh processes, and medians over rounds."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.progress import Sometimes, say

ROOT = Path(__file__).parent.parent

SLOW = 20.0
"""A tool that takes this many seconds or more gets one round: noise is relatively small."""

ENOUGH = 5.0
"""Fast tools get more rounds than requested, as many as fit into this many seconds, ..."""

MOST_ROUNDS = 21
"""... but no more than this."""


class ToolError(Exception):
    """A tool failed; the text gives the reason."""


@dataclass(frozen=True)
class Memory:
    """Bytes that a process holds, or held at its peak; None if the system does not report them."""

    total: int | None = None
    anonymous: int | None = None

    def peak_with(self, other: Memory) -> Memory:
        return Memory(
            total=_larger(self.total, other.total),
            anonymous=_larger(self.anonymous, other.anonymous),
        )

    def beyond(self, before: Memory) -> Memory:
        return Memory(
            total=_difference(self.total, before.total),
            anonymous=_difference(self.anonymous, before.anonymous),
        )


UNKNOWN = Memory()


@dataclass(frozen=True)
class Usage:
    """The cost of one round: wall-clock seconds, CPU seconds of all cores, memory."""

    seconds: float
    cpu: float
    memory: Memory
    output: str = ""


@dataclass(frozen=True)
class Timing:
    """The rounds that count, and the first round, the only one with memory and output."""

    rounds: tuple[Usage, ...]
    first: Usage

    @property
    def seconds(self) -> float:
        return statistics.median(usage.seconds for usage in self.rounds)

    @property
    def cpu(self) -> float:
        return statistics.median(usage.cpu for usage in self.rounds)

    @property
    def memory(self) -> Memory:
        return self.first.memory


Once = Callable[[bool], Usage]
"""Runs a tool once; the argument says whether to watch its memory."""


def memory_now(pid: int) -> Memory:
    """Read the current memory of a process; unknown if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
    except OSError:  # the process has ended, or this is not Linux
        return UNKNOWN
    held = {line.split()[0]: int(line.split()[1]) * 1024 for line in lines if b" kB" in line}
    return Memory(total=held.get(b"VmRSS:"), anonymous=held.get(b"RssAnon:"))


def pause(watched_for: float) -> float:
    """Return the seconds to wait between two samples of a process's memory.

    Linux records no peak of anonymous memory, so it has to be sampled; less often the longer a
    process runs, because sampling takes CPU time from it on a machine with few cores.
    """
    return max(0.001, watched_for / 1000)


def fresh_process(command: Sequence[str], *, watch: bool) -> Usage:
    """Run `command` from start to exit.

    The output goes to a file, because nobody reads a pipe while the process runs.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        peak = UNKNOWN
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        if watch:
            pid = 0
            while pid == 0:
                peak = peak.peak_with(memory_now(process.pid))
                time.sleep(pause(time.perf_counter() - began))
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
        else:
            _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            raise ToolError(last_line(errors.read()) or f"exit status {process.returncode}")
        return Usage(
            seconds=seconds,
            cpu=used.ru_utime + used.ru_stime,
            memory=peak.peak_with(Memory(total=_reported_peak(used))),
            output=output.read().decode(),
        )


def in_turn(
    tools: Mapping[str, Once], *, rounds: int, slow: float = SLOW
) -> dict[str, Timing | ToolError]:
    """Run the tools in turns, round by round.

    Turns spread other load on the machine over all tools, so ratios stay right when times do not.
    The first round measures memory and warms the caches; its time counts only for slow tools.
    """
    first: dict[str, Usage] = {}
    later: dict[str, list[Usage]] = {name: [] for name in tools}
    failures: dict[str, ToolError] = {}
    for name, once in tools.items():
        say(f"  {name}: first round")
        try:
            first[name] = once(True)
        except ToolError as failure:
            failures[name] = failure
    wanted = {name: _rounds(usage.seconds, rounds, slow) for name, usage in first.items()}
    progress = Sometimes()
    for turn in range(max(wanted.values(), default=0)):
        for name in [name for name, count in wanted.items() if turn < count]:
            progress.say(f"  {name}: round {turn + 1} of {wanted[name]}")
            try:
                later[name].append(tools[name](False))
            except ToolError as failure:
                failures[name] = failure
    timings = {
        name: Timing(rounds=tuple(later[name]) or (usage,), first=usage)
        for name, usage in first.items()
    }
    return {**timings, **failures}


def _rounds(seconds: float, asked: int, slow: float) -> int:
    """Return the number of rounds after a first that took `seconds`; 0 if that one is enough."""
    if seconds > slow:
        return 0
    return max(asked, min(MOST_ROUNDS, int(ENOUGH / seconds)))


def _reported_peak(used: resource.struct_rusage) -> int | None:
    """Return the child's peak memory as the kernel reports it, unless it may be our own.

    On Linux a child inherits the peak of its parent, so a child that stays smaller than this
    process reports our peak. Then only the samples count.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used.ru_maxrss * unit if used.ru_maxrss > own else None


def last_line(text: bytes) -> str:
    """Return the last line, which has the message of a traceback and of most failures."""
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else ""


def _larger(one: int | None, other: int | None) -> int | None:
    return max((x for x in (one, other) if x is not None), default=None)


def _difference(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(0, one - other)
