"""The queue: which documents a person gets next, and the leases on them.

A document that is leased to somebody is not given to others, unless several people are to judge it.

An adaptive method adds documents to the queue as judgments come in. Its state is rebuilt from the
database alone: the documents that it gave out, in their order, each with the last event that it
knew of then, and the events of the judges. So a restart changes nothing. The state in memory is a
cache, which is dropped if it contradicts the database. If several people judged a document, the
majority decides whether it is relevant; in a tie, the first judgment does. Skips do not count. A
judgment that was undone counts as not relevant until there is another.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np
from pydantic import computed_field
from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Double,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from cleverdon.judging import clock
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.store.schema import (
    IS_DONE,
    IS_SETTLED,
    assignments,
    documents,
    events,
    items,
    judgments,
    leases,
    people,
    queries,
)
from cleverdon.judging.workload import ME, assigned_items, is_assigned
from cleverdon.pooling.adaptive.judging import Limits, QueryJudging
from cleverdon.pooling.adaptive.methods import parse_method
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.pools import Pool, query_contributions

_LEASE_LASTS = 600.0  # seconds; a lease is renewed while the person works on the document
_MOST_LEASES = 50  # of one person, who must not keep a whole project from the others
_AHEAD = 3  # documents that wait besides one for each judge, so that an open query never looks done
_GOLD_EVERY = 10  # without a budget, one in ten of the first documents of a query is gold
_FIRST = -1  # before all positions of a query
_LOG = logging.getLogger("cleverdon.judge")

_NOW = bindparam("now", type_=Double)
_QUERY: BindParameter[int] = bindparam("query", type_=Integer)
_LAST_SEEN: BindParameter[int] = bindparam("last_seen", type_=Integer)


@dataclass(frozen=True)
class Progress:
    """The progress of one person, in a query or in all."""

    total: int = 0
    """Documents that are assigned to the person and that others have not done."""
    done: int = 0
    """Documents that the person judged or skipped."""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def left(self) -> int:
        """Documents that are left."""
        return self.total - self.done


_ASSIGNED_ITEMS = items.join(assignments, is_assigned(ME)).outerjoin(
    judgments, and_(judgments.c.item_id == items.c.id, judgments.c.person_id == ME)
)
"""The items that are assigned to a person, each with the person's judgment."""


def _available() -> ColumnElement[bool]:
    """Select whether others leave an item to the person; gold is for everybody."""
    others = judgments.alias("others")
    by_persons = people.alias("by_persons")
    judged = (
        select(func.count())
        .select_from(others.join(by_persons, by_persons.c.id == others.c.person_id))
        .where(
            others.c.item_id == items.c.id,
            others.c.person_id != ME,
            others.c.grade.is_not(None),
            by_persons.c.kind == "person",
        )
        .scalar_subquery()
    )
    leased = (
        select(func.count())
        .where(
            leases.c.item_id == items.c.id,
            leases.c.person_id != ME,
            leases.c.until > _NOW,
            leases.c.until <= _NOW + _LEASE_LASTS,  # the clock may have been set back
        )
        .scalar_subquery()
    )
    return or_(items.c.gold.is_not(None), and_(judged + leased < items.c.wanted, ~IS_SETTLED))


_OF_QUERY = items.c.query_id == _QUERY
# Of one query: then an index has the order, and looking ends where there is enough.
_NEXT = (
    select(items.c.id)
    .select_from(_ASSIGNED_ITEMS)
    .where(
        _OF_QUERY,
        items.c.position > bindparam("after", type_=Integer),
        ~IS_DONE,
        _available(),
        items.c.id.not_in(bindparam("without", expanding=True)),
    )
    .order_by(items.c.position, items.c.id)
    .limit(bindparam("n", type_=Integer))
)
_PLACE = select(items.c.position).where(items.c.id == bindparam("item"))
_PROGRESS = (
    select(
        items.c.query_id,
        func.count(case((IS_DONE, 1))).label("done"),
        func.count(case((and_(~IS_DONE, _available()), 1))).label("open"),
    )
    .select_from(_ASSIGNED_ITEMS)
    .group_by(items.c.query_id)
)
_PROGRESS_OF_QUERY = _PROGRESS.where(_OF_QUERY)
_ASSIGNED_QUERIES = (
    select(assignments.c.query_id)
    .where(assignments.c.person_id == ME)
    .order_by(assignments.c.query_id)  # queries are numbered in their order
)
_HAS_ALL = select(
    exists().where(
        assignments.c.person_id == ME, assignments.c.query_id == _QUERY, assignments.c.part == "all"
    )
)
_IS_DONE_BY_ME = (
    select(judgments.c.item_id)
    .where(judgments.c.item_id == items.c.id, judgments.c.person_id == ME, IS_DONE)
    .exists()
)
_FOUND: BindParameter[int] = bindparam("found", expanding=True)
_KEPT = leases.alias("kept")
_LAST_KEPT = (
    select(_KEPT.c.item_id)
    .where(_KEPT.c.person_id == ME, _KEPT.c.item_id.not_in(_FOUND))
    .order_by(_KEPT.c.until.desc(), _KEPT.c.item_id)
    .limit(bindparam("room", type_=Integer))
)
_END_LEASES = delete(leases).where(
    leases.c.person_id == ME, or_(leases.c.until <= _NOW, leases.c.item_id.not_in(_LAST_KEPT))
)
_LEASE = insert(leases).from_select(
    ["item_id", "person_id", "until"],
    assigned_items(ME)
    .with_only_columns(items.c.id, ME, bindparam("until", type_=Double))
    # A browser may still name items that its person has judged, or, after a sleep, items that
    # somebody else has got meanwhile.
    .where(items.c.id.in_(_FOUND), ~_IS_DONE_BY_ME, _available()),
)


