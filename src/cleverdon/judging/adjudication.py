"""Adjudication: documents in dispute, and the rulings of administrators that settle them.

Rulings are added to a history and never changed; the last one on a document holds.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field
from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    Table,
    exists,
    func,
    insert,
    select,
)

from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, NotFound
from cleverdon.judging.item_views import SEARCHED, Excerpt, Piece, excerpt, heading_of, safe_link
from cleverdon.judging.people.accounts import Actor
from cleverdon.judging.record_fields import INTERNAL, Moment
from cleverdon.judging.recording import check_judgment, recurring_key
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import (
    IS_SETTLED,
    IS_STANDING,
    NAMED_ITEMS,
    documents,
    events,
    items,
    judgments,
    people,
    queries,
    rulings,
)


@dataclass(frozen=True)
class Ruling:
    """A decision of an administrator on a document; without a grade it revokes those before."""

    id: Annotated[int, Field(serialization_alias="ruling")]
    item: Annotated[int, INTERNAL]
    person: str
    grade: int | None
    """Null if it takes the rulings before it back."""
    note: str
    made_at: Moment


@dataclass(frozen=True)
class RecordedRuling:
    """The result of recording a ruling."""

    ruling: Ruling
    repeated: bool
    """Whether it was recorded before."""


def record_ruling(
    connection: Connection,
    person: int,
    *,
    idempotency_key: str,
    item: int,
    grade: int | None,
    note: str = "",
    scale: Scale,
    by: Actor | None = None,
    may_recur: bool = False,
) -> RecordedRuling:
    """Record a ruling; a second one with the same `idempotency_key` changes nothing.

    `by` describes the person in the audit log; `may_recur` is that of `JudgmentEvent`.
    """
    note = note.strip()
    check_judgment(idempotency_key=idempotency_key, grade=grade, text=note, scale=scale)
    if may_recur:
        every = select(rulings.c.request).where(rulings.c.item_id == item).order_by(rulings.c.id)
        idempotency_key = recurring_key(idempotency_key, connection.execute(every).scalars().all())
    before = connection.execute(
        select(rulings).where(rulings.c.person_id == person, rulings.c.request == idempotency_key)
    ).first()
    if before is not None:
        if (before.item_id, before.grade, before.note) != (item, grade, note):
            raise Conflict(
                f"the request {idempotency_key!r} was used before, for something else: each "
                "needs its own"
            )
        return RecordedRuling(_ruling(connection, before.id), True)
    about = connection.execute(
        select(queries.c.name, documents.c.name.label("document"))
        .select_from(NAMED_ITEMS)
        .where(items.c.id == item)
    ).first()
    if about is None:
        raise NotFound(f"there is no document {item} to be judged")
    if grade is None and item not in standing_rulings(connection, among=[item]):
        raise Conflict("there is no ruling to take back")
    added = connection.execute(
        insert(rulings).values(
            request=idempotency_key,
            item_id=item,
            person_id=person,
            grade=grade,
            note=note,
            made_at=clock.now(),
        )
    ).inserted_primary_key
    assert added is not None
    ruling = _ruling(connection, added.id)
    document, by = f"{about.document} of query {about.name}", by or Actor(ruling.person)
    if grade is None:
        by.note(connection, "took a ruling back", document)
    else:
        by.note(connection, "settled a document", f"{document}, as {grade}")
    return RecordedRuling(ruling, False)


def standing_rulings(
    connection: Connection, *, among: Collection[int] | None = None
) -> dict[int, Ruling]:
    """Return the standing ruling of each item: the last one, unless it revokes the others."""
    wanted = _RULINGS.where(IS_STANDING)
    if among is not None:
        wanted = wanted.where(rulings.c.item_id.in_(among))
    return {row.item_id: Ruling(*row) for row in connection.execute(wanted)}


def _ruling(connection: Connection, number: int) -> Ruling:
    return Ruling(*connection.execute(_RULINGS.where(rulings.c.id == number)).one())


_RULINGS = select(
    rulings.c.id,
    rulings.c.item_id,
    people.c.name,
    rulings.c.grade,
    rulings.c.note,
    rulings.c.made_at,
).join(people, people.c.id == rulings.c.person_id)


CaseFilter = Literal["disputed", "settled", "flagged", "skipped"]
"""In dispute and open; with a ruling; flagged; skipped and judged by nobody."""
_CASE_FILTERS = get_args(CaseFilter)


@dataclass(frozen=True)
class PersonJudgment:
    """The judgment of a document by one person."""

    person: str
    grade: int | None
    skipped: str | None
    """The reason why it was skipped."""
    note: str
    flagged: bool
    made_at: Moment
    judged_at: Annotated[float | None, INTERNAL]  # of the last grade, skip, or undo of these


@dataclass(frozen=True)
class Case:
    """A document of a query with the judgments of all people."""

    item: int
    query: str
    document: str
    title: str
    gold: int | None  # the grade that is known to be right, where attention is checked
    judgments: tuple[PersonJudgment, ...]  # by grade, so that the order does not reveal names
    ruling: Ruling | None

    @property
    def grades(self) -> tuple[int, ...]:
        """The grades, the highest first."""
        return tuple(one.grade for one in self.judgments if one.grade is not None)

    @property
    def spread(self) -> int:
        """The difference between the highest and the lowest grade."""
        return self.grades[0] - self.grades[-1] if self.grades else 0

    def crosses(self, relevant: int) -> bool:
        """Tell whether some grades are relevant and others are not."""
        return bool(self.grades) and self.grades[-1] < relevant <= self.grades[0]

    @property
    def outdated(self) -> bool:
        """True if somebody judged it again after the ruling; notes and flags do not count."""
        ruled_at = None if self.ruling is None else self.ruling.made_at
        moments = (one.judged_at for one in self.judgments)
        return ruled_at is not None and any(at is not None and at > ruled_at for at in moments)


@dataclass(frozen=True)
class CasePage:
    """Some cases, and the number of all."""

    total: int
    cases: tuple[Case, ...]


def list_cases(
    connection: Connection,
    show: CaseFilter = "disputed",
    *,
    query: str | None = None,
    across: int | None = None,
    n: int,
    skip: int = 0,
) -> CasePage:
    """Return the cases of one kind; disputes with the largest difference first.

    `across` is the lowest relevant grade, where only disputes about relevance are wanted.
    """
    wanted, order = _cases_wanted(show, across)
    if query is not None:
        wanted = wanted.where(queries.c.name == query)
    total = connection.execute(select(func.count()).select_from(wanted.subquery())).scalar_one()
    wanted = wanted.order_by(*order, queries.c.position, items.c.id).limit(n).offset(skip)
    return CasePage(total, tuple(_cases(connection, list(connection.execute(wanted).scalars()))))


def _load_case(connection: Connection, item: int) -> Case:
    """Return the case of one item, also where nobody judged it."""
    found = _cases(connection, [item])
    if not found:
        raise NotFound(f"there is no document {item} to be judged")
    return found[0]


def _cases_wanted(
    show: CaseFilter, across: int | None
) -> tuple[Select[Any], tuple[ColumnElement[Any], ...]]:
    """Return the SQL statement for the items, and its first sort keys."""
    base = select(items.c.id).join(queries, queries.c.id == items.c.query_id)
    if show in ("disputed", "settled"):
        ends = _ends()
        base = base.join(ends, ends.c.item_id == items.c.id, isouter=show == "settled")
        if across is not None:
            base = base.where(ends.c.lowest < across, ends.c.highest >= across)
        if show == "settled":
            last = select(rulings.c.id, rulings.c.item_id).where(IS_STANDING).subquery()
            return base.join(last, last.c.item_id == items.c.id), (last.c.id.desc(),)
        differ = base.where(ends.c.lowest < ends.c.highest, ~IS_SETTLED)
        return differ, ((ends.c.highest - ends.c.lowest).desc(),)
    if show == "flagged":
        return base.where(_some_person(judgments.c.flagged), ~IS_SETTLED), ()
    skipped = _some_person(judgments.c.skipped.is_not(None))
    return base.where(skipped, ~_some_person(judgments.c.grade.is_not(None)), ~IS_SETTLED), ()


def _ends() -> Subquery:
    """Select the lowest and the highest grade of each item that people graded."""
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


def _some_person(what: ColumnElement[bool]) -> ColumnElement[bool]:
    """Select whether the judgment of some person has a property."""
    return exists().where(
        judgments.c.item_id == items.c.id,
        people.c.id == judgments.c.person_id,
        people.c.kind == "person",
        what,
    )


def _cases(connection: Connection, wanted: Sequence[int]) -> list[Case]:
    about = (
        select(items.c.id, queries.c.name, documents.c.name, documents.c.title, items.c.gold)
        .select_from(NAMED_ITEMS)
        .where(items.c.id.in_(wanted))
    )
    by_grade = (func.coalesce(judgments.c.grade, -1).desc(), judgments.c.note, people.c.id)
    state = ("grade", "skipped", "note", "flagged", "made_at")
    judged_at = _judged_at(connection, wanted)
    given: dict[int, list[PersonJudgment]] = {}
    every = _of_people(judgments, wanted, *state).order_by(judgments.c.item_id, *by_grade)
    for item, judge, *values in connection.execute(every):
        values = [judge, *values, judged_at.get((item, judge))]
        given.setdefault(item, []).append(PersonJudgment(*values))
    ruled = standing_rulings(connection, among=wanted)
    found = {
        row.id: Case(*row, judgments=tuple(given.get(row.id, ())), ruling=ruled.get(row.id))
        for row in connection.execute(about)
    }
    return [found[item] for item in wanted if item in found]


def _of_people(table: Table, wanted: Sequence[int], *columns: str) -> Select[Any]:
    """Select the item, the person and some columns of events or judgments by people."""
    return (
        select(table.c.item_id, people.c.name, *(table.c[name] for name in columns))
        .join(people, people.c.id == table.c.person_id)
        .where(people.c.kind == "person", table.c.item_id.in_(wanted))
    )


def _judged_at(connection: Connection, wanted: Sequence[int]) -> dict[tuple[int, str], float]:
    """Return when each person last judged each item; notes and flags do not count."""
    every = _of_people(events, wanted, "kind", "grade", "skipped", "made_at").order_by(events.c.id)
    before: dict[tuple[int, str], list[Any]] = {}
    found = {}
    for item, judge, kind, *state, made_at in connection.execute(every):
        key = (item, judge)
        if kind in ("grade", "skip", "import") or state != before.get(key, [None, None]):
            found[key] = made_at
        before[key] = state
    return found


@dataclass(frozen=True)
class CaseView:
    """A case with the text of its document and query."""

    case: Case
    query_title: str
    description: str
    narrative: str
    heading: list[Piece]  # as in `ItemView`
    url: str
    excerpt: Excerpt
    history: tuple[Ruling, ...]

    @property
    def item(self) -> int:
        """The item's number."""
        return self.case.item

    @property
    def link(self) -> str:
        """The document's address, if a page may link to it."""
        return safe_link(self.url)


def load_case_view(connection: Connection, item: int) -> CaseView:
    found = _load_case(connection, item)
    row = connection.execute(
        select(
            queries.c.title,
            queries.c.description,
            queries.c.narrative,
            documents.c.url,
            func.substr(documents.c.text, 1, SEARCHED).label("text"),
            func.length(documents.c.text).label("length"),
        )
        .select_from(NAMED_ITEMS)
        .where(items.c.id == item)
    ).one()
    history = _RULINGS.where(rulings.c.item_id == item).order_by(rulings.c.id)
    return CaseView(
        found,
        row.title,
        row.description,
        row.narrative,
        heading_of(found.title, found.document, row.title),
        row.url,
        excerpt(row.text, row.title, length=row.length),
        tuple(Ruling(*each) for each in connection.execute(history)),
    )
