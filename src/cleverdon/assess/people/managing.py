"""What is done to accounts, with its line in the audit log; pages, calls and commands share it."""

from __future__ import annotations

from sqlalchemy import Connection

from cleverdon.assess.people import accounts, tokens
from cleverdon.assess.people.accounts import Person
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.people.entering import set_password
from cleverdon.assess.people.signing_in import end_all, end_visit, new_link
from cleverdon.assess.people.tokens import Token
from cleverdon.assess.refusals import Conflict


def add(connection: Connection, by: Actor, name: str, role: str) -> tuple[Person, str]:
    """A new account, and the key of its sign-in link."""
    person = accounts.add_person(connection, name, role)
    by.note(connection, "added a person", f"{person.name}, {role}")
    return person, new_link(connection, person.id)


def change_role(connection: Connection, by: Actor, person: int, role: str) -> Person:
    """Give somebody another role."""
    changed = accounts.change_role(connection, person, role)
    by.note(connection, "changed a role", f"{changed.name}, {role}")
    return changed


def set_active(connection: Connection, by: Actor, person: int, *, active: bool) -> Person:
    """Let somebody in no longer, or again."""
    if active:
        changed = accounts.reactivate(connection, person)
    else:
        changed = accounts.deactivate(connection, person)
    by.note(connection, "reactivated" if active else "deactivated", changed.name)
    return changed


def renew_link(
    connection: Connection, by: Actor, person: int, *, forget_password: bool = False
) -> tuple[Person, str]:
    """A new sign-in link's key: the link before it ends, and on demand the password and visits."""
    found = accounts.person_of(connection, person)
    if not found.active:
        raise Conflict(f"{found.name} is deactivated: reactivate the account first")
    if forget_password:
        set_password(connection, person, None)
        by.note(connection, "took a password away", found.name)
    by.note(connection, "made a sign-in link", found.name)
    return accounts.person_of(connection, person), new_link(connection, person)


def make_token(
    connection: Connection, by: Actor, person: int, name: str, *, days: int | None
) -> tuple[Token, str]:
    """A new token of a person, and its key."""
    made, key = tokens.new_token(connection, person, name, days=days)
    of = accounts.person_of(connection, person).name
    by.note(connection, "made a token", f"{made.name}, of {of}")
    return made, key


def revoke_token(connection: Connection, by: Actor, person: int, token: int) -> None:
    """End a token of a person."""
    ended = tokens.revoke_token(connection, person, token)
    of = accounts.person_of(connection, person).name
    by.note(connection, "revoked a token", f"{ended.name}, of {of}")


def sign_out(
    connection: Connection, by: Actor, person: int, *, visit: str, everywhere: bool = False
) -> None:
    """End one visit, or all of a person's, and then the sign-in link as well."""
    if everywhere:
        end_all(connection, person)
    else:
        end_visit(connection, visit)
    by.note(connection, "signed out", "everywhere" if everywhere else "")
