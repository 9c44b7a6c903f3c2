"""The app of a project: its routes, error handlers and the security middleware.

The middleware requires a sign-in, limits the size and time of requests, and sets response headers.
It runs before the routes: nothing of a request's body is read, and existing paths look like any
other, before the sender is known.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import compile_path
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cleverdon import __version__
from cleverdon.errors import CleverdonError
from cleverdon.judging import imports as import_limits
from cleverdon.judging.dashboard.worker import DashboardCache
from cleverdon.judging.people import Permission
from cleverdon.judging.people.sessions import HASHES_AT_ONCE, note_rate_limit
from cleverdon.judging.project import Project
from cleverdon.judging.queue import Feeder
from cleverdon.judging.web import responses
from cleverdon.judging.web.authorization import (
    RequiredPermission,
    Visitor,
    authenticate,
    check_host,
    refuse_tokens,
)
from cleverdon.judging.web.rate_limits import AttemptLimiter
from cleverdon.judging.web.routes import (
    COMMON_ERRORS,
    account,
    adjudication,
    assignments,
    dashboard,
    exports,
    imports,
    judging,
    people,
    project,
)
from cleverdon.judging.web.routes.imports import Uploads

_STATIC = Path(__file__).with_name("static")

_FEATURES = (
    judging,
    account,
    project,
    people,
    assignments,
    dashboard,
    adjudication,
    exports,
    imports,
)
_ROUTERS = {
    "/api": [feature.api for feature in _FEATURES],
    "": [account.sign_in_pages, *(feature.pages for feature in _FEATURES)],
}
"""Routers by the prefix of their paths. Routes are tried in turn: the API comes first, since
judgments are sent most often."""

_ERRORS_DESCRIBED = (
    'Every error is a JSON object `{"error": "..."}`, also 404 for an unknown path and 405 for a '
    "method that a path does not have; the header Allow lists its methods."
)


def make_app(
    opened: Project,
    *,
    behind_tls: bool = False,
    behind_proxy: bool = False,
    hosts: Collection[str] | None = None,
    url: str = "http://127.0.0.1:8000",
) -> FastAPI:
    """Make the app that serves a project.

    Args:
        opened: The project.
        behind_tls: Send cookies over TLS only.
        behind_proxy: Trust the client address and host that a proxy forwards.
        hosts: The host names that are answered; None for any.
        url: The address that people use; sign-in links start with it.
    """
    app = FastAPI(
        title="Cleverdon judge",
        # Read now: the error page of a lost database shows the title.
        description=f"Relevance judgments of the project {opened.title}. {_ERRORS_DESCRIBED}",
        version=__version__,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # served by routes/project.py, to those who are signed in
        redirect_slashes=False,  # behind a proxy with TLS it would lead to plain HTTP
    )
    app.state.project = opened
    app.state.feeder = Feeder(opened)
    app.state.dashboard = DashboardCache(opened)
    app.state.attempt_limiter = AttemptLimiter(partial(note_rate_limit, opened.database))
    app.state.uploads = Uploads()
    app.state.password_threads = CapacityLimiter(HASHES_AT_ONCE)
    app.state.behind_tls = behind_tls
    app.state.behind_proxy = behind_proxy
    app.state.hosts = hosts
    app.state.url = url
    app.state.methods_at = _methods_at
    for router in _ROUTERS["/api"]:
        app.include_router(router, prefix="/api", responses=COMMON_ERRORS)
    for router in _ROUTERS[""]:
        app.include_router(router, include_in_schema=False, dependencies=[Depends(refuse_tokens)])
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    responses.add_error_handlers(app)
    app.add_middleware(_SecurityMiddleware, open_paths=_open_paths())
    return app


def _declared_routes() -> Iterator[tuple[str, APIRoute]]:
    """Yield every route with its full path, for tests."""
    for prefix, routers in _ROUTERS.items():
        for router in routers:
            for route in router.routes:
                assert isinstance(route, APIRoute), "pages and API calls are functions"
                yield prefix + route.path, route


def _required_permissions(route: APIRoute) -> list[Permission]:
    """Return the permissions that a route requires; it should be one."""
    calls = (each.call for each in route.dependant.dependencies)
    return [call.permission for call in calls if isinstance(call, RequiredPermission)]


def _methods_at(path: str) -> str:
    """Return the methods of a path for the header Allow; each route has one method."""
    there = (route for at, route in _declared_routes() if compile_path(at)[0].match(path))
    found = {method for route in there for method in route.methods or ()} or {"GET"}  # static files
    return ", ".join(sorted(found | ({"HEAD"} if "GET" in found else set())))


def _open_paths() -> list[re.Pattern[str]]:
    """Return patterns of the paths that need no sign-in: open routes and static files."""
    routes = (
        path
        for path, route in _declared_routes()
        if Permission.ANYONE in _required_permissions(route)
    )
    return [re.compile("/static/"), *(compile_path(path)[0] for path in routes)]


_MAX_BODY = 1_000_000
"""Bytes of a request's body."""

