"""What becomes of errors: a status and a sentence, as a page or as JSON."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse, Response

from cleverdon.assess.refusals import Conflict, Invalid, NotAllowed, NotThere
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import NotSignedIn
from cleverdon.errors import CleverdonError

_LOG = logging.getLogger("cleverdon.judge")

_STATUS: dict[type[CleverdonError], int] = {
    NotSignedIn: 401,
    NotAllowed: 403,
    NotThere: 404,
    Conflict: 409,
    Invalid: 422,
    StoreFailure: 503,
}


def handle(app: FastAPI) -> None:
    """Give every error of the app its answer."""
    app.add_exception_handler(CleverdonError, _ours)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(RequestValidationError, _of_values)
    app.add_exception_handler(Exception, _defect)


def _ours(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)
    if status == 503:
        _LOG.error("%s %s: %s", request.method, request.url.path, error)
    if isinstance(error, NotSignedIn) and not _is_call(request):
        return RedirectResponse("/sign-in", status_code=303)
    return _answer(request, status, str(error))


def _of_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = "there is no such page" if error.status_code == 404 else str(error.detail)
    return _answer(request, error.status_code, said)


def _of_values(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    said = "; ".join(
        f"{'.'.join(str(part) for part in each['loc'][1:]) or 'the request'}: {each['msg']}"
        for each in error.errors()
    )
    return _answer(request, 422, said)


def _defect(request: Request, error: Exception) -> Response:
    _LOG.exception("%s %s", request.method, request.url.path, exc_info=error)
    return _answer(request, 500, "a defect of Cleverdon itself; the server's log says more")


def _answer(request: Request, status: int, said: str) -> Response:
    if _is_call(request):
        return JSONResponse({"error": said}, status_code=status)
    return page(request, "failure.html", {"said": said, "status": status}, status=status)


def _is_call(request: Request) -> bool:
    return request.url.path.startswith("/api/")
