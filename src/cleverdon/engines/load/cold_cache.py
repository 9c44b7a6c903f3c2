"""Cold and warm caches: each query once before the engine has seen it, and once again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan, nan
from time import perf_counter
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, json_number
from cleverdon._common.progress import Progress, ignore_progress
from cleverdon._common.text import counted, printable
from cleverdon.engines.load import cells
from cleverdon.engines.load.results import Load, LoadTest, percentile_of
from cleverdon.engines.load.workload import LoadOptions
from cleverdon.engines.protocol import Engine, SearchFailure
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.stats.intervals import interval
from cleverdon.tables.numbers import format_seconds, format_significant
from cleverdon.tables.result import as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_COLD_PERCENTILES = ("p50", "p90", "p99")
_PASSES_NOTE = (
    "The interval is over queries. All were asked cold before all were asked warm: it does not "
    "cover other things that slowed one of the passes down; more --repetitions show them."
)

_START_TIMEOUT = 60.0
"""Seconds that an engine may take to answer its first query after its caches were emptied."""
_PAUSE = 0.2


@dataclass(frozen=True)
class ColdWarmRatio:
    """The geometric mean of the ratios of cold to warm times."""

    value: float
    low: float
    high: float
    confidence: float
    queries: int  # that were answered both times, in any repetition

    def describe(self) -> str:
        if isnan(self.value):
            return "No query was answered both times: nothing can be said of the cache."
        ends = ""
        if not isnan(self.low):
            ends = (
                f" ({cells.share(self.confidence)} interval {format_significant(self.low)} to "
                f"{format_significant(self.high)}, by query)"
            )
        return (
            f"A query takes {format_significant(self.value)} times as long when it is cold{ends}: "
            "the geometric mean over queries."
        )


@dataclass(frozen=True, eq=False)
class ColdWarm(LoadTest):
    """Seconds of every query with cold and with warm caches, and their ratio."""

    queries: tuple[str, ...]
    cold: Floats  # repetitions x queries; NaN where there was no answer
    warm: Floats
    emptied: bool  # whether something was done to empty the caches before
    ratio: ColdWarmRatio
    failed: int = 0  # questions without an answer

    mode = "cold"

    @property
    def loads(self) -> Sequence[Load]:
        return []

    @property
    def tagged_loads(self) -> Sequence[tuple[str, Load]]:
        raise OptionError("a histogram is of a load, and cold and warm are one query at a time")

    @property
    def not_valid(self) -> tuple[str, ...]:
        return () if self.ratio.queries else ("no query was answered both times",)

    def percentile(self, which: str, name: str) -> float:
        """A percentile, as p99, of the `cold` or `warm` answers; NaN where there are none."""
        times = np.sort(getattr(self, which)[np.isfinite(getattr(self, which))])
        return percentile_of(times, name)

    def describe(self, system: str) -> str:
        return (
            f"{printable(system)}: {counted(len(self.queries), 'query')}, one after the other, "
            f"cold and then warm; {counted(len(self.cold), 'repetition')}"
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        write = cells.exact_number if exact else format_seconds
        rows = [
            [which, *(write(self.percentile(which, name)) for name in _COLD_PERCENTILES)]
            for which in ("cold", "warm")
        ]
        notes = ["one query at a time, from sending to answer"]
        return [Section("cache", TextTable(["cache", *_COLD_PERCENTILES], rows, 1, [], notes))]

    def closing(self) -> Sequence[str]:
        emptied = (
            "Cold: after the command that was given had been run."
            if self.emptied
            else "Cold: the first time these queries were asked since the bench began; the "
            "engine's caches were not emptied (--before-cold), and may have known them."
        )
        lines = [self.ratio.describe(), emptied, _PASSES_NOTE]
        if self.failed:
            lines.append(f"{counted(self.failed, 'question')} had no answer, and are left out.")
        return lines

    def to_dict(self) -> dict[str, Any]:
        times = {
            which: {name: json_number(self.percentile(which, name)) for name in _COLD_PERCENTILES}
            for which in ("cold", "warm")
        }
        return {
            **times,
            "ratio": as_json(self.ratio),
            "emptied": self.emptied,
            "repetitions": len(self.cold),
            "queries": len(self.queries),
            "failed": self.failed,
        }


def _compare_cold_warm(
    queries: Sequence[str], cold: Floats, warm: Floats, *, emptied: bool, confidence: float = 0.95
) -> ColdWarm:
    """Compare times of the same queries; each query is one of the sample."""
    known = np.isfinite(cold) & np.isfinite(warm) & (cold > 0) & (warm > 0)
    logs = np.log(np.where(known, cold, 1.0)) - np.log(np.where(known, warm, 1.0))
    times = known.sum(axis=0)
    by_query = logs.sum(axis=0)[times > 0] / times[times > 0]
    if len(by_query):
        ends = interval(by_query, confidence=confidence)
        found = ColdWarmRatio(
            float(np.exp(by_query.mean())),
            float(np.exp(ends.low)),
            float(np.exp(ends.high)),
            confidence,
            len(by_query),
        )
    else:
        found = ColdWarmRatio(nan, nan, nan, confidence, 0)
    failed = int((~np.isfinite(cold)).sum() + (~np.isfinite(warm)).sum())
    return ColdWarm(tuple(queries), cold, warm, emptied, found, failed)


async def run_cold(
    engine: Engine,
    queries: Sequence[str],
    load: LoadOptions,
    *,
    empty: Callable[[], None] | None = None,
    repetitions: int = 1,
    progress: Progress = ignore_progress,
) -> ColdWarm:
    """Ask every query once and then again; `empty` is called before each cold pass."""
    check_count("repetitions", repetitions)
    if empty is None and repetitions > 1:
        raise OptionError(
            "without a command that empties the caches (--before-cold), a query is cold only once: "
            f"{repetitions} repetitions would be warm"
        )
    texts = list(dict.fromkeys(queries))
    if not texts:
        raise InputError("there are no queries to ask")
    order = np.random.default_rng(load.seed).permutation(len(texts))
    found = np.full((2, repetitions, len(texts)), nan)
    for repetition in range(repetitions):
        if empty is not None:
            await asyncio.to_thread(empty)
        async with engine:
            for place, name in enumerate(("cold", "warm")):
                for done, at in enumerate(order):
                    first = done == 0 and place == 0 and empty is not None
                    rising = _START_TIMEOUT if first else 0.0
                    seconds = await _timed(engine, texts[at], load.k, load.timeout, rising)
                    found[place, repetition, at] = seconds
                    progress(f"{name}, {repetition + 1} of {repetitions}", done + 1, len(texts))
    emptied = empty is not None
    return _compare_cold_warm(texts, *found, emptied=emptied, confidence=load.confidence)


async def _timed(engine: Engine, text: str, k: int, timeout: float, rising: float) -> float:
    """Return the seconds until the answer; NaN without one. A new engine may need time to start."""
    until = perf_counter() + rising
    while True:
        started = perf_counter()
        try:
            async with asyncio.timeout(timeout):
                await engine.search(text, k)
        except (SearchFailure, TimeoutError) as failure:
            hopeless = isinstance(failure, SearchFailure) and not failure.retryable
            if hopeless or perf_counter() >= until:
                return nan
            await asyncio.sleep(_PAUSE)
        else:
            return perf_counter() - started
