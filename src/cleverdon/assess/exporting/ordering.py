"""One order for all that is exported: the project's topics, and documents by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from cleverdon.assess.store.schema import topics
from cleverdon.data import Judgments

Key = tuple[str, str]
"""A topic and a document."""


def in_order(connection: Connection, keys: Iterable[Key]) -> list[Key]:
    """Topics in the project's order; documents bytewise, which every database and language has."""
    named = connection.execute(select(topics.c.name).order_by(topics.c.position)).scalars()
    place = {name: at for at, name in enumerate(named)}
    return sorted(keys, key=lambda key: (place[key[0]], key[1].encode()))


def made_judgments(connection: Connection, grades: Mapping[Key, float], *, name: str) -> Judgments:
    """Judgments of grades, in that order."""
    nested: dict[str, dict[str, float]] = {}
    for topic, doc in in_order(connection, grades):
        nested.setdefault(topic, {})[doc] = grades[topic, doc]
    made: Judgments = Judgments.read(nested, name=name)
    return made
