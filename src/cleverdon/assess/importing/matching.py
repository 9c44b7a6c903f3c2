"""Which item of the project each row of a file is of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from cleverdon.assess.importing.rows import Content, Row
from cleverdon.assess.store.schema import documents, items, topics
from cleverdon.errors import InputError


@dataclass(frozen=True)
class Matched:
    """Rows by what the project knows of them."""

    rows: tuple[tuple[int, Row], ...]  # items, and what is said of them
    elsewhere: tuple[tuple[int, Row], ...]  # topics, and documents that are not among theirs
    unknown: tuple[Row, ...]  # of topics that the project has not


def match(connection: Connection, content: Content, *, source: str) -> Matched:
    """Rows with their items; an error where file and project have no topic in common."""
    known = _topics(connection, by_title=content.by_title)
    at = _items(connection)
    rows, elsewhere, unknown = [], [], []
    for row in content.rows:
        topic = known.get(row.topic)
        if topic is None and content.by_title:
            topic = known.get(_folded(row.topic))
        if topic is None:
            unknown.append(row)
        elif (item := at.get((topic, row.document))) is not None:
            rows.append((item, row))
        else:
            elsewhere.append((topic, row))
    if content.rows and not rows and not elsewhere:
        raise InputError(
            f"has no topic in common with the project: it has {content.rows[0].topic!r}, the "
            f"project has {next(iter(known))!r}",
            source=source,
        )
    return Matched(tuple(rows), tuple(elsewhere), tuple(unknown))


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


def _items(connection: Connection) -> dict[tuple[int, str], int]:
    wanted = select(items.c.topic_id, documents.c.name, items.c.id).join(
        documents, documents.c.id == items.c.document_id
    )
    found: Iterable[Any] = connection.execute(wanted)
    return {(topic, name): item for topic, name, item in found}


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
