"""A search service over HTTP for tests of load: the URL sets its delay or its failure.

    python -m tools.latency_server

Prints its port, and ends when its standard input ends. It answers
`{"hits": [{"id": "d1", "score": 1.0}]}`:

    GET /fixed/0.02                after this many seconds
    GET /bimodal/0.001/0.2/10      after the first time; every tenth request after the second time
    GET /stall/0.005/1/2/NAME      after the first time, except in a stall of 2 seconds that begins
                                   1 second after the first request with this name: requests during
                                   the stall wait for its end
    GET /status/503                with this status
    GET /drop, /malformed, /missing, /silent
                                   closes the connection, not JSON, no hits, never answers
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

ROOT = Path(__file__).parent.parent
HITS = b'{"hits": [{"id": "d1", "score": 1.0}]}'


@contextmanager
def serving() -> Iterator[str]:
    """Start a server in a process of its own, and yield its URL."""
    command = [sys.executable, "-m", "tools.latency_server"]
    with Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()
            process.wait(timeout=10)


class Connection(asyncio.Protocol):
    """A persistent connection; requests have no body, and are answered in order."""

    seen: dict[str, tuple[float, int]] = {}
    """The time of the first request and the number of requests, by path; shared by connections."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._held = b""

    def data_received(self, data: bytes) -> None:
        self._held += data
        if self._held.endswith(b"\r\n\r\n"):
            path = self._held.split(b" ", 2)[1].split(b"?", 1)[0].decode()
            self._held = b""
            self._asked(path)

    def _asked(self, path: str) -> None:
        now = self._loop.time()
        first, count = self.seen.get(path, (now, 0))
        self.seen[path] = (first, count + 1)
        kind, *said = path.strip("/").split("/")
        if kind == "fixed":
            self._answer_after(float(said[0]))
        elif kind == "bimodal":
            self._answer_after(float(said[1 if (count + 1) % int(said[2]) == 0 else 0]))
        elif kind == "stall":
            usual, after, lasts = map(float, said[:3])
            begins, ends = first + after, first + after + lasts
            self._answer_after(max(usual, ends - now) if begins <= now < ends else usual)
        elif kind == "status":
            self._answer(b"{}", status=f"{said[0]} As asked")
        elif kind == "drop":
            self._transport.close()
        elif kind == "malformed":
            self._answer(b"<html>")
        elif kind == "missing":
            self._answer(b"{}")
        elif kind != "silent":
            self._answer(b"{}", status="404 Not found")

    def _answer_after(self, seconds: float) -> None:
        if seconds:
            self._loop.call_later(seconds, self._answer, HITS)
        else:
            self._answer(HITS)

    def _answer(self, body: bytes, *, status: str = "200 OK") -> None:
        if not self._transport.is_closing():
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n"
            head += f"Content-Length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


async def started() -> tuple[asyncio.Server, int]:
    """Start a server in this event loop; return it and its port."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=4096)
    return server, int(server.sockets[0].getsockname()[1])


async def _serve() -> None:
    server, port = await started()
    print(port, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve())
