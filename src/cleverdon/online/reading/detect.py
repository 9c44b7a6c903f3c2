"""Which layout a log has, and which of its rows are read from which source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError, suggest
from cleverdon.online.reading.formats import formats, named
from cleverdon.online.reading.lines import Lines, first_lines
from cleverdon.online.reading.mapfile import load
from cleverdon.online.reading.places import Place
from cleverdon.online.reading.spec import LINE, Layout, Rows
from cleverdon.online.reading.tables import Source


def choose(
    place: Place, *, format: str | None, mapping: str | Path | Mapping[str, Any] | None
) -> Layout:
    """The layout that was asked for, or the first format that recognises any of the sources."""
    if mapping is not None:
        return load(mapping)
    if format is not None:
        return named(format).layout()
    for cls in formats().values():
        if any(cls.recognises(source.paths(), _plain(source)) for source in place.sources):
            return cls.layout()
    known = ", ".join(formats())
    raise InputError(
        f"this log is of no format that is known ({_seen(place)}); name one of {known} by "
        "format='ubi', on the command line --log-format ubi, or say which column is what in a "
        "mapping file, mapping='FILE' or --mapping FILE:\n"
        "    queries:\n      query_id: COLUMN\n      time: COLUMN\n      text: COLUMN\n"
        "    events:\n      query_id: COLUMN\n      time: COLUMN\n      action: COLUMN",
        source=place.name,
    )


def _seen(place: Place) -> str:
    """What there is in a log of no known format, in words."""
    columns = sorted(
        {path.partition(".")[0] for source in place.sources for path in source.paths()}
    )
    if columns == [LINE]:
        return "lines of plain text"
    if not columns and all(isinstance(source, Lines) for source in place.sources):
        return "none of its first lines is a JSON object"
    return f"columns: {', '.join(columns[:20]) or 'none'}"


def _plain(source: Source) -> list[str]:
    """The first lines of plain text; nothing of other sources."""
    if isinstance(source, Lines) and source.paths() == {LINE}:
        return first_lines(source.files[0])
    return []


def paired(place: Place, layout: Layout) -> list[tuple[Rows, Source]]:
    """Which rows are read from which sources. A mapping file's columns must be there."""
    pairs = [
        (rows, source)
        for rows in layout.rows
        for source in place.sources
        if source.role in (None, rows.table) and _fits(rows, source, layout, place)
    ]
    if not any(rows.kind == "queries" for rows, _ in pairs):
        first = layout.of("queries")[0]
        known = {path for path in first.known_by if not path.startswith("-")}
        needed = sorted(known or set(_needed(first)))
        raise InputError(
            f"no table has queries of the format {layout.name!r}; they would have the columns "
            f"{', '.join(needed)}",
            source=place.name,
        )
    if layout.strict:
        for rows, source in pairs:
            _check(rows, source, layout)
    return pairs


def _needed(rows: Rows) -> list[str]:
    wanted = ("query_id", "time") if rows.kind == "queries" else ("time", "action")
    return [path for name in wanted for part in rows.columns[name] for path in part.paths()]


def _fits(rows: Rows, source: Source, layout: Layout, place: Place) -> bool:
    if rows.known_by:
        return rows.known(source.paths())
    if len(place.sources) == 1 or source.role is not None:
        return True
    return all(path in source.paths() for path in _needed(rows))


def _check(rows: Rows, source: Source, layout: Layout) -> None:
    for path in dict.fromkeys(rows.paths()):
        if not source.has(path):
            raise InputError(
                f"{source.name} has no column {path!r}{suggest(path, sorted(source.paths()))}",
                source=layout.source,
                line=layout.lines.get(path),
            )
