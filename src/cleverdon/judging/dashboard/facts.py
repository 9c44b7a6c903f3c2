"""The facts that the dashboard is computed from: one state of the project, as plain rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Select, func, or_, select

from cleverdon.agreement.labels import Labels
from cleverdon.judging import clock
from cleverdon.judging.scale import Scale
from cleverdon.judging.store import schema
from cleverdon.judging.workload import compute_workload

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

JUDGE_KINDS = ("person", "model", "earlier")
HUMAN = ("person",)
_LATE = 7 * 86_400.0  # seconds that a judgment can have waited in a browser; more is a wrong clock


def grouped(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return rows by their keys, in order."""
    found: dict[K, list[T]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


@dataclass(frozen=True)
class StandingGrade:
    """The standing grade of a document by one judge: the grade of the current judgment."""

    judge: str
    kind: str  # person, model, earlier
    query: str
    document: str
    grade: int
    item: int
    made_at: float
    gold: bool = False  # whether the document checks attention


def standing_grades(
    connection: Connection,
    kinds: Collection[str] = HUMAN,
    *,
    queries: Collection[str] | None = None,
    people: Collection[str] | None = None,
) -> Iterator[StandingGrade]:
    """Return the standing grades, query by query; `queries` and `people` are names."""
    judgments, items = schema.judgments, schema.items
    wanted = (
        select(
            schema.people.c.name,
            schema.people.c.kind,
            schema.queries.c.name,
            schema.documents.c.name,
            judgments.c.grade,
            items.c.id,
            judgments.c.made_at,
            items.c.gold.is_not(None),
        )
        .select_from(judgments.join(schema.NAMED_ITEMS).join(schema.people))
        .where(judgments.c.grade.is_not(None), schema.people.c.kind.in_(kinds))
        # By numbers and not by names, which the two databases would sort differently.
        .order_by(schema.queries.c.position, items.c.id, schema.people.c.id)
    )
    if queries is not None:
        wanted = wanted.where(schema.queries.c.name.in_(queries))
    if people is not None:
        wanted = wanted.where(schema.people.c.name.in_(people))
    for row in connection.execute(wanted):
        yield StandingGrade(*row)


def without_gold(rows: Iterable[StandingGrade]) -> list[StandingGrade]:
    """Return the grades from which agreement is computed."""
    # Somebody chose the gold documents, mostly clear ones: they would make agreement look better.
    return [row for row in rows if not row.gold]


def distinct_grades(rows: Iterable[StandingGrade]) -> dict[int, set[int]]:
    """Return the different grades of each item."""
    given: dict[int, set[int]] = {}
    for row in rows:
        given.setdefault(row.item, set()).add(row.grade)
    return given


def labels_of(rows: Iterable[StandingGrade]) -> Labels:
    """Return grades as labels; raise an InputError where there are none."""
    return Labels.of_rows((row.judge, row.query, row.document, float(row.grade)) for row in rows)


class QueryFact(NamedTuple):
    name: str
    title: str


class ItemFact(NamedTuple):
    """A document to judge for a query."""

    id: int
    query: str
    document: str
    given_out: bool
    wanted: int
    gold: int | None
    stratum: int | None
    probability: float | None
    added: bool = False  # by an import, and not from the pool


class JudgeFact(NamedTuple):
    """A person, a model or earlier judgments."""

    name: str
    kind: str
    role: str | None
    active: bool


class SkipOrFlag(NamedTuple):
    """A skip or a flag of a document by one person."""

    judge: str
    item: int
    graded: bool
    skipped: bool
    flagged: bool


class GradeEvent(NamedTuple):
    """A grade at the time when it was given, even if it was changed later."""

    judge: str
    item: int
    seconds: float | None
    at: float


class AssignmentFact(NamedTuple):
    """A query that is assigned to a person, all of it or only the overlap."""

    judge: str
    query: str
    part: str


@dataclass(frozen=True)
class Facts:
    """One state of a project, as plain rows."""

    as_of: float
    scale: Scale
    queries: tuple[QueryFact, ...]
    items: tuple[ItemFact, ...]
    judges: tuple[JudgeFact, ...]
    assigned: tuple[AssignmentFact, ...]
    grades: tuple[StandingGrade, ...]  # of people, models and earlier judgments
    skips_and_flags: tuple[SkipOrFlag, ...]  # of people
    grade_events: tuple[GradeEvent, ...]  # of people, in the order in which they came in
    rulings: dict[int, int]  # the grades that were ruled, by item
    chosen: frozenset[int] = frozenset()  # items that were imported before anybody judged them here
    adaptive: bool = False  # whether a method chooses what is judged next
    endings: Mapping[str, str] = field(default_factory=dict)  # why queries ended, by their names
    uncovered: tuple[str, ...] = ()  # queries with something to judge, and nobody who would
    short: tuple[str, ...] = ()  # queries with too few people for what several are to judge

    @cached_property
    def human(self) -> tuple[StandingGrade, ...]:
        return tuple(row for row in self.grades if row.kind == "person")

    @cached_property
    def grades_by_judge(self) -> dict[str, list[StandingGrade]]:
        return grouped(self.human, lambda row: row.judge)

    @cached_property
    def events_by_judge(self) -> dict[str, list[GradeEvent]]:
        return grouped(self.grade_events, lambda event: event.judge)

    @cached_property
    def people(self) -> tuple[str, ...]:
        """People with a query or a grade."""
        seen = {row.judge for row in self.human} | {one.judge for one in self.assigned}
        return tuple(one.name for one in self.judges if one.kind == "person" and one.name in seen)

    @cached_property
    def gold(self) -> dict[int, int]:
        """The known grades of gold documents, by item."""
        return {item.id: item.gold for item in self.items if item.gold is not None}

    @cached_property
    def graded_at(self) -> dict[tuple[str, int], float]:
        """The time of each person's last grade of each item."""
        return {(one.judge, one.item): one.at for one in self.grade_events}


def state_of(connection: Connection) -> tuple[int, ...]:
    """Return numbers that change whenever the dashboard would change."""
    counted = (
        select(func.max(schema.events.c.id)),
        select(func.max(schema.audit.c.id)),  # changes of people, assignments, overlap and rulings
        select(func.count()).where(schema.items.c.position.is_not(None)),
    )
    found = connection.execute(select(*(one.scalar_subquery() for one in counted))).one()
    return tuple(int(number or 0) for number in found)


def read_facts(
    connection: Connection, scale: Scale, *, endings: Mapping[str, str] | None = None
) -> Facts:
    """Read the state of a project; `endings` are those of `Feeder.endings`."""
    work = compute_workload(connection, endings or {})

    def records(kind: Any, wanted: Select[Any]) -> tuple[Any, ...]:
        return tuple(map(kind._make, connection.execute(wanted)))

    return Facts(
        as_of=clock.now(),
        scale=scale,
        queries=records(QueryFact, _QUERIES),
        items=records(ItemFact, _ITEMS),
        judges=records(JudgeFact, _JUDGES),
        assigned=records(AssignmentFact, _ASSIGNED),
        grades=tuple(standing_grades(connection, JUDGE_KINDS)),
        skips_and_flags=records(SkipOrFlag, _SKIPS_AND_FLAGS),
        grade_events=tuple(_grade_events(connection)),
        rulings={row.item_id: row.grade for row in connection.execute(_RULINGS)},
        chosen=frozenset(connection.execute(_CHOSEN).scalars()),
        adaptive=connection.execute(_ADAPTIVE).first() is not None,
        endings=endings or {},
        uncovered=tuple(query.name for query in work.uncovered),
        short=tuple(query.name for query in work.short),
    )


_query, _item, _person = schema.queries.c, schema.items.c, schema.people.c
_judgment, _event = schema.judgments.c, schema.events.c

_ADAPTIVE = select(schema.settings.c.name).where(schema.settings.c.name == "adaptive")
_RULINGS = select(schema.rulings.c.item_id, schema.rulings.c.grade).where(schema.IS_STANDING)
_QUERIES = select(_query.name, _query.title).order_by(_query.position)
_ITEMS = (
    select(
        _item.id,
        _query.name,
        schema.documents.c.name,
        _item.position.is_not(None),
        _item.wanted,
        _item.gold,
        _item.stratum,
        _item.probability,
        _item.added,
    )
    .select_from(schema.NAMED_ITEMS)
    .order_by(_query.position, _item.id)
)
_JUDGES = select(_person.name, _person.kind, _person.role, _person.active).order_by(_person.id)
_ASSIGNED = (
    select(_person.name, _query.name, schema.assignments.c.part)
    .select_from(schema.assignments.join(schema.people).join(schema.queries))
    .order_by(_person.id, _query.position)
)
_SKIPS_AND_FLAGS = (
    select(
        _person.name,
        _judgment.item_id,
        _judgment.grade.is_not(None),
        _judgment.skipped.is_not(None),
        _judgment.flagged,
    )
    .select_from(schema.judgments.join(schema.people))
    .where(_person.kind == "person", or_(_judgment.skipped.is_not(None), _judgment.flagged))
    .order_by(_judgment.item_id, _person.id)
)
_FIRST_GRADES = (
    select(func.min(_event.id))
    .select_from(schema.events.join(schema.people))
    .where(_event.kind.in_(("grade", "import")), _person.kind == "person")
    .group_by(_event.item_id)
)
# Items whose first grade by a person was imported: the file's author chose them. Items that were
# judged here before the import are not among them.
_CHOSEN = select(_event.item_id).where(_event.kind == "import", _event.id.in_(_FIRST_GRADES))
_GRADE_EVENTS = (
    select(_person.name, _event.item_id, _event.seconds, _event.made_at, _event.said_at)
    .select_from(schema.events.join(schema.people))
    .where(_event.kind == "grade", _person.kind == "person")
    .order_by(_event.id)
)


def _grade_events(connection: Connection) -> Iterator[GradeEvent]:
    for name, item, seconds, made_at, said_at in connection.execute(_GRADE_EVENTS):
        # An event that was sent later has the browser's time, if that is plausible.
        believed = said_at is not None and made_at - _LATE <= said_at <= made_at
        yield GradeEvent(name, item, seconds, said_at if believed else made_at)
