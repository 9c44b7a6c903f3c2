"""Calls about oneself: who one is, the password, tokens, signing out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from cleverdon.assess.people import entering, managing
from cleverdon.assess.people.passwords import check_new
from cleverdon.assess.people.rights import RIGHTS, Right
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
from cleverdon.assess.web.cookies import VISIT, cookie, drop_cookie
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(tags=["account"])

SignedIn = Annotated[Visitor, Needs(Right.SIGNED_IN)]


@router.get("/me", summary="Who you are", responses=failing())
def me(request: Request, visitor: SignedIn) -> MeModel:
    """Whose cookie or token it is, and what the role allows."""
    rights = sorted(RIGHTS[visitor.role])
    return MeModel(person=visitor.person, name=visitor.name, role=visitor.role, rights=rights)


@router.post(
    "/account/password", summary="Change your password", status_code=204, responses=failing(429)
)
def password(request: Request, visitor: SignedIn, wanted: NewPasswordModel) -> None:
    """Set a password; you are signed out wherever else you are, and your sign-in link ends.

    Tokens stay. A token cannot do this.
    """
    change_password(request, visitor, old=wanted.old, new=wanted.new)


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


def change_password(request: Request, visitor: Visitor, *, old: str, new: str) -> None:
    """Set one's new password; a wrong old one counts as a failure to sign in."""
    check_new(new, name=visitor.name)
    with request.app.state.attempts.trying(address=visitor.address, name=visitor.name) as attempt:
        entering.change_password(
            request.app.state.project.database,
            visitor.person,
            by=visitor.actor,
            old=old,
            new=new,
            visit=cookie(request, VISIT),
        )
        attempt.right = True


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
