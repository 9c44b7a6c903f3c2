"""The grades that stand now, as rows and as the labels that `judge` computes agreement of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, select

from cleverdon.assess.store import schema
from cleverdon.judge.labels import Labels

KINDS = ("person", "model", "earlier")
"""All kinds of judge."""
HUMAN = ("person",)
"""The kinds of judge whose word counts as human: models and earlier judgments only where asked."""


@dataclass(frozen=True)
class LabelRow:
    """One grade that stands."""

    judge: str
    kind: str  # person, model, earlier
    topic: str
    document: str
    grade: int
    item: int
    made_at: float
    gold: bool = False  # whether the document checks attention


def label_rows(
    connection: Connection,
    kinds: Collection[str] = HUMAN,
    *,
    topics: Collection[str] | None = None,
    people: Collection[str] | None = None,
) -> Iterator[LabelRow]:
    """The grades that stand, topic by topic, document by document; skipped ones have no grade.

    `topics` and `people` are names, where only some are wanted.
    """
    for row in connection.execute(_wanted(kinds, topics, people)):
        yield LabelRow(*row)


def without_gold(rows: Iterable[LabelRow]) -> list[LabelRow]:
    """The grades that tell how far judges agree.

    Somebody chose the gold documents, mostly as clear ones, and everybody judges them: they tell of
    attention, and would make agreement look better than it is.
    """
    return [row for row in rows if not row.gold]


def grades_given(rows: Iterable[LabelRow]) -> dict[int, set[int]]:
    """The different grades that each item was given."""
    given: dict[int, set[int]] = {}
    for row in rows:
        given.setdefault(row.item, set()).add(row.grade)
    return given


def labels_of(rows: Iterable[LabelRow]) -> Labels:
    """Rows as labels; an InputError where there are none."""
    return Labels.of_rows((row.judge, row.topic, row.document, float(row.grade)) for row in rows)


def _wanted(
    kinds: Collection[str], topics: Collection[str] | None, people: Collection[str] | None
) -> Select[Any]:
    judgments, items = schema.judgments, schema.items
    wanted = (
        select(
            schema.people.c.name,
            schema.people.c.kind,
            schema.topics.c.name,
            schema.documents.c.name,
            judgments.c.grade,
            items.c.id,
            judgments.c.made_at,
            items.c.gold.is_not(None),
        )
        .select_from(judgments)
        .join(items, items.c.id == judgments.c.item_id)
        .join(schema.people, schema.people.c.id == judgments.c.person_id)
        .join(schema.topics, schema.topics.c.id == items.c.topic_id)
        .join(schema.documents, schema.documents.c.id == items.c.document_id)
        .where(judgments.c.grade.is_not(None), schema.people.c.kind.in_(kinds))
        # By numbers and not by names, which the two databases would sort differently.
        .order_by(schema.topics.c.position, items.c.id, schema.people.c.id)
    )
    if topics is not None:
        wanted = wanted.where(schema.topics.c.name.in_(topics))
    if people is not None:
        wanted = wanted.where(schema.people.c.name.in_(people))
    return wanted
