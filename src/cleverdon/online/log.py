"""A search log as every metric sees it: two tables, whatever the log was written by.

The tables are Ibis tables of one backend. They stay where they are: a metric is a query that runs
there, on DuckDB as on Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
"""The columns of `Log.queries`, a row a result page that was asked for, and their types."""

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
"""The columns of `Log.events`, a row a thing that was done with a result page."""

ACTIONS = ("impression", "click", "copy", "conversion")
"""What metrics look for in `Log.events`; any other action is kept, and counted by the doctor."""

SIGNS = ("click", "copy", "conversion")
"""The actions that may show that a search was of use."""

MEANINGS: Mapping[str, str] = {
    "query_id": "the id of a result page; events name the page that they belong to by it",
    "user": "whoever searched: an account, or another id that lasts",
    "session": "the log's own id of a session",
    "client": "the device, browser or address that stands for a user whom nothing else names",
    "time": "when it was, in milliseconds since 1970 began in UTC",
    "text": "what was searched for",
    "page": "which page of the results was asked for, from 1",
    "results": "how many results were found, 0 where there were none",
    "latency_ms": "how long the search took, in milliseconds",
    "variant": "which variant of an experiment the user saw",
    "event_id": "the id of the event itself",
    "action": "what was done: impression, click, copy or conversion",
    "doc": "the document that it was done with",
    "position": "where the document stood in the results, from 1, over all pages",
    "dwell_ms": "on a click, how long the document was looked at, in milliseconds",
    "click": "an event whose action is click, of which there is not one",
}
"""What each column means, for messages and documentation; and what a click is."""


@dataclass(frozen=True)
class Aside:
    """Rows of which something could not be used, why, and some of them as examples."""

    table: str
    """`queries` or `events`."""
    reason: str
    count: int
    examples: tuple[str, ...] = ()
    """Each with its file and line, where it has any."""
    kept: bool = False
    """Whether the rows stay in the log, and only a value of theirs was read as unknown."""


@dataclass(frozen=True)
class LeftOut:
    """What was left out of a log as the doing of programs; see `bots.without_bots`."""

    users: int
    searches: int
    events: int
    rules: str
    """Who was taken for a program."""
    can_tell: bool = True
    """Whether the log names users or sessions: otherwise nobody can be told apart."""

    def __str__(self) -> str:
        if not self.can_tell:
            return (
                "Programs are not left out: the log names neither users nor sessions, so that they "
                "cannot be told from people."
            )
        users, searches, events = (
            f"{number:,} {name if number == 1 else plural}"
            for number, name, plural in (
                (self.users, "user", "users"),
                (self.searches, "search", "searches"),
                (self.events, "event", "events"),
            )
        )
        return f"Left out as programs: {users}, with {searches} and {events} ({self.rules})."


@dataclass(frozen=True, eq=False)
class Log:
    """The result pages that users asked for, and what they did with them.

    `queries` has the columns of `QUERIES`, then `segments`; `events` has those of `EVENTS`. A
    column that the log does not have is there and all null, and `lacks` names it.
    """

    queries: ibis.Table
    events: ibis.Table
    lacks: frozenset[str] = frozenset()
    """Columns that the log does not have, as in `queries.latency_ms`."""
    segments: tuple[str, ...] = ()
    """Columns of `queries` by which metrics can be split, beside `variant`."""
    aside: tuple[Aside, ...] = ()
    merged: tuple[Aside, ...] = ()
    """Requests that share a query id, by what they are; of these, further pages are kept."""
    source: str = "log"
    format: str = "cleverdon"
    notes: tuple[str, ...] = ()
    """What the reader had to assume, in sentences."""
    rows: Mapping[str, int] = field(default_factory=dict)
    """How many rows of queries and of events were read, those set aside included.

    What only stands in for events that are missing is no row that was read."""
    without_bots: LeftOut | None = None
    """What was left out as the doing of programs; None where nobody asked for that."""

    @property
    def set_aside(self) -> int:
        """How many rows are not in the log, since they could not be used."""
        return sum(aside.count for aside in self.aside if not aside.kept)

    @property
    def unknown(self) -> int:
        """How many values cannot be right, and were read as unknown."""
        return sum(aside.count for aside in self.aside if aside.kept)

    @property
    def actors(self) -> list[str]:
        """What can say who searched: those of user, session and client that the log has."""
        return [name for name in ACTORS if self.has(f"queries.{name}")]

    @property
    def merged_requests(self) -> int:
        """How many rows are no search of their own, but a part of one that is in the log."""
        return sum(one.count for one in self.merged if not one.kept)

    @property
    def backend(self) -> Any:
        """The connection that the tables are of, on which every query runs."""
        return self.queries.get_backend()

    def has(self, *columns: str) -> bool:
        """Whether the log has all of these columns: `log.has("queries.user")`."""
        return self.lacks.isdisjoint(columns)

    def need(self, purpose: str, *columns: str) -> None:
        """Raise an InputError that names what `purpose` needs and the log does not have."""
        missing = [column for column in columns if column in self.lacks]
        if missing:
            told = "; ".join(f"{name}: {MEANINGS[name.split('.')[1]]}" for name in missing)
            raise InputError(
                f"{purpose} needs what this log does not have ({told}); a mapping file says which "
                "column holds it: --mapping FILE",
                source=self.source,
            )

    def split_by(self, column: str) -> str:
        """The column's name, once it is known that queries can be split by it."""
        known = (*self.segments, *(["variant"] if self.has("queries.variant") else []))
        if column not in known:
            hint = suggest(column, known) if known else "; it has no segment and no variant"
            raise InputError(f"the log has no segment {column!r}{hint}", source=self.source)
        return column


