"""When the next request is sent: at its time in an open loop, after an answer in a closed one."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter, process_time

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.engine.load.arrivals import intended_times
from cleverdon.engine.load.generator import generator_of
from cleverdon.engine.load.mix import Mix
from cleverdon.engine.load.records import ClosedLoop, Load, OpenLoop, Pattern
from cleverdon.engine.load.under_way import UnderWay
from cleverdon.engine.protocol import Engine

_WARM_ARRIVALS, _WARM_QUERIES = 4, 5
"""Streams of their own for the warm-up, so that it does not change the load itself."""

_AT_ONCE = 32
"""A sender that has fallen behind reads answers after so many requests: their connections can be
used again, and opening thousands of new ones would make it fall behind further."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is asked of whom, for how long."""

    engine: Engine
    mix: Mix
    pattern: Pattern
    seconds: float | None
    requests: int | None
    order: Ints | None
    k: int
    timeout: float
    warmup: float
    keep_answers: bool
    most_in_flight: int


class Sending(ABC):
    """What both loops have: an end, and what the sender took of the processor until then."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.under = UnderWay(
            plan.engine,
            plan.mix.texts,
            k=plan.k,
            timeout=plan.timeout,
            begin=perf_counter() + plan.warmup,
            keep_answers=plan.keep_answers,
            settled=self.settled,
        )
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
        """Send the first requests; all others follow from the loop's timers and their answers."""

    @abstractmethod
    def share(self) -> float:
        """How much of the load is over."""

    async def over(self) -> None:
        """Until the last request is sent. Who waits may be cancelled, and sending goes on."""
        await asyncio.shield(self._over)

    async def drained(self, most: float) -> None:
        """Until the last one is answered, or so much time has passed."""
        if self.under.tasks and self.under.broken is None:
            await asyncio.wait([self._drained], timeout=most)
        if self.under.broken is not None:
            raise self.under.broken

    def end(self) -> None:
        """Send no more."""
        if not self._over.done():
            self._ended = self.under.now()
            self._cpu = process_time() - self._cpu_before
            self._over.set_result(None)

    def settled(self) -> None:
        """Called for each request that has come to an end."""
        if self.under.broken is not None:
            self.end()
        if self._over.done() and not self.under.tasks and not self._drained.done():
            self._drained.set_result(None)

    def result(self) -> Load:
        """Everything that was sent after the warm-up."""
        under = self.under
        kept = np.array(under.intended) >= 0
        intended, sent, done = (
            np.array(times)[kept] for times in (under.intended, under.sent, under.done)
        )
        return Load(
            pattern=self.plan.pattern,
            queries=self.plan.mix.texts,
            topics=self.plan.mix.topics,
            query=np.array(under.query, dtype=np.int64)[kept],
            intended=intended,
            sent=sent,
            done=done,
            failed=np.array(under.failed, dtype=np.int64)[kept],
            seconds=self._ended,
            generator=generator_of(
                sent - intended,
                cpu=self._cpu / self._ended if self._ended > 0 else 0.0,
                in_process=self.plan.engine.in_process,
                cut_off=under.cut_off,
                unsent=self.unsent,
            ),
            answers=under.answers,
            messages=under.messages,
        )


class SendingOpen(Sending):
    """Each request at its time."""

    def __init__(self, plan: Plan, pattern: OpenLoop) -> None:
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
        """Send what is due, and come back when the next one is."""
        if self._over.done():
            return
        under, times, queries = self.under, self._times, self._queries
        number, count, now = self._next, len(times), under.now()
        most = min(count, number + _AT_ONCE)
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


class SendingClosed(Sending):
    """Each client's next request as soon as it is answered."""

    def __init__(self, plan: Plan, pattern: ClosedLoop) -> None:
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