_BODY_TIMEOUT = 60.0
"""Seconds for the whole body of a request; for an import, seconds until more of it arrives."""

_IMPORT_PATHS = ("/api/imports", "/imports")

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
_STATIC_HEADERS = {**_HEADERS, "cache-control": "no-cache"}
"""Browsers keep static files, and ask by ETag whether they changed."""

_TLS_HEADERS = {"strict-transport-security": "max-age=31536000"}


class _SecurityMiddleware:
    """Authenticates requests, limits their bodies, and adds headers to responses.

    Requests for `open_paths` need no sign-in.
    """

    def __init__(self, app: ASGIApp, open_paths: Collection[re.Pattern[str]]) -> None:
        self.app = app
        self.open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # answered like GET; the server omits the body
            scope = {**scope, "method": "GET"}
        request = Request(scope)
        response = _SecuredResponse(request, send)
        try:
            check_host(request, request.app.state.hosts)
            visitor = None if self._is_open(scope["path"]) else await authenticate(request)
            if (moved := _new_address(request)) is not None:
                await RedirectResponse(moved, 308)(scope, receive, response)
                return
            body = _LimitedBody(request, receive, is_import=_is_import(request, visitor))
            await self.app(scope, body, response)
        except (CleverdonError, HTTPException) as error:
            await responses.error_response(request, error)(scope, receive, response)
        except Exception as error:
            if not response.started:
                await responses.error_response(request, error)(scope, receive, response)
            raise  # the server writes it to its log

    def _is_open(self, path: str) -> bool:
        return any(pattern.match(path) for pattern in self.open_paths)


_OLD_PATH = re.compile(r"^(/api|/api/watching|/dashboard|)/topics(?=/|$)")
_OLD_PARAMETER = re.compile("(^|&)topic=")


def _new_address(request: Request) -> str | None:
    """Return the address that one of version 0.1, which said topic, has now; for one release."""
    path, parameters = (
        request.scope[name].decode("latin-1") for name in ("raw_path", "query_string")
    )
    moved = _OLD_PATH.sub(r"\1/queries", path), _OLD_PARAMETER.sub(r"\1query=", parameters)
    if request.method != "GET" or moved == (path, parameters):
        return None
    return "?".join(filter(None, moved))


def _is_import(request: Request, visitor: Visitor | None) -> bool:
    """Return whether the body may be as large as a file: only if the visitor may import."""
    is_import = request.scope["path"].startswith(_IMPORT_PATHS)
    return is_import and visitor is not None and visitor.has_permission(Permission.MANAGE)


class _LimitedBody:
    """Receives a body, unless it is too large or too slow."""

    def __init__(self, request: Request, receive: Receive, *, is_import: bool) -> None:
        self.receive = receive
        self.is_import = is_import
        self.limit = import_limits.LARGEST if is_import else _MAX_BODY
        self.received = 0
        self.deadline = asyncio.get_running_loop().time() + _BODY_TIMEOUT
        self.complete = False
        declared = request.headers.get("content-length", "")
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > self.limit):
            self._refuse()

    async def __call__(self) -> Message:
        if self.complete:  # waiting for a disconnect has no deadline
            return await self.receive()
        try:
            async with asyncio.timeout_at(self.deadline):
                message = await self.receive()
        except TimeoutError:
            raise HTTPException(
                408,
                f"the request did not come within {_BODY_TIMEOUT:g} seconds",
                {"connection": "close"},
            ) from None
        self.complete = not message.get("more_body", False)
        if self.is_import:
            self.deadline = asyncio.get_running_loop().time() + _BODY_TIMEOUT
        self.received += len(message.get("body", b""))
        if self.received > self.limit:
            self._refuse()
        return message

    def _refuse(self) -> None:
        raise HTTPException(413, f"the request is too large: it may have {self.limit:,} bytes")


class _SecuredResponse:
    """Sends a response with the security headers."""

    def __init__(self, request: Request, send: Send) -> None:
        self.send = send
        self.started = False
        is_static = request.scope["path"].startswith("/static/")
        self.headers = _STATIC_HEADERS if is_static else _HEADERS
        if request.app.state.behind_tls:
            self.headers = {**self.headers, **_TLS_HEADERS}

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in self.headers.items():
                headers.setdefault(name, value)
        await self.send(message)
