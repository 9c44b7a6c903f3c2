"""The server of a project: a socket, TLS, and uvicorn with limits on connections.

A connection is *waiting* while none of its requests is being answered: during the TLS handshake,
before its first request, and between two requests. A new connection replaces the one that has
waited longest, so nobody keeps others out by opening connections and sending nothing. If too many
are busy, requests are answered 503; if all are, new connections are closed. uvicorn closes a
connection that is idle after a response, but not one without any request. asyncio, out of file
descriptors, writes thousands of log messages per second.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import PROJECT_FILE
from cleverdon.judging import clock
from cleverdon.judging.people.administration import first_administrator
from cleverdon.judging.people.sessions import sign_in_link
from cleverdon.judging.project import DATABASE, POOL, Project, open_project, server_lock
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.authorization import is_api_request
from cleverdon.judging.web.rate_limits import network

_MOST_CONNECTIONS = 1_000
"""Connections that are served at once; a browser holds a few."""

_FILES = 2 * _MOST_CONNECTIONS
"""File descriptors that the server requests from the system."""

_OTHER_FILES = 300
"""File descriptors for everything else: the database in each thread, imports, exports."""

_PATIENCE = 15.0
"""Seconds until a request must have begun, with all headers."""

_AT_ONCE = 32
"""Connections that are accepted before other work gets its turn."""

_OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

_CONNECTION_LOG = logging.getLogger("cleverdon.judge.connections")


@dataclass(frozen=True)
class ConnectionLimits:
    most: int = _MOST_CONNECTIONS  # that are served
    crowded: int = 100  # beyond those, to be answered 503
    handshakes: int = 200
    per_address: int | None = 200  # None: no limit, since a proxy holds them all

    @classmethod
    def within(cls, files: int, *, behind_proxy: bool) -> ConnectionLimits:
        """Return the limits for a process that may open this number of files."""
        room = max(files - _OTHER_FILES, files // 2)
        crowded = min(cls.crowded, room // 10)
        most = min(_MOST_CONNECTIONS, room - crowded)
        return cls(most, crowded, per_address=None if behind_proxy else cls.per_address)


class _Connection(socket.socket):
    """An accepted connection, which notifies its listener when it is closed."""

    listener: Listener | None = None
    network = ""

    def close(self) -> None:
        if self.listener is not None:
            self.listener.forget(self)
        super().close()


class Listener(socket.socket):
    """A listening socket that accepts no more connections than its limits allow.

    It is handed to asyncio, which calls `accept` until there is nothing more to accept.
    """

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.limits = ConnectionLimits()
        self.tls = False
        self._open: dict[int, _Connection] = {}  # by file descriptor
        self._waiting: dict[_Connection, None] = {}  # the one that has waited longest is first
        self._handshakes: dict[_Connection, None] = {}  # those of them that are in the handshake
        self._counts: Counter[str] = Counter()  # by network
        self._calls = 0
        self._dropped = 0  # handshakes
        self._failed = False

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, or raise an OSError that asyncio ignores: none waits, or no room."""
        self._calls += 1
        if self._calls % (_AT_ONCE + 1) == 0:
            raise BlockingIOError  # the event loop continues; accepted connections get their turn
        try:
            accepted, address = super().accept()
        except OSError as error:
            if error.errno not in _OUT_OF_FILES:
                raise
            for connection in list(self._waiting)[:_AT_ONCE]:
                self._drop(connection)
            # After this error asyncio waits for a second, but calls again before that.
            self._failed = not self._failed
            if self._failed:
                raise
            raise BlockingIOError from None
        self._failed = False
        kind = accepted.family, accepted.type, accepted.proto
        connection = _Connection(*kind, fileno=accepted.detach())
        connection.network = network(str(address[0]))
        if not self._make_room(connection.network):
            connection.close()
            raise ConnectionAbortedError  # which asyncio ignores
        self._add(connection)
        return connection, address

    def note(self, descriptor: int, *, busy: bool) -> None:
        """Mark a connection as busy or waiting; its handshake is over."""
        connection = self._open.get(descriptor)
        if connection is None:
            return  # it is closed, or about to be
        self._handshakes.pop(connection, None)
        if busy:
            self._waiting.pop(connection, None)
        else:
            self._waiting.setdefault(connection)

    def forget(self, connection: _Connection) -> None:
        """Release the place of a connection."""
        connection.listener = None
        if self._open.pop(connection.fileno(), None) is not None:
            self._waiting.pop(connection, None)
            self._handshakes.pop(connection, None)
            self._counts[connection.network] -= 1
            if not self._counts[connection.network]:
                del self._counts[connection.network]

    @property
    def is_crowded(self) -> bool:
        """True if too many connections are busy."""
        return len(self._open) - len(self._waiting) >= self.limits.most

    def _add(self, connection: _Connection) -> None:
        connection.listener = self
        self._open[connection.fileno()] = connection
        self._waiting[connection] = None
        if self.tls:
            self._handshakes[connection] = None
        self._counts[connection.network] += 1

    def _make_room(self, network: str) -> bool:
        """Make room for a connection of this network; return whether there is any."""
        limits = self.limits
        if len(self._handshakes) >= limits.handshakes:
            self._drop(next(iter(self._handshakes)))
            self._dropped += 1
            if self._dropped % limits.handshakes == 0:
                gc.collect()  # asyncio leaves each with a buffer of 256 KB, in a reference cycle
            _CONNECTION_LOG.warning(
                "more than %d TLS handshakes at once: those that take longest are closed",
                limits.handshakes,
            )
        if limits.per_address is not None and self._counts[network] >= limits.per_address:
            _CONNECTION_LOG.warning(
                "more than %d connections from one address, now %s: those without a request are "
                "closed",
                limits.per_address,
                network,
            )
            oldest = next((each for each in self._waiting if each.network == network), None)
            if oldest is None:
                return False
            self._drop(oldest)
        if len(self._open) >= limits.most + limits.crowded:
            _CONNECTION_LOG.warning(
                "more than %d connections: those without a request are closed",
                limits.most + limits.crowded,
            )
            if not self._waiting:
                return False
            self._drop(next(iter(self._waiting)))
        return True

    def _drop(self, connection: _Connection) -> None:
        """Shut a connection down; asyncio then closes it."""
        self.forget(connection)
        with suppress(OSError):  # the client has closed it
            connection.shutdown(socket.SHUT_RDWR)


class BoundedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with limits on idle and busy connections."""

    _waiting: asyncio.TimerHandle | None = None

    def __init__(self, listener: Listener, **more: Any) -> None:
        super().__init__(**more)
        self._listener = listener
        self._app = self.app

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._note()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Receive bytes; a request above the limit of connections is answered 503."""
        self.app = _crowded if self._listener.is_crowded else self._app
        super().data_received(data)
        if self._note():
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _note(self) -> bool:
        """Tell the listener whether a request is being answered, and return that."""
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
    """Answer 503: too many connections."""
    message = "too many connections: try again in a moment"
    response: Response = PlainTextResponse(message, status_code=503)
    if is_api_request(Request(scope)):
        response = JSONResponse({"error": message}, status_code=503)
    response.headers.update({"connection": "close", "retry-after": "5"})
    await response(scope, receive, send)


_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Host names of this machine."""

_GRACE = 10
"""Seconds to finish responses when the server ends."""

_HANDSHAKE = 10.0
"""Seconds for a TLS handshake, and for a TLS shutdown."""

_MINUTE = 60.0
_LIMITED_LOGGERS = ("uvicorn.error", "asyncio", "cleverdon.judge.connections")
"""Loggers whose messages clients can cause without limit."""

_LOG = logging.getLogger("cleverdon.judge")

_Tls = tuple[str, str]
"""The files of the certificate and its key."""


def _bind(host: str, port: int) -> Listener:
    """Return a listening socket; port 0 is any free port."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = Listener(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise OptionError(f"the host {host!r} is not known here: {error}") from None
    try:
        if os.name == "posix":  # elsewhere it would share a port that is in use
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_MOST_CONNECTIONS)
    except OSError as error:
        listening.close()
        raise OptionError(_not_bound(host, port, error)) from None
    return listening


