"""Backups: a whole project in one zip archive, written while it is in use, and restored.

    manifest.json          the title, the revision, the rows and the digest of each table
    tables/queries.jsonl    one line per row, by the names of the columns, in the order of the keys
    files/pool.tsv         other files of the project's folder

The archive is the same for SQLite and PostgreSQL. It leaves out sign-in links, sessions, tokens and
leases: a token that was revoked since must not work again. It holds passwords as argon2 digests.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from sqlalchemy import Connection, Integer, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import OperationalError, StatementError

from cleverdon import __version__
from cleverdon._common.files import sync_folder
from cleverdon._common.text import counted
from cleverdon.errors import InputError, OptionError
from cleverdon.judging import clock
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.people.accounts import COMMAND_LINE
from cleverdon.judging.project import POOL, Project, create_private_file, new_project
from cleverdon.judging.scale import scale_from_dict
from cleverdon.judging.store.database import (
    Database,
    check_known_revision,
    current_revision,
    upgrade,
)
from cleverdon.judging.store.schema import settings

_BACKUP_KIND = "cleverdon judge backup"
_BACKUP_VERSION = 1
_MANIFEST = "manifest.json"
_BACKED_UP_FILES = (POOL,)
_TABLES_LEFT_OUT = ("alembic_version", "leases", "links", "tokens", "visits")
_BLOCK_SIZE = 1 << 20
_ROWS_READ = 100  # that are held: documents may be long
_ROWS_INSERTED = 200
_DAMAGED = "take another copy"


@dataclass(frozen=True)
class BackupPart:
    """A table or a file in a backup."""

    rows: int  # lines
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The contents of a backup: its tables and files with digests.

    Attributes:
        title: The title of the project.
        form: The revision of the database's schema.
        made_at: The time of the backup, ISO 8601 in UTC.
        cleverdon: The version that made it.
        tables: The rows and digest of each table.
        files: The size and digest of each file.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     manifest = backup_project(project, project.folder.with_name("judging.zip"))
    >>> manifest.title, manifest.tables["people"].rows
    ('Drinks', 2)
    """

    title: str
    form: str  # of the database
    made_at: str
    cleverdon: str
    tables: dict[str, BackupPart]
    files: dict[str, BackupPart]

    def to_json(self) -> str:
        """Return the text of the manifest's file."""
        whole = {"kind": _BACKUP_KIND, "version": _BACKUP_VERSION, **asdict(self)}
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"

    @property
    def events(self) -> str:
        """The number of events, in words."""
        return counted(self.tables["events"].rows, "event")

    @property
    def parts(self) -> dict[str, BackupPart]:
        """All tables and files by their names in the archive."""
        return {
            **{_table_path(name): held for name, held in self.tables.items()},
            **{_file_path(name): held for name, held in self.files.items()},
        }


def _table_path(name: str) -> str:
    """Return the name of a table's rows in the archive."""
    return f"tables/{name}.jsonl"


def _file_path(name: str) -> str:
    """Return the name of a file of the folder in the archive."""
    return f"files/{name}"


def _read_manifest(archive: ZipFile, *, source: str) -> Manifest:
    """Return the manifest of a backup; raise an InputError where there is none."""
    try:
        found: dict[str, Any] = json.loads(archive.read(_MANIFEST))
        if found.pop("kind") != _BACKUP_KIND:
            raise ValueError(_BACKUP_KIND)
        version = found.pop("version")
        tables, files = (
            {name: BackupPart(**held) for name, held in found.pop(part).items()}
            for part in ("tables", "files")
        )
        manifest = Manifest(**found, tables=tables, files=files)
        if not files.keys() <= set(_BACKED_UP_FILES):  # a name could lead out of the folder
            raise ValueError(files)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, BadZipFile):
        raise InputError("is not a backup of a judging project", source=source) from None
    if version != _BACKUP_VERSION:
        raise InputError(
            f"is a backup of form {version!r}, and this version reads {_BACKUP_VERSION}: pip "
            "install --upgrade cleverdon",
            source=source,
        )
    return manifest