def take_next(
    connection: Connection,
    person: int,
    *,
    query: int | None = None,
    n: int = 1,
    without: Collection[int] = (),
    past: int | None = None,
    feeder: Feeder | None = None,
) -> list[int]:
    """Lease and return the next items for a person, of one query or query by query.

    `without` are items that the browser has already: they are passed over, and stay leased.
    `past` is an item after which to search first, and only then from the beginning.
    `feeder` gives out further documents first, if the pool is adaptive.
    """
    now = clock.now()
    after = _FIRST if past is None else connection.execute(_PLACE, {"item": past}).scalar()
    assigned = connection.execute(_ASSIGNED_QUERIES, {"me": person}).scalars()
    found: list[int] = []
    for each in list(assigned) if query is None else [query]:
        if len(found) < n:
            values = {"me": person, "now": now, "query": each, "n": n - len(found), "after": after}
            found += _of_query(connection, {**values, "without": list(without)}, feeder)
    if leased := [*without, *found][-_MOST_LEASES:]:
        # Older leases of the person stay as long as there is room; the oldest go first.
        values = {"me": person, "now": now, "found": leased}
        connection.execute(_END_LEASES, {**values, "room": _MOST_LEASES - len(leased)})
        connection.execute(_LEASE, {**values, "until": now + _LEASE_LASTS})
    return found


def _of_query(
    connection: Connection, values: Mapping[str, Any], feeder: Feeder | None
) -> list[int]:
    """Return the next items of a query; `values` are the parameters of `_NEXT`."""
    if feeder is None or not feeder.is_adaptive:
        return _search(connection, values)
    feeder.feed(connection, values["query"])
    found = _search(connection, values)
    lacking = values["n"] - len(found)
    # What is given out may be on others' screens: then more is given out, if there is any.
    if lacking and connection.execute(_HAS_ALL, values).scalar():
        feeder.feed(connection, values["query"], more=lacking)
        without = [*values["without"], *found]
        found += _search(connection, {**values, "n": lacking, "without": without})
    return found


def _search(connection: Connection, values: Mapping[str, Any]) -> list[int]:
    found = list(connection.execute(_NEXT, values).scalars())
    lacking = values["n"] - len(found)
    if lacking and values["after"] != _FIRST:
        without = [*values["without"], *found]
        around = {**values, "after": _FIRST, "n": lacking, "without": without}
        found += connection.execute(_NEXT, around).scalars()
    return found


def progress(
    connection: Connection, person: int, *, query: int | None = None
) -> dict[int, Progress]:
    """Return the progress of a person by query; queries without documents are missing."""
    wanted = _PROGRESS if query is None else _PROGRESS_OF_QUERY
    rows = connection.execute(wanted, {"me": person, "now": clock.now(), "query": query})
    return {row.query_id: Progress(row.done + row.open, row.done) for row in rows}