def _is_loopback(listening: socket.socket) -> bool:
    """Return whether a socket is reachable only from this machine."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def _check_tls(tls: _Tls) -> None:
    """Raise InputError unless the files are a certificate and its key."""
    certificate, key = tls
    for file in tls:
        if not os.path.isfile(file):
            raise InputError("there is no such file", source=file)
    try:
        # A key that needs a password is refused, rather than asked about.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, lambda: "")
    except (ssl.SSLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"is not a PEM certificate for the key {key}, or the key has a password ({reason})",
            source=certificate,
        ) from None


def _run(app: FastAPI, listening: Listener, *, tls: _Tls | None = None) -> None:
    """Serve until a signal arrives; requests that have begun are answered."""
    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,  # h11 limits the size of headers
        loop="asyncio",  # the listener relies on how it accepts connections
        ws="none",
        lifespan="off",  # the app has none
        log_config=None,
        log_level="warning",
        access_log=False,  # paths hold the keys of sign-in links
        proxy_headers=False,  # would trust any local program; see authorization.py
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    listening.tls = tls is not None
    listening.limits = ConnectionLimits.within(
        _allow_files(_FILES), behind_proxy=app.state.behind_proxy
    )
    previous = signal.signal(signal.SIGTERM, _interrupt)
    once_a_minute = _OnceAMinute()
    for name in _LIMITED_LOGGERS:
        logging.getLogger(name).addFilter(once_a_minute)
    gc.freeze()  # existing objects stay, so that the listener collects garbage quickly
    try:
        _Server(config).run([listening])
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again once all is answered
    finally:
        gc.unfreeze()
        signal.signal(signal.SIGTERM, previous)
        for name in _LIMITED_LOGGERS:
            logging.getLogger(name).removeFilter(once_a_minute)


def _allow_files(wanted: int) -> int:
    """Raise the limit of open files if allowed, and return the limit."""
    if sys.platform == "win32":
        return wanted
    import resource  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return max(soft, most)


class _Server(uvicorn.Server):
    """uvicorn's server with a limit on TLS handshakes and a message when it waits to end."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # uvicorn's own method allows a minute for handshakes.
        tls = self.config.ssl
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(
                partial(self._protocol, listening),
                sock=listening,
                backlog=_MOST_CONNECTIONS,
                ssl=tls,
                ssl_handshake_timeout=_HANDSHAKE if tls else None,
                ssl_shutdown_timeout=_HANDSHAKE if tls else None,
            )
            for listening in sockets or ()
            if isinstance(listening, Listener)
        ]
        self.started = True

    def _protocol(self, listening: Listener) -> BoundedProtocol:
        return BoundedProtocol(
            listening, config=self.config, server_state=self.server_state, app_state={}
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        busy = self.server_state.tasks and not self.should_exit
        super().handle_exit(sig, frame)
        if busy:
            _LOG.warning(
                "finishing requests for at most %d seconds; Ctrl-C again ends at once", _GRACE
            )


class _OnceAMinute(logging.Filter):
    """Passes each message once a minute, with the number of suppressed repetitions.

    Errors from different places in the code are different messages. Responses that are cancelled
    when the server ends are not logged.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[object, ...], tuple[float, int]] = {}  # when, and left out since

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, asyncio.CancelledError):
            return False
        key = record.name, str(record.msg).partition("\n")[0], type(error), _place(error)
        now = clock.ticks()
        at, left_out = self._told.get(key, (-_MINUTE, 0))
        if now < at + _MINUTE:
            self._told[key] = at, left_out + 1
            return False
        self._told[key] = now, 0
        if left_out:
            record.msg = f"{record.getMessage()} (and {left_out:,} times more since the last one)"
            record.args = None
        return True


def _place(error: BaseException | None) -> tuple[str, int] | None:
    """Return the file and line where an error was raised."""
    trace = error.__traceback__ if error else None
    while trace and trace.tb_next:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _not_bound(host: str, port: int, error: OSError) -> str:
    where = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use: end what uses it, or give another --port (0 for any)"
    if error.errno == errno.EACCES:
        return f"{where} is not open to this user: give a --port of 1024 or above"
    return f"{where} cannot be used: {error.strerror or error}"


_ANY_HOST = ("0.0.0.0", "::", "")


def serve_project(
    folder: str | os.PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    tls: tuple[str, str] | None = None,
    behind_proxy: bool = False,
    url: str | None = None,
    administrator: str | None = None,
    say: Callable[[str], object] = print,
    warn: Callable[[str], object] = _LOG.warning,
) -> None:
    """Serve the web app of a project until it is interrupted.

    Args:
        folder: The folder of the project; one server at a time serves it.
        host: The address to listen on; by default only this machine has access.
        port: The port; 0 is any free one.
        tls: The files of a certificate and its key, to serve by HTTPS.
        behind_proxy: Whether a proxy with TLS forwards the requests; its headers are trusted.
        url: The address that people use, if it is another one; other host names are refused.
        administrator: The name of the first administrator; by default the user of this system.
        say: Called with the address and the first administrator's sign-in link.
        warn: Called with warnings.

    Raises:
        InputError: The project is served already, or the port or the certificate cannot be used.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     serve_project(project.folder, tls=("no-such.pem", "no-such.key"))
    Traceback (most recent call last):
    ...
    cleverdon.errors.InputError: ...
    """
    if tls:
        _check_tls(tls)
    with (
        open_project(folder) as project,
        server_lock(project) as remember,
        _bind(host, port) as listening,
    ):
        local = _is_loopback(listening)
        if not local and not tls and not behind_proxy:
            warn(
                f"{host} can be reached from other machines, and without TLS passwords, sign-in "
                "links and judgments can be read on their way: give --tls-cert and --tls-key, or "
                "--behind-proxy if a proxy with TLS forwards the requests"
            )
        if (readable := _readable_by_others(project)) is not None:
            warn(f"other users of this machine can read {readable}: chmod -R go= {project.folder}")
        secure = bool(tls) or behind_proxy
        address = url or _address(host, listening, secure=secure, behind_proxy=behind_proxy)
        if not url and (behind_proxy or host in _ANY_HOST):
            warn(f"sign-in links start with {address}: give --url if people use another address")
        known = {*_LOOPBACK, host.casefold(), urlsplit(address).hostname or ""}
        app = make_app(
            project,
            behind_tls=secure or address.startswith("https:"),
            behind_proxy=behind_proxy,
            # Host names are known if one was given, or if only this machine has access.
            hosts=known if url or (local and not behind_proxy) else None,
            url=address,
        )
        remember(address)
        invitation = _invitation(project, administrator, address)
        say(f"{project.title}: {address} (Ctrl-C ends it)\n{invitation}")
        _run(app, listening, tls=tls)


def _address(host: str, listening: socket.socket, *, secure: bool, behind_proxy: bool) -> str:
    """Return the address of the app, as far as this machine knows it."""
    if behind_proxy:
        return f"https://{socket.gethostname()}"
    name = socket.gethostname() if host in _ANY_HOST else host
    name = f"[{name}]" if ":" in name else name
    return f"{'https' if secure else 'http'}://{name}:{listening.getsockname()[1]}"


def _readable_by_others(project: Project) -> Path | None:
    """Return a file that other users of the machine can read, if there is one."""
    if os.name != "posix" or not project.folder.stat().st_mode & 0o077:
        return None
    files = (project.folder / name for name in (DATABASE, PROJECT_FILE, POOL))
    return next((file for file in files if file.exists() and file.stat().st_mode & 0o044), None)


def _invitation(project: Project, name: str | None, address: str) -> str:
    with project.database.writing() as connection:
        invited = first_administrator(connection, name)
    if invited is None:
        ignored = "" if name is None else "an administrator has signed in already; "
        command = f"`cleverdon judge people {project.folder} --link NAME`"
        return f"{ignored}{command} makes new sign-in links"
    person, key = invited
    return f"{person.name}, the administrator, signs in at {sign_in_link(address, key)}"
