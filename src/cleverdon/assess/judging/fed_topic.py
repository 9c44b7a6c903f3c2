"""One topic of an adaptive pool: the method's state, made of the database and told what is new.

Where several people judged a document, what most of them say counts, relevant or not; where they
are even, what was said first. Who skips says nothing, and a judgment that was taken back counts as
not relevant until there is another, as of documents that nobody has judged yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np
from sqlalchemy import (
    BindParameter,
    Connection,
    Integer,
    Row,
    Select,
    and_,
    bindparam,
    func,
    select,
    update,
)

from cleverdon.assess.store.schema import documents, events, items, people
from cleverdon.pool.adaptive import Limits
from cleverdon.pool.adaptive.judged_topic import JudgedTopic

# Built once, as all statements of every judgment: to build one takes longer than to run it.
_TOPIC: BindParameter[int] = bindparam("topic", type_=Integer)
_HEARD: BindParameter[int] = bindparam("heard", type_=Integer)
# By the method: what an import brought along has a place as well, and was after no event.
_IS_GIVEN = and_(items.c.topic_id == _TOPIC, items.c.after_event.is_not(None))
_GIVEN = select(func.count()).where(_IS_GIVEN)
_IN_TURN = (
    select(items.c.position, items.c.after_event, documents.c.name)
    .join(documents, documents.c.id == items.c.document_id)
    .where(_IS_GIVEN)
    .order_by(items.c.position)
)
_LAST = select(events.c.person_id, events.c.request).where(events.c.id == _HEARD)
_others = items.alias("others")
_GIVE = (
    update(items)
    .where(items.c.id == bindparam("item", type_=Integer))
    .values(
        # Behind all others, which may have come by an import.
        position=select(func.coalesce(func.max(_others.c.position) + 1, 0))
        .where(_others.c.topic_id == _TOPIC)
        .scalar_subquery(),
        after_event=_HEARD,
    )
)
_SAID: Select[Any] = (
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
    .where(items.c.topic_id == _TOPIC, events.c.id > _HEARD, people.c.kind == "person")
    .order_by(events.c.id)
)
"""What people said of a topic's documents since an event."""


class Otherwise(Exception):
    """What was given out is not what the method would give now."""


@dataclass
class FedTopic:
    """One topic: the method's state, and how much of the database it knows."""

    topic: int
    method: JudgedTopic
    limits: Limits
    relevant: int  # from this grade on
    items: dict[str, int]  # by the names of the documents
    gold: list[tuple[int, str]]  # after how many documents each is due
    given: int  # documents that it has put into the queue
    out: set[str]  # which these are
    heard: int = 0  # the last event, and by whom which request it was
    request: tuple[int, str] | None = None
    grades: dict[str, dict[int, int | None]] = field(default_factory=dict)  # document to person

    @property
    def ended(self) -> str:
        """Why nothing more is given."""
        gold = sum(document in self.out for _, document in self.gold)
        if self.limits.budget is not None and self.given - gold >= self.limits.budget:
            return "budget"
        # The method may have offered documents that were passed over: they are not of the budget.
        return self.method.ended(replace(self.limits, budget=None))

    def agrees(self, connection: Connection) -> bool:
        """Whether the database is where it was left: a transaction may have been undone since."""
        if connection.execute(_GIVEN, {"topic": self.topic}).scalar() != self.given:
            return False
        found = connection.execute(_LAST, {"heard": self.heard}).first()
        return (None if found is None else tuple(found)) == self.request

    def give(self, connection: Connection) -> bool:
        """Give out one more; False where the topic has ended."""
        document = self._next()
        if document is None:
            return False
        given = {"item": self.items[document], "topic": self.topic, "heard": self.heard}
        connection.execute(_GIVE, given)
        self._give(document)
        return True

    def hear(self, connection: Connection) -> None:
        """Learn from what was said since."""
        self._learn(connection.execute(_SAID, {"topic": self.topic, "heard": self.heard}))

    def replay(self, connection: Connection) -> None:
        """Do again what the database says was done: giving out, and judging in between."""
        in_turn = connection.execute(_IN_TURN, {"topic": self.topic}).all()
        said = connection.execute(_SAID, {"topic": self.topic, "heard": 0}).all()
        self.given, self.out, heard = 0, set(), 0
        for turn in in_turn:
            while heard < len(said) and said[heard].id <= turn.after_event:
                self._learn([said[heard]])
                heard += 1
            document = self._next()
            if document != turn.name:
                raise Otherwise(f"{document!r} would be given, and {turn.name!r} was")
            self._give(turn.name)
        self._learn(said[heard:])

    def _next(self) -> str | None:
        if self.ended:
            return None
        due = [document for place, document in self.gold if place <= self.given]
        for document in due:
            if document not in self.out:
                return document
        # What is gold has its own turn; after a change, methods may give what is out already.
        passed = self.out.union(document for _, document in self.gold)
        while (found := self.method.give()) is not None:
            if found in self.items and found not in passed:
                return found
        return None

    def _give(self, document: str) -> None:
        self.given += 1
        self.out.add(document)

    def _learn(self, said: Iterable[Row[Any]]) -> None:
        for row in said:
            self.heard, self.request = row.id, (row.person_id, row.request)
            by_person = self.grades.setdefault(row.document, {})
            if row.grade is not None or row.person_id in by_person:
                by_person[row.person_id] = row.grade
            if by_person and row.document in self.method.number:
                self.method.judge(row.document, self._says(by_person))

    def _says(self, by_person: Mapping[int, int | None]) -> bool:
        """What most say; where they are even, the first of them."""
        votes = [grade >= self.relevant for grade in by_person.values() if grade is not None]
        for_it = sum(votes)
        even = 2 * for_it == len(votes)
        return bool(votes) and (votes[0] if even else 2 * for_it > len(votes))


def gold_in_turn(
    gold: list[Row[Any]], topic: str, *, seed: int, span: int
) -> list[tuple[int, str]]:
    """When each gold document is due: at places that the seed draws, in an order that it draws."""
    random = np.random.default_rng([seed, crc32(topic.encode()), crc32(b"gold")])
    names = sorted(row.document for row in gold)
    order = [names[at] for at in random.permutation(len(names))]
    places = np.sort(random.integers(0, max(span, 1), size=len(names)))
    return list(zip(places.tolist(), order, strict=True))
