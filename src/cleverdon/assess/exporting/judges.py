"""Whose judgments go into what is exported: people's, and others only where they are named."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, select

from cleverdon.assess.refusals import NotThere
from cleverdon.assess.store.schema import people
from cleverdon.assess.watching.labels import HUMAN, KINDS, LabelRow, label_rows
from cleverdon.errors import suggest


def chosen_rows(connection: Connection, *, others: Collection[str] = ()) -> list[LabelRow]:
    """The grades of people, and of the models and earlier judgments that `others` names."""
    check_names(connection, others, kinds=("model", "earlier"))
    rows = label_rows(connection, KINDS if others else HUMAN)
    return [row for row in rows if row.kind == "person" or row.judge in others]


def check_names(connection: Connection, names: Collection[str], *, kinds: Collection[str]) -> None:
    """Raise a NotThere for the first name that none of these judges has."""
    if not names:
        return
    known = connection.execute(
        select(people.c.name).where(people.c.kind.in_(kinds)).order_by(people.c.id)
    )
    listed = list(known.scalars())
    one, several = "model, nor earlier judgments,", "models or earlier judgments"
    if "person" in kinds:
        one, several = "person", "judges"
    for name in names:
        if name not in listed:
            hint = suggest(name, listed) if listed else f"; the project has no {several}"
            raise NotThere(f"there is no {one} called {name!r}{hint}")


def pseudonyms(connection: Connection) -> Mapping[str, str]:
    """A1, A2, ... for people, in the order of their accounts; models keep their names."""
    persons = connection.execute(
        select(people.c.name).where(people.c.kind == "person").order_by(people.c.id)
    )
    return {name: f"A{number}" for number, name in enumerate(persons.scalars(), start=1)}
