"""The first administrator: somebody has to be let in by whoever has the project's folder."""

from __future__ import annotations

import getpass

from sqlalchemy import Connection, exists, select

from cleverdon.assess.people import managing
from cleverdon.assess.people.accounts import Person, alike, all_people
from cleverdon.assess.people.auditing import COMMAND_LINE, SIGNED_IN
from cleverdon.assess.refusals import Conflict
from cleverdon.assess.store.schema import audit

_NAME = "admin"


def first_administrator(
    connection: Connection, name: str | None = None
) -> tuple[Person, str] | None:
    """The first administrator and a new link's key; None once an administrator has signed in.

    Where there is none yet, one is made: of the name that is given, or of this system's user.
    """
    people = {person.name: person for person in all_people(connection)}
    there = [one for one in people.values() if one.role == "administrator" and one.active]
    names = [one.name for one in there]
    signed_in = exists().where(audit.c.action == SIGNED_IN, audit.c.actor.in_(names))
    if connection.execute(select(signed_in)).scalar():
        return None
    if there and (name is None or name in names):
        chosen = people[name] if name else there[0]
        return managing.renew_link(connection, COMMAND_LINE, chosen.id)
    if name in people:
        raise Conflict(
            f"{name} has an account, and is no administrator: change the role by "
            f"`cleverdon judge people DIR --change {name} --role administrator`"
        )
    return managing.add(connection, COMMAND_LINE, name or _free_name(people), "administrator")


def _free_name(taken: dict[str, Person]) -> str:
    """The user of this system, where it is nobody's name yet."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # there are systems without users
        user = _NAME
    names = (user, _NAME, *(f"{_NAME}{number}" for number in range(2, len(taken) + 3)))
    known = {alike(name) for name in taken}
    return next(each for each in names if alike(each) not in known)
