"""Authentication and authorization of requests.

A route declares the permission that it requires by the type of its visitor:

    @pages.get("/queries")
    def queries_page(visitor: Assessor) -> Response: ...

A route of type `AnyVisitor` is open to everybody. Every other path, even one that does not exist,
is answered only to people who are signed in; the middleware in app.py checks that. A route
without a permission fails a test.

Browsers are authenticated by the session cookie. Programs are authenticated by a token in the
Authorization header, for API calls only: pages can do what a token must not, such as making tokens.

CSRF protection: every request of a browser that changes something must come from a page of this
host, and repeat a token that is derived from a cookie, so nothing more is stored.

Scripts cannot read the cookies, other sites cannot send them, and over TLS they are secure. Their
names hold the project's key, because browsers share cookies between the ports of a host: one person
can be signed in to two projects on one machine.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cleverdon.judging.errors import DatabaseFailure, Forbidden
from cleverdon.judging.people import ROLE_PERMISSIONS, Permission, sessions
from cleverdon.judging.people.accounts import Actor
from cleverdon.judging.people.sessions import KeyOwner, is_use_worth_noting, note_token_use
from cleverdon.judging.project import Project

_CSRF_FIELD = "csrf"
"""The field of forms that holds the token."""

CSRF_HEADER = "x-csrf-token"
"""The header in which scripts send the token."""


def csrf_token(key: str) -> str:
    """Return the CSRF token of a cookie's value."""
    return hmac.new(key.encode(), b"cleverdon csrf", hashlib.sha256).hexdigest()


async def _check_csrf_token(request: Request, expected: str) -> None:
    """Refuse a request from another site, or one that does not repeat the token."""
    _check_origin(request)
    sent: object = request.headers.get(CSRF_HEADER)
    if sent is None:
        sent = (await request.form()).get(_CSRF_FIELD)
    token = sent.encode("utf-8", "replace") if isinstance(sent, str) else b""
    if not expected or not hmac.compare_digest(token, expected.encode()):
        raise Forbidden(
            "the form is from before you signed in, or your browser keeps no cookies of this "
            "address (with TLS, only of one that starts with https): load the page again"
        )


def _check_origin(request: Request) -> None:
    """Refuse a request that a page of another site made the browser send.

    Browsers say so in Sec-Fetch-Site. Old ones, and those on plain HTTP, send the origin only.
    """
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        is_ours = site in ("same-origin", "none")
    else:
        host = _requested_host(request).casefold()
        is_ours = origin is None or urlsplit(origin).netloc.casefold() == host
    if not is_ours:
        raise Forbidden(
            f"the request comes from a page of another site ({origin or site}): open the app itself"
        )


def check_host(request: Request, hosts: Collection[str] | None) -> None:
    """Refuse a request to an unknown host name, unless `hosts` is None.

    This prevents DNS rebinding: a foreign page can point its own host name to our loopback address
    and would then count as the same site, but its name stays in the Host header.

    Starlette's TrustedHostMiddleware cannot replace it: it does not read X-Forwarded-Host behind a
    proxy, in some versions not even [::1], and answers 400 in plain text, without our error page.
    """
    if hosts is None:
        return
    host = _requested_host(request)
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.casefold().strip("[]") not in hosts:
        raise Forbidden(
            f"this app is not called {name!r}: use the address that `cleverdon judge serve` "
            "printed, or tell it the name by --url"
        )


def _requested_host(request: Request) -> str:
    """Return the host and port that the browser asked for."""
    forwarded = request.headers.get("x-forwarded-host")
    if request.app.state.behind_proxy and forwarded:
        return forwarded.rpartition(",")[2].strip()
    return request.headers.get("host", "")


SESSION_COOKIE = "cleverdon-judge"

FORM_COOKIE = "cleverdon-judge-form"
"""The sign-in form's CSRF token is derived from it, so no other site can sign somebody in."""

DEVICE_COOKIE = "cleverdon-judge-device"
"""Marks a device on which a person has signed in: failures elsewhere do not lock them out there."""


def cookie_name(project: Project, name: str = SESSION_COOKIE, *, behind_tls: bool = False) -> str:
    """Return the full name of a cookie.

    Browsers accept a name with the prefix `__Host-` only over TLS and from this very host, so that
    a neighbouring host cannot set it.
    """
    return f"{'__Host-' if behind_tls else ''}{name}-{project.key}"


def get_cookie(request: Request, name: str) -> str:
    """Return the value of a cookie, or an empty string."""
    return request.cookies.get(_full_name(request, name), "")


def set_cookie(
    request: Request, response: Response, name: str, value: str, *, seconds: float
) -> None:
    """Set a cookie that expires after some seconds."""
    response.set_cookie(
        _full_name(request, name),
        value,
        max_age=int(seconds),
        path="/",
        secure=request.app.state.behind_tls,
        httponly=True,
        samesite="lax",
    )


def delete_cookie(request: Request, response: Response, name: str) -> None:
    set_cookie(request, response, name, "", seconds=0)


def _full_name(request: Request, name: str) -> str:
    state = request.app.state
    return cookie_name(state.project, name, behind_tls=state.behind_tls)


_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_SCOPE_KEY = "cleverdon.visitor"
"""The key of a request's scope under which the middleware leaves its visitor."""


class NotSignedIn(Forbidden):
    """Nobody is signed in: pages redirect to the sign-in page, API calls answer 401."""


