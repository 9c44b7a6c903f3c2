"""The tasks of the first table: their data and their tools."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from benchmarks.calls import ALL_TESTS, CALLS, TEST_SYSTEMS, Call
from benchmarks.commands import FILE, SMALL, Command
from benchmarks.generate import Collection, Shape, collection
from benchmarks.inputs import TEST_TOPICS, Source
from benchmarks.measure import SLOW, Once, ToolError, fresh_process, in_turn
from benchmarks.progress import say
from benchmarks.rows import Found, Row, rows_of
from benchmarks.worker import worker

WARM_UP_MATRIX = ("10", "100")
WARM_UP_TESTS = ("2", "100")


@dataclass(frozen=True)
class Size:
    """The amount of data of each task."""

    run: Shape
    small: Shape
    matrix: tuple[int, int]
    draws: int
    scaling: tuple[int, ...]
    events: int
    """The approximate number of events in the search log."""
    pool: tuple[int, int, int]
    """The numbers of pooled runs, of their topics, and of results per topic."""
    csv: int = 1_000
    """The number of queries of a CSV file, with 1,000 results each."""
    load: float = 8.0
    """Seconds for which requests are sent to an engine."""
    judging: float = 30.0
    """Seconds for which assessors judge."""
    slow: float = SLOW
    """A tool that takes this many seconds or more gets one round."""
    first_runs: bool = True
    """Also measure tools that compile at their first start, which takes a minute at any size."""


SMALL_RUN = Shape(queries=50, depth=1000)
FULL = Size(
    run=Shape(queries=6980, depth=1000),  # MS MARCO's small development set
    small=SMALL_RUN,
    matrix=(10_000, 100),
    draws=100_000,
    scaling=(1_000, 10_000, 100_000, 1_000_000),
    events=10_000_000,
    pool=(100, 250, 1000),
)
QUICK = Size(
    run=Shape(queries=500, depth=1000),
    small=SMALL_RUN,
    matrix=(1_000, 100),
    draws=10_000,
    scaling=(100, 1_000, 10_000),
    events=1_000_000,
    pool=(20, 50, 1000),
    csv=100,
    load=3.0,
    judging=5.0,
    slow=5.0,
    first_runs=False,
)

TITLES = {
    "file": "file to table, fresh process",
    "small": "small file, fresh process",
    "dicts": "dicts of dicts",
    "polars": "polars columns",
    "pandas": "pandas columns",
    "pandas-object": "pandas object columns",
    "matrix": "nDCG of matrices",
    "randomisation": "randomisation tests",
}
"""The titles of tasks, by the names that `--only` takes."""


def run_task(name: str, *, size: Size, rounds: int) -> list[Row]:
    """Measure every tool of the task."""
    say(f"task {name}")
    if name == "matrix":
        rows, columns = size.matrix
        source = (str(rows), str(columns))
        found = _run_calls(
            name, source=source, warm_up=WARM_UP_MATRIX, rounds=rounds, slow=size.slow
        )
        return rows_of(f"{TITLES[name]}, {rows:,} x {columns:,}", CALLS[name], found)
    if name == "randomisation":
        source = (str(TEST_SYSTEMS), str(size.draws))
        found = _run_calls(
            name, source=source, warm_up=WARM_UP_TESTS, rounds=rounds, slow=size.slow
        )
        title = f"{ALL_TESTS:,} {TITLES[name]} of {TEST_TOPICS} topics, {size.draws:,} draws"
        return rows_of(title, CALLS[name], found)
    data = collection(size.small if name == "small" else size.run)
    title = f"{TITLES[name]}, {data.shape.queries:,} x {data.shape.depth:,}"
    if name in CALLS:
        small = _paths(collection(size.small))
        found = _run_calls(name, source=_paths(data), warm_up=small, rounds=rounds, slow=size.slow)
        return rows_of(title, CALLS[name], found)
    peers = SMALL if name == "small" else FILE
    commands = [peer for peer in peers if peer.keeps_code or size.first_runs]
    _fill_caches(commands, collection(size.small))
    return rows_of(title, commands, _run_commands(commands, data, rounds=rounds, slow=size.slow))


def _paths(data: Collection) -> Source:
    return str(data.qrels), str(data.run)


def _run_commands(
    peers: Sequence[Command], data: Collection, *, rounds: int, slow: float
) -> dict[str, Found | str]:
    def once(peer: Command) -> Once:
        command = peer.command(data)
        return lambda watch: fresh_process(command, watch=watch)

    found: dict[str, Found | str] = {p.name: reason for p in peers if (reason := p.missing())}
    present = [peer for peer in peers if peer.name not in found]
    timings = in_turn({peer.name: once(peer) for peer in present}, rounds=rounds, slow=slow)
    for peer in present:
        timing = timings[peer.name]
        if isinstance(timing, ToolError):
            found[peer.name] = f"FAILED: {timing}"
            continue
        try:
            values = peer.read(timing.first.output) if peer.read else None
            found[peer.name] = Found(timing=timing, values=values)
        except (LookupError, StopIteration, ValueError):
            found[peer.name] = f"FAILED: no means in its output: {timing.first.output[:200]!r}"
    return found


def _fill_caches(peers: Sequence[Command], small: Collection) -> None:
    """Run every command once on a little data.

    Python and numba keep compiled code on disk. Compiling happens once after installing and is not
    part of a round; otherwise the result would depend on earlier runs of the tool.
    """
    for peer in (peer for peer in peers if peer.keeps_code and not peer.missing()):
        say(f"  {peer.name}: filling its caches")
        with suppress(ToolError):  # the round will fail and report it
            fresh_process(peer.command(small), watch=False)


def _run_calls(
    task: str, *, source: Source, warm_up: Source, rounds: int, slow: float
) -> dict[str, Found | str]:
    """Measure one tool after the other: two at once would hold the inputs twice."""

    def measured(peer: Call) -> Found | str:
        if reason := peer.missing():
            return reason
        try:
            with worker(task, peer.name, source=source, warm_up=warm_up) as process:
                timings = in_turn({peer.name: process.round}, rounds=rounds, slow=slow)
                timing = timings[peer.name]
                if isinstance(timing, ToolError):
                    raise timing
                return Found(timing=timing, values=process.values(), memory_is_added=True)
        except ToolError as failure:
            return f"FAILED: {failure}"

    return {peer.name: measured(peer) for peer in CALLS[task]}
