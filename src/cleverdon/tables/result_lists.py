"""Results made of several: one below the other, records in one table, one table of a larger result.

A module of its own, since `cleverdon eval` needs none of them and creating a dataclass takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from cleverdon.errors import check_word
from cleverdon.tables.result import Result, as_json, write_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import FORMATS, TextTable, render_table

R = TypeVar("R")  # a record


@dataclass(frozen=True)
class Results(Result):
    """Several results of one kind, written one below the other; JSON is a list of them."""

    items: Sequence[Result]

    def table(self, section: str | None = None, **view: Any) -> TextTable:
        tables = [one.table(section, **view) for one in self.items]
        rows = [row for table in tables for row in table.rows]
        return replace(tables[0], rows=rows, marks={})

    def render(self, format: str = "table", **how: Any) -> str:
        check_word("format", format, (*FORMATS, "text"))
        if format == "json":
            return write_json([one.to_dict() for one in self.items])
        if format in ("csv", "tsv"):
            how = {name: value for name, value in how.items() if name not in ("styled", "width")}
            return render_table(self.table(**how), format)
        return "\n\n".join(one.render(format, **how) for one in self.items)

    def _repr_html_(self) -> str:
        return "\n".join(one._repr_html_() for one in self.items)


@dataclass(frozen=True, eq=False)
class OneTable(Result):
    """One table of a larger result."""

    name: str
    grid: Callable[..., TextTable]  # given `exact`
    record: Callable[[], dict[str, Any]]  # for JSON

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the table."""
        return [Section(self.name, self.grid(exact=exact), titled=False)]

    def to_dict(self) -> dict[str, Any]:
        return self.record()


@dataclass(frozen=True)
class RecordList(Result, Generic[R]):
    """Records of one kind in one table: a sequence of them, and in JSON a list."""

    items: tuple[R, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[R]:
        return iter(self.items)

    def __getitem__(self, at: int) -> R:
        return self.items[at]

    def to_records(self) -> list[dict[str, Any]]:
        """Return the records as plain values that JSON can hold."""
        return [as_json(one) for one in self.items]

    def render(self, format: str = "table", **how: Any) -> str:
        if format == "json":
            return write_json(self.to_records())
        return super().render(format, **how)
