"""The writer of generated logs: block after block, so that memory does not limit their size.

A block is some users' part of the log as Arrow tables, with its true counts. It has a seed of its
own and does not depend on the others: blocks are made in any order, by any number of threads, and
the log is always the same.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.errors import OptionError
from cleverdon.logs.generator import users as simulation
from cleverdon.logs.generator.users import Counts, Faults
from cleverdon.logs.generator.world import (
    DISTINCT_QUERIES,
    EXAMINATION,
    START,
    ZIPF,
    Recipe,
    World,
    as_typed,
    texts,
)
from cleverdon.logs.log import ACTIONS, EVENTS, QUERIES

_TIME_TYPE = pa.timestamp("ms", tz="UTC")


def _schema(columns: Mapping[str, str]) -> Any:
    kinds = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64()}
    return pa.schema(
        (name, _TIME_TYPE if name == "time" else kinds[kind])
        for name, kind in columns.items()
        if name != "client"
    )


_QUERIES_SCHEMA = _schema({**QUERIES, "device": "string", "country": "string"})
_EVENTS_SCHEMA = _schema(EVENTS)

_DIGITS = np.array([f"{number:04}".encode() for number in range(10_000)], dtype="S4")


def _id_column(letter: str, numbers: Ints) -> Any:
    """Write ids of a letter and twelve digits: `u000000000017`."""
    written = np.empty(len(numbers), [("letter", "S1"), ("a", "S4"), ("b", "S4"), ("c", "S4")])
    written["letter"] = letter.encode()
    high, low = np.divmod(numbers, 10_000)
    high, middle = np.divmod(high, 10_000)
    written["a"], written["b"], written["c"] = _DIGITS[high], _DIGITS[middle], _DIGITS[low]
    ends = np.arange(len(numbers) + 1, dtype=np.int32) * written.itemsize
    return pa.StringArray.from_buffers(len(numbers), pa.py_buffer(ends), pa.py_buffer(written))


def _word_column(which: Ints, words: Any, *, null: Bools | None = None) -> Any:
    values = words if isinstance(words, pa.Array) else pa.array(words, pa.string())
    return pa.DictionaryArray.from_arrays(
        pa.array(which.astype(np.int32), mask=null), values, safe=False
    )


_USERS = 2048  # the users of a block, with 140,000 events. Another number gives another log.

_IDS = 10**7  # more than the rows of a block: it separates the ids of blocks

NO_VARIANT, A, B = range(3)


@dataclass(frozen=True, eq=False)
class Block:
    """A part of a log; columns of few values are Arrow dictionaries."""

    queries: Any
    events: Any
    total: Counts
    bots: Counts
    variants: dict[str, Counts]
    faults: Faults
    asked: tuple[Ints, Ints]  # the different queries of the block, and the number of their pages


def _make_block(world: World, number: int) -> Block:
    """Generate the block of this number, from 0."""
    random = np.random.default_rng([world.recipe.seed, number])
    first = number * _USERS
    users = simulation.draw_users(world, random, np.arange(first, min(first + _USERS, world.users)))
    pages = simulation.draw_pages(world, random, users)
    user = np.repeat(np.arange(len(users.number)), users.sessions)
    planned = simulation.planned_starts(world, random, user)
    begin = world.experiment_start
    late = planned >= begin if begin is not None else np.zeros(len(user), dtype=bool)
    variant = np.where(late, np.where(users.in_b[user], B, A), NO_VARIANT)
    boost = np.where(variant == B, 1 + world.recipe.effect, 1.0)
    doings = simulation.draw_interactions(world, random, users, pages, boost[pages.session])
    since, long = simulation.page_times(world, random, pages, users.bot[pages.user], doings.busy)
    starts = simulation.actual_starts(user, planned, long, wall=begin)
    time = starts[pages.session] + since
    latency = simulation.draw_latencies(world, random, time)
    typed = as_typed(texts(pages.query), random.random(len(pages.query)))
    typing = simulation.draw_keystrokes(world, random, pages, users.bot[pages.user], time, typed)
    seen = simulation.event_rows(world, pages, time, doings)
    seen, faults = simulation.with_faults(random, seen, world.recipe.faults, time)

    drawn = _Drawn(number, users, pages, doings, user, variant, time, latency, typed, typing)
    return Block(
        queries=drawn.queries(),
        events=drawn.events(seen),
        total=drawn.counts(np.ones(len(user), dtype=bool)),
        bots=drawn.counts(users.bot[user]),
        variants={"A": drawn.counts(variant == A), "B": drawn.counts(variant == B)},
        faults=faults,
        asked=np.unique(pages.query, return_counts=True),
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The drawn data of a block."""

    number: int
    users: simulation.Users
    pages: simulation.Pages
    doings: simulation.Interactions
    user: Ints  # of each session, like `variant`
    variant: Ints
    time: Ints  # of each page, like `latency` and `typed`
    latency: Floats
    typed: Any
    typing: simulation.Keystrokes

    def counts(self, sessions: Bools) -> Counts:
        pages, doings = self.pages, self.doings
        page = sessions[pages.session]
        clicked, copied = doings.click[0], doings.copy[0]
        click = page[clicked]
        known = click & doings.dwell_known
        keystroke = sessions[pages.session[self.typing.page]]
        useful = known & (doings.dwell >= simulation.SUCCESS_DWELL)
        succeeded = (clicked[useful], clicked[doings.converted], copied)
        successful = np.zeros(len(sessions), dtype=bool)
        successful[pages.session[np.concatenate(succeeded)]] = True
        positions = (pages.page[clicked] - 1) * doings.shown.shape[1] + doings.click[1] + 1
        return Counts(
            users=len(np.unique(self.user[sessions])),
            sessions=int(sessions.sum()),
            pages=int(page.sum()),
            keystrokes=int(keystroke.sum()),
            zero_result_pages=int((page & (pages.found == 0)).sum()),
            later_pages=int((page & (pages.page > 1)).sum()),
            latencies=int((page & ~np.isnan(self.latency)).sum())
            + int((keystroke & ~np.isnan(self.typing.latency)).sum()),
            impressions=int(doings.shown[page].sum()),
            clicks=int(click.sum()),
            expected_clicks=float(doings.chance[page].sum()),
            click_positions=int(positions[click].sum()),
            dwells=int(known.sum()),
            dwell_ms=int(doings.dwell[known].sum()),
            copies=int(page[copied].sum()),
            conversions=int(click[doings.converted].sum()),
            pages_with_click=len(np.unique(clicked[click])),
            sessions_with_click=len(np.unique(pages.session[clicked[click]])),
            successful_sessions=int((successful & sessions).sum()),
        )

    def queries(self) -> Any:
        """Each page comes after its keystrokes."""
        pages, time, typing = self.pages, self.time, self.typing
        page = np.concatenate((np.arange(len(time)), typing.page))
        order = np.argsort(page * 2 + (np.arange(len(page)) < len(time)), kind="stable")
        page = page[order]
        user = pages.user[page]
        variant = self.variant[pages.session[page]]
        took = np.concatenate((self.latency, typing.latency))[order]
        cells = {
            # A keystroke has its own page, with an id that no page of the block has.
            "query_id": _id_column("q", self.number * _IDS + order),
            **self._who(page),
            "time": pa.array(np.concatenate((time, typing.time))[order]).cast(_TIME_TYPE),
            "text": pa.concat_arrays([self.typed, typing.text]).take(pa.array(order)),
            "page": pa.array(np.where(order < len(time), pages.page[page], 1)),
            "results": pa.array(np.concatenate((pages.found, typing.found))[order]),
            "latency_ms": pa.array(took, mask=np.isnan(took)),
            "variant": _word_column(variant - 1, ("A", "B"), null=variant == NO_VARIANT),
            "device": _word_column(self.users.device[user], simulation.DEVICES),
            "country": _word_column(self.users.country[user], simulation.COUNTRIES),
        }
        return pa.table(cells)

    def events(self, seen: simulation.EventRows) -> Any:
        pages = np.arange(len(self.pages.page)) + self.number * _IDS
        return pa.table(
            {
                "event_id": _id_column("e", seen.number + self.number * _IDS),
                "query_id": _word_column(seen.page, _id_column("q", pages)),
                **self._who(seen.page),
                "time": pa.array(seen.time).cast(_TIME_TYPE),
                "action": _word_column(seen.action, ACTIONS),
                "doc": _id_column("d", seen.doc),
                "position": pa.array(seen.position),
                "dwell_ms": pa.array(seen.dwell, mask=seen.dwell < 0),
            }
        )

    def _who(self, page: Ints) -> dict[str, Any]:
        user, session = self.pages.user[page], self.pages.session[page]
        sessions = _id_column("s", np.arange(len(self.user)) + self.number * _IDS)
        anonymous = self.users.anonymous[user] if self.users.anonymous.any() else None
        return {
            "user": _word_column(user, _id_column("u", self.users.number), null=anonymous),
            "session": _word_column(session, sessions),
        }


