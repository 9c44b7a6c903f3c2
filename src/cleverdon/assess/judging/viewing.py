"""What an assessor sees: items with their documents, and what they said themselves. Nothing else.

No system, rank, score, stratum, gold grade or other person's word is read here, so none can be
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, func, select

from cleverdon.assess.judging.excerpts import SEARCHED, Excerpt, Part, Piece, excerpt, marked
from cleverdon.assess.judging.reach import ME, NOT_YOURS, item_for, within_reach
from cleverdon.assess.judging.recording import Standing, history_of
from cleverdon.assess.refusals import NotThere
from cleverdon.assess.store.schema import (
    assignments,
    documents,
    events,
    items,
    judgments,
    topics,
)

Which = Literal["judged", "skipped", "flagged"]
"""The lists of one's own judgments."""

_LAST_CHARACTER = 2**31 - 2
"""PostgreSQL counts no further, and no text is as long."""

TEXT_PAGE = 40_000
"""Characters of a page of a document's whole text."""

_TIMED = 99
"""Judgments of which somebody's pace is told: the last ones."""


@dataclass(frozen=True)
class View:
    """A document as it is shown for a topic."""

    item: int
    topic: str
    document: str
    title: str
    heading: list[Piece]  # the title with the query's terms marked, or the document's id
    url: str
    excerpt: Excerpt
    standing: Standing
    event: int | None = None  # None: nothing was said yet
    history: tuple[Row[Any], ...] = ()

    @property
    def link(self) -> str:
        """The document's address, if it is one that a page may lead to."""
        return link_to(self.url)


@dataclass(frozen=True)
class Said:
    """One's own last word on an item, in a list."""

    item: int
    topic: str
    document: str
    title: str
    standing: Standing
    event: int
    made_at: float


@dataclass(frozen=True)
class TextPage:
    """Some of a document's whole text."""

    topic: str
    title: str
    heading: list[Piece]
    number: int
    pages: int
    part: Part


_WHICH = {
    "judged": judgments.c.grade.is_not(None),
    "skipped": judgments.c.skipped.is_not(None),
    "flagged": judgments.c.flagged,
}


def views(connection: Connection, person: int, wanted: Sequence[int]) -> list[View]:
    """These items in this order, as far as they are within reach."""
    if not wanted:
        return []
    rows = connection.execute(_SHOWN, {"me": person, "wanted": list(wanted)}).all()
    said = _histories(connection, person, [row.id for row in rows if row.event_id is not None])
    found = {row.id: _view(row, said.get(row.id, ())) for row in rows}
    return [found[item] for item in wanted if item in found]


def view(connection: Connection, person: int, item: int) -> View:
    """One item."""
    found = views(connection, person, [item])
    if not found:
        raise NotThere(NOT_YOURS)
    return found[0]


def own_judgments(
    connection: Connection,
    person: int,
    *,
    topic: int | None = None,
    which: Which | None = None,
    before: int | None = None,
    n: int,
) -> list[Said]:
    """One's own last words, the newest first; `before` is the event that the list stopped at."""
    wanted = _own(person).where(judgments.c.item_id.is_not(None))
    if which is not None:
        wanted = wanted.where(_WHICH[which])
    if topic is not None:
        wanted = wanted.where(items.c.topic_id == topic)
    if before is not None:
        wanted = wanted.where(judgments.c.event_id < before)
    wanted = wanted.order_by(judgments.c.event_id.desc()).limit(n)
    return [_said(row) for row in connection.execute(wanted)]


def link_to(url: str) -> str:
    """A document's address, if it is one that a page may lead to; else nothing."""
    return url if url.partition(":")[0].casefold() in ("http", "https") else ""


def text_page(connection: Connection, person: int, item: int, number: int) -> TextPage:
    """A page of the whole text of a document within reach."""
    item_for(connection, person, item)
    return any_text_page(connection, item, number)


