"""People who have an account."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from cleverdon.assess import clock
from cleverdon.assess.people.rights import RIGHTS
from cleverdon.assess.refusals import Conflict, Invalid, NotThere
from cleverdon.assess.store.schema import people
from cleverdon.errors import suggest

LONGEST_NAME = 100


@dataclass(frozen=True)
class Person:
    """A person with an account."""

    id: int
    name: str
    role: str
    active: bool


def add_person(connection: Connection, name: str, role: str) -> Person:
    """A new account, which nobody can sign in to until it has a link or a password."""
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(f"a name has 1 to {LONGEST_NAME} characters, on one line")
    if role not in RIGHTS:
        raise Invalid(f"the role {role!r} is not known{suggest(role, RIGHTS)}")
    if connection.execute(select(people.c.id).where(people.c.name == name)).first():
        raise Conflict(f"there is a {name!r} already: names are used once")
    row = {"name": name, "kind": "person", "role": role, "active": True}
    added = connection.execute(insert(people).values(**row, created_at=clock.now()))
    assert added.inserted_primary_key is not None
    return Person(added.inserted_primary_key.id, name, role, True)


def person_named(connection: Connection, name: str) -> Person:
    """The person of this name."""
    found = connection.execute(
        select(people).where(people.c.name == name, people.c.kind == "person")
    ).first()
    if found is None:
        known = connection.execute(select(people.c.name).where(people.c.kind == "person"))
        raise NotThere(f"there is nobody called {name!r}{suggest(name, known.scalars())}")
    return Person(found.id, found.name, found.role, found.active)
