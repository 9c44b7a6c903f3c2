"""The database: SQLite in the project's folder, or PostgreSQL by a URL.

One transaction writes at a time, in either: queues and leases then need no care about what others
do meanwhile, and a write takes about a millisecond. When `writing` has ended without an error, what
was written is on the disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError

from cleverdon.assess.refusals import Invalid
from cleverdon.assess.store.file import OpenFile, StoreFailure
from cleverdon.errors import MissingExtra, OptionError

_PATIENCE = 10.0
"""Seconds to wait for another process that writes, or for a server to answer."""

_NETWORK = {
    "connect_timeout": int(_PATIENCE),
    "tcp_user_timeout": int(1000 * _PATIENCE),
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
"""How PostgreSQL's client finds out that a connection is gone which nobody has closed: by itself it
would wait for a quarter of an hour, and all who judge with it. The URL may say otherwise."""

_THREADS = 40
"""As many as a server answers in: a connection to a file is kept for each."""

_ROOM = 100_000
"""Bytes that SQLite needs beside a database, to open it."""

_WRITERS = 0x0C1E7E4D
"""The advisory lock of PostgreSQL that a writer holds."""


def _begin_postgresql(*, durable: bool) -> TextClause:
    """Take PostgreSQL's lock; one statement, since each is a way to the server and back.

    A server, a database or a user may be set up to answer before a commit is on the disk.
    """
    limit = "set_config('lock_timeout', :limit, true)"
    named = "current_setting('synchronous_commit')"
    waits = f"CASE {named} WHEN 'off' THEN 'on' ELSE {named} END" if durable else "'off'"
    committing = f"set_config('synchronous_commit', {waits}, true)"
    return text(f"SELECT {limit}, {committing}, pg_advisory_xact_lock({_WRITERS})")


_BEGIN_POSTGRESQL = {durable: _begin_postgresql(durable=durable) for durable in (True, False)}


class Database:
    """Reads and writes, each in a transaction."""

    def __init__(self, url: str | URL) -> None:
        self.url = _url(url)
        self._lock = Lock()
        self.engine = _engine(self.url)
        self._file = None if self._path is None else OpenFile(self.engine, self._path)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def _path(self) -> str | None:
        """The file that is written to, where it is one."""
        return self.url.database if self.is_sqlite and "uri" not in self.url.query else None

    @property
    def name(self) -> str:
        """Where it is, without the password."""
        path = self._path
        return self.url.render_as_string(hide_password=True) if path is None else path

    @contextmanager
    def reading(self, *, once: bool = False) -> Iterator[Connection]:
        """A transaction that sees one state of everything; what reads `once` needs none."""
        with self.failures(), self.engine.connect() as connection:
            if once:
                connection = connection.execution_options(cleverdon_reads_once=True)
            elif not self.is_sqlite:  # which sees one state by itself
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True, rebuilding: bool = False) -> Iterator[Connection]:
        """The one transaction that writes; on the disk once the block has ended.

        One that is not durable may be lost when the machine fails, but not alone: whatever is
        written after it is lost too, or comes after it on the disk. It does not wait for the disk.
        In one that is `rebuilding` tables, SQLite lets references lead nowhere meanwhile: whoever
        asks for that checks them in the end (`migrating.upgrade` does).
        """
        with self._lock, self.failures(), self.engine.connect() as connection:
            options = {
                "cleverdon_writes": True,
                "cleverdon_waits": durable,
                "cleverdon_rebuilds": rebuilding,
            }
            connection = connection.execution_options(**options)
            with connection.begin():
                if not self.is_sqlite:
                    limit = {"limit": f"{1000 * _PATIENCE:g}"}
                    connection.execute(_BEGIN_POSTGRESQL[durable], limit)
                yield connection
            if self._file is not None:
                self._file.check()

    def own_connection(self) -> Connection:
        """A connection outside of the pool; each of its statements is a transaction."""
        connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        return connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Raise a StoreFailure where the database fails."""
        try:
            yield
        except DataError as error:  # a null character, as PostgreSQL has none
            said = str(error.orig).strip().split("\n")[0]
            raise Invalid(f"the database does not take a value that was given: {said}") from error
        except DBAPIError as error:
            raise _failure(error, self.name) from error


def _url(url: str | URL) -> URL:
    try:
        made = make_url(url)
        backend = made.get_backend_name()
    except (ArgumentError, NoSuchModuleError):
        backend = ""
    if backend not in ("sqlite", "postgresql"):
        raise OptionError(
            f"the database {url!r} is not known: give postgresql://USER:PASSWORD@HOST/NAME, or "
            "nothing for a file in the project's folder"
        )
    return made.set(drivername="postgresql+psycopg") if backend == "postgresql" else made


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(
            url,
            connect_args={"timeout": _PATIENCE, "check_same_thread": False},
            pool_size=_THREADS,
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        # Asked before each use whether it still lives: a server may have been restarted.
        return create_engine(
            url,
            connect_args={name: value for name, value in _NETWORK.items() if name not in url.query},
            pool_pre_ping=True,
            pool_size=_THREADS // 2,  # a server has 100 for all that use it
            max_overflow=_THREADS // 2,
        )
    except ModuleNotFoundError:
        raise MissingExtra("a project on PostgreSQL", package="psycopg[binary]") from None


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says so
    connection.execute("PRAGMA journal_mode = WAL")  # who reads waits for nobody


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("cleverdon_reads_once"):
        return
    if not options.get("cleverdon_writes"):
        connection.exec_driver_sql("BEGIN")
        return
    # FULL: a commit returns when it is on the disk, not sooner.
    _set(connection, "synchronous", "FULL" if options["cleverdon_waits"] else "NORMAL")
    # To change a table, a migration makes a new one and drops the old: SQLite would take all that
    # refers to it for lost. It can be told otherwise only before a transaction begins.
    _set(connection, "foreign_keys", "OFF" if options["cleverdon_rebuilds"] else "ON")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _set(connection: Connection, name: str, value: str) -> None:
    """Set what a connection of SQLite keeps for good, unless it is so already."""
    if connection.info.get(name) != value:
        connection.exec_driver_sql(f"PRAGMA {name} = {value}")
        connection.info[name] = value


def _lacks_room(error: DBAPIError, name: str) -> bool:
    """Whether SQLite failed for lack of room without saying so, as when it cannot begin to read."""
    if not getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_IOERR"):
        return False
    return disk_usage(Path(name).parent).free < _ROOM


def _failure(error: DBAPIError, name: str) -> StoreFailure:
    """What went wrong, and what helps."""
    said = str(error.orig).strip().split("\n")[0]
    if "disk is full" in said or _lacks_room(error, name):
        return StoreFailure(
            f"the disk is full: free some space beside {name}; nothing of this was written",
            public="the disk is full",
        )
    if "readonly" in said:
        return StoreFailure(
            f"{name} may not be written: give the server's user the right to",
            public="the database may not be written",
        )
    if "locked" in said or "lock timeout" in said:
        return StoreFailure(
            f"{name} is being written by another program; try again",
            public="another program is writing to the database",
        )
    return StoreFailure(
        f"the database {name} failed: {said}", public="the database does not answer"
    )
