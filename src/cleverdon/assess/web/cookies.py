"""The app's cookies: no script reads them, no other site sends them along, and TLS keeps them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

VISIT = "cleverdon-judge"
"""Who is signed in."""

FORM = "cleverdon-judge-form"
"""What the sign-in form repeats, so that no other site can sign somebody in as somebody else."""


def cookie(request: Request, name: str) -> str:
    """What a cookie holds; empty where there is none."""
    return request.cookies.get(_named(request, name), "")


def set_cookie(request: Request, response: Response, name: str, key: str, *, lasts: float) -> None:
    """Have the browser keep a key for so many seconds."""
    response.set_cookie(
        _named(request, name),
        key,
        max_age=int(lasts),
        path="/",
        secure=request.app.state.behind_tls,
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Have the browser forget it."""
    set_cookie(request, response, name, "", lasts=0)


def _named(request: Request, name: str) -> str:
    # Browsers take a cookie of this name over TLS alone, and from this very host: a neighbouring
    # one cannot plant its own.
    return f"__Host-{name}" if request.app.state.behind_tls else name
