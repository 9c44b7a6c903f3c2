"""The database: SQLite in the project's folder, or PostgreSQL by a URL.

One transaction writes at a time, so queues and leases need no care about concurrent writers; a
write takes about a millisecond. When `writing` has ended without an error, the data is on the disk.
SQLite would go on writing to a file that was deleted or replaced: `_DatabaseFile` notices it. The
folder migrations/ has Alembic's migrations.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from threading import Lock
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError

from cleverdon._common.extras import importing
from cleverdon.errors import OptionError
from cleverdon.judging.errors import DatabaseFailure, Invalid


class _DatabaseFile:
    """A file by its path, and its identity when it was first opened."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None
        # Before a further connection too: it would make an empty file in the place of a lost one.
        event.listen(engine, "do_connect", lambda *_: self.check())
        event.listen(engine, "connect", lambda *_: self._remember())

    def check(self) -> None:
        """Raise if it was moved, deleted or replaced."""
        if self._opened is None:
            return
        try:
            found = self._identity()
        except OSError:
            raise DatabaseFailure(
                f"{self._path} is gone, while it was in use: put it back, or restore a backup and "
                "start the server again",
                public="the database is gone",
            ) from None
        if found != self._opened:
            raise DatabaseFailure(
                f"{self._path} was replaced while it was in use: start the server again",
                public="the database was replaced while it was in use",
            )

    def _remember(self) -> None:
        if self._opened is None:
            self._opened = self._identity()

    def _identity(self) -> tuple[int, int]:
        facts = os.stat(self._path)
        return facts.st_dev, facts.st_ino


_PATIENCE = 10.0  # seconds to wait for another process that writes, or for a server to answer
_THREADS = 40  # as many as a server answers in: a connection to a file is kept for each
_ROOM = 100_000  # bytes that SQLite needs beside a database, to open it
_WRITERS = 0x0C1E7E4D  # the advisory lock of PostgreSQL that a writer holds
# PostgreSQL's client notices a lost connection only after a quarter of an hour by default, and all
# who judge would wait for it. The URL may override these settings.
_NETWORK = {
    "connect_timeout": int(_PATIENCE),
    "tcp_user_timeout": int(1000 * _PATIENCE),
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
# The server, the database or the user may be set up to answer before a commit is on the disk.
_SETTING = "current_setting('synchronous_commit')"
_DURABLE = f"CASE {_SETTING} WHEN 'off' THEN 'on' ELSE {_SETTING} END"
# One statement takes the lock, because each one is a round trip to the server.
_BEGIN_POSTGRESQL = {
    durable: text(
        "SELECT set_config('lock_timeout', :limit, true),"
        f" set_config('synchronous_commit', {setting}, true), pg_advisory_xact_lock({_WRITERS})"
    )
    for durable, setting in ((True, _DURABLE), (False, "'off'"))
}


class Database:
    """Transactions that read or write a database."""

    def __init__(self, url: str | URL) -> None:
        self.url = _url(url)
        self._lock = Lock()
        self.engine = _engine(self.url)
        self._file = None if self._path is None else _DatabaseFile(self.engine, self._path)

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @property
    def _path(self) -> str | None:
        """The file that is written to, where it is one."""
        return self.url.database if self.is_sqlite and "uri" not in self.url.query else None

    @property
    def name(self) -> str:
        """The place of the database, without the password."""
        path = self._path
        return self.url.render_as_string(hide_password=True) if path is None else path

    @contextmanager
    def reading(self, *, once: bool = False) -> Iterator[Connection]:
        """Open a transaction that sees one state; with `once`, a single statement needs none."""
        with self.failures(), self.engine.connect() as connection:
            if once:
                connection = connection.execution_options(cleverdon_reads_once=True)
            elif not self.is_sqlite:  # which sees one state by itself
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True, rebuilding: bool = False) -> Iterator[Connection]:
        """Open the one transaction that writes; the data is on the disk when the block ends.

        A transaction that is not durable does not wait for the disk: if the machine fails, it may
        be lost with all later ones. While `rebuilding` tables, SQLite does not check references;
        the caller checks them at the end (`upgrade` does).
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
        """Open a connection outside of the pool, in autocommit mode."""
        connection = self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()
        return connection

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Raise a DatabaseFailure where the database fails."""
        try:
            yield
        except DataError as error:  # a null character, as PostgreSQL has none
            reason = str(error.orig).strip().split("\n")[0]
            raise Invalid(f"the database does not take a value that was given: {reason}") from error
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
            url, connect_args={"timeout": _PATIENCE, "check_same_thread": False}, pool_size=_THREADS
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    with importing("a project on PostgreSQL", package="psycopg[binary]"):
        return create_engine(
            url,
            connect_args={name: value for name, value in _NETWORK.items() if name not in url.query},
            pool_pre_ping=True,  # the server may have been restarted
            pool_size=_THREADS // 2,  # a server has 100 for all that use it
            max_overflow=_THREADS // 2,
        )


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `_begin_sqlite` begins transactions
    connection.execute("PRAGMA journal_mode = WAL")  # so that readers never wait


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("cleverdon_reads_once"):
        return
    if not options.get("cleverdon_writes"):
        connection.exec_driver_sql("BEGIN")
        return
    # FULL: a commit returns when it is on the disk, not sooner.
    _set(connection, "synchronous", "FULL" if options["cleverdon_waits"] else "NORMAL")
    # A migration changes a table by making a new one and dropping the old one, which breaks
    # references meanwhile. Checking them can be turned off only before a transaction begins.
    _set(connection, "foreign_keys", "OFF" if options["cleverdon_rebuilds"] else "ON")
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _set(connection: Connection, name: str, value: str) -> None:
    """Set a permanent property of an SQLite connection, unless it is set already."""
    if connection.info.get(name) != value:
        connection.exec_driver_sql(f"PRAGMA {name} = {value}")
        connection.info[name] = value


