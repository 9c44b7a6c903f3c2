"""Signing in: by name and password, or by a personal link.

Opening a link signs nobody in. It shows a page with one button, since programs that look into mail
open links too.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from anyio import sleep, to_thread
from fastapi import APIRouter, Form, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.people import entering
from cleverdon.assess.people.accounts import tidied
from cleverdon.assess.people.keys import csrf_of, new_key
from cleverdon.assess.people.passwords import LONGEST
from cleverdon.assess.people.rights import Right
from cleverdon.assess.people.signing_in import VISIT_LASTS, end_visit, of_link
from cleverdon.assess.refusals import NotThere
from cleverdon.assess.web.api.account import remember_device
from cleverdon.assess.web.cookies import DEVICE, FORM, VISIT, cookie, drop_cookie, set_cookie
from cleverdon.assess.web.failures import LONGEST_NEXT
from cleverdon.assess.web.limiting import Attempts
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

Stranger = Annotated[Visitor, Needs(Right.ANYONE)]

_KEY = re.compile(r"[\w-]{43}", re.ASCII)
_NO_LINK = "this sign-in link does not hold, or no longer: ask an administrator for a new one"


@router.get("/sign-in")
def form(
    request: Request,
    visitor: Stranger,
    next: Annotated[str, Query(max_length=LONGEST_NEXT)] = "/",
) -> Response:
    return _form(request, {"next": next, "name": "", "wrong": False})


@router.post("/sign-in")
async def by_password(
    request: Request,
    visitor: Stranger,
    name: Annotated[str, Form(max_length=200)],
    password: Annotated[str, Form(max_length=LONGEST * 4)],
    next: Annotated[str, Form(max_length=LONGEST_NEXT)] = "/",
) -> Response:
    name = tidied(name)
    device = await run_in_threadpool(_known_device, request, name)
    await sleep(_attempts(request).turn(address=visitor.address, name=name, device=device))
    # Strangers who wait for their turn must not hold the threads in which judgments are recorded.
    comparing = partial(_by_password, request, visitor, name, password, next, device)
    return await to_thread.run_sync(comparing, limiter=request.app.state.comparing)


@router.get("/sign-in/{key}")
def link(request: Request, visitor: Stranger, key: str) -> Response:
    with request.app.state.project.database.reading() as connection:
        known = of_link(connection, key)
    if known is None:
        raise NotThere(_NO_LINK)
    return _form(request, {"known": known, "key": key}, template="sign_in_link.html")


@router.post("/sign-in/{key}")
def by_link(request: Request, visitor: Stranger, key: str) -> Response:
    database = request.app.state.project.database
    visit = entering.by_link(database, key, address=visitor.address)
    if visit is None:
        raise NotThere(_NO_LINK)
    return _entered(request, visit, "/")


def _by_password(
    request: Request, visitor: Visitor, name: str, password: str, next: str, device: str
) -> Response:
    database = request.app.state.project.database
    attempts = _attempts(request)
    with attempts.trying(address=visitor.address, name=name, device=device) as attempt:
        key = entering.by_password(database, name, password, address=visitor.address)
        attempt.right = key is not None
    if key is None:
        return _form(request, {"next": next, "name": name, "wrong": True}, status=422)
    return _entered(request, key, next)


def _known_device(request: Request, name: str) -> str:
    """The key of the device, where this person has signed in on it; empty where nobody knows."""
    device = cookie(request, DEVICE)
    database = request.app.state.project.database
    return device if device and entering.is_known_device(database, name, device) else ""


def _attempts(request: Request) -> Attempts:
    attempts: Attempts = request.app.state.attempts
    return attempts


def _form(
    request: Request,
    values: dict[str, object],
    *,
    template: str = "sign_in.html",
    status: int = 200,
) -> Response:
    """A form for somebody who is not known yet: it repeats the word of a cookie of its own."""
    key = cookie(request, FORM)
    if not _KEY.fullmatch(key):
        key = new_key()
    shown = page(request, template, {**values, "csrf": csrf_of(key)}, status=status)
    set_cookie(request, shown, FORM, key, lasts=VISIT_LASTS)
    return shown


def _entered(request: Request, key: str, next: str) -> Response:
    if before := cookie(request, VISIT):
        with request.app.state.project.database.writing() as connection:
            end_visit(connection, before)
    onwards = RedirectResponse(next if is_ours(next) else "/", status_code=303)
    set_cookie(request, onwards, VISIT, key, lasts=VISIT_LASTS)
    remember_device(request, onwards, key)
    drop_cookie(request, onwards, FORM)
    return onwards


def is_ours(path: str) -> bool:
    """Whether it is a path of this app: browsers take `//host` and `/\\host` for another one."""
    return path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()
