"""The second table: the growth of time and memory with the data."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.commands import CLEVERDON
from benchmarks.generate import DATA, Shape, collection, discard
from benchmarks.measure import UNKNOWN, Memory, ToolError, fresh_process, in_turn
from benchmarks.progress import say

DEPTH = 100

LINEAR = 1.2
"""Growth counts as linear if the work grows at most this many times as much as the data."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One size. `growth` is the ratio of work to the size before, `due` the ratio of rows.

    Work is the CPU time of all cores: unlike wall-clock time, it hardly depends on other load on
    the machine during the minutes between two sizes.
    """

    queries: int
    rows: int
    megabytes: float | None = None
    seconds: float | None = None
    cpu: float | None = None
    rounds: int = 0
    growth: float | None = None
    due: float | None = None
    memory: Memory = UNKNOWN
    note: str = ""

    @property
    def wrong(self) -> bool:
        return self.note.startswith("FAILED")

    @property
    def linear(self) -> bool | None:
        if self.growth is None or self.due is None:
            return None
        return self.growth <= LINEAR * self.due


def run_scaling(sizes: Sequence[int], *, rounds: int) -> list[Step]:
    """Evaluate larger and larger runs; each is deleted before the next is generated."""
    say("task scaling")
    return list(_steps(sizes, rounds))


def _steps(sizes: Sequence[int], rounds: int) -> Iterator[Step]:
    before: Step | None = None
    for queries in sizes:
        shape = Shape(queries=queries, depth=DEPTH)
        step = _measured(shape, before, rounds)
        yield step
        before = step if step.seconds is not None else before


def _measured(shape: Shape, before: Step | None, rounds: int) -> Step:
    reason = CLEVERDON.missing() or _no_room(shape)
    if reason:
        return Step(queries=shape.queries, rows=shape.rows, note=reason)
    try:
        data = collection(shape)
        command = CLEVERDON.command(data)
        tools = {"cleverdon": lambda watch: fresh_process(command, watch=watch)}
        # Growth compares times of the same tool, so one round is too few even if it is slow.
        timing = in_turn(tools, rounds=rounds, slow=math.inf)["cleverdon"]
        megabytes = data.megabytes
    finally:
        discard(shape)
    if isinstance(timing, ToolError):
        return Step(queries=shape.queries, rows=shape.rows, note=f"FAILED: {timing}")
    return Step(
        queries=shape.queries,
        rows=shape.rows,
        megabytes=megabytes,
        seconds=timing.seconds,
        cpu=timing.cpu,
        rounds=len(timing.rounds),
        growth=timing.cpu / before.cpu if before and before.cpu else None,
        due=shape.rows / before.rows if before else None,
        memory=timing.memory,
    )


def _no_room(shape: Shape) -> str | None:
    DATA.mkdir(exist_ok=True)
    free = shutil.disk_usage(DATA).free
    if free >= shape.bytes_needed * 1.1:
        return None
    needed = shape.bytes_needed * 1.1 / 1e9
    return f"skipped: needs {needed:.1f} GB of disk, {free / 1e9:.1f} GB are free"
