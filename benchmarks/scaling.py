"""The second table: whether ten times the data takes ten times the time and memory."""

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
"""How far the growth of work may exceed that of the data, noise included, and be called linear."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One size. `growth` is the work over that of the size before, `due` that of the rows.

    Work is the time of all processor cores: unlike the time by the clock, it hardly depends on
    what else the machine does during the minutes between two sizes.
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
    """Evaluate ever larger runs; each is deleted before the next is made."""
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
        # Growth is judged from one tool's own times: however long they are, one round is too few.
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
