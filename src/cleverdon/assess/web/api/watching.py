"""Calls: how a project is coming along."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field

from cleverdon.assess.people.rights import Right
from cleverdon.assess.refusals import NotThere
from cleverdon.assess.watching.agreement_rows import pair_rows, topic_rows
from cleverdon.assess.watching.watched import Watched
from cleverdon.assess.web.api.agreement_models import PairModel, TopicAgreementModel
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.api.watching_models import (
    AttentionModel,
    DriftModel,
    FoundModel,
    TopicProgressModel,
    WatchedModel,
    WorkerModel,
)
from cleverdon.assess.web.limits import LONGEST_TOPIC
from cleverdon.assess.web.paths import topic_of
from cleverdon.assess.web.visitor import Needs, Visitor
from cleverdon.errors import suggest

router = APIRouter(tags=["watching"])

Watcher = Annotated[Visitor, Needs(Right.WATCH)]
Name = Annotated[
    str,
    Path(
        min_length=1,
        max_length=3 * LONGEST_TOPIC,
        description="As it is called, or as the addresses of pages have it: ~s for a slash, ~p for "
        "a per cent sign, ~d for a dot, ~~ for a tilde.",
    ),
]


class WatchedTopicModel(BaseModel):
    """One topic."""

    about: TopicProgressModel
    recall: FoundModel
    agreement: TopicAgreementModel | None = Field(description="Null where no two judged the same.")


class WatchedPersonModel(BaseModel):
    """One person."""

    work: WorkerModel
    pairs: list[PairModel] = Field(description="Agreement with each of the others.")
    drift: list[DriftModel]
    attention: AttentionModel | None = Field(description="Null without gold documents.")


@router.get("/watching", summary="All of the dashboard", responses=failing())
def everything(request: Request, visitor: Watcher) -> WatchedModel:
    """Progress, pace, grades, agreement, recall, drift and attention, of one moment."""
    return WatchedModel.of_watched(watched_of(request))


@router.get("/watching/topics/{name:path}", summary="One topic", responses=failing(404))
def topic(request: Request, visitor: Watcher, name: Name) -> WatchedTopicModel:
    """How one topic is coming along."""
    found = watched_of(request)
    name = _called(name, [one.topic for one in found.topics])
    check_topic(found, name)
    about = next(one for one in found.topics if one.topic == name)
    agreed = next((one for one in topic_rows(found.agreement) if one.topic == name), None)
    return WatchedTopicModel(
        about=TopicProgressModel.of_topic(about, found.topic_grades[name]),
        recall=FoundModel.model_validate(found.recall.topics[name]),
        agreement=None if agreed is None else TopicAgreementModel.model_validate(agreed),
    )


@router.get("/watching/people/{name:path}", summary="One person", responses=failing(404))
def person(request: Request, visitor: Watcher, name: Name) -> WatchedPersonModel:
    """How one person judges."""
    found = watched_of(request)
    name = _called(name, [one.judge for one in found.work])
    check_person(found, name)
    work = next(one for one in found.work if one.judge == name)
    gold = next((one for one in found.attention if one.judge == name), None)
    return WatchedPersonModel(
        work=WorkerModel.of_worker(work),
        pairs=[PairModel.model_validate(one) for one in pair_rows(found.agreement, judge=name)],
        drift=[DriftModel.of_drift(one) for one in found.drifts if one.judge == name],
        attention=None if gold is None else AttentionModel.of_attention(gold),
    )


def _called(asked: str, known: Collection[str]) -> str:
    """The name that is asked for, which may hold what addresses of pages use for something else."""
    return asked if asked in known else topic_of(asked)


def watched_of(request: Request) -> Watched:
    """The project as it is now, or was a moment ago."""
    found: Watched = request.app.state.watch.now()
    return found


def check_topic(found: Watched, name: str) -> None:
    """Raise a NotThere unless there is a topic of this name."""
    known = [one.topic for one in found.topics]
    if name not in known:
        raise NotThere(f"there is no topic {name!r}{suggest(name, known)}")


def check_person(found: Watched, name: str) -> None:
    """Raise a NotThere unless there is somebody of this name who judges."""
    known = [one.judge for one in found.work]
    if name not in known:
        raise NotThere(f"there is nobody called {name!r} who judges{suggest(name, known)}")
