"""Calls of administrators: accounts, sign-in links, the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request

from cleverdon.assess.people import managing
from cleverdon.assess.people.accounts import Person, all_people, person_of
from cleverdon.assess.people.auditing import lines
from cleverdon.assess.people.rights import Right
from cleverdon.assess.web.api.models import failing
from cleverdon.assess.web.api.people_models import (
    ChangeModel,
    LineModel,
    LinesModel,
    LinkModel,
    NewLinkModel,
    NewPersonModel,
    PeopleModel,
    PersonModel,
)
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.origin import link_of
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(tags=["people"])

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
PersonId = Annotated[int, Path(ge=1, le=LARGEST)]


@router.get("/people", summary="All accounts", responses=failing())
def people(request: Request, visitor: Administrator) -> PeopleModel:
    """Everybody with an account, by name, those who are deactivated included."""
    with request.app.state.project.database.reading() as connection:
        return PeopleModel(people=[_model(person) for person in all_people(connection)])


@router.post("/people", summary="Add a person", status_code=201, responses=failing(409))
def add(request: Request, visitor: Administrator, wanted: NewPersonModel) -> LinkModel:
    """A new account, and the link by which the person signs in."""
    with request.app.state.project.database.writing() as connection:
        person, key = managing.add(connection, visitor.actor, wanted.name, wanted.role)
    return LinkModel(person=_model(person), link=link_of(request, key))


@router.patch(
    "/people/{person}", summary="Change a role, or deactivate", responses=failing(404, 409)
)
def change(
    request: Request, visitor: Administrator, person: PersonId, wanted: ChangeModel
) -> PersonModel:
    """Who is deactivated is signed out, and their link and tokens end; their judgments stay.

    A token cannot change its own person.
    """
    if person == visitor.person:
        visitor.check_no_program()
    with request.app.state.project.database.writing() as connection:
        if wanted.role is not None:
            managing.change_role(connection, visitor.actor, person, wanted.role)
        if wanted.active is not None:
            managing.set_active(connection, visitor.actor, person, active=wanted.active)
        return _model(person_of(connection, person))


@router.post(
    "/people/{person}/link",
    summary="Make a sign-in link",
    status_code=201,
    responses=failing(404, 409),
)
def link(
    request: Request, visitor: Administrator, person: PersonId, wanted: NewLinkModel
) -> LinkModel:
    """A new personal link, which lasts 30 days; the one before it ends.

    A token makes none for its own person, and takes no password away.
    """
    if person == visitor.person or wanted.forget_password:
        visitor.check_no_program()
    with request.app.state.project.database.writing() as connection:
        of, key = managing.renew_link(
            connection, visitor.actor, person, forget_password=wanted.forget_password
        )
    return LinkModel(person=_model(of), link=link_of(request, key))


@router.get("/audit", summary="The audit log", responses=failing())
def audit(
    request: Request,
    visitor: Administrator,
    before: Annotated[
        int | None, Query(ge=1, le=LARGEST, description="The id of a line: those before it.")
    ] = None,
    n: Annotated[int, Query(ge=1, le=1000, description="How many lines.")] = 100,
) -> LinesModel:
    """Who did what to accounts, assignments, settings and exports, and who signed in."""
    with request.app.state.project.database.reading() as connection:
        found = lines(connection, n=n, before=before)
    return LinesModel(
        lines=[LineModel(**vars(line)) for line in found],
        earlier=found[-1].id if len(found) == n else None,
    )


def _model(person: Person) -> PersonModel:
    return PersonModel.model_validate(vars(person))
