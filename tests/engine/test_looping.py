"""Coroutines from plain code, and from within a loop that runs already."""

import asyncio
import os
import signal
import threading

import pytest

from cleverdon.engine.looping import run_async


async def _double(number: int) -> int:
    await asyncio.sleep(0)
    if number < 0:
        raise ValueError("below 0")
    return 2 * number


def _within_a_loop(number: int) -> int:
    async def notebook() -> int:
        return run_async(_double(number))

    return asyncio.run(notebook())


@pytest.mark.parametrize("call", [lambda number: run_async(_double(number)), _within_a_loop])
def test_what_it_returns_and_raises_comes_through(call):
    assert call(4) == 8
    with pytest.raises(ValueError, match="below 0"):
        call(-1)


def test_ctrl_c_in_a_notebook_cancels_what_was_called():
    cancelled = threading.Event()

    async def long() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)  # of the process, so the main thread is told
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def notebook() -> None:
        run_async(long())

    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(notebook())
    finally:
        loop.close()
    assert cancelled.is_set()  # it was waited for
