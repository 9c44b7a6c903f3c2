"""Who holds a connection and sends nothing, or too slowly, loses it; nobody else does.

Limits are small here, and all connections are on loopback.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import resource
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from cleverdon.judging.project import Project
from cleverdon.judging.web import app as web_app
from cleverdon.judging.web import server
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.server import BoundedProtocol, ConnectionLimits, _bind, _OnceAMinute
from tests.judging.test_cli_serve import COMMAND

PATIENCE, BUSY, LONG = 0.2, 3.0, 30.0
ASKED = b"GET /static/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
CALLED = ASKED.replace(b"/static/style.css", b"/api/me")
SENT = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n"
FORM = SENT + b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname="
REFUSED = SENT.replace(b"/sign-in", b"/api/people") + b"\r\n"


CERTIFICATE = str(Path(__file__).with_name("localhost.pem"))
TRUSTING = ssl.create_default_context(cafile=CERTIFICATE)
ROOMY = ConnectionLimits(most=100, crowded=100, handshakes=100, per_address=100)


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

    async def keep_busy(self) -> None:
        """Begin a request that does not end: the app waits for the rest of it."""
        self.send(FORM.replace(b"\r\n\r\n", b"\r\nExpect: 100-continue\r\n\r\n"))
        assert b" 100 " in await self.answer()

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
async def serving(
    project: Project, limits: ConnectionLimits = ROOMY, *, tls: bool = False
) -> AsyncIterator[Any]:
    """A server in this loop; what it gives makes a connection to it."""
    config = uvicorn.Config(make_app(project), lifespan="off", log_config=None, access_log=False)
    config.load()
    state, loop = ServerState(), asyncio.get_running_loop()
    there: list[Asking] = []
    listening = _bind("127.0.0.1", 0)
    listening.limits, listening.tls = limits, tls
    port = listening.getsockname()[1]

    def protocol() -> BoundedProtocol:
        return BoundedProtocol(listening, config=config, server_state=state, app_state={})

    async def connect(host: str = "127.0.0.1", *, greeting: bool = tls) -> Asking:
        how: dict[str, Any] = {"ssl": TRUSTING, "server_hostname": "localhost"} if greeting else {}
        opened = await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0), **how)
        there.append(Asking(*opened))
        return there[-1]

    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    server = await loop.create_server(protocol, sock=listening, ssl=context)
    try:
        yield connect
    finally:
        server.close()
        for one in there:
            await one.leave()
        await asyncio.gather(*state.tasks)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_PATIENCE", PATIENCE)
    monkeypatch.setattr(web_app, "_BODY_TIMEOUT", 3 * PATIENCE)


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


@pytest.mark.parametrize("tls", [False, True])
def test_a_new_connection_takes_the_place_of_the_one_that_waited_longest(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, tls: bool
) -> None:
    monkeypatch.setattr(server, "_PATIENCE", 2 * LONG)
    limits = ConnectionLimits(most=3, crowded=0, per_address=None)

    async def check() -> None:
        async with serving(project, limits, tls=tls) as connect:
            one, two, three = [await connect(greeting=False) for _ in range(3)]
            asking = await connect()
            asking.send(ASKED)
            assert b" 200 " in await asking.answer()
            assert await one.is_out()
            again = await connect()
            again.send(ASKED)
            assert b" 200 " in await again.answer()
            assert await two.is_out()
            asking.send(ASKED)
            assert b" 200 " in await asking.answer(), "the one that waits longest gives way"
            more = [await connect() for _ in range(3)]
            assert all([await old.is_out() for old in (three, asking, again)])
            more[0].send(ASKED)
            assert b" 200 " in await more[0].answer()

    asyncio.run(check())


def test_where_too_many_are_busy_others_are_answered_503(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PATIENCE", 2 * LONG)
    monkeypatch.setattr(web_app, "_BODY_TIMEOUT", BUSY)
    limits = ConnectionLimits(most=2, crowded=2, per_address=None)

    async def check() -> None:
        async with serving(project, limits) as connect:
            busy = [await connect() for _ in range(2)]
            for one in busy:
                await one.keep_busy()
            calling, looking = await connect(), await connect()
            calling.send(CALLED)
            answer = await calling.answer()
            assert b" 503 " in answer
            assert b'{"error":"too many connections' in answer
            assert b"retry-after" in answer
            looking.send(ASKED)
            assert b"text/plain" in await looking.answer()
            assert await calling.is_out()
            assert await looking.is_out()
            assert b" 408 " in await busy[0].answer(), "who was there before goes on"
            assert all([await one.is_out() for one in busy])
            again = await connect()
            again.send(ASKED)
            assert b" 200 " in await again.answer()

    asyncio.run(check())


def test_where_no_place_is_left_connections_are_closed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PATIENCE", 2 * LONG)
    monkeypatch.setattr(web_app, "_BODY_TIMEOUT", BUSY)

    async def check() -> None:
        async with serving(project, ConnectionLimits(most=3, crowded=0)) as connect:
            busy = [await connect() for _ in range(3)]
            for one in busy:
                await one.keep_busy()
            assert await (await connect()).is_out()
            assert b" 408 " in await busy[0].answer()

    asyncio.run(check())


def test_one_address_does_not_take_the_places_of_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PATIENCE", 2 * LONG)
    monkeypatch.setattr(web_app, "_BODY_TIMEOUT", BUSY)

    async def check(limits: ConnectionLimits, *, stay: bool) -> None:
        async with serving(project, limits) as connect:
            other = await connect("127.0.0.2")
            many = [await connect("127.0.0.3") for _ in range(6)]
            many[-1].send(ASKED)
            assert b" 200 " in await many[-1].answer(), "the address itself is served too"
            if not stay:
                assert all([await one.is_out() for one in many[:3]])
            for one in (other, *(many if stay else many[3:])):
                one.send(ASKED)
                assert b" 200 " in await one.answer()
            if stay:
                return
            for one in many[3:]:
                await one.keep_busy()
            assert await (await connect("127.0.0.3")).is_out(), "all of its places are busy"
            another = await connect("127.0.0.2")
            another.send(ASKED)
            assert b" 200 " in await another.answer()

    asyncio.run(check(ConnectionLimits(per_address=3), stay=False))
    asyncio.run(check(ConnectionLimits.within(2_000, behind_proxy=True), stay=True))


def test_tls_handshakes_are_bounded(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_PATIENCE", 2 * LONG)

    async def check() -> None:
        async with serving(project, ConnectionLimits(handshakes=3), tls=True) as connect:
            silent = [await connect(greeting=False) for _ in range(3)]
            asking = [await connect() for _ in range(6)]
            assert await silent[0].is_out()
            for one in asking:
                one.send(ASKED)
                assert b" 200 " in await one.answer(), "what is no longer in its handshake stays"

    asyncio.run(check())


@pytest.mark.parametrize("files", [16, 256, 1_024, 2_000, 1_000_000])
def test_connections_stay_below_the_limit_of_descriptors(files: int) -> None:
    limits = ConnectionLimits.within(files, behind_proxy=False)
    assert 0 < limits.most <= server._MOST_CONNECTIONS
    assert limits.most + limits.crowded <= files - min(300, files // 2)


def test_a_listener_without_descriptors_frees_some(monkeypatch: pytest.MonkeyPatch) -> None:
    with _bind("127.0.0.1", 0) as listening, ExitStack() as opened:
        here = listening.getsockname()
        clients = [opened.enter_context(socket.create_connection(here)) for _ in range(2)]
        accepted = [opened.enter_context(listening.accept()[0]) for _ in clients]

        def none_left(_: socket.socket) -> Any:
            raise OSError(errno.EMFILE, "too many open files")

        monkeypatch.setattr(socket.socket, "accept", none_left)
        with pytest.raises(OSError, match="too many open files"):
            listening.accept()
        with pytest.raises(BlockingIOError):  # asyncio would go on, and write it 2,048 times
            listening.accept()
        assert all(one.recv(1) == b"" for one in clients), "those that wait are closed"
        assert len(accepted) == 2


def test_a_listener_lets_others_have_their_turn() -> None:
    with _bind("127.0.0.1", 0) as listening, ExitStack() as opened:
        here = listening.getsockname()
        for _ in range(40):
            opened.enter_context(socket.create_connection(here))
        for _ in range(32):
            opened.enter_context(listening.accept()[0])
        with pytest.raises(BlockingIOError):
            listening.accept()
        opened.enter_context(listening.accept()[0])


def test_a_message_is_written_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 0.0
    monkeypatch.setattr("cleverdon.judging.clock.ticks", lambda: now)
    log = logging.getLogger("test.often")
    log.addFilter(quiet := _OnceAMinute())

    def fail(number: int) -> None:
        try:
            _ = 1 // number if number == 0 else [][number]
        except ArithmeticError:
            log.exception("failed")
        except LookupError:
            log.exception("failed")

    for now in (0.0, 30.0, 59.0, 61.0, 62.0, 200.0):  # noqa: B007 (the clock reads it)
        log.warning("too many: %d", 3)
    for number in (0, 0, 1, 1):
        fail(number)
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "too many: 3",
        "too many: 3 (and 2 times more since the last one)",
        "too many: 3 (and 1 times more since the last one)",
        "failed",
        "failed",
    ]
    log.removeFilter(quiet)


@contextmanager
def a_real_server(project: Project, *options: str, log: Path) -> Iterator[int]:
    """The port of `judge serve` in a process that may have few files open."""

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    arguments = [*COMMAND, str(project.folder), "--port", "0", *options]
    pipes: Any = {"stdout": subprocess.PIPE, "text": True, "preexec_fn": few}
    with log.open("wb") as said, subprocess.Popen(arguments, stderr=said, **pipes) as server:
        try:
            assert server.stdout is not None
            yield int(re.findall(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[0])
        finally:
            server.terminate()
            server.wait(timeout=60)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of descriptors")
@pytest.mark.parametrize("tls", [False, True])
def test_silent_connections_keep_nobody_out(project: Project, tmp_path: Path, *, tls: bool) -> None:
    log = tmp_path / "log"
    options = ("--tls-cert", CERTIFICATE, "--tls-key", CERTIFICATE) if tls else ()
    with a_real_server(project, *options, log=log) as port, ExitStack() as held:

        def ask() -> bytes:
            asking = socket.create_connection(("127.0.0.1", port), timeout=LONG)
            if tls:
                asking = TRUSTING.wrap_socket(asking, server_hostname="localhost")
            with asking:
                asking.sendall(ASKED)
                return asking.recv(100)

        assert b" 200 " in ask()
        before = log.stat().st_size
        for _ in range(600):
            silent = held.enter_context(socket.socket())
            silent.setblocking(False)
            with suppress(BlockingIOError):
                silent.connect(("127.0.0.1", port))
        for _ in range(5):
            began = time.monotonic()
            assert b" 200 " in ask()
            assert time.monotonic() - began < LONG
        # While the server runs: as it ends, it may write of requests that it breaks off.
        written = log.stat().st_size - before
        assert written < 2_000, log.read_text(encoding="utf-8")[-2_000:]
