"""Routes of accounts, sign-in links and the audit log, for administrators."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.responses import Response

from cleverdon.judging.people import ROLE_PERMISSIONS, administration
from cleverdon.judging.people.accounts import (
    LONGEST_NAME,
    AuditLine,
    Person,
    all_people,
    audit_lines,
    person_by_id,
)
from cleverdon.judging.people.sessions import DAY, LINK_LASTS, sign_in_link
from cleverdon.judging.web.authorization import Administrator, Visitor
from cleverdon.judging.web.responses import render_page
from cleverdon.judging.web.routes import (
    LARGEST_INTEGER,
    Name,
    ResponseModel,
    RoleName,
    StrictModel,
    database,
    errors,
    redirect,
)


class PeopleModel(ResponseModel):
    """All accounts."""

    people: list[Person]


class NewPersonModel(StrictModel):
    """An account to create."""

    name: Name
    role: RoleName


class ChangeModel(StrictModel):
    """Changes of an account; omitted fields stay as they are."""

    role: RoleName | None = None
    active: bool | None = None


class NewLinkModel(StrictModel):
    """A sign-in link to create."""

    forget_password: bool = False
    """Also delete the password and end all sessions."""


class LinkModel(ResponseModel):
    """An account and its new sign-in link."""

    person: Person
    link: str
    """The full URL; it is shown only once."""


class AuditModel(ResponseModel):
    """Lines of the audit log, the newest first."""

    lines: list[AuditLine]
    earlier: int | None
    """`before` of the next page, if there is one."""


api = APIRouter(tags=["people"])

_PersonId = Annotated[int, Path(ge=1, le=LARGEST_INTEGER)]
_Before = Annotated[
    int | None,
    Query(ge=1, le=LARGEST_INTEGER, description="Only lines before the one with this id."),
]


@api.get("/people", summary="All accounts")
def people(request: Request, visitor: Administrator) -> PeopleModel:
    """List all accounts by name, including deactivated ones."""
    with database(request).reading() as connection:
        return PeopleModel(people=all_people(connection))


@api.post("/people", summary="Add a person", status_code=201, responses=errors(409))
def add(request: Request, visitor: Administrator, wanted: NewPersonModel) -> LinkModel:
    """Create an account and the sign-in link of the person."""
    return _add(request, visitor, wanted.name, wanted.role)


@api.patch("/people/{person}", summary="Change a role, or deactivate", responses=errors(404, 409))
def change(
    request: Request, visitor: Administrator, person: _PersonId, wanted: ChangeModel
) -> Person:
    """Change a role, deactivate or reactivate.

    Deactivating signs the person out and revokes their link and tokens; their judgments stay.

    A token cannot change its own person.
    """
    if person == visitor.person:
        visitor.refuse_token()
    with database(request).writing() as connection:
        if wanted.role is not None:
            administration.change_role(connection, visitor.actor, person, wanted.role)
        if wanted.active is not None:
            administration.set_active(connection, visitor.actor, person, active=wanted.active)
        return person_by_id(connection, person)


@api.post(
    "/people/{person}/link",
    summary="Create a sign-in link",
    status_code=201,
    responses=errors(404, 409),
)
def link(
    request: Request, visitor: Administrator, person: _PersonId, wanted: NewLinkModel
) -> LinkModel:
    """Create a personal link that is valid for 30 days; the previous one becomes invalid.

    A token cannot do this for its own person, and cannot delete a password.
    """
    if person == visitor.person or wanted.forget_password:
        visitor.refuse_token()
    return _renew_link(request, visitor, person, forget_password=wanted.forget_password)


def _add(request: Request, visitor: Visitor, name: str, role: str) -> LinkModel:
    with database(request).writing() as connection:
        added = administration.add_account(connection, visitor.actor, name, role)
    return _link(request, *added)


def _renew_link(
    request: Request, visitor: Visitor, person: int, *, forget_password: bool
) -> LinkModel:
    with database(request).writing() as connection:
        renewed = administration.renew_link(
            connection, visitor.actor, person, forget_password=forget_password
        )
    return _link(request, *renewed)


def _link(request: Request, person: Person, key: str) -> LinkModel:
    # The URL depends on no header of the request: a link to another host would reveal its key.
    return LinkModel(person=person, link=sign_in_link(request.app.state.url, key))


@api.get("/audit", summary="The audit log")
def audit(
    request: Request,
    visitor: Administrator,
    before: _Before = None,
    n: Annotated[int, Query(ge=1, le=1000, description="The number of lines.")] = 100,
) -> AuditModel:
    """List changes of accounts, assignments and settings, exports and sign-ins."""
    with database(request).reading() as connection:
        found = audit_lines(connection, n=n, before=before)
    return AuditModel(lines=found, earlier=found[-1].id if len(found) == n else None)


pages = APIRouter(prefix="/people")

_Role = Annotated[str, Form(max_length=LONGEST_NAME)]


@pages.get("")
def people_page(request: Request, visitor: Administrator) -> Response:
    return _page(request, visitor)


@pages.post("")
def add_form(
    request: Request,
    visitor: Administrator,
    name: Annotated[str, Form(max_length=LONGEST_NAME)],
    role: _Role,
) -> Response:
    return _page(request, visitor, _add(request, visitor, name, role))


@pages.post("/{person}/link")
def link_form(
    request: Request,
    visitor: Administrator,
    person: _PersonId,
    forget_password: Annotated[bool, Form()] = False,
) -> Response:
    link = _renew_link(request, visitor, person, forget_password=forget_password)
    return _page(request, visitor, link)


@pages.post("/{person}/role")
def role_form(request: Request, visitor: Administrator, person: _PersonId, role: _Role) -> Response:
    with database(request).writing() as connection:
        administration.change_role(connection, visitor.actor, person, role)
    return redirect("/people")


@pages.post("/{person}/deactivate")
def deactivate_form(request: Request, visitor: Administrator, person: _PersonId) -> Response:
    change(request, visitor, person, ChangeModel(active=False))
    return redirect("/people")


@pages.post("/{person}/reactivate")
def reactivate_form(request: Request, visitor: Administrator, person: _PersonId) -> Response:
    change(request, visitor, person, ChangeModel(active=True))
    return redirect("/people")


@pages.get("/audit")
def audit_page(request: Request, visitor: Administrator, before: _Before = None) -> Response:
    found = audit(request, visitor, before)
    values = {"lines": found.lines, "earlier": found.earlier, "before": before}
    return render_page(request, "audit.html", values, visitor=visitor)


def _page(request: Request, visitor: Visitor, new: LinkModel | None = None) -> Response:
    """Render the page, with a `new` link, which is shown only once."""
    with database(request).reading() as connection:
        found = all_people(connection)
    values = {
        "people": found,
        "roles": list(ROLE_PERMISSIONS),
        "new": new,
        "days": int(LINK_LASTS / DAY),
    }
    return render_page(request, "people.html", values, visitor=visitor)
