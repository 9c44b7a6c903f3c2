"""Who asks, and whether they may: every route names the right it needs.

    @router.get("/topics")
    def topics(visitor: Annotated[Visitor, Needs(Right.JUDGE)]) -> Response: ...

Browsers are known by a cookie, and repeat a word of it in whatever changes something, so that no
other site can make them ask. Programs are known by a token in the Authorization header.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool

from cleverdon.assess.people import signing_in
from cleverdon.assess.people.keys import csrf_of
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.people.signing_in import Known
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import NotAllowed

COOKIE = "cleverdon-judge"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"
_CHANGES_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})


class NotSignedIn(NotAllowed):
    """Nobody is signed in: pages show the sign-in page, calls say so."""


@dataclass(frozen=True)
class Visitor:
    """Who asks."""

    person: int
    name: str
    role: str
    csrf: str = ""  # what forms repeat; empty for programs

    def may(self, right: Right) -> bool:
        """Whether the role allows it."""
        return right in RIGHTS[self.role]


class RightOf:
    """The dependency of a route that asks for a right; tests read which one."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request) -> Visitor:
        visitor = await _visitor(request)
        if not visitor.may(self.right):
            raise NotAllowed(f"this is not for {visitor.role}s; ask an administrator")
        return visitor


def Needs(right: Right) -> Any:  # noqa: N802 (reads as a mark in a signature)
    """Mark a route's visitor as one who needs a right."""
    return Depends(RightOf(right))


async def _visitor(request: Request) -> Visitor:
    project: Project = request.app.state.project
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "bearer":
        known = await run_in_threadpool(_look_up, project, signing_in.of_token, token.strip())
        if known is None:
            raise NotSignedIn("the token is not known, or no longer valid")
        return Visitor(known.person, known.name, known.role)
    key = request.cookies.get(COOKIE, "")
    known = await run_in_threadpool(_look_up, project, signing_in.of_visit, key) if key else None
    if known is None:
        raise NotSignedIn("sign in first")
    visitor = Visitor(known.person, known.name, known.role, csrf_of(key))
    if request.method not in _CHANGES_NOTHING:
        await _check_origin(request, visitor)
    return visitor


def _look_up(project: Project, of: Any, key: str) -> Known | None:
    with project.database.reading() as connection:
        found: Known | None = of(connection, key)
    return found


async def _check_origin(request: Request, visitor: Visitor) -> None:
    """That the request was made by a page of ours."""
    given: object = request.headers.get(CSRF_HEADER)
    if given is None:
        given = (await request.form()).get(CSRF_FIELD)
    if not isinstance(given, str) or not hmac.compare_digest(given, visitor.csrf):
        raise NotAllowed(
            "the form is from another page, or from before you signed in: load it again"
        )