# Statements are built once, because building one takes longer than running it.
# Given out by the method: imported items have a position too, but no event.
_IS_GIVEN = and_(items.c.query_id == _QUERY, items.c.after_event.is_not(None))
_GIVEN = select(func.count()).where(_IS_GIVEN)
_IN_TURN = (
    select(items.c.position, items.c.after_event, documents.c.name)
    .join(documents, documents.c.id == items.c.document_id)
    .where(_IS_GIVEN)
    .order_by(items.c.position)
)
_LAST = select(events.c.person_id, events.c.request).where(events.c.id == _LAST_SEEN)
_others = items.alias("others")
_GIVE = (
    update(items)
    .where(items.c.id == bindparam("item", type_=Integer))
    .values(
        # After all others, some of which an import may have added.
        position=select(func.coalesce(func.max(_others.c.position) + 1, 0))
        .where(_others.c.query_id == _QUERY)
        .scalar_subquery(),
        after_event=_LAST_SEEN,
    )
)
_NEW_EVENTS: Select[Any] = (
    select(
        events.c.id,
        events.c.person_id,
        events.c.request,
        events.c.grade,
        documents.c.name.label("document"),
    )
    .join(items, items.c.id == events.c.item_id)
    .join(documents, documents.c.id == items.c.document_id)
    .join(people, people.c.id == events.c.person_id)
    .where(items.c.query_id == _QUERY, events.c.id > _LAST_SEEN, people.c.kind == "person")
    .order_by(events.c.id)
)
_PEOPLE_ON = (
    select(func.count())
    .select_from(assignments.join(people))
    .where(assignments.c.query_id == _QUERY, assignments.c.part == "all", people.c.active)
)
"""The number of people who judge all of a query."""
_OPEN = select(func.count()).where(
    _OF_QUERY,
    items.c.position.is_not(None),
    ~select(judgments.c.item_id)
    .join(people)
    .where(judgments.c.item_id == items.c.id, people.c.kind == "person", IS_DONE)
    .exists(),
)
"""The number of documents given out that nobody has judged or skipped."""


class ReplayMismatch(Exception):
    """Raised when the method would now give out another document than it did."""


@dataclass
class AdaptiveQuery:
    """The state of the method for one query, and the last event that it has seen."""

    query: int
    method: QueryJudging
    limits: Limits
    relevant: int  # from this grade on
    items: dict[str, int]  # by the names of the documents
    gold: list[tuple[int, str]]  # after how many documents each is due
    given: int  # documents that it has put into the queue
    out: set[str]  # which these are
    last_seen: int = 0  # the last event; `request` is its person and key
    request: tuple[int, str] | None = None
    grades: dict[str, dict[int, int | None]] = field(default_factory=dict)  # document to person

    @property
    def ended(self) -> str:
        """The reason why nothing more is given out; empty while something may be."""
        gold = sum(document in self.out for _, document in self.gold)
        if self.limits.budget is not None and self.given - gold >= self.limits.budget:
            return "budget"
        # The method may have offered documents that were passed over, which do not count here.
        return self.method.ended(replace(self.limits, budget=None))

    def agrees(self, connection: Connection) -> bool:
        """Tell whether the database is as it was left: a transaction may have failed since."""
        if connection.execute(_GIVEN, {"query": self.query}).scalar() != self.given:
            return False
        found = connection.execute(_LAST, {"last_seen": self.last_seen}).first()
        return (None if found is None else tuple(found)) == self.request

    def give(self, connection: Connection) -> bool:
        """Give out one more; False where the query has ended."""
        document = self._next()
        if document is None:
            return False
        given = {"item": self.items[document], "query": self.query, "last_seen": self.last_seen}
        connection.execute(_GIVE, given)
        self._give(document)
        return True

    def catch_up(self, connection: Connection) -> None:
        """Learn from the events since the last one seen."""
        self._learn(
            connection.execute(_NEW_EVENTS, {"query": self.query, "last_seen": self.last_seen})
        )

    def replay(self, connection: Connection) -> None:
        """Repeat what the database records: giving out documents, and judging in between."""
        in_turn = connection.execute(_IN_TURN, {"query": self.query}).all()
        new_events = connection.execute(_NEW_EVENTS, {"query": self.query, "last_seen": 0}).all()
        self.given, self.out, seen = 0, set(), 0
        for turn in in_turn:
            while seen < len(new_events) and new_events[seen].id <= turn.after_event:
                self._learn([new_events[seen]])
                seen += 1
            document = self._next()
            if document != turn.name:
                raise ReplayMismatch(f"{document!r} would be given, and {turn.name!r} was")
            self._give(turn.name)
        self._learn(new_events[seen:])

    def _next(self) -> str | None:
        if self.ended:
            return None
        due = [document for place, document in self.gold if place <= self.given]
        for document in due:
            if document not in self.out:
                return document
        # Gold documents come in their turn; after a change, methods may repeat a document.
        passed = self.out.union(document for _, document in self.gold)
        while (found := self.method.give()) is not None:
            if found in self.items and found not in passed:
                return found
        return None

    def _give(self, document: str) -> None:
        self.given += 1
        self.out.add(document)

    def _learn(self, new_events: Iterable[Row[Any]]) -> None:
        for row in new_events:
            self.last_seen, self.request = row.id, (row.person_id, row.request)
            by_person = self.grades.setdefault(row.document, {})
            if row.grade is not None or row.person_id in by_person:
                by_person[row.person_id] = row.grade
            if by_person and row.document in self.method.number:
                self.method.judge(row.document, self._is_relevant(by_person))

    def _is_relevant(self, by_person: Mapping[int, int | None]) -> bool:
        """Return the decision of the majority; in a tie, that of the first judge."""
        votes = [grade >= self.relevant for grade in by_person.values() if grade is not None]
        for_it = sum(votes)
        even = 2 * for_it == len(votes)
        return bool(votes) and (votes[0] if even else 2 * for_it > len(votes))


