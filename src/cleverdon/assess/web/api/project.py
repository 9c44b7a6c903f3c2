"""Calls: what the project is, and what calls there are."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Table, func, select

from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import Project
from cleverdon.assess.store.schema import documents, items, judgments, topics
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.cookies import cookie_name
from cleverdon.assess.web.visitor import CSRF_HEADER, Needs, Visitor

router = APIRouter(tags=["project"])

Known = Annotated[Visitor, Needs(Right.SIGNED_IN)]


class GradeModel(BaseModel):
    """A step of the scale."""

    value: int
    name: str
    colour: str
    guideline: str


class ScaleModel(BaseModel):
    """The grades, rising."""

    grades: list[GradeModel]
    relevant: int = Field(description="The lowest grade that counts as relevant.")


class CountsModel(BaseModel):
    """How much there is."""

    topics: int
    documents: int
    items: int = Field(description="Documents that are to be judged, over all topics.")
    judgments: int = Field(description="Grades that stand, of all judges.")


class ProjectModel(BaseModel):
    """What the project is."""

    title: str
    guidelines: str
    scale: ScaleModel
    counts: CountsModel | None = Field(description="For those who may watch; for others null.")


@router.get("/project", summary="What the project is", responses=failing())
def about(request: Request, visitor: Known) -> ProjectModel:
    """Its title, its scale and its guidelines."""
    project: Project = request.app.state.project
    counts = None
    if visitor.may(Right.WATCH):
        with project.database.reading() as connection:
            counts = _counts(connection)
    return ProjectModel(
        title=project.title,
        guidelines=project.guidelines,
        scale=ScaleModel.model_validate(project.scale.to_json()),
        counts=counts,
    )


@router.get("/openapi.json", summary="All calls", responses=failing())
def openapi(request: Request, visitor: Known) -> dict[str, Any]:
    """What calls there are, what they take and give, as OpenAPI."""
    state = request.app.state
    described: dict[str, Any] = request.app.openapi()
    described["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "Of a program."},
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie_name(state.project, behind_tls=state.behind_tls),
            "description": "Of a browser in which somebody is signed in.",
        },
        "word": {
            "type": "apiKey",
            "in": "header",
            "name": CSRF_HEADER,
            "description": "What forms of our pages hold as `csrf`: with the cookie, whatever "
            "changes something repeats it.",
        },
    }
    described["security"] = [{"token": []}, {"cookie": [], "word": []}]
    for calls in described["paths"].values():
        if "get" in calls:
            calls["get"]["security"] = [{"token": []}, {"cookie": []}]
    return described


def _counts(connection: Connection) -> CountsModel:
    graded = select(func.count()).where(judgments.c.grade.is_not(None))
    return CountsModel(
        topics=_rows(connection, topics),
        documents=_rows(connection, documents),
        items=_rows(connection, items),
        judgments=connection.execute(graded).scalar_one(),
    )


def _rows(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
