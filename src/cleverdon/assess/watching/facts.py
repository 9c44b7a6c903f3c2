"""All that watching looks at, read at once: one state of the project, as plain rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, or_, select

from cleverdon.assess import clock
from cleverdon.assess.adjudicating.rulings import standing_rulings
from cleverdon.assess.scale import Scale
from cleverdon.assess.setup.workload import work_of
from cleverdon.assess.store import schema
from cleverdon.assess.watching.labels import KINDS, LabelRow, label_rows

_LATE = 7 * 86_400.0
"""Seconds that a judgment may have waited in a browser; what says more has a clock that is off."""


class TopicFact(NamedTuple):
    """A topic."""

    name: str
    title: str


class ItemFact(NamedTuple):
    """A document that is to be judged for a topic."""

    id: int
    topic: str
    document: str
    given_out: bool
    wanted: int
    gold: int | None
    stratum: int | None
    probability: float | None
    added: bool = False  # by an import, and not from the pool


class JudgeFact(NamedTuple):
    """Somebody who judges, or may."""

    name: str
    kind: str
    role: str | None
    active: bool


class Aside(NamedTuple):
    """What somebody said of a document beside a grade."""

    judge: str
    item: int
    graded: bool
    skipped: bool
    flagged: bool


class Grading(NamedTuple):
    """A grade that was given, be it changed later: what pace is counted of."""

    judge: str
    item: int
    seconds: float | None
    at: float


class AssignmentFact(NamedTuple):
    """A topic of a person's, as a whole or only what several judge."""

    judge: str
    topic: str
    part: str


@dataclass(frozen=True)
class Facts:
    """One state of a project."""

    as_of: float
    scale: Scale
    topics: tuple[TopicFact, ...]
    items: tuple[ItemFact, ...]
    judges: tuple[JudgeFact, ...]
    assigned: tuple[AssignmentFact, ...]
    labels: tuple[LabelRow, ...]  # of people, models and earlier judgments
    asides: tuple[Aside, ...]  # of people
    gradings: tuple[Grading, ...]  # of people, in the order in which they came in
    rulings: dict[int, int]  # the grades that were ruled, by item
    chosen: frozenset[int] = frozenset()  # items that were imported before anybody judged them here
    adaptive: bool = False  # whether a method chooses what is judged next
    endings: Mapping[str, str] = field(default_factory=dict)  # why its topics ended, by their names
    uncovered: tuple[str, ...] = ()  # topics with something to judge, and nobody who would
    short: tuple[str, ...] = ()  # topics with too few people for what several are to judge

    @cached_property
    def human(self) -> tuple[LabelRow, ...]:
        """The grades that people gave, and no others."""
        return tuple(row for row in self.labels if row.kind == "person")

    @cached_property
    def people(self) -> tuple[str, ...]:
        """People who judge or did: those with a topic, and those with a grade."""
        seen = {row.judge for row in self.human} | {one.judge for one in self.assigned}
        return tuple(one.name for one in self.judges if one.kind == "person" and one.name in seen)

    @cached_property
    def graded_at(self) -> dict[tuple[str, int], float]:
        """When each person last graded each item."""
        return {(one.judge, one.item): one.at for one in self.gradings}


def state_of(connection: Connection) -> tuple[int, ...]:
    """Numbers that differ as soon as anything differs that watching looks at.

    Whatever is done to people, assignments, the overlap and rulings has a line in the audit log.
    """
    counted = (
        select(func.max(schema.events.c.id)),
        select(func.max(schema.audit.c.id)),
        select(func.count()).where(schema.items.c.position.is_not(None)),
    )
    found = connection.execute(select(*(one.scalar_subquery() for one in counted))).one()
    return tuple(int(number or 0) for number in found)


