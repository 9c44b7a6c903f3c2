"""Pages: what people differ on, and settling it."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import select
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.adjudicating.cases import Show, cases
from cleverdon.assess.adjudicating.rulings import rule
from cleverdon.assess.adjudicating.showing import shown
from cleverdon.assess.judging.recording import LONGEST_TEXT
from cleverdon.assess.people.rights import Right
from cleverdon.assess.store.schema import topics
from cleverdon.assess.web.api.judging_models import LARGEST, LONGEST_NAME
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

_ON_A_PAGE = 50

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
ItemId = Annotated[int, Path(ge=1, le=LARGEST)]
Topic = Annotated[str, Query(max_length=LONGEST_NAME)]
Flag = Annotated[bool, Query()]


class Said(BaseModel):
    """What the form of a case sends; an empty grade takes the ruling back."""

    request: Annotated[str, Field(min_length=8, max_length=100)]
    grade: Annotated[int, Field(ge=0, le=9)] | Literal[""] = ""
    note: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class Filters(BaseModel):
    """What a list is narrowed to; pages hand it on from one case to the next."""

    show: Show = "disputed"
    topic: str = ""
    across: bool = False
    names: bool = False

    def address(self, item: int | None = None, **more: object) -> str:
        """The list, or a case, narrowed in the same way."""
        given = {**self.model_dump(exclude_defaults=True), **more}
        named = {
            name: str(value).lower() if value is True else value for name, value in given.items()
        }
        path = "/adjudication" if item is None else f"/adjudication/{item}"
        kept = {name: value for name, value in named.items() if value not in (False, "", None)}
        return f"{path}?{urlencode(kept)}" if kept else path


@router.get("/adjudication")
def listed(
    request: Request,
    visitor: Administrator,
    show: Annotated[Show, Query()] = "disputed",
    topic: Topic = "",
    across: Flag = False,
    names: Flag = False,
    skip: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    """Documents that wait to be settled, or are."""
    project = request.app.state.project
    line = project.scale.relevant if across else None
    with project.database.reading() as connection:
        found = cases(connection, show, topic=topic or None, across=line, n=_ON_A_PAGE, skip=skip)
        known = connection.execute(
            select(topics.c.name, topics.c.title).order_by(topics.c.position)
        ).all()
    filters = Filters(show=show, topic=topic, across=across, names=names)
    values = {
        "found": found,
        "filters": filters,
        "topics": known,
        "earlier": filters.address(skip=max(skip - _ON_A_PAGE, 0)) if skip else "",
        "later": filters.address(skip=skip + _ON_A_PAGE) if skip + _ON_A_PAGE < found.total else "",
    }
    return page(request, "adjudication.html", values, visitor=visitor)


@router.get("/adjudication/{item}")
def one(
    request: Request,
    visitor: Administrator,
    item: ItemId,
    show: Annotated[Show, Query()] = "disputed",
    topic: Topic = "",
    across: Flag = False,
    names: Flag = False,
) -> Response:
    """One document, what was said of it, and how it was settled."""
    project = request.app.state.project
    with project.database.reading() as connection:
        view = shown(connection, item)
    values: dict[str, Any] = {
        "view": view,
        "filters": Filters(show=show, topic=topic, across=across, names=names),
    }
    return page(request, "adjudication_case.html", values, visitor=visitor)


@router.post("/adjudication/{item}")
def settle(
    request: Request,
    visitor: Administrator,
    item: ItemId,
    said: Annotated[Said, Form()],
    show: Annotated[Show, Query()] = "disputed",
    topic: Topic = "",
    across: Flag = False,
    names: Flag = False,
) -> Response:
    """Record a ruling, and go on to the next case of the list."""
    project = request.app.state.project
    filters = Filters(show=show, topic=topic, across=across, names=names)
    line = project.scale.relevant if across else None
    with project.database.writing() as connection:
        rule(
            connection,
            visitor.person,
            request=said.request,
            item=item,
            grade=None if said.grade == "" else said.grade,
            note=said.note,
            scale=project.scale,
        )
        left = cases(connection, show, topic=topic or None, across=line, n=1)
    if said.grade == "" or show == "settled" or not left.cases:
        return RedirectResponse(filters.address(), status_code=303)
    return RedirectResponse(filters.address(left.cases[0].item), status_code=303)
