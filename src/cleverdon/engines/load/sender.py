"""The sender of requests: at their times in an open loop, after an answer in a closed one.

What runs between two requests (`_RequestTracker`) is short: whatever it costs, later requests wait
for.
"""

from __future__ import annotations

import asyncio
import gc
from abc import ABC, abstractmethod
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from time import perf_counter, process_time
from typing import Any

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon._common.progress import Progress
from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.client import run_async
from cleverdon.engines.load.results import (
    CONFIDENCE,
    FAILURES,
    TIMEOUT,
    Load,
    connection_limit,
    sender_quality,
)
from cleverdon.engines.load.workload import (
    ClosedLoop,
    Mix,
    OpenLoop,
    Pattern,
    check_load_length,
    check_seconds,
    intended_times,
)
from cleverdon.engines.protocol import Engine, Results, SearchFailure
from cleverdon.errors import CleverdonError, OptionError, check_count

_FAILURE_NUMBERS = {kind: number for number, kind in enumerate(FAILURES)}
_FINEST_TIMER = 0.001  # seconds between two looks at who has waited too long, at the least


class _RequestTracker:
    """Sends requests, each as a task, and notes their ends; times below 0 are the warm-up's."""

    def __init__(self, plan: LoadPlan, settled: Callable[[], None]) -> None:
        self.begin = perf_counter() + plan.warmup
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.query = array("q")
        self.intended, self.sent, self.done = array("d"), array("d"), array("d")
        self.failed = array("q")
        self.answers: dict[int, Results] = {}
        self.messages: dict[str, str] = {}
        self.broken: CleverdonError | None = None
        """An error that stops every request, such as a missing library."""
        self.cut_off = 0
        self._search, self._texts = plan.engine.search, plan.mix.texts
        self._k, self._timeout, self._settled = plan.k, plan.timeout, settled
        self._expired: set[int] = set()
        self._oldest: deque[int] = deque()
        self._loop = asyncio.get_running_loop()
        # One timer serves all: with the same time-out, requests expire in the order of their start.
        self._timer = self._loop.call_later(plan.timeout, self._expire)

    def now(self) -> float:
        return perf_counter() - self.begin

    def send(self, query: int, intended: float) -> None:
        number = len(self.query)
        self.query.append(query)
        self.intended.append(intended)
        self.sent.append(inf)  # not yet: its task has to begin first
        self.done.append(0.0)
        self.failed.append(-1)
        self._oldest.append(number)
        self.tasks[number] = self._loop.create_task(self._ask(number, query))

    async def _ask(self, number: int, query: int) -> None:
        self.sent[number] = perf_counter() - self.begin
        try:
            results = await self._search(self._texts[query], self._k)
            self.done[number] = perf_counter() - self.begin
            if query not in self.answers and self.intended[number] >= 0:
                self.answers[query] = results
        except SearchFailure as failure:
            self._fail(number, failure.kind, failure.message)
        except asyncio.CancelledError:
            if number not in self._expired:
                raise  # the whole load is being ended
            self._expired.discard(number)
            self._fail(number, "timeout", f"no answer within {self._timeout:g} s")
        except CleverdonError as error:
            self.broken = error
        except Exception as error:
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._fail(number, "server", said)
        self.tasks.pop(number, None)
        self._settled()

    def _fail(self, number: int, kind: str, message: str) -> None:
        self.done[number] = perf_counter() - self.begin
        self.failed[number] = _FAILURE_NUMBERS[kind]
        self.messages.setdefault(kind, message)

    def _expire(self) -> None:
        oldest, now = self._oldest, self.now()
        wait = self._timeout
        while oldest:
            number = oldest[0]
            task = self.tasks.get(number)
            if task is not None:
                # A task that is cancelled before it has begun would never tell its end.
                wait = min(self.sent[number] + self._timeout - now, self._timeout)
                if wait > 0:
                    break
                self._expired.add(number)
                task.cancel()
                wait = self._timeout
            oldest.popleft()
        self._timer = self._loop.call_later(max(wait, _FINEST_TIMER), self._expire)

    async def end(self) -> None:
        self._timer.cancel()
        left, self.tasks = self.tasks, {}
        for number, task in left.items():
            self.cut_off += 1
            self.done[number], self.failed[number] = self.now(), TIMEOUT
            self.sent[number] = min(self.sent[number], self.done[number])
            task.cancel()
        if left:
            # An engine that holds on to a request after all is not waited for a second time.
            await asyncio.wait(left.values(), timeout=1.0)


_WARM_ARRIVALS, _WARM_QUERIES = 4, 5
"""Streams of their own for the warm-up, so that it does not change the load itself."""

