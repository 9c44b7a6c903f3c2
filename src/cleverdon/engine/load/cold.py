"""Each query once, when the engine has not seen it yet, and once again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from time import perf_counter

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import interval
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.load.latencies import percentile_of
from cleverdon.engine.protocol import Engine
from cleverdon.errors import InputError, OptionError, check_count

Progress = Callable[[str, float], object]
"""Told what is being done, and which share of it is over."""

_RISING = 60.0
"""Seconds that an engine may take to answer its first query after its caches were emptied."""
_PAUSE = 0.2


@dataclass(frozen=True)
class Ratio:
    """How many times as long queries take when the cache is cold, in the geometric mean."""

    value: float
    low: float
    high: float
    confidence: float
    queries: int  # that were answered both times, in any repetition


@dataclass(frozen=True, eq=False)
class ColdWarm:
    """Seconds of every query, repetitions x queries; NaN where there was no answer."""

    queries: tuple[str, ...]
    cold: Floats
    warm: Floats
    emptied: bool  # whether something was done to empty the caches before
    ratio: Ratio
    failed: int = 0  # questions without an answer

    @property
    def not_valid(self) -> tuple[str, ...]:
        """Why nothing can be said."""
        return () if self.ratio.queries else ("no query was answered both times",)

    def percentile(self, which: str, name: str) -> float:
        """A percentile, as p99, of the `cold` or `warm` answers; NaN where there are none."""
        times = np.sort(getattr(self, which)[np.isfinite(getattr(self, which))])
        return percentile_of(times, name)


def cold_warm(
    queries: Sequence[str],
    cold: Floats,
    warm: Floats,
    *,
    emptied: bool,
    confidence: float = 0.95,
) -> ColdWarm:
    """The ratio of times of the same queries, each query one of the sample.

    >>> import numpy as np
    >>> found = cold_warm(["a", "b"], np.array([[2.0, 4.0]]), np.array([[1.0, 2.0]]), emptied=True)
    >>> found.ratio.value
    2.0
    """
    known = np.isfinite(cold) & np.isfinite(warm) & (cold > 0) & (warm > 0)
    logs = np.log(np.where(known, cold, 1.0)) - np.log(np.where(known, warm, 1.0))
    times = known.sum(axis=0)
    by_query = logs.sum(axis=0)[times > 0] / times[times > 0]
    if len(by_query):
        ends = interval(by_query, confidence=confidence)
        found = Ratio(
            float(np.exp(by_query.mean())),
            float(np.exp(ends.low)),
            float(np.exp(ends.high)),
            confidence,
            len(by_query),
        )
    else:
        found = Ratio(nan, nan, nan, confidence, 0)
    failed = int((~np.isfinite(cold)).sum() + (~np.isfinite(warm)).sum())
    return ColdWarm(tuple(queries), cold, warm, emptied, found, failed)


async def run_cold(
    engine: Engine,
    queries: Sequence[str],
    *,
    empty: Callable[[], None] | None = None,
    repetitions: int = 1,
    k: int = 10,
    timeout: float = 10.0,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> ColdWarm:
    """Ask every query once and then again, one after the other; opens the engine itself.

    `empty` is called before each cold pass, to restart an engine or to empty its caches. Without
    it, only the first time can be cold, and there is one repetition.
    """
    check_count("repetitions", repetitions)
    if empty is None and repetitions > 1:
        raise OptionError(
            "without a command that empties the caches (--before-cold), a query is cold only once: "
            f"{repetitions} repetitions would be warm"
        )
    texts = list(dict.fromkeys(queries))
    if not texts:
        raise InputError("there are no queries to ask")
    order = np.random.default_rng(seed).permutation(len(texts))
    found = np.full((2, repetitions, len(texts)), nan)
    for repetition in range(repetitions):
        if empty is not None:
            await asyncio.to_thread(empty)
        async with engine:
            for place, name in enumerate(("cold", "warm")):
                for done, at in enumerate(order):
                    rising = _RISING if done == 0 and place == 0 and empty is not None else 0.0
                    found[place, repetition, at] = await _timed(
                        engine, texts[at], k, timeout, rising
                    )
                    if progress is not None:
                        label = f"{name}, {repetition + 1} of {repetitions}"
                        progress(label, (done + 1) / len(texts))
    return cold_warm(texts, *found, emptied=empty is not None, confidence=confidence)


async def _timed(engine: Engine, text: str, k: int, timeout: float, rising: float) -> float:
    """Seconds until the answer; NaN where there is none. An engine may need time to come up."""
    until = perf_counter() + rising
    while True:
        started = perf_counter()
        try:
            async with asyncio.timeout(timeout):
                await engine.search(text, k)
        except (SearchFailure, TimeoutError) as failure:
            hopeless = isinstance(failure, SearchFailure) and not failure.passing
            if hopeless or perf_counter() >= until:
                return nan
            await asyncio.sleep(_PAUSE)
        else:
            return perf_counter() - started
