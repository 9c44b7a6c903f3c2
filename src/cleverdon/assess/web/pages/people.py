"""For administrators: who has an account, with which role, sign-in links, and the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from cleverdon.assess.people import managing
from cleverdon.assess.people.accounts import LONGEST_NAME, Person, all_people
from cleverdon.assess.people.auditing import lines
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.people.signing_in import DAY, LINK_LASTS
from cleverdon.assess.web.limits import LARGEST
from cleverdon.assess.web.origin import link_of
from cleverdon.assess.web.rendering import page
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter(prefix="/people")

Administrator = Annotated[Visitor, Needs(Right.MANAGE)]
PersonId = Annotated[int, Path(ge=1, le=LARGEST)]
Role = Annotated[str, Form(max_length=LONGEST_NAME)]

_LINES = 100
"""Lines of the audit log on a page."""


@router.get("")
def people(request: Request, visitor: Administrator) -> Response:
    return _page(request, visitor)


@router.post("")
def add(
    request: Request,
    visitor: Administrator,
    name: Annotated[str, Form(max_length=LONGEST_NAME)],
    role: Role,
) -> Response:
    with request.app.state.project.database.writing() as connection:
        person, key = managing.add(connection, visitor.actor, name, role)
    return _page(request, visitor, person=person, link=link_of(request, key))


@router.post("/{person}/link")
def link(
    request: Request,
    visitor: Administrator,
    person: PersonId,
    forget_password: Annotated[bool, Form()] = False,
) -> Response:
    with request.app.state.project.database.writing() as connection:
        of, key = managing.renew_link(
            connection, visitor.actor, person, forget_password=forget_password
        )
    return _page(request, visitor, person=of, link=link_of(request, key))


@router.post("/{person}/role")
def role(request: Request, visitor: Administrator, person: PersonId, role: Role) -> Response:
    with request.app.state.project.database.writing() as connection:
        managing.change_role(connection, visitor.actor, person, role)
    return RedirectResponse("/people", status_code=303)


@router.post("/{person}/deactivate")
def deactivate(request: Request, visitor: Administrator, person: PersonId) -> Response:
    return _set_active(request, visitor, person, active=False)


@router.post("/{person}/reactivate")
def reactivate(request: Request, visitor: Administrator, person: PersonId) -> Response:
    return _set_active(request, visitor, person, active=True)


@router.get("/audit")
def audit(
    request: Request,
    visitor: Administrator,
    before: Annotated[int | None, Query(ge=1, le=LARGEST)] = None,
) -> Response:
    with request.app.state.project.database.reading() as connection:
        found = lines(connection, n=_LINES, before=before)
    earlier = found[-1].id if len(found) == _LINES else None
    values = {"lines": found, "earlier": earlier, "before": before}
    return page(request, "audit.html", values, visitor=visitor)


def _set_active(request: Request, visitor: Visitor, person: int, *, active: bool) -> Response:
    with request.app.state.project.database.writing() as connection:
        managing.set_active(connection, visitor.actor, person, active=active)
    return RedirectResponse("/people", status_code=303)


def _page(
    request: Request, visitor: Visitor, *, person: Person | None = None, link: str = ""
) -> Response:
    """The page; `link` is the new one of a person, which is shown this once."""
    with request.app.state.project.database.reading() as connection:
        found = all_people(connection)
    values = {
        "people": found,
        "roles": list(RIGHTS),
        "person": person,
        "link": link,
        "days": int(LINK_LASTS / DAY),
    }
    return page(request, "people.html", values, visitor=visitor)
