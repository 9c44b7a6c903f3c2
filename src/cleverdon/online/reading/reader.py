"""From sources and a layout to a Log: which rows are read from where, and what comes after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleverdon.errors import OptionError
from cleverdon.online.log import EVENTS, QUERIES, Aside, Log
from cleverdon.online.reading import afterwards, times
from cleverdon.online.reading.aside import set_aside
from cleverdon.online.reading.assemble import Taken, copied, drop_staged, rough, taken
from cleverdon.online.reading.canonical import PAGE
from cleverdon.online.reading.database import readable
from cleverdon.online.reading.detect import choose, paired
from cleverdon.online.reading.merging import ID
from cleverdon.online.reading.places import Place, found
from cleverdon.online.reading.remarks import lacking, passed_over
from cleverdon.online.reading.spec import Kind, Layout, Rows

if TYPE_CHECKING:
    import ibis


def read(
    sources: Sequence[str | Path],
    *,
    format: str | None,
    mapping: str | Path | Mapping[str, Any] | None,
    timezone: str | None,
    queries: str | None,
    events: str | None,
    connection: Any,
    memory: str | None,
) -> Log:
    """See `read_log`."""
    if format is not None and mapping is not None:
        raise OptionError(
            "format (--log-format) and mapping (--mapping) both say which column is what: give "
            "one of them"
        )
    if timezone is not None:
        times.check_zone(timezone)
    with readable(str(next(iter(sources), "log"))):
        place = found(sources, queries=queries, events=events, connection=connection, memory=memory)
        layout = choose(place, format=format, mapping=mapping)
        if timezone is not None:
            layout = placed_in(layout, timezone)
        return _log(place, layout)


def placed_in(layout: Layout, zone: str) -> Layout:
    """The layout with times that have no zone in this one, unless it names another."""

    def placed(rows: Rows) -> Rows:
        parts = tuple(
            part if part.timezone else replace(part, timezone=zone) for part in rows.columns["time"]
        )
        return replace(rows, columns={**rows.columns, "time": parts})

    return replace(layout, rows=tuple(placed(rows) for rows in layout.rows))


def _log(place: Place, layout: Layout) -> Log:
    parts = taken(place.sources, paired(place, layout))
    queries = _side("queries", [part for part in parts if part.rows.kind == "queries"], place)
    found = _events([part for part in parts if part.rows.kind == "events"], place, queries)
    events = found or Side(afterwards.none(queries.table))
    asked, done, left_out = _related(queries, events, [part.rows for part in parts])
    over = passed_over(parts)
    drop_staged(parts)
    return Log(
        asked,
        done,
        lacks=lacking("queries", asked, QUERIES)
        | lacking("events", done if found else None, EVENTS),
        segments=queries.segments,
        aside=queries.aside + events.aside,
        merged=queries.merged,
        source=place.name,
        format=layout.name,
        notes=(*layout.notes, *over, *queries.notes, *events.notes, *left_out),
        rows={"queries": queries.rows, "events": events.rows},
    )


def _related(
    queries: Side, events: Side, rows: Sequence[Rows]
) -> tuple[ibis.Table, ibis.Table, tuple[str, ...]]:
    """Queries and events with what each takes from the other, and notes of what was left out."""
    asked, done = queries.table, events.table
    notes: tuple[str, ...] = ()
    if any(one.pages_share_id for one in rows):
        done = _settled(events, afterwards.with_pages(asked, done))
    if any(one.attach for one in rows):
        done, notes = afterwards.of_searches(_settled(events, afterwards.attached(asked, done)))
    borrowed = tuple(dict.fromkeys(name for one in rows for name in one.from_events))
    if borrowed:
        asked = _settled(queries, afterwards.from_events(asked, done, borrowed))
    return (asked.drop(ID) if ID in asked.columns else asked), done, notes


@dataclass(frozen=True)
class Side:
    """The good rows of queries or of events, and what is to be said of the others."""

    table: ibis.Table
    rows: int = 0
    """How many were read, those set aside included."""
    segments: tuple[str, ...] = ()
    aside: tuple[Aside, ...] = ()
    merged: tuple[Aside, ...] = ()
    notes: tuple[str, ...] = ()
    backend: Any | None = None
    """Where results are copied to; None where rows stay where they are."""


def _side(kind: Kind, parts: Sequence[Taken], place: Place) -> Side:
    made = rough(kind, parts)
    found = set_aside(made, place.sources)
    table, notes = found.table, made.notes
    if found.zoneless:
        notes += (f"{kind}.time {times.ZONELESS}; they are taken to be in UTC",)
    into = parts[0].source.backend if any(part.source.copied for part in parts) else None
    if into is not None and (found.aside or found.merged):
        table = copied(into, table)
        into.drop_table(made.table.op().name)
    return Side(table, found.rows, made.segments, found.aside, found.merged, notes, into)


def _events(parts: Sequence[Taken], place: Place, queries: Side) -> Side | None:
    """All events. Rows that stand in for others count only where those others are missing."""
    import ibis

    own = [part for part in parts if part.rows.unless is None]
    sides = [_side("events", own, place)] if own else []
    if sides and ID in queries.table.columns:
        paged = afterwards.with_pages(queries.table, sides[0].table)
        sides = [replace(sides[0], table=_settled(sides[0], paged))]
    for part in parts:
        action = part.rows.unless
        if action is None or any(_any(side.table, action) for side in sides):
            continue
        side = _side("events", [part], place)
        note = f"no event says {action}: what the query's list of results has counts as that"
        # They are no rows of their own: what is wrong with them is told of the queries.
        table = side.table
        if not part.rows.pages_share_id:
            if queries.merged or any(not aside.kept for aside in queries.aside):
                table = _settled(side, afterwards.of_good(queries.table, table))
            table = table.drop(PAGE) if PAGE in table.columns else table
        sides.append(replace(side, table=table, rows=0, aside=(), notes=(*side.notes, note)))
    if not sides:
        return None
    first = sides[0]
    return Side(
        ibis.union(*(side.table for side in sides)) if len(sides) > 1 else first.table,
        sum(side.rows for side in sides),
        first.segments,
        tuple(one for side in sides for one in side.aside),
        (),
        tuple(dict.fromkeys(note for side in sides for note in side.notes)),
        next((side.backend for side in sides if side.backend is not None), None),
    )


def _any(events: ibis.Table, action: str) -> bool:
    return bool(events.filter(events.action == action).limit(1).count().to_pyarrow().as_py())


def _settled(side: Side, table: ibis.Table) -> ibis.Table:
    """The table, copied where what was done to it would be done again by every metric."""
    return table if side.backend is None else copied(side.backend, table)