@dataclass(frozen=True)
class Visitor:
    """The sender of a request."""

    person: int  # 0 is nobody
    name: str
    role: str
    csrf: str = ""  # the CSRF token; empty for programs
    address: str = ""  # the client's, for the audit log
    token: str = ""  # the name of the token, if a program sends the request

    @property
    def actor(self) -> Actor:
        """The visitor as the audit log names them."""
        return Actor(self.name, self.address, self.token)

    def has_permission(self, permission: Permission) -> bool:
        return permission in ROLE_PERMISSIONS.get(self.role, (Permission.ANYONE,))

    def refuse_token(self) -> None:
        """Refuse a program: a stolen token must not change its owner's account."""
        if self.token:
            raise Forbidden("a token cannot do this: sign in, and do it on the page")


class RequiredPermission:
    """The dependency of a route that requires a permission; tests read which one."""

    def __init__(self, permission: Permission) -> None:
        self.permission = permission

    async def __call__(self, request: Request) -> Visitor:
        visitor = visitor_of(request)
        if self.permission is Permission.ANYONE:
            visitor = _anonymous_visitor(request)
        elif visitor is None:
            raise NotSignedIn("sign in first")
        if not visitor.has_permission(self.permission):
            raise Forbidden(f"this is not for {visitor.role}s; ask an administrator")
        if request.method not in _SAFE_METHODS:
            if self.permission is Permission.SIGNED_IN:  # one's own password, tokens and sessions
                visitor.refuse_token()
            if not visitor.token:
                await _check_csrf_token(request, visitor.csrf)
        return visitor


AnyVisitor = Annotated[Visitor, Depends(RequiredPermission(Permission.ANYONE))]
SignedIn = Annotated[Visitor, Depends(RequiredPermission(Permission.SIGNED_IN))]
Assessor = Annotated[Visitor, Depends(RequiredPermission(Permission.JUDGE))]
Watcher = Annotated[Visitor, Depends(RequiredPermission(Permission.WATCH))]
Administrator = Annotated[Visitor, Depends(RequiredPermission(Permission.MANAGE))]


def refuse_tokens(request: Request) -> None:
    """Refuse programs: the dependency of all pages."""
    visitor = visitor_of(request)
    if visitor is not None:
        visitor.refuse_token()


async def authenticate(request: Request) -> Visitor:
    """Return the visitor of a request, and keep it for the route; raise NotSignedIn if unknown."""
    project: Project = request.app.state.project
    address = _client_address(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and is_api_request(request):
        owner = await run_in_threadpool(_token_owner, project, token.strip())
        if owner is None:
            raise NotSignedIn("the token is not known, or no longer valid")
        visitor = Visitor(owner.person, owner.name, owner.role, address=address, token=owner.token)
    else:
        key = get_cookie(request, SESSION_COOKIE)
        owner = await _session_owner(project, key)
        if owner is None:
            raise NotSignedIn("sign in first")
        visitor = Visitor(owner.person, owner.name, owner.role, csrf_token(key), address)
    request.scope[_SCOPE_KEY] = visitor
    return visitor


def visitor_of(request: Request) -> Visitor | None:
    """Return the visitor that `authenticate` found, if any."""
    visitor: Visitor | None = request.scope.get(_SCOPE_KEY)
    return visitor


def is_api_request(request: Request) -> bool:
    """Return whether a request is an API call; all others are for pages.

    This reads the routed path. The request's URL contains the Host header, and in some versions of
    Starlette its path begins with whatever follows a slash in that header.
    """
    path: str = request.scope["path"]
    return path.startswith("/api/")


def _client_address(request: Request) -> str:
    """Return the client's address; X-Forwarded-For counts only behind a proxy.

    The last entry is the one that our proxy added: the client sent those before it.
    """
    direct = request.client.host if request.client else ""
    if not request.app.state.behind_proxy:
        return direct
    forwarded = request.headers.getlist("x-forwarded-for")
    last = forwarded[-1].rpartition(",")[2].strip() if forwarded else ""
    try:
        return str(ip_address(_without_port(last)))
    except ValueError:
        return direct


def _without_port(address: str) -> str:
    """Remove the client's port, which some proxies add.

    >>> [_without_port(each) for each in ("192.0.2.7:51234", "[2001:db8::1]:443", "2001:db8::1")]
    ['192.0.2.7', '2001:db8::1', '2001:db8::1']
    """
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def _anonymous_visitor(request: Request) -> Visitor:
    key = get_cookie(request, FORM_COOKIE)
    return Visitor(0, "", "", csrf_token(key) if key else "", _client_address(request))


async def _session_owner(project: Project, key: str) -> KeyOwner | None:
    if project.database.is_sqlite:  # readers never wait, so a thread would take longer
        return _key_owner(project, sessions.owner_of_session, key)
    return await run_in_threadpool(_key_owner, project, sessions.owner_of_session, key)


def _token_owner(project: Project, key: str) -> KeyOwner | None:
    owner = _key_owner(project, sessions.owner_of_token, key)
    if owner is not None and is_use_worth_noting(owner.used_at):
        # Programs may read even if the disk is full.
        with suppress(DatabaseFailure), project.database.writing() as connection:
            note_token_use(connection, key)
    return owner


def _key_owner(
    project: Project, find: Callable[[Connection, str], KeyOwner | None], key: str
) -> KeyOwner | None:
    if not key:
        return None
    with project.database.reading(once=True) as connection:
        return find(connection, key)
