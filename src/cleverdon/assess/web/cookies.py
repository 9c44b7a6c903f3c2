"""The app's cookies: no script reads them, no other site sends them along, and TLS keeps them.

Their names have the project's key, since cookies do not know ports: one can be signed in to two
projects that are served on one machine.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from cleverdon.assess.project import Project

VISIT = "cleverdon-judge"
"""Who is signed in."""

FORM = "cleverdon-judge-form"
"""What the sign-in form repeats, so that no other site can sign somebody in as somebody else."""


DEVICE = "cleverdon-judge-device"
"""That somebody has signed in here before: failures elsewhere do not keep them out."""


def cookie_name(project: Project, name: str = VISIT, *, behind_tls: bool = False) -> str:
    """What a cookie is called.

    Browsers take one that begins with `__Host-` over TLS alone, and from this very host: a
    neighbouring one cannot plant its own.
    """
    return f"{'__Host-' if behind_tls else ''}{name}-{project.key}"


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
    state = request.app.state
    return cookie_name(state.project, name, behind_tls=state.behind_tls)
