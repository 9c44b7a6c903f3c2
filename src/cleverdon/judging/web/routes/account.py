"""Routes of one's own account: signing in and out, the password, tokens for programs.

Opening a sign-in link signs nobody in. It shows a page with one button, because mail scanners open
links too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from anyio import sleep, to_thread
from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from cleverdon.judging.errors import Invalid, NotFound
from cleverdon.judging.people import ROLE_PERMISSIONS, Permission, administration, sessions
from cleverdon.judging.people.accounts import LONGEST_NAME, normalized_name, person_by_id
from cleverdon.judging.web.authorization import (
    DEVICE_COOKIE,
    FORM_COOKIE,
    SESSION_COOKIE,
    AnyVisitor,
    SignedIn,
    Visitor,
    csrf_token,
    delete_cookie,
    get_cookie,
    set_cookie,
)
from cleverdon.judging.web.rate_limits import AttemptLimiter
from cleverdon.judging.web.responses import LONGEST_NEXT, render_page
from cleverdon.judging.web.routes import (
    LARGEST_INTEGER,
    Name,
    ResponseModel,
    StrictModel,
    database,
    errors,
    redirect,
)

sign_in_pages = APIRouter()

_KEY = re.compile(r"[\w-]{43}", re.ASCII)
_NO_LINK = "this sign-in link is not valid, or no longer: ask an administrator for a new one"


@sign_in_pages.get("/sign-in")
def sign_in_page(
    request: Request,
    visitor: AnyVisitor,
    next: Annotated[str, Query(max_length=LONGEST_NEXT)] = "/",
) -> Response:
    return _sign_in_form(request, {"next": next, "name": "", "wrong": False})


@sign_in_pages.post("/sign-in")
async def sign_in_by_password(
    request: Request,
    visitor: AnyVisitor,
    name: Annotated[str, Form(max_length=200)],
    password: Annotated[str, Form(max_length=sessions.LONGEST_PASSWORD * 4)],
    next: Annotated[str, Form(max_length=LONGEST_NEXT)] = "/",
) -> Response:
    name = normalized_name(name)
    device = await run_in_threadpool(_known_device, request, name)
    await sleep(_limiter(request).reserve_slot(address=visitor.address, name=name, device=device))
    # Waiting strangers must not block the threads that record judgments.
    sign_in = partial(_sign_in_by_password, request, visitor, name, password, next, device)
    return await to_thread.run_sync(sign_in, limiter=request.app.state.password_threads)


@sign_in_pages.get("/sign-in/{key}")
def sign_in_link_page(request: Request, visitor: AnyVisitor, key: str) -> Response:
    with database(request).reading() as connection:
        owner = sessions.owner_of_link(connection, key)
    if owner is None:
        raise NotFound(_NO_LINK)
    return _sign_in_form(request, {"owner": owner, "key": key}, template="sign_in_link.html")


@sign_in_pages.post("/sign-in/{key}")
def sign_in_by_link(request: Request, visitor: AnyVisitor, key: str) -> Response:
    session = sessions.sign_in_by_link(database(request), key, address=visitor.address)
    if session is None:
        raise NotFound(_NO_LINK)
    return _start_session(request, session, "/")


def _sign_in_by_password(
    request: Request, visitor: Visitor, name: str, password: str, next: str, device: str
) -> Response:
    address = visitor.address
    with _limiter(request).sign_in_attempt(address=address, name=name, device=device) as attempt:
        session = sessions.sign_in_by_password(database(request), name, password, address=address)
        attempt.succeeded = session is not None
    if session is None:
        return _sign_in_form(request, {"next": next, "name": name, "wrong": True}, status=422)
    return _start_session(request, session, next)


def _known_device(request: Request, name: str) -> str:
    """Return the key of the device if this person has signed in on it, else an empty string."""
    device = get_cookie(request, DEVICE_COOKIE)
    is_known = device and sessions.is_known_device(database(request), name, device)
    return device if is_known else ""


def _limiter(request: Request) -> AttemptLimiter:
    limiter: AttemptLimiter = request.app.state.attempt_limiter
    return limiter


def _sign_in_form(
    request: Request,
    values: dict[str, object],
    *,
    template: str = "sign_in.html",
    status: int = 200,
) -> Response:
    """Render a form for an anonymous visitor, with a cookie for its CSRF token."""
    key = get_cookie(request, FORM_COOKIE)
    if not _KEY.fullmatch(key):
        key = sessions.new_key()
    page = render_page(request, template, {**values, "csrf": csrf_token(key)}, status=status)
    set_cookie(request, page, FORM_COOKIE, key, seconds=sessions.SESSION_LASTS)
    return page


def _start_session(request: Request, key: str, next: str) -> Response:
    if before := get_cookie(request, SESSION_COOKIE):
        with database(request).writing() as connection:
            sessions.end_session(connection, before)
    response = redirect(next if _is_ours(next) else "/")
    set_cookie(request, response, SESSION_COOKIE, key, seconds=sessions.SESSION_LASTS)
    _remember_device(request, response, key)
    delete_cookie(request, response, FORM_COOKIE)
    return response


def _is_ours(path: str) -> bool:
    """Return whether a path is of this app: browsers take `//host` for another host."""
    return path.startswith("/") and path[1:2] not in ("/", "\\") and path.isprintable()


class MeModel(ResponseModel):
    """The account of the caller, with the permissions of the role."""

    person: int
    name: str
    role: str
    rights: list[Permission]


class NewPasswordModel(StrictModel):
    """A new password."""

    old: Annotated[str, Field(max_length=sessions.LONGEST_PASSWORD)] = ""
    """The current password, if there is one."""
    new: Annotated[
        str, Field(min_length=sessions.SHORTEST_PASSWORD, max_length=sessions.LONGEST_PASSWORD)
    ]
    keep_link: bool = False
    """Keep your sign-in link valid; nobody else may have it."""


@dataclass(frozen=True)
class MadeToken(sessions.Token):
    """A new token."""

    key: str
    """The token itself; it is shown only once."""


class TokensModel(ResponseModel):
    """All tokens of the caller."""

    tokens: list[sessions.Token]


class NewTokenModel(StrictModel):
    """A token to create."""

    name: Name
    """The purpose of the token."""
    days: Annotated[int, Field(ge=1, le=sessions.LONGEST_DAYS, strict=True)] | None = 365
    """Days until it expires; null for never."""


class SignOutModel(StrictModel):
    """Options of signing out."""

    everywhere: bool = False
    """On all devices."""


api = APIRouter(tags=["account"])

_TokenId = Annotated[int, Path(ge=1, le=LARGEST_INTEGER)]


@api.get("/me", summary="Your account")
def me(request: Request, visitor: SignedIn) -> MeModel:
    """Return the owner of the cookie or token, with the permissions of the role."""
    rights = sorted(ROLE_PERMISSIONS[visitor.role])
    return MeModel(person=visitor.person, name=visitor.name, role=visitor.role, rights=rights)


@api.post(
    "/account/password", summary="Change your password", status_code=204, responses=errors(429)
)
def set_password(request: Request, visitor: SignedIn, wanted: NewPasswordModel) -> Response:
    """Set a password; you are signed out on all other devices.

    Your sign-in link becomes invalid, unless you keep it. Tokens stay valid. A token cannot do
    this.
    """
    return _change_password(request, visitor, Response(status_code=204), **wanted.model_dump())


@api.get("/account/tokens", summary="Your tokens")
def tokens(request: Request, visitor: SignedIn) -> TokensModel:
    """List your tokens, without the keys themselves."""
    with database(request).reading() as connection:
        return TokensModel(tokens=sessions.tokens_of(connection, visitor.person))


@api.post("/account/tokens", summary="Create a token", status_code=201, responses=errors(409))
def make_token(request: Request, visitor: SignedIn, wanted: NewTokenModel) -> MadeToken:
    """Create a token that acts as you; its key is only in this response.

    A token cannot do this.
    """
    with database(request).writing() as connection:
        made, key = administration.make_token(
            connection, visitor.actor, visitor.person, wanted.name, days=wanted.days
        )
    return MadeToken(**vars(made), key=key)


@api.delete(
    "/account/tokens/{token}", summary="Revoke a token", status_code=204, responses=errors(404)
)
def revoke_token(request: Request, visitor: SignedIn, token: _TokenId) -> None:
    """Revoke one of your tokens immediately. A token cannot do this, not even to itself."""
    with database(request).writing() as connection:
        administration.revoke_token(connection, visitor.actor, visitor.person, token)


@api.post("/account/sign-out", summary="Sign out", status_code=204)
def sign_out(request: Request, visitor: SignedIn, wanted: SignOutModel) -> Response:
    """End this session, or all your sessions and your sign-in link. Tokens stay valid.

    A token cannot do this.
    """
    return _end_sessions(request, visitor, Response(status_code=204), everywhere=wanted.everywhere)


def _change_password(
    request: Request, visitor: Visitor, response: Response, *, old: str, new: str, keep_link: bool
) -> Response:
    """Change the visitor's password and return `response`; wrong old passwords are counted."""
    sessions.check_new_password(new, name=visitor.name)
    session = get_cookie(request, SESSION_COOKIE)
    attempts = _limiter(request)
    with attempts.password_change(address=visitor.address, name=visitor.name) as attempt:
        sessions.change_password(
            database(request),
            visitor.person,
            by=visitor.actor,
            old=old,
            new=new,
            visit=session,
            keep_link=keep_link,
        )
        attempt.succeeded = True
    _remember_device(request, response, session)
    return response


