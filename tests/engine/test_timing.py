"""A loop whose timers are exact: never early, and still a loop like any other."""

import asyncio
import socket
import sys

import pytest

from cleverdon.engine import timing
from cleverdon.engine.timing import exact_loop


@pytest.mark.parametrize("most", [1024, 0])  # with `select`, and where its numbers are too high
def test_timers_are_never_early_and_come_in_order(monkeypatch, most):
    monkeypatch.setattr(timing, "_MOST", most)

    async def waited() -> list[float]:
        loop = asyncio.get_running_loop()
        late: list[float] = []
        for delay in (0.0031, 0.0012, 0.0, 0.0125):
            due = loop.time() + delay
            loop.call_at(due, lambda due=due: late.append(loop.time() - due))
        await asyncio.sleep(0.05)
        return late

    loop = exact_loop()
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

    loop = exact_loop()
    assert loop.run_until_complete(read()) == b"now"
    loop.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' own timers are exact")
def test_it_waits_by_select_on_linux(monkeypatch):
    waits: list[float] = []

    def noted(*arguments: object) -> object:
        waits.append(arguments[-1])
        return select(*arguments)

    select = timing.select
    monkeypatch.setattr(timing, "select", noted)
    loop = exact_loop()
    loop.run_until_complete(asyncio.sleep(0.0005))
    loop.close()
    assert 0 < waits[0] <= 0.0005
