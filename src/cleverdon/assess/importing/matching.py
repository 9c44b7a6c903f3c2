"""Which item of the project each row of a file is of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from cleverdon.assess.importing.rows import Content, Row
from cleverdon.assess.store.schema import documents, items, topics
from cleverdon.errors import InputError

Place = tuple[int, str]
"""The number of a topic, and the name of a document."""


@dataclass(frozen=True)
class Matched:
    """Rows by what the project knows of them."""

    rows: tuple[tuple[Place, Row], ...]  # of topics that the project has
    unknown: tuple[Row, ...]  # of others
    items: Mapping[Place, int]  # all that the project has
    newest: int  # the last of these: items are only ever added, so by it one sees whether any were


def match(connection: Connection, content: Content, *, source: str) -> Matched:
    """Rows with their places; an error where file and project have no topic in common."""
    known = _topics(connection, by_title=content.by_title)
    rows, unknown = [], []
    for row in content.rows:
        topic = known.get(row.topic)
        if topic is None and content.by_title:
            topic = known.get(_folded(row.topic))
        if topic is None:
            unknown.append(row)
        else:
            rows.append(((topic, row.document), row))
    if content.rows and not rows:
        raise InputError(
            f"has no topic in common with the project: it has {content.rows[0].topic!r}, the "
            f"project has {next(iter(known))!r}",
            source=source,
        )
    at = items_after(connection, 0)
    return Matched(tuple(rows), tuple(unknown), at, max(at.values(), default=0))


def items_after(connection: Connection, newest: int) -> dict[Place, int]:
    """Items that were added later than one."""
    wanted = (
        select(items.c.topic_id, documents.c.name, items.c.id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.id > newest)
    )
    return {(topic, name): item for topic, name, item in connection.execute(wanted)}


def newest_item(connection: Connection) -> int:
    """The item that was added last; 0 where there is none."""
    return connection.execute(select(func.max(items.c.id))).scalar() or 0


def _topics(connection: Connection, *, by_title: bool) -> dict[str, int]:
    """Topics by their names, and where that is asked for by titles that only one of them has."""
    found = connection.execute(
        select(topics.c.id, topics.c.name, topics.c.title).order_by(topics.c.position)
    ).all()
    named = {row.name: row.id for row in found}
    if not by_title:
        return named
    titled: dict[str, list[int]] = {}
    for row in found:
        titled.setdefault(_folded(row.title), []).append(row.id)
    return {**{title: ids[0] for title, ids in titled.items() if len(ids) == 1}, **named}


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
