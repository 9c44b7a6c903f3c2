"""Routes of adjudication: documents in dispute, and rulings."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, select
from starlette.responses import Response

from cleverdon.judging.adjudication import (
    Case,
    CaseFilter,
    CasePage,
    PersonJudgment,
    RecordedRuling,
    Ruling,
    list_cases,
    load_case_view,
    record_ruling,
)
from cleverdon.judging.item_views import TextPage, unrestricted_text_page
from cleverdon.judging.recording import LONGEST_TEXT, form_key
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import queries
from cleverdon.judging.web.authorization import Administrator, Visitor
from cleverdon.judging.web.responses import render_page
from cleverdon.judging.web.routes import (
    LARGEST_INTEGER,
    LONGEST_QUERY,
    MaximumNumber,
    QueryFilter,
    RequestModel,
    ResponseModel,
    database,
    errors,
    redirect,
)
from cleverdon.judging.web.routes.judging import (
    DocumentModel,
    ItemId,
    PageNumber,
    RequestId,
    document_model,
)

api = APIRouter(tags=["adjudication"])


class CaseModel(ResponseModel):
    """A document of a query with the judgments of all people; `across` depends on the scale."""

    item: int
    query: str
    document: str
    title: str
    gold: int | None
    """The known grade of a gold document, or null."""
    spread: int
    """The highest grade minus the lowest."""
    across: bool
    """Whether people disagree about relevance."""
    judgments: tuple[PersonJudgment, ...]
    ruling: Ruling | None
    """The current ruling."""
    outdated: bool
    """Whether somebody judged it after the ruling."""


def _case(case: Case, scale: Scale) -> CaseModel:
    return CaseModel(
        **vars(case),
        spread=case.spread,
        across=case.crosses(scale.relevant),
        outdated=case.outdated,
    )


class CasesModel(ResponseModel):
    """A page of cases, and their total number."""

    total: int
    cases: list[CaseModel]


class CaseHistoryModel(ResponseModel):
    """A case with its document, query and all rulings."""

    case: CaseModel
    query_title: str
    """The title of the query."""
    description: str
    narrative: str
    shown: DocumentModel
    """The document as assessors see it."""
    rulings: tuple[Ruling, ...]
    """The oldest first."""


class NewRulingModel(RequestModel):
    """A ruling to record."""

    request: RequestId
    """Your id of this ruling: sent again, it is not recorded twice."""
    grade: Annotated[int, Field(ge=0, le=9, strict=True)] | None
    """The final grade; null takes the ruling back."""
    note: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


@api.get("/adjudication", summary="Documents to adjudicate")
def cases(
    request: Request,
    visitor: Administrator,
    show: Annotated[CaseFilter, Query(description="The kind of cases.")] = "disputed",
    query: QueryFilter = None,
    across: Annotated[
        bool, Query(description="Only disputes about relevance, not about its degree.")
    ] = False,
    n: MaximumNumber = 100,
    skip: Annotated[
        int, Query(ge=0, le=LARGEST_INTEGER, description="The number of cases to skip.")
    ] = 0,
) -> CasesModel:
    """List documents with different grades, the largest difference first.

    Other lists are settled documents, flagged ones, and those that were skipped and not judged.
    """
    project = request.app.state.project
    line = project.scale.relevant if across else None
    with project.database.reading() as connection:
        found = list_cases(connection, show, query=query, across=line, n=n, skip=skip)
    return CasesModel(total=found.total, cases=[_case(one, project.scale) for one in found.cases])


@api.get("/adjudication/{item}", summary="One document", responses=errors(404))
def case(request: Request, visitor: Administrator, item: ItemId) -> CaseHistoryModel:
    """Return a document with its query, judgments and rulings."""
    project = request.app.state.project
    with project.database.reading() as connection:
        view = load_case_view(connection, item)
    return CaseHistoryModel(
        case=_case(view.case, project.scale),
        query_title=view.query_title,
        description=view.description,
        narrative=view.narrative,
        shown=document_model(view.case.document, view.case.title, view.url, view.excerpt),
        rulings=view.history,
    )


@api.get("/adjudication/{item}/text", summary="The whole text of a document", responses=errors(404))
def whole_text(
    request: Request, visitor: Administrator, item: ItemId, page: PageNumber = 1
) -> TextPage:
    """Return a page of the whole text of a document, whoever it is assigned to."""
    with database(request).reading() as connection:
        return unrestricted_text_page(connection, item, page)


@api.post("/adjudication/{item}", summary="Settle a document", responses=errors(404, 409))
def settle(
    request: Request, visitor: Administrator, item: ItemId, wanted: NewRulingModel
) -> RecordedRuling:
    """Record a final grade, or take it back; rulings are never changed.

    The response is sent once the ruling is on disk. Without a response, send it again.
    """
    with database(request).writing() as connection:
        ruling = _ruling(request, visitor, item, wanted.grade, wanted.note)
        return record_ruling(connection, visitor.person, idempotency_key=wanted.request, **ruling)


def _ruling(
    request: Request, visitor: Visitor, item: int, grade: int | None, note: str
) -> dict[str, Any]:
    scale = request.app.state.project.scale
    return {"item": item, "grade": grade, "note": note, "scale": scale, "by": visitor.actor}


pages = APIRouter()

_ON_A_PAGE = 50


class RulingForm(BaseModel):
    """The form of a case; an empty grade takes the ruling back."""

    request: RequestId
    grade: Annotated[int, Field(ge=0, le=9)] | Literal[""] = ""
    note: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""


class Filters(BaseModel):
    """The filters of the list and the position in it, which links pass on to the next case."""

    show: CaseFilter = "disputed"
    query: Annotated[str, Field(max_length=LONGEST_QUERY)] = ""
    across: bool = False
    names: bool = False
    skip: Annotated[int, Field(ge=0, le=LARGEST_INTEGER)] = 0

    def kept(self, **more: object) -> dict[str, object]:
        """Return the query parameters that keep these filters."""
        given = {**self.model_dump(exclude_defaults=True), **more}
        return {name: "true" if value is True else value for name, value in given.items() if value}

    def address(self, *parts: int | str, **more: object) -> str:
        """Return the path of the list, or of a case or its part, with these filters."""
        path = "/".join(("/adjudication", *map(str, parts)))
        kept = self.kept(**more)
        return f"{path}?{urlencode(kept)}" if kept else path

    def cases(self, connection: Connection, scale: Scale, *, n: int, skip: int) -> CasePage:
        """Return `n` cases of the list after the first `skip`."""
        line = scale.relevant if self.across else None
        query = self.query or None
        return list_cases(connection, self.show, query=query, across=line, n=n, skip=skip)


class TextFilters(Filters):
    """Filters, and the page of a text."""

    page: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)] = 1


_QueryFilters = Annotated[Filters, Query()]


@pages.get("/adjudication")
def cases_page(request: Request, visitor: Administrator, filters: _QueryFilters) -> Response:
    project, skip = request.app.state.project, filters.skip
    with project.database.reading() as connection:
        found = filters.cases(connection, project.scale, n=_ON_A_PAGE, skip=skip)
        known = connection.execute(
            select(queries.c.name, queries.c.title).order_by(queries.c.position)
        ).all()
    values = {
        "found": found,
        "filters": filters,
        "queries": known,
        "earlier": filters.address(skip=max(skip - _ON_A_PAGE, 0)) if skip else "",
        "later": filters.address(skip=skip + _ON_A_PAGE) if skip + _ON_A_PAGE < found.total else "",
    }
    return render_page(request, "adjudication.html", values, visitor=visitor)


@pages.get("/adjudication/{item}")
def case_page(
    request: Request, visitor: Administrator, item: ItemId, filters: _QueryFilters
) -> Response:
    project, after = request.app.state.project, filters.skip + 1
    with project.database.reading() as connection:
        view = load_case_view(connection, item)
        others = filters.cases(connection, project.scale, n=1, skip=after).cases
    following = filters.address(others[0].item, skip=after) if others else ""
    values = {"view": view, "filters": filters, "following": following}
    return render_page(request, "adjudication_case.html", values, visitor=visitor)


@pages.get("/adjudication/{item}/text")
def text_page(
    request: Request, visitor: Administrator, item: ItemId, filters: Annotated[TextFilters, Query()]
) -> Response:
    found = whole_text(request, visitor, item, filters.page)
    values = {"text": found, "kept": filters.kept(), "back": filters.address(item, page=None)}
    return render_page(request, "text.html", values, visitor=visitor)


@pages.post("/adjudication/{item}")
def ruling_form(
    request: Request,
    visitor: Administrator,
    item: ItemId,
    form: Annotated[RulingForm, Form()],
    filters: _QueryFilters,
) -> Response:
    project = request.app.state.project
    grade = None if form.grade == "" else form.grade
    with project.database.writing() as connection:
        key = form_key(form.request, grade, form.note)
        ruling = _ruling(request, visitor, item, grade, form.note)
        record_ruling(connection, visitor.person, idempotency_key=key, may_recur=True, **ruling)
        left = filters.cases(connection, project.scale, n=1, skip=filters.skip).cases
    if form.grade == "" or filters.show == "settled" or not left:
        return redirect(filters.address(skip=0))
    return redirect(filters.address(left[0].item))
