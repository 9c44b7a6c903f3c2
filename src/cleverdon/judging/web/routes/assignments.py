"""Routes of assignments: who judges which queries, how much is left, queries without people."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from cleverdon.judging import assignment
from cleverdon.judging.assignment import By, Part
from cleverdon.judging.people import ROLE_PERMISSIONS, Permission
from cleverdon.judging.people.accounts import all_people, person_by_id
from cleverdon.judging.project import Project
from cleverdon.judging.web.authorization import Administrator, Visitor
from cleverdon.judging.web.responses import render_page
from cleverdon.judging.web.routes import (
    LARGEST_INTEGER,
    LONGEST_QUERY,
    RequestModel,
    ResponseModel,
    database,
    errors,
    redirect,
)
from cleverdon.judging.workload import PersonWorkload, QueryWorkload, compute_workload

api = APIRouter(prefix="/assignments", tags=["assignments"])

_QueryName = Annotated[
    str, Field(min_length=1, max_length=LONGEST_QUERY, description="The query's name in qrels.")
]
_PersonId = Annotated[int, Field(ge=1, le=LARGEST_INTEGER, strict=True)]


class WorkloadModel(ResponseModel):
    """All queries and people with their workload, and the names of queries that lack people."""

    queries: tuple[QueryWorkload, ...]
    people: tuple[PersonWorkload, ...]
    uncovered: list[str]
    """Queries without people."""
    short: list[str]
    """Queries with too few people for what several judge."""
    overlap: str
    """The overlap as it was set; empty if it never was."""


class RemoveModel(RequestModel):
    """A person to remove from a query."""

    query: _QueryName
    person: _PersonId


class AssignModel(RemoveModel):
    """A person to assign to a query."""

    part: Part = "all"


class DealModel(RequestModel):
    """Options of distributing queries."""

    by: By = "query"
    """Give each query to one person, or let all share its documents."""
    people: Annotated[list[_PersonId], Field(min_length=1, max_length=1_000)] | None = None
    """The people; null for all assessors."""


class OverlapModel(RequestModel):
    """The documents that two people judge."""

    overlap: Annotated[str, Field(max_length=20)]
    """A share of the documents, such as 0.1, or a number per query."""


@api.get("", summary="All assignments")
def workload(request: Request, visitor: Administrator) -> WorkloadModel:
    """List queries with their people, and how much each person has done and left."""
    project: Project = request.app.state.project
    with database(request).reading() as connection:
        work = compute_workload(connection, request.app.state.feeder.endings(connection))
    return WorkloadModel(
        queries=work.queries,
        people=work.people,
        uncovered=[each.name for each in work.uncovered],
        short=[each.name for each in work.short],
        overlap=project.setting("overlap", ""),
    )


@api.post("", summary="Assign a person to a query", responses=errors(404))
def assign(request: Request, visitor: Administrator, wanted: AssignModel) -> WorkloadModel:
    """Assign a person to a query, or change the part of a person who is assigned already."""
    _assign(request, visitor, wanted.query, wanted.person, wanted.part)
    return workload(request, visitor)


@api.post("/remove", summary="Remove a person from a query", responses=errors(404))
def remove(request: Request, visitor: Administrator, wanted: RemoveModel) -> WorkloadModel:
    """Remove a person from a query; their judgments stay."""
    _assign(request, visitor, wanted.query, wanted.person, None)
    return workload(request, visitor)


@api.post("/deal", summary="Distribute queries", responses=errors(404, 409))
def deal(request: Request, visitor: Administrator, wanted: DealModel) -> WorkloadModel:
    """Give queries that lack people to those with the least work; leave others as they are."""
    _distribute(request, visitor, wanted.by, wanted.people, anew=False)
    return workload(request, visitor)


@api.post("/rebalance", summary="Distribute queries again", responses=errors(404, 409))
def rebalance(request: Request, visitor: Administrator, wanted: DealModel) -> WorkloadModel:
    """Distribute all queries again that nobody has begun, for example when people join or leave."""
    _distribute(request, visitor, wanted.by, wanted.people, anew=True)
    return workload(request, visitor)


@api.post("/overlap", summary="Set the overlap", responses=errors(409))
def overlap(request: Request, visitor: Administrator, wanted: OverlapModel) -> WorkloadModel:
    """Let two people judge some documents; a larger overlap includes those of a smaller one."""
    with database(request).writing() as connection:
        assignment.set_overlap(connection, visitor.actor, wanted.overlap)
    return workload(request, visitor)


def _assign(request: Request, visitor: Visitor, query: str, person: int, part: Part | None) -> int:
    """Assign a person to a part of a query, None to remove them; return the query's id."""
    with database(request).writing() as connection:
        found = person_by_id(connection, person)
        if part is None:
            assignment.unassign_query(connection, visitor.actor, query, found)
        else:
            assignment.assign_query(connection, visitor.actor, query, found, part)
        return assignment.query_by_name(connection, query)


