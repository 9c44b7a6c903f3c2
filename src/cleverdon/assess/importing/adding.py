"""Documents that a file of judgments brings along: further items of topics that are there."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, func, insert, select

from cleverdon.assess.importing.matching import Place
from cleverdon.assess.setup.documents import Documents
from cleverdon.assess.setup.filling import Document
from cleverdon.assess.setup.items import shuffled
from cleverdon.assess.store.schema import documents, items, topics

_AT_ONCE = 100
"""Documents of an insert, which may be long."""


def new_documents(
    connection: Connection, wanted: Collection[Place], texts: Sequence[str]
) -> list[Document]:
    """Documents that the project has for no topic yet.

    `texts` are files that may have them; others have no text. All are read at once, so that nobody
    who judges waits for it.
    """
    known = _numbers(connection)
    names = dict.fromkeys(name for _, name in wanted if name not in known)
    return list(Documents(texts, names) if texts and names else map(Document, names))


def add_items(
    connection: Connection,
    wanted: Collection[Place],
    new: Sequence[Document],
    *,
    seed: int,
    judges: int,
) -> None:
    """Add documents to topics, behind those that are there; `new` are those of `new_documents`.

    The order among them is of the seed, so that it tells nothing. `judges` are to judge each.
    """
    _add_documents(connection, new)
    numbers = _numbers(connection)
    called = {row.id: row.name for row in connection.execute(select(topics.c.id, topics.c.name))}
    last = {
        row.topic_id: row.position
        for row in connection.execute(
            select(items.c.topic_id, func.max(items.c.position).label("position"))
            .where(items.c.position.is_not(None))
            .group_by(items.c.topic_id)
        )
    }
    by_topic: dict[int, set[str]] = {}
    for topic, name in wanted:
        by_topic.setdefault(topic, set()).add(name)
    rows = []
    for topic, of_topic in by_topic.items():
        order = shuffled(called[topic], of_topic, seed=seed, of="imported")
        rows += [
            {
                "topic_id": topic,
                "document_id": numbers[name],
                "position": position,
                "wanted": judges,
                "added": True,
            }
            for position, name in enumerate(order, start=last.get(topic, -1) + 1)
        ]
    connection.execute(insert(items), rows)


def _numbers(connection: Connection) -> dict[str, int]:
    found = connection.execute(select(documents.c.name, documents.c.id))
    return {row.name: row.id for row in found}


def _add_documents(connection: Connection, new: Sequence[Document]) -> None:
    """Numbered by us as all others are: see `setup.filling`."""
    last = connection.execute(select(func.max(documents.c.id))).scalar() or 0
    rows = [{"id": number, **vars(each)} for number, each in enumerate(new, start=last + 1)]
    for start in range(0, len(rows), _AT_ONCE):
        connection.execute(insert(documents), rows[start : start + _AT_ONCE])
