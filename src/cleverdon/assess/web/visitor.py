"""Who asks, and whether they may: every route names the right it needs.

    @router.get("/topics")
    def topics(visitor: Annotated[Visitor, Needs(Right.JUDGE)]) -> Response: ...

What needs nobody to be signed in (the sign-in page alone) says so in the same way, by
`Needs(Right.ANYONE)`: its visitor is nobody, and nobody is looked up. Every other path, also one
that is not there, is answered to those who are signed in alone: the guard sees to that before a
route is looked for (guarding.py), and a route without a right fails a test.

Browsers are known by a cookie, and repeat a word of it in whatever changes something, so that no
other site can make them ask. Programs are known by a token in the Authorization header, for calls
alone: pages do what a token must not, such as making further tokens.
What is to be in the audit log is said by `visitor.actor.note(connection, "did", "what")`.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, Request
from sqlalchemy import Connection
from starlette.concurrency import run_in_threadpool

from cleverdon.assess.people import signing_in
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.people.keys import csrf_of
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.people.signing_in import Known
from cleverdon.assess.people.tokens import note_use, use_is_news
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import NotAllowed
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.web.cookies import FORM, VISIT, cookie
from cleverdon.assess.web.origin import address_of, check_origin

CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"
_CHANGES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})
_STATE = "cleverdon.visitor"
"""Where the guard leaves the visitor of a request."""


class NotSignedIn(NotAllowed):
    """Nobody is signed in: pages show the sign-in page, calls say so."""


@dataclass(frozen=True)
class Visitor:
    """Who asks."""

    person: int  # 0 is nobody
    name: str
    role: str
    csrf: str = ""  # what forms repeat; empty for programs
    address: str = ""  # from where, for the audit log
    token: str = ""  # what the token is called by which a program is known

    @property
    def program(self) -> bool:
        """Whether it is one, and no browser."""
        return bool(self.token)

    @property
    def actor(self) -> Actor:
        """As the audit log knows them."""
        return Actor(self.name, self.address, self.token)

    def check_no_program(self) -> None:
        """Refuse a program: a stolen token must not change its owner's account."""
        if self.program:
            raise NotAllowed("a token cannot do this: sign in, and do it on the page")

    def may(self, right: Right) -> bool:
        """Whether the role allows it."""
        return right in RIGHTS.get(self.role, (Right.ANYONE,))


class RightOf:
    """The dependency of a route that asks for a right; tests read which one."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request) -> Visitor:
        if self.right is Right.ANYONE:
            visitor = _stranger(request)
        elif (known := request.scope.get(_STATE)) is not None:
            visitor = known
        else:
            raise NotSignedIn("sign in first")
        if not visitor.may(self.right):
            raise NotAllowed(f"this is not for {visitor.role}s; ask an administrator")
        if request.method not in _CHANGES_NOTHING:
            if self.right is Right.SIGNED_IN:  # one's own account: password, tokens, signing out
                visitor.check_no_program()
            if not visitor.program:
                await _check_word(request, visitor)
        return visitor


def Needs(right: Right) -> Any:  # noqa: N802 (reads as a mark in a signature)
    """Mark a route's visitor as one who needs a right."""
    return Depends(RightOf(right))


def refuse_programs(request: Request) -> None:
    """Refuse a token: the dependency of all pages, whatever the path made of it."""
    visitor = visitor_of(request)
    if visitor is not None:
        visitor.check_no_program()


async def recognise(request: Request) -> Visitor:
    """Who asks, kept for the route; or a NotSignedIn."""
    project: Project = request.app.state.project
    address = address_of(request)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer" and is_call(request):
        known = await run_in_threadpool(_of_token, project, token.strip())
        if known is None:
            raise NotSignedIn("the token is not known, or no longer valid")
        visitor = Visitor(known.person, known.name, known.role, address=address, token=known.token)
    else:
        key = cookie(request, VISIT)
        known = await _of_visit(project, key)
        if known is None:
            raise NotSignedIn("sign in first")
        visitor = Visitor(known.person, known.name, known.role, csrf_of(key), address)
    request.scope[_STATE] = visitor
    return visitor


def is_call(request: Request) -> bool:
    """Whether it is for a program, or for a script of a page; all else are pages.

    By the path that is routed. The request's URL has the Host header in it, and with some versions
    of Starlette its path begins with whatever follows a slash there.
    """
    path: str = request.scope["path"]
    return path.startswith("/api/")


def visitor_of(request: Request) -> Visitor | None:
    """Who asks, where it is known: for pages that say what went wrong."""
    found: Visitor | None = request.scope.get(_STATE)
    return found


def _stranger(request: Request) -> Visitor:
    key = cookie(request, FORM)
    return Visitor(0, "", "", csrf_of(key) if key else "", address_of(request))


async def _of_visit(project: Project, key: str) -> Known | None:
    if project.database.is_sqlite:  # nobody makes a reader wait: to wake a thread takes longer
        return _look_up(project, signing_in.of_visit, key)
    return await run_in_threadpool(_look_up, project, signing_in.of_visit, key)


def _of_token(project: Project, key: str) -> Known | None:
    known = _look_up(project, signing_in.of_token, key)
    if known is not None and use_is_news(known.used_at):
        # What a program asks for may be read although the disk is full.
        with suppress(StoreFailure), project.database.writing() as connection:
            note_use(connection, key)
    return known


def _look_up(
    project: Project, of: Callable[[Connection, str], Known | None], key: str
) -> Known | None:
    if not key:
        return None
    with project.database.reading(once=True) as connection:
        return of(connection, key)


async def _check_word(request: Request, visitor: Visitor) -> None:
    """That the request was made by a page of ours."""
    check_origin(request)
    given: object = request.headers.get(CSRF_HEADER)
    if given is None:
        given = (await request.form()).get(CSRF_FIELD)
    word = given.encode("utf-8", "replace") if isinstance(given, str) else b""
    if not visitor.csrf or not hmac.compare_digest(word, visitor.csrf.encode()):
        raise NotAllowed(
            "the form is from before you signed in, or your browser keeps no cookies of this "
            "address (with TLS, only of one that starts with https): load the page again"
        )
