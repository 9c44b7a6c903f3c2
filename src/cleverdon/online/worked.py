"""Worked examples of metrics: a small log, a line a result page, and what comes out of it.

    ann 0:00 shoes results=12 latency=35 page=1 click@2+45 copy
    bob 0:10 red_hats
    = 1 / 2

A user, a time of day, a text with `_` for blanks; then what the log says of the search, and what
was done: `shown@3` for an impression, `click@2+45` for a click on rank 2 whose document was looked
at for 45 seconds, `click@2~10` for one that came 10 seconds after the page. The last line is the
numerator and denominator, a number, a list of texts with numbers, or `undefined`.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

from cleverdon.online.log import EVENTS, QUERIES, Log, conformed

_EVENT = re.compile(r"([a-z]+)(?:@(\d+))?(?:\+(\d+))?(?:~(-?\d+))?")
_MIDNIGHT = 1_767_225_600_000
"""The first of January 2026, in UTC."""


def worked_log(text: str) -> tuple[Log, str]:
    """The log of an example, on DuckDB, and what is to come out."""
    *lines, outcome = dedent(text).strip().splitlines()
    queries: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        user, clock, words, *tokens = line.split()
        hours, minutes = map(int, clock.split(":"))
        page = {
            "query_id": f"q{number}",
            "user": user,
            "time": _MIDNIGHT + (60 * hours + minutes) * 60_000,
            "text": words.replace("_", " "),
        }
        for token in tokens:
            name, sign, value = token.partition("=")
            if sign:
                page["latency_ms" if name == "latency" else name] = value
            else:
                events.append(_event(token, page, len(events)))
        queries.append(page)
    return log_of(queries, events), outcome.removeprefix("=").strip()


def _event(token: str, page: dict[str, Any], number: int) -> dict[str, Any]:
    match = _EVENT.fullmatch(token)
    if match is None:
        raise ValueError(f"{token!r} is no event of a worked example")
    action, position, dwell, after = match.groups()
    return {
        "event_id": f"e{number}",
        "query_id": page["query_id"],
        "user": page["user"],
        "time": page["time"] + 1000 * int(after or 1),
        "action": "impression" if action == "shown" else action,
        "doc": f"d{position}" if position else None,
        "position": position,
        "dwell_ms": 1000 * int(dwell) if dwell else None,
    }


def log_of(
    queries: list[dict[str, Any]], events: list[dict[str, Any]], *, segments: tuple[str, ...] = ()
) -> Log:
    """A log out of records, on a DuckDB of its own; fields that no record has are lacking.

    >>> log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    >>> log.queries.count().to_pyarrow().as_py(), log.has("queries.latency_ms")
    (1, False)
    """
    import ibis
    import pyarrow as pa

    connection = ibis.duckdb.connect()
    tables = []
    lacks = set()
    for name, records, columns, more in (
        ("queries", queries, dict(QUERIES), segments),
        ("events", events, dict(EVENTS), ()),
    ):
        for segment in more:
            columns[segment] = "string"
        present = {field for record in records for field in record}
        lacks |= {f"{name}.{column}" for column in columns if column not in present}
        text = {
            column: pa.array(
                [None if record.get(column) is None else str(record[column]) for record in records],
                pa.string(),
            )
            for column in columns
        }
        raw = connection.create_table(name, pa.table(text))
        tables.append(conformed(raw, columns))
    if events:
        # An event of any kind says that the log has events; not every one has a field.
        lacks = {name for name in lacks if name not in ("events.action", "events.query_id")}
    return Log(
        tables[0], tables[1], lacks=frozenset(lacks), segments=segments, source="worked example"
    )
