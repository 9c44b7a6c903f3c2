"""The server: a socket, TLS, and uvicorn with bounds."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import ssl
import sys
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from cleverdon.assess.web.connections import MOST, BoundedProtocol
from cleverdon.errors import InputError, OptionError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""What this machine calls itself."""

_GRACE = 10
"""Seconds in which answers are finished when the server ends."""

_LOG = logging.getLogger("cleverdon.judge")

Tls = tuple[str, str]
"""The files of the certificate and of its key."""


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
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


def run(app: FastAPI, listening: socket.socket, *, tls: Tls | None = None) -> None:
    """Serve until a signal ends it; what was begun is answered."""
    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,  # by h11, which bounds the size of headers
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
    _allow_files(2 * MOST)
    before = signal.signal(signal.SIGTERM, _end)
    logging.getLogger("uvicorn.error").addFilter(_is_news)
    try:
        _Server(config).run([listening])
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again once all is answered
    finally:
        signal.signal(signal.SIGTERM, before)


def _allow_files(wanted: int) -> None:
    """Let this process have so many files open, if it may: each connection is one."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Server(uvicorn.Server):
    """uvicorn's, which says why it does not end at once."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal lets what was begun be answered; a second one does not wait for it."""
        busy = self.server_state.tasks and not self.should_exit
        super().handle_exit(sig, frame)
        if busy:
            _LOG.warning(
                "answering what was begun, for %d seconds at most; Ctrl-C again ends it at once",
                _GRACE,
            )


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a line of uvicorn's log is more than that an answer was given up at the end."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, asyncio.CancelledError)


def _end(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _not_bound(host: str, port: int, error: OSError) -> str:
    where = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use: end what uses it, or give another --port (0 for any)"
    if error.errno == errno.EACCES:
        return f"{where} may not be used by this user: give a --port from 1024 on"
    return f"{where} cannot be used: {error.strerror or error}"
