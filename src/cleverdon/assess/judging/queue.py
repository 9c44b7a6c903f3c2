"""Which documents come next: none that others have on the screen, unless several judge it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Double,
    Integer,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
)

from cleverdon.assess import clock
from cleverdon.assess.judging.feeding import Feeder
from cleverdon.assess.judging.reach import ME, reachable, within_reach
from cleverdon.assess.store.schema import (
    IS_DONE,
    assignments,
    items,
    judgments,
    leases,
    people,
)

_NOW = bindparam("now", type_=Double)

LEASE = 600.0
"""Seconds for which a document is kept for who got it; it is renewed while they are at it."""


@dataclass(frozen=True)
class Progress:
    """How far one person has come, with a topic or with all."""

    total: int = 0  # documents within reach that others have not done
    done: int = 0  # judged or skipped by this person

    @property
    def left(self) -> int:
        """How many are still to come."""
        return self.total - self.done


_IN_REACH = items.join(assignments, within_reach(ME)).outerjoin(
    judgments, and_(judgments.c.item_id == items.c.id, judgments.c.person_id == ME)
)
"""The items that are within one's reach, each with what one said of it."""


def _available() -> ColumnElement[bool]:
    """Whether others leave an item to one; what checks attention is for everybody."""
    return or_(items.c.gold.is_not(None), _taken() < items.c.wanted)


def _taken() -> ColumnElement[int]:
    """How many other people judged an item, or have it on the screen."""
    others = judgments.alias("others")
    by_persons = people.alias("by_persons")
    judged = (
        select(func.count())
        .select_from(others.join(by_persons, by_persons.c.id == others.c.person_id))
        .where(
            others.c.item_id == items.c.id,
            others.c.person_id != ME,
            others.c.grade.is_not(None),
            by_persons.c.kind == "person",
        )
        .scalar_subquery()
    )
    leased = (
        select(func.count())
        .where(leases.c.item_id == items.c.id, leases.c.person_id != ME, leases.c.until > _NOW)
        .scalar_subquery()
    )
    return judged + leased


_NEXT = (
    select(items.c.id)
    .select_from(_IN_REACH)
    .where(~IS_DONE, _available(), items.c.id.not_in(bindparam("without", expanding=True)))
    # Topics are numbered in their order.
    .order_by(items.c.topic_id, items.c.position)
    .limit(bindparam("n", type_=Integer))
)
_NEXT_OF_TOPIC = _NEXT.where(items.c.topic_id == bindparam("topic"))
_PROGRESS = (
    select(
        items.c.topic_id,
        func.count(case((IS_DONE, 1))).label("done"),
        func.count(case((and_(~IS_DONE, _available()), 1))).label("open"),
    )
    .select_from(_IN_REACH)
    .group_by(items.c.topic_id)
)
_PROGRESS_OF_TOPIC = _PROGRESS.where(items.c.topic_id == bindparam("topic"))
_ASSIGNED = (
    select(assignments.c.topic_id, assignments.c.part)
    .where(assignments.c.person_id == ME)
    .order_by(assignments.c.topic_id)
)
_IS_DONE_BY_ME = (
    select(judgments.c.item_id)
    .where(judgments.c.item_id == items.c.id, judgments.c.person_id == ME, IS_DONE)
    .exists()
)
_FOUND: BindParameter[int] = bindparam("found", expanding=True)
_END_LEASES = delete(leases).where(
    leases.c.person_id == ME, or_(leases.c.item_id.in_(_FOUND), leases.c.until <= _NOW)
)
_LEASE = insert(leases).from_select(
    ["item_id", "person_id", "until"],
    reachable(ME)
    .with_only_columns(items.c.id, ME, bindparam("until", type_=Double))
    # What one has judged is in nobody's way: a browser may still name it among what it has.
    .where(items.c.id.in_(_FOUND), ~_IS_DONE_BY_ME),
)


def take_next(
    connection: Connection,
    person: int,
    *,
    topic: int | None = None,
    n: int = 1,
    without: Collection[int] = (),
    feeder: Feeder | None = None,
) -> list[int]:
    """The next items for a person, leased; of one topic, or topic by topic.

    `without` are items that the browser has already: they are passed over, and stay leased.
    `feeder` gives out further documents first, where the pool is adaptive.
    """
    now = clock.now()
    asked = {"me": person, "now": now, "n": n, "without": list(without), "topic": topic}
    if feeder is not None and feeder.is_adaptive:
        found = _fed(connection, asked, feeder)
    else:
        found = _search(connection, asked)
    _lease(connection, person, [*found, *without], now)
    return found


def _search(connection: Connection, asked: Mapping[str, Any]) -> list[int]:
    wanted = _NEXT if asked["topic"] is None else _NEXT_OF_TOPIC
    return list(connection.execute(wanted, asked).scalars())


def _fed(connection: Connection, asked: Mapping[str, Any], feeder: Feeder) -> list[int]:
    """The same where documents are given out on the way: each topic before the next one."""
    found: list[int] = []
    for of in connection.execute(_ASSIGNED, asked).all():
        if asked["topic"] not in (None, of.topic_id):
            continue
        feeder.feed(connection, of.topic_id)
        # What is given out may be on others' screens: then there is to be more, if there is any.
        for attempt in range(2):
            lacking = asked["n"] - len(found)
            if lacking and attempt and of.part == "all":
                feeder.feed(connection, of.topic_id, more=lacking)
            without = [*asked["without"], *found]
            of_topic = {"topic": of.topic_id, "n": lacking, "without": without}
            found += _search(connection, {**asked, **of_topic})
            if len(found) == asked["n"]:
                return found
    return found


def _lease(connection: Connection, person: int, found: Collection[int], now: float) -> None:
    """Keep these for a person; what the person had before and is not among them stays as it is."""
    if not found:
        return
    asked = {"me": person, "found": list(found)}
    connection.execute(_END_LEASES, {**asked, "now": now})
    connection.execute(_LEASE, {**asked, "until": now + LEASE})


def progress(
    connection: Connection, person: int, *, topic: int | None = None
) -> dict[int, Progress]:
    """How far a person has come, by topic; those that have no documents yet are missing."""
    asked = {"me": person, "now": clock.now(), "topic": topic}
    wanted = _PROGRESS if topic is None else _PROGRESS_OF_TOPIC
    return {
        row.topic_id: Progress(row.done + row.open, row.done)
        for row in connection.execute(wanted, asked)
    }
