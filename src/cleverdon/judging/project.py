"""A project folder: creating, opening, reading and locking it.

The folder holds a mark file, which says where the database is; the database holds the settings. One
process at a time creates a project, and one server at a time serves it. A lock is a file that the
operating system unlocks when its process ends. If a process that creates a project is killed, its
lock file stays, unlocked: the other files in the folder are then incomplete and can be removed. A
project on PostgreSQL also has a lock in the database, because its folder can be copied.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import signal
import sys
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from sqlalchemy import URL, Connection, select, text
from sqlalchemy.exc import DBAPIError

from cleverdon._common.files import sync_folder
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import PROJECT_FILE, is_judging_project
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.scale import Scale
from cleverdon.judging.store import schema
from cleverdon.judging.store.database import (
    Database,
    check_known_revision,
    check_newest_revision,
    current_revision,
    migrate,
    newest_revision,
    upgrade,
)

_MARK_KIND = "cleverdon judge project"
DATABASE = "judgments.db"
POOL = "pool.tsv"  # the origin of each document: not in the database, which assessors read
T = TypeVar("T")


@dataclass(frozen=True)
class Project:
    """An open project; `open_project` makes it.

    Attributes:
        folder: The folder of the project.
        database: The database; its `reading()` and `writing()` begin transactions.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     project.title, project.database.is_sqlite
    ('Drinks', True)
    """

    folder: Path
    database: Database

    def setting(self, name: str, default: Any = None) -> Any:
        """Return a setting of the project as it is now."""
        with self.database.reading() as connection:
            wanted = select(schema.settings.c.value).where(schema.settings.c.name == name)
            found = connection.execute(wanted).first()
        return default if found is None else found.value

    @cached_property
    def scale(self) -> Scale:
        """The scale; it does not change once people judge by it."""
        return Scale.from_json(self.setting("scale"))

    @cached_property
    def guidelines(self) -> str:
        """The guidelines for all grades; may be empty."""
        return str(self.setting("guidelines", ""))

    @cached_property
    def title(self) -> str:
        return str(self.setting("title", self.folder.resolve().name))

    @cached_property
    def key(self) -> str:
        """The key by which browsers tell projects at one address from each other."""
        made = f"{self.setting('created_at')} {self.title}"
        return hashlib.sha256(made.encode()).hexdigest()[:12]

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_project(folder: str | os.PathLike[str]) -> Project:
    """Open a project; an older database is upgraded first, with a backup in the folder.

    Use it in a `with`, or close it.

    Args:
        folder: The folder of the project.

    Returns:
        The open project.

    Raises:
        InputError: The folder is not a project.
        DatabaseFailure: The database cannot be read, or is newer than this version.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as made, open_project(made.folder) as project:
    ...     project.title
    'Drinks'
    """
    project = _marked_project(folder)
    try:
        _upgrade(project)
    except BaseException:
        project.close()
        raise
    return project


def _marked_project(folder: str | os.PathLike[str]) -> Project:
    """Return a project without upgrading it."""
    where = Path(folder)
    return Project(where, Database(_marked_url(where) or _sqlite_url(where)))


def _upgrade(project: Project) -> None:
    """Upgrade a project to the newest schema; a backup is written to its folder first."""
    with project.database.reading() as connection:
        form = current_revision(connection)
    if form == newest_revision():
        return
    if form is None:
        raise DatabaseFailure(f"{project.database.name} is empty; restore it from a backup")
    check_known_revision(form, what=project.database.name)
    from cleverdon.judging.backup import write_backup  # which imports this module

    kept = project.folder / f"before-{newest_revision()}.zip"
    write_backup(project.database, project.folder, kept)
    try:
        migrate(project.database)
    except DatabaseFailure as error:
        raise DatabaseFailure(
            f"{error}; its form is still {form!r}, and {kept} is a backup of it"
        ) from error


def read_project(folder: str | os.PathLike[str], read: Callable[[Project], T]) -> T:
    """Return what `read` finds in a project; nothing of it is changed or upgraded.

    A database that nobody has open is read as an immutable file, because SQLite would otherwise
    leave two more files in the folder. If somebody opens it meanwhile, it is read once more.
    """
    where = Path(folder)

    def read_from(url: str | URL) -> T:
        with Project(where, Database(url)) as project:
            check_newest_revision(project.database)
            return read(project)

    url = _marked_url(where)
    if url is not None:
        return read_from(url)
    file = where.resolve() / DATABASE
    before = _file_state(file)
    if not before.is_open:
        try:
            found = read_from(_sqlite_url(where, immutable=True))
        except DatabaseFailure:
            if _file_state(file) == before:
                raise
        else:
            if _file_state(file) == before:
                return found
    return read_from(_sqlite_url(where, immutable=False))


class _FileState(NamedTuple):
    """Facts that differ once somebody has written to a database, or is about to."""

    changed_at: int
    size: int
    is_open: bool


def _file_state(file: Path) -> _FileState:
    facts = file.stat()
    journal = file.with_name(f"{file.name}-wal")  # which SQLite writes while a database is open
    return _FileState(facts.st_mtime_ns, facts.st_size, journal.exists())


def _marked_url(where: Path) -> str | None:
    """Return the URL of the database in the mark; None for the file in the folder."""
    path = where / PROJECT_FILE
    if not path.is_file():
        raise InputError(
            f"is not a judging project (it has no {PROJECT_FILE}); create one with `cleverdon "
            "judge init`",
            source=str(where),
        )
    try:
        mark = json.loads(path.read_text(encoding="utf-8"))
        if mark["kind"] != _MARK_KIND:
            raise ValueError(mark["kind"])
    except (ValueError, KeyError, TypeError):
        raise InputError(
            "is not the mark of a judging project; restore it from a backup", source=str(path)
        ) from None
    url: str | None = mark.get("database")
    if url is None and not (where / DATABASE).is_file():
        raise InputError("is missing; restore it from a backup", source=str(where / DATABASE))
    return url


def _sqlite_url(folder: Path, *, immutable: bool | None = None) -> URL:
    """Return the URL of the file in a folder; read-only where `immutable` is given."""
    path = str(folder.resolve() / DATABASE)
    if immutable is None:
        return URL.create("sqlite", database=path)
    options = {"mode": "ro", "uri": "true", **({"immutable": "1"} if immutable else {})}
    return URL.create("sqlite", database=f"file:{quote(path)}", query=options)


_SERVER_LOCK = "serving.lock"
_LOG = logging.getLogger("cleverdon.judge")


@contextmanager
def server_lock(project: Project) -> Iterator[Callable[[str], None]]:
    """Hold the project for a server; raise an InputError if another server holds it.

    Two servers would lose no judgment, since the database has one writer at a time. But each would
    count failed sign-ins and feed adaptive pools by itself. The yielded function stores the
    server's address, which `served_address` returns to commands.
    """
    otherwise = "is served already, by another process: end that one first"
    with _file_lock(project.folder / _SERVER_LOCK, otherwise) as file:

        def remember(address: str) -> None:
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, address.encode())

        if project.database.is_sqlite:
            yield remember
        else:
            with _DatabaseLock(project.database):
                yield remember


def served_address(folder: Path) -> str | None:
    """Return the address of the last server of a folder; None before the first one."""
    try:
        return (folder / _SERVER_LOCK).read_text(encoding="utf-8") or None
    except FileNotFoundError:
        return None


@contextmanager
def _file_lock(file: Path, otherwise: str) -> Iterator[int]:
    """Hold a file; if another process does, raise an InputError with the message `otherwise`."""
    opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            _hold(opened)
        except OSError:
            raise InputError(otherwise, source=str(file.parent)) from None
        yield opened
    finally:
        os.close(opened)


if sys.platform == "win32":
    import msvcrt

    def _hold(file: int) -> None:
        # Far behind what is written: nobody else can read a byte that is locked.
        os.lseek(file, 1 << 30, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _hold(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_CHECK_EVERY = 5.0  # seconds between two checks that the lock in the database is still held
_PATIENCE = 2.0  # seconds to wait for a session that is just ending
# The lock has two numbers: ours, and the number of a table of the project. So projects in different
# schemas of one database do not lock each other out.
_LOCK_NUMBER = "CAST(:servers AS int)"
_TABLE_NUMBER = "CAST(to_regclass('alembic_version') AS oid)"
_SERVERS = {"servers": 0x0C1E7E53}
_TAKE = text(f"SELECT pg_try_advisory_lock({_LOCK_NUMBER}, CAST({_TABLE_NUMBER} AS int))")
_HOLDER = text(
    "SELECT pid, coalesce(host(client_addr), 'a local socket') AS client,"
    " to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS since"
    " FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 2"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    f" AND classid = CAST({_LOCK_NUMBER} AS oid) AND objid = {_TABLE_NUMBER}"
)
_PREPARE = text(
    "SELECT set_config('application_name', :name, false),"
    # The database finds out within a minute that a server's machine is gone.
    " set_config('tcp_keepalives_idle', '30', false),"
    " set_config('tcp_keepalives_interval', '10', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
_END_FORMER = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE application_name = :name AND pid <> pg_backend_pid()"
)


class _DatabaseLock:
    """The lock of a server in a PostgreSQL database, held by a connection of its own.

    A thread checks the connection, and takes the lock again after a restart of the database. If
    another server was faster, this one ends with an InputError.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._name = f"cleverdon judge {token_hex(8)}"
        self._lost: InputError | None = None
        self._end = Event()
        self._watching = Thread(target=self._watch, name="cleverdon-lock", daemon=True)

    def __enter__(self) -> None:
        self._connection = self._taken()
        self._watching.start()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._watching.join()
        self._connection.close()
        if self._lost is not None:
            raise self._lost

    def _taken(self) -> Connection:
        with self._database.failures():
            connection = self._database.own_connection()
            try:
                connection.execute(_PREPARE, {"name": self._name})
                # One of ours that the network cut off still holds it.
                connection.execute(_END_FORMER, {"name": self._name})
                until = time.monotonic() + _PATIENCE
                while not connection.execute(_TAKE, _SERVERS).scalar():
                    if time.monotonic() > until:
                        raise self._held_error(connection)
                    time.sleep(0.1)
            except BaseException:
                connection.close()
                raise
            return connection

    def _held_error(self, connection: Connection) -> InputError:
        found = connection.execute(_HOLDER, _SERVERS).first()
        message = "was being served by another server: try again"  # it has just ended
        if found is not None:
            message = (
                f"is served already, by another server (connected from {found.client} since "
                f"{found.since} UTC, process {found.pid} of PostgreSQL): end that one first"
            )
        return InputError(message, source=self._database.name)

    def _watch(self) -> None:
        held = True
        while not self._end.wait(_CHECK_EVERY):
            try:
                if held:
                    self._connection.exec_driver_sql("SELECT 1")
                else:
                    self._connection = self._taken()
                    held = True
            except (DBAPIError, DatabaseFailure):
                held = False  # the database is gone: nobody can take the lock meanwhile
                self._connection.close()
            except InputError as error:
                self._lost = error
                _LOG.error("%s; this one ends", error)
                interrupt_main(signal.SIGTERM)
                return


