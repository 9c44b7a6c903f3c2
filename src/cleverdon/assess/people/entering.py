"""Signing in, by a password or by a link, and changing one's password.

Comparing a password takes a while on purpose, so it is done between two transactions: nobody's
judgment waits for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, select

from cleverdon.assess.people import passwords
from cleverdon.assess.people.accounts import store_password, stored_password
from cleverdon.assess.people.auditing import SIGNED_IN, Actor, note
from cleverdon.assess.people.keys import is_device_key, new_device_key
from cleverdon.assess.people.signing_in import end_all, new_visit, of_link, of_visit
from cleverdon.assess.refusals import NotAllowed
from cleverdon.assess.store import Database
from cleverdon.assess.store.schema import people


def by_password(database: Database, name: str, password: str, *, address: str) -> str | None:
    """The key of a new visit, or None where name and password do not belong together."""
    with database.reading() as connection:
        found = _active(connection, name)
    stored = found.password if found else None
    right = passwords.is_right(stored, password)
    renewed = None
    if right and stored and passwords.is_outdated(stored):
        renewed = passwords.hashed(password)
    with database.writing() as connection:
        # Written as for a wrong password, since writing takes a while too. What was typed is not
        # kept: people type passwords into the wrong field.
        if found is None:
            note(connection, "", "could not sign in", "unknown name", address=address)
            return None
        # Whoever was deactivated meanwhile, or has another password, is not let in.
        if not right or _active(connection, name) != found:
            note(connection, found.name, "could not sign in", "wrong password", address=address)
            return None
        if renewed:
            store_password(connection, found.id, renewed)
        note(connection, found.name, SIGNED_IN, "by password", address=address)
        return new_visit(connection, found.id)


def by_link(database: Database, key: str, *, address: str) -> str | None:
    """The key of a new visit, or None where the link does not hold, or no longer."""
    with database.writing() as connection:
        known = of_link(connection, key)
        if known is None:
            return None
        note(connection, known.name, SIGNED_IN, "by link", address=address)
        return new_visit(connection, known.person)


def change_password(
    database: Database,
    person: int,
    *,
    by: Actor,
    old: str,
    new: str,
    visit: str,
    keep_link: bool = False,
) -> None:
    """Set one's new password, which takes the old one where there is one.

    Other visits end, and so does the sign-in link unless `keep_link`.
    """
    with database.reading() as connection:
        before = stored_password(connection, person)
    if before is not None and not passwords.is_right(before, old):
        with database.writing() as connection:
            by.note(connection, "could not change the password", "wrong password")
        raise NotAllowed("the old password is another one")
    stored = passwords.hashed(new, name=by.name)
    with database.writing() as connection:
        if stored_password(connection, person) != before:
            raise NotAllowed("the password was changed meanwhile")
        set_password(connection, person, stored, but=visit, keep_link=keep_link)
        by.note(connection, "changed the password", by.name)


def set_password(
    connection: Connection,
    person: int,
    stored: str | None,
    *,
    but: str = "",
    keep_link: bool = False,
) -> None:
    """Keep a new password, or none; whatever else lets the person in ends, but the visit `but`."""
    store_password(connection, person, stored)
    end_all(connection, person, but=but, keep_link=keep_link)


def is_known_device(database: Database, name: str, device: str) -> bool:
    """Whether the person of this name has signed in on the device that has this key."""
    with database.reading() as connection:
        found = _active(connection, name)
    return bool(found and found.password and is_device_key(device, found.password))


def device_key(database: Database, visit: str) -> str | None:
    """A key for the device of a visit; None for somebody without a password, who needs none."""
    with database.reading() as connection:
        known = of_visit(connection, visit)
        stored = None if known is None else stored_password(connection, known.person)
    return None if stored is None else new_device_key(stored)


def note_held_off(database: Database, what: str, address: str, name: str) -> None:
    """Note that passwords failed too often; `what` is the kind that `limiting.Key` counts by.

    A name that nobody has is not written down: it may be a password.
    """
    action = "is slowed down" if what in ("address", "name") else "is held off"
    with database.writing() as connection:
        if what == "address":
            actor, about = "", "too many failures from this address"
        elif _active(connection, name) is not None:
            actor, about = name, "too many failures with this name"
        else:
            actor, about = "", "too many failures with an unknown name"
        if what == "pair":
            about += " from this address"
        note(connection, actor, action, about, address=address)


@dataclass(frozen=True)
class _Account:
    id: int
    name: str
    password: str | None


def _active(connection: Connection, name: str) -> _Account | None:
    if not name.isprintable():
        return None  # PostgreSQL would not take it for a text
    found = connection.execute(
        select(people.c.id, people.c.name, people.c.password).where(
            people.c.name == name, people.c.kind == "person", people.c.active
        )
    ).first()
    return None if found is None else _Account(found.id, found.name, found.password)
