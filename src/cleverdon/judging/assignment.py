"""Assignment of queries to people: balanced automatically, or by hand.

A query that somebody has begun stays theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert, select, update

from cleverdon.errors import OptionError, suggest
from cleverdon.judging.candidates import draw_overlap, parse_overlap
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.people import ROLE_PERMISSIONS, Permission
from cleverdon.judging.people.accounts import COMMAND_LINE, Actor, Person, all_people, person_named
from cleverdon.judging.project import Project
from cleverdon.judging.queue import Feeder
from cleverdon.judging.store.schema import (
    NAMED_ITEMS,
    assignments,
    documents,
    items,
    leases,
    queries,
    settings,
)
from cleverdon.judging.workload import Workload, compute_workload


@dataclass(frozen=True)
class Job:
    """A query that needs one more person, for all of it or for the overlap."""

    query: int
    size: float  # in documents
    part: str = "all"


_AssignedJob = tuple[Job, int]  # the job, and the person who gets it


def _balance_jobs(
    jobs: Iterable[Job],
    loads: Mapping[int, float],
    *,
    holders: Mapping[int, Collection[int]] | None = None,
) -> list[_AssignedJob]:
    """Give each job to the person with the least to do, the largest jobs first.

    `loads` is the work that each person has already. Nobody gets a second job of the same query
    (`holders` have one already), since a second opinion must be another person's; a job for which
    nobody is left is not assigned.
    """
    now = dict(loads)
    has = {query: set(people) for query, people in (holders or {}).items()}
    assigned = []
    # All of a query goes before its overlap; of equals, the first query.
    for job in sorted(jobs, key=lambda job: (-job.size, job.part != "all", job.query)):
        taken = has.setdefault(job.query, set())
        free = [person for person in now if person not in taken]
        if not free:
            continue
        person = min(free, key=lambda person: (now[person], person))
        now[person] += job.size
        taken.add(person)
        assigned.append((job, person))
    return assigned


Part = Literal["all", "overlap"]
By = Literal["query", "document"]


@dataclass(frozen=True)
class AssignmentChanges:
    given: int  # people put on queries
    taken: int  # people taken off queries that nobody had begun


def query_by_name(connection: Connection, name: str) -> int:
    found = connection.execute(select(queries.c.id).where(queries.c.name == name)).scalar()
    if found is None:
        known = list(connection.execute(select(queries.c.name)).scalars())
        raise NotFound(f"there is no query {name!r}{suggest(name, known)}")
    return int(found)


def active_assessors(connection: Connection) -> list[Person]:
    """Return all assessors who can sign in."""
    everybody = all_people(connection)
    return [person for person in everybody if person.active and person.role == "assessor"]


def assign_query(
    connection: Connection, actor: Actor, query: str, person: Person, part: Part = "all"
) -> None:
    """Assign a part of a query to a person, instead of another part that the person had."""
    _check_can_judge(person)
    number = query_by_name(connection, query)
    key = (assignments.c.query_id == number, assignments.c.person_id == person.id)
    connection.execute(delete(assignments).where(*key))
    row = {"query_id": number, "person_id": person.id, "part": part}
    connection.execute(insert(assignments).values(**row))
    _end_leases(connection, number, person.id)  # some may be on documents that are no longer theirs
    actor.note(connection, "assigned a query", f"{query} ({part}) to {person.name}")


def unassign_query(connection: Connection, actor: Actor, query: str, person: Person) -> None:
    """Take a person off a query; the person's judgments stay, and others get the rest."""
    number = query_by_name(connection, query)
    key = (assignments.c.query_id == number, assignments.c.person_id == person.id)
    if not connection.execute(delete(assignments).where(*key)).rowcount:
        raise NotFound(f"{person.name} is not on query {query!r}")
    _end_leases(connection, number, person.id)
    actor.note(connection, "took a query away", f"{query} from {person.name}")