def _failure(error: DBAPIError, name: str) -> DatabaseFailure:
    reason = str(error.orig).strip().split("\n")[0]
    # SQLite may fail for lack of disk space without saying so.
    failed_io = getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_IOERR")
    if "disk is full" in reason or (failed_io and disk_usage(Path(name).parent).free < _ROOM):
        return DatabaseFailure(
            f"the disk is full: free some space where {name} is; nothing was written",
            public="the disk is full",
        )
    if "readonly" in reason:
        return DatabaseFailure(
            f"{name} cannot be written: give the server's user write permission",
            public="the database cannot be written",
        )
    if "locked" in reason or "lock timeout" in reason:
        return DatabaseFailure(
            f"{name} is being written by another program; try again",
            public="another program is writing to the database",
        )
    return DatabaseFailure(
        f"the database {name} failed: {reason}", public="the database does not answer"
    )


_SCRIPTS = Path(__file__).with_name("migrations")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def newest_revision() -> str:
    """Return the revision of the schema that this version knows."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None, "there are migrations"
    return head


def current_revision(connection: Connection) -> str | None:
    """Return the revision of a database; None where it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate(database: Database) -> tuple[str | None, str]:
    """Upgrade a database in one transaction; return the revisions before and after."""
    with database.writing(rebuilding=True) as connection:
        before = current_revision(connection)
        if before is not None:
            check_known_revision(before, what=database.name)
        if before != newest_revision():
            upgrade(connection)
        return before, newest_revision()


def upgrade(connection: Connection, to: str = "head") -> None:
    """Upgrade a database to a revision and check all references, in a `rebuilding` transaction."""
    command.upgrade(_config(connection), to)
    if connection.dialect.name == "sqlite":
        lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if lost is not None:
            raise DatabaseFailure(
                f"the tables do not fit together: a row of {lost[0]!r} refers to one of "
                f"{lost[2]!r} that is not there"
            )


def check_known_revision(form: str, *, what: str) -> None:
    """Raise a DatabaseFailure for an unknown revision, which only a newer version can have made."""
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if form not in known:
        raise DatabaseFailure(
            f"{what} was made by a newer Cleverdon (its form is {form!r}): install that version, "
            "pip install --upgrade cleverdon"
        )


def check_newest_revision(database: Database) -> None:
    """Raise a DatabaseFailure if a database that is only read does not have the newest revision."""
    with database.reading() as connection:
        form = current_revision(connection)
    if form is None:
        raise DatabaseFailure(f"{database.name} is empty; restore it from a backup")
    check_known_revision(form, what=database.name)
    if form != newest_revision():
        raise DatabaseFailure(
            f"{database.name} was made by an older Cleverdon (its form is {form!r}), and is only "
            "read here: upgrade it first, by `cleverdon judge status` of its folder, which writes "
            "a backup into the folder"
        )
