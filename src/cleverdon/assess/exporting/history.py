"""Everything that was ever said of any document, as JSON lines or as Parquet: nothing is left out.

A row is an event of a judge, or a ruling; it holds the whole state after it. Moments are ISO 8601,
in UTC.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Select, literal, null, select

from cleverdon.assess import clock
from cleverdon.assess.store.schema import documents, events, items, people, rulings, topics
from cleverdon.errors import InputError, MissingExtra
from cleverdon.read.write import replacing

COLUMNS = {
    "event": "int64",  # the number of an event, or of a ruling
    "topic": "string",
    "document": "string",
    "judge": "string",
    "judge_kind": "string",  # person, model, earlier
    "kind": "string",  # grade, skip, note, flag, undo, import, ruling
    "grade": "int64",
    "skipped": "string",  # the reason
    "note": "string",
    "flagged": "bool",
    "seconds": "double",  # for which the document was looked at
    "made_at": "string",  # when it was recorded
    "said_at": "string",  # by the clock of the browser, where it was sent later
    "gold": "int64",  # the grade that is known to be right, where attention is checked
    "request": "string",
}
"""What a row has, and the type in Parquet."""

_AT_ONCE = 10_000


def history_rows(
    connection: Connection, *, called: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """All events and rulings in the order of their making; `called` are other names of people."""
    streamed = connection.execution_options(yield_per=_AT_ONCE)
    # In their own order each, so that the two can be merged without holding either.
    both = heapq.merge(
        streamed.execute(_events()),
        streamed.execute(_rulings()),
        key=lambda row: (row.made_at, row.kind == "ruling", row.event),
    )
    for row in both:
        found = {name: getattr(row, name) for name in COLUMNS}
        found["made_at"] = clock.iso(row.made_at)
        found["said_at"] = None if row.said_at is None else clock.iso(row.said_at)
        found["judge"] = (called or {}).get(row.judge, row.judge)
        yield found


def write_history(rows: Iterator[dict[str, Any]], path: str) -> int:
    """Write rows as Parquet where the name ends so, else as JSON lines; gives how many."""
    write = _parquet if path.casefold().endswith(".parquet") else _json_lines
    try:
        with replacing(path) as file:
            return write(rows, file)
    except BrokenPipeError:  # whoever reads it has enough
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from None


def _json_lines(rows: Iterator[dict[str, Any]], file: Any) -> int:
    count = 0
    for row in rows:
        file.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode())
        count += 1
    return count


def _parquet(rows: Iterator[dict[str, Any]], file: Any) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("writing Parquet files", package="pyarrow", extra="tables") from None
    types = {"int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_()}
    schema = pyarrow.schema(
        [(name, types.get(kind, pyarrow.string())) for name, kind in COLUMNS.items()]
    )
    count = 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _events() -> Select[Any]:
    return _named(
        events,
        events.c.kind,
        events.c.skipped,
        events.c.flagged,
        events.c.seconds,
        events.c.said_at,
    )


def _rulings() -> Select[Any]:
    return _named(
        rulings,
        literal("ruling").label("kind"),
        null().label("skipped"),
        null().label("flagged"),
        null().label("seconds"),
        null().label("said_at"),
    )


def _named(table: Any, *more: Any) -> Select[Any]:
    """Rows of events or rulings, with the names of what they are of."""
    return (
        select(
            table.c.id.label("event"),
            topics.c.name.label("topic"),
            documents.c.name.label("document"),
            people.c.name.label("judge"),
            people.c.kind.label("judge_kind"),
            table.c.grade,
            table.c.note,
            table.c.made_at,
            table.c.request,
            items.c.gold,
            *more,
        )
        .select_from(table)
        .join(items, items.c.id == table.c.item_id)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
        .join(people, people.c.id == table.c.person_id)
        .order_by(table.c.made_at, table.c.id)
    )