_CREATION_LOCK = "being-made.lock"
_DATABASE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal")
_PROJECT_FILES = frozenset((PROJECT_FILE, POOL, _CREATION_LOCK, *_DATABASE_FILES))


@contextmanager
def new_project(
    folder: str | os.PathLike[str], *, database: str | None = None, form: str = "head"
) -> Iterator[tuple[Project, Connection]]:
    """Create a project with its tables in a transaction, which ends with the block.

    If the block fails, neither files nor tables remain. `form` is the revision of the tables.
    """
    where = check_free_folder(folder)
    opened = Database(database or _sqlite_url(where))  # before the folder: it may be no URL
    if database and opened.is_sqlite:
        raise OptionError(
            f"the database {database!r} is a file: a project has its own, in its folder; give "
            "postgresql://USER:PASSWORD@HOST/NAME, or nothing"
        )
    was_there = where.is_dir()
    # For its owner only: it holds digests of passwords, and which system found which document.
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = where.stat().st_mode
    with _file_lock(where / _CREATION_LOCK, "a project is being made in it, by another process"):
        check_free_folder(where)  # somebody may have ended meanwhile
        _clear(where)
        project = Project(where, opened)
        try:
            _set_mode(where, mode & ~0o077)
            if opened.is_sqlite:
                create_private_file(where / DATABASE)  # SQLite gives its other files the same mode
            with opened.writing(rebuilding=form != "head") as connection:
                if current_revision(connection) is not None:
                    raise InputError(
                        "holds a project already; name another database", source=opened.name
                    )
                upgrade(connection, form)
                yield project, connection
                # Last, and before the transaction ends: what cannot be marked is not made.
                _write_mark(project)
                _sync(where)
        except BaseException:
            project.close()
            _clear(where)
            (where / _CREATION_LOCK).unlink()
            if was_there:
                _set_mode(where, mode)
            else:
                where.rmdir()
            raise
    (where / _CREATION_LOCK).unlink()


