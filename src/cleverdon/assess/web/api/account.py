"""Calls about oneself: who one is, the password, tokens, signing out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from cleverdon.assess.people import entering, managing
from cleverdon.assess.people.passwords import check_new
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.people.signing_in import DAY
from cleverdon.assess.people.tokens import Token, tokens_of
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.api.people_models import (
    MadeTokenModel,
    MeModel,
    NewPasswordModel,
    NewTokenModel,
    SignOutModel,
    TokenModel,
    TokensModel,
)
from cleverdon.assess.web.cookies import DEVICE, VISIT, cookie, drop_cookie, set_cookie
from cleverdon.assess.web.limiting import Attempts
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(tags=["account"])

_DEVICE_LASTS = 365 * DAY

SignedIn = Annotated[Visitor, Needs(Right.SIGNED_IN)]


@router.get("/me", summary="Who you are", responses=failing())
def me(request: Request, visitor: SignedIn) -> MeModel:
    """Whose cookie or token it is, and what the role allows."""
    rights = sorted(RIGHTS[visitor.role])
    return MeModel(person=visitor.person, name=visitor.name, role=visitor.role, rights=rights)


@router.post(
    "/account/password", summary="Change your password", status_code=204, responses=failing(429)
)
def password(request: Request, visitor: SignedIn, wanted: NewPasswordModel) -> Response:
    """Set a password; you are signed out wherever else you are.

    Your sign-in link ends, unless you keep it. Tokens stay. A token cannot do this.
    """
    left = Response(status_code=204)
    return change_password(
        request, visitor, left, old=wanted.old, new=wanted.new, keep_link=wanted.keep_link
    )


@router.get("/account/tokens", summary="Your tokens", responses=failing())
def tokens(request: Request, visitor: SignedIn) -> TokensModel:
    """Tokens for programs, without the keys themselves."""
    with request.app.state.project.database.reading() as connection:
        found = tokens_of(connection, visitor.person)
    return TokensModel(tokens=[_model(token) for token in found])


@router.post("/account/tokens", summary="Make a token", status_code=201, responses=failing(409))
def make_token(request: Request, visitor: SignedIn, wanted: NewTokenModel) -> MadeTokenModel:
    """A token that acts as you do; its key is in this answer and nowhere else.

    A token cannot do this.
    """
    with request.app.state.project.database.writing() as connection:
        made, key = managing.make_token(
            connection, visitor.actor, visitor.person, wanted.name, days=wanted.days
        )
    return MadeTokenModel(**vars(made), key=key)


@router.delete(
    "/account/tokens/{token}", summary="Revoke a token", status_code=204, responses=failing(404)
)
def revoke_token(
    request: Request, visitor: SignedIn, token: Annotated[int, Path(ge=1, le=LARGEST)]
) -> None:
    """End one of your tokens, at once. A token cannot do this, not even to itself."""
    with request.app.state.project.database.writing() as connection:
        managing.revoke_token(connection, visitor.actor, visitor.person, token)


@router.post("/account/sign-out", summary="Sign out", status_code=204, responses=failing())
def sign_out(request: Request, visitor: SignedIn, wanted: SignOutModel) -> Response:
    """End this visit, or all of yours, and then your sign-in link as well. Tokens stay.

    A token cannot do this.
    """
    return signed_out(request, visitor, Response(status_code=204), everywhere=wanted.everywhere)


def change_password(
    request: Request, visitor: Visitor, left: Response, *, old: str, new: str, keep_link: bool
) -> Response:
    """The answer `left`, for somebody who has a new password; wrong old ones are counted."""
    check_new(new, name=visitor.name)
    attempts: Attempts = request.app.state.attempts
    visit = cookie(request, VISIT)
    with attempts.changing(address=visitor.address, name=visitor.name) as attempt:
        entering.change_password(
            request.app.state.project.database,
            visitor.person,
            by=visitor.actor,
            old=old,
            new=new,
            visit=visit,
            keep_link=keep_link,
        )
        attempt.right = True
    remember_device(request, left, visit)
    return left


def remember_device(request: Request, response: Response, visit: str) -> None:
    """Have the browser keep that the person of a visit has signed in on it."""
    device = entering.device_key(request.app.state.project.database, visit)
    if device is not None:
        set_cookie(request, response, DEVICE, device, lasts=_DEVICE_LASTS)


def signed_out(request: Request, visitor: Visitor, left: Response, *, everywhere: bool) -> Response:
    """The answer `left`, for somebody who is signed out by now."""
    visit = cookie(request, VISIT)
    with request.app.state.project.database.writing() as connection:
        managing.sign_out(
            connection, visitor.actor, visitor.person, visit=visit, everywhere=everywhere
        )
    drop_cookie(request, left, VISIT)
    return left


def _model(token: Token) -> TokenModel:
    return TokenModel(**vars(token))
