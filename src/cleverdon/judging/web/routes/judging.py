"""Routes of assessors: their queries, the next documents, and their judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection, Row
from starlette.responses import Response

from cleverdon.judging import item_views
from cleverdon.judging.item_views import Excerpt, ItemView, OwnJudgment, Part, TextPage
from cleverdon.judging.queue import Progress, progress, take_next
from cleverdon.judging.recording import (
    LONGEST_TEXT,
    LONGEST_TIME,
    EventKind,
    Judgment,
    JudgmentEvent,
    event_of_form,
    judgment_of,
    record,
)
from cleverdon.judging.web.authorization import Assessor, Visitor
from cleverdon.judging.web.responses import query_of, query_path, render_page, render_template
from cleverdon.judging.web.routes import (
    LARGEST_INTEGER,
    LONGEST_QUERY,
    MaximumNumber,
    QueryFilter,
    RequestModel,
    ResponseModel,
    database,
    errors,
    json_response,
    redirect,
)
from cleverdon.judging.workload import assigned_queries, assigned_query

_LATEST = 1e11

_Id = Annotated[int, Field(ge=1, le=LARGEST_INTEGER, strict=True)]
RequestId = Annotated[str, Field(min_length=8, max_length=100)]
_QueryName = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]


class QueryModel(ResponseModel):
    """A query that is assigned to you, and your progress: a row of a table and a record."""

    total: int
    """Documents of the query that are assigned to you."""
    done: int
    """Documents that you judged or skipped."""
    left: int
    """Documents that are left."""
    query: str
    """The name of the query in qrels."""
    title: str
    description: str
    narrative: str


class QueriesModel(ResponseModel):
    """Queries that are assigned to you."""

    queries: list[QueryModel]


class NextModel(RequestModel):
    """A request for documents to judge."""

    query: _QueryName | None = None
    """Only of this query; by default query by query."""
    n: Annotated[int, Field(ge=1, le=20, strict=True)] = 1
    """The number of documents."""
    without: Annotated[list[_Id], Field(max_length=100)] = []
    """Items that you have already: they are not sent, and the last fifty stay reserved for you,
    unless somebody else has them by now."""
    past: _Id | None = None
    """Start after this item, then continue from the beginning."""
    parts: bool = True
    """Send the text besides the HTML."""


class DocumentModel(ResponseModel):
    """A document as assessors see it: parts of several records."""

    id: str
    title: str
    url: str
    length: int
    """Characters of the whole text."""
    parts: tuple[Part, ...]
    """The text from beginning to end; gaps are in the response of /text."""


def document_model(
    id: str, title: str, url: str, excerpt: Excerpt, *, parts: bool = True
) -> DocumentModel:
    """Return the JSON of a document; without `parts`, the text is left out."""
    shown = excerpt.parts if parts else ()
    return DocumentModel(id=id, title=title, url=url, length=excerpt.length, parts=shown)


class ItemModel(ResponseModel):
    """A document to judge for a query, with its HTML."""

    item: int
    """The id of the item, for judgments."""
    query: str
    document: DocumentModel
    standing: Judgment
    html: str
    """The document as HTML."""


class ItemsModel(ResponseModel):
    """Documents that are reserved for you for ten minutes."""

    items: list[ItemModel]


class JudgmentEventModel(RequestModel):
    """A judgment event: a grade, a skip, a note, a flag or an undo."""

    request: RequestId
    """Your id of this event: sent again, it is not recorded twice."""
    item: _Id
    kind: EventKind
    grade: Annotated[int, Field(ge=0, le=9, strict=True)] | None = None
    """For `grade`: a grade of the project's scale."""
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    """For `skip` the reason, for `note` the note."""
    flagged: bool = False
    """For `flag`: true to flag, false to remove the flag."""
    seconds: Annotated[float, Field(ge=0, le=LONGEST_TIME, allow_inf_nan=False)] | None = None
    """Seconds for which the document was shown."""
    said_at: Annotated[float, Field(ge=0, le=_LATEST, allow_inf_nan=False)] | None = None
    """The time of the event in seconds since 1970, if it was earlier."""
    undoes: RequestId | None = None
    """For `undo`: the request to undo. If it is not your last event of the document, nothing is
    undone."""


