"""Which column of a log is what: the one mechanism of built-in formats and of mapping files.

A `Layout` says how canonical rows are made of a log's tables. It is a handful of `Rows`, each of
which makes queries or events of one table, and says of every canonical column where it comes from,
as `Part`s: the first part that has a value counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["queries", "events"]

INDEX = "#"
"""The path of an element's place in the list that `each` names, from 1."""

REQUEST = ("size", "offset")
"""What a section says of a request beside the canonical columns: how many results it asked for,
and how many it skipped. A request for 0 results is one for facets; both make the page."""

LINE = "line"
"""The one column of a log of plain lines."""


@dataclass(frozen=True)
class Part:
    """One place where a value may come from, and how it is read."""

    path: str | None = None
    """A column, or a path into one: `query_attributes.latency`."""
    constant: str | None = None
    """The same for all rows."""
    joined: tuple[str, ...] = ()
    """Several paths as one value, with `glue` between them; null where one of them is."""
    glue: str = "-"
    numbered: bool = False
    """The number of the row, for logs that have no ids."""
    key: str | None = None
    """The column holds a JSON object, as text or as fields, and this key of it counts."""
    pattern: str | None = None
    """A regular expression; its first group is the value."""
    decode: Literal["url", "json"] | None = None
    """What the text is written in: percent signs of a URL, or the escapes of a JSON string."""
    counted: bool = False
    """The value is a list, and what counts is how many elements it has."""
    words: bool = False
    """The value is a list of words, to be joined by spaces."""
    start: int | None = None
    """What the log counts positions and pages from, 1 or 0; of positions it is seen."""
    unit: str | None = None
    """Of times and durations: s, ms, us or ns. That of times is guessed where it is not told."""
    timezone: str | None = None
    """Of times that have no zone of their own."""

    def paths(self) -> tuple[str, ...]:
        return ((self.path,) if self.path else ()) + self.joined


@dataclass(frozen=True)
class Condition:
    """What a row must be like to count: one of `values`, none of them, or just present."""

    path: str
    values: tuple[str, ...] = ()
    negated: bool = False
    present: bool | None = None


@dataclass(frozen=True)
class Rows:
    """How queries or events are made of the rows of one table."""

    kind: Kind
    columns: Mapping[str, tuple[Part, ...]]
    segments: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    other_segments: bool = False
    """Every column of the table that is nothing else is a segment."""
    table: Kind = "queries"
    """Which of a log's two tables they are read from, where it has two."""
    known_by: frozenset[str] = frozenset()
    """The columns of a table by which these rows are recognised; `-name` is one it has not."""
    where: tuple[Condition, ...] = ()
    each: tuple[str, ...] = ()
    """Lists of equal length, a row for each of their elements."""
    actions: Mapping[str, str] = field(default_factory=dict)
    """Names of actions in the log, and what they are called here."""
    attach: bool = False
    """Events without a query id belong to the last search before them."""
    pages_share_id: bool = False
    """All pages of a query have one id."""
    from_events: tuple[str, ...] = ()
    """Columns of queries that are taken from the events of the same query where they are null."""
    unless: str | None = None
    """These rows count only where no others have this action."""

    def known(self, paths: Collection[str]) -> bool:
        """Whether a table with these paths has rows of this kind."""
        return all(
            path[1:] not in paths if path.startswith("-") else path in paths
            for path in self.known_by
        )

    def paths(self) -> Iterator[str]:
        """Every path that is read, those of conditions and lists included."""
        for parts in (*self.columns.values(), *self.segments.values()):
            for part in parts:
                yield from part.paths()
        yield from (condition.path for condition in self.where)
        yield from self.each


@dataclass(frozen=True)
class Layout:
    """How a whole log is read."""

    name: str
    rows: tuple[Rows, ...]
    strict: bool = False
    """Whether a path that the table does not have is an error: it is in mapping files."""
    source: str = ""
    """The mapping file, for messages."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """On which line of the mapping file a path is named."""
    notes: tuple[str, ...] = ()

    def of(self, kind: Kind) -> tuple[Rows, ...]:
        return tuple(rows for rows in self.rows if rows.kind == kind)
