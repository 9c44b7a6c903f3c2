"""Documents that a file of judgments brings along: further items of topics that are there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, func, insert, select

from cleverdon.assess.setup.documents import Documents
from cleverdon.assess.setup.filling import Document
from cleverdon.assess.setup.items import shuffled
from cleverdon.assess.store.schema import documents, items, topics


def add_items(
    connection: Connection,
    wanted: Collection[tuple[int, str]],
    *,
    texts: Sequence[str] = (),
    seed: int = 0,
) -> int:
    """Add documents to topics, behind those that are there; gives how many.

    `texts` are files that may have the documents; others have no text. The order among them is of
    the seed, so that it tells nothing.
    """
    names = dict.fromkeys(name for _, name in wanted)
    known = {
        row.name: row.id
        for row in connection.execute(select(documents.c.id, documents.c.name))
        if row.name in names
    }
    new = [name for name in names if name not in known]
    known |= _added(connection, Documents(texts, new) if texts and new else map(Document, new))
    called = {row.id: row.name for row in connection.execute(select(topics.c.id, topics.c.name))}
    by_topic: dict[int, set[str]] = {}
    for topic, name in wanted:
        by_topic.setdefault(topic, set()).add(name)
    rows = []
    for topic, of_topic in by_topic.items():
        last = connection.execute(
            select(func.max(items.c.position)).where(items.c.topic_id == topic)
        ).scalar()
        start = 0 if last is None else last + 1
        order = shuffled(called[topic], of_topic, seed=seed, of="imported")
        rows += [
            {"topic_id": topic, "document_id": known[name], "position": position}
            for position, name in enumerate(order, start=start)
        ]
    if rows:
        connection.execute(insert(items), rows)
    return len(rows)


def _added(connection: Connection, found: Iterable[Document]) -> dict[str, int]:
    """New documents, numbered by us as all others are: see `setup.filling`."""
    last = connection.execute(select(func.max(documents.c.id))).scalar() or 0
    numbers: dict[str, int] = {}
    for number, document in enumerate(found, start=last + 1):
        connection.execute(insert(documents).values(id=number, **vars(document)))
        numbers[document.name] = number
    return numbers
