"""Engines whose search is a plain call that keeps its thread busy until it returns."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Self

from cleverdon.engine.failures import failure_of
from cleverdon.engine.protocol import Engine, Results
from cleverdon.errors import MissingExtra, OptionError, check_count

_Job = tuple[Callable[[], Results], "asyncio.Future[Results]"]


class ThreadedEngine(Engine):
    """Asks in threads of its own, so that the one that sends is never kept waiting.

    The threads are daemons: a search that never returns keeps no program from ending, which those
    of `concurrent.futures` would.
    """

    in_process = True

    def __init__(self, *, threads: int | None = None) -> None:
        self._fixed = threads is not None
        self._threads = 4 if threads is None else check_count("threads", threads)
        self._jobs: SimpleQueue[_Job | None] | None = None  # none while it is not open

    @abstractmethod
    def answer(self, query: str, k: int) -> Results:
        """The first k results; called in several threads at once."""

    def begin(self) -> None:
        """What each thread does before its first search, such as opening a connection."""

    def end(self) -> None:
        """What each thread does after its last one."""

    def make_room(self, at_once: int) -> int:
        """So many threads, where it was not said how many there are to be."""
        if not self._fixed:
            self._threads = at_once
        return min(at_once, self._threads)

    async def __aenter__(self) -> Self:
        jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._jobs = jobs
        for number in range(self._threads):
            name = f"{self.name}-{number}"
            try:
                Thread(target=self._work, args=(jobs,), name=name, daemon=True).start()
            except RuntimeError:
                await self.__aexit__()
                raise OptionError(
                    f"threads={self._threads}: this machine started {number} of them and no more; "
                    "ask fewer questions at a time, or say how many threads the engine may have"
                ) from None
        return self

    async def __aexit__(self, *exception: object) -> None:
        jobs, self._jobs = self._jobs, None
        if jobs is not None:
            for _ in range(self._threads):
                jobs.put(None)

    async def search(self, query: str, k: int) -> Results:
        """The first k results, found in one of the threads."""
        if self._jobs is None:
            raise OptionError(f"{self.name} is not open: write 'async with engine:' around this")
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        self._jobs.put((lambda: self.answer(query, k), future))
        return await future

    def _work(self, jobs: SimpleQueue[_Job | None]) -> None:
        problem: BaseException | None = None
        try:
            self.begin()
        except BaseException as error:
            problem = error  # told to everyone who asks
        while (job := jobs.get()) is not None:
            call, future = job
            if future.cancelled():  # nobody waits for it any more
                continue
            try:
                if problem is not None:
                    raise problem
                _tell(future, call(), None)
            except (MissingExtra, OptionError) as error:
                _tell(future, [], error)  # of the settings: no other question will fare better
            except BaseException as error:  # sys.exit() too: nothing else would ever be told
                _tell(future, [], failure_of(error))
        if problem is None:
            self.end()


def _tell(future: asyncio.Future[Results], results: Results, failure: Exception | None) -> None:
    def settle() -> None:
        if future.done():  # given up
            return
        if failure is None:
            future.set_result(results)
        else:
            future.set_exception(failure)

    with suppress(RuntimeError):  # a loop that is closed: nobody waits any more
        future.get_loop().call_soon_threadsafe(settle)
