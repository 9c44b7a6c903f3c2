"""What is known of a log as a whole: looked up once, a scan of each table, for all checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cleverdon.online.doctor.findings import Size
from cleverdon.online.doctor.limits import Limits
from cleverdon.online.doctor.tables import TABLES
from cleverdon.online.log import ACTIONS, QUERIES, Log, named_by, with_actors

if TYPE_CHECKING:
    from ibis import Table

MOST_ACTIONS = 1000
"""More kinds of actions are not told apart: an id has got into their column then."""

OF_ACTIONS: Mapping[str, tuple[str, ...]] = {
    "doc": ("impression", "click"),
    "position": ("impression", "click"),
    "dwell_ms": ("click",),
}
"""Columns of events that only some of them are to have."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """How much of a column is filled, and whether it ever says something else."""

    rows: int
    """Those that are to have a value."""
    nulls: int
    constant: Any = None
    """The one value that all rows have, if they do."""

    @property
    def share(self) -> float:
        """The share of rows without a value."""
        return self.nulls / self.rows if self.rows else 0.0


def asked(table: Table) -> list[dict[str, Any]]:
    """The rows of a small answer."""
    rows: list[dict[str, Any]] = table.to_pyarrow().to_pylist()
    return rows


@dataclass(eq=False)
class Facts:
    """A log and what is known of it so far."""

    log: Log
    limits: Limits
    counts: dict[str, Any] = field(default_factory=dict)
    """What checks of rows have counted, by table."""
    _tables: dict[str, Table] = field(default_factory=dict)

    def table(self, name: str) -> Table:
        """One of `TABLES`, of this log."""
        if name not in self._tables:
            self._tables[name] = TABLES[name](self.log, self.limits)
        return self._tables[name]

    @property
    def knows_persons(self) -> bool:
        return bool(self.log.actors)

    @cached_property
    def named_by(self) -> dict[str, int]:
        """How many searches are known by a user, a session, a client or nothing."""
        return named_by(with_actors(self.log))

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
        """How often this was done."""
        return self.size.actions.get(action, 0)

    @cached_property
    def repeated_ids(self) -> int:
        """How many searches have the query id of another."""
        row = self._queries
        filled: int = row["rows"] - row["null_query_id"]
        return filled - int(row["ids"])

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Every column that the log has, but for those that are always filled."""
        log = self.log
        names = [*(name for name in QUERIES if name not in ("query_id", "time")), *log.segments]
        found = {
            f"queries.{name}": self._column(name) for name in names if log.has(f"queries.{name}")
        }
        events = list(self._actions.values())
        if log.has("events.query_id"):
            nulls = sum(row["null_query_id"] for row in events)
            found["events.query_id"] = Column(rows=self.size.events, nulls=nulls)
        for name, actions in OF_ACTIONS.items():
            if log.has(f"events.{name}"):
                rows = [self._actions[action] for action in actions if action in self._actions]
                found[f"events.{name}"] = _together(name, rows)
        return found

    def _column(self, name: str) -> Column:
        row = self._queries
        same = row[f"low_{name}"] == row[f"high_{name}"] and not row[f"null_{name}"]
        return Column(
            rows=row["rows"],
            nulls=row[f"null_{name}"],
            constant=row[f"low_{name}"] if same else None,
        )

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
        for name in queries.columns:
            column = queries[name]
            wanted[f"null_{name}"] = queries.count(where=column.isnull())
            wanted[f"low_{name}"], wanted[f"high_{name}"] = column.min(), column.max()
        (row,) = asked(queries.agg(**wanted))
        return row

    @cached_property
    def _actions(self) -> dict[str, dict[str, Any]]:
        events = self.log.events
        wanted: dict[str, Any] = {"rows": events.count()}
        for name in ("query_id", *OF_ACTIONS):
            column = events[name]
            wanted[f"null_{name}"] = events.count(where=column.isnull())
            wanted[f"low_{name}"], wanted[f"high_{name}"] = column.min(), column.max()
        table = events.group_by("action").agg(**wanted)
        rows = asked(table.order_by(table.rows.desc(), "action").limit(MOST_ACTIONS))
        return {row["action"]: row for row in rows}

    def unknown_actions(self) -> dict[str, int]:
        """Actions that no metric looks for, and how often each is there."""
        return {name: n for name, n in self.size.actions.items() if name not in ACTIONS}


def _together(name: str, rows: list[dict[str, Any]]) -> Column:
    """A column of events, over several actions."""
    nulls = sum(row[f"null_{name}"] for row in rows)
    ends = {row[f"{end}_{name}"] for row in rows for end in ("low", "high")}
    return Column(
        rows=sum(row["rows"] for row in rows),
        nulls=nulls,
        constant=next(iter(ends)) if len(ends) == 1 and not nulls else None,
    )
