"""Many questions to an engine, several at a time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from cleverdon.engine.asking import Answer, Patience, ask
from cleverdon.engine.callables import checked
from cleverdon.engine.failures import SearchFailure, failure_of
from cleverdon.engine.protocol import Engine, Results
from cleverdon.errors import CleverdonError

GIVE_UP = 20
"""After so many failed queries in a row there is no use in asking further."""


@dataclass(frozen=True)
class Asked:
    """How the questions were put."""

    at_once: int  # how many at a time
    in_one: bool = False  # whether all went in one call, so that none has a time of its own
    not_asked: tuple[str, ...] = ()  # since the engine no longer answered


_FOR_EVER = 1e9

Took = Callable[[str, Answer], object]
"""Called with each query's id and its answer."""


async def ask_all(
    engine: Engine,
    queries: Mapping[str, str],
    k: int,
    *,
    concurrency: int,
    patience: Patience,
    took: Took,
) -> Asked:
    """Ask all, so many at a time at most; end after `GIVE_UP` in a row without an answer."""
    at_once = engine.make_room(min(concurrency, len(queries)))
    async with engine:
        if engine.in_batches:
            await _ask_in_one(engine, queries, k, patience, took)
            return Asked(len(queries), in_one=True)
        asking = _Asking(engine, queries, k, patience, took)
        workers = [asyncio.create_task(asking.work()) for _ in range(at_once)]
        try:
            await asyncio.gather(*workers)
        finally:  # an error of one of them, or an interrupt, ends them all
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    return Asked(at_once, not_asked=tuple(query for query, _ in asking.waiting))


class _InOne(Engine):
    """All queries of an engine as one question."""

    def __init__(self, engine: Engine, queries: Mapping[str, str]) -> None:
        self._engine, self._queries = engine, queries
        self.found: Mapping[str, Results] = {}

    async def search(self, query: str, k: int) -> Results:
        found: Any = await self._engine.search_all(self._queries, k)
        if not isinstance(found, Mapping):
            raise SearchFailure("malformed", f"expected {{topic: results}}, found {found!r:.80}")
        self.found = found
        return []


async def _ask_in_one(
    engine: Engine, queries: Mapping[str, str], k: int, patience: Patience, took: Took
) -> None:
    """Ask all in one call, for which the engine has a time limit of its own."""
    in_one = _InOne(engine, queries)
    unlimited = replace(patience, timeout=_FOR_EVER)
    answer = await _ask(in_one, "", k, unlimited, random.Random())
    answer = replace(answer, seconds=answer.seconds / len(queries))
    for query in queries:
        if answer.failure is None:
            took(query, _checked(replace(answer, results=in_one.found.get(query)), k))
        else:
            took(query, answer)


async def _ask(
    engine: Engine, words: str, k: int, patience: Patience, chance: random.Random
) -> Answer:
    """Ask, and take what goes wrong within an engine that somebody wrote as a failure."""
    try:
        answer = await ask(engine, words, k, patience=patience, chance=chance)
    except CleverdonError:
        raise  # of the settings: no other question will fare better
    except Exception as error:
        return Answer(None, 0.0, 1, (failure_of(error),))
    has_failed = len(answer.failures) == answer.tries  # results may be None, if that is returned
    return answer if has_failed else _checked(answer, k)


def _checked(answer: Answer, k: int) -> Answer:
    """The answer, which is a failure where results are not what they should be."""
    try:
        return replace(answer, results=checked(answer.results, k))
    except SearchFailure as failure:
        return replace(answer, results=None, failures=(*answer.failures, failure))


class _Asking:
    """What those who ask at the same time share."""

    def __init__(
        self,
        engine: Engine,
        queries: Mapping[str, str],
        k: int,
        patience: Patience,
        took: Took,
    ) -> None:
        self.waiting: Iterator[tuple[str, str]] = iter(queries.items())
        self._engine, self._k, self._patience, self._took = engine, k, patience, took
        self._chance = random.Random()
        self._failed_in_a_row = 0
        self._answered = False

    async def work(self) -> None:
        """Ask one query after the other, until none is left."""
        while self._failed_in_a_row < GIVE_UP:
            query, words = next(self.waiting, (None, ""))
            if query is None:
                return
            answer = await _ask(self._engine, words, self._k, self._patience, self._chance)
            self._took(query, answer)
            self._count(answer)

    def _count(self, answer: Answer) -> None:
        if answer.failure is None:
            self._failed_in_a_row, self._answered = 0, True
        elif answer.failure.passing or not self._answered:
            # An engine that answers others may well refuse twenty queries one after the other.
            self._failed_in_a_row += 1
