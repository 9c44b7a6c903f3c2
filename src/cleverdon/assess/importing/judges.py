"""Judges whose judgments were made elsewhere: each is one of the people here."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from cleverdon.assess import clock
from cleverdon.assess.people.accounts import check_name, check_new_name, person_named, tidied
from cleverdon.assess.refusals import Conflict
from cleverdon.assess.store.schema import people


def stored_name(name: str, kind: str) -> str:
    """A name as it is stored; of a person, who has it already, nothing is asked of it."""
    return tidied(name) if kind == "person" else check_name(name)


def known_judge(connection: Connection, name: str, kind: str) -> int | None:
    """The number of a judge; None where nobody is called so. Persons have accounts."""
    if kind == "person":
        return person_named(connection, name).id
    found = connection.execute(
        select(people.c.id, people.c.kind).where(people.c.name == name)
    ).first()
    if found is None:
        check_new_name(connection, name)
        return None
    if found.kind != kind:
        what = "a person with an account" if found.kind == "person" else f"of kind {found.kind}"
        raise Conflict(
            f"{name!r} is {what}: give these judgments another name, or import them as {found.kind}"
        )
    return int(found.id)


def add_judge(connection: Connection, name: str, kind: str) -> int:
    """The number of a judge who was not here before."""
    row = {"name": name, "kind": kind, "active": True, "created_at": clock.now()}
    added = connection.execute(insert(people).values(**row)).inserted_primary_key
    assert added is not None
    return int(added.id)