def distribute_queries(
    connection: Connection,
    actor: Actor,
    among: Sequence[Person],
    *,
    by: By = "query",
    anew: bool = False,
    ended: Collection[str] = (),
) -> AssignmentChanges:
    """Assign every query to people out of `among`.

    By query, each query has one person, and others for the overlap. By document, all people are on
    each query, and get different documents. With `anew`, queries that nobody has begun are assigned
    again. `ended` is that of `compute_workload`.
    """
    if not among:
        raise Conflict(
            "there are no assessors to assign queries to: add some by `cleverdon judge people`, or "
            "on the page People"
        )
    for person in among:
        _check_can_judge(person)
    taken = _take_back(connection, compute_workload(connection, ended)) if anew else 0
    work = compute_workload(connection, ended)
    assigned = _by_query(work, among) if by == "query" else _by_document(work, among)
    rows = [
        {"query_id": job.query, "person_id": person, "part": job.part} for job, person in assigned
    ]
    if rows:
        connection.execute(insert(assignments), rows)
    names = ", ".join(person.name for person in among)
    action = "distributed queries again" if anew else "distributed queries"
    actor.note(connection, action, f"to {names}")
    return AssignmentChanges(len(rows), taken)


def set_overlap(connection: Connection, actor: Actor, wanted: str) -> int:
    """Let two people judge some documents (0.1, 10%, or 5 of each query); return how many."""
    try:
        overlap = parse_overlap(wanted)
    except OptionError as error:
        raise Invalid(str(error)) from None
    found = {row.name: row.value for row in connection.execute(select(settings))}
    judges = int(found.get("judges", 1))
    if judges > 1:
        raise Conflict(f"every document has {judges} judges already; an overlap adds nothing")
    every = (
        select(queries.c.name, documents.c.name, items.c.id)
        .select_from(NAMED_ITEMS)
        .where(items.c.gold.is_(None))
    )
    ids = {(query, document): item for query, document, item in connection.execute(every)}
    by_query: dict[str, list[str]] = {}
    for query, document in ids:
        by_query.setdefault(query, []).append(document)
    drawn = draw_overlap(by_query, overlap, seed=int(found.get("seed", 0)))
    connection.execute(update(items).values(wanted=1))
    for chunk in _chunks([ids[pair] for pair in sorted(drawn)]):
        connection.execute(update(items).where(items.c.id.in_(chunk)).values(wanted=2))
    connection.execute(delete(settings).where(settings.c.name == "overlap"))
    connection.execute(insert(settings).values(name="overlap", value=str(overlap)))
    actor.note(connection, "set the overlap", str(overlap))
    return len(drawn)


def project_workload(project: Project) -> Workload:
    """Return who judges what in a project, and how much is left.

    Args:
        project: The project; a server may run meanwhile.

    Returns:
        The workload by query and by person; `uncovered` and `short` are the queries that lack
        people.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     work = project_workload(project)
    >>> [(person.name, person.queries, person.left) for person in work.people]
    [('ann', 1, 3), ('bob', 1, 3)]
    """
    with project.database.reading() as connection:
        return compute_workload(connection, Feeder(project).endings(connection))


