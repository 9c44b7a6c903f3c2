"""Where a log lies: files, folders, a DuckDB file, or the tables of a database.

Connections are made by Ibis; no message ever has a password in it.
"""

from __future__ import annotations

import os
import re
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

import ibis

from cleverdon._common.extras import importing
from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError, suggest
from cleverdon.logs.reading.mapping import TableKind
from cleverdon.logs.reading.sources import (
    DelimitedFiles,
    EngineTable,
    LineFiles,
    Source,
    detect_line_format,
    file_suffix,
    files_name,
    is_blank,
    is_text,
)

_FILE_ENGINES = ("duckdb", "sqlite")
"""Schemes of connection strings that name a file: it has no user and no password."""
_SECRET_NAME = "(?:passw|pwd|token|secret|key|credential|auth)"
"""Part of the names of parameters whose values are secret."""
_SHORTEST_SECRET = 4
"""Shorter secrets are removed from addresses only: they may be part of any word."""


def _connect(url: str | None, *, memory: str | None = None) -> tuple[Any, str]:
    """Connect to a backend, and name it; without a URL, to a DuckDB in memory that can spill."""
    if url is None:
        spill = Path(tempfile.gettempdir()) / f"cleverdon-logs-{uuid4().hex}"
        backend = ibis.duckdb.connect(temp_directory=str(spill))
        _configure(backend, memory)
        return backend, "memory"
    name = _without_secrets(url)
    try:
        with importing(f"connecting to {name}"):
            backend = ibis.connect(url)
    except MissingExtra:
        raise
    except Exception as error:  # every driver has its own
        message = _scrubbed(" ".join(str(error).split()), url)
        raise InputError(
            f"cannot connect: {message or type(error).__name__}", source=name
        ) from None
    if backend.name == "duckdb":
        _configure(backend, memory)
    return backend, name


def _configure(backend: Any, memory: str | None) -> None:
    backend.raw_sql("SET TimeZone = 'UTC'")
    # `SET enable_progress_bar` would fail in a notebook without ipywidgets.
    backend.raw_sql("PRAGMA disable_progress_bar")
    if memory is None:
        return
    if not re.fullmatch(r"\d+(\.\d+)? ?[kKMGT]i?B", memory):
        raise OptionError(f"memory={memory!r}: expected a size such as 4GB or 500MB")
    backend.raw_sql(f"SET memory_limit = '{memory}'")


def _without_secrets(url: str) -> str:
    """Return a connection string without user, password and parameters.

    >>> _without_secrets("postgres://me:secret@host:5432/logs?sslkey=x")
    'postgres://host:5432/logs'
    """
    scheme, scheme_ends, rest = url.partition("://")
    if not scheme_ends:
        return url
    if scheme in _FILE_ENGINES:
        return url.partition("?")[0]
    place = rest.partition("?")[0].partition("#")[0]
    host, slash, path = place.partition("/")
    if "@" in place and "@" not in host:  # a password may have a slash in it
        host, slash, path = place.rpartition("@")[2].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def _scrubbed(message: str, url: str) -> str:
    """Remove the secrets of the URL from a driver's message."""
    scheme, _, rest = url.partition("://")
    given = parse_qsl(rest.partition("?")[2])
    secrets = {value for name, value in given if re.search(_SECRET_NAME, name, re.IGNORECASE)}
    if scheme not in _FILE_ENGINES:
        password = rest.rpartition("@")[0].partition(":")[2]
        secrets |= {password, unquote(password)}
        message = re.sub(r"://\S*@", "://***@", message)
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            message = message.replace(secret, "***")
    return re.sub(rf"(\w*{_SECRET_NAME}\w*)=[^\s&]+", r"\1=***", message, flags=re.IGNORECASE)


@contextmanager
def input_errors(given: str) -> Iterator[None]:
    """Turn the errors of engines into an InputError that starts with the log's name."""
    import duckdb
    from ibis.common.exceptions import IbisError

    try:
        yield
    except CleverdonError:
        raise
    except (duckdb.Error, IbisError, EOFError, OSError, zlib.error) as error:
        raise _unreadable_error(error, given) from None
    except Exception as error:
        if "://" not in given:
            raise  # a defect, and not what a driver says
        raise _unreadable_error(error, given) from None


def _unreadable_error(error: Exception, given: str) -> InputError:
    message = str(error).strip().partition("\n")[0]
    if "://" in given:
        message = _scrubbed(message, given)
    name = _without_secrets(given)
    return InputError(f"the log cannot be read: {message or type(error).__name__}", source=name)


