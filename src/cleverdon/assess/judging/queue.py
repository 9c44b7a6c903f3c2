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
    exists,
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
    IS_SETTLED,
    assignments,
    items,
    judgments,
    leases,
    people,
)

_NOW = bindparam("now", type_=Double)

LEASE = 600.0
"""Seconds for which a document is kept for who got it; it is renewed while they are at it."""

MOST_LEASES = 50
"""Documents that are kept for one person: nobody keeps a whole project from the others."""


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
    return or_(items.c.gold.is_not(None), and_(_taken() < items.c.wanted, ~IS_SETTLED))


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
        .where(
            leases.c.item_id == items.c.id,
            leases.c.person_id != ME,
            leases.c.until > _NOW,
            leases.c.until <= _NOW + LEASE,  # the clock may have been set back
        )
        .scalar_subquery()
    )
    return judged + leased


_FIRST = -1
"""Before all places of a topic."""

_OF_TOPIC = items.c.topic_id == bindparam("topic", type_=Integer)
# Of one topic: then an index has the order, and looking ends where there is enough.
_NEXT = (
    select(items.c.id)
    .select_from(_IN_REACH)
    .where(
        _OF_TOPIC,
        items.c.position > bindparam("after", type_=Integer),
        ~IS_DONE,
        _available(),
        items.c.id.not_in(bindparam("without", expanding=True)),
    )
    .order_by(items.c.position, items.c.id)
    .limit(bindparam("n", type_=Integer))
)
_PLACE = select(items.c.position).where(items.c.id == bindparam("item"))
_PROGRESS = (
    select(
        items.c.topic_id,
        func.count(case((IS_DONE, 1))).label("done"),
        func.count(case((and_(~IS_DONE, _available()), 1))).label("open"),
    )
    .select_from(_IN_REACH)
    .group_by(items.c.topic_id)
)
_PROGRESS_OF_TOPIC = _PROGRESS.where(_OF_TOPIC)
_ASSIGNED = (
    select(assignments.c.topic_id)
    .where(assignments.c.person_id == ME)
    .order_by(assignments.c.topic_id)  # topics are numbered in their order
)
_HAS_ALL = select(
    exists().where(
        assignments.c.person_id == ME,
        assignments.c.topic_id == bindparam("topic", type_=Integer),
        assignments.c.part == "all",
    )
)
_IS_DONE_BY_ME = (
    select(judgments.c.item_id)
    .where(judgments.c.item_id == items.c.id, judgments.c.person_id == ME, IS_DONE)
    .exists()
)
_FOUND: BindParameter[int] = bindparam("found", expanding=True)
_KEPT = leases.alias("kept")
_LAST_KEPT = (
    select(_KEPT.c.item_id)
    .where(_KEPT.c.person_id == ME, _KEPT.c.item_id.not_in(_FOUND))
    .order_by(_KEPT.c.until.desc(), _KEPT.c.item_id)
    .limit(bindparam("room", type_=Integer))
)
_END_LEASES = delete(leases).where(
    leases.c.person_id == ME,
    or_(leases.c.until <= _NOW, leases.c.item_id.not_in(_LAST_KEPT)),
)
_LEASE = insert(leases).from_select(
    ["item_id", "person_id", "until"],
    reachable(ME)
    .with_only_columns(items.c.id, ME, bindparam("until", type_=Double))
    # What one has judged is in nobody's way: a browser may still name it among what it has. And
    # after a sleep it names what somebody else may have got meanwhile, who keeps it.
    .where(items.c.id.in_(_FOUND), ~_IS_DONE_BY_ME, _available()),
)


def take_next(
    connection: Connection,
    person: int,
    *,
    topic: int | None = None,
    n: int = 1,
    without: Collection[int] = (),
    past: int | None = None,
    feeder: Feeder | None = None,
) -> list[int]:
    """The next items for a person, leased; of one topic, or topic by topic.

    `without` are items that the browser has already: they are passed over, and stay leased.
    `past` is an item behind which to look first, and only then from the beginning.
    `feeder` gives out further documents first, where the pool is adaptive.
    """
    now = clock.now()
    after = _FIRST if past is None else connection.execute(_PLACE, {"item": past}).scalar()
    found: list[int] = []
    for each in _assigned(connection, person) if topic is None else [topic]:
        if len(found) < n:
            asked = {"me": person, "now": now, "topic": each, "n": n - len(found), "after": after}
            found += _of_topic(connection, {**asked, "without": list(without)}, feeder)
    _lease(connection, person, [*without, *found][-MOST_LEASES:], now)
    return found


def _assigned(connection: Connection, person: int) -> list[int]:
    return list(connection.execute(_ASSIGNED, {"me": person}).scalars())


def _of_topic(connection: Connection, asked: Mapping[str, Any], feeder: Feeder | None) -> list[int]:
    """The next items of one topic."""
    if feeder is None or not feeder.is_adaptive:
        return _search(connection, asked)
    feeder.feed(connection, asked["topic"])
    found = _search(connection, asked)
    lacking = asked["n"] - len(found)
    # What is given out may be on others' screens: then there is to be more, if there is any.
    if lacking and connection.execute(_HAS_ALL, asked).scalar():
        feeder.feed(connection, asked["topic"], more=lacking)
        found += _search(
            connection, {**asked, "n": lacking, "without": [*asked["without"], *found]}
        )
    return found


def _search(connection: Connection, asked: Mapping[str, Any]) -> list[int]:
    found = list(connection.execute(_NEXT, asked).scalars())
    lacking = asked["n"] - len(found)
    if lacking and asked["after"] != _FIRST:
        without = [*asked["without"], *found]
        around = {**asked, "after": _FIRST, "n": lacking, "without": without}
        found += connection.execute(_NEXT, around).scalars()
    return found


def _lease(connection: Connection, person: int, found: list[int], now: float) -> None:
    """Keep these for a person, as far as nobody else has them.

    What the person had before stays as it is, as long as there is room; what was asked for longest
    ago goes first.
    """
    if not found:
        return
    asked = {"me": person, "now": now, "found": found}
    connection.execute(_END_LEASES, {**asked, "room": MOST_LEASES - len(found)})
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