def _remember_device(request: Request, response: Response, session: str) -> None:
    """Set the cookie that marks this device as one on which the person has signed in."""
    device = sessions.device_key(database(request), session)
    if device is not None:
        set_cookie(request, response, DEVICE_COOKIE, device, seconds=365 * sessions.DAY)


def _end_sessions(
    request: Request, visitor: Visitor, response: Response, *, everywhere: bool
) -> Response:
    """End the visitor's session, or all of them, and return `response`."""
    session = get_cookie(request, SESSION_COOKIE)
    with database(request).writing() as connection:
        administration.end_session_of(
            connection, visitor.actor, visitor.person, visit=session, everywhere=everywhere
        )
    delete_cookie(request, response, SESSION_COOKIE)
    return response


pages = APIRouter(prefix="/account")

_Password = Annotated[str, Form(max_length=sessions.LONGEST_PASSWORD * 4)]


@pages.get("")
def account_page(request: Request, visitor: SignedIn) -> Response:
    return _page(request, visitor)


@pages.post("/password")
def password_form(
    request: Request,
    visitor: SignedIn,
    new: _Password,
    again: _Password,
    old: _Password = "",
    keep_link: Annotated[bool, Form()] = False,
) -> Response:
    if new != again:
        raise Invalid("the two new passwords differ: type the same one twice")
    response = redirect("/account")
    return _change_password(request, visitor, response, old=old, new=new, keep_link=keep_link)