def read_facts(
    connection: Connection, scale: Scale, *, endings: Mapping[str, str] | None = None
) -> Facts:
    """The state of a project as a connection sees it; `endings` are known to what feeds queues."""
    work = work_of(connection, endings or {})
    return Facts(
        as_of=clock.now(),
        scale=scale,
        topics=tuple(_rows(connection, TopicFact, _topics())),
        items=tuple(_rows(connection, ItemFact, _items())),
        judges=tuple(_rows(connection, JudgeFact, _judges())),
        assigned=tuple(_rows(connection, AssignmentFact, _assigned())),
        labels=tuple(label_rows(connection, KINDS)),
        asides=tuple(_rows(connection, Aside, _asides())),
        gradings=tuple(_gradings(connection)),
        rulings={
            item: one.grade
            for item, one in standing_rulings(connection).items()
            if one.grade is not None
        },
        chosen=frozenset(connection.execute(_chosen()).scalars()),
        adaptive=_is_adaptive(connection),
        endings=endings or {},
        uncovered=tuple(topic.name for topic in work.uncovered),
        short=tuple(topic.name for topic in work.short),
    )


def _is_adaptive(connection: Connection) -> bool:
    named = select(schema.settings.c.name).where(schema.settings.c.name == "adaptive")
    return connection.execute(named).first() is not None


def _rows(connection: Connection, kind: Any, wanted: Select[Any]) -> Iterable[Any]:
    return map(kind._make, connection.execute(wanted))


def _topics() -> Select[Any]:
    topics = schema.topics
    return select(topics.c.name, topics.c.title).order_by(topics.c.position)


def _items() -> Select[Any]:
    items, topics, documents = schema.items, schema.topics, schema.documents
    return (
        select(
            items.c.id,
            topics.c.name,
            documents.c.name,
            items.c.position.is_not(None),
            items.c.wanted,
            items.c.gold,
            items.c.stratum,
            items.c.probability,
            items.c.added,
        )
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .order_by(topics.c.position, items.c.id)
    )


def _judges() -> Select[Any]:
    people = schema.people
    return select(people.c.name, people.c.kind, people.c.role, people.c.active).order_by(
        people.c.id
    )


def _assigned() -> Select[Any]:
    assignments = schema.assignments
    return (
        select(schema.people.c.name, schema.topics.c.name, assignments.c.part)
        .select_from(assignments)
        .join(schema.people, schema.people.c.id == assignments.c.person_id)
        .join(schema.topics, schema.topics.c.id == assignments.c.topic_id)
        .order_by(schema.people.c.id, schema.topics.c.position)
    )


def _asides() -> Select[Any]:
    judgments = schema.judgments
    return (
        select(
            schema.people.c.name,
            judgments.c.item_id,
            judgments.c.grade.is_not(None),
            judgments.c.skipped.is_not(None),
            judgments.c.flagged,
        )
        .select_from(judgments)
        .join(schema.people, schema.people.c.id == judgments.c.person_id)
        .where(
            schema.people.c.kind == "person",
            or_(judgments.c.skipped.is_not(None), judgments.c.flagged),
        )
        .order_by(judgments.c.item_id, schema.people.c.id)
    )


def _chosen() -> Select[Any]:
    """Items of which the first grade of a person was imported: whoever made the file chose them.

    What is imported after it was judged here came up by itself, and is none of them. What was
    imported first stays one, whoever judges it later: else only those would count that were.
    """
    events, people = schema.events, schema.people
    first = (
        select(func.min(events.c.id))
        .join(people, people.c.id == events.c.person_id)
        .where(events.c.kind.in_(("grade", "import")), people.c.kind == "person")
        .group_by(events.c.item_id)
    )
    return select(events.c.item_id).where(events.c.kind == "import", events.c.id.in_(first))


def _gradings(connection: Connection) -> Iterable[Grading]:
    events, people = schema.events, schema.people
    wanted = (
        select(
            people.c.name,
            events.c.item_id,
            events.c.seconds,
            events.c.made_at,
            events.c.said_at,
        )
        .select_from(events)
        .join(people, people.c.id == events.c.person_id)
        .where(events.c.kind == "grade", people.c.kind == "person")
        .order_by(events.c.id)
    )
    for name, item, seconds, made_at, said_at in connection.execute(wanted):
        # What was said offline came in later; the browser's clock is believed within reason.
        believed = said_at is not None and made_at - _LATE <= said_at <= made_at
        yield Grading(name, item, seconds, said_at if believed else made_at)
