"""An HTTP server on this machine that answers as it is told: late, by halves, or not at all.

with serve(Reply({"hits": []}), Reply(status=503), then=Reply({"hits": []})) as server:
    ... server.url, server.requests ...
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

SHAPES = Path(__file__).parent / "adapters" / "shapes"


def shape(name: str) -> Any:
    """An engine's answer as it is recorded in a file."""
    return json.loads((SHAPES / f"{name}.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Reply:
    """An answer; `body` is sent as JSON unless it is bytes."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0  # seconds before it is sent
    sent: float = 1.0  # the share of the body after which the connection is lost; 0 is nothing
    raw: bytes | None = None  # in the place of all of the above

    def encoded(self) -> bytes:
        if self.raw is not None:
            return self.raw
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        said = {"Content-Type": "application/json", "Content-Length": len(body), **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        whole = f"HTTP/1.1 {self.status} Said\r\n{lines}\r\n".encode()
        return whole + body[: int(len(body) * self.sent)]


LOST = Reply(raw=b"", sent=0.0)
"""The connection is closed without a word."""


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Server:
    """Answers with one reply after the other, and with the last again and again."""

    def __init__(self, replies: list[Reply], then: Callable[[Asked], Reply] | None) -> None:
        self.requests: list[Asked] = []
        self.connections = 0
        self.url = ""
        self._replies, self._then = replies, then

    def _next(self, asked: Asked) -> Reply:
        self.requests.append(asked)
        if len(self.requests) <= len(self._replies):
            return self._replies[len(self.requests) - 1]
        return self._then(asked) if self._then else self._replies[-1]

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.strip().split("\r\n")
                headers = {
                    name.lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in lines)
                }
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = first.split(" ")
                reply = self._next(Asked(method, path, headers, body))
                await asyncio.sleep(reply.delay)
                writer.write(reply.encoded())
                await writer.drain()
                if reply.sent < 1:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client has gone
        finally:
            writer.close()


@contextmanager
def serve(*replies: Reply, then: Callable[[Asked], Reply] | None = None) -> Iterator[Server]:
    """A server in a thread of its own; replies that run out are followed by what `then` gives."""
    server = Server(list(replies), then)
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> asyncio.Server:
        return await asyncio.start_server(server.talk, "127.0.0.1", 0)

    async def stop(listening: asyncio.Server) -> None:
        listening.close()
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    listening = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop(listening), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
