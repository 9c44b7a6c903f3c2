"""Tables that know their types: Parquet files, and tables of DuckDB, Spark and other engines.

Nothing of them is copied: a path into a column is an expression that the engine evaluates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cleverdon.online.reading.spec import INDEX, Kind
from cleverdon.online.reading.tables import inside, shortened

if TYPE_CHECKING:
    import ibis


class Typed:
    """A table of an engine."""

    copied = False
    broken = ""

    def __init__(self, table: ibis.Table, role: Kind | None, backend: Any, *, name: str) -> None:
        self.table, self.role, self.backend, self.name = table, role, backend, name

    def paths(self) -> frozenset[str]:
        found: set[str] = set()
        for name, kind in self.table.schema().items():
            _add_paths(name, kind, found)
        return frozenset(found)

    def plain(self) -> frozenset[str]:
        kinds = self.table.schema().items()
        return frozenset(name for name, kind in kinds if not kind.is_nested())

    def has(self, path: str) -> bool:
        return path == INDEX or _resolved(self.table, path) is not None

    def flat(self, paths: Iterable[str]) -> ibis.Table:
        made = {path: _resolved(self.table, path) for path in sorted({*paths})}
        columns = [value.name(path) for path, value in made.items() if value is not None]
        return self.table.select(columns)

    def expanded(self, flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
        first, *others = each
        rows = flat.unnest(first, offset=INDEX)
        made: dict[str, Any] = {
            name: rows[name][rows[INDEX]] for name in others if name in rows.columns
        }
        rows = rows.mutate(**{INDEX: rows[INDEX] + 1, **made})
        within = [path for path in {*paths} if inside(path, each) and path not in each]
        found = {path: _resolved(rows, path) for path in within}
        return rows.mutate(**{path: value for path, value in found.items() if value is not None})

    def rejected(self) -> list[tuple[str, int, list[str]]]:
        return []

    def located(self, rows: Sequence[tuple[str | None, str]]) -> list[str]:
        return [f"{self.name}: {shortened(row)}" for _, row in rows]


def _add_paths(path: str, kind: Any, found: set[str]) -> None:
    found.add(path)
    if kind.is_array():
        kind = kind.value_type
    if kind.is_struct():
        for name, inner in kind.items():
            _add_paths(f"{path}.{name}", inner, found)


def _resolved(table: ibis.Table, path: str) -> Any | None:
    """The value at a path: a column of that name, or a field of one that holds fields."""
    if path in table.columns:
        return table[path]
    steps = path.split(".")
    for length in range(len(steps) - 1, 0, -1):
        name = ".".join(steps[:length])
        if name in table.columns:
            return field_of(table[name], steps[length:])
    return None


def field_of(value: Any, steps: Sequence[str]) -> Any | None:
    """What a value that holds fields, or JSON, has there; None where it cannot have it."""
    kind = value.type()
    if not steps:
        return value
    if kind.is_struct():
        return field_of(value[steps[0]], steps[1:]) if steps[0] in kind.names else None
    if kind.is_map():
        return field_of(value.get(steps[0]), steps[1:])
    if kind.is_string():
        value, kind = value.try_cast("json"), None
    if kind is None or kind.is_json():
        for step in steps:
            value = value[step]
        # A JSON string loses its quotes; anything else is shown as it is written.
        return value.str.coalesce(value.cast("string").nullif("null"))
    return None
