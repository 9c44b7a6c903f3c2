"""Bounds on connections: how many there are, in all and by address, and how long they may be quiet.

A connection is *waiting* while no request of it is being answered: during the TLS handshake, before
its first request, and between two requests. Waiting connections give way: a new one takes the place
of the one that has waited longest, so that nobody keeps others out by opening connections and
sending nothing. Where too many are busy, a request is answered 503; where all are, new connections
are closed.

uvicorn itself closes a connection that is quiet after an answer, but not one on which nothing was
asked yet. And asyncio, where it runs out of file descriptors, writes thousands of messages a
second.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from cleverdon.assess.web.limiting import network
from cleverdon.assess.web.visitor import is_call

MOST = 1_000
"""Connections that are served at once; a browser holds a few."""

FILES = 2 * MOST
"""File descriptors that the server asks the system for."""

_OTHER_FILES = 300
"""File descriptors for anything else: the database in each thread, imports, exports."""

_PATIENCE = 15.0
"""Seconds within which a request is to begin, with all of its headers."""

_AT_ONCE = 32
"""Connections that are accepted before anything else is done again."""

_OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_LOG = logging.getLogger("cleverdon.judge.connections")


@dataclass(frozen=True)
class Limits:
    """How many connections there may be."""

    most: int = MOST  # that are served
    crowded: int = 100  # beyond those, to be answered 503
    handshakes: int = 200
    per_address: int | None = 200  # None: no limit, since a proxy holds them all

    @classmethod
    def within(cls, files: int, *, behind_proxy: bool) -> Limits:
        """The limits for a process that may have so many file descriptors."""
        room = max(files - _OTHER_FILES, files // 2)
        crowded = min(cls.crowded, room // 10)
        most = min(MOST, room - crowded)
        return cls(most, crowded, per_address=None if behind_proxy else cls.per_address)


class _Connection(socket.socket):
    """An accepted connection, which tells its listener when it is closed."""

    listener: Listener | None = None
    network = ""

    def close(self) -> None:
        """Close it; its place is free."""
        if self.listener is not None:
            self.listener.forget(self)
        super().close()


class Listener(socket.socket):
    """A listening socket that accepts no more connections than its limits allow.

    It is handed to asyncio, which calls `accept` until there is nothing more to accept.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.limits = Limits()
        self.tls = False
        self._open: dict[int, _Connection] = {}  # by file descriptor
        self._waiting: dict[_Connection, None] = {}  # the one that has waited longest is first
        self._handshakes: dict[_Connection, None] = {}  # those of them that are in the handshake
        self._counts: Counter[str] = Counter()  # by network
        self._calls = 0
        self._dropped = 0  # handshakes
        self._failed = False

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, close it again, or say that there is none for now."""
        self._calls += 1
        if self._calls % (_AT_ONCE + 1) == 0:
            raise BlockingIOError  # the next round goes on; those who are there have their turn
        try:
            accepted, address = super().accept()
        except OSError as error:
            if error.errno not in _OUT_OF_FILES:
                raise
            for connection in list(self._waiting)[:_AT_ONCE]:
                self._drop(connection)
            # Seeing this error, asyncio waits for a second, but calls on nevertheless.
            self._failed = not self._failed
            if self._failed:
                raise
            raise BlockingIOError from None
        self._failed = False
        kind = accepted.family, accepted.type, accepted.proto
        connection = _Connection(*kind, fileno=accepted.detach())
        connection.network = network(str(address[0]))
        if not self._makes_room(connection.network):
            connection.close()
            raise ConnectionAbortedError  # which asyncio passes over
        self._add(connection)
        return connection, address

    def note(self, descriptor: int, *, busy: bool) -> None:
        """Note that a connection, whose handshake is over, is busy or that it waits."""
        connection = self._open.get(descriptor)
        if connection is None:
            return  # it is closed, or about to be
        self._handshakes.pop(connection, None)
        if busy:
            self._waiting.pop(connection, None)
        else:
            self._waiting.setdefault(connection)

    def forget(self, connection: _Connection) -> None:
        """Give its place to others."""
        connection.listener = None
        if self._open.pop(connection.fileno(), None) is not None:
            self._waiting.pop(connection, None)
            self._handshakes.pop(connection, None)
            self._counts[connection.network] -= 1
            if not self._counts[connection.network]:
                del self._counts[connection.network]

    @property
    def is_crowded(self) -> bool:
        """Whether no further request can be served."""
        return len(self._open) - len(self._waiting) >= self.limits.most

    def _add(self, connection: _Connection) -> None:
        connection.listener = self
        self._open[connection.fileno()] = connection
        self._waiting[connection] = None
        if self.tls:
            self._handshakes[connection] = None
        self._counts[connection.network] += 1

    def _makes_room(self, of: str) -> bool:
        """Make room for a connection of this network; return whether there is any."""
        limits = self.limits
        if len(self._handshakes) >= limits.handshakes:
            self._drop(next(iter(self._handshakes)))
            self._dropped += 1
            if self._dropped % limits.handshakes == 0:
                gc.collect()  # asyncio leaves each with a buffer of 256 KB, in a reference cycle
            _LOG.warning(
                "more than %d TLS handshakes at once: those that take longest are closed",
                limits.handshakes,
            )
        if limits.per_address is not None and self._counts[of] >= limits.per_address:
            _LOG.warning(
                "more than %d connections from one address, now %s: those without a request are "
                "closed",
                limits.per_address,
                of,
            )
            oldest = next((each for each in self._waiting if each.network == of), None)
            if oldest is None:
                return False
            self._drop(oldest)
        if len(self._open) >= limits.most + limits.crowded:
            _LOG.warning(
                "more than %d connections: those without a request are closed",
                limits.most + limits.crowded,
            )
            if not self._waiting:
                return False
            self._drop(next(iter(self._waiting)))
        return True

    def _drop(self, connection: _Connection) -> None:
        """End a connection: asyncio sees its end in the next round, and closes it."""
        self.forget(connection)
        with suppress(OSError):  # where its client ended it
            connection.shutdown(socket.SHUT_RDWR)


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with bounds."""

    _waiting: asyncio.TimerHandle | None = None

    def __init__(self, listener: Listener, **more: Any) -> None:
        super().__init__(**more)
        self._listener = listener
        self._app = self.app

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._note()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take some bytes: the head of a request or a part of it, or what nobody waits for.

        A request that begins where too many are served is answered 503.
        """
        self.app = _crowded if self._listener.is_crowded else self._app
        super().data_received(data)
        if self._note():
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Note that an answer is whole."""
        super().on_response_complete()
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _note(self) -> bool:
        """Tell the listener whether a request is being answered, and return it."""
        busy = self.cycle is not None and not self.cycle.response_complete
        self._listener.note(self.transport.get_extra_info("socket").fileno(), busy=busy)
        return busy

    def _wait(self) -> None:
        # Not closed but aborted: with TLS, a silent client would not answer a close either.
        self._waiting = self.loop.call_later(_PATIENCE, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


async def _crowded(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer that there are too many connections."""
    said = "too many are connected at this moment: try again in a while"
    answer: Response = PlainTextResponse(said, status_code=503)
    if is_call(Request(scope)):
        answer = JSONResponse({"error": said}, status_code=503)
    answer.headers.update({"connection": "close", "retry-after": "5"})
    await answer(scope, receive, send)