def _gold_positions(
    gold: list[Row[Any]], query: str, *, seed: int, span: int
) -> list[tuple[int, str]]:
    """Return when each gold document is due: the seed draws the places and the order."""
    random = np.random.default_rng([seed, crc32(query.encode()), crc32(b"gold")])
    names = sorted(row.document for row in gold)
    order = [names[at] for at in random.permutation(len(names))]
    places = np.sort(random.integers(0, max(span, 1), size=len(names)))
    return list(zip(places.tolist(), order, strict=True))


class Feeder:
    """Gives out documents of queries whose open ones run low; does nothing for fixed pools."""

    def __init__(self, project: Project, *, ahead: int = _AHEAD) -> None:
        self.project = project
        self.ahead = ahead
        self._known: dict[int, AdaptiveQuery] = {}
        self._lock = Lock()  # because reading requests use it too

    @property
    def is_adaptive(self) -> bool:
        return self.how is not None

    @cached_property
    def how(self) -> Mapping[str, Any] | None:
        """The method, its seed and its limits; None where the pool is fixed."""
        found: Mapping[str, Any] | None = self.project.setting("adaptive")
        return found

    def feed(self, connection: Connection, query: int, *, more: int = 0) -> None:
        """Give out documents of a query, in a transaction that writes, while its method has some.

        There is to be one for each person on it and a few ahead, or `more` than were given out.
        """
        if self.how is None:
            return
        with self._lock:
            state = self._state(connection, query)
            judges, waiting = (
                connection.execute(count, {"query": query}).scalar_one()
                for count in (_PEOPLE_ON, _OPEN)
            )
            for _ in range(max(judges + self.ahead - waiting, more)):
                if not state.give(connection):
                    return

    def ended(self, connection: Connection, query: int) -> str:
        """Return why a query ended: all given, budget, target or patience; empty if it did not."""
        if self.how is None:
            return ""
        with self._lock:
            return self._state(connection, query).ended

    def endings(self, connection: Connection) -> dict[str, str]:
        """Return why queries have ended, by name; queries that go on are left out."""
        if self.how is None:
            return {}
        every = connection.execute(
            select(queries.c.id, queries.c.name).order_by(queries.c.position)
        )
        found = {row.name: self.ended(connection, row.id) for row in every.all()}
        return {name: why for name, why in found.items() if why}

    @cached_property
    def _pool(self) -> Pool:
        return read_pool(self.project.folder / POOL)

    def _state(self, connection: Connection, query: int) -> AdaptiveQuery:
        state = self._known.get(query)
        if state is None or not state.agrees(connection):
            state = self._known[query] = self._rebuilt(connection, query)
        state.catch_up(connection)
        return state

    def _rebuilt(self, connection: Connection, query: int) -> AdaptiveQuery:
        name = connection.execute(select(queries.c.name).where(queries.c.id == query)).scalar_one()
        try:
            state = self._begun(connection, query, name)
            state.replay(connection)
        except ReplayMismatch as error:
            # Another pool file, or other random numbers of another numpy: judging goes on anyway.
            _LOG.warning("query %s: %s; its method goes on from the judgments alone", name, error)
            state = self._begun(connection, query, name)
            state.catch_up(connection)
        return state

    def _begun(self, connection: Connection, query: int, name: str) -> AdaptiveQuery:
        assert self.how is not None
        seed, limits = int(self.how["seed"]), Limits(**self.how["limits"])
        contributions = query_contributions(self._pool, name)
        rows = connection.execute(
            select(items, documents.c.name.label("document"))
            .join(documents, documents.c.id == items.c.document_id)
            .where(items.c.query_id == query)
        ).all()
        gold = [row for row in rows if row.gold is not None]
        span = limits.budget or min(len(contributions.docs), _GOLD_EVERY * len(gold))
        return AdaptiveQuery(
            query=query,
            method=QueryJudging(contributions, parse_method(self.how["method"]), seed),
            limits=limits,
            relevant=self.project.scale.relevant,
            items={row.document: row.id for row in rows},
            gold=_gold_positions(gold, name, seed=seed, span=span),
            given=sum(row.after_event is not None for row in rows),
            out={row.document for row in rows if row.after_event is not None},
        )
