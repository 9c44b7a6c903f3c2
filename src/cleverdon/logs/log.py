"""The search log as every metric sees it: two Ibis tables, for logs of every format.

The tables stay where they are: a metric is a query that runs there, on DuckDB as on Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import TYPE_CHECKING, Any, TypeAlias

from cleverdon._common.text import counted
from cleverdon.errors import InputError, suggest

if TYPE_CHECKING:
    import ibis

QUERIES: Mapping[str, str] = {
    "query_id": "string",
    "user": "string",
    "session": "string",
    "client": "string",
    "time": "int64",
    "text": "string",
    "page": "int64",
    "results": "int64",
    "latency_ms": "float64",
    "variant": "string",
}
"""The columns of `Log.queries`, with a row for each result page, and their types."""

EVENTS: Mapping[str, str] = {
    "event_id": "string",
    "query_id": "string",
    "user": "string",
    "session": "string",
    "client": "string",
    "time": "int64",
    "action": "string",
    "doc": "string",
    "position": "int64",
    "dwell_ms": "int64",
}
"""The columns of `Log.events`, with a row for each action on a result page."""

PLURALS = {
    "impression": "impressions",
    "click": "clicks",
    "copy": "copies",
    "conversion": "conversions",
}
ACTIONS = tuple(PLURALS)
"""The actions that metrics use; others are kept."""

INTERACTIONS = ("click", "copy", "conversion")
"""The actions that may show that a search was useful."""

COLUMN_MEANINGS: Mapping[str, str] = {
    "query_id": "the id of a result page; events name the page that they belong to by it",
    "user": "the person who searched: an account, or another lasting id",
    "session": "the log's own id of a session",
    "client": "the device, browser or address, if nothing else names the user",
    "time": "the time, in milliseconds since 1970 began in UTC",
    "text": "the text of the query",
    "page": "the page of the results, from 1",
    "results": "the number of results that were found, 0 for none",
    "latency_ms": "the duration of the search, in milliseconds",
    "variant": "the variant of an experiment that the user saw",
    "event_id": "the id of the event itself",
    "action": "the action: impression, click, copy or conversion",
    "doc": "the document of the action",
    "position": "the position of the document in the results, from 1, over all pages",
    "dwell_ms": "on a click, the time on the document, in milliseconds",
    "click": "an event whose action is click, of which there is none",
    "impression": "an event whose action is impression, of which there is none",
}
"""For messages and documentation."""


@dataclass(frozen=True)
class UnusableRows:
    """Rows that could not be used fully, with the reason and some examples."""

    table: str  # `queries` or `events`
    reason: str
    count: int
    examples: tuple[str, ...] = ()  # each with its file and line, if it has them
    kept: bool = False
    """Whether the rows stay in the log, and only a value of theirs was read as unknown."""


@dataclass(frozen=True)
class ExcludedBots:
    """The bots that were left out of a log; see `bots.without_bots`."""

    users: int
    searches: int
    events: int
    rules: str  # the rules by which users were bots
    can_tell: bool = True
    """Whether the log names users or sessions: otherwise bots cannot be recognised."""

    def __str__(self) -> str:
        if not self.can_tell:
            return (
                "Bots are not excluded: the log names neither users nor sessions, so they cannot "
                "be recognised."
            )
        users, events = counted(self.users, "user"), counted(self.events, "event")
        searches = f"{self.searches:,} search{'' if self.searches == 1 else 'es'}"
        return f"Excluded as bots: {users}, with {searches} and {events} ({self.rules})."


@dataclass(frozen=True, eq=False)
class Log:
    """A search log: the result pages that users asked for, and the events on them.

    `queries` has the columns of `QUERIES`, then `segments`; `events` has those of `EVENTS`. A
    column that the log does not have is there and all null, and `lacks` names it.

    Attributes:
        queries: The result pages, as an Ibis table.
        events: The events, as an Ibis table.
        lacks: Columns that the log does not have, as in `queries.latency_ms`.
        segments: Columns of `queries` by which metrics can be split, besides `variant`.
        aside: Rows and values that could not be used, by reason, with examples.
        merged: Requests that share a query id, by kind; of these, further pages are kept.
        source: The name of the log.
        format: Its format.
        notes: The assumptions of the reader, in sentences.
        rows: The number of rows of queries and of events that were read, with those set aside.
            Impressions that are derived from queries are not counted.
        without_bots: The bots that were left out; None without `without_bots`.

    >>> log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    >>> log.has("queries.text"), log.has("queries.latency_ms"), log.actors
    (True, False, ['user'])
    >>> log
    <Log 'worked example'>
    """

    queries: ibis.Table
    events: ibis.Table
    lacks: frozenset[str] = frozenset()
    segments: tuple[str, ...] = ()
    aside: tuple[UnusableRows, ...] = ()
    merged: tuple[UnusableRows, ...] = ()
    source: str = "log"
    format: str = "cleverdon"
    notes: tuple[str, ...] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    without_bots: ExcludedBots | None = None

    def __repr__(self) -> str:
        rows = ", ".join(f"{count:,} rows of {name}" for name, count in self.rows.items())
        return f"<Log {self.source!r}{': ' if rows else ''}{rows}>"

    @property
    def set_aside(self) -> int:
        """The number of rows that could not be used."""
        return sum(aside.count for aside in self.aside if not aside.kept)

    @property
    def unknown(self) -> int:
        """The number of impossible values that were read as unknown."""
        return sum(aside.count for aside in self.aside if aside.kept)

    @property
    def actors(self) -> list[str]:
        """The columns of the log that name who searched: user, session, client."""
        return [name for name in ACTORS if self.has(f"queries.{name}")]

    @property
    def merged_requests(self) -> int:
        """The number of rows that were merged into the search of another row."""
        return sum(one.count for one in self.merged if not one.kept)

    @property
    def backend(self) -> Any:
        """The connection of the tables."""
        return self.queries.get_backend()

    def has(self, *columns: str) -> bool:
        """Return True if the log has all of these columns: `log.has("queries.user")`."""
        return self.lacks.isdisjoint(columns)

    def missing(self, columns: Iterable[str], *, persons: bool = False) -> list[str]:
        """Return the missing columns; with `persons`, a user unless searches name anybody."""
        lacks = [column for column in columns if not self.has(column)]
        return [*lacks, "queries.user"] if persons and not self.actors else lacks

    def need(self, purpose: str, *columns: str) -> None:
        """Raise an InputError for the columns that `purpose` needs and the log does not have."""
        missing = [column for column in columns if column in self.lacks]
        if missing:
            named = "; ".join(f"{name}: {COLUMN_MEANINGS[name.split('.')[1]]}" for name in missing)
            raise InputError(
                f"{purpose} needs columns that this log does not have ({named}); a mapping file "
                "can name them: --mapping FILE",
                source=self.source,
            )

    def split_by(self, column: str) -> str:
        """Return the name of a column by which queries can be split, or raise an InputError."""
        known = (*self.segments, *(["variant"] if self.has("queries.variant") else []))
        if column not in known:
            hint = suggest(column, known) if known else "; it has no segment and no variant"
            raise InputError(f"the log has no segment {column!r}{hint}", source=self.source)
        return column


ACTORS: Mapping[str, str] = {"user": "u:", "session": "s:", "client": "c:"}
"""The columns that name who searched, the best first, with the prefixes of their ids."""


def actor_of(table: ibis.Table, *, user_of_session: Any = None) -> Any:
    """Return who did it: the user, else the session, else the client, else null.

    The prefix separates the kinds: user 7 is not session 7. `user_of_session` is preferred to the
    session.
    """
    import ibis

    kinds = [prefix + table[name] for name, prefix in ACTORS.items()]
    if user_of_session is not None:
        kinds.insert(1, ACTORS["user"] + user_of_session)
    return ibis.coalesce(*kinds)


def with_actors(log: Log, name: str = "actor") -> ibis.Table:
    """Add who made each query, in a column of this name.

    A query without a user belongs to the user of its session, if there is exactly one: a user who
    logs in during a session is one user.
    """
    import ibis

    queries = log.queries
    only = None
    if log.has("queries.user", "queries.session"):
        session = ibis.window(group_by="session")
        first, last = queries.user.min().over(session), queries.user.max().over(session)
        only = ibis.ifelse(queries.session.notnull() & (first == last), first, ibis.null("string"))
    return queries.mutate(**{name: actor_of(queries, user_of_session=only)})


def actor_counts(table: ibis.Table) -> dict[str, int]:
    """Count the `searches` that a user, a session, a client or `nothing` names."""
    kinds = {
        name: table.count(where=table.actor.startswith(prefix)) for name, prefix in ACTORS.items()
    }
    nothing = table.count(where=table.actor.isnull())
    counts = table.agg(searches=table.count(), nothing=nothing, **kinds)
    found: dict[str, int] = counts.to_pyarrow().to_pylist()[0]
    return found


def conform(table: ibis.Table, columns: Mapping[str, str]) -> ibis.Table:
    """Return the table with just these columns and types; missing columns are null."""
    import ibis

    def column(name: str, kind: str) -> Any:
        if name not in table.columns:
            return ibis.null(kind).name(name)
        return table[name].cast(kind).name(name)

    return table.select([column(name, kind) for name, kind in columns.items()])


_EVENT_PATTERN = re.compile(r"([a-z]+)(?:@(\d+))?(?:\+(\d+))?(?:~(-?\d+))?")
_MIDNIGHT = 1_767_225_600_000  # the first of January 2026, in UTC


def worked_log(text: str) -> tuple[Log, str]:
    """Return the small log that a worked example describes, and its expected outcome.

        ann 0:00 shoes results=12 latency=35 page=1 click@2+45 copy
        bob 0:10 red_hats
        = 1 / 2

    A line is a result page: a user, a time of day, a text with `_` for blanks; then values of the
    search, and events: `shown@3` is an impression, `click@2+45` a click on rank 2 whose document
    was looked at for 45 seconds, `click@2~10` one that came 10 seconds after the page. The last
    line is the numerator and denominator, a number, a list of texts with numbers, or `undefined`.
    """
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
                events.append(_parse_event(token, page, len(events)))
        queries.append(page)
    return log_of(queries, events), outcome.removeprefix("=").strip()


def _parse_event(token: str, page: dict[str, Any], number: int) -> dict[str, Any]:
    match = _EVENT_PATTERN.fullmatch(token)
    if match is None:
        raise ValueError(f"{token!r} is not an event of a worked example")
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


LogSource: TypeAlias = "Log | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
"""A log, or the files to read it from, as `read_log` takes them."""


def log_of(
    queries: Sequence[Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
    *,
    segments: tuple[str, ...] = (),
    source: str = "worked example",
) -> Log:
    """Make a log of records, on a DuckDB of its own; fields that no record has are missing.

    >>> log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    >>> log.queries.count().to_pyarrow().as_py(), log.has("queries.latency_ms")
    (1, False)
    """
    import ibis
    import pyarrow as pa

    connection = ibis.duckdb.connect()
    tables = {}
    lacks = set()
    for name, records, columns in (
        ("queries", queries, {**QUERIES, **dict.fromkeys(segments, "string")}),
        ("events", events, EVENTS),
    ):
        lacks |= {f"{name}.{column}" for column in {*columns}.difference(*records)}
        text = {
            column: pa.array(
                [None if record.get(column) is None else str(record[column]) for record in records],
                pa.string(),
            )
            for column in columns
        }
        tables[name] = conform(connection.create_table(name, pa.table(text)), columns)
    if events:
        # Any event shows that the log has events, even if these fields are null.
        lacks -= {"events.action", "events.query_id"}
    return Log(**tables, lacks=frozenset(lacks), segments=segments, source=source)
