"""Locks: one process at a time makes a project, and one server at a time serves it.

A lock is a file that the operating system unlocks when its process ends. A project on PostgreSQL
also has a lock in the database, because its folder can be copied.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import Event, Thread
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from cleverdon.assess.store import Database, StoreFailure
from cleverdon.errors import InputError

if TYPE_CHECKING:
    from cleverdon.assess.project import Project

_FILE = "serving.lock"
_LOG = logging.getLogger("cleverdon.judge")


@contextmanager
def only_server(project: Project) -> Iterator[Callable[[str], None]]:
    """Hold the project, or raise an InputError which says that another server does.

    Two servers would lose no judgment, since the database has one writer at a time. But each
    would feed adaptive pools and limit sign-in by what it saw itself. Commands may run beside a
    server: call what this gives with the server's address, and `served_address` finds it.
    """
    otherwise = "is served already, by another process: end that one first"
    with locked(project.folder / _FILE, otherwise) as file:

        def remember(address: str) -> None:
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)
            os.write(file, address.encode())

        if project.database.is_sqlite:
            yield remember
        else:
            with DatabaseLock(project.database):
                yield remember


def served_address(folder: Path) -> str | None:
    """Where the server of a folder is found, or was found last; None before the first one."""
    try:
        return (folder / _FILE).read_text(encoding="utf-8") or None
    except FileNotFoundError:
        return None


@contextmanager
def locked(file: Path, otherwise: str) -> Iterator[int]:
    """Hold a file; where another process does, an InputError says `otherwise` of its folder."""
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


_CHECK_EVERY = 5.0
"""Seconds between two checks that the lock in the database is still held."""

_PATIENCE = 2.0
"""Seconds to wait for a session that is just ending."""

# The lock has two numbers: ours, and the number of a table of the project. So projects in different
# schemas of one database do not lock each other out.
_OURS = "CAST(:servers AS int)"
_TABLE = "CAST(to_regclass('alembic_version') AS oid)"
_SERVERS = {"servers": 0x0C1E7E53}
_TAKE = text(f"SELECT pg_try_advisory_lock({_OURS}, CAST({_TABLE} AS int))")
_HOLDER = text(
    "SELECT pid, coalesce(host(client_addr), 'a local socket') AS client,"
    " to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS since"
    " FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND granted AND objsubid = 2"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    f" AND classid = CAST({_OURS} AS oid) AND objid = {_TABLE}"
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


class DatabaseLock:
    """The lock of a server in a PostgreSQL database, held by a connection of its own.

    A thread checks the connection, and takes the lock again after the database was restarted. If
    another server was faster, this one ends, with an InputError.
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
                        raise InputError(self._said(connection), source=self._database.name)
                    time.sleep(0.1)
            except BaseException:
                connection.close()
                raise
            return connection

    def _said(self, connection: Connection) -> str:
        found = connection.execute(_HOLDER, _SERVERS).first()
        if found is None:  # it has just ended
            return "was being served by another server: try again"
        return (
            f"is served already, by another server (connected from {found.client} since "
            f"{found.since} UTC, process {found.pid} of PostgreSQL): end that one first"
        )

    def _watch(self) -> None:
        held = True
        while not self._end.wait(_CHECK_EVERY):
            try:
                if held:
                    self._connection.exec_driver_sql("SELECT 1")
                else:
                    self._connection = self._taken()
                    held = True
            except (DBAPIError, StoreFailure):
                held = False  # the database is gone: nobody can take the lock meanwhile
                self._connection.close()
            except InputError as error:
                self._lost = error
                _LOG.error("%s; this one ends", error)
                interrupt_main(signal.SIGTERM)
                return