class RecordedEventModel(ResponseModel):
    """The judgment after the event, which is stored on the server's disk, and your progress."""

    item: int
    event: int
    """The id of the event in the history."""
    repeated: bool
    """Whether this request was recorded before."""
    standing: Judgment
    progress: Progress
    """Your progress in the document's query."""


class OwnJudgmentsModel(ResponseModel):
    """Your judgments, the newest first."""

    judgments: list[OwnJudgment]
    before: int | None
    """The parameter `before` of the next page; null on the last."""


@dataclass(frozen=True, kw_only=True)
class OwnEvent(Judgment):
    """A judgment event of yours, with the judgment after it."""

    event: int
    kind: Literal["grade", "skip", "note", "flag", "undo", "import"]
    seconds: float | None
    made_at: float
    """Seconds since 1970, by the server's clock."""
    said_at: float | None
    """By the browser's clock, if it was sent later."""


class HistoryModel(ResponseModel):
    """Your judgment events of a document, the oldest first."""

    events: list[OwnEvent]


api = APIRouter(tags=["judging"])

ItemId = Annotated[int, Path(ge=1, le=LARGEST_INTEGER, description="The id of the item.")]
PageNumber = Annotated[int, Query(ge=1, le=LARGEST_INTEGER, description="The page, from 1.")]


@api.get("/queries", summary="Your queries")
def queries(request: Request, visitor: Assessor) -> QueriesModel:
    """List the queries that are assigned to you, with your progress."""
    with database(request).reading() as connection:
        assigned = assigned_queries(connection, visitor.person)
        counted = progress(connection, visitor.person)
    found = []
    for row in assigned:
        own = counted.get(row.id, Progress())
        about = {**row._mapping, **vars(own)}
        found.append(QueryModel(**about, query=row.name, left=own.left))
    return QueriesModel(queries=found)


@api.post("/next", summary="The next documents", response_model=ItemsModel, responses=errors(404))
def next_items(request: Request, visitor: Assessor, wanted: NextModel) -> Response:
    """Return documents to judge, reserved for you for ten minutes, at most fifty at a time.

    Fewer than requested, or none, are sent if the query has no more for you.
    """
    found = _lease_next(
        request, visitor, wanted.query, n=wanted.n, without=wanted.without, past=wanted.past
    )
    with database(request).reading() as connection:
        views = item_views.load_views(connection, visitor.person, found)
    items = [_item(request, visitor, view, parts=wanted.parts) for view in views]
    return json_response(ItemsModel(items=items))


def _lease_next(
    request: Request,
    visitor: Visitor,
    query: str | None,
    *,
    n: int = 1,
    without: Sequence[int] = (),
    past: int | None = None,
) -> list[int]:
    """Reserve the next documents for the assessor, of one query or of all."""
    person, feeder = visitor.person, request.app.state.feeder
    with database(request).writing(durable=False) as connection:
        id = None if query is None else assigned_query(connection, person, query).id
        return take_next(
            connection, person, query=id, n=n, without=without, past=past, feeder=feeder
        )


@api.post(
    "/judgments",
    summary="Judge a document",
    response_model=RecordedEventModel,
    responses=errors(404, 409),
)
def judge(request: Request, visitor: Assessor, wanted: JudgmentEventModel) -> Response:
    """Grade a document, skip it for a reason, write a note, flag it, or undo your last event.

    The response is sent once the event is on disk. Without a response, send it again with the
    same `request`: it is recorded once.
    """
    project = request.app.state.project
    event = JudgmentEvent(wanted.request, **wanted.model_dump(exclude={"request"}))
    with project.database.writing() as connection:
        recorded = record(connection, visitor.person, event, project.scale)
    with project.database.reading() as connection:
        counted = progress(connection, visitor.person, query=recorded.query)
    return json_response(
        RecordedEventModel(
            item=wanted.item,
            event=recorded.event,
            repeated=recorded.repeated,
            standing=recorded.judgment,
            progress=counted.get(recorded.query, Progress()),
        )
    )


