"""A soak test: a long load by windows, and whether the engine gets slower, fails more, or grows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from time import perf_counter
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress
from cleverdon._common.text import counted, printable
from cleverdon.engines.load import cells
from cleverdon.engines.load.results import Load, LoadTest, percentile_of
from cleverdon.engines.load.sender import run_load
from cleverdon.engines.load.workload import LoadOptions, Mix, SoakOptions
from cleverdon.engines.protocol import Engine
from cleverdon.engines.resources import process_memory
from cleverdon.errors import OptionError
from cleverdon.stats.intervals import why_disagree
from cleverdon.stats.multiple_comparisons import holm
from cleverdon.stats.trends import FEWEST_POINTS, MOST_POINTS, Drift, drift
from cleverdon.tables.numbers import format_seconds
from cleverdon.tables.result import as_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

HOUR = 3600.0
WATCHED = ("p50", "p99", "throughput", "errors", "memory")  # the quantities whose drift is tested

_MEMORY_SAMPLES = 5  # samples of memory in a window
_SHOWN_WINDOWS = 12  # the most windows in the table for people


@dataclass(frozen=True)
class Window:
    """A stretch of the load: requests that were to be sent within it."""

    start: float
    seconds: float
    requests: int
    p50: float  # of response times; NaN where none was timed
    p99: float
    throughput: float  # answers to these requests, a second
    errors: float  # share of requests
    memory: float = nan  # bytes, the mean within the window

    @property
    def clock(self) -> str:
        """Its start time: to the second, or finer for short windows."""
        if self.seconds < 1:
            return f"{self.start:.3g} s"
        minutes, left = divmod(round(self.start), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{left:02}"


@dataclass(frozen=True, eq=False)
class Soak(LoadTest):
    """A long load with its windows and drifts."""

    load: Load
    window: float  # seconds
    windows: tuple[Window, ...]
    drifts: Mapping[str, Drift]  # for each hour; of WATCHED, as far as known
    corrected: Mapping[str, float]  # p-values, by Holm over all of them
    unadjusted: Mapping[str, Drift]  # with intervals that are not adjusted for all of them
    level: float
    confidence: float
    not_valid: tuple[str, ...] = ()
    memory: tuple[tuple[float, float], ...] = field(default=(), repr=False)  # seconds, bytes

    mode = "soak"

    @property
    def loads(self) -> Sequence[Load]:
        return [self.load]

    @property
    def few(self) -> bool:
        """True if there are too few windows to tell drift from chance."""
        return len(self.windows) < FEWEST_POINTS

    def verdict(self, name: str) -> str:
        if self.not_valid:
            return "not valid"
        if name not in self.corrected:
            return "not known"
        return "shown" if self.corrected[name] <= self.level else "not shown"

    def describe(self, system: str) -> str:
        return (
            f"{printable(system)}: {self.load.pattern.describe()}, for "
            f"{format_seconds(self.load.seconds)} in {counted(len(self.windows), 'window')} of "
            f"{format_seconds(self.window)}"
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        tables = [Section("windows", self._window_table(exact=exact))]
        if self.drifts:
            tables.insert(0, Section("drift", self._drift_table(exact=exact)))
        return tables

    def closing(self) -> Sequence[str]:
        if not self.drifts:
            return [
                f"{len(self.windows)} windows are too few to tell drift from chance: "
                f"{FEWEST_POINTS} is the least. Make the load longer, or windows shorter."
            ]
        return [
            *map(self.describe_drift, self.drifts),
            "Slopes are Theil and Sen's, tests Mann and Kendall's, corrected for neighbouring "
            "windows being alike, and by Holm for there being several; intervals are adjusted for "
            "that by Bonferroni's method.",
        ]

    def describe_drift(self, name: str) -> str:
        """Return a drift in a sentence: `p99 grows by 1.2 ms an hour (0.8 to 1.6 ms): drift.`"""
        one = self.drifts[name]
        if self.not_valid:
            return f"{name}: not valid."
        ends = self._ends_text(name)
        if self.verdict(name) == "shown" and one.slope:
            word, slope = "grows" if one.slope > 0 else "falls", abs(one.slope)
            said = f"{name} {word} by {cells.QUANTITY_FORMATS[name](slope)} an hour"
            said += f" ({ends}): drift." if ends else ": drift."
        else:
            said = f"{name}: no drift is shown{f' (an hour {ends})' if ends else ''}."
        if self.disagrees(name):
            other = "includes" if self.verdict(name) == "shown" else "excludes"
            why = why_disagree(self.confidence, self.level)
            said += f" Interval and verdict disagree, since {why}: the interval {other} 0."
        return said

    def disagrees(self, name: str) -> bool:
        """Return whether the interval says otherwise than the test."""
        one = self.drifts[name]
        if self.not_valid or isnan(one.low):
            return False
        return (one.low > 0 or one.high < 0) != (self.verdict(name) == "shown")

    def _ends_text(self, name: str) -> str:
        """Return both intervals, the adjusted one first; nothing where there is none."""
        one, alone = (
            " to ".join(cells.signed_quantity(name, end) for end in (found.low, found.high))
            for found in (self.drifts[name], self.unadjusted[name])
        )
        if isnan(self.drifts[name].low):
            return ""
        if len(self.drifts) == 1:
            return one
        return (
            f"{one}, adjusted for {counted(len(self.drifts), 'comparison')}; {alone} not adjusted"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "window": self.window,
            "windows": as_json(self.windows),
            "drifts": {
                name: as_json(one)
                | {
                    "corrected": self.corrected[name],
                    "unadjusted_low": as_json(self.unadjusted[name].low),
                    "unadjusted_high": as_json(self.unadjusted[name].high),
                    "verdict": self.verdict(name),
                }
                for name, one in self.drifts.items()
            },
            "load": self.load.to_dict(),
        }

    def _drift_table(self, *, exact: bool) -> TextTable:
        rows = []
        for name, one in self.drifts.items():
            alone = self.unadjusted[name]
            values = [getattr(window, name) for window in self.windows]
            known = sorted(value for value in values if not isnan(value))

            def signed(value: float, name: str = name) -> str:
                return cells.signed_quantity(name, value, exact=exact)

            rows.append(
                [
                    name,
                    cells.quantity(name, known[len(known) // 2], exact=exact),
                    signed(one.slope),
                    *(cells.interval(one.low, one.high, signed, exact=exact)),
                    *(cells.interval(alone.low, alone.high, signed, exact=exact)),
                    cells.p_value(self.corrected[name], self.level, exact=exact),
                    self.verdict(name),
                ]
            )
        interval = cells.interval_header(self.confidence, exact=exact)
        interval += ["unadjusted low", "unadjusted high"] if exact else ["not adjusted"]
        return TextTable(["drift", "median", "an hour", *interval, "p", "verdict"], rows, 1, [])

    def _window_table(self, *, exact: bool) -> TextTable:
        watched = any(not isnan(window.memory) for window in self.windows)
        names = WATCHED if watched else WATCHED[:-1]
        shown, notes = self.windows, []
        if len(shown) > _SHOWN_WINDOWS and not exact:
            step = (len(shown) - 1) / (_SHOWN_WINDOWS - 1)
            shown = tuple(shown[round(at * step)] for at in range(_SHOWN_WINDOWS))
            notes = [f"{len(shown)} of {len(self.windows):,} windows; --json has all of them"]
        count = count_format(exact=exact)
        rows = [
            [
                cells.exact_number(window.start) if exact else window.clock,
                count(window.requests),
                *(cells.quantity(name, getattr(window, name), exact=exact) for name in names),
            ]
            for window in shown
        ]
        return TextTable(["from", "requests", *names], rows, 1, [], notes)


def _analyse_soak(
    load: Load,
    *,
    window: float,
    memory: tuple[tuple[float, float], ...] = (),
    level: float = 0.05,
    confidence: float = 0.95,
) -> Soak:
    """Cut a load into whole windows, and test for drift; `memory` are seconds and bytes."""
    count = _window_count(load.seconds, window)
    bounds = [(number * window, (number + 1) * window) for number in range(count)]
    found = tuple(_window(load, start, end, memory) for start, end in bounds)
    middles = np.array([(start + end) / 2 / HOUR for start, end in bounds])
    watched: dict[str, Floats] = {}
    for name in WATCHED:
        values: Floats = np.array([getattr(one, name) for one in found])
        if np.isfinite(values).sum() >= FEWEST_POINTS:
            watched[name] = values
    adjusted = 1 - (1 - confidence) / max(1, len(watched))
    drifts, alone = (
        {name: drift(middles, values, confidence=of) for name, values in watched.items()}
        for of in (adjusted, confidence)
    )
    corrected = holm([one.p for one in drifts.values()])
    return Soak(
        load=load,
        window=window,
        windows=found,
        drifts=drifts,
        corrected=dict(zip(drifts, corrected, strict=True)),
        unadjusted=alone,
        level=level,
        confidence=confidence,
        not_valid=load.not_valid,
        memory=memory,
    )


def _window_count(seconds: float, window: float) -> int:
    count = int(np.floor(seconds / window + 1e-9))
    if count > MOST_POINTS:
        raise OptionError(
            f"window={window:g}: {seconds:g} s are {count:,} windows of that, and {MOST_POINTS:,} "
            "at most can be told apart; make windows longer"
        )
    return count


def _window(
    load: Load, start: float, end: float, memory: tuple[tuple[float, float], ...]
) -> Window:
    inside = (load.intended >= start) & (load.intended < end)
    times = np.sort((load.done - load.intended)[inside & load.timed])
    answered = int((inside & load.answered).sum())
    requests = int(inside.sum())
    held = [size for at, size in memory if start <= at < end]
    return Window(
        start=start,
        seconds=end - start,
        requests=requests,
        p50=percentile_of(times, "p50"),
        p99=percentile_of(times, "p99"),
        throughput=answered / (end - start),
        errors=1 - answered / requests if requests else nan,
        memory=float(np.mean(held)) if held else nan,
    )


async def run_soak(
    engine: Engine, mix: Mix, load: LoadOptions, mode: SoakOptions, progress: Progress | None = None
) -> Soak:
    """Send one long load without a break to an open engine, and watch the memory of its process."""
    pid, window, seconds = mode.pid, mode.window or load.seconds / 30, load.seconds
    if not 0 < window <= seconds:
        raise OptionError(f"window={window!r}: expected seconds, up to the {seconds:g} of the load")
    _window_count(seconds, window)  # not only once hours are over
    samples: list[tuple[float, float]] = []
    watching = None
    if pid is not None:
        process_memory(pid)  # raises an error for a wrong number
        begin = perf_counter() + load.warmup
        watching = asyncio.create_task(_watch_memory(pid, window / _MEMORY_SAMPLES, begin, samples))
    try:
        sent = await run_load(
            engine, mix, load.pattern, partial=True, progress=progress, **load.length
        )
    finally:
        if watching is not None:
            watching.cancel()
    return _analyse_soak(
        sent,
        window=window,
        memory=tuple(samples),
        level=load.level,
        confidence=load.confidence,
    )


async def _watch_memory(
    pid: int, pause: float, begin: float, samples: list[tuple[float, float]]
) -> None:
    while True:
        at = perf_counter() - begin
        try:
            samples.append((at, float(await asyncio.to_thread(process_memory, pid))))
        except OptionError:
            return
        await asyncio.sleep(pause)
