"""People who have an account: added, given a role, deactivated. Nobody is ever deleted."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from cleverdon.assess import clock
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.people.rights import RIGHTS
from cleverdon.assess.refusals import Conflict, Invalid, NotThere
from cleverdon.assess.store.schema import leases, links, people, tokens, visits
from cleverdon.errors import suggest

LONGEST_NAME = 100

_FORMULAS = ("=", "+", "-", "@")
"""What spreadsheets take for the beginning of a formula; names are in tables that are exported."""


@dataclass(frozen=True)
class Person:
    """A person with an account."""

    id: int
    name: str
    role: str
    active: bool
    has_password: bool = False
    created_at: float = 0.0


def tidied(name: str) -> str:
    """A name as it is stored: the same from whichever keyboard, without spaces around it."""
    return unicodedata.normalize("NFC", name).strip()


def check_name(name: str) -> str:
    """A name as it is stored, if it can be one."""
    name = tidied(name)
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(f"a name has 1 to {LONGEST_NAME} characters, on one line")
    return name


def alike(name: str) -> str:
    """What is the same of names that people would take for one another.

    >>> alike("Ann") == alike("\uff21\uff2e\uff2e")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def check_new_name(connection: Connection, name: str) -> None:
    """Refuse a name that is not told from another, or that a spreadsheet would compute."""
    if alike(name).startswith(_FORMULAS):
        raise Invalid(f"{name!r} is a formula to spreadsheets: begin it with a letter or a digit")
    if alike(name) == alike(COMMAND_LINE.name):
        raise Invalid(f"{name!r} is what the audit log calls whoever works in a shell")
    for taken in connection.execute(select(people.c.name)).scalars():
        if alike(name) == alike(taken):
            more = "" if name == taken else f", which looks like {name!r}"
            raise Conflict(f"there is a {taken!r} already{more}: names are used once")


def add_person(connection: Connection, name: str, role: str) -> Person:
    """A new account, which nobody can sign in to until it has a link or a password."""
    name = check_name(name)
    _check_role(role)
    check_new_name(connection, name)
    row = {"name": name, "kind": "person", "role": role, "active": True}
    now = clock.now()
    added = connection.execute(insert(people).values(**row, created_at=now))
    assert added.inserted_primary_key is not None
    return Person(added.inserted_primary_key.id, name, role, True, created_at=now)


def all_people(connection: Connection) -> list[Person]:
    """Everybody with an account, by name."""
    found = (_person(row) for row in connection.execute(_persons()))
    return sorted(found, key=lambda person: by_name(person.name))


def by_name(name: str) -> tuple[str, str]:
    """By what people are listed, whichever database sorts names in whichever way."""
    return name.casefold(), name


def person_named(connection: Connection, name: str) -> Person:
    """The person of this name."""
    found = connection.execute(_persons().where(people.c.name == tidied(name))).first()
    if found is None:
        known = connection.execute(select(people.c.name).where(people.c.kind == "person"))
        raise NotThere(f"there is nobody called {name!r}{suggest(name, known.scalars())}")
    return _person(found)


def person_of(connection: Connection, person: int) -> Person:
    """The person with this number."""
    found = connection.execute(_persons().where(people.c.id == person)).first()
    if found is None:
        raise NotThere(f"there is no person {person}")
    return _person(found)


def change_role(connection: Connection, person: int, role: str) -> Person:
    """Give a person another role; what they judged and what is assigned to them stays."""
    _check_role(role)
    before = person_of(connection, person)
    if before.active and before.role == "administrator" != role:
        _keep_one_administrator(connection, before)
    connection.execute(update(people).where(people.c.id == person).values(role=role))
    return person_of(connection, person)


def deactivate(connection: Connection, person: int) -> Person:
    """Let a person in no longer: whatever they could sign in by is gone, their judgments stay."""
    before = person_of(connection, person)
    if before.active and before.role == "administrator":
        _keep_one_administrator(connection, before)
    for table in (visits, links, tokens, leases):
        connection.execute(delete(table).where(table.c.person_id == person))
    connection.execute(update(people).where(people.c.id == person).values(active=False))
    return person_of(connection, person)


def reactivate(connection: Connection, person: int) -> Person:
    """Let a person in again, by the password, or by a new link."""
    person_of(connection, person)
    connection.execute(update(people).where(people.c.id == person).values(active=True))
    return person_of(connection, person)


def store_password(connection: Connection, person: int, stored: str | None) -> None:
    """Keep what `passwords.hashed` gave; None takes the password away."""
    connection.execute(update(people).where(people.c.id == person).values(password=stored))


def stored_password(connection: Connection, person: int) -> str | None:
    """What is kept of a person's password."""
    wanted = select(people.c.password).where(people.c.id == person)
    found: str | None = connection.execute(wanted).scalar_one_or_none()
    return found


def _persons() -> Any:
    return select(people).where(people.c.kind == "person")


def _person(row: Row[Any]) -> Person:
    has_password = row.password is not None
    return Person(row.id, row.name, row.role, row.active, has_password, row.created_at)


def _check_role(role: str) -> None:
    if role not in RIGHTS:
        raise Invalid(f"the role {role!r} is not known{suggest(role, RIGHTS)}")


def _keep_one_administrator(connection: Connection, leaving: Person) -> None:
    """One writes at a time, so nobody else can leave between the count and what follows."""
    others = _persons().where(
        people.c.role == "administrator", people.c.active, people.c.id != leaving.id
    )
    if not connection.execute(select(func.count()).select_from(others.subquery())).scalar_one():
        raise Conflict(
            f"{leaving.name} is the only administrator: make somebody else one first, or nobody "
            "could let people in"
        )
