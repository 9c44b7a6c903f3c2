"""The server: a socket, TLS, and uvicorn with bounds."""

from __future__ import annotations

import errno
import os
import signal
import socket
import ssl
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
    before = signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(config).run([listening])
    except KeyboardInterrupt:
        pass  # uvicorn raises the signal again once all is answered
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _not_bound(host: str, port: int, error: OSError) -> str:
    where = f"port {port} of {host}"
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use: end what uses it, or give another --port (0 for any)"
    if error.errno == errno.EACCES:
        return f"{where} may not be used by this user: give a --port from 1024 on"
    return f"{where} cannot be used: {error.strerror or error}"
