"""Filling an empty project: all of it in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, insert

from cleverdon.assess import clock
from cleverdon.assess.scale import Scale
from cleverdon.assess.store import schema
from cleverdon.errors import InputError

LONGEST_ID = 1_000
"""Characters of what a topic or a document is called; databases and addresses bound it too."""

_AT_ONCE = 1_000
"""Rows of an insert."""
_LONG = 1 << 22
"""Characters of an insert: documents may be long."""


def check_id(name: str, *, source: str = "", line: int | None = None) -> None:
    """Raise an InputError where an id is too long to be one; `line` 0 is none."""
    if len(name) > LONGEST_ID:
        raise InputError(
            f"the id {name[:40] + '...'!r} has {len(name):,} characters, and {LONGEST_ID:,} are "
            "allowed",
            source=source,
            line=line or None,
        )


@dataclass(frozen=True)
class Topic:
    """What is asked for."""

    name: str
    title: str
    description: str = ""
    narrative: str = ""

    def __post_init__(self) -> None:
        check_id(self.name)


@dataclass(frozen=True)
class Document:
    """What is judged: plain text."""

    name: str
    title: str = ""
    text: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        check_id(self.name)


@dataclass(frozen=True)
class Item:
    """A document that is to be judged for a topic."""

    topic: str
    document: str
    position: int | None  # within the topic; None until an adaptive method gives it out
    wanted: int = 1
    gold: int | None = None
    stratum: int | None = None
    probability: float | None = None


def fill(
    connection: Connection,
    *,
    title: str,
    scale: Scale,
    topics: Iterable[Topic],
    documents: Iterable[Document],
    items: Iterable[Item],
    settings: Mapping[str, Any],
) -> None:
    """Write all of it; `settings` are further ones, such as the seed and how the pool was made."""
    known = {"title": title, "scale": scale.to_json(), "created_at": clock.now(), **settings}
    _insert(
        connection,
        schema.settings,
        ({"name": name, "value": value} for name, value in known.items()),
    )
    topic_ids: dict[str, int] = {}
    document_ids: dict[str, int] = {}
    _insert(
        connection,
        schema.topics,
        (
            {**vars(topic), "id": _number(topic_ids, topic.name), "position": len(topic_ids)}
            for topic in topics
        ),
    )
    _insert(
        connection,
        schema.documents,
        ({**vars(one), "id": _number(document_ids, one.name)} for one in documents),
    )
    _insert(connection, schema.items, (_row(one, topic_ids, document_ids) for one in items))


def _row(item: Item, topics: Mapping[str, int], documents: Mapping[str, int]) -> dict[str, Any]:
    row = dict(vars(item))
    return {
        "topic_id": topics[row.pop("topic")],
        "document_id": documents[row.pop("document")],
        **row,
    }


def _number(ids: dict[str, int], name: str) -> int:
    """The next number, from 1: ids are ours to give, and the same in either database."""
    ids[name] = len(ids) + 1
    return ids[name]


def _insert(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    waiting: list[Mapping[str, Any]] = []
    length = 0
    for row in rows:
        waiting.append(row)
        length += len(row.get("text", ""))
        if len(waiting) == _AT_ONCE or length > _LONG:
            connection.execute(insert(table), waiting)
            waiting, length = [], 0
    if waiting:
        connection.execute(insert(table), waiting)
