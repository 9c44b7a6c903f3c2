"""Routes of the project: its title, scale and guidelines, the scale's stylesheet, and OpenAPI."""

from __future__ import annotations

import hashlib
from typing import Any

from fastapi import APIRouter, Request
from sqlalchemy import Connection, func, select
from starlette.responses import Response

from cleverdon.judging.people import Permission
from cleverdon.judging.project import Project
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import documents, items, judgments, queries
from cleverdon.judging.web.authorization import CSRF_HEADER, SignedIn, cookie_name
from cleverdon.judging.web.routes import ResponseModel, redirect

api = APIRouter(tags=["project"])


class CountsModel(ResponseModel):
    """Numbers of queries, documents, items and judgments."""

    queries: int
    documents: int
    items: int
    """Documents to judge, summed over queries."""
    judgments: int
    """Current grades of all judges."""


class ProjectModel(ResponseModel):
    """The project: some of its properties and counts."""

    title: str
    guidelines: str
    scale: Scale
    counts: CountsModel | None
    """Null for those who may not watch."""


@api.get("/project", summary="The project")
def about(request: Request, visitor: SignedIn) -> ProjectModel:
    """Return the title, scale and guidelines; for those who may watch also counts."""
    project: Project = request.app.state.project
    counts = None
    if visitor.has_permission(Permission.WATCH):
        with project.database.reading() as connection:
            counts = _counts(connection)
    return ProjectModel(
        title=project.title, guidelines=project.guidelines, scale=project.scale, counts=counts
    )


@api.get("/openapi.json", summary="The OpenAPI description")
def openapi(request: Request, visitor: SignedIn) -> dict[str, Any]:
    """Describe all API calls as OpenAPI."""
    state = request.app.state
    described: dict[str, Any] = request.app.openapi()
    described["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "The token of a program."},
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie_name(state.project, behind_tls=state.behind_tls),
            "description": "The session of a browser.",
        },
        "csrf": {
            "type": "apiKey",
            "in": "header",
            "name": CSRF_HEADER,
            "description": "The CSRF token, which is in the field `csrf` of all forms. With the "
            "cookie, every request that changes something must send it.",
        },
    }
    described["security"] = [{"token": []}, {"cookie": [], "csrf": []}]
    for calls in described["paths"].values():
        if "get" in calls:
            calls["get"]["security"] = [{"token": []}, {"cookie": []}]
    return described


def _counts(connection: Connection) -> CountsModel:
    tables = {"queries": queries, "documents": documents, "items": items}
    rows = {name: select(func.count()).select_from(table) for name, table in tables.items()}
    rows["judgments"] = select(func.count()).where(judgments.c.grade.is_not(None))
    return CountsModel(
        **{name: connection.execute(count).scalar_one() for name, count in rows.items()}
    )


pages = APIRouter()


@pages.get("/")
def start_page(visitor: SignedIn) -> Response:
    watches = visitor.has_permission(Permission.WATCH)
    return redirect("/dashboard" if watches else "/queries")


_DARK, _LIGHT = "#000000", "#ffffff"
"""One of them has a contrast of at least 4.5 on any colour; dark grey would not."""


@pages.get("/scale.css")
def scale_style(request: Request, visitor: SignedIn) -> Response:
    style = _scale_css(request.app.state.project.scale)
    tag = f'"{hashlib.sha256(style.encode()).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(style, media_type="text/css", headers=headers)


def _scale_css(scale: Scale) -> str:
    """Return a CSS rule for each grade: its colour, and a readable text colour on it."""
    rules = (
        f".grade-{grade.value} {{ --grade: {grade.colour}; --on-grade: {_letters(grade.colour)} }}"
        for grade in scale.grades
    )
    return "\n".join(rules) + "\n"


def _letters(colour: str) -> str:
    """Return white or black, whichever has the larger contrast ratio of WCAG 2.2."""
    own = _luminance(colour) + 0.05
    return _LIGHT if 1.05 / own >= own / 0.05 else _DARK


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
