"""The items assigned to each person, how much of them is done, and which queries lack people.

An assessor may see and judge the documents of assigned queries only: `assigned_item` and
`assigned_query` are the checks that pages and calls use.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
)

from cleverdon._common.text import counted, printable
from cleverdon.judging.errors import NotFound
from cleverdon.judging.people.accounts import name_order
from cleverdon.judging.record_fields import INTERNAL
from cleverdon.judging.store.schema import (
    IS_DONE,
    IS_SETTLED,
    assignments,
    items,
    judgments,
    people,
    queries,
    settings,
)
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

_EXAMPLES = 5


@dataclass(frozen=True)
class AssignedPerson:
    """A person who is assigned to a query."""

    person: int
    name: str
    part: str
    """all, or overlap: only documents that several people judge."""
    active: bool
    done: int
    """Documents of the query that the person judged or skipped."""
    gold_done: Annotated[int, INTERNAL]  # of these, gold ones


@dataclass(frozen=True)
class QueryWorkload:
    """The work on a query, and the people who are assigned to it."""

    query: Annotated[int, INTERNAL]
    name: str
    title: str
    documents: int
    """Documents to judge, as far as that is known."""
    done: int
    """Documents that somebody judged or skipped."""
    # Without gold: how many documents need a first, a second, ... person.
    needed: Annotated[tuple[int, ...], INTERNAL]
    # Judgments of these; those above the wanted number are not counted.
    made: Annotated[int, INTERNAL]
    gold: Annotated[int, INTERNAL]  # documents that everybody on the query judges
    people: tuple[AssignedPerson, ...]

    @property
    def holders(self) -> list[AssignedPerson]:
        """People who have all of the query and can sign in."""
        return [each for each in self.people if each.active and each.part == "all"]

    @property
    def started(self) -> bool:
        return self.done > 0

    def left(self, person: AssignedPerson) -> float:
        """Return the documents left for one person, if all who have the query share evenly."""
        gold = max(self.gold - person.gold_done, 0)
        if person.part == "overlap":
            return self._second(person) + gold
        return self.left_to_share / max(len(self.holders), 1) + gold

    @property
    def left_to_share(self) -> int:
        """Missing judgments, without gold and without the overlap's people."""
        others = sum(map(self._second, (each for each in self.people if each.active)))
        return max(sum(self.needed) - self.made - others, 0)

    def _second(self, person: AssignedPerson) -> int:
        """Return the documents of the overlap left for a person who has only the overlap."""
        if person.part != "overlap" or len(self.needed) < 2:
            return 0
        return max(self.needed[1] - (person.done - person.gold_done), 0)

    @property
    def lacking(self) -> int:
        """The number of people that are missing; 0 where nothing is left to do."""
        if self.done >= self.documents and self.made >= sum(self.needed):
            return 0
        there = sum(each.active for each in self.people)
        return max(len(self.needed) - there, 0 if self.holders else 1)


@dataclass(frozen=True)
class PersonWorkload:
    """The work of a person."""

    person: int
    name: str
    role: str
    active: bool
    queries: int
    done: int
    left: int
    """Documents left; of shared queries only this person's part."""


@dataclass(frozen=True)
class Workload(Result):
    """The work of every query and of every person.

    Attributes:
        queries: The work of each query: its documents, and the people who judge them.
        people: The work of each person: queries, judgments that are done, and those left.

    >>> from cleverdon.judging import example_project, project_workload
    >>> with example_project() as project:
    ...     work = project_workload(project)
    >>> len(work.queries), [person.left for person in work.people]
    (2, [3, 3])
    """

    queries: tuple[QueryWorkload, ...]
    people: tuple[PersonWorkload, ...]

    @property
    def uncovered(self) -> list[QueryWorkload]:
        """Queries with something to judge that nobody has."""
        return [each for each in self.queries if not each.holders and each.done < each.documents]

    @property
    def short(self) -> list[QueryWorkload]:
        """Queries with too few people for what several are to judge."""
        return [each for each in self.queries if each.holders and each.lacking]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table, a row for each person."""
        number = count_format(exact=exact)
        rows = [
            [
                printable(each.name),
                each.role if each.active else "deactivated",
                number(each.queries),
                number(each.done),
                number(each.left),
            ]
            for each in self.people
        ]
        grid = TextTable(["name", "role", "queries", "done", "left"], rows, 2, [])
        return [Section("Work", grid, titled=False)]

    def closing(self) -> list[str]:
        """Return which queries lack people."""
        lines = [] if self.people else ["nobody judges anything yet"]
        if self.uncovered:
            lines.append(f"nobody has {_listed(self.uncovered, ':')}")
        if self.short:
            lines.append(
                f"too few people for what several are to judge: {_listed(self.short, ',')}"
            )
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, and the names of the queries that lack people."""
        return {
            **super().to_dict(),
            "uncovered": [query.name for query in self.uncovered],
            "short": [query.name for query in self.short],
        }


