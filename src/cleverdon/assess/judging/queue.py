"""Which documents come next: none that others have on the screen, unless several judge it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Double,
    Integer,
    Row,
    Select,
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
    assignments,
    items,
    judgments,
    leases,
    people,
    topics,
)

_NOW = bindparam("now", type_=Double)

Place = tuple[int, int]
"""A topic and a position in it."""

Places = dict[tuple[int, int | None], Place]
"""Where the queue of a person begins, by person and topic (None: all topics)."""

_BEGINNING: Place = (0, -(2**31))

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


def is_done() -> ColumnElement[bool]:
    """Whether a judgment says something, be it that the document was skipped."""
    return or_(judgments.c.grade.is_not(None), judgments.c.skipped.is_not(None))


def _judged() -> ColumnElement[bool]:
    """Whether one is done with an item."""
    return exists().where(judgments.c.item_id == items.c.id, judgments.c.person_id == ME, is_done())


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


def _next() -> Select[Any]:
    """Items that one may judge, has not, and that nobody else is at or has done."""
    return (
        reachable(ME)
        .with_only_columns(items.c.id, items.c.topic_id, items.c.position)
        .where(
            ~_judged(),
            _available(),
            items.c.id.not_in(bindparam("without", expanding=True)),
        )
        # Topics are numbered in their order.
        .order_by(items.c.topic_id, items.c.position)
        .limit(bindparam("n", type_=Integer))
    )


def _progress() -> Select[Any]:
    mine = _judged()
    return (
        select(
            topics.c.id,
            topics.c.name,
            topics.c.title,
            assignments.c.part,
            func.count(case((mine, 1))).label("done"),
            func.count(case((and_(~mine, _available()), 1))).label("open"),
        )
        .select_from(
            items.join(assignments, within_reach(ME)).join(topics, topics.c.id == items.c.topic_id)
        )
        .group_by(topics.c.id, topics.c.name, topics.c.title, topics.c.position, assignments.c.part)
        .order_by(topics.c.position)
    )


_FROM: Sequence[BindParameter[int]] = (
    bindparam("from_topic", type_=Integer),
    bindparam("from_position", type_=Integer),
)
_NEXT = _next().where(
    items.c.topic_id >= _FROM[0],
    or_(items.c.topic_id > _FROM[0], items.c.position >= _FROM[1]),
)
_NEXT_OF_TOPIC = _next().where(items.c.topic_id == bindparam("topic"), items.c.position >= _FROM[1])
_PROGRESS = _progress()
_PROGRESS_OF_TOPIC = _PROGRESS.where(topics.c.id == bindparam("topic"))
_ASSIGNED = (
    select(assignments.c.topic_id, assignments.c.part)
    .where(assignments.c.person_id == ME)
    .order_by(assignments.c.topic_id)
)
_FOUND: BindParameter[int] = bindparam("found", expanding=True)
_END_LEASES = delete(leases).where(
    leases.c.person_id == ME, or_(leases.c.item_id.in_(_FOUND), leases.c.until <= _NOW)
)
_LEASE = insert(leases).from_select(
    ["item_id", "person_id", "until"],
    reachable(ME)
    .with_only_columns(items.c.id, ME, bindparam("until", type_=Double))
    .where(items.c.id.in_(_FOUND)),
)


def take_next(
    connection: Connection,
    person: int,
    *,
    topic: int | None = None,
    n: int = 1,
    without: Collection[int] = (),
    feeder: Feeder | None = None,
    places: Places | None = None,
) -> list[int]:
    """The next items for a person, leased; of one topic, or topic by topic.

    `without` are items that the browser has already: they are passed over, and stay leased.
    `feeder` gives out further documents first, where the pool is adaptive. `places` remembers where
    each person's queue began, since to pass over thousands of judged documents takes time.
    """
    now = clock.now()
    asked = {"me": person, "now": now, "n": n, "without": list(without), "topic": topic}
    if feeder is not None and feeder.is_adaptive:
        found = _fed(connection, asked, topic, feeder)
    else:
        found = _from_place(connection, asked, {} if places is None else places)
    _lease(connection, person, [*found, *without], now)
    return found


def _from_place(connection: Connection, asked: dict[str, Any], places: Places) -> list[int]:
    """From where the queue began, or, where that gives too few, from its very beginning.

    So what was undone meanwhile, or given back by others, comes in the end.
    """
    key = asked["me"], asked["topic"]
    began = places.get(key, _BEGINNING)
    rows = _search(connection, asked, began)
    if len(rows) < asked["n"] and began != _BEGINNING:
        rows = _search(connection, asked, _BEGINNING)
    if not asked["without"]:  # else the queue begins before what was found
        places[key] = (rows[0].topic_id, rows[0].position) if rows else _BEGINNING
    return [row.id for row in rows]


def _search(connection: Connection, asked: dict[str, Any], began: Place) -> Sequence[Row[Any]]:
    wanted = _NEXT if asked["topic"] is None else _NEXT_OF_TOPIC
    place = {"from_topic": began[0], "from_position": began[1]}
    return connection.execute(wanted, {**asked, **place}).all()


def _fed(
    connection: Connection, asked: dict[str, Any], topic: int | None, feeder: Feeder
) -> list[int]:
    """The same where documents are given out on the way: each topic before the next one."""
    found: list[int] = []
    for of in connection.execute(_ASSIGNED, asked).all():
        if topic not in (None, of.topic_id):
            continue
        feeder.feed(connection, of.topic_id)
        # What is given out may be on others' screens: then there is to be more, if there is any.
        for attempt in range(2):
            lacking = asked["n"] - len(found)
            if lacking and attempt and of.part == "all":
                feeder.feed(connection, of.topic_id, more=lacking)
            now = {**asked, "topic": of.topic_id, "n": lacking}
            now["without"] = [*asked["without"], *found]
            found += (row.id for row in _search(connection, now, _BEGINNING))
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
) -> list[TopicProgress]:
    """How far a person has come, topic by topic."""
    asked = {"me": person, "now": clock.now()}
    if topic is None:
        found = connection.execute(_PROGRESS, asked)
    else:
        found = connection.execute(_PROGRESS_OF_TOPIC, {**asked, "topic": topic})
    return [
        TopicProgress(row.id, row.name, row.title, row.done + row.open, row.done, row.part)
        for row in found
    ]