def check_free_folder(folder: str | os.PathLike[str]) -> Path:
    """Return the folder, if a project can be created in it."""
    where = Path(folder)
    if where.exists() and not where.is_dir():
        raise InputError("is a file; name a new folder", source=str(where))
    if is_judging_project(where) and not _is_half_made(where):
        raise InputError("is a project already; name another folder", source=str(where))
    there = {file.name for file in where.iterdir()} if where.is_dir() else set()
    if there and not (_CREATION_LOCK in there and there <= _PROJECT_FILES):
        raise InputError("exists, and is not empty; name a new folder", source=str(where))
    return where


def _is_half_made(where: Path) -> bool:
    """Tell whether a folder was marked, but its creation was killed before the database."""
    if not (where / _CREATION_LOCK).exists():
        return False
    with _marked_project(where) as project, project.database.reading() as connection:
        return current_revision(connection) is None


def _clear(where: Path) -> None:
    """Remove all files of a project but the lock."""
    for name in _PROJECT_FILES - {_CREATION_LOCK}:
        (where / name).unlink(missing_ok=True)


def create_private_file(file: Path) -> Path:
    """Make a new, empty file that its owner alone may read."""
    file.touch(mode=0o600, exist_ok=False)
    return file


def _set_mode(where: Path, mode: int) -> None:
    # The folder can be another user's, or on a disk without modes. The files in it are private all
    # the same, and `judge serve` warns if others can read them.
    with suppress(OSError):
        where.chmod(S_IMODE(mode))


def _sync(where: Path) -> None:
    """Write the other files to the disk before the transaction ends."""
    for name in (PROJECT_FILE, POOL):
        if (where / name).exists():
            with (where / name).open("rb+") as file:
                os.fsync(file.fileno())
            sync_folder(str(where / name))
    sync_folder(str(where))  # its own name


def _write_mark(project: Project) -> None:
    """Write the file that marks the folder as a project and names its database."""
    mark: dict[str, Any] = {"kind": _MARK_KIND, "version": 1}
    if not project.database.is_sqlite:
        mark["database"] = project.database.url.render_as_string(hide_password=False)
    path = create_private_file(project.folder / PROJECT_FILE)  # the URL may hold a password
    path.write_text(json.dumps(mark, indent=2) + "\n", encoding="utf-8")
