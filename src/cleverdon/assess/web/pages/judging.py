"""Pages of assessors: their topics, one document at a time or a list, and the whole of a text."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.judging import viewing
from cleverdon.assess.judging.forms import saying_of
from cleverdon.assess.judging.queue import TopicProgress, progress, take_next
from cleverdon.assess.judging.reach import assigned_topics, topic_for
from cleverdon.assess.judging.recording import LONGEST_TEXT, Kind, record
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.paths import topic_of, topic_path
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

LARGEST = 2**31 - 1
_IN_A_LIST = 25
"""Documents on a page of the list: open ones are kept from others while they are there."""

Assessor = Annotated[Visitor, Needs(Right.JUDGE)]
ItemId = Annotated[int, Field(ge=1, le=LARGEST)]
Maybe = Annotated[int | None, Query(ge=1, le=LARGEST)]
Show = Literal["open", "judged", "skipped", "flagged"]


class Said(BaseModel):
    """What the forms of these pages send."""

    request: Annotated[str, Field(min_length=8, max_length=50)]
    item: ItemId
    kind: Kind = "grade"
    grade: Annotated[int, Field(ge=0, le=9)] | None = None
    text: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""
    flagged: bool = False
    shown_at: Annotated[float, Field(allow_inf_nan=False)] | None = None
    then: Literal["next", "list"] = "next"
    show: Show = "open"


@router.get("/")
def start(visitor: Annotated[Visitor, Needs(Right.SIGNED_IN)]) -> Response:
    """Where each role's work is."""
    watches = visitor.may(Right.WATCH)
    return RedirectResponse("/dashboard" if watches else "/topics", status_code=303)


@router.get("/topics")
def topics(request: Request, visitor: Assessor) -> Response:
    """The topics that are assigned."""
    with request.app.state.project.database.reading() as connection:
        assigned = assigned_topics(connection, visitor.person)
        counted = {each.topic: each for each in progress(connection, visitor.person)}
    listed = [(row, counted.get(row.id) or _nothing(row)) for row in assigned]
    values = {
        "listed": listed,
        "total": sum(far.total for _, far in listed),
        "done": sum(far.done for _, far in listed),
    }
    return page(request, "topics.html", values, visitor=visitor)


@router.get("/topics/{name}/list")
def listed(
    request: Request,
    visitor: Assessor,
    name: Annotated[str, Path()],
    show: Annotated[Show, Query()] = "open",
    before: Maybe = None,
) -> Response:
    """Many documents of a topic: those that are open, or one's own judgments."""
    state = request.app.state
    with state.project.database.writing() as connection:
        topic = topic_for(connection, visitor.person, topic_of(name))
        if show == "open":
            wanted = take_next(
                connection,
                visitor.person,
                topic=topic.id,
                n=_IN_A_LIST,
                feeder=state.feeder,
                places=state.places,
            )
            earlier = None
        else:
            own = viewing.own_judgments(
                connection, visitor.person, topic=topic.id, which=show, before=before, n=_IN_A_LIST
            )
            wanted = [said.item for said in own]
            earlier = own[-1].event if len(own) == _IN_A_LIST else None
    with state.project.database.reading() as connection:
        values = {
            **_about(connection, visitor, topic),
            "views": viewing.views(connection, visitor.person, wanted),
            "show": show,
            "earlier": earlier,
        }
    return page(request, "topic_list.html", values, visitor=visitor)


@router.post("/topics/{name:path}")
def say(
    request: Request, visitor: Assessor, name: Annotated[str, Path()], said: Annotated[Said, Form()]
) -> Response:
    """What a form says of a document."""
    project = request.app.state.project
    saying = saying_of(
        said.request,
        said.item,
        said.kind,
        grade=said.grade,
        text=said.text,
        flagged=said.flagged,
        shown_at=said.shown_at,
    )
    with project.database.writing() as connection:
        recorded = record(connection, visitor.person, saying, project.scale)
    request.app.state.tally.after(visitor.person, recorded.topic, recorded.change)
    topic = topic_of(name)
    if said.then == "list":
        where = topic_path(topic, "list", show=said.show)
    elif said.kind in ("grade", "skip"):
        where = topic_path(topic, said=said.item)
    else:
        where = topic_path(topic, item=said.item)
    return RedirectResponse(where, status_code=303)


@router.get("/topics/{name:path}")
def one(
    request: Request,
    visitor: Assessor,
    name: Annotated[str, Path()],
    item: Maybe = None,
    past: Maybe = None,
    said: Maybe = None,
) -> Response:
    """One document: the next one, or one that was asked for.

    `past` is one that was passed over for now, `said` the one that was judged just before.
    """
    state = request.app.state
    with state.project.database.writing() as connection:
        topic = topic_for(connection, visitor.person, topic_of(name))
        if item is None:
            found = take_next(
                connection,
                visitor.person,
                topic=topic.id,
                without=() if past is None else [past],
                feeder=state.feeder,
                places=state.places,
            )
            item = found[0] if found else past
    with state.project.database.reading() as connection:
        view = None if item is None else viewing.view(connection, visitor.person, item)
        before = viewing.own_judgments(
            connection, visitor.person, topic=topic.id, before=view.event if view else None, n=1
        )
        values = {
            **_about(connection, visitor, topic),
            "view": view,
            "earlier": before[0] if before else None,
            "judged": None if said is None else viewing.view(connection, visitor.person, said),
            "pace": viewing.pace(connection, visitor.person, topic.id),
        }
    return page(request, "judge.html", values, visitor=visitor)


@router.get("/items/{item}/text")
def whole_text(
    request: Request,
    visitor: Assessor,
    item: Annotated[int, Path(ge=1, le=LARGEST)],
    number: Annotated[int, Query(alias="page", ge=1, le=LARGEST)] = 1,
) -> Response:
    """The whole text of a document, page by page."""
    with request.app.state.project.database.reading() as connection:
        found = viewing.text_page(connection, visitor.person, item, number)
    return page(request, "text.html", {"text": found}, visitor=visitor)


def _about(connection: Connection, visitor: Visitor, topic: Any) -> dict[str, Any]:
    """What the pages of a topic say above its documents."""
    all_topics = progress(connection, visitor.person)
    far = next((each for each in all_topics if each.topic == topic.id), _nothing(topic))
    return {
        "topic": topic,
        "far": far,
        "overall": {
            "total": sum(each.total for each in all_topics),
            "done": sum(each.done for each in all_topics),
        },
    }


def _nothing(topic: Any) -> TopicProgress:
    """Of a topic that has no documents yet."""
    return TopicProgress(topic.id, topic.name, topic.title, 0, 0, "all")
