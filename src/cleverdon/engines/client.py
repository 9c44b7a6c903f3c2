"""The client of an engine: one query with time limit and retries, or many at a time.

Its event loop has timers exact to 0.1 ms. Linux's epoll counts time-outs in whole milliseconds, and
asyncio rounds them up: every request of a load would be sent half a millisecond late, which is as
long as some engines take to answer.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from select import select
from threading import Thread
from time import perf_counter
from typing import Any, TypeVar

from cleverdon.engines.protocol import Engine, Results, SearchFailure, check_results, to_failure
from cleverdon.errors import CleverdonError, OptionError, check_count

_MOST = 1024  # files from this number on cannot be waited for with `select`


def _exact_loop() -> asyncio.AbstractEventLoop:
    if sys.platform == "linux" and issubclass(selectors.DefaultSelector, selectors.EpollSelector):
        return asyncio.SelectorEventLoop(_ExactSelector())
    return asyncio.new_event_loop()


if sys.platform == "linux":

    class _ExactSelector(selectors.EpollSelector):
        """Waits for epoll with `select`, whose time-outs are in microseconds, and then asks it."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            if timeout is not None and timeout > 0 and self.fileno() < _MOST:
                select([self], [], [], timeout)
                timeout = 0
            return super().select(timeout)


T = TypeVar("T")

_ENDING = 5.0  # seconds within which what was cancelled should have ended

_HEARING = 0.2
"""Seconds until a Ctrl-C is noticed that came just as a wait began."""


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; Ctrl-C cancels it. If a loop runs already, another thread has its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=_exact_loop) as runner:
            return runner.run(coroutine)
    return _in_thread(coroutine)


def _in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    future: Future[T] = Future()
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()

    async def announced() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.set_result((task.get_loop(), task))
        return await coroutine

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=_exact_loop) as runner:
                result = runner.run(announced())
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    thread = Thread(target=work, name="cleverdon-loop", daemon=True)
    try:
        thread.start()  # Ctrl-C may come while it starts
        while not future.done():
            wait([future], timeout=_HEARING)
        return future.result()
    except KeyboardInterrupt:
        wait([begun], timeout=_ENDING)
        if begun.done():
            loop, task = begun.result()
            with suppress(RuntimeError):  # the loop is closed: it has ended by itself
                loop.call_soon_threadsafe(task.cancel)
            wait([future], timeout=_ENDING)
        raise


@dataclass(frozen=True)
class Patience:
    """Time limit and retries of a query.

    >>> Patience(timeout=2.0).tries
    3
    """

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

    def next_pause(self, tries: int, failure: SearchFailure, chance: random.Random) -> float:
        if failure.retry_after is not None:
            return float(min(failure.retry_after, self.longest))
        # Spread out, so that many that failed together do not all come back together.
        pause = float(min(self.pause * 2.0 ** min(tries - 1, 99), self.longest))
        return pause * (0.5 + chance.random() / 2)


@dataclass(frozen=True)
class Answer:
    """The answer to a query: results, or a failure."""

    results: Results | None
    seconds: float  # of the last try
    tries: int
    failures: tuple[SearchFailure, ...] = ()  # of all tries that failed

    @property
    def failure(self) -> SearchFailure | None:
        return self.failures[-1] if self.results is None else None


async def ask(
    engine: Engine, query: str, k: int, *, patience: Patience, chance: random.Random
) -> Answer:
    """Ask until there is an answer, or another try cannot help."""
    failures: list[SearchFailure] = []
    while True:
        started = perf_counter()
        try:
            results = await _once(engine, query, k, patience.timeout)
        except SearchFailure as failure:
            failures.append(failure)
            seconds = perf_counter() - started
            if not failure.retryable or len(failures) >= patience.tries:
                return Answer(None, seconds, len(failures), tuple(failures))
            await asyncio.sleep(patience.next_pause(len(failures), failure, chance))
        else:
            return Answer(results, perf_counter() - started, len(failures) + 1, tuple(failures))


async def _once(engine: Engine, query: str, k: int, timeout: float) -> Results:
    try:
        async with asyncio.timeout(timeout):
            return await engine.search(query, k)
    except TimeoutError:
        raise SearchFailure("timeout", f"no answer within {timeout:g} s") from None


