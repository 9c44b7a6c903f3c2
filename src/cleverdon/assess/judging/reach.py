"""What of the project an assessor may see: the documents of the topics that are assigned."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select

from cleverdon.assess.refusals import NotThere
from cleverdon.assess.store.schema import assignments, items


def reachable(person: int) -> Select[Any]:
    """The items that a person may see and judge, whether or not they are done."""
    return select(items).join(assignments, within_reach(person))


def within_reach(person: int) -> ColumnElement[bool]:
    """How items and assignments belong together; what is not given out is in nobody's reach."""
    return and_(
        assignments.c.topic_id == items.c.topic_id,
        assignments.c.person_id == person,
        items.c.position.is_not(None),
        # Who is there for the overlap gets what several judge, and what checks attention.
        or_(assignments.c.part == "all", items.c.wanted > 1, items.c.gold.is_not(None)),
    )


def item_for(connection: Connection, person: int, item: int) -> Row[Any]:
    """An item that a person may judge; others are said not to be there, which tells nothing."""
    found = connection.execute(reachable(person).where(items.c.id == item)).first()
    if found is None:
        raise NotThere(f"there is no document {item} among those that are assigned to you")
    return found
