"""Adaptive pools feed the queue: further documents are given out as judgments come in.

What a method knows of a topic is made of the database alone: the documents that it gave out, in
their order, each with the last event that it knew of then, and what people said, event by event.
So it goes on after a restart as if there had been none, and what is kept in memory is only a
shortcut, thrown away wherever the database says otherwise.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cached_property
from threading import Lock
from typing import Any

from sqlalchemy import BindParameter, Connection, Integer, bindparam, func, select

from cleverdon.assess.judging.fed_topic import FedTopic, Otherwise, gold_in_turn
from cleverdon.assess.project import POOL, Project
from cleverdon.assess.store.schema import (
    IS_DONE,
    assignments,
    documents,
    items,
    judgments,
    people,
    topics,
)
from cleverdon.pool.adaptive import Limits, Method, parse_method
from cleverdon.pool.adaptive.judged_topic import JudgedTopic
from cleverdon.pool.file import read_pool
from cleverdon.pool.pooled import Pool
from cleverdon.pool.returned import returned

AHEAD = 3
"""Documents that wait for judges beside one for each: a topic that has more does not look done."""

_GOLD_EVERY = 10
"""Where a method gives out documents without a budget, one in so many is gold, for a start."""

_LOG = logging.getLogger("cleverdon.judge")


class Feeder:
    """Gives out further documents of topics whose open ones run low; for fixed pools, nothing."""

    def __init__(self, project: Project, *, ahead: int = AHEAD) -> None:
        self.project = project
        self.ahead = ahead
        self._known: dict[int, FedTopic] = {}
        self._lock = Lock()  # who only reads does not hold the one lock of those who write

    @property
    def is_adaptive(self) -> bool:
        """Whether there is anything for it to do."""
        return self.how is not None

    @cached_property
    def how(self) -> Mapping[str, Any] | None:
        """The method, its seed and its limits; None where the pool is fixed."""
        found: Mapping[str, Any] | None = self.project.setting("adaptive")
        return found

    def feed(self, connection: Connection, topic: int, *, more: int = 0) -> None:
        """See to it that a topic has documents to judge, as long as its method has some.

        One for each person on it and a few ahead, or `more` than are given out, where those are
        on others' screens. To be called in a transaction that writes.
        """
        if self.how is None:
            return
        with self._lock:
            state = self._state(connection, topic)
            on, waiting = (
                connection.execute(count, {"topic": topic}).scalar_one()
                for count in (_PEOPLE_ON, _OPEN)
            )
            missing = on + self.ahead - waiting
            for _ in range(max(missing, more)):
                if not state.give(connection):
                    return

    def ended(self, connection: Connection, topic: int) -> str:
        """Why nothing more of a topic is given out; empty where something may be.

        It is `all given`, `budget` (so many were given out), `target` (so many are relevant), or
        `patience` (so many in a row were not). To read is enough for this.
        """
        if self.how is None:
            return ""
        with self._lock:
            return self._state(connection, topic).ended

    def endings(self, connection: Connection) -> dict[str, str]:
        """Why topics have ended, by their names; those that go on are not there."""
        if self.how is None:
            return {}
        every = connection.execute(select(topics.c.id, topics.c.name).order_by(topics.c.position))
        found = {row.name: self.ended(connection, row.id) for row in every.all()}
        return {name: why for name, why in found.items() if why}

    @cached_property
    def _pool(self) -> Pool:
        return read_pool(self.project.folder / POOL)

    @cached_property
    def _method(self) -> Method:
        assert self.how is not None
        return parse_method(self.how["method"])

    def _state(self, connection: Connection, topic: int) -> FedTopic:
        state = self._known.get(topic)
        if state is None or not state.agrees(connection):
            state = self._known[topic] = self._rebuilt(connection, topic)
        state.hear(connection)
        return state

    def _rebuilt(self, connection: Connection, topic: int) -> FedTopic:
        name = connection.execute(select(topics.c.name).where(topics.c.id == topic)).scalar_one()
        try:
            state = self._begun(connection, topic, name)
            state.replay(connection)
        except Otherwise as error:
            # Another pool file, or another version of numpy's chance: judging goes on all the same.
            _LOG.warning("topic %s: %s; its method goes on from the judgments alone", name, error)
            state = self._begun(connection, topic, name)
            state.hear(connection)
        return state

    def _begun(self, connection: Connection, topic: int, name: str) -> FedTopic:
        assert self.how is not None
        seed, limits = int(self.how["seed"]), Limits(**self.how["limits"])
        of = returned(self._pool, name)
        rows = connection.execute(
            select(items, documents.c.name.label("document"))
            .join(documents, documents.c.id == items.c.document_id)
            .where(items.c.topic_id == topic)
        ).all()
        gold = [row for row in rows if row.gold is not None]
        span = limits.budget or min(len(of.docs), _GOLD_EVERY * len(gold))
        return FedTopic(
            topic=topic,
            method=JudgedTopic(of, self._method, seed),
            limits=limits,
            relevant=self.project.scale.relevant,
            items={row.document: row.id for row in rows},
            gold=gold_in_turn(gold, name, seed=seed, span=span),
            given=sum(row.after_event is not None for row in rows),
            out={row.document for row in rows if row.after_event is not None},
        )


_TOPIC: BindParameter[int] = bindparam("topic", type_=Integer)
_PEOPLE_ON = (
    select(func.count())
    .select_from(assignments.join(people, people.c.id == assignments.c.person_id))
    .where(assignments.c.topic_id == _TOPIC, assignments.c.part == "all", people.c.active)
)
"""How many people judge all of a topic."""
_OPEN = select(func.count()).where(
    items.c.topic_id == _TOPIC,
    items.c.position.is_not(None),
    ~select(judgments.c.item_id)
    .join(people, people.c.id == judgments.c.person_id)
    .where(
        judgments.c.item_id == items.c.id,
        people.c.kind == "person",
        IS_DONE,
    )
    .exists(),
)
"""How many documents are given out that nobody has judged or skipped."""
