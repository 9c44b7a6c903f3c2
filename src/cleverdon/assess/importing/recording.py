"""Many judgments at once, into the history and into what stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select

from cleverdon.assess import clock
from cleverdon.assess.importing.matching import Place
from cleverdon.assess.store.schema import events, judgments, leases

_STATE = ("item_id", "person_id", "grade", "skipped", "note", "flagged", "made_at")
"""What an event and what stands after it have in common."""

_Key = tuple[int | None, int | None]
"""The number of an item, and of a judge; None while it is yet to be added."""


@dataclass(frozen=True)
class Given:
    """A grade that a judge gave a document."""

    request: str
    place: Place
    judge: str
    grade: int
    note: str = ""
    seconds: float | None = None
    said_at: float | None = None


@dataclass(frozen=True)
class Compared:
    """Judgments by what the project knows of them already."""

    new: Sequence[tuple[_Key, Given]]
    unchanged: int
    kept: int
    standing: Mapping[_Key, Row[Any]]


def compare(
    connection: Connection,
    given: Iterable[Given],
    *,
    items: Mapping[Place, int],
    judges: Mapping[str, int],
    replace: bool,
) -> Compared:
    """Find what is to be recorded. What stands and differs is kept, unless `replace`.

    Items and judges that are not there yet have nothing that stands.
    """
    persons = set(judges.values())
    known = set(
        connection.execute(
            select(events.c.request).where(events.c.person_id.in_(persons))
        ).scalars()
    )
    standing: dict[_Key, Row[Any]] = {
        (row.item_id, row.person_id): row
        for row in connection.execute(select(judgments).where(judgments.c.person_id.in_(persons)))
    }
    new: list[tuple[_Key, Given]] = []
    unchanged = kept = 0
    for each in given:
        key = items.get(each.place), judges.get(each.judge)
        stands = standing.get(key)
        if stands is not None and stands.grade == each.grade:
            unchanged += 1
        elif stands is not None and (stands.grade, stands.skipped) != (None, None) and not replace:
            kept += 1
        elif each.request not in known:
            new.append((key, each))
        elif replace and stands is not None:
            # It was recorded before, and something else was said since: this is another request.
            again = dataclasses.replace(each, request=f"{each.request}-{stands.event_id}")
            new.append((key, again))
        else:
            unchanged += 1
    return Compared(new, unchanged, kept, standing)


def record_new(connection: Connection, compared: Compared) -> None:
    """Record what is new, of items and judges that are all there by now."""
    if not compared.new:
        return
    standing, made_at = compared.standing, clock.now()
    # One transaction writes at a time, so all events that come after this one are ours. SQLite
    # would give the numbers back only one by one.
    last = connection.execute(select(func.max(events.c.id))).scalar() or 0
    connection.execute(
        insert(events),
        [_event(key, each, standing.get(key), made_at) for key, each in compared.new],
    )
    keys = {key for key, _ in compared.new}
    held = connection.execute(
        select(leases.c.item_id, leases.c.person_id).where(
            leases.c.person_id.in_({person for _, person in keys})
        )
    )
    _delete(connection, leases, [key for row in held if (key := (row[0], row[1])) in keys])
    _delete(connection, judgments, [key for key in keys if key in standing])
    ours = select(events.c.id, *(events.c[name] for name in _STATE)).where(events.c.id > last)
    connection.execute(insert(judgments).from_select(["event_id", *_STATE], ours))


def _delete(connection: Connection, table: Any, keys: Sequence[_Key]) -> None:
    if keys:
        connection.execute(
            delete(table).where(
                table.c.item_id == bindparam("of_item"), table.c.person_id == bindparam("of_person")
            ),
            [{"of_item": item, "of_person": person} for item, person in keys],
        )


def _event(key: _Key, each: Given, stands: Row[Any] | None, made_at: float) -> dict[str, Any]:
    """An event; a note and a flag that stand stay where the file says nothing else."""
    item, person = key
    return {
        "request": each.request,
        "item_id": item,
        "person_id": person,
        "kind": "import",
        "grade": each.grade,
        "skipped": None,
        "note": each.note or ("" if stands is None else stands.note),
        "flagged": False if stands is None else stands.flagged,
        "seconds": each.seconds,
        "made_at": made_at,
        "said_at": each.said_at,
    }
