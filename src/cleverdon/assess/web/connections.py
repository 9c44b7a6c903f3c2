"""Connections: who holds one and asks nothing loses it, and beyond a number there is a sentence.

uvicorn ends a connection that is quiet after an answer, but not one on which nothing was asked yet:
a thousand of these would keep everybody else out for as long as they stay.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from cleverdon.assess.web.visitor import is_call

MOST = 1_000
"""Beyond these a request is answered by 503; a browser holds a few."""

_PATIENCE = 15.0
"""Seconds within which a request is to begin, with all of its headers."""


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with bounds."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and is to ask something."""
        super().connection_made(transport)
        if len(self.connections) > MOST:  # those who came before go on
            self.app = _crowded
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Some bytes: the whole head of a request, or a part of it, or what nobody waits for."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        # Not closed but dropped: with TLS, who is silent would not answer a farewell either.
        self._waiting = self.loop.call_later(_PATIENCE, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    """What is said where there are too many connections."""
    said = "too many are connected at this moment: try again in a while"
    answer: Response = PlainTextResponse(said, status_code=503)
    if is_call(Request(scope)):
        answer = JSONResponse({"error": said}, status_code=503)
    answer.headers.update({"connection": "close", "retry-after": "5"})
    await answer(scope, receive, send)