def _listed(queries: Sequence[QueryWorkload], mark: str) -> str:
    more = ", ..." if len(queries) > _EXAMPLES else ""
    names = ", ".join(query.name for query in queries[:_EXAMPLES])
    return f"{counted(len(queries), 'query')}{mark} {names}{more}"


def compute_workload(connection: Connection, ended: Collection[str] = ()) -> Workload:
    """Compute the work of every query and person; `ended` queries give out no more documents."""
    found = _queries(connection, ended)
    return Workload(tuple(found), tuple(_people(connection, found)))


def _queries(connection: Connection, ended: Collection[str]) -> list[QueryWorkload]:
    every = connection.execute(select(queries).order_by(queries.c.position)).all()
    counts = _counts(connection, {row.id for row in every if row.name in ended})
    done_by = _done_by(connection)
    on_query: dict[int, list[AssignedPerson]] = defaultdict(list)
    wanted = select(assignments, people.c.name, people.c.active).join_from(assignments, people)
    for row in connection.execute(wanted):
        done = done_by.get((row.query_id, row.person_id), (0, 0))
        found = AssignedPerson(row.person_id, row.name, row.part, row.active, *done)
        on_query[row.query_id].append(found)
    return [
        QueryWorkload(
            row.id,
            row.name,
            row.title,
            **counts[row.id],
            people=tuple(sorted(on_query[row.id], key=lambda each: name_order(each.name))),
        )
        for row in every
    ]


def _counts(connection: Connection, ended: Collection[int]) -> dict[int, dict[str, Any]]:
    """Count the documents of each query, those done, and how many judges they need."""
    budget = _budget(connection)
    judged = (
        select(judgments.c.item_id, func.count().label("times"))
        .join(people)
        .where(people.c.kind == "person", IS_DONE)
        .group_by(judgments.c.item_id)
        .subquery()
    )
    is_gold = items.c.gold.is_not(None)
    given = items.c.position.is_not(None)
    counted = case(
        (is_gold, 0),
        (IS_SETTLED, items.c.wanted),
        (judged.c.times > items.c.wanted, items.c.wanted),
        else_=func.coalesce(judged.c.times, 0),
    )
    wanted = (
        select(
            items.c.query_id,
            items.c.wanted,
            items.c.added,
            given.label("given"),
            func.count().label("documents"),
            func.count(case((or_(judged.c.item_id.is_not(None), IS_SETTLED), 1))).label("done"),
            func.sum(counted).label("made"),
            func.count(items.c.gold).label("gold"),
        )
        .select_from(items.outerjoin(judged, judged.c.item_id == items.c.id))
        .group_by(items.c.query_id, items.c.wanted, items.c.added, given)
    )
    found: dict[int, dict[str, Any]] = defaultdict(
        lambda: {"done": 0, "made": 0, "gold": 0, "pooled": Counter(), "added": Counter()}
    )
    for row in connection.execute(wanted):
        of_query = found[row.query_id]
        if row.query_id in ended and not row.given:
            continue
        of_query["added" if row.added else "pooled"][row.wanted] += row.documents - row.gold
        for name in ("done", "made", "gold"):
            of_query[name] += int(getattr(row, name))  # PostgreSQL sums to decimals
    for of_query in found.values():
        pooled, added = of_query.pop("pooled"), of_query.pop("added")
        plain = pooled.total()
        due = plain if budget is None else min(plain, budget)
        documents = due + added.total() + of_query["gold"]
        of_query["documents"] = max(documents, of_query["done"])
        of_query["needed"] = _needed(pooled, added, due / max(plain, 1))
    return found


