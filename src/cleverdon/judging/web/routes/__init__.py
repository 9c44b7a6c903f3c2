"""Routes of the app by feature: each module has `api`, the router of its API calls, and `pages`.

The API sends records of the app as they are: FastAPI takes dataclasses as response models. Models
are for requests, and for responses that no single record has. This module has what they share.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from cleverdon.judging.contents import LONGEST_ID
from cleverdon.judging.people.accounts import LONGEST_NAME
from cleverdon.judging.project import Project
from cleverdon.judging.store.database import Database

LARGEST_INTEGER = 2**31 - 1
"""The largest integer of PostgreSQL."""

LONGEST_QUERY = LONGEST_ID
"""Characters of a query's name."""

QueryFilter = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_QUERY, description="Only of this query.")
]
MaximumNumber = Annotated[int, Query(ge=1, le=1_000, description="The maximum number.")]
RoleName = Literal["administrator", "assessor", "viewer"]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class RequestModel(BaseModel):
    """The body of a request. Unknown fields are refused: they may be typing errors."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class StrictModel(RequestModel):
    """The body of a request whose values are not converted: "1" is no integer."""

    model_config = ConfigDict(strict=True)


class ResponseModel(BaseModel):
    """A response that no single record has: it joins records, or adds to them."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Failure(ResponseModel):
    """An error."""

    error: str
    """What is wrong, what is allowed, and how to fix it."""


def database(request: Request) -> Database:
    project: Project = request.app.state.project
    return project.database


def redirect(path: str) -> Response:
    """Redirect to a page after a form: the browser fetches it with GET."""
    return RedirectResponse(path, status_code=303)


def json_response(model: BaseModel) -> Response:
    """Make the response of a frequent call: FastAPI would serialize a model in a thread."""
    return Response(model.model_dump_json(by_alias=True), media_type="application/json")


_ERRORS = {
    400: "The request could not be read.",
    401: "Nobody is signed in, or the token is not valid.",
    403: "The role lacks the permission, or the request is not from a page of this app.",
    404: "It does not exist, or is not visible to this person.",
    408: "The request was not complete within a minute.",
    409: "It contradicts what was recorded before.",
    413: "The request is too large.",
    422: "A value is not allowed.",
    429: "Too many attempts: wait as long as Retry-After says.",
    503: "The database is unavailable, or there are too many connections. Nothing was changed; "
    "try again.",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe errors of a call for OpenAPI, in addition to those of every call."""
    return {
        status: {"model": Failure, "description": _ERRORS[status]} for status in sorted(statuses)
    }


COMMON_ERRORS = errors(400, 401, 403, 408, 413, 422, 503)
"""Errors of every call."""
