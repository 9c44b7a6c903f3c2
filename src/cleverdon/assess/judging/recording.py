"""Recording what an assessor says of a document: added to the history, and never twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from cleverdon.assess import clock
from cleverdon.assess.judging.checking import check_said
from cleverdon.assess.judging.reach import ME, item_for
from cleverdon.assess.refusals import Conflict, Invalid
from cleverdon.assess.scale import Scale
from cleverdon.assess.store.schema import events, items, judgments, leases

Kind = Literal["grade", "skip", "note", "flag", "undo"]

LONGEST_TIME = 86_400.0
"""Seconds for which a document is looked at."""

_BEFORE = select(events).where(events.c.person_id == ME, events.c.request == bindparam("request"))
_HISTORY = (
    select(events)
    .where(events.c.item_id == bindparam("item"), events.c.person_id == ME)
    .order_by(events.c.id)
)
_ADD_EVENT = insert(events)
_ADD_JUDGMENT = insert(judgments)
_CHANGE_JUDGMENT = update(judgments).where(
    judgments.c.item_id == bindparam("item"), judgments.c.person_id == ME
)
_END_LEASE = delete(leases).where(leases.c.item_id == bindparam("item"), leases.c.person_id == ME)


@dataclass(frozen=True)
class Saying:
    """What an assessor says; a second one with the same `request` changes nothing."""

    request: str
    item: int
    kind: Kind
    grade: int | None = None  # for "grade"
    text: str = ""  # the reason of "skip", the text of "note"
    flagged: bool = False  # for "flag"
    seconds: float | None = None  # for which the document was looked at
    said_at: float | None = None  # by the browser's clock, where it was sent later
    undoes: str | None = None  # for "undo": which request it takes back
    may_recur: bool = False  # whether the same request is a new word once others came in between


@dataclass(frozen=True)
class Standing:
    """Somebody's last word on an item."""

    grade: int | None = None
    skipped: str | None = None  # the reason
    note: str = ""
    flagged: bool = False

    @property
    def done(self) -> bool:
        """Whether nothing more is asked of this person."""
        return self.grade is not None or self.skipped is not None


@dataclass(frozen=True)
class Recorded:
    """What came of a saying."""

    standing: Standing
    event: int
    repeated: bool  # whether it had been recorded before
    topic: int


def record(connection: Connection, person: int, said: Saying, scale: Scale) -> Recorded:
    """Record what a person said; acknowledged only once the transaction is written."""
    _check(said, scale)
    if said.may_recur:
        history = history_of(connection, person, said.item)
        said = replace(said, request=recurring(said.request, [row.request for row in history]))
    before = connection.execute(_BEFORE, {"me": person, "request": said.request}).first()
    if before is not None:
        return _repeated(connection, before, said)
    topic = item_for(connection, person, said.item).topic_id
    history = history_of(connection, person, said.item)
    standing = _after(history, said)
    event = _write(connection, person, said, standing, new=not history)
    return Recorded(standing, event, False, topic)


def recurring(request: str, before: Sequence[str]) -> str:
    """The id of a word that may be said again, after words of one's own of these ids.

    Said twice in a row it is the same word. Who goes back to a page and says what it said first,
    after something else, has thought again: that is another one.

    >>> recurring("a", ["a"]), recurring("a", ["a", "b"]), recurring("a", ["a", "b", "a.2"])
    ('a', 'a.2', 'a.2')
    """
    same = [each for each in before if each == request or each.startswith(f"{request}.")]
    if not same:
        return request
    return same[-1] if same[-1] == before[-1] else f"{request}.{len(before)}"


def history_of(connection: Connection, person: int, item: int) -> Sequence[Row[Any]]:
    """All that a person said of an item, from the first word to the last."""
    return connection.execute(_HISTORY, {"item": item, "me": person}).all()


def standing_of(row: Row[Any]) -> Standing:
    """The state that a row of events or judgments holds."""
    return Standing(row.grade, row.skipped, row.note, row.flagged)


def _check(said: Saying, scale: Scale) -> None:
    grade = said.grade if said.kind == "grade" else None
    check_said(request=said.request, grade=grade, text=said.text, scale=scale)
    if said.kind == "grade" and grade is None:
        raise Invalid(f"the grade is missing: it can be {', '.join(map(str, scale.values))}")
    if said.kind == "skip" and not said.text.strip():
        raise Invalid("a document is skipped for a reason: say it")


def _repeated(connection: Connection, row: Row[Any], said: Saying) -> Recorded:
    then = standing_of(row)
    # The same word over again changes nothing; another one would pass for recorded, and be lost.
    is_same = said.kind == "undo" or _changed(then, said) == then
    if (row.item_id, row.kind) != (said.item, said.kind) or not is_same:
        raise Conflict(
            f"the request {said.request!r} was used before, for something else: each needs its own"
        )
    topic = connection.execute(
        select(items.c.topic_id).where(items.c.id == row.item_id)
    ).scalar_one()
    return Recorded(then, row.id, True, topic)


def _after(history: Iterable[Row[Any]], said: Saying) -> Standing:
    """The state after the next word."""
    states = [Standing()]
    requests: list[str] = []  # of the words that were not taken back
    for row in history:
        if row.kind == "undo":
            states.pop()
            requests.pop()
        else:
            states.append(standing_of(row))
            requests.append(row.request)
    if said.kind != "undo":
        return _changed(states[-1], said)
    if not requests:
        raise Conflict("there is nothing to undo: nothing was said of this document")
    if said.undoes not in (None, requests[-1]):
        raise Conflict(
            "what is to be undone is not your last word on this document: it was not taken, or you "
            "said something since"
        )
    return states[-2]


def _changed(now: Standing, said: Saying) -> Standing:
    """A state with a word that adds to it."""
    if said.kind == "grade":
        return replace(now, grade=said.grade, skipped=None)
    if said.kind == "skip":
        return replace(now, grade=None, skipped=said.text.strip())
    if said.kind == "note":
        return replace(now, note=said.text.strip())
    return replace(now, flagged=said.flagged)


def _write(
    connection: Connection, person: int, said: Saying, standing: Standing, *, new: bool
) -> int:
    mine = {"item": said.item, "me": person}
    key = {"item_id": said.item, "person_id": person}
    state = {**vars(standing), "made_at": clock.now()}
    spoken = {"kind": said.kind, "seconds": said.seconds, "said_at": said.said_at}
    added = connection.execute(
        _ADD_EVENT, {**key, **state, **spoken, "request": said.request}
    ).inserted_primary_key
    assert added is not None
    if new:
        connection.execute(_ADD_JUDGMENT, {**key, **state, "event_id": added.id})
    else:
        connection.execute(_CHANGE_JUDGMENT, {**mine, **state, "event_id": added.id})
    if standing.done:
        connection.execute(_END_LEASE, mine)
    return int(added.id)
