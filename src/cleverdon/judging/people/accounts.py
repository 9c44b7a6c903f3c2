"""Accounts, which are never deleted, and the audit log of what their owners did.

A line of the log is written in the same transaction as the change.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from cleverdon.errors import suggest
from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.people import ROLE_PERMISSIONS
from cleverdon.judging.store.schema import audit, people

SIGNED_IN = "signed in"  # the action in the log
LONGEST_NAME = 100
_FORMULAS = ("=", "+", "-", "@")  # in spreadsheets, which read names from exported tables


@dataclass(frozen=True)
class Actor:
    """A person or a program that does something, and its address."""

    name: str
    address: str = ""
    token: str = ""  # the name of the token, if a program does it

    def note(self, connection: Connection, action: str, about: str = "") -> None:
        """Add an action to the log; the log shows if a program did it with a token."""
        actor = f"{self.name}, by token {self.token}" if self.token else self.name
        write_audit_line(connection, actor, action, about, address=self.address)


COMMAND_LINE = Actor("command line")


@dataclass(frozen=True)
class AuditLine:
    """A line of the log."""

    id: int
    made_at: float
    actor: str
    action: str
    about: str
    address: str


def write_audit_line(
    connection: Connection, actor: str, action: str, about: str = "", *, address: str = ""
) -> None:
    """Add a line to the log; `actor` is empty if nobody is known."""
    line = {"actor": actor, "action": action, "about": about, "address": address}
    connection.execute(insert(audit).values(made_at=clock.now(), **line))


def audit_lines(connection: Connection, *, n: int, before: int | None = None) -> list[AuditLine]:
    """Return the last `n` lines, the newest first; `before` is the id of one that is known."""
    wanted = select(audit).order_by(audit.c.id.desc()).limit(n)
    if before is not None:
        wanted = wanted.where(audit.c.id < before)
    return [AuditLine(**row._mapping) for row in connection.execute(wanted)]


@dataclass(frozen=True)
class Person:
    """A person with an account."""

    id: int
    name: str
    role: str
    active: bool
    has_password: bool = False
    created_at: float = 0.0


def normalized_name(name: str) -> str:
    """Return a name as it is stored: in NFC, without spaces around it."""
    return unicodedata.normalize("NFC", name).strip()


def check_name(name: str) -> str:
    """Return a name as it is stored; refuse one that is empty, long or has control characters."""
    name = normalized_name(name)
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise Invalid(f"a name has 1 to {LONGEST_NAME} characters, on one line")
    return name


def confusable_form(name: str) -> str:
    """Return a form that is the same for names that people would confuse."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())


def check_new_name(connection: Connection, name: str) -> None:
    """Refuse a name that looks like another one, or that a spreadsheet would compute."""
    if confusable_form(name).startswith(_FORMULAS):
        raise Invalid(f"{name!r} is a formula to spreadsheets: begin it with a letter or a digit")
    if confusable_form(name) == confusable_form(COMMAND_LINE.name):
        raise Invalid(f"{name!r} is the name of the command line in the audit log")
    for taken in connection.execute(select(people.c.name)).scalars():
        if confusable_form(name) == confusable_form(taken):
            more = "" if name == taken else f", which looks like {name!r}"
            raise Conflict(f"there is a {taken!r} already{more}: names are used once")


def add_person(connection: Connection, name: str, role: str) -> Person:
    """Add an account; to sign in, the person needs a link or a password."""
    name = check_name(name)
    check_role(role)
    check_new_name(connection, name)
    row = {"name": name, "kind": "person", "role": role, "active": True}
    now = clock.now()
    added = connection.execute(insert(people).values(**row, created_at=now))
    assert added.inserted_primary_key is not None
    return Person(added.inserted_primary_key.id, name, role, True, created_at=now)


def all_people(connection: Connection) -> list[Person]:
    """Return everybody with an account, by name."""
    found = (_person(row) for row in connection.execute(_persons()))
    return sorted(found, key=lambda person: name_order(person.name))


def name_order(name: str) -> tuple[str, str]:
    """Return the sort key of a name, the same for every database."""
    return name.casefold(), name


def person_named(connection: Connection, name: str) -> Person:
    found = connection.execute(_persons().where(people.c.name == normalized_name(name))).first()
    if found is None:
        known = connection.execute(select(people.c.name).where(people.c.kind == "person"))
        raise NotFound(f"there is nobody called {name!r}{suggest(name, known.scalars())}")
    return _person(found)


def person_by_id(connection: Connection, person: int) -> Person:
    found = connection.execute(_persons().where(people.c.id == person)).first()
    if found is None:
        raise NotFound(f"there is no person {person}")
    return _person(found)


def store_password(connection: Connection, person: int, stored: str | None) -> None:
    """Store what `hash_password` returned; None removes the password."""
    connection.execute(update(people).where(people.c.id == person).values(password=stored))


def stored_password(connection: Connection, person: int) -> str | None:
    """Return the stored hash of a person's password."""
    wanted = select(people.c.password).where(people.c.id == person)
    return connection.execute(wanted).scalar_one_or_none()


def _persons() -> Any:
    return select(people).where(people.c.kind == "person")


def _person(row: Row[Any]) -> Person:
    has_password = row.password is not None
    return Person(row.id, row.name, row.role, row.active, has_password, row.created_at)


def check_role(role: str) -> None:
    """Refuse an unknown role."""
    if role not in ROLE_PERMISSIONS:
        raise Invalid(f"the role {role!r} is not known{suggest(role, ROLE_PERMISSIONS)}")
