"""Coroutines from plain code, and from within a loop that runs already, as in a notebook."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from cleverdon.engines import client
from cleverdon.engines.client import _exact_loop, run_async

Call = Callable[[Coroutine[Any, Any, Any]], Any]

_UNTIL_IT_WAITS = 0.05
"""Seconds before a Ctrl-C: one that comes while a thread starts can land in a callback of Python's
own, which drops it."""


def _in_a_notebook(coroutine: Coroutine[Any, Any, Any]) -> Any:
    async def cell() -> Any:
        return run_async(coroutine)

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(cell())
    finally:
        loop.close()


both = pytest.mark.parametrize("call", [run_async, _in_a_notebook])


async def _double(number: int) -> int:
    await asyncio.sleep(0)
    if number < 0:
        raise ValueError("below 0")
    return 2 * number


@both
def test_what_it_returns_and_raises_comes_through(call: Call) -> None:
    assert call(_double(4)) == 8
    with pytest.raises(ValueError, match="below 0"):
        call(_double(-1))


@both
def test_it_runs_in_a_loop_with_exact_timers(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[asyncio.AbstractEventLoop] = []
    exact_loop = client._exact_loop
    monkeypatch.setattr(client, "_exact_loop", lambda: made.append(exact_loop()) or made[0])

    async def loop() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert [call(loop())] == made
    assert made[0].is_closed()


@both
def test_ctrl_c_cancels_what_was_called_and_waits_for_it(call: Call) -> None:
    cancelled = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(_UNTIL_IT_WAITS)
            os.kill(os.getpid(), signal.SIGINT)  # of the process, so the main thread is told
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)  # as connections that are closed need a moment
            cancelled.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        call(long())
    assert cancelled.is_set()


def test_ctrl_c_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_ENDING", 0.05)
    released, ended = threading.Event(), threading.Event()

    async def stubborn() -> None:
        await asyncio.sleep(_UNTIL_IT_WAITS)
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(60)  # the loop itself stands still, and no cancelling reaches it
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        _in_a_notebook(stubborn())
    assert not ended.is_set()
    released.set()
    assert ended.wait(60)


@pytest.mark.parametrize("most", [1024, 0])  # with `select`, and where its numbers are too high
def test_timers_are_never_early_and_come_in_order(monkeypatch, most):
    monkeypatch.setattr(client, "_MOST", most)

    async def waited() -> list[float]:
        loop = asyncio.get_running_loop()
        late: list[float] = []
        for delay in (0.0031, 0.0012, 0.0, 0.0125):
            due = loop.time() + delay
            loop.call_at(due, lambda due=due: late.append(loop.time() - due))
        await asyncio.sleep(0.05)
        return late

    loop = _exact_loop()
    late = loop.run_until_complete(waited())
    loop.close()
    assert len(late) == 4
    assert min(late) >= 0


def test_what_is_read_wakes_it_up_before_its_timers():
    async def read() -> bytes:
        loop = asyncio.get_running_loop()
        one, other = socket.socketpair()
        with one, other:
            one.setblocking(False)
            loop.call_later(0.01, other.send, b"now")
            return await asyncio.wait_for(loop.sock_recv(one, 10), timeout=30)

    loop = _exact_loop()
    assert loop.run_until_complete(read()) == b"now"
    loop.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' own timers are exact")
def test_it_waits_by_select_on_linux(monkeypatch):
    waits: list[float] = []

    def noted(*arguments: object) -> object:
        waits.append(arguments[-1])
        return select(*arguments)

    select = client.select
    monkeypatch.setattr(client, "select", noted)
    loop = _exact_loop()
    loop.run_until_complete(asyncio.sleep(0.0005))
    loop.close()
    assert 0 < waits[0] <= 0.0005
