"""One question to an engine: with a time limit, and asked again where that may help."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from math import isfinite
from time import perf_counter

from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Engine, Results
from cleverdon.errors import OptionError, check_count


@dataclass(frozen=True)
class Patience:
    """How long to wait for an answer, and how often to ask."""

    timeout: float = 10.0  # seconds for each try
    tries: int = 3
    pause: float = 0.5  # seconds before the second try; twice as long before each further one
    longest: float = 30.0  # no pause is longer, whatever the engine asks for

    def __post_init__(self) -> None:
        check_count("tries", self.tries)
        for name in ("timeout", "pause", "longest"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not isfinite(value) or value < 0:
                raise OptionError(f"{name}={value!r}: expected seconds, from 0 on")

    def before_next(self, tries: int, failure: SearchFailure, chance: random.Random) -> float:
        """How long to wait after so many tries, the last of which failed so."""
        if failure.retry_after is not None:
            return float(min(failure.retry_after, self.longest))
        # Spread out, so that many that failed together do not all come back together.
        pause = float(min(self.pause * 2.0 ** min(tries - 1, 99), self.longest))
        return pause * (0.5 + chance.random() / 2)


@dataclass(frozen=True)
class Answer:
    """What came of a question: results, or a failure."""

    results: Results | None
    seconds: float  # of the last try
    tries: int
    failures: tuple[SearchFailure, ...] = ()  # of all tries that failed

    @property
    def failure(self) -> SearchFailure | None:
        """Why there are no results."""
        return self.failures[-1] if self.results is None else None


async def ask(
    engine: Engine, query: str, k: int, *, patience: Patience, chance: random.Random
) -> Answer:
    """Ask until there is an answer, or no hope of one."""
    failures: list[SearchFailure] = []
    while True:
        started = perf_counter()
        try:
            results = await _once(engine, query, k, patience.timeout)
        except SearchFailure as failure:
            failures.append(failure)
            seconds = perf_counter() - started
            if not failure.passing or len(failures) >= patience.tries:
                return Answer(None, seconds, len(failures), tuple(failures))
            await asyncio.sleep(patience.before_next(len(failures), failure, chance))
        else:
            return Answer(results, perf_counter() - started, len(failures) + 1, tuple(failures))


async def _once(engine: Engine, query: str, k: int, timeout: float) -> Results:
    try:
        async with asyncio.timeout(timeout):
            return await engine.search(query, k)
    except TimeoutError:
        raise SearchFailure("timeout", f"no answer within {timeout:g} s") from None
