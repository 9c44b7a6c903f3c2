"""A log's sources and its layout put together: canonical tables, and what was set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

from cleverdon.online.log import EVENTS, QUERIES, conformed
from cleverdon.online.reading import times
from cleverdon.online.reading.canonical import (
    LACKS_ZONE,
    LOWEST,
    ODD,
    PAGE,
    PROBLEM,
    SIZE,
    Made,
    made,
    matching,
)
from cleverdon.online.reading.spec import INDEX, Kind, Part, Rows
from cleverdon.online.reading.tables import BROKEN, FILE, RAW, Source, inside
from cleverdon.online.reading.values import Reading

if TYPE_CHECKING:
    import ibis

SAMPLE = 1_000
"""How many times are looked at to see in which unit they are."""
ORIGIN = "_source"
"""Which source a row came from."""

_numbers = count()


@dataclass(frozen=True)
class Rough:
    """Queries or events before rows are set aside."""

    kind: Kind
    table: ibis.Table
    whole: ibis.Table
    """The same with every row's own text, which `table` has only of rows to be shown."""
    segments: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Taken:
    """Rows of a source that are of a kind, ready to be made canonical."""

    rows: Rows
    source: Source
    number: int
    flat: ibis.Table
    first: bool
    """Whether they are the ones with which the source's broken rows are counted."""
    staged: bool
    """Whether the flat rows were copied."""


def copied(backend: Any, table: ibis.Table) -> ibis.Table:
    """The table as one that DuckDB holds, in memory or spilled to disk."""
    name = f"_copied_{next(_numbers)}"
    backend.raw_sql(f"CREATE TABLE {name} AS {backend.compile(table)}")
    return backend.table(name)


def taken(sources: Sequence[Source], pairs: Sequence[tuple[Rows, Source]]) -> list[Taken]:
    """The flat rows of every pair. A text file that several pairs read is taken apart once."""
    found: list[Taken] = []
    for number, source in enumerate(sources):
        own = [_with_others(rows, source) for rows, other in pairs if other is source]
        paths = {path for rows in own for path in rows.paths()} - {
            path for rows in own for path in rows.paths() if _is_within(path, rows.each)
        }
        if not own:
            continue
        flat = source.flat(paths)
        staged = source.copied and len(own) > 1
        if staged:
            flat = copied(source.backend, flat)
        found += [
            Taken(rows, source, number, flat, first=rows is own[0], staged=staged) for rows in own
        ]
    return found


def drop_staged(parts: Sequence[Taken]) -> None:
    """Forget the flat rows that were copied, once canonical rows have been made of them."""
    for flat in {id(part.flat): part.flat for part in parts if part.staged}.values():
        parts[0].source.backend.drop_table(flat.op().name)


def _is_within(path: str, each: Sequence[str]) -> bool:
    """Whether a path leads into an element of a list, and is not the list itself."""
    return path not in each and inside(path, each) is not None


def rough(kind: Kind, parts: Sequence[Taken]) -> Rough:
    """All rows of a kind, of whatever sources, as one table."""
    import ibis

    named = QUERIES if kind == "queries" else EVENTS
    notes: list[str] = []
    done = [(part, _made(part, notes)) for part in parts]
    segments = tuple(dict.fromkeys(name for _, one in done for name in one.segments))
    hidden = {PROBLEM: "string", LACKS_ZONE: "boolean", RAW: "string", FILE: "string"}
    odd = [ODD + name for name in LOWEST if any(ODD + name in one.table.columns for _, one in done)]
    hidden |= dict.fromkeys(odd, "string")
    if any(PAGE in one.table.columns for _, one in done):
        hidden[PAGE] = "int64"
    if any(SIZE in one.table.columns for _, one in done):
        hidden[SIZE] = "int64"
    tables = [
        conformed(one.table, {**named, **dict.fromkeys(segments, "string"), **hidden}).mutate(
            **{ORIGIN: ibis.literal(part.number)}
        )
        for part, one in done
    ]
    whole = ibis.union(*tables) if len(tables) > 1 else tables[0]
    table = whole
    if any(part.source.copied for part in parts):
        wrong = ibis.or_(*(table[name].notnull() for name in (PROBLEM, *odd)))
        shown = wrong.ifelse(table[RAW], None)
        table = copied(parts[0].source.backend, table.mutate(**{RAW: shown}))
    return Rough(kind, table, whole, segments, tuple(dict.fromkeys(notes)))


def _made(part: Taken, notes: list[str]) -> Made:
    rows, source, flat = part.rows, part.source, part.flat
    if BROKEN in flat.columns and not part.first:
        flat = flat.filter(~flat[BROKEN])
    if rows.each:
        if rows.each[0] not in flat.columns:
            flat = flat.limit(0)
        else:
            flat = source.expanded(flat, rows.each, rows.paths())
    fits = matching(flat, rows.where)
    if fits is not None:
        flat = flat.filter(fits)
    reading = Reading(flat, source.backend.name)
    reading = replace(reading, units=_units(rows, reading, notes))
    rows = _counted(rows, reading, notes)
    return made(reading, rows, broken=source.broken)


def _with_others(rows: Rows, source: Source) -> Rows:
    """The rows with every column that is nothing else as a segment, where that is asked for."""
    if not rows.other_segments:
        return rows
    others = sorted(source.plain() - set(QUERIES) - set(rows.paths()))
    return replace(rows, segments={name: (Part(path=name),) for name in others})


def _units(rows: Rows, reading: Reading, notes: list[str]) -> dict[str, str]:
    """The unit of each time that is a number and whose unit nobody told, by the size of some."""
    found: dict[str, str] = {}
    for part in rows.columns["time"]:
        if part.path is None or part.unit is not None:
            continue
        numbers = (_number(value) for value in reading.sample(part, SAMPLE))
        unit = times.guessed_unit(number for number in numbers if number is not None)
        if unit is None:
            continue
        found[part.path] = unit
        if (part.path, unit) != ("time", "ms"):  # which is what `Log` itself has
            notes.append(f"{rows.kind}.time: numbers in {part.path} are taken to be in {unit}")
    return found


def _counted(rows: Rows, reading: Reading, notes: list[str]) -> Rows:
    """The rows with positions counted from 0, where nobody said so and they plainly are.

    Whoever counts from 0 has the first result about as often as the second. A stray 0 among
    positions from 1 on is one that cannot be.
    """
    found = []
    for part in rows.columns.get("position", ()):
        if part.path and part.path != INDEX and part.start is None:
            numbers = [_number(value) for value in reading.sample(part, SAMPLE)]
            if 0 < numbers.count(1) <= 2 * numbers.count(0):
                notes.append(f"{rows.kind}.position: {part.path} is taken to count from 0")
                part = replace(part, start=0)
        found.append(part)
    return replace(rows, columns={**rows.columns, "position": tuple(found)}) if found else rows


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None
