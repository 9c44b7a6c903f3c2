"""Writing a backup, while the project is in use."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sqlalchemy import Connection, Integer, MetaData, Table, select

from cleverdon import __version__
from cleverdon.assess import clock
from cleverdon.assess.backup.checking import check_backup
from cleverdon.assess.backup.form import (
    FILES,
    LEFT_OUT,
    MANIFEST,
    Held,
    Manifest,
    file_path,
    table_path,
)
from cleverdon.assess.store import Database
from cleverdon.assess.store.migrating import current
from cleverdon.errors import InputError
from cleverdon.read.journal_file import sync_folder

_AT_ONCE = 100
"""Rows that are held: documents may be long."""


def write_backup(database: Database, folder: Path, path: str | os.PathLike[str]) -> Manifest:
    """Write all of a project to a file; others go on writing meanwhile.

    One transaction reads it all, so that it is one state. The file is read back and compared before
    it gets its name; until then, and after an error, what was there before stays.
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{secrets.token_hex(6)}.cleverdon")
    try:
        # Nobody else may read it: it holds what is left of passwords.
        with os.fdopen(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with ZipFile(file, "w", compression=ZIP_DEFLATED, compresslevel=6) as archive:
                written = _write(archive, database, folder)
            file.flush()
            os.fsync(file.fileno())
        found = check_backup(str(temporary), source=os.fspath(path))
        if found != written:
            raise InputError("was not written as it should be: try again", source=os.fspath(path))
        temporary.replace(target)
        sync_folder(str(target))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", source=os.fspath(path)) from None
    finally:
        temporary.unlink(missing_ok=True)
    return written


def _write(archive: ZipFile, database: Database, folder: Path) -> Manifest:
    with database.reading() as connection:
        form = current(connection)
        if form is None:
            raise InputError("holds no project", source=database.name)
        # As the database has them, and not as this version knows them: it may be older.
        reflected = MetaData()
        reflected.reflect(connection)
        tables = [table for table in reflected.sorted_tables if table.name not in LEFT_OUT]
        held = {}
        for table in tables:
            lines = (_line(row._mapping) for row in _rows(connection, table))
            held[table.name] = _add(archive, table_path(table.name), lines)
        title = _title(connection, reflected)
    files = {
        name: _add(archive, file_path(name), _lines_of(folder / name))
        for name in FILES
        if (folder / name).is_file()
    }
    manifest = Manifest(title, form, clock.iso(clock.now()), __version__, held, files)
    _add(archive, MANIFEST, [manifest.to_json().encode()])
    return manifest


def _rows(connection: Connection, table: Table) -> Iterable[Any]:
    """The rows in the order of their keys; databases sort text differently, so Python does that."""
    keys = list(table.primary_key.columns)
    if all(isinstance(key.type, Integer) for key in keys):
        streamed = connection.execution_options(yield_per=_AT_ONCE)
        return streamed.execute(select(table).order_by(*keys))
    return sorted(connection.execute(select(table)), key=lambda row: str(row[0]).encode())


def _line(row: Any) -> bytes:
    return f"{json.dumps(dict(row), ensure_ascii=False, sort_keys=True)}\n".encode()


def _lines_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _add(archive: ZipFile, name: str, lines: Iterable[bytes]) -> Held:
    digest, rows = hashlib.sha256(), 0
    entry = ZipInfo(name)  # of no date: the manifest has it
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    with archive.open(entry, "w", force_zip64=True) as file:
        for line in lines:
            digest.update(line)
            rows += line.count(b"\n")
            file.write(line)
    return Held(rows, digest.hexdigest())


def _title(connection: Connection, reflected: MetaData) -> str:
    settings = reflected.tables["settings"]
    found = connection.execute(
        select(settings.c.value).where(settings.c.name == "title")
    ).scalar_one_or_none()
    return str(found or "")
