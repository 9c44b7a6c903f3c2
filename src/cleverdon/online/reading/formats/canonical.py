"""Logs whose columns have the names that this package uses itself."""

from __future__ import annotations

from cleverdon.online.log import EVENTS, QUERIES
from cleverdon.online.reading.formats import Format


class Canonical(Format):
    """Queries and events by the names of `QUERIES` and `EVENTS`.

    Times are timestamps, ISO 8601, or numbers, best of milliseconds since 1970. Columns of queries
    that are none of these are segments.
    """

    name = "cleverdon"
    about = "columns named as in cleverdon.online.log"
    source = "cleverdon.online.log: QUERIES and EVENTS"
    known_by = "queries have query_id and time, and events have action and time"
    lacks = "nothing; any column but query_id, time and action may be missing"
    mapping = {
        "queries": {
            **{name: name for name in QUERIES},
            "segments": "others",
            "known_by": ["query_id", "time", "-action"],
        },
        "events": {
            **{name: name for name in EVENTS},
            "known_by": ["action", "time"],
        },
    }
