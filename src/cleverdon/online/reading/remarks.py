"""What is to be said of a log that was read: what it lacks, and which rows it passed over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cleverdon.online.reading.assemble import Taken
from cleverdon.online.reading.canonical import matching
from cleverdon.online.reading.spec import Rows
from cleverdon.online.reading.tables import inside

if TYPE_CHECKING:
    import ibis

SAMPLE = 1_000
"""How many rows are looked at before all of them are."""


def lacking(kind: str, table: ibis.Table | None, columns: Iterable[str]) -> frozenset[str]:
    """The columns that are null in every row; all of them where there is no table."""
    unseen = list(columns)
    for some in (table.limit(SAMPLE), table) if table is not None else ():
        if not unseen:
            break
        seen = some.aggregate(**{name: some[name].notnull().any() for name in unseen})
        (found,) = seen.to_pyarrow().to_pylist()
        unseen = [name for name in unseen if not found[name]]
    return frozenset(f"{kind}.{name}" for name in unseen)


def _looks_inside(rows: Rows) -> bool:
    """Whether a condition is about elements of a list, which not every row has."""
    return any(inside(condition.path, rows.each) for condition in rows.where)


def passed_over(parts: Sequence[Taken]) -> tuple[str, ...]:
    """How many rows of a source are neither queries nor events, by what the layout says."""
    import ibis

    notes: list[str] = []
    for source in dict.fromkeys(part.source for part in parts):
        own = [part for part in parts if part.source is source]
        if any(not part.rows.where or _looks_inside(part.rows) for part in own):
            continue
        flat = own[0].flat
        fits = [fit for part in own if (fit := matching(flat, part.rows.where)) is not None]
        # Of a table without the columns that are asked about, it is the same for all rows.
        others = flat.count(where=~ibis.or_(*fits))
        count = flat.aggregate(n=others).to_pyarrow()["n"][0].as_py()
        if count:
            notes.append(f"rows of {source.name} that are neither queries nor events: {count:,}")
    return tuple(notes)
