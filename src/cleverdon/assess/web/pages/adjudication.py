"""Pages: what people differ on, and settling it."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, select
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.adjudicating.cases import Cases, Show, cases
from cleverdon.assess.adjudicating.rulings import rule
from cleverdon.assess.adjudicating.showing import shown
from cleverdon.assess.judging.checking import LONGEST_TEXT
from cleverdon.assess.judging.forms import request_of
from cleverdon.assess.judging.viewing import any_text_page
from cleverdon.assess.people.rights import Right
from cleverdon.assess.scale import Scale
from cleverdon.assess.store.schema import topics
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

_ON_A_PAGE = 50

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
ItemId = Annotated[int, Path(ge=1, le=LARGEST)]


class Said(BaseModel):
    """What the form of a case sends; an empty grade takes the ruling back."""

    request: Annotated[str, Field(min_length=8, max_length=100)]
    grade: Annotated[int, Field(ge=0, le=9)] | Literal[""] = ""
    note: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class Filters(BaseModel):
    """What a list is narrowed to, and where in it one is; pages hand it on to the next case."""

    show: Show = "disputed"
    topic: Annotated[str, Field(max_length=LONGEST_TOPIC)] = ""
    across: bool = False
    names: bool = False
    skip: Annotated[int, Field(ge=0, le=LARGEST)] = 0

    def kept(self, **more: object) -> dict[str, object]:
        """What an address names, so that it leads to something narrowed in the same way."""
        given = {**self.model_dump(exclude_defaults=True), **more}
        named = {
            name: str(value).lower() if value is True else value for name, value in given.items()
        }
        return {name: value for name, value in named.items() if value not in (0, "", None)}

    def address(self, *parts: int | str, **more: object) -> str:
        """The list, or with its number a case, or a part of one, narrowed in the same way."""
        path = "/".join(("/adjudication", *map(str, parts)))
        kept = self.kept(**more)
        return f"{path}?{urlencode(kept)}" if kept else path

    def cases(self, connection: Connection, scale: Scale, *, n: int, skip: int) -> Cases:
        """So many of the list from a place on."""
        line = scale.relevant if self.across else None
        topic = self.topic or None
        return cases(connection, self.show, topic=topic, across=line, n=n, skip=skip)


class TextFilters(Filters):
    """The same, and which page of a text."""

    page: Annotated[int, Field(ge=1, le=LARGEST)] = 1


Asked = Annotated[Filters, Query()]


@router.get("/adjudication")
def listed(request: Request, visitor: Administrator, filters: Asked) -> Response:
    """Documents that wait to be settled, or are."""
    project, skip = request.app.state.project, filters.skip
    with project.database.reading() as connection:
        found = filters.cases(connection, project.scale, n=_ON_A_PAGE, skip=skip)
        known = connection.execute(
            select(topics.c.name, topics.c.title).order_by(topics.c.position)
        ).all()
    values = {
        "found": found,
        "filters": filters,
        "topics": known,
        "earlier": filters.address(skip=max(skip - _ON_A_PAGE, 0)) if skip else "",
        "later": filters.address(skip=skip + _ON_A_PAGE) if skip + _ON_A_PAGE < found.total else "",
    }
    return page(request, "adjudication.html", values, visitor=visitor)


@router.get("/adjudication/{item}")
def one(request: Request, visitor: Administrator, item: ItemId, filters: Asked) -> Response:
    """One document, what was said of it, and how it was settled."""
    project, after = request.app.state.project, filters.skip + 1
    with project.database.reading() as connection:
        view = shown(connection, item)
        others = filters.cases(connection, project.scale, n=1, skip=after).cases
    following = filters.address(others[0].item, skip=after) if others else ""
    values = {"view": view, "filters": filters, "following": following}
    return page(request, "adjudication_case.html", values, visitor=visitor)


@router.get("/adjudication/{item}/text")
def whole_text(
    request: Request,
    visitor: Administrator,
    item: ItemId,
    filters: Annotated[TextFilters, Query()],
) -> Response:
    """The whole text of a document, page by page, whoever it is assigned to."""
    with request.app.state.project.database.reading() as connection:
        found = any_text_page(connection, item, filters.page)
    values = {"text": found, "kept": filters.kept(), "back": filters.address(item, page=None)}
    return page(request, "text.html", values, visitor=visitor)


@router.post("/adjudication/{item}")
def settle(
    request: Request,
    visitor: Administrator,
    item: ItemId,
    said: Annotated[Said, Form()],
    filters: Asked,
) -> Response:
    """Record a ruling, and go on to the case that takes its place in the list."""
    project = request.app.state.project
    grade = None if said.grade == "" else said.grade
    with project.database.writing() as connection:
        rule(
            connection,
            visitor.person,
            request=request_of(said.request, grade, said.note),
            item=item,
            grade=grade,
            note=said.note,
            scale=project.scale,
            by=visitor.actor,
            may_recur=True,
        )
        left = filters.cases(connection, project.scale, n=1, skip=filters.skip).cases
    if said.grade == "" or filters.show == "settled" or not left:
        return RedirectResponse(filters.address(skip=0), status_code=303)
    return RedirectResponse(filters.address(left[0].item), status_code=303)
