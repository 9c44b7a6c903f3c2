"""Loads as they might have come out, without a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.load.results import FAILURES, Generator, Load
from cleverdon.engines.load.workload import OpenLoop, Pattern
from cleverdon.engines.protocol import Engine

QUIET = Generator({"p50": 0.0001, "p99": 0.0005, "max": 0.001}, cpu=0.2, in_process=False)


def made_load(
    response: Floats,
    *,
    seconds: float = 5.0,
    pattern: Pattern | None = None,
    failed: dict[str, int] | None = None,
    generator: Generator = QUIET,
    queries: tuple[str, ...] = ("a", "b"),
    **more: Any,
) -> Load:
    """Requests at even times with these response times; the first ones fail as `failed` says."""
    count = len(response)
    intended = np.arange(count) * seconds / max(count, 1)
    lag = 0.0001
    kinds = np.full(count, -1)
    at = 0
    for kind, times in (failed or {}).items():
        kinds[at : at + times] = FAILURES.index(kind)
        at += times
    return Load(
        pattern=OpenLoop(count / seconds, "constant") if pattern is None else pattern,
        queries=queries,
        query=np.arange(count) % len(queries),
        intended=intended,
        sent=intended + lag,
        done=intended + np.maximum(response, lag),
        failed=kinds,
        seconds=seconds,
        generator=generator,
        **more,
    )


def waiting(seconds: Callable[[str], float], name: str = "made") -> Engine:
    """An engine in this process that takes so long for a query, whatever else it does."""
    import asyncio

    async def search(query: str, k: int) -> list[tuple[str, float]]:
        await asyncio.sleep(seconds(query))
        return [(f"d{at}", float(k - at)) for at in range(k)]

    return as_engine(search, name=name)