def _needed(pooled: Counter[int], added: Counter[int], share: float) -> tuple[int, ...]:
    """Return how many documents need a first, a second, ... judge; of the pool, only a share."""

    def wanting(counts: Counter[int], place: int) -> int:
        return sum(count for number, count in counts.items() if number > place)

    return tuple(
        round(share * wanting(pooled, place)) + wanting(added, place)
        for place in range(max(pooled + added, default=0))
    )


def _budget(connection: Connection) -> int | None:
    """Return how many documents of each query an adaptive method gives out at most."""
    row = connection.execute(select(settings.c.value).where(settings.c.name == "adaptive")).first()
    budget: int | None = None if row is None or not row.value else row.value["limits"]["budget"]
    return budget


def _done_by(connection: Connection) -> dict[tuple[int, int], tuple[int, int]]:
    """Count the documents that each person has done in each query, and the gold ones."""
    key = (items.c.query_id, judgments.c.person_id)
    wanted = (
        select(*key, func.count(), func.count(items.c.gold))
        .join_from(judgments, items)
        .where(IS_DONE)
        .group_by(*key)
    )
    rows = connection.execute(wanted)
    return {(query, person): (done, gold) for query, person, done, gold in rows}


def _people(connection: Connection, found: list[QueryWorkload]) -> list[PersonWorkload]:
    """Return all assessors, and everybody else who has queries."""
    left: dict[int, float] = defaultdict(float)
    has: dict[int, int] = defaultdict(int)
    done: dict[int, int] = defaultdict(int)
    for query in found:
        for each in query.people:
            has[each.person] += 1
            done[each.person] += each.done
            if each.active:
                left[each.person] += query.left(each)
    wanted = select(people).where(
        people.c.kind == "person",
        or_(people.c.id.in_(has), and_(people.c.role == "assessor", people.c.active)),
    )
    listed = [
        PersonWorkload(
            row.id, row.name, row.role, row.active, has[row.id], done[row.id], round(left[row.id])
        )
        for row in connection.execute(wanted)
    ]
    return sorted(listed, key=lambda each: name_order(each.name))


# Statements are built once, because building one takes longer than running it.
ME: BindParameter[int] = bindparam("me", type_=Integer)
"""The id of the person who sends a request."""


def assigned_items(person: int | BindParameter[int]) -> Select[Any]:
    """Select the items that a person may see and judge, done or not."""
    return select(items).join(assignments, is_assigned(person))


def is_assigned(person: int | BindParameter[int]) -> ColumnElement[bool]:
    """Return the join condition of items and assignments; items without position are in none."""
    return and_(
        assignments.c.query_id == items.c.query_id,
        assignments.c.person_id == person,
        items.c.position.is_not(None),
        # Who has only the overlap gets documents for several judges, and gold.
        or_(assignments.c.part == "all", items.c.wanted > 1, items.c.gold.is_not(None)),
    )


_ASSIGNED_ITEM = assigned_items(ME).where(items.c.id == bindparam("item"))
NOT_ASSIGNED = "this document is not assigned to you, or no longer"


def assigned_item(connection: Connection, person: int, item: int) -> Row[Any]:
    """Return an assigned item; raise NotFound for others, which reveals nothing."""
    found = connection.execute(_ASSIGNED_ITEM, {"me": person, "item": item}).first()
    if found is None:
        raise NotFound(NOT_ASSIGNED)
    return found


_ASSIGNED_QUERIES = (
    select(queries)
    .join(assignments, assignments.c.query_id == queries.c.id)
    .where(assignments.c.person_id == ME)
    .order_by(queries.c.position)
)
_ASSIGNED_QUERY = _ASSIGNED_QUERIES.where(queries.c.name == bindparam("name"))


def assigned_query(connection: Connection, person: int, name: str) -> Row[Any]:
    # PostgreSQL does not even compare a text that holds a null character.
    found = None
    if "\0" not in name:
        found = connection.execute(_ASSIGNED_QUERY, {"me": person, "name": name}).first()
    if found is None:
        raise NotFound(f"there is no query {name!r} among those that are assigned to you")
    return found


def assigned_queries(connection: Connection, person: int) -> Sequence[Row[Any]]:
    return connection.execute(_ASSIGNED_QUERIES, {"me": person}).all()
