"""One's own account: the password, tokens for programs, signing out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.people import managing
from cleverdon.assess.people.accounts import LONGEST_NAME, person_of
from cleverdon.assess.people.passwords import LONGEST, SHORTEST
from cleverdon.assess.people.rights import Right
from cleverdon.assess.people.tokens import LONGEST_DAYS, tokens_of
from cleverdon.assess.refusals import Invalid
from cleverdon.assess.web.api.account import change_password, signed_out
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/account")

SignedIn = Annotated[Visitor, Needs(Right.SIGNED_IN)]
Password = Annotated[str, Form(max_length=LONGEST * 4)]


@router.get("")
def account(request: Request, visitor: SignedIn) -> Response:
    return _page(request, visitor)


@router.post("/password")
def password(
    request: Request,
    visitor: SignedIn,
    new: Password,
    again: Password,
    old: Password = "",
    keep_link: Annotated[bool, Form()] = False,
) -> Response:
    if new != again:
        raise Invalid("the new password was typed in two ways: type it twice alike")
    left = RedirectResponse("/account", status_code=303)
    return change_password(request, visitor, left, old=old, new=new, keep_link=keep_link)


@router.post("/tokens")
def make_token(
    request: Request,
    visitor: SignedIn,
    name: Annotated[str, Form(max_length=LONGEST_NAME)],
    days: Annotated[int, Form(ge=0, le=LONGEST_DAYS)] = 365,
) -> Response:
    with request.app.state.project.database.writing() as connection:
        _, key = managing.make_token(
            connection, visitor.actor, visitor.person, name, days=days or None
        )
    return _page(request, visitor, key=key)


@router.post("/tokens/{token}/revoke")
def revoke_token(
    request: Request, visitor: SignedIn, token: Annotated[int, Path(ge=1, le=LARGEST)]
) -> Response:
    with request.app.state.project.database.writing() as connection:
        managing.revoke_token(connection, visitor.actor, visitor.person, token)
    return RedirectResponse("/account", status_code=303)


@router.post("/sign-out")
def sign_out(request: Request, visitor: SignedIn) -> Response:
    return signed_out(request, visitor, _to_sign_in(), everywhere=False)


@router.post("/sign-out-everywhere")
def sign_out_everywhere(request: Request, visitor: SignedIn) -> Response:
    return signed_out(request, visitor, _to_sign_in(), everywhere=True)


def _to_sign_in() -> Response:
    return RedirectResponse("/sign-in", status_code=303)


def _page(request: Request, visitor: Visitor, *, key: str = "") -> Response:
    """The page; `key` is a new token, which is shown this once."""
    with request.app.state.project.database.reading() as connection:
        values = {
            "person": person_of(connection, visitor.person),
            "tokens": tokens_of(connection, visitor.person),
            "key": key,
            "shortest": SHORTEST,
            "longest": LONGEST,
            "longest_days": LONGEST_DAYS,
        }
    return page(request, "account.html", values, visitor=visitor)
