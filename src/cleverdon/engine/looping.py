"""Coroutines called from plain code, in notebooks as well."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from cleverdon.engine.timing import exact_loop

T = TypeVar("T")

_ENDING = 5.0
"""Seconds within which what was cancelled should have ended."""

_HEARING = 0.2
"""Seconds until a Ctrl-C is heard that came just as a wait began, and so did not interrupt it."""


def run_async(coroutine: Coroutine[Any, Any, T]) -> T:
    """What the coroutine returns; Ctrl-C cancels it.

    Where a loop runs in this thread already, as in a notebook, another thread has one of its own.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=exact_loop) as runner:
            return runner.run(coroutine)
    return _in_thread(coroutine)


def _in_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    future: Future[T] = Future()
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()

    async def told() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.set_result((task.get_loop(), task))
        return await coroutine

    def work() -> None:
        try:
            with asyncio.Runner(loop_factory=exact_loop) as runner:
                result = runner.run(told())
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