@pages.post("/tokens")
def new_token_form(
    request: Request,
    visitor: SignedIn,
    name: Annotated[str, Form(max_length=LONGEST_NAME)],
    days: Annotated[int, Form(ge=0, le=sessions.LONGEST_DAYS)] = 365,
) -> Response:
    with database(request).writing() as connection:
        _, key = administration.make_token(
            connection, visitor.actor, visitor.person, name, days=days or None
        )
    return _page(request, visitor, key=key)


@pages.post("/tokens/{token}/revoke")
def revoke_token_form(request: Request, visitor: SignedIn, token: _TokenId) -> Response:
    revoke_token(request, visitor, token)
    return redirect("/account")


@pages.post("/sign-out")
def sign_out_form(request: Request, visitor: SignedIn) -> Response:
    return _end_sessions(request, visitor, redirect("/sign-in"), everywhere=False)


@pages.post("/sign-out-everywhere")
def sign_out_everywhere_form(request: Request, visitor: SignedIn) -> Response:
    return _end_sessions(request, visitor, redirect("/sign-in"), everywhere=True)


def _page(request: Request, visitor: Visitor, *, key: str = "") -> Response:
    """Render the page; `key` is a new token, which is shown only once."""
    with database(request).reading() as connection:
        values = {
            "person": person_by_id(connection, visitor.person),
            "tokens": sessions.tokens_of(connection, visitor.person),
            "key": key,
            "shortest": sessions.SHORTEST_PASSWORD,
            "longest": sessions.LONGEST_PASSWORD,
            "longest_days": sessions.LONGEST_DAYS,
        }
    return render_page(request, "account.html", values, visitor=visitor)