ACTORS: Mapping[str, str] = {"user": "u:", "session": "s:", "client": "c:"}
"""What says who searched, the first that is known; and the letter before ids of that kind."""


def actor_of(table: ibis.Table, *, user_of_session: Any = None) -> Any:
    """Who did it: the user; without one, the session; without one, the client; null for nobody.

    The letter in front keeps the kinds apart: user 7 is not session 7. `user_of_session` is a user
    to take before the session.
    """
    import ibis

    kinds = [prefix + table[name] for name, prefix in ACTORS.items()]
    if user_of_session is not None:
        kinds.insert(1, ACTORS["user"] + user_of_session)
    return ibis.coalesce(*kinds)


def with_actors(log: Log, name: str = "actor") -> ibis.Table:
    """The queries, with who made each, in a column of this name.

    A query without a user is of the user of its session, if that names exactly one: users who log
    in during a session are not two.
    """
    import ibis

    queries = log.queries
    only = None
    if log.has("queries.user", "queries.session"):
        session = ibis.window(group_by="session")
        first, last = queries.user.min().over(session), queries.user.max().over(session)
        only = ibis.ifelse(queries.session.notnull() & (first == last), first, ibis.null("string"))
    return queries.mutate(**{name: actor_of(queries, user_of_session=only)})


def named_by(table: ibis.Table) -> dict[str, int]:
    """How many `searches` a table has; for how many a user, a session or a client says who made
    them, and for how many `nothing` does."""
    kinds = {
        name: table.count(where=table.actor.startswith(prefix)) for name, prefix in ACTORS.items()
    }
    nothing = table.count(where=table.actor.isnull())
    counts = table.agg(searches=table.count(), nothing=nothing, **kinds)
    found: dict[str, int] = counts.to_pyarrow().to_pylist()[0]
    return found


def conformed(
    table: ibis.Table, columns: Mapping[str, str], *, segments: Iterable[str] = ()
) -> ibis.Table:
    """The table with just these columns, in order and of these types; null where it lacks one.

    >>> import ibis
    >>> raw = ibis.table({"query_id": "string", "time": "int32"}, name="raw")
    >>> conformed(raw, QUERIES).columns[:4]
    ('query_id', 'user', 'session', 'client')
    """
    import ibis

    def column(name: str, kind: str) -> Any:
        if name not in table.columns:
            return ibis.null(kind).name(name)
        return table[name].cast(kind).name(name)

    kinds = {**columns, **dict.fromkeys(segments, "string")}
    return table.select([column(name, kind) for name, kind in kinds.items()])
