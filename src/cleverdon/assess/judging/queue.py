"""Which documents come next: none that others have on the screen, unless several judge it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
)

from cleverdon.assess import clock
from cleverdon.assess.judging.reach import reachable, within_reach
from cleverdon.assess.store.schema import (
    assignments,
    items,
    judgments,
    leases,
    people,
    topics,
)

LEASE = 600.0
"""Seconds for which a document is kept for who got it; it is renewed while they are at it."""


@dataclass(frozen=True)
class TopicProgress:
    """How far one person has come with a topic."""

    topic: int
    name: str
    title: str
    total: int  # documents within reach that others have not done
    done: int  # judged or skipped by this person
    part: str

    @property
    def left(self) -> int:
        """How many are still to come."""
        return self.total - self.done


def take_next(
    connection: Connection,
    person: int,
    *,
    topic: int | None = None,
    n: int = 1,
    without: Collection[int] = (),
) -> list[int]:
    """The next items for a person, leased; of one topic, or topic by topic.

    `without` are items that the browser has already: they are passed over, and stay leased.
    """
    now = clock.now()
    wanted = open_items(person, now).order_by(topics.c.position, items.c.position).limit(n)
    if topic is not None:
        wanted = wanted.where(items.c.topic_id == topic)
    if without:
        wanted = wanted.where(items.c.id.not_in(without))
    found = list(connection.execute(wanted).scalars())
    _lease(connection, person, [*found, *without], now)
    return found


def open_items(person: int, now: float) -> Select[Any]:
    """Items that a person may judge, has not, and that nobody else is at or has done."""
    mine = exists().where(
        judgments.c.item_id == items.c.id,
        judgments.c.person_id == person,
        is_done(),
    )
    return (
        reachable(person)
        .with_only_columns(items.c.id)
        .join(topics, topics.c.id == items.c.topic_id)
        .where(~mine, or_(items.c.gold.is_not(None), _taken(person, now) < items.c.wanted))
    )


def is_done() -> ColumnElement[bool]:
    """Whether a judgment says something, be it that the document was skipped."""
    return or_(judgments.c.grade.is_not(None), judgments.c.skipped.is_not(None))


def _taken(person: int, now: float) -> ColumnElement[int]:
    """How many other people judged an item, or have it on the screen."""
    others = judgments.alias("others")
    by_persons = people.alias("by_persons")
    judged = (
        select(func.count())
        .select_from(others.join(by_persons, by_persons.c.id == others.c.person_id))
        .where(
            others.c.item_id == items.c.id,
            others.c.person_id != person,
            others.c.grade.is_not(None),
            by_persons.c.kind == "person",
        )
        .scalar_subquery()
    )
    leased = (
        select(func.count())
        .where(
            leases.c.item_id == items.c.id,
            leases.c.person_id != person,
            leases.c.until > now,
        )
        .scalar_subquery()
    )
    return judged + leased


def _lease(connection: Connection, person: int, found: Collection[int], now: float) -> None:
    """Keep these for a person; what the person had before and is not among them stays as it is."""
    if not found:
        return
    connection.execute(
        delete(leases).where(
            leases.c.person_id == person,
            or_(leases.c.item_id.in_(found), leases.c.until <= now),
        )
    )
    known = connection.execute(reachable(person).where(items.c.id.in_(found))).all()
    rows = [{"item_id": row.id, "person_id": person, "until": now + LEASE} for row in known]
    if rows:
        connection.execute(insert(leases), rows)


def progress(
    connection: Connection, person: int, *, topic: int | None = None
) -> list[TopicProgress]:
    """How far a person has come, topic by topic."""
    now = clock.now()
    left = open_items(person, now).subquery()
    done = case((judgments.c.item_id.is_not(None), 1))
    wanted = (
        select(
            topics.c.id,
            topics.c.name,
            topics.c.title,
            assignments.c.part,
            func.count(done).label("done"),
            func.count(left.c.id).label("open"),
        )
        .select_from(
            items.join(assignments, within_reach(person))
            .join(topics, topics.c.id == items.c.topic_id)
            .outerjoin(left, left.c.id == items.c.id)
            .outerjoin(
                judgments,
                (judgments.c.item_id == items.c.id) & (judgments.c.person_id == person) & is_done(),
            )
        )
        .group_by(topics.c.id, topics.c.name, topics.c.title, topics.c.position, assignments.c.part)
        .order_by(topics.c.position)
    )
    if topic is not None:
        wanted = wanted.where(topics.c.id == topic)
    return [
        TopicProgress(row.id, row.name, row.title, row.done + row.open, row.done, row.part)
        for row in connection.execute(wanted)
    ]
