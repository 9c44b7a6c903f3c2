"""Where a log lies: files, folders, a DuckDB file or the tables of a database, to sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError, OptionError
from cleverdon.online.reading.database import connected, described, tables_of
from cleverdon.online.reading.delimited import Delimited
from cleverdon.online.reading.lines import Lines, written_as
from cleverdon.online.reading.opened import ending, is_blank, is_text
from cleverdon.online.reading.spec import Kind
from cleverdon.online.reading.tables import Source
from cleverdon.online.reading.typed import Typed

_ROLE = re.compile(r"(?:^|[^a-z])(queries|events)(?:[^a-z]|$)", re.IGNORECASE)
DATA = (".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".log")
"""How the names of files end that are read when they lie in a folder."""
_JSON = (".jsonl", ".ndjson", ".json")
_MAGIC = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".duckdb": "DuckDB",
    ".ddb": "DuckDB",
}
"""Endings of files that are not text, and what such a file is called."""


@dataclass(frozen=True)
class Place:
    """The sources of one log, all on one backend, and what the log is called."""

    name: str
    sources: tuple[Source, ...]


def found(
    given: Sequence[str | Path],
    *,
    queries: str | None,
    events: str | None,
    connection: Any,
    memory: str | None,
) -> Place:
    """The log's sources, whatever was given."""
    if connection is not None:
        if given:
            raise OptionError("give files or a connection, not both")
        return _tables(connection, described(connection), queries, events)
    if not given:
        raise OptionError("no log was given: name files, a folder, or a connection string")
    first = str(given[0])
    if "://" in first:
        if len(given) > 1:
            raise OptionError("a connection string stands alone; name its tables")
        backend, name = connected(first, memory=memory)
        return _tables(backend, name, queries, events)
    if len(given) == 1 and Path(first).is_file() and _starts(Path(first), b"DUCK", at=8):
        backend, _ = connected(f"duckdb://{first}?read_only=True", memory=memory)
        return _tables(backend, first, queries, events)
    if queries or events:
        raise OptionError(
            "queries (--queries) and events (--events) name the tables of a database; files have "
            "none"
        )
    return Place(_named(given), _of_files(_files(given), memory))


def _tables(backend: Any, name: str, queries: str | None, events: str | None) -> Place:
    tables = tables_of(backend, name, queries, events)
    alone = len(tables) == 1  # one table may hold queries and events
    return Place(
        name,
        tuple(
            Typed(table, None if alone else role, backend, name=label)
            for role, label, table in tables
        ),
    )


def _named(given: Sequence[str | Path]) -> str:
    first = str(given[0])
    return first if len(given) == 1 else f"{first} and {len(given) - 1} more"


def _files(given: Sequence[str | Path]) -> list[tuple[Path, Kind | None]]:
    files: list[tuple[Path, Kind | None]] = []
    for one in given:
        path = Path(one)
        if path.is_dir():
            files += _inside(path)
        elif path.exists():
            files.append((path, _role(path.name)))
        else:
            raise InputError("there is no such file or folder", source=str(path))
    # One that stands alone may hold both, whatever its name.
    alone = len({role for _, role in files}) == 1
    return [(path, None) for path, _ in files] if alone else files


def _inside(folder: Path) -> list[tuple[Path, Kind | None]]:
    """The files of a folder: those named queries and events, or all unless it has both."""
    own = _role(folder.name)
    named: list[tuple[Path, Kind | None]] = []
    for entry in sorted(folder.iterdir()):
        role = _role(entry.name) or own
        named += [
            (file, role) for file in (_data(entry) if entry.is_dir() else [entry]) if _is_data(file)
        ]
    if not named:
        listed = ", ".join(sorted({*DATA, ".gz"}))
        raise InputError(
            f"the folder has no files to read (they end in {listed})", source=str(folder)
        )
    if {"queries", "events"} <= {role for _, role in named}:
        return [(file, role) for file, role in named if role is not None]
    return named


def _data(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _is_data(file: Path) -> bool:
    return file.is_file() and not file.name.startswith((".", "_")) and ending(file) in DATA


def _role(name: str) -> Kind | None:
    told = _ROLE.search(name)
    if not told:
        return None
    return "queries" if told[1].lower() == "queries" else "events"


def _of_files(files: Sequence[tuple[Path, Kind | None]], memory: str | None) -> tuple[Source, ...]:
    """The files, those that belong together as one source, on a DuckDB in memory that can spill."""
    backend, _ = connected(None, memory=memory)
    groups: dict[tuple[Any, ...], list[Path]] = {}
    for path, role in _filled(files):
        alike = role or (path.parent, re.sub(r"\d+", "", path.name))
        groups.setdefault((role, _written(path), alike), []).append(path)
    return tuple(
        _source(written, paths, role, backend) for (role, written, _), paths in groups.items()
    )


def _filled(
    files: Sequence[tuple[Path, Kind | None]],
) -> list[tuple[Path, Kind | None]]:
    """The files that have anything in them; parts of a log may well be empty, but not all."""
    filled = [(path, role) for path, role in files if not is_blank(path)]
    if not filled:
        told = "the file is empty" if len(files) == 1 else "all of its files are empty"
        raise InputError(told, source=str(files[0][0] if len(files) == 1 else files[0][0].parent))
    return filled


def _written(file: Path) -> str:
    if _starts(file, b"PAR1"):
        return "parquet"
    kind = ending(file)
    if kind in _MAGIC:
        raise InputError(f"this is not a {_MAGIC[kind]} file", source=str(file))
    if not is_text(file):
        raise InputError(
            "this is neither text in UTF-8 nor Parquet nor a DuckDB file", source=str(file)
        )
    if kind in (".csv", ".tsv"):
        return "columns"
    written = written_as(file)
    # What is not JSON is then counted, line by line, beside other files that are.
    return "json lines" if written == "plain lines" and kind in _JSON else written


def _source(written: str, files: list[Path], role: Kind | None, backend: Any) -> Source:
    if written == "parquet":
        table = backend.read_parquet([str(file) for file in files])
        name = str(files[0]) if len(files) == 1 else str(files[0].parent)
        return Typed(table, role, backend, name=name)
    if written == "columns":
        return Delimited(files, role, backend)
    return Lines(files, role, backend, written=written)  # type: ignore[arg-type]


def _starts(file: Path, magic: bytes, *, at: int = 0) -> bool:
    with file.open("rb") as opened:
        opened.seek(at)
        return opened.read(len(magic)) == magic
