"""Saying who judges what: dealt out evenly, or by hand. What somebody has begun stays theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert, select, update

from cleverdon.assess.people.accounts import Person, all_people
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.people.rights import RIGHTS, Right
from cleverdon.assess.refusals import Conflict, Invalid, NotThere
from cleverdon.assess.setup.balancing import Dealt, Job, deal
from cleverdon.assess.setup.items import drawn_for_two, parse_overlap
from cleverdon.assess.setup.workload import TopicWork, Work, work_of
from cleverdon.assess.store.schema import (
    assignments,
    documents,
    items,
    leases,
    settings,
    topics,
)
from cleverdon.errors import OptionError, suggest

Part = Literal["all", "overlap"]
By = Literal["topic", "document"]


@dataclass(frozen=True)
class Changed:
    """What dealing did."""

    given: int  # people put on topics
    taken: int  # people taken off topics that nobody had begun


def topic_named(connection: Connection, name: str) -> int:
    """The number of a topic."""
    found = connection.execute(select(topics.c.id).where(topics.c.name == name)).scalar()
    if found is None:
        known = list(connection.execute(select(topics.c.name)).scalars())
        raise NotThere(f"there is no topic {name!r}{suggest(name, known)}")
    return int(found)


def assessors(connection: Connection) -> list[Person]:
    """Those who get topics where nobody is named: all assessors who can sign in."""
    return [
        person for person in all_people(connection) if person.active and person.role == "assessor"
    ]


def assign(
    connection: Connection, actor: Actor, topic: str, person: Person, part: Part = "all"
) -> None:
    """Put a person on a topic; somebody who is on it already has this part of it from now on."""
    _check(person)
    number = topic_named(connection, topic)
    key = (assignments.c.topic_id == number, assignments.c.person_id == person.id)
    connection.execute(delete(assignments).where(*key))
    row = {"topic_id": number, "person_id": person.id, "part": part}
    connection.execute(insert(assignments).values(**row))
    _end_leases(connection, number, person.id)  # some may be of what is no longer theirs
    actor.note(connection, "assigned a topic", f"{topic} ({part}) to {person.name}")


def remove(connection: Connection, actor: Actor, topic: str, person: Person) -> None:
    """Take a person off a topic; what the person judged stays, and others get the rest."""
    number = topic_named(connection, topic)
    key = (assignments.c.topic_id == number, assignments.c.person_id == person.id)
    if not connection.execute(delete(assignments).where(*key)).rowcount:
        raise NotThere(f"{person.name} is not on topic {topic!r}")
    _end_leases(connection, number, person.id)
    actor.note(connection, "took a topic away", f"{topic} from {person.name}")


def deal_out(
    connection: Connection,
    actor: Actor,
    among: Sequence[Person],
    *,
    by: By = "topic",
    anew: bool = False,
    ended: Collection[str] = (),
) -> Changed:
    """See to it that every topic has its people, out of these.

    By topic, each has one person, and others for what several are to judge. By document, all are
    on each topic, and get different documents. With `anew`, topics that nobody has begun are dealt
    again, as when people come or go; what is begun stays where it is. `ended` is as of `work_of`.
    """
    if not among:
        raise Conflict(
            "there are no assessors to deal topics to: add some by `cleverdon judge people`, or on "
            "the page People"
        )
    for person in among:
        _check(person)
    taken = _take_back(connection, work_of(connection, ended)) if anew else 0
    work = work_of(connection, ended)
    dealt = _by_topic(work, among) if by == "topic" else _by_document(work, among)
    rows = [
        {"topic_id": each.job.topic, "person_id": each.person, "part": each.job.part}
        for each in dealt
    ]
    if rows:
        connection.execute(insert(assignments), rows)
    names = ", ".join(person.name for person in among)
    actor.note(connection, "dealt topics out anew" if anew else "dealt topics out", f"to {names}")
    return Changed(len(dealt), taken)


def set_overlap(connection: Connection, actor: Actor, wanted: str) -> int:
    """Let two people judge so many documents (0.1, 10%, or 5 of each topic); gives how many.

    A larger overlap keeps what was drawn for a smaller one.
    """
    try:
        overlap = parse_overlap(wanted)
    except OptionError as error:
        raise Invalid(str(error)) from None
    found = {row.name: row.value for row in connection.execute(select(settings))}
    judges = int(found.get("judges", 1))
    if judges > 1:
        raise Conflict(f"every document has {judges} judges already; an overlap adds nothing")
    every = (
        select(items.c.id, topics.c.name.label("topic"), documents.c.name.label("document"))
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .where(items.c.gold.is_(None))
    )
    ids = {(row.topic, row.document): row.id for row in connection.execute(every)}
    by_topic: dict[str, list[str]] = {}
    for topic, document in ids:
        by_topic.setdefault(topic, []).append(document)
    drawn = drawn_for_two(by_topic, overlap, seed=int(found.get("seed", 0)))
    connection.execute(update(items).values(wanted=1))
    for chunk in _chunks([ids[pair] for pair in sorted(drawn)]):
        connection.execute(update(items).where(items.c.id.in_(chunk)).values(wanted=2))
    connection.execute(delete(settings).where(settings.c.name == "overlap"))
    connection.execute(insert(settings).values(name="overlap", value=str(overlap)))
    actor.note(connection, "set the overlap", str(overlap))
    return len(drawn)


def _check(person: Person) -> None:
    if not person.active:
        raise Invalid(f"{person.name} cannot sign in any more, and can judge nothing")
    if Right.JUDGE not in RIGHTS[person.role]:
        raise Invalid(f"{person.name} is a {person.role}, and only watches")


def _by_topic(work: Work, among: Sequence[Person]) -> list[Dealt]:
    loads = {person.id: 0.0 for person in among}
    jobs: list[Job] = []
    holders: dict[int, list[int]] = {}
    for topic in work.topics:
        there = [each for each in topic.people if each.active]
        holders[topic.topic] = [each.person for each in there]
        for each in there:
            if each.person in loads:
                loads[each.person] += topic.left(each)
        jobs += _jobs(topic, len(there))
    return deal(jobs, loads, holders=holders)


def _jobs(topic: TopicWork, there: int) -> list[Job]:
    """What a topic needs people for beside those who are there."""
    if not topic.lacking:
        return []
    jobs = []
    if not topic.holders:
        jobs.append(Job(topic.topic, topic.left_to_share + topic.gold))
    for place in range(there + len(jobs), len(topic.needed)):
        jobs.append(Job(topic.topic, topic.needed[place] + topic.gold, "overlap"))
    return jobs


def _by_document(work: Work, among: Sequence[Person]) -> list[Dealt]:
    """Everybody on every topic that is not done; who was there for the overlap stays so."""
    dealt = []
    for topic in work.topics:
        if topic.done < topic.documents:
            there = {each.person for each in topic.people}
            new = (person.id for person in among if person.id not in there)
            dealt += [Dealt(Job(topic.topic, 0), person) for person in new]
    return dealt


def _take_back(connection: Connection, work: Work) -> int:
    """Take people off topics that nobody has begun."""
    untouched = [topic.topic for topic in work.topics if not topic.started]
    for topic in untouched:
        _end_leases(connection, topic)
    gone = 0
    for chunk in _chunks(untouched):
        found = connection.execute(delete(assignments).where(assignments.c.topic_id.in_(chunk)))
        gone += found.rowcount
    return gone


def _end_leases(connection: Connection, topic: int, person: int | None = None) -> None:
    of_topic = leases.c.item_id.in_(select(items.c.id).where(items.c.topic_id == topic))
    mine = [] if person is None else [leases.c.person_id == person]
    connection.execute(delete(leases).where(of_topic, *mine))


def _chunks(ids: Sequence[int], size: int = 500) -> Iterable[Sequence[int]]:
    """A few at a time: databases bound how many values a statement may name."""
    return (ids[start : start + size] for start in range(0, len(ids), size))
