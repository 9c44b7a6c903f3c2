"""Whoever holds a connection and sends nothing, or too slowly, loses it; nobody else does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from cleverdon.assess.project import Project
from cleverdon.assess.web import connections, guarding
from cleverdon.assess.web.app import make_app
from cleverdon.assess.web.connections import BoundedProtocol

PATIENCE, LONG = 0.2, 10.0
ASKED = b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
CALLED = ASKED.replace(b"/static/style.css", b"/api/me")
SENT = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n"
FORM = SENT + b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname="
REFUSED = SENT.replace(b"/sign-in", b"/api/people") + b"\r\n"


class Asking:
    """Somebody who has a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def send(self, content: bytes) -> None:
        self._writer.write(content)

    async def answer(self) -> bytes:
        """The head of an answer; its body is read as well."""
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        return head + await self._reader.readexactly(int(length or b"0"))

    async def is_out(self) -> bool:
        """Whether the server ends it before long; what it said before that is passed over."""
        try:
            async with asyncio.timeout(LONG):
                while await self._reader.read(1 << 16):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True

    async def leave(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


@asynccontextmanager
async def dripping(who: Asking) -> AsyncIterator[None]:
    """Meanwhile a byte comes now and then."""

    async def drip() -> None:
        while True:
            who.send(b"x")
            await asyncio.sleep(PATIENCE / 4)

    task = asyncio.create_task(drip())
    yield
    task.cancel()


@asynccontextmanager
async def serving(project: Project) -> AsyncIterator[Any]:
    """A server in this loop; what it gives makes a connection to it."""
    config = uvicorn.Config(make_app(project), lifespan="off", log_config=None, access_log=False)
    config.load()
    state, loop = ServerState(), asyncio.get_running_loop()
    there: list[Asking] = []

    def protocol() -> BoundedProtocol:
        return BoundedProtocol(config=config, server_state=state, app_state={})

    async def connect() -> Asking:
        there.append(Asking(*await asyncio.open_connection("127.0.0.1", port)))
        return there[-1]

    server = await loop.create_server(protocol, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield connect
    finally:
        server.close()
        for one in there:
            await one.leave()
        await asyncio.gather(*state.tasks)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_PATIENCE", PATIENCE)
    monkeypatch.setattr(guarding, "_WITHIN", 3 * PATIENCE)


def test_who_asks_nothing_is_out_and_who_asks_stays(project: Project) -> None:
    async def check() -> None:
        async with serving(project) as connect:
            silent, slow, asking = await connect(), await connect(), await connect()
            slow.send(ASKED[:20])
            asking.send(ASKED)
            assert b" 200 " in await asking.answer()
            async with dripping(slow):
                assert await silent.is_out()
                assert await slow.is_out(), "each byte does not begin it anew"
            asking.send(ASKED)
            assert b" 200 " in await asking.answer(), "between two requests one has longer"
            asking.send(ASKED[:20])
            assert await asking.is_out(), "but not within one"

    asyncio.run(check())


def test_a_body_that_does_not_come_is_answered_and_not_waited_for(project: Project) -> None:
    async def check() -> None:
        async with serving(project) as connect:
            waiting, refused = await connect(), await connect()
            waiting.send(FORM)
            refused.send(REFUSED)
            assert b" 401 " in await refused.answer()
            async with dripping(refused):
                assert await refused.is_out(), "what it sends nobody waits for"
            answer = await waiting.answer()
            assert b" 408 " in answer
            assert b"did not come within" in answer
            assert await waiting.is_out()

    asyncio.run(check())


def test_beyond_a_number_there_is_a_sentence(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 2)
    monkeypatch.setattr(connections, "_PATIENCE", 5 * PATIENCE)

    async def check() -> None:
        async with serving(project) as connect:
            silent = [await connect() for _ in range(2)]
            calling, looking = await connect(), await connect()
            calling.send(CALLED)
            answer = await calling.answer()
            assert b" 503 " in answer
            assert b'{"error":"too many are connected' in answer
            assert b"retry-after" in answer
            looking.send(ASKED)
            assert b"text/plain" in await looking.answer()
            silent[0].send(ASKED)
            assert b" 200 " in await silent[0].answer(), "who was there before goes on"
            assert await calling.is_out()
            assert all([await one.is_out() for one in silent])
            again = await connect()
            again.send(ASKED)
            assert b" 200 " in await again.answer()

    asyncio.run(check())