QUERIES_FILE, EVENTS_FILE, TRUTH_FILE = "queries.parquet", "events.parquet", "truth.json"

_OWN_FILES = (QUERIES_FILE, EVENTS_FILE, TRUTH_FILE)


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The truth of a generated log, from `generate_log`: the numbers that metrics must reproduce.

    Attributes:
        recipe: The parameters of the log.
        query_rows: The number of rows of queries.
        event_rows: The number of rows of events.
        start: The start of the log; like all times in milliseconds since 1970 began in UTC.
        experiment_start: Sessions from this time on have a variant; in all others it is null.
        incident: The first and last time of slow searches.
        zipf: The first query of a session is the r-th most frequent with a share of r to minus
            this.
        examination: The chance that users look at each rank of a page; clicks by rank go down in
            proportion.
        total: The counts of the whole log.
        bots: The counts of bots, which are part of the total.
        variants: The counts of sessions in the experiment. In B impressions are clicked with a
            chance `1 + effect` times that in A; nothing else differs.
        distinct_queries: The number of different texts once normalised, without keystrokes.
        top_queries: The most frequent of them by pages, ties by the text itself.
        faults: The faults that were put in.

    >>> from cleverdon.logs import generate_log
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     truth = generate_log(folder, events=500, seed=1, variants=False)
    >>> truth.variants, truth.total.pages == truth.query_rows
    ({}, True)
    """

    recipe: Recipe
    query_rows: int
    event_rows: int
    start: int
    experiment_start: int | None
    incident: tuple[int, int]
    zipf: float
    examination: tuple[float, ...]
    total: Counts
    bots: Counts
    variants: Mapping[str, Counts]
    distinct_queries: int
    top_queries: tuple[tuple[str, int], ...]
    faults: Faults = field(default_factory=Faults)

    @property
    def rows(self) -> int:
        return self.query_rows + self.event_rows

    def __str__(self) -> str:
        queries, events = counted(self.query_rows, "query"), counted(self.event_rows, "event")
        users, sessions = counted(self.total.users, "user"), counted(self.total.sessions, "session")
        return f"{queries} and {events} of {users} in {sessions}"

    def to_json(self) -> str:
        return json.dumps({"rows": self.rows, **asdict(self)}, indent=2) + "\n"


def existing_files(home: Path) -> list[Path]:
    """List the files of a folder; refuse one with a log of another origin."""
    found = [path for path in home.iterdir() if path.name[0] != "."] if home.is_dir() else []
    # The truth is written last: without it, files with these names may be somebody's only log.
    own = _OWN_FILES if (home / TRUTH_FILE).exists() else ()
    found.sort(key=lambda path: (path.name not in _OWN_FILES, path.name))
    for path in found:
        if path.name not in own and path.name.lower().startswith(("queries", "events")):
            raise OptionError(
                f"{path} is a log that was not generated here, and is not overwritten or mixed "
                "with a generated one; name another folder"
            )
    return found


_THREADS = 2
_TOP = 20
_GROUP = 120_000  # the approximate rows of a group in Parquet: engines read a group in one thread


@shows_progress("generating")
def generate_log(
    folder: str | PathLike[str],
    *,
    progress: Progress | bool | None = None,
    threads: int = _THREADS,
    **recipe: Any,
) -> Truth:
    """Generate a search log, and write it into a folder.

    Args:
        folder: Gets queries.parquet, events.parquet and truth.json, in place of those of an earlier
            call. A log of another origin is never overwritten.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        threads: The number of threads; it does not change the rows.
        recipe: The fields of `Recipe`: `events` (about how many rows both tables have), `seed`,
            `variants`, `effect`, `bots`, `faults` and so on.

    Returns:
        The truth of the log, which metrics must reproduce.

    Raises:
        OptionError: A value is out of range, or the folder has a log of another origin.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     truth = generate_log(folder, events=500, seed=1)
    >>> truth.rows == truth.query_rows + truth.event_rows
    True
    """
    progress = as_callback(progress)
    world = World(Recipe(**recipe))
    home = Path(folder)
    existing_files(home)  # refuses a log of another origin
    home.mkdir(parents=True, exist_ok=True)
    sums = _Sums()
    with _Sink(home / QUERIES_FILE) as queries, _Sink(home / EVENTS_FILE) as events:
        for block in _blocks(world, threads):
            queries.add(block.queries.cast(_QUERIES_SCHEMA))
            events.add(block.events)
            sums.add(block)
            if progress is not None:
                progress("generating", sums.rows, max(sums.rows, world.recipe.events))
    truth = sums.truth(world)
    (home / TRUTH_FILE).write_text(truth.to_json(), encoding="utf-8")
    return truth


def _generate_tables(events: int = 2000, seed: int = 1, **recipe: Any) -> tuple[Any, Any, Truth]:
    """Generate a small log in memory: its queries, events and truth."""
    world = World(Recipe(events=events, seed=seed, **recipe))
    sums = _Sums()
    tables = []
    for block in _blocks(world, threads=1):
        sums.add(block)
        tables.append((block.queries.cast(_QUERIES_SCHEMA), block.events.cast(_EVENTS_SCHEMA)))
    queries, happened = (pa.concat_tables(parts) for parts in zip(*tables, strict=True))
    return queries, happened, sums.truth(world)


def _blocks(world: World, threads: int) -> Iterator[Block]:
    """Yield all blocks in order; a few are made ahead."""
    if threads < 1:
        raise OptionError(f"threads={threads}: there must be at least one")
    ahead: deque[Future[Block]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for number in range(-(-world.users // _USERS)):
            ahead.append(pool.submit(_make_block, world, number))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


class _Sums:
    def __init__(self) -> None:
        self._queries = self._events = 0
        self._total, self._bots, self._faults = Counts(), Counts(), Faults()
        self._variants = {"A": Counts(), "B": Counts()}
        self._asked = np.zeros(DISTINCT_QUERIES, dtype=np.int64)

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
    """A Parquet file that gets its name once it is complete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(f".{path.name}.unfinished")
        self._writer: Any = None
        self._waiting: list[Any] = []

    def __enter__(self) -> _Sink:
        return self

    def add(self, table: Any) -> None:
        """Write the table, or keep it until there are enough rows for a group."""
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
