"""Facts about a log for the checks: derived tables, filled columns, supported metrics.

Each table is scanned once for all checks, by the engine that holds the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import ibis
from ibis import Table

from cleverdon.logs.bots import searcher_activity
from cleverdon.logs.doctor.diagnosis import Limits, Size, Support, Verdict
from cleverdon.logs.log import ACTIONS, QUERIES, Log, actor_counts, with_actors
from cleverdon.logs.metrics.base import Metric
from cleverdon.logs.sql import zero_or_one


def _acts(log: Log, limits: Limits) -> Table:
    """Return every event with the time, user and results of its page."""
    pages = log.queries.select(
        page_id="query_id", asked="time", asked_by="user", page="page", results="results"
    )
    return log.events.left_join(pages, log.events.query_id == pages.page_id)


def _clicks(log: Log, limits: Limits) -> Table:
    """Return every click with the time at which its result was shown, or null."""
    # A result is identified by its document, or else by its position.
    events = log.events.filter(log.events.query_id.notnull())
    clicks = events.filter(events.action == "click")
    shown = events.filter(events.action == "impression")
    # Impressions on other pages would only make the tables large.
    shown = shown.semi_join(clicks.select("query_id"), "query_id")
    pages = shown.group_by(shown_page=shown.query_id).agg(shown_results=shown.count())
    by_doc = shown.filter(shown.doc.notnull())
    by_doc = by_doc.group_by(doc_page=by_doc.query_id, shown_doc=by_doc.doc).agg(
        doc_shown=by_doc.time.min()
    )
    by_place = _by_place(clicks, shown)
    joined = clicks.left_join(pages, clicks.query_id == pages.shown_page)
    joined = joined.left_join(
        by_doc, [joined.query_id == by_doc.doc_page, joined.doc == by_doc.shown_doc]
    )
    joined = joined.left_join(
        by_place,
        [joined.query_id == by_place.place_page, joined.position == by_place.shown_position],
    )
    in_place = ibis.ifelse(joined.doc.isnull(), joined.place_shown, joined.nameless_shown)
    return joined.select(
        *clicks.columns,
        shown_results=joined.shown_results.fill_null(0),
        shown=joined.doc_shown.coalesce(in_place),
    ).cache()  # because it is slow, and examples need it again


def _by_place(clicks: Table, shown: Table) -> Table:
    """Return the time at which each position was shown, for clicks that name no document."""
    nameless = clicks.filter(clicks.doc.isnull()).select("query_id")
    named = shown.filter(shown.doc.notnull()).semi_join(nameless, "query_id")
    places = shown.filter(shown.doc.isnull()).union(named)
    places = places.filter(places.position.notnull())
    return places.group_by(place_page=places.query_id, shown_position=places.position).agg(
        place_shown=places.time.min(), nameless_shown=places.time.min(where=places.doc.isnull())
    )


def _shown(log: Log, limits: Limits) -> Table:
    """Return every page with impressions, with their first and last position."""
    events = log.events
    shown = events.filter(events.action == "impression", events.position.notnull())
    return shown.group_by("query_id").agg(
        impressions=shown.count(),
        first_position=shown.position.min(),
        last_position=shown.position.max(),
    )


def _dwells(log: Log, limits: Limits) -> Table:
    """Return every click with a dwell time, and the time until the person's next action."""
    pages = with_actors(log).select("query_id", "time", person="actor")
    events = log.events
    clicks = events.filter(events.action == "click")
    clicks = clicks.join(
        pages.select(page_id="query_id", person="person"), clicks.query_id == pages.query_id
    ).select("query_id", "time", "person", "doc", "dwell_ms")
    searches = pages.mutate(doc=ibis.null("string"), dwell_ms=ibis.null("int64"))
    both = clicks.union(searches.select(*clicks.columns))
    both = both.filter(both.person.notnull())
    following = both.time.lead().over(group_by="person", order_by=["time", "query_id"])
    both = both.mutate(until_next_ms=following - both.time)
    return both.filter(both.dwell_ms.notnull() & both.until_next_ms.notnull())