@api.get("/judgments", summary="Your judgments", responses=errors(404))
def judgments(
    request: Request,
    visitor: Assessor,
    query: QueryFilter = None,
    which: Annotated[
        item_views.JudgmentFilter | None,
        Query(description="Only judged, skipped or flagged documents."),
    ] = None,
    before: Annotated[
        int | None,
        Query(ge=1, le=LARGEST_INTEGER, description="`before` of the previous response."),
    ] = None,
    n: MaximumNumber = 100,
) -> OwnJudgmentsModel:
    """List your judgments, the newest first."""
    with database(request).reading() as connection:
        found = item_views.own_judgments(
            connection,
            visitor.person,
            query=None if query is None else assigned_query(connection, visitor.person, query).id,
            which=which,
            before=before,
            n=n,
        )
    before = found[-1].event if len(found) == n else None
    return OwnJudgmentsModel(judgments=found, before=before)


@api.get("/items/{item}", summary="A document", responses=errors(404))
def item(request: Request, visitor: Assessor, item: ItemId) -> ItemModel:
    """Return a document that is assigned to you, with your judgment."""
    with database(request).reading() as connection:
        view = item_views.load_view(connection, visitor.person, item)
    return _item(request, visitor, view, parts=True)


@api.get("/items/{item}/text", summary="The whole text of a document", responses=errors(404))
def whole_text(request: Request, visitor: Assessor, item: ItemId, page: PageNumber = 1) -> TextPage:
    """Return a page of the whole text of a document that is assigned to you."""
    with database(request).reading() as connection:
        return item_views.text_page(connection, visitor.person, item, page)


@api.get("/items/{item}/history", summary="Your history of a document", responses=errors(404))
def history(request: Request, visitor: Assessor, item: ItemId) -> HistoryModel:
    """List your judgment events of a document, the oldest first."""
    with database(request).reading() as connection:
        found = item_views.own_history(connection, visitor.person, item)
    events = [
        OwnEvent(
            **vars(judgment_of(row)),
            event=row.id,
            kind=row.kind,
            seconds=row.seconds,
            made_at=row.made_at,
            said_at=row.said_at,
        )
        for row in found
    ]
    return HistoryModel(events=events)


def _item(request: Request, visitor: Visitor, view: ItemView, *, parts: bool) -> ItemModel:
    return ItemModel(
        item=view.item,
        query=view.query,
        document=document_model(view.document, view.title, view.url, view.excerpt, parts=parts),
        standing=view.judgment,
        html=render_template(request, "document.html", {"view": view}, visitor=visitor),
    )


pages = APIRouter()

_IN_A_LIST = 25
"""Documents per page of the list; open ones are reserved for the assessor."""

_OptionalId = Annotated[int | None, Query(ge=1, le=LARGEST_INTEGER)]
_Show = Literal["open", "judged", "skipped", "flagged"]


class JudgmentForm(BaseModel):
    """The forms of the judging pages."""

    request: Annotated[str, Field(min_length=8, max_length=50)]
    item: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
    kind: EventKind = "grade"
    grade: Annotated[int, Field(ge=0, le=9)] | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    flagged: bool = False
    shown_at: Annotated[float, Field(allow_inf_nan=False)] | None = None
    then: Literal["next", "list"] = "next"
    show: _Show = "open"


@pages.get("/queries")
def queries_page(request: Request, visitor: Assessor) -> Response:
    with database(request).reading() as connection:
        assigned = assigned_queries(connection, visitor.person)
        counted = progress(connection, visitor.person)
    queries = [(row, counted.get(row.id, Progress())) for row in assigned]
    queries.sort(key=lambda each: not each[1].left)  # what is done comes last
    values = {"queries": queries, "overall": _total(counted)}
    return render_page(request, "queries.html", values, visitor=visitor)


