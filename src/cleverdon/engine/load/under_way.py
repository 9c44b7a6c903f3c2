"""Requests that were sent and are not yet answered, and the times of all of them.

This is what runs between two requests, so it is short: whatever it costs, later requests wait for.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import deque
from collections.abc import Callable
from math import inf
from time import perf_counter

from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.load.records import FAILURES, TIMEOUT
from cleverdon.engine.protocol import Engine, Results
from cleverdon.errors import CleverdonError

_NUMBERS = {kind: number for number, kind in enumerate(FAILURES)}
_FINEST = 0.001
"""Seconds between two looks at who has waited too long, at the least."""


class UnderWay:
    """Sends requests, each as a task of its own, and notes what becomes of them.

    Times are seconds since `begin`; before it, and so below 0, is the warm-up. Only one timer looks
    after all time-outs: all requests have the same, so that they end in the order of their start.
    """

    def __init__(
        self,
        engine: Engine,
        texts: tuple[str, ...],
        *,
        k: int,
        timeout: float,
        begin: float,
        keep_answers: bool,
        settled: Callable[[], None],
    ) -> None:
        self.begin = begin
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self.query = array("q")
        self.intended, self.sent, self.done = array("d"), array("d"), array("d")
        self.failed = array("q")
        self.answers: dict[int, Results] = {}
        self.messages: dict[str, str] = {}
        self.broken: CleverdonError | None = None
        """What no request can be asked without, such as a library that is missing."""
        self.cut_off = 0
        self._search, self._texts, self._k, self._timeout = engine.search, texts, k, timeout
        self._keep, self._settled = keep_answers, settled
        self._expired: set[int] = set()
        self._oldest: deque[int] = deque()
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(timeout, self._expire)

    def now(self) -> float:
        """Seconds since the load began."""
        return perf_counter() - self.begin

    def send(self, query: int, intended: float) -> None:
        """Begin one request, and do not wait for it."""
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
            if self._keep and query not in self.answers and self.intended[number] >= 0:
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
        self.failed[number] = _NUMBERS[kind]
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
        self._timer = self._loop.call_later(max(wait, _FINEST), self._expire)

    async def end(self) -> None:
        """Give up on whatever is still under way."""
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