def _assigned(log: Log, limits: Limits) -> Table:
    """Return every person who saw a variant: the first and last variant by name, and since when."""
    queries = with_actors(log).rename(person="actor")
    queries = queries.filter(queries.person.notnull(), queries.variant.notnull())
    return queries.group_by("person").agg(
        variant=queries.variant.min(),
        another=queries.variant.max(),
        since=queries.time.min(),
        searches=queries.count(),
    )


def _sessions(log: Log, limits: Limits) -> Table:
    queries = log.queries.filter(log.queries.session.notnull())
    return queries.group_by("session").agg(
        searches=queries.count(),
        user=queries.user.min(),
        another=queries.user.max(),
        first=queries.time.min(),
        last=queries.time.max(),
    )


def _sittings(log: Log, limits: Limits) -> Table:
    """Return runs of searches without a pause, by persons who searched very often."""
    asked = with_actors(log).select("query_id", "time", person="actor")
    asked = asked.filter(asked.person.notnull())
    everything = asked.count().over(ibis.window(group_by="person"))
    asked = asked.mutate(all=everything)
    asked = asked.filter(asked.all > limits.session_searches)
    order = {"group_by": "person", "order_by": ["time", "query_id"]}
    asked = asked.mutate(gap=asked.time - asked.time.lag().over(**order))
    starts = zero_or_one((asked.gap > limits.idle_ms).fill_null(True))
    asked = asked.mutate(starts=starts)
    asked = asked.mutate(sitting=asked.starts.sum().over(ibis.window(**order, following=0)))
    return asked.group_by("person", "sitting").agg(
        searches=asked.count(), first=asked.time.min(), last=asked.time.max()
    )


_CHECK_TABLES: Mapping[str, Callable[[Log, Limits], Table]] = {
    "queries": lambda log, _: log.queries,
    "acts": _acts,
    "clicks": _clicks,
    "shown": _shown,
    "dwells": _dwells,
    # Cached, because it is slow and several checks use it.
    "persons": lambda log, limits: searcher_activity(log, limits.bots).cache(),
    "assigned": _assigned,
    "sessions": _sessions,
    "sittings": _sittings,
}


_MOST_ACTIONS = 1000  # with more kinds of actions, the column holds ids

_OF_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "doc": ("impression", "click"),
    "position": ("impression", "click"),
    "dwell_ms": ("click",),
}
"""Columns that only events with these actions should have."""


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """The number of filled rows of a column, and its value if it is constant."""

    rows: int  # the rows that should have a value
    nulls: int
    constant: Any = None  # the value, if it is the same in all rows

    @property
    def share(self) -> float:
        return self.nulls / self.rows if self.rows else 0.0