_SENT_AT_ONCE = 32
"""Requests after which a sender that has fallen behind reads answers: their connections can be
used again, and opening thousands of new ones would make it fall behind further."""


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    """The engine, the queries and the length of a load."""

    engine: Engine
    mix: Mix
    pattern: Pattern
    seconds: float | None = None
    requests: int | None = None
    order: Ints | None = None  # the queries to ask, in place of those that are drawn from the mix
    k: int = 10
    timeout: float = 10.0
    warmup: float = 0.0
    most_in_flight: int = 0  # by default as many as there can be connections
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        if self.order is not None:
            most = len(self.order)
            if self.requests is not None and self.requests > most:
                raise OptionError(f"requests={self.requests}: the order that was given has {most}")
            object.__setattr__(self, "requests", self.requests or most)
        check_load_length(self.seconds, self.requests)
        check_seconds("timeout", self.timeout)
        check_seconds("warmup", self.warmup, zero=True)
        check_count("k", self.k)
        most = self.most_in_flight or connection_limit(self.engine)
        object.__setattr__(self, "most_in_flight", check_count("most_in_flight", most))


class _Sender(ABC):
    """The common part of both loops: the end, and the sender's processor time until then."""

    def __init__(self, plan: LoadPlan) -> None:
        self.plan = plan
        self.under = _RequestTracker(plan, self.settled)
        self.unsent = 0
        self._loop = asyncio.get_running_loop()
        self._over: asyncio.Future[None] = self._loop.create_future()
        self._drained: asyncio.Future[None] = self._loop.create_future()
        self._ended, self._cpu, self._cpu_before = 0.0, 0.0, process_time()
        self._loop.call_later(plan.warmup, self._begin)

    def _begin(self) -> None:
        self._cpu_before = process_time()

    @abstractmethod
    def start(self) -> None:
        """Send the first requests; timers and answers cause all others."""

    @abstractmethod
    def share(self) -> float: ...

    async def over(self) -> None:
        """Wait until the last request is sent; to cancel the wait does not stop sending."""
        await asyncio.shield(self._over)

    async def drained(self, most: float) -> None:
        """Wait until the last request is answered, or so much time has passed."""
        if self.under.tasks and self.under.broken is None:
            await asyncio.wait([self._drained], timeout=most)
        if self.under.broken is not None:
            raise self.under.broken

    def end(self) -> None:
        if not self._over.done():
            self._ended = self.under.now()
            self._cpu = process_time() - self._cpu_before
            self._over.set_result(None)

    def settled(self) -> None:
        if self.under.broken is not None:
            self.end()
        if self._over.done() and not self.under.tasks and not self._drained.done():
            self._drained.set_result(None)

    def result(self) -> Load:
        under = self.under
        kept = np.array(under.intended) >= 0
        intended, sent, done = (
            np.array(times)[kept] for times in (under.intended, under.sent, under.done)
        )
        return Load(
            pattern=self.plan.pattern,
            queries=self.plan.mix.texts,
            query_ids=self.plan.mix.ids,
            query=np.array(under.query, dtype=np.int64)[kept],
            intended=intended,
            sent=sent,
            done=done,
            failed=np.array(under.failed, dtype=np.int64)[kept],
            seconds=self._ended,
            generator=sender_quality(
                sent - intended,
                cpu=self._cpu / self._ended if self._ended > 0 else 0.0,
                in_process=self.plan.engine.in_process,
                cut_off=under.cut_off,
                unsent=self.unsent,
            ),
            answers=under.answers,
            messages=under.messages,
            confidence=self.plan.confidence,
        )


class OpenLoopSender(_Sender):
    """Each request at its time."""

    def __init__(self, plan: LoadPlan, pattern: OpenLoop) -> None:
        times = intended_times(pattern, seconds=plan.seconds, requests=plan.requests)
        self._to_the_second = len(times) != plan.requests
        queries = plan.order
        if queries is None:
            queries = plan.mix.drawn(len(times), seed=pattern.seed)
        queries = queries[: len(times)]
        if plan.warmup:
            warm = intended_times(pattern, seconds=plan.warmup, stream=_WARM_ARRIVALS)
            asked = plan.mix.drawn(len(warm), seed=pattern.seed, stream=_WARM_QUERIES)
            times = np.concatenate((warm - plan.warmup, times))
            queries = np.concatenate((asked, queries))
        # Numbers of numpy are slow one at a time, and Python's lists large.
        self._times, self._queries = array("d", times.tobytes()), array("q", queries.tobytes())
        self._next = 0
        super().__init__(plan)

    def start(self) -> None:
        if self._over.done():
            return
        under, times, queries = self.under, self._times, self._queries
        number, count, now = self._next, len(times), under.now()
        most = min(count, number + _SENT_AT_ONCE)
        while number < most and times[number] <= now:
            if len(under.tasks) >= self.plan.most_in_flight:
                self.unsent = count - number
                self.end()
                return
            under.send(queries[number], times[number])
            number += 1
        self._next = number
        if number < count:
            self._loop.call_later(max(0.0, times[number] - now), self.start)
        elif self._to_the_second:
            # Time goes on after the last arrival, and so does what is counted by the second.
            self._loop.call_later(max(0.0, (self.plan.seconds or 0.0) - now), self.end)
        else:
            self.end()

    def share(self) -> float:
        return self._next / max(1, len(self._times))


