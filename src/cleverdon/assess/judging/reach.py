"""What of the project an assessor may see: the documents of the topics that are assigned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    or_,
    select,
)

from cleverdon.assess.refusals import NotThere
from cleverdon.assess.store.schema import assignments, items, topics

# Statements of every judgment are built once: to build one takes longer than to run it.
ME: BindParameter[int] = bindparam("me", type_=Integer)
"""Who asks, in such a statement."""


def reachable(person: int | BindParameter[int]) -> Select[Any]:
    """The items that a person may see and judge, whether or not they are done."""
    return select(items).join(assignments, within_reach(person))


def within_reach(person: int | BindParameter[int]) -> ColumnElement[bool]:
    """How items and assignments belong together; what is not given out is in nobody's reach."""
    return and_(
        assignments.c.topic_id == items.c.topic_id,
        assignments.c.person_id == person,
        items.c.position.is_not(None),
        # Who is there for the overlap gets what several judge, and what checks attention.
        or_(assignments.c.part == "all", items.c.wanted > 1, items.c.gold.is_not(None)),
    )


_ITEM = reachable(ME).where(items.c.id == bindparam("item"))


NOT_YOURS = "this document is not assigned to you, or no longer"


def item_for(connection: Connection, person: int, item: int) -> Row[Any]:
    """An item that a person may judge; others are said not to be there, which tells nothing."""
    found = connection.execute(_ITEM, {"me": person, "item": item}).first()
    if found is None:
        raise NotThere(NOT_YOURS)
    return found


_TOPICS = (
    select(topics)
    .join(assignments, assignments.c.topic_id == topics.c.id)
    .where(assignments.c.person_id == ME)
    .order_by(topics.c.position)
)
_TOPIC = _TOPICS.where(topics.c.name == bindparam("name"))


def topic_for(connection: Connection, person: int, name: str) -> Row[Any]:
    """A topic that is assigned to a person, by its name."""
    # PostgreSQL does not even compare a text that holds a null character.
    found = None
    if "\0" not in name:
        found = connection.execute(_TOPIC, {"me": person, "name": name}).first()
    if found is None:
        raise NotThere(f"there is no topic {name!r} among those that are assigned to you")
    return found


def assigned_topics(connection: Connection, person: int) -> Sequence[Row[Any]]:
    """The topics that are assigned to a person, in their order."""
    return connection.execute(_TOPICS, {"me": person}).all()
