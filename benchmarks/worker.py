"""Run one tool in a process of its own, with inputs that are built before timing starts.

`worker` starts the process, `Worker` requests rounds from it, and `serve` runs in it. Memory is
sampled from outside, because a tool that holds the GIL would block a thread inside.
"""

from __future__ import annotations

import gc
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from benchmarks.calls import CALLS
from benchmarks.inputs import INPUTS, Source
from benchmarks.measure import ROOT, UNKNOWN, ToolError, Usage, last_line, memory_now, pause
from benchmarks.peers import Values
from benchmarks.progress import say


@contextmanager
def worker(task: str, tool: str, *, source: Source, warm_up: Source) -> Iterator[Worker]:
    """Start a process that builds the inputs of `task` and calls `tool` with them on request."""
    say(f"  {tool}: building its inputs")
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", task, tool, *warm_up, *source],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        try:
            yield Worker(process, errors)
        finally:
            process.kill()


class Worker:
    """The client of a process whose inputs are built."""

    def __init__(self, process: subprocess.Popen[str], errors: IO[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._pid = process.pid
        self._to = process.stdin
        self._from = process.stdout
        self._errors = errors
        self._reply()

    def round(self, watch: bool) -> Usage:
        """Call the tool once; the memory is the amount that the call adds to that of the inputs."""
        before = memory_now(self._pid)
        self._ask("round")
        peak = before
        began = time.perf_counter()
        while watch and not self._answered(within=pause(time.perf_counter() - began)):
            peak = peak.peak_with(memory_now(self._pid))
        seconds, cpu = self._reply()
        memory = peak.beyond(before) if watch else UNKNOWN
        return Usage(seconds=seconds, cpu=cpu, memory=memory)

    def values(self) -> Values:
        """Fetch the values that the tool computed in the last round."""
        self._ask("values")
        values: Values = self._reply()
        return values

    def _ask(self, what: str) -> None:
        self._to.write(what + "\n")
        self._to.flush()

    def _answered(self, *, within: float) -> bool:
        return bool(select.select([self._from], [], [], within)[0])

    def _reply(self) -> Any:
        line = self._from.readline()
        if not line:
            self._errors.seek(0)
            raise ToolError(last_line(self._errors.read()) or "its process ended early")
        return json.loads(line)


def serve(task: str, tool: str, *, source: Source, warm_up: Source) -> None:
    """Answer each line of stdin with a line of JSON: the seconds of a round, or the values.

    The first call uses a small collection, so that loading and compiling on first use are not
    measured. The garbage collector is off during a round, as in `timeit`.
    """
    # Output of a tool must not get into the protocol.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    peer = next(peer for peer in CALLS[task] if peer.name == tool)
    peer.call(*INPUTS[task](*warm_up))
    one, other = INPUTS[task](*source)
    print("true", file=answers, flush=True)
    result: Any = None
    for line in sys.stdin:
        if line.strip() == "values":
            print(json.dumps(peer.tidy(result)), file=answers, flush=True)
            continue
        result = None
        gc.collect()
        gc.disable()
        began, cpu_began = time.perf_counter(), time.process_time()
        result = peer.call(one, other)
        took = [time.perf_counter() - began, time.process_time() - cpu_began]
        gc.enable()
        print(json.dumps(took), file=answers, flush=True)


if __name__ == "__main__":
    task, tool, *sources = sys.argv[1:]
    serve(task, tool, warm_up=(sources[0], sources[1]), source=(sources[2], sources[3]))