def fetch_rows(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pyarrow().to_pylist()
    return rows


@dataclass(eq=False)
class LogFacts:
    """A log with its derived tables and counts, each made when it is first needed."""

    log: Log
    limits: Limits
    counts: dict[str, Any] = field(default_factory=dict)  # the counts of row checks, by table
    _tables: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        if name not in self._tables:
            self._tables[name] = _CHECK_TABLES[name](self.log, self.limits)
        return self._tables[name]

    @cached_property
    def named_by(self) -> dict[str, int]:
        return actor_counts(with_actors(self.log))

    @cached_property
    def size(self) -> Size:
        row = self._queries
        return Size(
            searches=row["rows"],
            users=row["users"] if self.log.has("queries.user") else None,
            actions={name: one["rows"] for name, one in self._actions.items()},
            first=row["first"],
            last=row["last"],
        )

    def done(self, action: str) -> int:
        return self.size.actions.get(action, 0)

    @cached_property
    def repeated_ids(self) -> int:
        """The number of searches that have the query id of another."""
        row = self._queries
        filled: int = row["rows"] - row["null_query_id"]
        return filled - int(row["ids"])

    @cached_property
    def columns(self) -> dict[str, ColumnFacts]:
        """Every column that the log has, except those that are always filled."""
        log = self.log
        names = [*(name for name in QUERIES if name not in ("query_id", "time")), *log.segments]
        found = {
            f"queries.{name}": _together(name, [self._queries])
            for name in names
            if log.has(f"queries.{name}")
        }
        events = list(self._actions.values())
        if log.has("events.query_id"):
            nulls = sum(row["null_query_id"] for row in events)
            found["events.query_id"] = ColumnFacts(rows=self.size.events, nulls=nulls)
        for name, actions in _OF_ACTIONS.items():
            if log.has(f"events.{name}"):
                rows = [self._actions[action] for action in actions if action in self._actions]
                found[f"events.{name}"] = _together(name, rows)
        return found

    @cached_property
    def _queries(self) -> dict[str, Any]:
        queries = self.log.queries
        wanted: dict[str, Any] = {
            "rows": queries.count(),
            "users": queries.user.nunique(),
            "ids": queries.query_id.nunique(),
            "first": queries.time.min(),
            "last": queries.time.max(),
        }
        (row,) = fetch_rows(queries.agg(**wanted, **_nulls_and_ends(queries, queries.columns)))
        return row

    @cached_property
    def _actions(self) -> dict[str, dict[str, Any]]:
        events = self.log.events
        wanted = _nulls_and_ends(events, ("query_id", *_OF_ACTIONS))
        table = events.group_by("action").agg(rows=events.count(), **wanted)
        rows = fetch_rows(table.order_by(table.rows.desc(), "action").limit(_MOST_ACTIONS))
        return {row["action"]: row for row in rows}

    def unknown_actions(self) -> dict[str, int]:
        return {name: n for name, n in self.size.actions.items() if name not in ACTIONS}


def _nulls_and_ends(table: Table, names: Iterable[str]) -> dict[str, Any]:
    wanted = {}
    for name in names:
        column = table[name]
        wanted[f"null_{name}"] = table.count(where=column.isnull())
        wanted[f"low_{name}"], wanted[f"high_{name}"] = column.min(), column.max()
    return wanted


def _together(name: str, rows: list[dict[str, Any]]) -> ColumnFacts:
    nulls = sum(row[f"null_{name}"] for row in rows)
    ends = {row[f"{end}_{name}"] for row in rows for end in ("low", "high")}
    return ColumnFacts(
        rows=sum(row["rows"] for row in rows),
        nulls=nulls,
        constant=next(iter(ends)) if len(ends) == 1 and not nulls else None,
    )


def metric_support(metric: Metric, facts: LogFacts) -> Support:
    needs = list(metric.needs)
    if metric.needs_persons and not facts.log.actors:
        needs.append("queries.user")
    columns = [name for name in (*needs, *metric.wants) if name in facts.columns]
    shares = {name: facts.columns[name].share for name in columns}
    missing = [name for name in needs if not facts.log.has(name) or shares.get(name) == 1]
    actions: tuple[str, ...] = ()
    if not missing and "events.action" in metric.needs:
        wanted = ("click", "impression") if "impression" in metric.uses else ("click",)
        actions = tuple(action for action in wanted if not facts.done(action))
    nulls = {name: share for name, share in shares.items() if 0 < share < 1}
    stand_ins = {}
    if metric.of_sessions and facts.log.actors and facts.size.searches:
        named = {name: n / facts.size.searches for name, n in facts.named_by.items()}
        if named["nothing"]:
            nulls[f"queries.{'/'.join(facts.log.actors)}"] = named["nothing"]
        stand_ins = {name: named[name] for name in ("session", "client") if named[name]}
    verdict: Verdict = "no" if missing or actions else "partly" if nulls else "yes"
    return Support(
        metric=str(metric),
        verdict=verdict,
        missing=tuple(missing),
        nulls=nulls,
        stand_ins=stand_ins,
        lacks_actions=actions,
    )
