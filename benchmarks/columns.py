"""Reading CSV beside polars: a run of a million rows, with and without quotes."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.progress import say
from benchmarks.report import Fact
from cleverdon import Run

TITLE = "Reading CSV: Cleverdon's seconds divided by polars', 1,000 results a query"

MOST = 1.5
LEAST_ROUNDS = 15

KINDS = {
    "without quotes": "{query},{doc},{score}\n",
    "ids in quotes": '"{query}","{doc}",{score}\n',
    "line breaks and doubled quotes": '{query},"{doc}",{score},"a ""title"" of\ntwo lines"\n',
}
"""The form of a row of each file."""


def run_columns(queries: int, *, rounds: int) -> list[Fact]:
    """Read each kind of file by turns with both."""
    say("task csv")
    with tempfile.TemporaryDirectory() as folder:
        return [
            _beside(kind, _written(Path(folder) / "run.csv", row, queries), rounds=rounds)
            for kind, row in KINDS.items()
        ]


def _written(file: Path, row: str, queries: int) -> Path:
    header = "query_id,doc_id,score,title" if row.count(",") == 3 else "query_id,doc_id,score"
    with file.open("w") as text:
        text.write(f"{header}\n")
        text.writelines(row.format_map(cells) for cells in _cells(queries))
    return file


def _cells(queries: int) -> Iterator[dict[str, str]]:
    generator = np.random.default_rng(1967)
    for query in range(queries):
        numbers = generator.integers(0, 10**8, 1000)
        for place, (number, part) in enumerate(zip(numbers, generator.random(1000), strict=True)):
            score = f"{1000 - place + part:.5f}"
            yield {"query": f"q{query}", "doc": f"doc{number:08d}{place}", "score": score}


def _beside(kind: str, file: Path, *, rounds: int) -> Fact:
    import polars  # a peer, which need not be installed for other tasks

    say(f"  {kind}")
    calls: tuple[Callable[[str], Any], ...] = (Run.read, polars.read_csv)
    spent: tuple[list[float], ...] = ([], [])
    cpu: tuple[list[float], ...] = ([], [])
    held: list[Any] = [None, None]
    rounds = max(rounds, LEAST_ROUNDS)
    for _ in range(rounds):
        for tool, call in enumerate(calls):
            start, start_cpu = time.perf_counter(), time.process_time()
            held[tool] = call(str(file))
            spent[tool].append(time.perf_counter() - start)
            cpu[tool].append(time.process_time() - start_cpu)
    failed = "" if len(held[0]) == len(held[1]) else "FAILED: the numbers of rows differ; "
    note = (
        f"{failed}{file.stat().st_size / 1e6:.0f} MB; {median(spent[0]) * 1e3:.0f} and "
        f"{median(spent[1]) * 1e3:.0f} ms; least time {min(spent[0]) / min(spent[1]):.2f}x, least "
        f"CPU time {min(cpu[0]) / min(cpu[1]):.2f}x; load {os.getloadavg()[0]:.1f}"
    )
    ratio = median(spent[0]) / median(spent[1])
    return Fact(what=kind, value=ratio, unit="x", rounds=rounds, most=MOST, note=note)
