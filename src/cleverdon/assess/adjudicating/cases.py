"""What administrators may want to settle: disputes, flagged documents, and what nobody judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Select, Subquery, exists, func, select

from cleverdon.assess.adjudicating.rulings import STANDS, Ruling, standing_rulings
from cleverdon.assess.refusals import NotThere
from cleverdon.assess.store.schema import (
    documents,
    events,
    items,
    judgments,
    people,
    rulings,
    topics,
)

Show = Literal["disputed", "settled", "flagged", "skipped"]
"""Which of them: in dispute and open; with a ruling; flagged; skipped, and judged by nobody."""
SHOWN = get_args(Show)


@dataclass(frozen=True)
class Given:
    """What one person said of a document."""

    judge: str
    grade: int | None
    skipped: str | None
    note: str
    flagged: bool
    made_at: float
    judged_at: float | None  # when a grade or a skip last came, or was taken back


@dataclass(frozen=True)
class Case:
    """A document of a topic, and all that people said of it."""

    item: int
    topic: str
    document: str
    title: str
    gold: int | None  # the grade that is known to be right, where attention is checked
    given: tuple[Given, ...]  # the highest grade first, so that the order tells no names
    ruling: Ruling | None

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades, falling."""
        return tuple(one.grade for one in self.given if one.grade is not None)

    @property
    def apart(self) -> int:
        """How far the highest and the lowest grade are apart."""
        return self.grades[0] - self.grades[-1] if self.grades else 0

    def crosses(self, relevant: int) -> bool:
        """Whether some say relevant, and others do not."""
        return bool(self.grades) and self.grades[-1] < relevant <= self.grades[0]

    @property
    def outdated(self) -> bool:
        """Whether somebody judged it again after the ruling; a note or a flag is no judgment."""
        ruled_at = None if self.ruling is None else self.ruling.made_at
        moments = (one.judged_at for one in self.given)
        return ruled_at is not None and any(at is not None and at > ruled_at for at in moments)


@dataclass(frozen=True)
class Cases:
    """Some of them, and how many there are."""

    total: int
    cases: tuple[Case, ...]


def cases(
    connection: Connection,
    show: Show = "disputed",
    *,
    topic: str | None = None,
    across: int | None = None,
    n: int,
    skip: int = 0,
) -> Cases:
    """The cases of one kind; disputes with the largest difference first.

    `across` is the lowest relevant grade, where only disputes about relevance are wanted.
    """
    wanted, order = _wanted(show, across)
    if topic is not None:
        wanted = wanted.where(topics.c.name == topic)
    total = connection.execute(select(func.count()).select_from(wanted.subquery())).scalar_one()
    wanted = wanted.order_by(*order, topics.c.position, items.c.id).limit(n).offset(skip)
    return Cases(total, tuple(_cases(connection, list(connection.execute(wanted).scalars()))))


def case(connection: Connection, item: int) -> Case:
    """The case of one item, whatever was said of it."""
    found = _cases(connection, [item])
    if not found:
        raise NotThere(f"there is no document {item} to be judged")
    return found[0]


def _wanted(show: Show, across: int | None) -> tuple[Select[Any], tuple[ColumnElement[Any], ...]]:
    """Which items, and what they are ordered by first."""
    base = select(items.c.id).join(topics, topics.c.id == items.c.topic_id)
    if show in ("disputed", "settled"):
        ends = _ends()
        base = base.join(ends, ends.c.item_id == items.c.id, isouter=show == "settled")
        if across is not None:
            base = base.where(ends.c.lowest < across, ends.c.highest >= across)
        if show == "settled":
            last = _last_rulings()
            return base.join(last, last.c.item_id == items.c.id), (last.c.id.desc(),)
        differ = base.where(ends.c.lowest < ends.c.highest, ~_is_settled())
        return differ, ((ends.c.highest - ends.c.lowest).desc(),)
    if show == "flagged":
        return base.where(_said(judgments.c.flagged), ~_is_settled()), ()
    skipped = _said(judgments.c.skipped.is_not(None))
    return base.where(skipped, ~_said(judgments.c.grade.is_not(None)), ~_is_settled()), ()


def _ends() -> Subquery:
    """Of each item that people graded, the lowest and the highest grade."""
    return (
        select(
            judgments.c.item_id,
            func.min(judgments.c.grade).label("lowest"),
            func.max(judgments.c.grade).label("highest"),
        )
        .join(people, people.c.id == judgments.c.person_id)
        .where(people.c.kind == "person", judgments.c.grade.is_not(None))
        .group_by(judgments.c.item_id)
        .subquery()
    )


def _said(what: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether some person said this of an item."""
    return exists().where(
        judgments.c.item_id == items.c.id,
        people.c.id == judgments.c.person_id,
        people.c.kind == "person",
        what,
    )


def _last_rulings() -> Subquery:
    """The rulings that hold."""
    return select(rulings.c.id, rulings.c.item_id).where(STANDS).subquery()


def _is_settled() -> ColumnElement[bool]:
    last = _last_rulings()
    return exists().where(last.c.item_id == items.c.id)


def _cases(connection: Connection, wanted: Sequence[int]) -> list[Case]:
    """These items in this order."""
    about = (
        select(items.c.id, topics.c.name, documents.c.name, documents.c.title, items.c.gold)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.id.in_(wanted))
    )
    judged_at = _judged_at(connection, wanted)
    given: dict[int, list[Given]] = {}
    for item, judge, *said in connection.execute(_given(wanted)):
        word = (judge, *said, judged_at.get((item, judge)))
        given.setdefault(item, []).append(Given(*word))
    ruled = standing_rulings(connection, among=wanted)
    found = {
        row.id: Case(*row, given=tuple(given.get(row.id, ())), ruling=ruled.get(row.id))
        for row in connection.execute(about)
    }
    return [found[item] for item in wanted if item in found]


def _given(wanted: Sequence[int]) -> Select[Any]:
    return (
        select(
            judgments.c.item_id,
            people.c.name,
            judgments.c.grade,
            judgments.c.skipped,
            judgments.c.note,
            judgments.c.flagged,
            judgments.c.made_at,
        )
        .join(people, people.c.id == judgments.c.person_id)
        .where(people.c.kind == "person", judgments.c.item_id.in_(wanted))
        .order_by(
            judgments.c.item_id,
            func.coalesce(judgments.c.grade, -1).desc(),
            judgments.c.note,
            people.c.id,
        )
    )


def _judged_at(connection: Connection, wanted: Sequence[int]) -> dict[tuple[int, str], float]:
    """When each person last judged each item: events that only add a note or a flag are none."""
    said = (
        select(
            events.c.item_id,
            people.c.name,
            events.c.kind,
            events.c.grade,
            events.c.skipped,
            events.c.made_at,
        )
        .join(people, people.c.id == events.c.person_id)
        .where(people.c.kind == "person", events.c.item_id.in_(wanted))
        .order_by(events.c.id)
    )
    before: dict[tuple[int, str], list[Any]] = {}
    found = {}
    for item, judge, kind, *state, made_at in connection.execute(said):
        key = (item, judge)
        if kind in ("grade", "skip", "import") or state != before.get(key, [None, None]):
            found[key] = made_at
        before[key] = state
    return found
