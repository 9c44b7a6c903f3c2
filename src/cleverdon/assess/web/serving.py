"""The server: a socket, TLS, and uvicorn with bounds."""

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
from functools import partial
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from cleverdon.assess import clock
from cleverdon.assess.web.connections import FILES, MOST, BoundedProtocol, Limits, Listener
from cleverdon.errors import InputError, OptionError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""What this machine calls itself."""

_GRACE = 10
"""Seconds in which answers are finished when the server ends."""

_HANDSHAKE = 10.0
"""Seconds that a TLS handshake may take, and its end."""

_MINUTE = 60.0
_LOUD = ("uvicorn.error", "asyncio", "cleverdon.judge.connections")
"""Loggers whose messages a client can cause as often as it likes."""

_LOG = logging.getLogger("cleverdon.judge")

Tls = tuple[str, str]
"""The files of the certificate and of its key."""


def bound(host: str, port: int) -> Listener:
    """Return a socket that listens; port 0 is any that is free."""
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
        listening.listen(MOST)
    except OSError as error:
        listening.close()
        raise OptionError(_not_bound(host, port, error)) from None
    return listening


def is_loopback(listening: socket.socket) -> bool:
    """Whether it can be reached from this machine alone."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def check_tls(tls: Tls) -> None:
    """Raise an InputError unless they are a certificate and its key."""
    certificate, key = tls
    for file in tls:
        if not os.path.isfile(file):
            raise InputError("there is no such file", source=file)
    try:
        # A key that needs a password is refused, rather than asked about.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, lambda: "")
    except (ssl.SSLError, OSError, ValueError) as error:
        said = getattr(error, "reason", None) or error
        raise InputError(
            f"is no certificate in PEM that goes with the key {key}, without a password ({said})",
            source=certificate,
        ) from None


def run(app: FastAPI, listening: Listener, *, tls: Tls | None = None) -> None:
    """Serve until a signal ends it; what was begun is answered."""
    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,  # by h11, which bounds the size of headers
        loop="asyncio",  # whose way to accept connections the listener relies on
        ws="none",
        lifespan="off",  # the app has none, and would complain of an end that is not waited for
        log_config=None,
        log_level="warning",
        access_log=False,  # paths hold the keys of sign-in links
        proxy_headers=False,  # which would believe any program on this machine; see origin.py
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_GRACE,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    listening.tls = tls is not None
    listening.limits = Limits.within(_allow_files(FILES), behind_proxy=app.state.behind_proxy)
    before = signal.signal(signal.SIGTERM, _end)
    quiet = _OnceAMinute()
    for name in _LOUD:
        logging.getLogger(name).addFilter(quiet)
    gc.freeze()  # what is there now stays, so that the listener collects garbage quickly
    try:
        _Server(config).run([listening])
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again once all is answered
    finally:
        gc.unfreeze()
        signal.signal(signal.SIGTERM, before)
        for name in _LOUD:
            logging.getLogger(name).removeFilter(quiet)


def _allow_files(wanted: int) -> int:
    """Let this process have so many files open, if it may, and return how many it may have."""
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return wanted if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


class _Server(uvicorn.Server):
    """uvicorn's, with bounded TLS handshakes, and which says why it does not end at once."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; uvicorn's own method leaves handshakes a minute."""
        tls = self.config.ssl
        loop = asyncio.get_running_loop()
        self.servers = [
            await loop.create_server(
                partial(self._protocol, listening),
                sock=listening,
                backlog=MOST,
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
        """The first signal lets what was begun be answered; a second one does not wait for it."""
        busy = self.server_state.tasks and not self.should_exit
        super().handle_exit(sig, frame)
        if busy:
            _LOG.warning(
                "answering what was begun, for %d seconds at most; Ctrl-C again ends it at once",
                _GRACE,
            )


class _OnceAMinute(logging.Filter):
    """Lets each message through once a minute, with the number of those that were left out.

    Errors of different places in the code are different messages. That an answer was given up when
    the server ended is left out altogether.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told: dict[tuple[object, ...], tuple[float, int]] = {}  # when, and left out since

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to write it."""
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
    """Where an error was raised."""
    trace = error.__traceback__ if error else None
    while trace and trace.tb_next:
        trace = trace.tb_next
    return (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None


def _end(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _not_bound(host: str, port: int, error: OSError) -> str:
    where = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use: end what uses it, or give another --port (0 for any)"
    if error.errno == errno.EACCES:
        return f"{where} may not be used by this user: give a --port from 1024 on"
    return f"{where} cannot be used: {error.strerror or error}"
