"""What becomes of errors: a status and a sentence, as a page or as JSON."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from cleverdon.assess.refusals import Conflict, Invalid, NotAllowed, NotThere
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.web.limiting import TooOften
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import NotSignedIn, is_call, visitor_of
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

LONGEST_NEXT = 2_000
"""Characters of a path to which one comes back after signing in."""

_NO_JSON = "the request: expected a JSON object in UTF-8, with Content-Type: application/json"

_MOST_VALUES = 10
"""Wrong values that one answer speaks of."""


def handle(app: FastAPI) -> None:
    """Give every error of the app its answer; what is none of these is a defect (guarding.py)."""
    for kind in (CleverdonError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, answer)


def answer(request: Request, error: Exception) -> Response:
    """What is said of an error."""
    if isinstance(error, NotSignedIn) and not is_call(request):
        return RedirectResponse(_sign_in(request), status_code=303)
    if isinstance(error, StoreFailure):
        _LOG.error("%s: %s", _asked(request), error)
        return _said(request, 503, _of_store(request, error))
    if isinstance(error, CleverdonError):
        return _said(request, status_of(error), str(error), _headers(error))
    if isinstance(error, HTTPException):
        return _said(request, error.status_code, *_of_http(request, error))
    if isinstance(error, RequestValidationError):
        return _said(request, 422, _of_values(error))
    _LOG.error("%s: a defect", _asked(request))
    return _said(request, 500, "a defect of Cleverdon itself; the server's log says more")


def status_of(error: CleverdonError) -> int:
    """The status that an error has."""
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)


def _headers(error: CleverdonError) -> dict[str, str]:
    if isinstance(error, TooOften):
        return {"retry-after": str(error.seconds)}
    return {"www-authenticate": "Bearer"} if isinstance(error, NotSignedIn) else {}


def _of_store(request: Request, error: StoreFailure) -> str:
    """What people are told of a failing database: strangers get no reason, nobody its address."""
    reason = error.public if visitor_of(request) is not None else ""
    return f"{reason or 'the server cannot do this now'}; nothing was changed: try again later"


def _of_http(request: Request, error: HTTPException) -> tuple[str, Mapping[str, str] | None]:
    if error.status_code == 404:
        return "there is no such page", error.headers
    if error.status_code == 405:
        allowed = request.app.state.methods_at(request.scope["path"])
        return f"{request.method} is not for this page, but {allowed}", {"allow": allowed}
    if error.status_code == 400 and is_call(request):
        return _NO_JSON, error.headers
    return str(error.detail), error.headers


def _of_values(error: RequestValidationError) -> str:
    found = error.errors()
    said = [
        f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" if each["loc"][1:] else _NO_JSON
        for each in found[:_MOST_VALUES]
    ]
    if len(found) > _MOST_VALUES:
        said.append(f"and {len(found) - _MOST_VALUES:,} more")
    return "; ".join(said)


def _said(
    request: Request, status: int, said: str, headers: Mapping[str, str] | None = None
) -> Response:
    answered: Response
    if is_call(request):
        answered = JSONResponse({"error": said}, status_code=status)
    else:
        values = {"said": said, "status": status}
        answered = page(request, "failure.html", values, visitor=visitor_of(request), status=status)
    answered.headers.update(headers or {})
    return answered


def _sign_in(request: Request) -> str:
    """The sign-in page, which leads back to the page that was asked for."""
    wanted = quote(request.scope["path"])
    if request.method != "GET" or wanted == "/" or len(wanted) > LONGEST_NEXT:
        return "/sign-in"
    return f"/sign-in?{urlencode({'next': wanted})}"


def _asked(request: Request) -> str:
    """What was asked, for the log: in one line, and without the key of a sign-in link."""
    path = request.scope["path"]
    return f"{request.method} {'/sign-in/...' if path.startswith('/sign-in/') else quote(path)}"