def _rows_of(archive: ZipFile, name: str, columns: Collection[str]) -> Iterator[dict[str, Any]]:
    """Return the rows of a table; raise a ValueError where a line has other columns."""
    with archive.open(_table_path(name)) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
            except RecursionError:
                raise ValueError(f"line {number} is nested too deeply") from None
            if not isinstance(row, dict) or row.keys() != set(columns):
                raise ValueError(f"line {number} has other columns than {', '.join(columns)}")
            yield row


def _check_backup(path: str, *, source: str = "") -> Manifest:
    """Read a whole backup and return its manifest; `source` is its name in errors."""
    source = source or path
    try:
        with ZipFile(path) as archive:
            manifest = _read_manifest(archive, source=source)
            for name, held in manifest.parts.items():
                if _read_part(archive, name) != held:
                    raise InputError(f"{name} is not what was backed up: {_DAMAGED}", source=source)
    except KeyError as error:
        raise InputError(f"{error.args[0]}: {_DAMAGED}", source=source) from None
    # Encrypted, or packed in a way that is not ours: zipfile has no error of its own for these.
    except (BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise InputError(f"is damaged, or no backup ({error}): {_DAMAGED}", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
    return manifest


def _read_part(archive: ZipFile, name: str) -> BackupPart:
    digest, rows = hashlib.sha256(), 0
    with archive.open(name) as file:
        while block := file.read(_BLOCK_SIZE):
            digest.update(block)
            rows += block.count(b"\n")
    return BackupPart(rows, digest.hexdigest())


def backup_project(project: Project, path: str | os.PathLike[str]) -> Manifest:
    """Copy a project into one zip archive, while it is in use.

    Args:
        project: The project.
        path: The file to write; one that is there is replaced once the new one is complete.

    Returns:
        The manifest: the title, the time, and how many rows each table has.

    Raises:
        OptionError: The file is within the project's folder.
        InputError: The file cannot be written.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     file = project.folder.with_name("judging.zip")
    ...     made = backup_project(project, file)
    ...     restored = restore_project(str(file), project.folder.with_name("restored"))
    >>> made.tables["items"].rows, restored == made
    (6, True)
    """
    if Path(path).resolve().is_relative_to(project.folder.resolve()):
        raise OptionError("a backup within the project's folder is lost with it: name another")
    written = write_backup(project.database, project.folder, path)
    with project.database.writing() as connection:
        COMMAND_LINE.note(connection, "backed up", Path(path).name)
    return written


def write_backup(database: Database, folder: Path, path: str | os.PathLike[str]) -> Manifest:
    """Write a whole project to a file; others can go on writing meanwhile.

    One transaction reads all of it. The file is read back and compared before it replaces an older
    one.
    """
    target = Path(path).resolve()
    temporary = target.with_name(f".{secrets.token_hex(6)}.cleverdon")
    try:
        # Nobody else may read it: it holds digests of passwords.
        with os.fdopen(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            with ZipFile(file, "w", compression=ZIP_DEFLATED, compresslevel=6) as archive:
                written = _write(archive, database, folder)
            file.flush()
            os.fsync(file.fileno())
        found = _check_backup(str(temporary), source=os.fspath(path))
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
        form = current_revision(connection)
        if form is None:
            raise InputError("holds no project", source=database.name)
        # As the database has them, and not as this version knows them: it may be older.
        reflected = MetaData()
        reflected.reflect(connection)
        tables = [table for table in reflected.sorted_tables if table.name not in _TABLES_LEFT_OUT]
        held = {}
        for table in tables:
            records = (dict(row._mapping) for row in _rows(connection, table))
            lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in records)
            packed = (f"{line}\n".encode() for line in lines)
            held[table.name] = _add(archive, _table_path(table.name), packed)
        stored = reflected.tables["settings"]
        wanted = select(stored.c.value).where(stored.c.name == "title")
        title = str(connection.execute(wanted).scalar_one_or_none() or "")
    files = {}
    for name in _BACKED_UP_FILES:
        if (folder / name).is_file():
            with (folder / name).open("rb") as lines_of_file:
                files[name] = _add(archive, _file_path(name), lines_of_file)
    manifest = Manifest(title, form, clock.iso(clock.now()), __version__, held, files)
    _add(archive, _MANIFEST, [manifest.to_json().encode()])
    return manifest


def _rows(connection: Connection, table: Table) -> Iterable[Any]:
    """Return the rows in the order of their keys; Python sorts texts, since databases differ."""
    keys = list(table.primary_key.columns)
    if all(isinstance(key.type, Integer) for key in keys):
        streamed = connection.execution_options(yield_per=_ROWS_READ)
        return streamed.execute(select(table).order_by(*keys))
    return sorted(connection.execute(select(table)), key=lambda row: str(row[0]).encode())


def _add(archive: ZipFile, name: str, lines: Iterable[bytes]) -> BackupPart:
    digest, rows = hashlib.sha256(), 0
    entry = ZipInfo(name)  # of no date: the manifest has it
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    with archive.open(entry, "w", force_zip64=True) as file:
        for line in lines:
            digest.update(line)
            rows += line.count(b"\n")
            file.write(line)
    return BackupPart(rows, digest.hexdigest())


def restore_project(
    path: str, folder: str | os.PathLike[str], *, database: str | None = None
) -> Manifest:
    """Create a project from a backup: all of it, or nothing.

    The backup is checked to its last byte first. An older schema is upgraded within the same
    transaction. The folder is marked as a project last.

    Args:
        path: The backup.
        folder: The folder to create.
        database: The URL of an empty PostgreSQL database; by default a SQLite file in the folder.

    Returns:
        The manifest of the backup.

    Raises:
        InputError: The backup is damaged, or the folder is not free.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     file = project.folder.with_name("judging.zip")
    ...     _ = backup_project(project, file)
    ...     restore_project(str(file), project.folder.with_name("restored")).title
    'Drinks'
    """
    manifest = _check_backup(path)
    check_known_revision(manifest.form, what=path)
    with (
        ZipFile(path) as archive,
        new_project(folder, database=database, form=manifest.form) as (project, connection),
    ):
        _fill(connection, archive, manifest, path)
        try:
            upgrade(connection)
        except DatabaseFailure as error:
            raise InputError(str(error), source=path) from None
        # Pages are styled by the scale: it must be one that `judge init` accepts.
        wanted = select(settings.c.value).where(settings.c.name == "scale")
        scale = connection.execute(wanted).scalar_one_or_none()
        try:
            scale_from_dict(scale if isinstance(scale, dict) else {})
        except OptionError as error:
            raise InputError(f"its scale does not fit: {error}", source=path) from None
        for name in manifest.files:
            file = create_private_file(project.folder / name)
            with archive.open(_file_path(name)) as packed, file.open("wb") as plain:
                copyfileobj(packed, plain, _BLOCK_SIZE)
        COMMAND_LINE.note(connection, "restored", f"the backup of {manifest.made_at}")
    project.close()
    return manifest


def _fill(connection: Connection, archive: ZipFile, manifest: Manifest, source: str) -> None:
    reflected = MetaData()
    reflected.reflect(connection)
    unknown = manifest.tables.keys() - reflected.tables.keys()
    if unknown:
        raise InputError(
            f"has a table {min(unknown)!r} that its revision does not have", source=source
        )
    for table in reflected.sorted_tables:
        if table.name not in manifest.tables:
            continue
        rows = _rows_of(archive, table.name, table.columns.keys())
        try:
            while batch := list(islice(rows, _ROWS_INSERTED)):
                connection.execute(insert(table), batch)
        except OperationalError:
            raise  # the database failed, whatever the rows are
        except (StatementError, OverflowError, ValueError) as error:
            reason = str(getattr(error, "orig", error)).strip().split("\n")[0]
            raise InputError(
                f"its table {table.name} does not fit: {reason}", source=source
            ) from None
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if count != manifest.tables[table.name].rows:
            raise InputError(f"not all rows of {table.name} were restored", source=source)
        key, *more = table.primary_key.columns
        if connection.dialect.name == "postgresql" and isinstance(key.type, Integer) and not more:
            # Inserting numbered rows does not change the next number.
            sequence = f"pg_get_serial_sequence('{table.name}', '{key.name}')"
            last = f"(SELECT max({key.name}) FROM {table.name})"
            connection.execute(text(f"SELECT setval({sequence}, {last})"))
