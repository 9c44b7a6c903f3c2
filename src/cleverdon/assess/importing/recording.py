"""Many judgments at once, into the history and into what stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from cleverdon.assess import clock
from cleverdon.assess.store.schema import events, judgments, leases


@dataclass(frozen=True)
class Given:
    """A grade that a judge gave an item."""

    request: str
    item: int
    person: int
    grade: int
    note: str = ""
    seconds: float | None = None
    said_at: float | None = None


@dataclass(frozen=True)
class Written:
    """What came of them."""

    recorded: int
    unchanged: int
    kept: int


def record_all(connection: Connection, given: Sequence[Given], *, replace: bool) -> Written:
    """Record what is new. What stands and differs is kept, unless `replace`."""
    persons = {each.person for each in given}
    known = set(
        connection.execute(
            select(events.c.request).where(events.c.person_id.in_(persons))
        ).scalars()
    )
    standing = {
        (row.item_id, row.person_id): row
        for row in connection.execute(select(judgments).where(judgments.c.person_id.in_(persons)))
    }
    new: list[Given] = []
    unchanged = kept = 0
    for each in given:
        stands = standing.get((each.item, each.person))
        if each.request in known or (stands is not None and stands.grade == each.grade):
            unchanged += 1
        elif stands is not None and (stands.grade, stands.skipped) != (None, None) and not replace:
            kept += 1
        else:
            new.append(each)
    if new:
        _write(connection, new, standing)
    return Written(len(new), unchanged, kept)


def _write(
    connection: Connection, new: Sequence[Given], standing: dict[tuple[int, int], Row[Any]]
) -> None:
    made_at = clock.now()
    rows = [_event(each, standing.get((each.item, each.person)), made_at) for each in new]
    numbers = connection.execute(
        insert(events).returning(events.c.id, sort_by_parameter_order=True), rows
    ).scalars()
    first, later = [], []
    for row, number in zip(rows, numbers, strict=True):
        state = {name: row[name] for name in ("grade", "skipped", "note", "flagged", "made_at")}
        state["event_id"] = number
        if (row["item_id"], row["person_id"]) in standing:
            later.append({**state, "of_item": row["item_id"], "of_person": row["person_id"]})
        else:
            first.append({**state, "item_id": row["item_id"], "person_id": row["person_id"]})
    if first:
        connection.execute(insert(judgments), first)
    mine = (
        judgments.c.item_id == bindparam("of_item"),
        judgments.c.person_id == bindparam("of_person"),
    )
    if later:
        connection.execute(update(judgments).where(*mine), later)
    connection.execute(
        delete(leases).where(
            leases.c.item_id == bindparam("of_item"), leases.c.person_id == bindparam("of_person")
        ),
        [{"of_item": each.item, "of_person": each.person} for each in new],
    )


def _event(each: Given, stands: Row[Any] | None, made_at: float) -> dict[str, Any]:
    """An event; a note and a flag that stand stay where the file says nothing else."""
    return {
        "request": each.request,
        "item_id": each.item,
        "person_id": each.person,
        "kind": "import",
        "grade": each.grade,
        "skipped": None,
        "note": each.note or ("" if stands is None else stands.note),
        "flagged": False if stands is None else stands.flagged,
        "seconds": each.seconds,
        "made_at": made_at,
        "said_at": each.said_at,
    }
