"""Read a search log: choose its layout, pair rows with sources, and name missing columns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ibis

from cleverdon._common.extras import require
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.logs.bots import without_bots as exclude_bots
from cleverdon.logs.calendar import find_time_zone
from cleverdon.logs.log import EVENTS, QUERIES, Log, LogSource
from cleverdon.logs.reading.assembly import (
    ID,
    FlatRows,
    UsableRows,
    assign_pages,
    attach_events,
    collect_rows,
    drop_staged,
    events_of_kept_rows,
    events_of_searches,
    fill_from_events,
    flatten_sources,
    no_events,
    set_aside,
)
from cleverdon.logs.reading.formats import find_format, formats
from cleverdon.logs.reading.locations import Location, find_location, input_errors
from cleverdon.logs.reading.mapping import LINE, Layout, RowMapping, TableKind, load_mapping
from cleverdon.logs.reading.parsing import PAGE, matches_conditions
from cleverdon.logs.reading.sources import LineFiles, Source, containing_list, first_lines


@shows_progress("reading the log")
def read_log(
    *sources: Any,
    format: str | None = None,
    mapping: str | Path | Mapping[str, Any] | None = None,
    timezone: str | None = None,
    queries: str | None = None,
    events: str | None = None,
    connection: Any = None,
    memory: str | None = None,
    without_bots: bool = False,
    progress: Progress | bool | None = None,
) -> Log:
    """Read a search log from files, folders, or the tables of a database.

    Args:
        sources: Files (Parquet, JSON lines, JSON, CSV, TSV, plain lines; compressed by gzip or
            not), a folder with files named `queries*` and `events*`, a DuckDB file, or one
            connection string of Ibis. Or the table of queries, and that of events, as lists of
            dicts or data frames; one table may hold both.
        format: The format of the log, such as "ubi"; by default it is detected by the columns.
        mapping: A YAML or TOML file, or a dictionary, that says which column holds what.
        timezone: The time zone of times that have none; by default UTC.
        queries: The table of queries, if the source is a database.
        events: The table of events, if the source is a database.
        connection: A connected Ibis backend, for example to Spark, in place of sources.
        memory: The memory that DuckDB may use before it writes to disk, such as "4GB"; by default
            four fifths of the machine's.
        without_bots: Exclude bots; see `cleverdon.logs.bots.without_bots`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The log. `Log.aside` counts the rows that could not be used, with examples.

    Raises:
        InputError: The log is of no known format, or lacks a column that the mapping names.

    >>> from cleverdon.logs.generator.writer import generate_log
    >>> from tempfile import TemporaryDirectory
    >>> first = {"query_id": "q1", "user": "ann", "time": "2026-03-01 09:00", "text": "hats"}
    >>> read_log([first]).has("events.doc")
    False
    >>> with TemporaryDirectory() as folder:
    ...     truth = generate_log(folder, events=500)
    ...     log = read_log(folder)
    ...     log.queries.count().to_pyarrow().as_py() == truth.query_rows
    True
    """
    progress = as_callback(progress)
    progress("reading the log")
    require("duckdb", "reading logs", package="ibis-framework", extra="logs")
    require("ibis", "reading logs", package="ibis-framework", extra="logs")
    if format is not None and mapping is not None:
        raise OptionError(
            "format (--log-format) and mapping (--mapping) both map the columns of the log: give "
            "one of them"
        )
    if timezone is not None:
        find_time_zone(timezone)  # refuses one that does not exist
    first = next(iter(sources), "log")
    with input_errors(str(first) if isinstance(first, (str, os.PathLike)) else "tables"):
        place = find_location(
            sources, queries=queries, events=events, connection=connection, memory=memory
        )
        layout = _choose_layout(place, format=format, mapping=mapping)
        if timezone is not None:
            layout = _with_time_zone(layout, timezone)
        log = _build_log(place, layout)
    return exclude_bots(log).log if without_bots else log


def as_log(given: LogSource) -> Log:
    """Return a log as it is, or read it: from a file or folder, or from several."""
    if isinstance(given, Log):
        return given
    return read_log(*([given] if isinstance(given, (str, os.PathLike)) else given), progress=False)


def _choose_layout(
    place: Location, *, format: str | None, mapping: str | Path | Mapping[str, Any] | None
) -> Layout:
    """Choose the given layout, or the first format that recognises a source."""
    if mapping is not None:
        return load_mapping(mapping)
    if format is not None:
        return find_format(format).layout()
    for cls in formats().values():
        if any(cls.recognises(source.paths(), _plain_lines(source)) for source in place.sources):
            return cls.layout()
    known = ", ".join(formats())
    raise InputError(
        f"the format of this log is not known ({_seen_columns(place)}); name one of {known} by "
        "format='ubi', on the command line --log-format ubi, or say which column is what in a "
        "mapping file, mapping='FILE' or --mapping FILE:\n"
        "    queries:\n      query_id: COLUMN\n      time: COLUMN\n      text: COLUMN\n"
        "    events:\n      query_id: COLUMN\n      time: COLUMN\n      action: COLUMN",
        source=place.name,
    )


def _seen_columns(place: Location) -> str:
    columns = sorted(
        {path.partition(".")[0] for source in place.sources for path in source.paths()}
    )
    if columns == [LINE]:
        return "lines of plain text"
    if not columns and all(isinstance(source, LineFiles) for source in place.sources):
        return "none of its first lines is a JSON object"
    return f"columns: {', '.join(columns[:20]) or 'none'}"


def _plain_lines(source: Source) -> list[str]:
    if isinstance(source, LineFiles) and source.paths() == {LINE}:
        return first_lines(source.files[0])
    return []


def _pair_rows(place: Location, layout: Layout) -> list[tuple[RowMapping, Source]]:
    pairs = [
        (rows, source)
        for rows in layout.rows
        for source in place.sources
        if source.role in (None, rows.table) and _row_fits(rows, source, layout, place)
    ]
    if not any(rows.kind == "queries" for rows, _ in pairs):
        first = layout.of("queries")[0]
        known = {path for path in first.known_by if not path.startswith("-")}
        needed = sorted(known or set(_needed_columns(first)))
        raise InputError(
            f"no table has queries of the format {layout.name!r}; they would have the columns "
            f"{', '.join(needed)}",
            source=place.name,
        )
    if layout.strict:
        for rows, source in pairs:
            _check_columns(rows, source, layout)
    return pairs


def _needed_columns(rows: RowMapping) -> list[str]:
    wanted = ("query_id", "time") if rows.kind == "queries" else ("time", "action")
    return [path for name in wanted for part in rows.columns[name] for path in part.paths()]


def _row_fits(rows: RowMapping, source: Source, layout: Layout, place: Location) -> bool:
    if rows.known_by:
        return rows.known(source.paths())
    if len(place.sources) == 1 or source.role is not None:
        return True
    return all(path in source.paths() for path in _needed_columns(rows))


def _check_columns(rows: RowMapping, source: Source, layout: Layout) -> None:
    for path in dict.fromkeys(rows.paths()):
        if not source.has(path):
            raise InputError(
                f"{source.name} has no column {path!r}{suggest(path, sorted(source.paths()))}",
                source=layout.source,
                line=layout.lines.get(path),
            )


_SAMPLED_ROWS = 1_000  # rows that are looked at before all of them are


def _missing_columns(kind: str, table: ibis.Table | None, columns: Iterable[str]) -> frozenset[str]:
    """Return the columns that are null in every row; all of them without a table."""
    unseen = list(columns)
    for some in (table.limit(_SAMPLED_ROWS), table) if table is not None else ():
        if not unseen:
            break
        seen = some.aggregate(**{name: some[name].notnull().any() for name in unseen})
        (found,) = seen.to_pyarrow().to_pylist()
        unseen = [name for name in unseen if not found[name]]
    return frozenset(f"{kind}.{name}" for name in unseen)


def _ignored_rows(parts: Sequence[FlatRows]) -> tuple[str, ...]:
    """Count the rows of each source that are neither queries nor events."""
    notes: list[str] = []
    for source in dict.fromkeys(part.source for part in parts):
        own = [part for part in parts if part.source is source]
        # Conditions on elements of a list do not apply to every row.
        if any(
            not part.rows.where
            or any(containing_list(one.path, part.rows.each) for one in part.rows.where)
            for part in own
        ):
            continue
        flat = own[0].flat
        fits = [
            fit for part in own if (fit := matches_conditions(flat, part.rows.where)) is not None
        ]
        # Of a table without the columns that are asked about, it is the same for all rows.
        others = flat.count(where=~ibis.or_(*fits))
        count = flat.aggregate(n=others).to_pyarrow()["n"][0].as_py()
        if count:
            notes.append(f"rows of {source.name} that are neither queries nor events: {count:,}")
    return tuple(notes)


def _with_time_zone(layout: Layout, zone: str) -> Layout:
    """Set the zone of times without one, unless the layout names a zone."""

    def placed(rows: RowMapping) -> RowMapping:
        parts = tuple(
            part if part.timezone else replace(part, timezone=zone) for part in rows.columns["time"]
        )
        return replace(rows, columns={**rows.columns, "time": parts})

    return replace(layout, rows=tuple(placed(rows) for rows in layout.rows))


def _build_log(place: Location, layout: Layout) -> Log:
    parts = flatten_sources(place.sources, _pair_rows(place, layout))
    queries = _read_table("queries", [part for part in parts if part.rows.kind == "queries"], place)
    found = _read_events([part for part in parts if part.rows.kind == "events"], place, queries)
    events = found or UsableRows(no_events(queries.table))
    asked, done, left_out = _related(queries, events, [part.rows for part in parts])
    over = _ignored_rows(parts)
    drop_staged(parts)
    return Log(
        asked,
        done,
        lacks=_missing_columns("queries", asked, QUERIES)
        | _missing_columns("events", done if found else None, EVENTS),
        segments=queries.segments,
        aside=queries.aside + events.aside,
        merged=queries.merged,
        source=place.name,
        format=layout.name,
        notes=(*layout.notes, *over, *queries.notes, *events.notes, *left_out),
        rows={"queries": queries.rows, "events": events.rows},
    )


def _related(
    queries: UsableRows, events: UsableRows, rows: Sequence[RowMapping]
) -> tuple[ibis.Table, ibis.Table, tuple[str, ...]]:
    """Complete queries and events from each other; return notes on rows left out."""
    asked, done = queries.table, events.table
    notes: tuple[str, ...] = ()
    if any(one.pages_share_id for one in rows):
        done = events.materialised(assign_pages(asked, done)).table
    if any(one.attach for one in rows):
        done, notes = events_of_searches(events.materialised(attach_events(asked, done)).table)
    borrowed = tuple(dict.fromkeys(name for one in rows for name in one.from_events))
    if borrowed:
        asked = queries.materialised(fill_from_events(asked, done, borrowed)).table
    return (asked.drop(ID) if ID in asked.columns else asked), done, notes


def _read_table(kind: TableKind, parts: Sequence[FlatRows], place: Location) -> UsableRows:
    made = collect_rows(kind, parts)
    into = parts[0].source.backend if any(part.source.copied for part in parts) else None
    found = replace(set_aside(made, place.sources), backend=into)
    if into is not None and (found.aside or found.merged):
        found = found.materialised(found.table)
        into.drop_table(made.table.op().name)
    return found


def _read_events(
    parts: Sequence[FlatRows], place: Location, queries: UsableRows
) -> UsableRows | None:
    """Read all events; substitute rows count only if the others are missing."""
    own = [part for part in parts if part.rows.unless is None]
    sides = [_read_table("events", own, place)] if own else []
    if sides and ID in queries.table.columns:
        sides = [sides[0].materialised(assign_pages(queries.table, sides[0].table))]
    for part in parts:
        action = part.rows.unless
        if action is None or any(_any_rows(side.table, action) for side in sides):
            continue
        side = _read_table("events", [part], place)
        note = f"no event has the action {action}: the query's list of results counts as that"
        if not part.rows.pages_share_id:
            if queries.merged or any(not aside.kept for aside in queries.aside):
                side = side.materialised(events_of_kept_rows(queries.table, side.table))
            if PAGE in side.table.columns:
                side = replace(side, table=side.table.drop(PAGE))
        # They are not separate rows: their errors are those of the queries.
        sides.append(replace(side, rows=0, aside=(), notes=(*side.notes, note)))
    if not sides:
        return None
    first = sides[0]
    return replace(
        first,
        table=ibis.union(*(side.table for side in sides)) if len(sides) > 1 else first.table,
        rows=sum(side.rows for side in sides),
        aside=tuple(one for side in sides for one in side.aside),
        notes=tuple(dict.fromkeys(note for side in sides for note in side.notes)),
        backend=next((side.backend for side in sides if side.backend is not None), None),
    )


def _any_rows(events: ibis.Table, action: str) -> bool:
    return bool(events.filter(events.action == action).limit(1).count().to_pyarrow().as_py())
