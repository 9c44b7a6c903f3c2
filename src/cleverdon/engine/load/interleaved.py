"""Two engines in turn, block by block, so that whatever disturbs the machine hits both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cleverdon.engine.load.generator import problems
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import Load, Pattern
from cleverdon.engine.load.running import run_load
from cleverdon.engine.load.versus import FEWEST_PAIRS, Versus, versus
from cleverdon.engine.protocol import Engine
from cleverdon.errors import OptionError, check_count

Progress = Callable[[str, float], object]
"""Told what is being done, and which share of all blocks is over."""

_SOUND = 0.8
"""The share of pairs that have to be valid, so that the others can be left out."""
_SETTLE = 0.5
"""Seconds of load before each block that do not count: the other engine had the caches before."""


async def interleaved(
    engines: tuple[Engine, Engine],
    mix: Mix,
    pattern: Pattern,
    *,
    pairs: int = 10,
    block: float = 5.0,
    warmup: float = 5.0,
    k: int = 10,
    timeout: float = 10.0,
    level: float = 0.05,
    progress: Progress | None = None,
) -> Versus:
    """Pairs of blocks of the same load, one for each engine, in an order left to chance.

    In half of the pairs the first engine comes first. Both blocks of a pair have the same queries
    at the same times. Before all, both engines are warmed up. They are open already.
    """
    check_count("pairs", pairs)
    names = (engines[0].name, engines[1].name)
    if names[0] == names[1]:
        raise OptionError(f"both engines are called {names[0]!r}; give them names: NAME=ENGINE")

    async def send(side: int, pattern: Pattern, seconds: float, before: float, at: int) -> Load:
        def tell(share: float) -> None:
            if progress is not None:
                progress(names[side], min(1.0, (at + share) / (2 * pairs)))

        return await run_load(
            engines[side],
            mix,
            pattern,
            seconds=seconds,
            warmup=before,
            k=k,
            timeout=timeout,
            progress=tell,
        )

    found: list[tuple[Load, Load]] = []
    interrupted = False
    try:
        if warmup:
            for side in (0, 1):
                await send(side, pattern, warmup, 0.0, 0)
        for number, first in enumerate(orders(pairs, pattern.seed)):
            # Each pair has other times and queries than the one before, or they would say the same.
            drawn = replace(pattern, seed=pattern.seed + number)
            blocks: dict[int, Load] = {}
            for at, side in enumerate((first, 1 - first)):
                blocks[side] = await send(side, drawn, block, min(_SETTLE, block), 2 * number + at)
            found.append((blocks[0], blocks[1]))
    except asyncio.CancelledError:
        # By Ctrl-C: the pairs that are complete are as good as they would be.
        if len(found) < FEWEST_PAIRS:
            raise
        interrupted = True
    reasons = _problems(names, found)
    sound = [pair for pair in found if not any(map(problems, pair))]
    enough = len(sound) >= max(FEWEST_PAIRS, _SOUND * len(found))
    return versus(
        names,
        sound if enough else found,
        level=level,
        seed=pattern.seed,
        not_valid=() if enough else reasons,
        left_out=reasons if enough else (),
        interrupted=interrupted,
    )


def orders(pairs: int, seed: int) -> list[int]:
    """Which engine comes first in each pair: each in half of them, in an order left to chance."""
    firsts = np.arange(pairs) % 2
    return [int(side) for side in np.random.default_rng([seed, pairs]).permutation(firsts)]


def _problems(names: tuple[str, str], pairs: list[tuple[Load, Load]]) -> tuple[str, ...]:
    """What speaks against any of the blocks: each reason once, with how many it is true of."""
    told = []
    for side, name in enumerate(names):
        found = [reasons for pair in pairs if (reasons := problems(pair[side]))]
        if found:
            first = "; ".join(found[0])
            told.append(f"{name}, {len(found)} of {len(pairs)} blocks: {first}")
    return tuple(told)