def _distribute(
    request: Request, visitor: Visitor, by: By, people: list[int] | None, *, anew: bool
) -> None:
    with database(request).reading() as connection:
        ended = request.app.state.feeder.endings(connection)
    with database(request).writing() as connection:
        if people is None:
            among = assignment.active_assessors(connection)
        else:
            among = [person_by_id(connection, person) for person in dict.fromkeys(people)]
        assignment.distribute_queries(
            connection, visitor.actor, among, by=by, anew=anew, ended=ended
        )


pages = APIRouter(prefix="/assignments")

_ON_A_PAGE = 25
"""Queries per page: each lists its people, and everybody who could be added."""


@pages.get("")
def assignments_page(
    request: Request,
    visitor: Administrator,
    start: Annotated[int, Query(ge=0, le=LARGEST_INTEGER)] = 0,
    lacking: bool = False,
) -> Response:
    project: Project = request.app.state.project
    with database(request).reading() as connection:
        endings = request.app.state.feeder.endings(connection)
        work = compute_workload(connection, endings)
        everybody = all_people(connection)
    shown = [*work.uncovered, *work.short] if lacking else list(work.queries)
    values = {
        "work": work,
        "people": [
            person
            for person in everybody
            if person.active and Permission.JUDGE in ROLE_PERMISSIONS[person.role]
        ],
        "assessors": sum(person.active and person.role == "assessor" for person in everybody),
        "endings": endings,
        "queries": shown[start : start + _ON_A_PAGE],
        "start": start,
        "later": start + _ON_A_PAGE if len(shown) > start + _ON_A_PAGE else None,
        "earlier": max(start - _ON_A_PAGE, 0) if start else None,
        "lacking": lacking,
        "overlap": project.setting("overlap", ""),
    }
    return render_page(request, "assignments.html", values, visitor=visitor)


@pages.post("/deal")
def deal_form(
    request: Request,
    visitor: Administrator,
    by: Annotated[By, Form()] = "query",
    anew: Annotated[bool, Form()] = False,
) -> Response:
    _distribute(request, visitor, by, None, anew=anew)
    return redirect("/assignments")


@pages.post("/overlap")
def overlap_form(
    request: Request, visitor: Administrator, overlap: Annotated[str, Form(max_length=20)]
) -> Response:
    with database(request).writing() as connection:
        assignment.set_overlap(connection, visitor.actor, overlap)
    return redirect("/assignments")


class RemoveForm(BaseModel):
    """A person of a query, and the page that shows it."""

    query: Annotated[str, Field(max_length=LONGEST_QUERY)]
    person: Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]
    back: Annotated[int, Field(ge=0, le=LARGEST_INTEGER)] = 0
    lacking: bool = False


class AssignForm(RemoveForm):
    """The same with the part of the query."""

    part: Part = "all"


@pages.post("/add")
def assign_form(
    request: Request, visitor: Administrator, form: Annotated[AssignForm, Form()]
) -> Response:
    return _to_query(form, _assign(request, visitor, form.query, form.person, form.part))


@pages.post("/remove")
def remove_form(
    request: Request, visitor: Administrator, form: Annotated[RemoveForm, Form()]
) -> Response:
    return _to_query(form, _assign(request, visitor, form.query, form.person, None))


def _to_query(form: RemoveForm, query: int) -> Response:
    parameters = {"start": form.back} if form.back else {}
    page = urlencode(parameters | ({"lacking": "true"} if form.lacking else {}))
    return redirect(f"/assignments{'?' if page else ''}{page}#query-{query}")
