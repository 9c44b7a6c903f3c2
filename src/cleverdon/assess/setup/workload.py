"""Who judges what, how much of it is done, and which topics lack people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, case, func, or_, select

from cleverdon.assess.people.accounts import by_name
from cleverdon.assess.store.schema import (
    IS_DONE,
    IS_SETTLED,
    assignments,
    items,
    judgments,
    people,
    settings,
    topics,
)


@dataclass(frozen=True)
class Assigned:
    """A person on a topic."""

    person: int
    name: str
    part: str  # "all", or "overlap": what several are to judge
    active: bool
    done: int  # documents of the topic that the person judged or skipped
    gold_done: int  # of these, gold ones


@dataclass(frozen=True)
class TopicWork:
    """A topic, and who is on it."""

    topic: int
    name: str
    title: str
    documents: int  # that are to be judged, as far as that is known
    done: int  # of these, judged or skipped by somebody
    needed: tuple[int, ...]  # gold left out: how many need a first, a second, ... person
    made: int  # judgments of these that were made; what is above the number wanted is not counted
    gold: int  # documents that everybody on the topic judges
    people: tuple[Assigned, ...]

    @property
    def holders(self) -> list[Assigned]:
        """Those who are on all of the topic, and can still sign in."""
        return [each for each in self.people if each.active and each.part == "all"]

    @property
    def started(self) -> bool:
        """Whether somebody has begun with it."""
        return self.done > 0

    def left(self, person: Assigned) -> float:
        """What one of its people still has to do, where those who are on all of it share evenly."""
        gold = max(self.gold - person.gold_done, 0)
        if person.part == "overlap":
            return self._second(person) + gold
        return self.left_to_share / max(len(self.holders), 1) + gold

    @property
    def left_to_share(self) -> int:
        """Judgments that are not there yet, but for gold and for those who have the overlap."""
        others = sum(map(self._second, (each for each in self.people if each.active)))
        return max(sum(self.needed) - self.made - others, 0)

    def _second(self, person: Assigned) -> int:
        """What somebody who is there for the overlap has to do of it."""
        if person.part != "overlap" or len(self.needed) < 2:
            return 0
        return max(self.needed[1] - (person.done - person.gold_done), 0)

    @property
    def lacking(self) -> int:
        """How many people more it needs: nobody, where nothing is left to do."""
        if self.done >= self.documents and self.made >= sum(self.needed):
            return 0
        there = sum(each.active for each in self.people)
        return max(len(self.needed) - there, 0 if self.holders else 1)


@dataclass(frozen=True)
class PersonWork:
    """How much a person has to do."""

    person: int
    name: str
    role: str
    active: bool
    topics: int
    done: int
    left: int  # shared topics count as far as they are this person's part


@dataclass(frozen=True)
class Work:
    """All of it."""

    topics: tuple[TopicWork, ...]
    people: tuple[PersonWork, ...]

    @property
    def uncovered(self) -> list[TopicWork]:
        """Topics with something to judge, and nobody who would."""
        return [each for each in self.topics if not each.holders and each.done < each.documents]

    @property
    def short(self) -> list[TopicWork]:
        """Topics with too few people for what several are to judge."""
        return [each for each in self.topics if each.holders and each.lacking]


def work_of(connection: Connection, ended: Collection[str] = ()) -> Work:
    """Who judges what, as it stands.

    `ended` names topics of which an adaptive method gives out no more: what it has not given out is
    nobody's work.
    """
    found = _topics(connection, ended)
    return Work(tuple(found), tuple(_people(connection, found)))


def _topics(connection: Connection, ended: Collection[str]) -> list[TopicWork]:
    every = connection.execute(select(topics).order_by(topics.c.position)).all()
    counts = _counts(connection, {row.id for row in every if row.name in ended})
    done_by = _done_by(connection)
    on_topic: dict[int, list[Assigned]] = defaultdict(list)
    wanted = select(assignments, people.c.name, people.c.active).join(
        people, people.c.id == assignments.c.person_id
    )
    for row in connection.execute(wanted):
        done = done_by.get((row.topic_id, row.person_id), (0, 0))
        found = Assigned(row.person_id, row.name, row.part, row.active, *done)
        on_topic[row.topic_id].append(found)
    return [
        TopicWork(
            row.id,
            row.name,
            row.title,
            **counts[row.id],
            people=tuple(sorted(on_topic[row.id], key=lambda each: by_name(each.name))),
        )
        for row in every
    ]


def _counts(connection: Connection, ended: Collection[int]) -> dict[int, dict[str, Any]]:
    """Of each topic: documents, those that are done, and how many want how many judges."""
    budget = _budget(connection)
    judged = (
        select(judgments.c.item_id, func.count().label("times"))
        .join(people, people.c.id == judgments.c.person_id)
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
            items.c.topic_id,
            items.c.wanted,
            items.c.added,
            given.label("given"),
            func.count().label("documents"),
            func.count(case((or_(judged.c.item_id.is_not(None), IS_SETTLED), 1))).label("done"),
            func.sum(counted).label("made"),
            func.count(items.c.gold).label("gold"),
        )
        .select_from(items.outerjoin(judged, judged.c.item_id == items.c.id))
        .group_by(items.c.topic_id, items.c.wanted, items.c.added, given)
    )
    found: dict[int, dict[str, Any]] = defaultdict(
        lambda: {"done": 0, "made": 0, "gold": 0, "pooled": Counter(), "added": Counter()}
    )
    for row in connection.execute(wanted):
        of_topic = found[row.topic_id]
        if row.topic_id in ended and not row.given:
            continue
        of_topic["added" if row.added else "pooled"][row.wanted] += row.documents - row.gold
        for name in ("done", "made", "gold"):
            of_topic[name] += int(getattr(row, name))  # PostgreSQL sums to decimals
    for of_topic in found.values():
        pooled, added = of_topic.pop("pooled"), of_topic.pop("added")
        plain = pooled.total()
        due = plain if budget is None else min(plain, budget)
        documents = due + added.total() + of_topic["gold"]
        of_topic["documents"] = max(documents, of_topic["done"])
        of_topic["needed"] = _needed(pooled, added, due / max(plain, 1))
    return found


def _needed(pooled: Counter[int], added: Counter[int], share: float) -> tuple[int, ...]:
    """Of how many documents a first, a second, ... judge is needed, by how many want how many.

    Of the pool a share is judged, where a method has a budget; what imports added comes beside it.
    """

    def wanting(counts: Counter[int], place: int) -> int:
        return sum(count for number, count in counts.items() if number > place)

    return tuple(
        round(share * wanting(pooled, place)) + wanting(added, place)
        for place in range(max(pooled + added, default=0))
    )


def _budget(connection: Connection) -> int | None:
    """Of an adaptive method: how many documents of each topic it gives out at most."""
    row = connection.execute(select(settings.c.value).where(settings.c.name == "adaptive")).first()
    budget: int | None = None if row is None or not row.value else row.value["limits"]["budget"]
    return budget


def _done_by(connection: Connection) -> dict[tuple[int, int], tuple[int, int]]:
    """Of topics and people: how many documents are done, and how many of these are gold."""
    wanted = (
        select(
            items.c.topic_id,
            judgments.c.person_id,
            func.count().label("done"),
            func.count(items.c.gold).label("gold"),
        )
        .join(items, items.c.id == judgments.c.item_id)
        .where(IS_DONE)
        .group_by(items.c.topic_id, judgments.c.person_id)
    )
    return {
        (row.topic_id, row.person_id): (row.done, row.gold) for row in connection.execute(wanted)
    }


def _people(connection: Connection, found: list[TopicWork]) -> list[PersonWork]:
    """All who judge or could: assessors, and whoever has topics."""
    left: dict[int, float] = defaultdict(float)
    has: dict[int, int] = defaultdict(int)
    done: dict[int, int] = defaultdict(int)
    for topic in found:
        for each in topic.people:
            has[each.person] += 1
            done[each.person] += each.done
            if each.active:
                left[each.person] += topic.left(each)
    wanted = select(people).where(
        and_(
            people.c.kind == "person",
            or_(people.c.id.in_(has), and_(people.c.role == "assessor", people.c.active)),
        )
    )
    listed = [
        PersonWork(
            row.id, row.name, row.role, row.active, has[row.id], done[row.id], round(left[row.id])
        )
        for row in connection.execute(wanted)
    ]
    return sorted(listed, key=lambda each: by_name(each.name))
