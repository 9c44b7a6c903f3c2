"""Rulings: how an administrator settles a document, added to a history and never changed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, insert, select

from cleverdon.assess import clock
from cleverdon.assess.judging.checking import check_said
from cleverdon.assess.judging.recording import recurring
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.refusals import Conflict, NotThere
from cleverdon.assess.scale import Scale
from cleverdon.assess.store.schema import documents, items, people, rulings, topics


@dataclass(frozen=True)
class Ruling:
    """One word of an administrator on a document; without a grade, those before are taken back."""

    id: int
    item: int
    person: str
    grade: int | None
    note: str
    made_at: float


@dataclass(frozen=True)
class Ruled:
    """What came of a ruling."""

    ruling: Ruling
    repeated: bool  # whether it had been recorded before


def rule(
    connection: Connection,
    person: int,
    *,
    request: str,
    item: int,
    grade: int | None,
    note: str = "",
    scale: Scale,
    by: Actor | None = None,
    may_recur: bool = False,
) -> Ruled:
    """Record a ruling; a second one with the same `request` changes nothing.

    `by` is the same person for the audit log, where more is known than the name; `may_recur` is as
    of what assessors say.
    """
    note = note.strip()
    check_said(request=request, grade=grade, text=note, scale=scale)
    if may_recur:
        every = select(rulings.c.request).where(rulings.c.item_id == item).order_by(rulings.c.id)
        request = recurring(request, connection.execute(every).scalars().all())
    before = connection.execute(
        select(rulings).where(rulings.c.person_id == person, rulings.c.request == request)
    ).first()
    if before is not None:
        if (before.item_id, before.grade, before.note) != (item, grade, note):
            raise Conflict(
                f"the request {request!r} was used before, for something else: each needs its own"
            )
        return Ruled(_ruling(connection, before.id), True)
    about = connection.execute(
        select(topics.c.name, documents.c.name.label("document"))
        .select_from(items)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.id == item)
    ).first()
    if about is None:
        raise NotThere(f"there is no document {item} to be judged")
    if grade is None and item not in standing_rulings(connection, among=[item]):
        raise Conflict("there is no ruling to take back")
    added = connection.execute(
        insert(rulings).values(
            request=request,
            item_id=item,
            person_id=person,
            grade=grade,
            note=note,
            made_at=clock.now(),
        )
    ).inserted_primary_key
    assert added is not None
    ruling = _ruling(connection, added.id)
    document, by = f"{about.document} of topic {about.name}", by or Actor(ruling.person)
    if grade is None:
        by.note(connection, "took a ruling back", document)
    else:
        by.note(connection, "settled a document", f"{document}, as {grade}")
    return Ruled(ruling, False)


def ruling_history(connection: Connection, item: int) -> list[Ruling]:
    """All rulings on a document, the first one first."""
    wanted = _WANTED.where(rulings.c.item_id == item).order_by(rulings.c.id)
    return [Ruling(*row) for row in connection.execute(wanted)]


def standing_rulings(
    connection: Connection, *, among: Collection[int] | None = None
) -> dict[int, Ruling]:
    """The rulings that hold, by item: of each, the last one, unless it took the others back."""
    wanted = _WANTED.where(STANDS)
    if among is not None:
        wanted = wanted.where(rulings.c.item_id.in_(among))
    return {row.item_id: Ruling(*row) for row in connection.execute(wanted)}


def _ruling(connection: Connection, number: int) -> Ruling:
    return Ruling(*connection.execute(_WANTED.where(rulings.c.id == number)).one())


STANDS = and_(
    rulings.c.id.in_(select(func.max(rulings.c.id)).group_by(rulings.c.item_id)),
    rulings.c.grade.is_not(None),
)
"""Of a ruling: whether it is the last one on its document, and was not taken back."""

_WANTED = select(
    rulings.c.id,
    rulings.c.item_id,
    people.c.name,
    rulings.c.grade,
    rulings.c.note,
    rulings.c.made_at,
).join(people, people.c.id == rulings.c.person_id)