@pages.get("/queries/{name}/list")
def list_page(
    request: Request,
    visitor: Assessor,
    name: str,
    show: Annotated[_Show, Query()] = "open",
    before: _OptionalId = None,
) -> Response:
    name = query_of(name)
    if show == "open":
        items, earlier = _lease_next(request, visitor, name, n=_IN_A_LIST), None
    else:
        own = judgments(request, visitor, name, show, before, _IN_A_LIST)
        items, earlier = [each.item for each in own.judgments], own.before
    with database(request).reading() as connection:
        query = assigned_query(connection, visitor.person, name)
        values = {
            **_query_values(connection, visitor, query),
            "views": item_views.load_views(connection, visitor.person, items),
            "show": show,
            "earlier": earlier,
        }
    return render_page(request, "query_list.html", values, visitor=visitor)


@pages.post("/queries/{name:path}")
def judgment_form(
    request: Request, visitor: Assessor, name: str, form: Annotated[JudgmentForm, Form()]
) -> Response:
    project = request.app.state.project
    values = form.model_dump(include={"grade", "text", "flagged", "shown_at"})
    event = event_of_form(form.request, form.item, form.kind, **values)
    with project.database.writing() as connection:
        record(connection, visitor.person, event, project.scale)
    query = query_of(name)
    if form.then == "list":
        return redirect(query_path(query, "list", show=form.show))
    moves_on = form.kind in ("grade", "skip")
    return redirect(query_path(query, **{"said" if moves_on else "item": form.item}))


@pages.get("/queries/{name:path}")
def judge_page(
    request: Request,
    visitor: Assessor,
    name: str,
    item: _OptionalId = None,
    past: _OptionalId = None,
    judged: Annotated[int | None, Query(alias="said", ge=1, le=LARGEST_INTEGER)] = None,
) -> Response:
    """Show one document: the next one, or `item`.

    `past` is a document that was passed over, `judged` the one that was just judged: the next one
    comes after them, and documents that were passed over come again at the end.
    """
    name, person = query_of(name), visitor.person
    if item is None:
        item = next(iter(_lease_next(request, visitor, name, past=past or judged)), past)
    with database(request).reading() as connection:
        query = assigned_query(connection, person, name)
        view = None if item is None else item_views.load_view(connection, person, item)
        if view is not None and view.query != query.name:  # it is judged for its own query alone
            return redirect(query_path(view.query, item=view.item))
        before = item_views.own_judgments(
            connection, person, query=query.id, before=view.event if view else None, n=1
        )
        seconds = item_views.recent_seconds(connection, person, query.id)
        values = {
            **_query_values(connection, visitor, query),
            "view": view,
            "earlier": before[0] if before else None,
            "judged": None if judged is None else item_views.load_view(connection, person, judged),
            "seconds": seconds,
            "typical": median(seconds) if seconds else None,  # which a long lunch does not move
        }
    return render_page(request, "judge.html", values, visitor=visitor)


@pages.get("/items/{item}/text")
def text_page(request: Request, visitor: Assessor, item: ItemId, page: PageNumber = 1) -> Response:
    found = whole_text(request, visitor, item, page)
    values = {"text": found, "kept": {}, "back": query_path(found.query, item=item)}
    return render_page(request, "text.html", values, visitor=visitor)


def _query_values(connection: Connection, visitor: Visitor, query: Row[Any]) -> dict[str, Any]:
    """Return the values that all pages of a query need."""
    counted = progress(connection, visitor.person)
    assigned = assigned_queries(connection, visitor.person)
    at = [row.id for row in assigned].index(query.id)
    others = [*assigned[at + 1 :], *assigned[:at]]
    return {
        "query": query,
        "progress": counted.get(query.id, Progress()),
        "overall": _total(counted),
        # The next query with open documents, after this one and then from the first.
        "following": next(
            (row for row in others if row.id in counted and counted[row.id].left), None
        ),
    }


def _total(counted: Mapping[int, Progress]) -> Progress:
    every = counted.values()
    return Progress(sum(each.total for each in every), sum(each.done for each in every))
