"""Pages of assessors: their topics, one document at a time or a list, and the whole of a text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.judging import viewing
from cleverdon.assess.judging.checking import LONGEST_TEXT
from cleverdon.assess.judging.forms import saying_of
from cleverdon.assess.judging.queue import Progress, progress, take_next
from cleverdon.assess.judging.reach import assigned_topics, topic_for
from cleverdon.assess.judging.recording import Kind, record
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.paths import topic_of, topic_path
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

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
        counted = progress(connection, visitor.person)
    every = [(row, counted.get(row.id, Progress())) for row in assigned]
    listed = sorted(every, key=lambda each: not each[1].left)  # what is done comes last
    values = {"listed": listed, "overall": _together(counted.values())}
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
    wanted = _next(request, visitor, name, n=_IN_A_LIST) if show == "open" else []
    earlier = None
    with request.app.state.project.database.reading() as connection:
        topic = topic_for(connection, visitor.person, topic_of(name))
        if show != "open":
            own = viewing.own_judgments(
                connection, visitor.person, topic=topic.id, which=show, before=before, n=_IN_A_LIST
            )
            wanted = [said.item for said in own]
            earlier = own[-1].event if len(own) == _IN_A_LIST else None
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
        record(connection, visitor.person, saying, project.scale)
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

    `past` is one that was passed over for now, `said` the one that was judged just before: what
    comes next is placed behind them, and what was passed over comes again at the end.
    """
    if item is None:
        item = next(iter(_next(request, visitor, name, past=past or said)), past)
    with request.app.state.project.database.reading() as connection:
        topic = topic_for(connection, visitor.person, topic_of(name))
        view = None if item is None else viewing.view(connection, visitor.person, item)
        if view is not None and view.topic != topic.name:  # it is judged for its own topic alone
            return RedirectResponse(topic_path(view.topic, item=view.item), status_code=303)
        before = viewing.own_judgments(
            connection, visitor.person, topic=topic.id, before=view.event if view else None, n=1
        )
        pace = viewing.pace(connection, visitor.person, topic.id)
        values = {
            **_about(connection, visitor, topic),
            "view": view,
            "earlier": before[0] if before else None,
            "judged": None if said is None else viewing.view(connection, visitor.person, said),
            "pace": pace,
            "typical": median(pace) if pace else None,  # which a long lunch does not move
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
    values = {"text": found, "kept": {}, "back": topic_path(found.topic, item=item)}
    return page(request, "text.html", values, visitor=visitor)


def _next(
    request: Request, visitor: Visitor, name: str, *, n: int = 1, past: int | None = None
) -> list[int]:
    """The next documents of a topic, kept for who asks."""
    state = request.app.state
    with state.project.database.writing(durable=False) as connection:
        topic = topic_for(connection, visitor.person, topic_of(name)).id
        return take_next(
            connection, visitor.person, topic=topic, n=n, past=past, feeder=state.feeder
        )


def _about(connection: Connection, visitor: Visitor, topic: Any) -> dict[str, Any]:
    """What the pages of a topic say beside its documents."""
    counted = progress(connection, visitor.person)
    assigned = assigned_topics(connection, visitor.person)
    return {
        "topic": topic,
        "far": counted.get(topic.id, Progress()),
        "overall": _together(counted.values()),
        "following": _following(topic, assigned, counted),
    }


def _following(topic: Any, assigned: Sequence[Any], counted: Mapping[int, Progress]) -> Any | None:
    """The next topic of which something is left, after this one and then from the first on."""
    at = [row.id for row in assigned].index(topic.id)
    others = [*assigned[at + 1 :], *assigned[:at]]
    return next((row for row in others if counted.get(row.id, Progress()).left), None)


def _together(counted: Collection[Progress]) -> Progress:
    return Progress(sum(far.total for far in counted), sum(far.done for far in counted))
