"""For administrators: who judges what, how much each has to do, and topics that nobody has."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.people.accounts import all_people, person_of
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.project import Project
from cleverdon.assess.setup import assigning
from cleverdon.assess.setup.workload import work_of
from cleverdon.assess.web.limits import LARGEST, LONGEST_TOPIC
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/assignments")

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
TopicName = Annotated[str, Form(max_length=LONGEST_TOPIC)]
PersonId = Annotated[int, Form(ge=1, le=LARGEST)]
Start = Annotated[int, Form(ge=0, le=LARGEST)]
Lacking = Annotated[bool, Form()]

_ON_A_PAGE = 25
"""Topics; each may have a hundred people on it, and lists everybody who could be."""


@router.get("")
def listed(
    request: Request,
    visitor: Administrator,
    start: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    lacking: bool = False,
) -> Response:
    project: Project = request.app.state.project
    with project.database.reading() as connection:
        endings = request.app.state.feeder.endings(connection)
        work = work_of(connection, endings)
        everybody = all_people(connection)
    shown = [*work.uncovered, *work.short] if lacking else list(work.topics)
    values = {
        "work": work,
        "people": [
            person for person in everybody if person.active and Right.JUDGE in RIGHTS[person.role]
        ],
        "assessors": sum(person.active and person.role == "assessor" for person in everybody),
        "endings": endings,
        "topics": shown[start : start + _ON_A_PAGE],
        "start": start,
        "later": start + _ON_A_PAGE if len(shown) > start + _ON_A_PAGE else None,
        "earlier": max(start - _ON_A_PAGE, 0) if start else None,
        "lacking": lacking,
        "overlap": project.setting("overlap", ""),
    }
    return page(request, "assignments.html", values, visitor=visitor)


@router.post("/deal")
def deal(
    request: Request,
    visitor: Administrator,
    by: Annotated[Literal["topic", "document"], Form()] = "topic",
    anew: Annotated[bool, Form()] = False,
) -> Response:
    project: Project = request.app.state.project
    with project.database.reading() as connection:
        ended = request.app.state.feeder.endings(connection)
    with project.database.writing() as connection:
        among = assigning.assessors(connection)
        assigning.deal_out(connection, visitor.actor, among, by=by, anew=anew, ended=ended)
    return _back()


@router.post("/overlap")
def overlap(
    request: Request, visitor: Administrator, overlap: Annotated[str, Form(max_length=20)]
) -> Response:
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        assigning.set_overlap(connection, visitor.actor, overlap)
    return _back()


@router.post("/add")
def add(
    request: Request,
    visitor: Administrator,
    topic: TopicName,
    person: PersonId,
    part: Annotated[Literal["all", "overlap"], Form()] = "all",
    back: Start = 0,
    lacking: Lacking = False,
) -> Response:
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        found = person_of(connection, person)
        assigning.assign(connection, visitor.actor, topic, found, part)
        number = assigning.topic_named(connection, topic)
    return _back(start=back, lacking=lacking, topic=number)


@router.post("/remove")
def remove(
    request: Request,
    visitor: Administrator,
    topic: TopicName,
    person: PersonId,
    back: Start = 0,
    lacking: Lacking = False,
) -> Response:
    project: Project = request.app.state.project
    with project.database.writing() as connection:
        found = person_of(connection, person)
        assigning.remove(connection, visitor.actor, topic, found)
        number = assigning.topic_named(connection, topic)
    return _back(start=back, lacking=lacking, topic=number)


def _back(*, start: int = 0, lacking: bool = False, topic: int | None = None) -> Response:
    """The page again, where it was."""
    asked = {**({"start": start} if start else {}), **({"lacking": "true"} if lacking else {})}
    page = f"?{urlencode(asked)}" if asked else ""
    place = f"#topic-{topic}" if topic else ""
    return RedirectResponse(f"/assignments{page}{place}", status_code=303)
