"""Recording of judgments: each event is added to the history once, by its idempotency key.

A *judgment event* is one thing that a person sent: a grade, a skip, a note, a flag, an undo. A
*judgment* is the state after the last event of a person and an item.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from cleverdon.judging import clock
from cleverdon.judging.errors import Conflict, Invalid
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import events, items, judgments, leases
from cleverdon.judging.workload import ME, assigned_item

LONGEST_TEXT = 10_000  # characters of a note or of a reason
LONGEST_TIME = 86_400.0  # seconds that somebody can have looked at a document

EventKind = Literal["grade", "skip", "note", "flag", "undo"]

_SAME_KEY = select(events).where(events.c.person_id == ME, events.c.request == bindparam("key"))
_HISTORY = (
    select(events)
    .where(events.c.item_id == bindparam("item"), events.c.person_id == ME)
    .order_by(events.c.id)
)
_CHANGE_JUDGMENT = update(judgments).where(
    judgments.c.item_id == bindparam("item"), judgments.c.person_id == ME
)
_END_LEASE = delete(leases).where(leases.c.item_id == bindparam("item"), leases.c.person_id == ME)


def check_judgment(*, idempotency_key: str, grade: int | None, text: str, scale: Scale) -> None:
    """Refuse what the scale or one of the databases does not allow."""
    if not 8 <= len(idempotency_key) <= 100:
        raise Invalid("a request's id has 8 to 100 characters")
    if grade is not None and grade not in scale:
        listed = ", ".join(map(str, scale.values))
        raise Invalid(f"the grade {grade} is not on the scale: it can be {listed}")
    if "\0" in text + idempotency_key:
        raise Invalid(
            "the text or the request holds a null character, which not all databases keep"
        )
    if len(text) > LONGEST_TEXT:
        raise Invalid(f"the text has {len(text):,} characters; {LONGEST_TEXT:,} at most")


@dataclass(frozen=True)
class JudgmentEvent:
    """One thing that an assessor sent; a second event with the same key changes nothing."""

    idempotency_key: str
    item: int
    kind: EventKind
    grade: int | None = None  # for "grade"
    text: str = ""  # the reason of "skip", the text of "note"
    flagged: bool = False  # for "flag"
    seconds: float | None = None  # for which the document was looked at
    said_at: float | None = None  # by the browser's clock, where it was sent later
    undoes: str | None = None  # for "undo": the key of the event that it takes back
    may_recur: bool = False  # whether the same key is a new event once others came in between


@dataclass(frozen=True)
class Judgment:
    """The current judgment of an item by one person."""

    grade: int | None = None
    skipped: str | None = None
    """The reason of a skip."""
    note: str = ""
    flagged: bool = False

    @property
    def done(self) -> bool:
        """True if the person graded or skipped the item."""
        return self.grade is not None or self.skipped is not None


@dataclass(frozen=True)
class RecordedEvent:
    judgment: Judgment
    event: int
    repeated: bool  # whether it had been recorded before
    query: int


def record(
    connection: Connection, person: int, event: JudgmentEvent, scale: Scale
) -> RecordedEvent:
    """Record an event; acknowledge it only once the transaction is written."""
    _check_event(event, scale)
    if event.may_recur:
        before = [row.request for row in history_of(connection, person, event.item)]
        event = replace(event, idempotency_key=recurring_key(event.idempotency_key, before))
    same = connection.execute(_SAME_KEY, {"me": person, "key": event.idempotency_key}).first()
    if same is not None:
        return _recorded_before(connection, same, event)
    query = assigned_item(connection, person, event.item).query_id
    history = history_of(connection, person, event.item)
    judgment = _judgment_after(history, event)
    number = _write(connection, person, event, judgment, new=not history)
    return RecordedEvent(judgment, number, False, query)


def recurring_key(key: str, before: Sequence[str]) -> str:
    """Return the key of an event that may recur, after the person's events with the keys `before`.

    The same form sent twice in a row is one event. If something else came in between, the person
    has changed their mind, and it is another event.

    >>> recurring_key("a", ["a"]), recurring_key("a", ["a", "b"])
    ('a', 'a.2')
    >>> recurring_key("a", ["a", "b", "a.2"])
    'a.2'
    """
    same = [each for each in before if each == key or each.startswith(f"{key}.")]
    if not same:
        return key
    return same[-1] if same[-1] == before[-1] else f"{key}.{len(before)}"


def history_of(connection: Connection, person: int, item: int) -> Sequence[Row[Any]]:
    """Return all events of a person and an item, the first one first."""
    return connection.execute(_HISTORY, {"item": item, "me": person}).all()


def judgment_of(row: Row[Any]) -> Judgment:
    """Return the judgment that a row of events or judgments holds."""
    return Judgment(row.grade, row.skipped, row.note, row.flagged)


def _check_event(event: JudgmentEvent, scale: Scale) -> None:
    grade = event.grade if event.kind == "grade" else None
    check_judgment(idempotency_key=event.idempotency_key, grade=grade, text=event.text, scale=scale)
    if event.kind == "grade" and grade is None:
        raise Invalid(f"the grade is missing: it can be {', '.join(map(str, scale.values))}")
    if event.kind == "skip" and not event.text.strip():
        raise Invalid("give a reason for the skip")


def _recorded_before(connection: Connection, row: Row[Any], event: JudgmentEvent) -> RecordedEvent:
    then = judgment_of(row)
    # The same event again changes nothing; another one would look recorded, and be lost.
    is_same = event.kind == "undo" or _with_event(then, event) == then
    if (row.item_id, row.kind) != (event.item, event.kind) or not is_same:
        raise Conflict(
            f"the request {event.idempotency_key!r} was used before, for something else: each "
            "needs its own"
        )
    wanted = select(items.c.query_id).where(items.c.id == row.item_id)
    return RecordedEvent(then, row.id, True, connection.execute(wanted).scalar_one())


def _judgment_after(history: Iterable[Row[Any]], event: JudgmentEvent) -> Judgment:
    states = [Judgment()]
    keys: list[str] = []  # of the events that were not undone
    for row in history:
        if row.kind == "undo":
            states.pop()
            keys.pop()
        else:
            states.append(judgment_of(row))
            keys.append(row.request)
    if event.kind != "undo":
        return _with_event(states[-1], event)
    if not keys:
        raise Conflict("there is nothing to undo: you have not judged this document")
    if event.undoes not in (None, keys[-1]):
        raise Conflict(
            "the event to undo is not your last one on this document: it was not recorded, or you "
            "judged again since"
        )
    return states[-2]


def _with_event(now: Judgment, event: JudgmentEvent) -> Judgment:
    if event.kind == "grade":
        return replace(now, grade=event.grade, skipped=None)
    if event.kind == "skip":
        return replace(now, grade=None, skipped=event.text.strip())
    if event.kind == "note":
        return replace(now, note=event.text.strip())
    return replace(now, flagged=event.flagged)


def _write(
    connection: Connection, person: int, event: JudgmentEvent, judgment: Judgment, *, new: bool
) -> int:
    key = {"item": event.item, "me": person}
    state = {**vars(judgment), "made_at": clock.now()}
    row = {"item_id": event.item, "person_id": person, **state}
    times = {"seconds": event.seconds, "said_at": event.said_at}
    added = connection.execute(
        insert(events), {**row, **times, "kind": event.kind, "request": event.idempotency_key}
    ).inserted_primary_key
    assert added is not None
    if new:
        connection.execute(insert(judgments), {**row, "event_id": added.id})
    else:
        connection.execute(_CHANGE_JUDGMENT, {**key, **state, "event_id": added.id})
    if judgment.done:
        connection.execute(_END_LEASE, key)
    return int(added.id)


def new_idempotency_key() -> str:
    """Return the key of a new form."""
    return secrets.token_urlsafe(12)


def form_key(form: str, *values: object) -> str:
    """Return the key of a form with these values: with other values it is another event."""
    return f"{form}.{hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]}"


def event_of_form(
    form: str,
    item: int,
    kind: EventKind,
    *,
    grade: int | None = None,
    text: str = "",
    flagged: bool = False,
    shown_at: float | None = None,
) -> JudgmentEvent:
    """Return the event that a form sends; `form` is the key that it was shown with.

    A browser may send the same form twice. Its values are part of the key, so the same values are
    one event, and other values are another one.
    """
    seconds = None if shown_at is None else clock.now() - shown_at
    if seconds is not None and not 0 <= seconds <= LONGEST_TIME:
        seconds = None
    key = form_key(form, kind, grade, text, flagged)
    # An undo does not say which event it takes back: sent again, it would undo another one.
    may_recur = kind != "undo"
    return JudgmentEvent(key, item, kind, grade, text, flagged, seconds, may_recur=may_recur)
