"""Writing a made-up log: block after block, so that its size is no matter of memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cleverdon.errors import OptionError
from cleverdon.online.generating import columns
from cleverdon.online.generating.block import USERS, Block, make_block
from cleverdon.online.generating.folder import (
    EVENTS_FILE,
    QUERIES_FILE,
    TRUTH_FILE,
    check_foreign,
)
from cleverdon.online.generating.recipe import Recipe
from cleverdon.online.generating.truth import Counts, Faults, Truth
from cleverdon.online.generating.words import QUERIES, texts
from cleverdon.online.generating.world import EXAMINATION, START, ZIPF, World

Progress = Callable[[int, int], object]
"""Told how many rows are done, and of about how many."""

THREADS = 2
_TOP = 20
_GROUP = 120_000
"""Rows of a group of rows, about: engines read a group a thread."""


def generate(
    folder: str | PathLike[str],
    *,
    progress: Progress | None = None,
    threads: int = THREADS,
    **recipe: Any,
) -> Truth:
    """Write a log of made-up searches into a folder, with what is true of it.

    `recipe` are the fields of `Recipe`: `events` (about how many rows the two tables have),
    `seed`, `variants`, `effect`, `bots`, `faults` and so on. The folder gets queries.parquet,
    events.parquet and truth.json, in place of those of an earlier call; the truth is given back,
    too. The same recipe gives the same rows, whatever the number of threads. It is an error where
    the folder has a log of another origin.
    """
    world = World(Recipe(**recipe))
    home = Path(folder)
    check_foreign(home)
    home.mkdir(parents=True, exist_ok=True)
    sums = _Sums()
    with (
        _Sink(home / QUERIES_FILE) as queries,
        _Sink(home / EVENTS_FILE) as events,
    ):
        for block in _blocks(world, threads):
            queries.add(block.queries.cast(columns.QUERIES))
            events.add(block.events)
            sums.add(block)
            if progress is not None:
                progress(sums.rows, max(sums.rows, world.recipe.events))
    truth = sums.truth(world)
    (home / TRUTH_FILE).write_text(truth.to_json(), encoding="utf-8")
    return truth


def generated(events: int = 2000, seed: int = 1, **recipe: Any) -> tuple[Any, Any, Truth]:
    """The same in memory, for small logs: the tables of queries and of events, and their truth.

    >>> queries, events, truth = generated(events=500)
    >>> queries.num_rows == truth.query_rows
    True
    """
    world = World(Recipe(events=events, seed=seed, **recipe))
    sums = _Sums()
    tables = []
    for block in _blocks(world, threads=1):
        sums.add(block)
        tables.append((block.queries.cast(columns.QUERIES), block.events.cast(columns.EVENTS)))
    queries, happened = (pa.concat_tables(parts) for parts in zip(*tables, strict=True))
    return queries, happened, sums.truth(world)


def _blocks(world: World, threads: int) -> Iterator[Block]:
    """All blocks in order; while one is used, a few are made ahead."""
    if threads < 1:
        raise OptionError(f"threads={threads}: there must be at least one")
    ahead: deque[Future[Block]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for number in range(-(-world.users // USERS)):
            ahead.append(pool.submit(make_block, world, number))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


class _Sums:
    """What is known of all blocks so far."""

    def __init__(self) -> None:
        self._queries = self._events = 0
        self._total, self._bots, self._faults = Counts(), Counts(), Faults()
        self._variants = {"A": Counts(), "B": Counts()}
        self._asked = np.zeros(QUERIES, dtype=np.int64)

    @property
    def rows(self) -> int:
        return self._queries + self._events

    def add(self, block: Block) -> None:
        self._queries += block.queries.num_rows
        self._events += block.events.num_rows
        self._total += block.total
        self._bots += block.bots
        self._faults += block.faults
        self._variants = {
            name: sum_ + block.variants[name] for name, sum_ in self._variants.items()
        }
        queries, count = block.asked
        self._asked[queries] += count

    def truth(self, world: World) -> Truth:
        return Truth(
            recipe=world.recipe,
            query_rows=self._queries,
            event_rows=self._events,
            start=START,
            experiment_start=world.experiment_start,
            incident=world.incident,
            zipf=ZIPF,
            examination=tuple(EXAMINATION.tolist()),
            total=self._total,
            bots=self._bots,
            variants=self._variants if world.recipe.variants else {},
            distinct_queries=int((self._asked > 0).sum()),
            top_queries=self._top(),
            faults=self._faults,
        )

    def _top(self) -> tuple[tuple[str, int], ...]:
        least = np.sort(self._asked)[-_TOP]
        often = np.flatnonzero(self._asked >= max(least, 1))
        named = zip(texts(often).to_pylist(), self._asked[often].tolist(), strict=True)
        return tuple(sorted(named, key=lambda one: (-one[1], one[0]))[:_TOP])


class _Sink:
    """A Parquet file that has its name only once it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(f".{path.name}.unfinished")
        self._writer: Any = None
        self._waiting: list[Any] = []

    def __enter__(self) -> _Sink:
        return self

    def add(self, table: Any) -> None:
        """Write the table, or keep it until there are enough rows to be read at once."""
        self._waiting.append(table)
        if sum(table.num_rows for table in self._waiting) >= _GROUP:
            self._flush()

    def _flush(self) -> None:
        table = pa.concat_tables(self._waiting)
        self._waiting.clear()
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self._unfinished,
                table.schema,
                compression="zstd",
                compression_level=1,
                # Ids of events are all different, and a dictionary of them would be in vain.
                use_dictionary=[name for name in table.column_names if name != "event_id"],
                # Without it, columns are read as plain text rather than as Arrow's dictionaries.
                store_schema=False,
            )
        self._writer.write_table(table)

    def __exit__(self, failed: object, *_rest: object) -> None:
        if self._waiting and not failed:
            self._flush()
        if self._writer is not None:
            self._writer.close()
        if failed:
            self._unfinished.unlink(missing_ok=True)
        else:
            self._unfinished.replace(self._path)