def any_text_page(connection: Connection, item: int, number: int) -> TextPage:
    """A page of a document's whole text, from 1; a text without characters has one page.

    Whose reach the document is in is not asked: administrators may read them all.
    """
    start = min((number - 1) * TEXT_PAGE, _LAST_CHARACTER)
    row = connection.execute(
        select(
            topics.c.name.label("topic"),
            topics.c.title.label("query"),
            documents.c.name.label("document"),
            documents.c.title,
            func.substr(documents.c.text, start + 1, TEXT_PAGE).label("text"),
            func.length(documents.c.text).label("length"),
        )
        .select_from(items)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.id == item)
    ).first()
    pages = 0 if row is None else max(-(-row.length // TEXT_PAGE), 1)
    if row is None or not 1 <= number <= pages:
        raise NotThere(f"there is no page {number} of a document {item}")
    title = row.title or row.document
    heading = heading_of(row.title, row.document, row.query)
    part = marked(row.text, row.query)
    return TextPage(row.topic, title, heading, number, pages, part)


def pace(connection: Connection, person: int, topic: int) -> list[float]:
    """The seconds that a person's last judgments of a topic took, the newest first."""
    timed = connection.execute(
        select(events.c.seconds)
        .join(items, items.c.id == events.c.item_id)
        .where(
            events.c.person_id == person,
            items.c.topic_id == topic,
            events.c.kind.in_(("grade", "skip")),
            events.c.seconds.is_not(None),
        )
        .order_by(events.c.id.desc())
        .limit(_TIMED)
    )
    return list(timed.scalars())


def history(connection: Connection, person: int, item: int) -> Sequence[Row[Any]]:
    """All that one said of an item oneself, from the first word to the last."""
    item_for(connection, person, item)
    return history_of(connection, person, item)


def _own(person: int | BindParameter[int], *more: Any) -> Select[Any]:
    """Items within reach, each with one's own last word."""
    return select(
        items.c.id,
        topics.c.name.label("topic"),
        documents.c.name.label("document"),
        documents.c.title,
        judgments.c.event_id,
        judgments.c.grade,
        judgments.c.skipped,
        judgments.c.note,
        judgments.c.flagged,
        judgments.c.made_at,
        *more,
    ).select_from(
        items.join(assignments, within_reach(person))
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .outerjoin(
            judgments,
            (judgments.c.item_id == items.c.id) & (judgments.c.person_id == person),
        )
    )


_SHOWN = _own(
    ME,
    topics.c.title.label("query"),
    documents.c.url,
    func.substr(documents.c.text, 1, SEARCHED).label("text"),
    func.length(documents.c.text).label("length"),
).where(items.c.id.in_(bindparam("wanted", expanding=True)))


def _standing(row: Row[Any]) -> Standing:
    return Standing(row.grade, row.skipped, row.note or "", bool(row.flagged))


def _histories(
    connection: Connection, person: int, wanted: Sequence[int]
) -> dict[int, tuple[Row[Any], ...]]:
    if not wanted:
        return {}
    rows = connection.execute(
        select(events)
        .where(events.c.item_id.in_(wanted), events.c.person_id == person)
        .order_by(events.c.item_id, events.c.id)
    ).all()
    return {item: tuple(said) for item, said in groupby(rows, key=lambda row: int(row.item_id))}


def _view(row: Row[Any], said: tuple[Row[Any], ...]) -> View:
    return View(
        item=row.id,
        topic=row.topic,
        document=row.document,
        title=row.title,
        heading=heading_of(row.title, row.document, row.query),
        url=row.url,
        excerpt=excerpt(row.text, row.query, length=row.length),
        standing=_standing(row),
        event=row.event_id,
        history=said,
    )


def heading_of(title: str, document: str, query: str) -> list[Piece]:
    """A document's title with the query's terms marked; where it has none, its id."""
    return marked(title, query).pieces if title else [Piece(document, marked=False)]


def _said(row: Row[Any]) -> Said:
    return Said(
        row.id,
        row.topic,
        row.document,
        row.title,
        _standing(row),
        row.event_id,
        row.made_at,
    )
