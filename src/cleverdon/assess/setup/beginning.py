"""A new project: its folder, its tables and its mark, all of it or nothing.

While it is made, a file in the folder is locked. Where the process is killed, the file stays behind
without its lock, and tells that whatever lies beside it is half made and nobody's work.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any

from sqlalchemy import Connection

from cleverdon.assess.lock import locked
from cleverdon.assess.project import (
    DATABASE,
    KIND,
    MARK,
    POOL,
    Project,
    file_of,
    is_project,
    marked_project,
)
from cleverdon.assess.store import Database
from cleverdon.assess.store.migrating import current, upgrade
from cleverdon.errors import InputError, OptionError
from cleverdon.read.journal_file import sync_folder

_MAKING = "being-made.lock"
_OURS = frozenset(
    (MARK, POOL, _MAKING, *(f"{DATABASE}{ending}" for ending in ("", "-wal", "-shm", "-journal")))
)
"""All files that making a project writes."""


@contextmanager
def new_project(
    folder: str | os.PathLike[str], *, database: str | None = None, form: str = "head"
) -> Iterator[tuple[Project, Connection]]:
    """A new project, with tables, in a transaction: it is there once the block has ended.

    If it does not, or is interrupted, neither files nor tables stay. `form` is that of the tables,
    where they are not to be the newest.
    """
    where = check_free(folder)
    opened = _database(where, database)  # first: what is no URL makes no folder
    was_there = where.is_dir()
    # Its owner's alone: it holds digests of passwords, and which system found what.
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = where.stat().st_mode
    with locked(where / _MAKING, "a project is being made in it, by another process"):
        check_free(where)  # somebody may have ended meanwhile
        _clear(where)
        project = Project(where, opened)
        try:
            _set_mode(where, mode & ~0o077)
            if opened.is_sqlite:
                make_private(where / DATABASE)  # SQLite gives its other files the same mode
            with opened.writing(rebuilding=form != "head") as connection:
                if current(connection) is not None:
                    raise InputError(
                        "holds a project already; name another database", source=opened.name
                    )
                upgrade(connection, form)
                yield project, connection
                # Last, and before the transaction ends: what cannot be marked is not made.
                _mark(project)
                _sync(where)
        except BaseException:
            project.close()
            _clear(where)
            (where / _MAKING).unlink()
            if was_there:
                _set_mode(where, mode)
            else:
                where.rmdir()
            raise
    (where / _MAKING).unlink()


def check_free(folder: str | os.PathLike[str]) -> Path:
    """The folder, if a project can be made in it."""
    where = Path(folder)
    if where.exists() and not where.is_dir():
        raise InputError("is a file; name a new folder", source=str(where))
    if is_project(where) and not _is_cut_off(where):
        raise InputError("is a project already; name another folder", source=str(where))
    there = {file.name for file in where.iterdir()} if where.is_dir() else set()
    if there and not (_MAKING in there and there <= _OURS):
        raise InputError("is there, and is not empty; name a new folder", source=str(where))
    return where


def _is_cut_off(where: Path) -> bool:
    """Whether a folder was marked, but its making was killed before the database had anything."""
    if not (where / _MAKING).exists():
        return False
    with marked_project(where) as project, project.database.reading() as connection:
        return current(connection) is None


def _database(where: Path, url: str | None) -> Database:
    opened = Database(url or file_of(where))
    if url and opened.is_sqlite:
        raise OptionError(
            f"the database {url!r} is a file: a project has its own, in its folder; give "
            "postgresql://USER:PASSWORD@HOST/NAME, or nothing"
        )
    return opened


def _clear(where: Path) -> None:
    """Remove what is half made; the lock stays."""
    for name in _OURS - {_MAKING}:
        (where / name).unlink(missing_ok=True)


def make_private(file: Path) -> Path:
    """Make a new, empty file that its owner alone may read."""
    file.touch(mode=0o600, exist_ok=False)
    return file


def _set_mode(where: Path, mode: int) -> None:
    """Set a folder's mode, if we may: it can be another user's, or on a disk without modes.

    The files in it are private all the same, and `judge serve` warns where others read them.
    """
    with suppress(OSError):
        where.chmod(S_IMODE(mode))


def _sync(where: Path) -> None:
    """Have all that lies beside the database on the disk before it says that there is a project."""
    for name in (MARK, POOL):
        if (where / name).exists():
            with (where / name).open("rb+") as file:
                os.fsync(file.fileno())
            sync_folder(str(where / name))
    sync_folder(str(where))  # its own name


def _mark(project: Project) -> None:
    """Say that the folder is a project, and where its database is."""
    mark: dict[str, Any] = {"kind": KIND, "version": 1}
    if not project.database.is_sqlite:
        mark["database"] = project.database.url.render_as_string(hide_password=False)
    path = make_private(project.folder / MARK)  # the URL may hold a password
    path.write_text(json.dumps(mark, indent=2) + "\n", encoding="utf-8")
