"""A project out of a backup, in a new folder, and in either database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any
from zipfile import ZipFile

from sqlalchemy import Connection, Integer, MetaData, Table, func, insert, select, text
from sqlalchemy.exc import OperationalError, StatementError

from cleverdon.assess.backup.checking import check_backup
from cleverdon.assess.backup.form import Manifest, file_path, rows_of
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.setup.beginning import make_private, new_project
from cleverdon.assess.setup.scale_file import scale_of
from cleverdon.assess.store import StoreFailure
from cleverdon.assess.store.migrating import check_known, upgrade
from cleverdon.assess.store.schema import settings
from cleverdon.errors import InputError, OptionError

_AT_ONCE = 200


def restore(path: str, folder: str | os.PathLike[str], *, database: str | None = None) -> Manifest:
    """Make a project of a backup; all of it, or nothing stays.

    The backup is checked to its last byte first. An older form is brought up within the same
    transaction. The folder is marked as a project last.
    """
    manifest = check_backup(path)
    check_known(manifest.form, what=path)
    with (
        ZipFile(path) as archive,
        new_project(folder, database=database, form=manifest.form) as (project, connection),
    ):
        _fill(connection, archive, manifest, path)
        try:
            upgrade(connection)
        except StoreFailure as error:
            raise InputError(str(error), source=path) from None
        _check_scale(connection, path)
        for name in manifest.files:
            file = make_private(project.folder / name)
            with archive.open(file_path(name)) as given, file.open("wb") as own:
                while block := given.read(1 << 20):
                    own.write(block)
        COMMAND_LINE.note(connection, "restored", f"the backup of {manifest.made_at}")
    project.close()
    return manifest


def _fill(connection: Connection, archive: ZipFile, manifest: Manifest, source: str) -> None:
    reflected = MetaData()
    reflected.reflect(connection)
    unknown = manifest.tables.keys() - reflected.tables.keys()
    if unknown:
        raise InputError(f"has a table {min(unknown)!r}, which its form has not", source=source)
    for table in reflected.sorted_tables:
        if table.name not in manifest.tables:
            continue
        try:
            _insert(connection, table, rows_of(archive, table.name, table.columns.keys()))
        except OperationalError:
            raise  # it is the database, and not what it was given
        except (StatementError, OverflowError, ValueError) as error:
            said = str(getattr(error, "orig", error)).strip().split("\n")[0]
            raise InputError(
                f"its table {table.name} does not fit: {said}", source=source
            ) from None
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
        if count != manifest.tables[table.name].rows:
            raise InputError(f"not all rows of {table.name} were restored", source=source)
        if connection.dialect.name == "postgresql":
            _number_on(connection, table)


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    while batch := list(islice(rows, _AT_ONCE)):
        connection.execute(insert(table), batch)


def _check_scale(connection: Connection, source: str) -> None:
    """What people judge by is to be what `judge init` would have made: pages are styled by it."""
    wanted = select(settings.c.value).where(settings.c.name == "scale")
    found = connection.execute(wanted).scalar_one_or_none()
    try:
        scale_of(found if isinstance(found, dict) else {})
    except OptionError as error:
        raise InputError(f"its scale does not fit: {error}", source=source) from None


def _number_on(connection: Connection, table: Table) -> None:
    """Have PostgreSQL give the next number to the next row: it has not seen those that came."""
    keys = list(table.primary_key.columns)
    if len(keys) == 1 and isinstance(keys[0].type, Integer):
        connection.execute(
            text(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', '{keys[0].name}'), "
                f"(SELECT max({keys[0].name}) FROM {table.name}))"
            )
        )
