"""How time and memory of each task grow with its data: exponents, with intervals.

Each size is measured in a process of its own. Time is the processor time of the task alone, the
least of the rounds, since other load on the machine adds to it; memory is the process's peak.

python -m benchmarks.growth TASK SIZE ROUNDS
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

from benchmarks.generate import Shape, collection
from benchmarks.peers import MEASURES
from benchmarks.progress import say

TITLE = "Growth: processor time and peak memory as powers of the data"

MOST = 1.1
"""The largest exponent of a task whose work is linear in its data."""

DEPTH = 100


def _evaluate(queries: int) -> Callable[[], object]:
    from cleverdon import evaluate

    data = collection(Shape(queries=queries, depth=DEPTH))
    return lambda: evaluate(str(data.qrels), str(data.run), list(MEASURES), progress=False)


def _bounds(queries: int) -> Callable[[], object]:
    from cleverdon import Judgments, bounds
    from cleverdon.rank import rank

    data = collection(Shape(queries=queries, depth=DEPTH))
    hits = rank(Judgments.read(str(data.qrels)), str(data.run)).hits
    return lambda: bounds("nDCG@10", hits, progress=False)


def _compare(queries: int) -> Callable[[], object]:
    from cleverdon import compare, evaluate

    random = np.random.default_rng(1967)
    ids = [f"q{query}" for query in range(queries)]
    qrels = {query: {"a": 1} for query in ids}
    runs = {}
    for system in range(5):
        places = random.integers(1, 10, queries).tolist()
        runs[f"s{system}"] = {
            query: {"a": 1.0, **{f"x{n}": 2.0 for n in range(place)}}
            for query, place in zip(ids, places, strict=True)
        }
    scores = evaluate(qrels, runs, ["RR"])
    return lambda: compare(scores, progress=False)


def _pool(queries: int) -> Callable[[], object]:
    from cleverdon.pooling import pool

    random = np.random.default_rng(1967)
    runs = {
        f"s{system}": {
            f"q{query}": {f"d{doc}": -float(at) for at, doc in enumerate(random.permutation(200))}
            for query in range(queries)
        }
        for system in range(10)
    }
    return lambda: pool(runs, depth=20, progress=False)


def _logs(events: int) -> Callable[[], object]:
    from benchmarks.logs import log_of
    from cleverdon.logs.compute import measure_log
    from cleverdon.logs.reading.reader import read_log

    folder = log_of(events)
    return lambda: measure_log(read_log(folder), progress=False)


@dataclass(frozen=True)
class Task:
    """A task, and the sizes of its data."""

    prepare: Callable[[int], Callable[[], object]]
    of: str
    sizes: tuple[int, ...]


GROWTH = {
    "eval": Task(_evaluate, "queries x 100", (100, 1_000, 10_000, 100_000)),
    "bounds": Task(_bounds, "queries x 100", (100, 1_000, 10_000, 100_000)),
    "compare": Task(_compare, "queries, 5 systems", (20, 200, 2_000, 20_000)),
    "pool": Task(_pool, "queries, 10 runs x 200", (10, 100, 1_000)),
    "logs": Task(_logs, "events", (10_000, 100_000, 1_000_000)),
}


@dataclass(frozen=True, kw_only=True)
class Grown:
    """One task at all sizes; `memory` and `time` are exponents with the ends of their intervals."""

    task: str
    of: str
    sizes: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    time: tuple[float, float, float] | None = None
    memory: tuple[float, float, float] | None = None
    note: str = ""

    @property
    def wrong(self) -> bool:
        return bool(self.note)


def run_growth(*, rounds: int, quick: bool = False) -> list[Grown]:
    """Measure every task at every size; a quick run leaves out the largest."""
    say("task growth")
    return [_grown(name, quick=quick, rounds=rounds) for name in GROWTH]


def _grown(name: str, *, quick: bool, rounds: int) -> Grown:
    from cleverdon.stats.trends import growth

    task = GROWTH[name]
    sizes = list(task.sizes[:-1] if quick and len(task.sizes) > 3 else task.sizes)
    seconds, megabytes = [], []
    for size in sizes:
        say(f"  {name}: {size:,}")
        command = [sys.executable, "-m", "benchmarks.growth", name, str(size), str(rounds)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            return Grown(task=name, of=task.of, note=f"FAILED: {' '.join(last)}")
        found = json.loads(done.stdout)
        seconds.append(found["seconds"])
        megabytes.append(found["megabytes"])
    ends: list[Any] = []
    for values in (seconds, megabytes):
        fitted = growth(sizes, values)
        ends.append(None if fitted is None else (fitted.exponent, fitted.low, fitted.high))
    note = ""
    if ends[0] is not None and ends[0][0] > MOST:
        note = f"time grows by the power of {ends[0][0]:.2f}, above {MOST}"
    return Grown(
        task=name,
        of=task.of,
        sizes=sizes,
        seconds=seconds,
        megabytes=megabytes,
        time=ends[0],
        memory=ends[1],
        note=note,
    )


def growth_lines(grown: Sequence[Grown]) -> str:
    """Write a line for each task."""
    lines = []
    for one in grown:
        lines.append(f"{one.task} ({one.of}){': ' + one.note if one.note else ''}")
        for size, seconds, megabytes in zip(one.sizes, one.seconds, one.megabytes, strict=True):
            lines.append(f"  {size:>11,} {seconds:>10.3f} CPU s {megabytes:>8,.0f} MB")
        for what, ends in (("time", one.time), ("memory", one.memory)):
            if ends is not None:
                exponent, low, high = ends
                interval = "" if isnan(low) else f" (95% CI {low:.2f} to {high:.2f})"
                lines.append(f"  {what} grows by the power of {exponent:.2f}{interval}")
    return "\n".join(lines)


def _measured(name: str, size: int, rounds: int) -> dict[str, float]:
    call = GROWTH[name].prepare(size)
    spent = []
    for _ in range(rounds):
        before = time.process_time()
        call()
        spent.append(time.process_time() - before)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return {"seconds": min(spent), "megabytes": peak}


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
