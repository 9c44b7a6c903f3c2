"""A long load, window by window: whether an engine gets slower, fails more, or grows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from time import perf_counter

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.multiplicity import holm
from cleverdon.engine.load.drift import FEWEST, MOST, Drift, drift
from cleverdon.engine.load.generator import problems
from cleverdon.engine.load.latencies import percentile_of
from cleverdon.engine.load.memory import memory_of
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import Load, Pattern
from cleverdon.engine.load.running import Progress, run_load
from cleverdon.engine.protocol import Engine
from cleverdon.errors import OptionError

HOUR = 3600.0
WATCHED = ("p50", "p99", "throughput", "errors", "memory")
"""What drift is looked for in."""

_SAMPLES = 5
"""How often memory is looked at in a window."""


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


@dataclass(frozen=True, eq=False)
class Soak:
    """A long load, and what changed while it lasted."""

    load: Load
    window: float  # seconds
    windows: tuple[Window, ...]
    drifts: Mapping[str, Drift]  # for each hour; of WATCHED, as far as known
    corrected: Mapping[str, float]  # p-values, by Holm over all of them
    level: float
    not_valid: tuple[str, ...] = ()
    memory: tuple[tuple[float, float], ...] = field(default=(), repr=False)  # seconds, bytes

    @property
    def few(self) -> bool:
        """Whether there are too few windows to tell drift from chance."""
        return len(self.windows) < FEWEST

    def verdict(self, name: str) -> str:
        """Whether a drift is shown, not shown, or nothing can be said."""
        if self.not_valid:
            return "not valid"
        if name not in self.corrected:
            return "not known"
        return "shown" if self.corrected[name] <= self.level else "not shown"


def soaked(
    load: Load,
    *,
    window: float,
    memory: tuple[tuple[float, float], ...] = (),
    level: float = 0.05,
    not_valid: tuple[str, ...] = (),
) -> Soak:
    """Cut a load into windows, and look for drift over them; a last one that is not whole is left.

    `memory` are times since the load began, and bytes.
    """
    count = _count(load.seconds, window)
    bounds = [(number * window, (number + 1) * window) for number in range(count)]
    found = tuple(_window(load, start, end, memory) for start, end in bounds)
    middles = np.array([(start + end) / 2 / HOUR for start, end in bounds])
    drifts = {}
    for name in WATCHED:
        values: Floats = np.array([getattr(one, name) for one in found])
        if np.isfinite(values).sum() >= FEWEST:
            drifts[name] = drift(middles, values, confidence=1 - level)
    corrected = holm([one.p for one in drifts.values()])
    return Soak(
        load=load,
        window=window,
        windows=found,
        drifts=drifts,
        corrected=dict(zip(drifts, corrected, strict=True)),
        level=level,
        not_valid=not_valid,
        memory=memory,
    )


def _count(seconds: float, window: float) -> int:
    """How many whole windows there are."""
    count = int(np.floor(seconds / window + 1e-9))
    if count > MOST:
        raise OptionError(
            f"window={window:g}: {seconds:g} s are {count:,} windows of that, and {MOST:,} at most "
            "can be told apart; make windows longer"
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
    engine: Engine,
    mix: Mix,
    pattern: Pattern,
    *,
    seconds: float,
    window: float,
    warmup: float = 0.0,
    k: int = 10,
    timeout: float = 10.0,
    pid: int | None = None,
    level: float = 0.05,
    progress: Progress | None = None,
) -> Soak:
    """One long load without a break; the engine is open already.

    `pid` is the engine's process, whose memory is watched, that of its children included.
    """
    if not 0 < window <= seconds:
        raise OptionError(f"window={window!r}: expected seconds, up to the {seconds:g} of the load")
    _count(seconds, window)  # not only once hours are over
    samples: list[tuple[float, float]] = []
    watching = None
    if pid is not None:
        memory_of(pid)  # so that a wrong number is told at once
        begin = perf_counter() + warmup
        watching = asyncio.create_task(_watch(pid, window / _SAMPLES, begin, samples))
    try:
        load = await run_load(
            engine,
            mix,
            pattern,
            seconds=seconds,
            k=k,
            timeout=timeout,
            warmup=warmup,
            partial=True,
            progress=progress,
        )
    finally:
        if watching is not None:
            watching.cancel()
    return soaked(load, window=window, memory=tuple(samples), level=level, not_valid=problems(load))


async def _watch(pid: int, pause: float, begin: float, samples: list[tuple[float, float]]) -> None:
    """Note how much memory a process has, until it is gone or this is cancelled."""
    while True:
        at = perf_counter() - begin
        try:
            samples.append((at, float(await asyncio.to_thread(memory_of, pid))))
        except OptionError:
            return
        await asyncio.sleep(pause)
