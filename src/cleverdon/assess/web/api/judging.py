"""Calls of assessors: which document comes next, and what is said of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from cleverdon.assess.judging import viewing
from cleverdon.assess.judging.queue import Progress, progress, take_next
from cleverdon.assess.judging.reach import assigned_topics, topic_for
from cleverdon.assess.judging.recording import Saying, record
from cleverdon.assess.judging.viewing import View
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.api.judging_models import (
    DocumentModel,
    EventModel,
    HistoryModel,
    ItemModel,
    ItemsModel,
    NextModel,
    ProgressModel,
    RecordedModel,
    SaidModel,
    SaidsModel,
    SayingModel,
    TextModel,
    TopicModel,
    TopicsModel,
)
from cleverdon.assess.web.api.models import StandingModel, failing, said
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC
from cleverdon.assess.web.rendering import rendered
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(tags=["judging"])

Assessor = Annotated[Visitor, Needs(Right.JUDGE)]
ItemId = Annotated[int, Path(ge=1, le=LARGEST, description="The item's number.")]
PageNumber = Annotated[int, Query(ge=1, le=LARGEST, description="From 1 on.")]


@router.get("/topics", summary="Your topics", responses=failing())
def topics(request: Request, visitor: Assessor) -> TopicsModel:
    """The topics that are assigned to you, with how far you have come."""
    with request.app.state.project.database.reading() as connection:
        assigned = assigned_topics(connection, visitor.person)
        counted = progress(connection, visitor.person)
    return TopicsModel(
        topics=[
            TopicModel(
                topic=row.name,
                title=row.title,
                description=row.description,
                narrative=row.narrative,
                **ProgressModel.of(counted.get(row.id, Progress())).model_dump(),
            )
            for row in assigned
        ]
    )


@router.post(
    "/next", summary="The next documents", response_model=ItemsModel, responses=failing(404)
)
def next_items(request: Request, visitor: Assessor, wanted: NextModel) -> Response:
    """Documents to judge, kept for you and from others for ten minutes, fifty at a time.

    Fewer than asked for, or none, are sent where a topic has no more for you.
    """
    state = request.app.state
    with state.project.database.writing(durable=False) as connection:
        topic = wanted.topic
        found = take_next(
            connection,
            visitor.person,
            topic=None if topic is None else topic_for(connection, visitor.person, topic).id,
            n=wanted.n,
            without=wanted.without,
            past=wanted.past,
            feeder=state.feeder,
        )
    with state.project.database.reading() as connection:
        shown = viewing.views(connection, visitor.person, found)
    return said(
        ItemsModel.model_construct(
            items=[_item(request, visitor, view, parts=wanted.parts) for view in shown]
        )
    )


@router.post(
    "/judgments",
    summary="Say something of a document",
    response_model=RecordedModel,
    responses=failing(404, 409),
)
def judge(request: Request, visitor: Assessor, saying: SayingModel) -> Response:
    """Grade a document, skip it for a reason, note something, flag it, or undo your last word.

    The answer is sent once the judgment is on the disk. Where none comes, send the same again,
    with the same `request`: it is recorded once.
    """
    project = request.app.state.project
    with project.database.writing() as connection:
        recorded = record(connection, visitor.person, Saying(**vars(saying)), project.scale)
    with project.database.reading() as connection:
        counted = progress(connection, visitor.person, topic=recorded.topic)
    return said(
        RecordedModel.model_construct(
            item=saying.item,
            event=recorded.event,
            repeated=recorded.repeated,
            standing=StandingModel.of(recorded.standing),
            progress=ProgressModel.of(counted.get(recorded.topic, Progress())),
        )
    )


@router.get("/judgments", summary="Your judgments", responses=failing(404))
def judgments(
    request: Request,
    visitor: Assessor,
    topic: Annotated[
        str | None,
        Query(min_length=1, max_length=LONGEST_TOPIC, description="Of this topic alone."),
    ] = None,
    which: Annotated[
        viewing.Which | None, Query(description="Only those that are judged, skipped or flagged.")
    ] = None,
    before: Annotated[
        int | None, Query(ge=1, le=LARGEST, description="What the last answer called `before`.")
    ] = None,
    n: Annotated[int, Query(ge=1, le=1_000, description="How many at most.")] = 100,
) -> SaidsModel:
    """Your own last word on each document, the newest first."""
    with request.app.state.project.database.reading() as connection:
        found = viewing.own_judgments(
            connection,
            visitor.person,
            topic=None if topic is None else topic_for(connection, visitor.person, topic).id,
            which=which,
            before=before,
            n=n,
        )
    return SaidsModel(
        judgments=[SaidModel.of(each) for each in found],
        before=found[-1].event if len(found) == n else None,
    )


@router.get("/items/{item}", summary="A document", responses=failing(404))
def item(request: Request, visitor: Assessor, item: ItemId) -> ItemModel:
    """A document that is yours to judge, and how your judgment of it stands."""
    with request.app.state.project.database.reading() as connection:
        view = viewing.view(connection, visitor.person, item)
    return _item(request, visitor, view, parts=True)


@router.get("/items/{item}/text", summary="All of a document's text", responses=failing(404))
def whole_text(
    request: Request, visitor: Assessor, item: ItemId, page: PageNumber = 1
) -> TextModel:
    """The whole text of a document that is yours to judge, page by page."""
    with request.app.state.project.database.reading() as connection:
        return TextModel.of(viewing.text_page(connection, visitor.person, item, page))


@router.get("/items/{item}/history", summary="What you said of a document", responses=failing(404))
def history(request: Request, visitor: Assessor, item: ItemId) -> HistoryModel:
    """All that you said of a document, from the first word to the last."""
    with request.app.state.project.database.reading() as connection:
        found = viewing.history(connection, visitor.person, item)
    return HistoryModel(events=[EventModel(**{**row._mapping, "event": row.id}) for row in found])


def _item(request: Request, visitor: Visitor, view: View, *, parts: bool) -> ItemModel:
    return ItemModel.model_construct(
        item=view.item,
        topic=view.topic,
        document=DocumentModel.of(view.document, view.title, view.url, view.excerpt, parts=parts),
        standing=StandingModel.of(view.standing),
        html=rendered(request, "document.html", {"view": view}, visitor=visitor),
    )
