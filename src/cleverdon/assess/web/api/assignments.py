"""Calls of administrators: who judges what."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection

from cleverdon.assess.people.accounts import Person, person_of
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import Project
from cleverdon.assess.setup import assigning
from cleverdon.assess.setup.workload import Work, work_of
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.api.people_models import RoleName
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/assignments", tags=["assignments"])

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
TopicName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TOPIC, description="As qrels call it.")
]
PersonId = Annotated[int, Field(ge=1, le=LARGEST, strict=True)]


class _Given(BaseModel):
    """What is not known is refused: it may be a slip of the keyboard."""

    model_config = ConfigDict(extra="forbid")


class _Shown(BaseModel):
    """What is given out, as the records have it."""

    model_config = ConfigDict(from_attributes=True)


class AssignedModel(_Shown):
    """A person on a topic."""

    person: int
    name: str
    part: Literal["all", "overlap"] = Field(description="overlap: what several are to judge.")
    active: bool
    done: int = Field(description="Documents that the person judged or skipped.")


class TopicWorkModel(_Shown):
    """A topic, and who is on it."""

    name: str
    title: str
    documents: int
    done: int = Field(description="Documents that somebody judged or skipped.")
    people: list[AssignedModel]


class PersonWorkModel(_Shown):
    """How much a person has to do."""

    person: int
    name: str
    role: RoleName
    active: bool
    topics: int
    done: int
    left: int


class WorkModel(_Shown):
    """Who judges what."""

    topics: list[TopicWorkModel]
    people: list[PersonWorkModel]
    uncovered: list[str] = Field(description="Topics that nobody judges.")
    short: list[str] = Field(description="Topics with too few people for what several judge.")
    overlap: str = Field(description="As it was set; empty where it never was.")

    @classmethod
    def of(cls, work: Work, overlap: str) -> WorkModel:
        """As it stands."""
        return cls(
            topics=[TopicWorkModel.model_validate(each) for each in work.topics],
            people=[PersonWorkModel.model_validate(each) for each in work.people],
            uncovered=[each.name for each in work.uncovered],
            short=[each.name for each in work.short],
            overlap=overlap,
        )


class AssignModel(_Given):
    """A person to be put on a topic."""

    topic: TopicName
    person: PersonId
    part: Literal["all", "overlap"] = "all"


class RemoveModel(_Given):
    """A person to be taken off a topic."""

    topic: TopicName
    person: PersonId


class DealModel(_Given):
    """How topics are to be dealt out."""

    by: Literal["topic", "document"] = Field(
        default="topic", description="A topic is one person's, or all share its documents."
    )
    people: list[PersonId] | None = Field(
        default=None, min_length=1, max_length=1_000, description="Among whom; null: all assessors."
    )


class OverlapModel(_Given):
    """How many documents two people are to judge."""

    overlap: str = Field(
        max_length=20, description="A share of the documents, as 0.1, or so many of each topic."
    )


@router.get("", summary="Who judges what", responses=failing())
def listed(request: Request, visitor: Administrator) -> WorkModel:
    """All topics with their people, and how much each person has done and left."""
    project: Project = request.app.state.project
    with project.database.reading() as connection:
        work = work_of(connection, request.app.state.feeder.endings(connection))
    return WorkModel.of(work, project.setting("overlap", ""))


@router.post("", summary="Put a person on a topic", responses=failing(404))
def assign(request: Request, visitor: Administrator, wanted: AssignModel) -> WorkModel:
    """Who is on the topic already has this part of it from now on."""
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        person = person_of(connection, wanted.person)
        assigning.assign(connection, visitor.actor, wanted.topic, person, wanted.part)
    return listed(request, visitor)


@router.post("/remove", summary="Take a person off a topic", responses=failing(404))
def remove(request: Request, visitor: Administrator, wanted: RemoveModel) -> WorkModel:
    """What the person judged stays."""
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        person = person_of(connection, wanted.person)
        assigning.remove(connection, visitor.actor, wanted.topic, person)
    return listed(request, visitor)


@router.post("/deal", summary="Deal topics out", responses=failing(404, 409))
def deal(request: Request, visitor: Administrator, wanted: DealModel) -> WorkModel:
    """Topics that lack people go to whoever has least to do; the others stay as they are."""
    return _dealt(request, visitor, wanted, anew=False)


@router.post("/rebalance", summary="Deal topics out anew", responses=failing(404, 409))
def rebalance(request: Request, visitor: Administrator, wanted: DealModel) -> WorkModel:
    """Topics that nobody has begun are dealt again, as when people come or go."""
    return _dealt(request, visitor, wanted, anew=True)


@router.post("/overlap", summary="Set the overlap", responses=failing(409))
def overlap(request: Request, visitor: Administrator, wanted: OverlapModel) -> WorkModel:
    """Let two people judge some documents; a larger overlap keeps what a smaller one has drawn."""
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        assigning.set_overlap(connection, visitor.actor, wanted.overlap)
    return listed(request, visitor)


def _dealt(request: Request, visitor: Visitor, wanted: DealModel, *, anew: bool) -> WorkModel:
    project: Project = request.app.state.project
    with project.database.reading() as connection:
        ended = request.app.state.feeder.endings(connection)
    with project.database.writing() as connection:
        among = _among(connection, wanted.people)
        assigning.deal_out(connection, visitor.actor, among, by=wanted.by, anew=anew, ended=ended)
    return listed(request, visitor)


def _among(connection: Connection, people: list[int] | None) -> list[Person]:
    if people is None:
        return assigning.assessors(connection)
    return [person_of(connection, person) for person in dict.fromkeys(people)]