_GIVE_UP = 20  # failed queries in a row after which a search ends


@dataclass(frozen=True)
class AskSummary:
    """The number of queries in flight, and the queries that were not sent."""

    in_flight: int  # how many at a time
    batched: bool = False  # whether all went in one call, so that none has a time of its own
    not_asked: tuple[str, ...] = ()  # since the engine no longer answered


_FOR_EVER = 1e9

_OnAnswer = Callable[[str, Answer], object]  # called with each query's id and its answer


async def ask_all(
    engine: Engine,
    queries: Mapping[str, str],
    k: int,
    *,
    concurrency: int,
    patience: Patience,
    on_answer: _OnAnswer,
) -> AskSummary:
    """Ask all queries, `concurrency` at a time; end after 20 failures in a row."""
    in_flight = engine.set_concurrency(min(concurrency, len(queries)))
    async with engine:
        if engine.in_batches:
            await _ask_batch(engine, queries, k, patience, on_answer)
            return AskSummary(len(queries), batched=True)
        asking = _QueryWorkers(engine, iter(queries.items()), k, patience, on_answer)
        workers = [asyncio.create_task(asking.work()) for _ in range(in_flight)]
        try:
            await asyncio.gather(*workers)
        finally:  # an error of one of them, or an interrupt, ends them all
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
    return AskSummary(in_flight, not_asked=tuple(query for query, _ in asking.waiting))


class _BatchEngine(Engine):
    def __init__(self, engine: Engine, queries: Mapping[str, str]) -> None:
        self._engine, self._queries = engine, queries
        self.found: Mapping[str, Results] = {}

    async def search(self, query: str, k: int) -> Results:
        found: Any = await self._engine.search_all(self._queries, k)
        if not isinstance(found, Mapping):
            raise SearchFailure("malformed", f"expected {{query: results}}, found {found!r:.80}")
        self.found = found
        return []


async def _ask_batch(
    engine: Engine, queries: Mapping[str, str], k: int, patience: Patience, on_answer: _OnAnswer
) -> None:
    """Ask all in one call, for which the engine has a time limit of its own."""
    batched = _BatchEngine(engine, queries)
    unlimited = replace(patience, timeout=_FOR_EVER)
    answer = await _ask_safely(batched, "", k, unlimited, random.Random())
    answer = replace(answer, seconds=answer.seconds / len(queries))
    for query in queries:
        if answer.failure is None:
            on_answer(query, _check_answer(replace(answer, results=batched.found.get(query)), k))
        else:
            on_answer(query, answer)


async def _ask_safely(
    engine: Engine, words: str, k: int, patience: Patience, chance: random.Random
) -> Answer:
    try:
        answer = await ask(engine, words, k, patience=patience, chance=chance)
    except CleverdonError:
        raise  # of the settings: other queries would fail, too
    except Exception as error:
        return Answer(None, 0.0, 1, (to_failure(error),))
    has_failed = len(answer.failures) == answer.tries  # results may be None, if that is returned
    return answer if has_failed else _check_answer(answer, k)


def _check_answer(answer: Answer, k: int) -> Answer:
    try:
        return replace(answer, results=check_results(answer.results, k))
    except SearchFailure as failure:
        return replace(answer, results=None, failures=(*answer.failures, failure))


@dataclass
class _QueryWorkers:
    engine: Engine
    waiting: Iterator[tuple[str, str]]
    k: int
    patience: Patience
    on_answer: _OnAnswer
    failed_in_a_row = 0
    answered = False

    async def work(self) -> None:
        chance = random.Random()
        while self.failed_in_a_row < _GIVE_UP:
            query, words = next(self.waiting, (None, ""))
            if query is None:
                return
            answer = await _ask_safely(self.engine, words, self.k, self.patience, chance)
            self.on_answer(query, answer)
            self._count(answer)

    def _count(self, answer: Answer) -> None:
        if answer.failure is None:
            self.failed_in_a_row, self.answered = 0, True
        elif answer.failure.retryable or not self.answered:
            # An engine that answers others may well refuse twenty queries one after the other.
            self.failed_in_a_row += 1