def _database_tables(
    backend: Any, name: str, queries: str | None, events: str | None
) -> list[tuple[TableKind, str, ibis.Table]]:
    """Return the named tables, or those called queries and events."""
    chosen: dict[TableKind, str | None] = {"queries": queries, "events": events}
    if not queries and not events:
        known = _table_names(backend, "")
        chosen = {
            role: next((table for table in known if table.lower() in (role, f"ubi_{role}")), None)
            for role in chosen
        }
        if not any(chosen.values()):
            listed = ", ".join(known[:12]) or "none"
            raise InputError(
                "which tables hold the log? name them by queries='TABLE', events='TABLE', on the "
                f"command line --queries-table TABLE --events-table TABLE; there are: {listed}",
                source=name,
            )
    return [
        (role, f"{name} {table}", _database_table(backend, name, table))
        for role, table in chosen.items()
        if table
    ]


def _database_table(backend: Any, name: str, table: str) -> ibis.Table:
    database, _, last = table.rpartition(".")
    try:
        return backend.table(last, database=database or None)
    except Exception:  # every engine has its own
        known = _table_names(backend, database)
        hint = suggest(last, known) if known else ""
        raise InputError(f"there is no table {table!r}{hint}", source=name) from None


def _table_names(backend: Any, database: str) -> list[str]:
    try:
        return list(backend.list_tables(database=database or None))
    except Exception:  # every engine has its own
        return []


_ROLE = re.compile(r"(?:^|[^a-z])(queries|events)(?:[^a-z]|$)", re.IGNORECASE)
_DATA_SUFFIXES = (".parquet", ".pq", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".log")
"""Endings of the files of a folder that are read."""
_JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
_MAGIC = {".parquet": "Parquet", ".pq": "Parquet", ".duckdb": "DuckDB", ".ddb": "DuckDB"}
"""Endings of files that are not text, and the names of their formats."""


@dataclass(frozen=True)
class Location:
    """The sources of one log, all on one backend."""

    name: str
    sources: tuple[Source, ...]


def find_location(
    given: Sequence[Any],
    *,
    queries: str | None,
    events: str | None,
    connection: Any,
    memory: str | None,
) -> Location:
    if connection is not None:
        if given:
            raise OptionError("give files or a connection, not both")
        return _table_sources(connection, f"{connection.name} tables", queries, events)
    if not given:
        raise OptionError("no log was given: name files, a folder, or a connection string")
    if not any(isinstance(one, (str, os.PathLike)) for one in given):
        if queries or events:
            raise OptionError("queries= and events= name the tables of a database: leave them out")
        return _records(given, memory)
    first = str(given[0])
    if "://" in first:
        if len(given) > 1:
            raise OptionError("give a connection string and no other source; name its tables")
        backend, name = _connect(first, memory=memory)
        return _table_sources(backend, name, queries, events)
    if len(given) == 1 and Path(first).is_file() and _starts(Path(first), b"DUCK", at=8):
        backend, _ = _connect(f"duckdb://{first}?read_only=True", memory=memory)
        return _table_sources(backend, first, queries, events)
    if queries or events:
        raise OptionError(
            "queries (--queries-table) and events (--events-table) name the tables of a database; "
            "files have none"
        )
    name = first if len(given) == 1 else f"{first} and {len(given) - 1} more"
    return Location(name, _file_sources(_all_files(given), memory))


def _table_sources(backend: Any, name: str, queries: str | None, events: str | None) -> Location:
    tables = _database_tables(backend, name, queries, events)
    alone = len(tables) == 1  # one table may hold queries and events
    return Location(
        name,
        tuple(
            EngineTable(table, None if alone else role, backend, name=label)
            for role, label, table in tables
        ),
    )


def _records(given: Sequence[Any], memory: str | None) -> Location:
    """Return lists of dicts or data frames as tables of a DuckDB in memory."""
    import pyarrow as pa

    if len(given) > 2:
        raise OptionError(f"a log is a table of queries and one of events; found {len(given)}")
    backend, _ = _connect(None, memory=memory)
    named: dict[str, str] = {}
    for role, one in zip(("queries", "events"), given, strict=False):
        if hasattr(one, "__arrow_c_stream__"):
            table = pa.table(one)
        elif isinstance(one, (list, tuple)) and all(isinstance(row, Mapping) for row in one):
            columns = dict.fromkeys(str(column) for row in one for column in row)
            table = pa.table({name: _column(role, name, one) for name in columns})
        else:
            raise InputError(
                f"{type(one).__name__!r} cannot be read as a log: give files, or tables of "
                "queries and events as lists of dicts or data frames"
            )
        if table.num_columns:  # an empty list of events is a log without events
            backend.create_table(role, table)
            named[role] = role
    if "queries" not in named:
        raise InputError("the table of queries is empty: a log needs at least one query")
    return _table_sources(backend, "tables", named["queries"], named.get("events"))


