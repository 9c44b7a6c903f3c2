"""What becomes of errors: a status and a sentence, as a page or as JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from cleverdon.assess.refusals import Conflict, Invalid, NotAllowed, NotThere
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.web.limiting import TooOften
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import NotSignedIn, visitor_of
from cleverdon.errors import CleverdonError

_LOG = logging.getLogger("cleverdon.judge")

_STATUS: dict[type[CleverdonError], int] = {
    NotSignedIn: 401,
    NotAllowed: 403,
    NotThere: 404,
    Conflict: 409,
    Invalid: 422,
    TooOften: 429,
    StoreFailure: 503,
}

_MOST_VALUES = 10
"""Wrong values that one answer speaks of."""


def handle(app: FastAPI) -> None:
    """Give every error of the app its answer; what is none of these is a defect (guarding.py)."""
    for kind in (CleverdonError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, answer)


def answer(request: Request, error: Exception) -> Response:
    """What is said of an error."""
    if isinstance(error, NotSignedIn) and not _is_call(request):
        return RedirectResponse(_sign_in(request), status_code=303)
    if isinstance(error, CleverdonError):
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
        if status == 503:
            _LOG.error("%s %s: %s", request.method, request.url.path, error)
        return _said(request, status, str(error), _headers(error))
    if isinstance(error, HTTPException):
        return _said(request, error.status_code, *_of_http(request, error))
    if isinstance(error, RequestValidationError):
        return _said(request, 422, _of_values(error))
    _LOG.error("%s %s: a defect", request.method, request.url.path)
    return _said(request, 500, "a defect of Cleverdon itself; the server's log says more")


def _headers(error: CleverdonError) -> dict[str, str]:
    if isinstance(error, TooOften):
        return {"retry-after": str(error.seconds)}
    return {"www-authenticate": "Bearer"} if isinstance(error, NotSignedIn) else {}


def _of_http(request: Request, error: HTTPException) -> tuple[str, Mapping[str, str] | None]:
    if error.status_code == 404:
        return "there is no such page", error.headers
    if error.status_code == 405:
        allowed = request.app.state.methods_at(request.url.path)
        return f"{request.method} is not for this page; {allowed} is", {"allow": allowed}
    return str(error.detail), error.headers


def _of_values(error: RequestValidationError) -> str:
    found = error.errors()
    said = [
        f"{'.'.join(str(part) for part in each['loc'][1:]) or 'the request'}: {each['msg']}"
        for each in found[:_MOST_VALUES]
    ]
    if len(found) > _MOST_VALUES:
        said.append(f"and {len(found) - _MOST_VALUES:,} more")
    return "; ".join(said)


def _said(
    request: Request, status: int, said: str, headers: Mapping[str, str] | None = None
) -> Response:
    answered: Response
    if _is_call(request):
        answered = JSONResponse({"error": said}, status_code=status)
    else:
        values = {"said": said, "status": status}
        answered = page(request, "failure.html", values, visitor=visitor_of(request), status=status)
    answered.headers.update(headers or {})
    return answered


def _sign_in(request: Request) -> str:
    """The sign-in page, which leads back to the page that was asked for."""
    wanted = request.url.path
    if request.method != "GET" or wanted == "/":
        return "/sign-in"
    return f"/sign-in?{urlencode({'next': wanted})}"


def _is_call(request: Request) -> bool:
    return request.url.path.startswith("/api/")
