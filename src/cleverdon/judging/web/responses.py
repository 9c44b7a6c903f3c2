"""Responses: pages rendered from templates, their addresses, and the answers to errors.

Everything in a template is escaped; templates hold no script and no style.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from cleverdon.errors import CleverdonError
from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, DatabaseFailure, Forbidden, Invalid, NotFound
from cleverdon.judging.recording import new_idempotency_key
from cleverdon.judging.web.authorization import NotSignedIn, Visitor, is_api_request, visitor_of
from cleverdon.judging.web.rate_limits import TooManyAttempts

_ESCAPES = {"~": "~~", "/": "~s", "%": "~p", ".": "~d"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}


def query_path(name: str, *rest: str, **parameters: object) -> str:
    """Return the path of a query's page.

    Servers read `%2F` as a slash, proxies may decode a path twice, and browsers resolve `..`: so
    such characters are replaced by escapes of our own before the name is quoted.

    >>> query_path("a/b c"), query_path("..", "list", show="open")
    ('/queries/a~sb%20c', '/queries/~d~d/list?show=open')
    """
    dots = not name.strip(".")
    escaped = "".join(_ESCAPES.get(one, one) if dots or one != "." else one for one in name)
    path = "/".join(["/queries", quote(escaped, safe=""), *rest])
    given = {key: value for key, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def query_of(part: str) -> str:
    """Return the name of a query from its part of a path.

    >>> query_of("a~sb c")
    'a/b c'
    """
    return re.sub("~[~spd]", lambda found: _CHARACTERS[found.group()], part)


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,  # templates do not change while the server runs
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters["query_path"] = query_path
_TEMPLATES.filters["iso"] = clock.iso
_TEMPLATES.globals["new_request"] = new_idempotency_key
_TEMPLATES.globals["now"] = clock.now


def render_page(
    request: Request,
    template: str,
    values: Mapping[str, Any],
    *,
    visitor: Visitor | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Render a page; `visitor` is the person who is signed in, if any."""
    html = render_template(request, template, values, visitor=visitor)
    return HTMLResponse(html, status_code=status)


def render_template(
    request: Request, template: str, values: Mapping[str, Any], *, visitor: Visitor | None = None
) -> str:
    """Render a template: a page, or a part of one."""
    path, project = request.scope["path"], request.app.state.project
    shared = {"project": project, "visitor": visitor, "path": path}
    return _TEMPLATES.get_template(template).render({**shared, **values})


_LOG = logging.getLogger("cleverdon.judge")

_STATUS: dict[type[CleverdonError], int] = {
    NotSignedIn: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Invalid: 422,
    TooManyAttempts: 429,
    DatabaseFailure: 503,
}

LONGEST_NEXT = 2_000
"""Characters of a path to return to after signing in."""

_NO_JSON = "the request: expected a JSON object in UTF-8, with Content-Type: application/json"

_MOST_VALUES = 10
"""Invalid values that one response lists."""


def add_error_handlers(app: FastAPI) -> None:
    """Handle all expected errors; app.py handles the others as internal errors."""
    for kind in (CleverdonError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, error_response)


def error_response(request: Request, error: Exception) -> Response:
    if isinstance(error, NotSignedIn) and not is_api_request(request):
        return RedirectResponse(_sign_in_address(request), status_code=303)
    if isinstance(error, CleverdonError):
        message = str(error)
        if isinstance(error, DatabaseFailure):
            _LOG.error("%s: %s", _logged_request(request), error)
            # Strangers get no reason, and nobody the address of the database.
            reason = error.public if visitor_of(request) is not None else ""
            reason = reason or "the server cannot do this now"
            message = f"{reason}; nothing was changed: try again later"
        return _error_response(request, status_code(error), message, _headers(error))
    if isinstance(error, HTTPException):
        return _error_response(request, error.status_code, *_http_error(request, error))
    if isinstance(error, RequestValidationError):
        return _error_response(request, 422, _invalid_values(error))
    _LOG.error("%s: a defect", _logged_request(request))
    return _error_response(request, 500, "an internal error; the server's log has the details")


def status_code(error: CleverdonError) -> int:
    return next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 400)


def _headers(error: CleverdonError) -> dict[str, str]:
    if isinstance(error, TooManyAttempts):
        return {"retry-after": str(error.seconds)}
    return {"www-authenticate": "Bearer"} if isinstance(error, NotSignedIn) else {}


def _http_error(request: Request, error: HTTPException) -> tuple[str, Mapping[str, str] | None]:
    if error.status_code == 404:
        return "this page does not exist", error.headers
    if error.status_code == 405:
        allowed = request.app.state.methods_at(request.scope["path"])
        return f"this page does not accept {request.method}, only {allowed}", {"allow": allowed}
    if error.status_code == 400 and is_api_request(request):
        return _NO_JSON, error.headers
    return str(error.detail), error.headers


def _invalid_values(error: RequestValidationError) -> str:
    errors = error.errors()
    messages = [
        f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" if each["loc"][1:] else _NO_JSON
        for each in errors[:_MOST_VALUES]
    ]
    if len(errors) > _MOST_VALUES:
        messages.append(f"and {len(errors) - _MOST_VALUES:,} more")
    return "; ".join(messages)


def _error_response(
    request: Request, status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    response: Response
    if is_api_request(request):
        response = JSONResponse({"error": message}, status_code=status)
    else:
        values, visitor = {"message": message, "status": status}, visitor_of(request)
        response = render_page(request, "failure.html", values, visitor=visitor, status=status)
    response.headers.update(headers or {})
    return response


def _sign_in_address(request: Request) -> str:
    """Return the path of the sign-in page, which leads back to the requested page."""
    wanted = quote(request.scope["path"])
    if request.method != "GET" or wanted == "/" or len(wanted) > LONGEST_NEXT:
        return "/sign-in"
    return f"/sign-in?{urlencode({'next': wanted})}"


def _logged_request(request: Request) -> str:
    """Describe a request for the log, in one line and without the key of a sign-in link."""
    path = request.scope["path"]
    return f"{request.method} {'/sign-in/...' if path.startswith('/sign-in/') else quote(path)}"