class ClosedLoopSender(_Sender):
    """Each client's next request as soon as it is answered."""

    def __init__(self, plan: LoadPlan, pattern: ClosedLoop) -> None:
        self._clients = pattern.clients
        self._warm = plan.mix.endless(seed=pattern.seed, stream=_WARM_QUERIES)
        drawn = plan.mix.endless(seed=pattern.seed)
        self._queries: Iterator[int] = drawn if plan.order is None else iter(plan.order.tolist())
        self._count = 0
        super().__init__(plan)

    def start(self) -> None:
        if self.plan.seconds is not None:
            self._loop.call_later(self.plan.warmup + self.plan.seconds, self.end)
        for _ in range(self._clients):
            self._send()

    def settled(self) -> None:
        super().settled()
        self._send()

    def _send(self) -> None:
        if self._over.done():
            return
        now = self.under.now()
        if now < 0:
            self.under.send(next(self._warm), now)
        elif self._count == self.plan.requests:
            self.end()
        else:
            self._count += 1
            self.under.send(next(self._queries), now)

    def share(self) -> float:
        shares = [0.0]
        if self.plan.requests is not None:
            shares.append(self._count / self.plan.requests)
        if self.plan.seconds is not None:
            lasts = self.plan.warmup + self.plan.seconds
            shares.append((self.plan.warmup + self.under.now()) / lasts)
        return min(1.0, max(shares))


_GRACE = 1.0  # seconds that a request is given to end once its time is over
_PROGRESS_INTERVAL = 0.2


def load(engine: Any, mix: Mix, pattern: Pattern, **options: Any) -> Load:
    """Run `run_load` for callers that are not async; open and close the engine.

    >>> async def search(query, k):
    ...     return [("d1", 1.0)]
    >>> found = load(search, Mix.of(["solar power"]), OpenLoop(500, "constant"), requests=20)
    >>> len(found.response), found.errors()
    (20, {})
    """

    system = as_engine(engine)
    if isinstance(pattern, ClosedLoop):
        system.set_concurrency(pattern.clients)

    async def opened() -> Load:
        async with system:
            return await run_load(system, mix, pattern, **options)

    return run_async(opened())


async def run_load(
    engine: Engine,
    mix: Mix,
    pattern: Pattern,
    *,
    partial: bool = False,
    progress: Progress | None = None,
    **length: Any,
) -> Load:
    """Send requests to an open engine for `seconds` or `requests`, whichever ends first.

    `length` are fields of `LoadPlan`. None is sent a second time: a failure counts. Requests of the
    warm-up are not in the result. `most_in_flight` requests under way end the load, and it is not
    valid: what is not sent cannot be slow. With `partial`, a load that is cancelled, as by Ctrl-C,
    returns what was sent.
    """
    plan = LoadPlan(engine=engine, mix=mix, pattern=pattern, **length)
    with _garbage_frozen():
        sending: _Sender = (
            OpenLoopSender(plan, pattern)
            if isinstance(pattern, OpenLoop)
            else ClosedLoopSender(plan, pattern)
        )
        try:
            with _progress_reports(progress, sending.share):
                sending.start()
                try:
                    await sending.over()
                except asyncio.CancelledError:
                    sending.end()
                    if not partial or sending.under.now() <= 0:
                        raise
                await sending.drained(plan.timeout + _GRACE)
        finally:
            await sending.under.end()
    return sending.result()


@contextmanager
def _garbage_frozen() -> Iterator[None]:
    # A full collection takes longer than many a request, and all of them would wait for it. So
    # objects that exist already are not looked at while the load lasts; new ones are.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _progress_reports(progress: Progress | None, share: Callable[[], float]) -> Iterator[None]:
    if progress is None:
        yield
        return

    async def report() -> None:
        while True:
            progress("load", share(), 1)
            await asyncio.sleep(_PROGRESS_INTERVAL)

    reporting = asyncio.create_task(report())
    try:
        yield
    finally:
        reporting.cancel()