def assign_queries(
    project: Project,
    *,
    people: Sequence[str] = (),
    assign_by: By = "query",
    queries: Sequence[str] = (),
    part: Part = "all",
    remove: bool = False,
    rebalance: bool = False,
    overlap: str | None = None,
) -> Workload:
    """Assign queries to people, and return who judges what then.

    Queries that nobody has go to the person with the least work, the largest first; or the named
    queries go to the named people. A query that somebody has begun stays theirs.

    Args:
        project: The project; a server may run meanwhile.
        people: Names of those who get queries; by default all assessors.
        assign_by: Whether a "query" is one person's, or all share the documents ("document").
        queries: Names of queries that go to all of `people`; by default all are distributed.
        part: With queries: "all" of them, or only the "overlap" that several people judge.
        remove: With queries: take them away from `people`.
        rebalance: Distribute queries again that nobody has begun.
        overlap: First, let two people judge some documents: a share as "0.1", or a number of each
            query.

    Returns:
        The workload by query and by person.

    Raises:
        OptionError: Options contradict each other.
        NotFound: There is no such person or query.
        Conflict: Nobody can be given queries.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     work = assign_queries(project, queries=["t1"], people=["ann", "bob"])
    >>> print(work)
    name  role      queries  done  left
    ────  ────────  ───────  ────  ────
    ann   assessor        1     0     2
    bob   assessor        2     0     4
    """
    if queries and not people:
        raise OptionError("queries are assigned to people: name them")
    if queries and (rebalance or overlap is not None):
        raise OptionError("named queries are neither rebalanced nor given an overlap")
    # Slow reading happens before and after the transaction, for which all who judge wait.
    with project.database.reading() as connection:
        ended = Feeder(project).endings(connection)
    with project.database.writing() as connection:
        named = [person_named(connection, name) for name in people]
        for query in queries:
            for person in named:
                if remove:
                    unassign_query(connection, COMMAND_LINE, query, person)
                else:
                    assign_query(connection, COMMAND_LINE, query, person, part)
        if overlap is not None:
            set_overlap(connection, COMMAND_LINE, overlap)
        if not queries:
            among = named or active_assessors(connection)
            distribute_queries(
                connection, COMMAND_LINE, among, by=assign_by, anew=rebalance, ended=ended
            )
    with project.database.reading() as connection:
        return compute_workload(connection, ended)


def _check_can_judge(person: Person) -> None:
    if not person.active:
        raise Invalid(f"{person.name} cannot sign in any more, and can judge nothing")
    if Permission.JUDGE not in ROLE_PERMISSIONS[person.role]:
        raise Invalid(f"{person.name} is a {person.role}, and only watches")


def _by_query(work: Workload, among: Sequence[Person]) -> list[_AssignedJob]:
    loads = {person.id: 0.0 for person in among}
    jobs: list[Job] = []
    holders: dict[int, list[int]] = {}
    for query in work.queries:
        active = [each for each in query.people if each.active]
        holders[query.query] = [each.person for each in active]
        for each in active:
            if each.person in loads:
                loads[each.person] += query.left(each)
        if not query.lacking:
            continue
        whole = [] if query.holders else [Job(query.query, query.left_to_share + query.gold)]
        more = query.needed[len(active) + len(whole) :]
        jobs += [*whole, *(Job(query.query, needed + query.gold, "overlap") for needed in more)]
    return _balance_jobs(jobs, loads, holders=holders)


def _by_document(work: Workload, among: Sequence[Person]) -> list[_AssignedJob]:
    """Assign everybody to every open query; who has only the overlap keeps it."""
    assigned: list[_AssignedJob] = []
    for query in work.queries:
        if query.done < query.documents:
            known = {each.person for each in query.people}
            new = (person.id for person in among if person.id not in known)
            assigned += [(Job(query.query, 0), person) for person in new]
    return assigned


def _take_back(connection: Connection, work: Workload) -> int:
    """Take people off queries that nobody has begun."""
    untouched = [query.query for query in work.queries if not query.started]
    for query in untouched:
        _end_leases(connection, query)
    return sum(
        connection.execute(delete(assignments).where(assignments.c.query_id.in_(chunk))).rowcount
        for chunk in _chunks(untouched)
    )


def _end_leases(connection: Connection, query: int, person: int | None = None) -> None:
    of_query = leases.c.item_id.in_(select(items.c.id).where(items.c.query_id == query))
    mine = [] if person is None else [leases.c.person_id == person]
    connection.execute(delete(leases).where(of_query, *mine))


def _chunks(ids: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    """Split ids: databases limit the number of values in a statement."""
    return (ids[start : start + size] for start in range(0, len(ids), size))
