"""A case as an administrator sees it: the topic, and the document as assessors saw it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from cleverdon.assess.adjudicating.cases import Case, case
from cleverdon.assess.adjudicating.rulings import Ruling, ruling_history
from cleverdon.assess.judging.excerpts import SEARCHED, Excerpt, Piece, excerpt
from cleverdon.assess.judging.viewing import heading_of, link_to
from cleverdon.assess.store.schema import documents, items, topics


@dataclass(frozen=True)
class Shown:
    """A case with all there is to look at."""

    case: Case
    query: str  # the topic's title
    description: str
    narrative: str
    heading: list[Piece]  # as of `View`
    url: str
    excerpt: Excerpt
    history: tuple[Ruling, ...]

    @property
    def item(self) -> int:
        """The item's number."""
        return self.case.item

    @property
    def link(self) -> str:
        """The document's address, if it is one that a page may lead to."""
        return link_to(self.url)


def shown(connection: Connection, item: int) -> Shown:
    """One case."""
    found = case(connection, item)
    row = connection.execute(
        select(
            topics.c.title,
            topics.c.description,
            topics.c.narrative,
            documents.c.url,
            func.substr(documents.c.text, 1, SEARCHED).label("text"),
            func.length(documents.c.text).label("length"),
        )
        .select_from(items)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.id == item)
    ).one()
    return Shown(
        found,
        row.title,
        row.description,
        row.narrative,
        heading_of(found.title, found.document, row.title),
        row.url,
        excerpt(row.text, row.title, length=row.length),
        tuple(ruling_history(connection, item)),
    )