def _column(role: str, name: str, records: Sequence[Mapping[str, Any]]) -> Any:
    import pyarrow as pa

    try:
        return pa.array([record.get(name) for record in records])
    except pa.ArrowException as error:
        message = str(error).partition("\n")[0]
        raise InputError(f"{role}: {name!r} has values of several types: {message}") from None


def _all_files(given: Sequence[str | Path]) -> list[tuple[Path, TableKind | None]]:
    files: list[tuple[Path, TableKind | None]] = []
    for one in given:
        path = Path(one)
        if path.is_dir():
            files += _folder_files(path)
        elif path.exists():
            files.append((path, _role(path.name)))
        else:
            raise InputError("there is no such file or folder", source=str(path))
    # A single file may hold both, whatever its name says.
    alone = len({role for _, role in files}) == 1
    return [(path, None) for path, _ in files] if alone else files


def _folder_files(folder: Path) -> list[tuple[Path, TableKind | None]]:
    """Return the files named queries and events if there are both, else all data files."""
    own = _role(folder.name)
    named: list[tuple[Path, TableKind | None]] = []
    for entry in sorted(folder.iterdir()):
        role = _role(entry.name) or own
        files = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
        named += [(file, role) for file in files if _is_data(file)]
    if not named:
        listed = ", ".join(sorted({*_DATA_SUFFIXES, ".gz"}))
        raise InputError(
            f"the folder has no files to read (they end in {listed})", source=str(folder)
        )
    if {"queries", "events"} <= {role for _, role in named}:
        return [(file, role) for file, role in named if role is not None]
    return named


def _is_data(file: Path) -> bool:
    return (
        file.is_file()
        and not file.name.startswith((".", "_"))
        and file_suffix(file) in _DATA_SUFFIXES
    )


def _role(name: str) -> TableKind | None:
    found = _ROLE.search(name)
    return None if not found else "queries" if found[1].lower() == "queries" else "events"


def _file_sources(
    files: Sequence[tuple[Path, TableKind | None]], memory: str | None
) -> tuple[Source, ...]:
    """Group files that belong together into sources, on a DuckDB in memory that can spill."""
    backend, _ = _connect(None, memory=memory)
    # Parts of a log may be empty, but not all.
    filled = [(path, role) for path, role in files if not is_blank(path)]
    if not filled:
        message = "the file is empty" if len(files) == 1 else "all of its files are empty"
        raise InputError(message, source=files_name([path for path, _ in files]))
    groups: dict[tuple[Any, ...], list[Path]] = {}
    for path, role in filled:
        alike = role or (path.parent, re.sub(r"\d+", "", path.name))
        groups.setdefault((role, _file_format(path), alike), []).append(path)
    return tuple(
        _source(written, paths, role, backend) for (role, written, _), paths in groups.items()
    )


def _file_format(file: Path) -> str:
    if _starts(file, b"PAR1"):
        return "parquet"
    kind = file_suffix(file)
    if kind in _MAGIC:
        raise InputError(f"this is not a {_MAGIC[kind]} file", source=str(file))
    if not is_text(file):
        raise InputError(
            "this is neither text in UTF-8 nor Parquet nor a DuckDB file", source=str(file)
        )
    if kind in (".csv", ".tsv"):
        return "columns"
    written = detect_line_format(file)
    # Lines that are not JSON are then counted.
    return "json lines" if written == "plain lines" and kind in _JSON_SUFFIXES else written


def _source(written: str, files: list[Path], role: TableKind | None, backend: Any) -> Source:
    if written == "parquet":
        table = backend.read_parquet([str(file) for file in files])
        return EngineTable(table, role, backend, name=files_name(files))
    if written == "columns":
        return DelimitedFiles(files, role, backend)
    return LineFiles(files, role, backend, written=written)  # type: ignore[arg-type]


def _starts(file: Path, magic: bytes, *, at: int = 0) -> bool:
    with file.open("rb") as opened:
        opened.seek(at)
        return opened.read(len(magic)) == magic
