"""What every answer carries, and what no request gets past: sign-in, bounded sizes, our own name.

It stands before the routes, so nothing of a request is read, and no path is told from another,
before it is known who asks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cleverdon.assess.importing import kinds
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web import failures
from cleverdon.assess.web.origin import check_host
from cleverdon.assess.web.visitor import Visitor, recognise
from cleverdon.errors import CleverdonError

LARGEST = 1_000_000
"""Bytes of a request's body."""

_WITHIN = 60.0
"""Seconds within which a request is to be whole; of an import, within which more of it is to come.
"""

IMPORTS = ("/api/imports", "/imports")
"""Where imports are sent to."""

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",  # for browsers that do not know frame-ancestors
    # Not `no-referrer`: forms would then be sent with the origin `null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_STATIC = {**_HEADERS, "cache-control": "no-cache"}
"""Of files that are the same for all: kept by browsers, which ask whether they changed (ETag)."""

_TLS = {"strict-transport-security": "max-age=31536000"}


def guard(app: FastAPI, *, open_paths: Collection[re.Pattern[str]]) -> None:
    """Wrap the app; `open_paths` are those that need nobody to be signed in."""
    app.add_middleware(Guard, open_paths=open_paths)


class Guard:
    """Asks who it is, bounds what is sent, and adds the headers."""

    def __init__(self, app: ASGIApp, open_paths: Collection[re.Pattern[str]]) -> None:
        self.app = app
        self.open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # as GET; the server leaves the body out
            scope = {**scope, "method": "GET"}
        request = Request(scope)
        answering = _Answering(request, send)
        try:
            check_host(request, request.app.state.hosts)
            visitor = None if self._is_open(scope["path"]) else await recognise(request)
            bounded = _Bounded(request, receive, importing=_is_import(request, visitor))
            await self.app(scope, bounded, answering)
        except (CleverdonError, HTTPException) as error:
            await failures.answer(request, error)(scope, receive, answering)
        except Exception as error:
            if not answering.begun:
                await failures.answer(request, error)(scope, receive, answering)
            raise  # the server writes it to its log

    def _is_open(self, path: str) -> bool:
        return any(pattern.match(path) for pattern in self.open_paths)


def _is_import(request: Request, visitor: Visitor | None) -> bool:
    """Whether it may be as large as a file: that needs somebody who may import."""
    importing = request.scope["path"].startswith(IMPORTS)
    return importing and visitor is not None and visitor.may(Right.MANAGE)


class _Bounded:
    """Receives a body, unless it is too long: by what it says of itself, or by what comes."""

    def __init__(self, request: Request, receive: Receive, *, importing: bool) -> None:
        self.receive = receive
        self.importing = importing
        self.most = kinds.LARGEST if importing else LARGEST
        self.got = 0
        self.until = asyncio.get_running_loop().time() + _WITHIN
        self.whole = False
        said = request.headers.get("content-length", "")
        if said.isdecimal() and (len(said) > 18 or int(said) > self.most):
            self._refuse()

    async def __call__(self) -> Message:
        if self.whole:  # who waits for the end of the connection waits as long as it takes
            return await self.receive()
        try:
            async with asyncio.timeout_at(self.until):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(
                408, f"the request did not come within {_WITHIN:g} seconds", {"connection": "close"}
            ) from None
        self.whole = not message.get("more_body", False)
        if self.importing:
            self.until = asyncio.get_running_loop().time() + _WITHIN
        self.got += len(message.get("body", b""))
        if self.got > self.most:
            self._refuse()
        return message

    def _refuse(self) -> None:
        raise HTTPException(413, f"the request is too large: it may have {self.most:,} bytes")


class _Answering:
    """Sends an answer, with the headers that all of them carry."""

    def __init__(self, request: Request, send: Send) -> None:
        self.send = send
        self.begun = False
        self.headers = _STATIC if request.scope["path"].startswith("/static/") else _HEADERS
        if request.app.state.behind_tls:
            self.headers = {**self.headers, **_TLS}

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                headers.setdefault(name, value)
        await self.send(message)
