"""Connections: made by Ibis, and never with a password in a message."""

from __future__ import annotations

import re
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError, suggest
from cleverdon.online.reading.spec import Kind

if TYPE_CHECKING:
    import ibis


_OF_FILES = ("duckdb", "sqlite")
"""Schemes of connection strings that name a file: it has no user and no password."""
_SECRET = "(?:passw|pwd|token|secret|key|credential|auth)"
"""What names of parameters have in them whose values are secret."""
_LEAST = 4
"""How long a secret has to be to be taken out wherever it stands."""


def connected(url: str | None, *, memory: str | None = None) -> tuple[Any, str]:
    """An Ibis backend and what it is called; without a URL, a DuckDB in memory that can spill.

    `memory` is how much a DuckDB may take before it does, as in `4GB`.
    """
    import ibis

    if url is None:
        spill = Path(tempfile.gettempdir()) / f"cleverdon-logs-{uuid4().hex}"
        backend = ibis.duckdb.connect(temp_directory=str(spill))
        _settle(backend, memory)
        return backend, "memory"
    name = without_secrets(url)
    try:
        backend = ibis.connect(url)
    except ImportError as error:
        package = (error.name or "its driver").partition(".")[0]
        raise MissingExtra(f"connecting to {name}", package=package) from None
    except Exception as error:  # every driver has its own
        told = _scrubbed(" ".join(str(error).split()), url)
        raise InputError(f"cannot connect: {told or type(error).__name__}", source=name) from None
    if backend.name == "duckdb":
        _settle(backend, memory)
    return backend, name


def _settle(backend: Any, memory: str | None) -> None:
    """Times are in UTC; bars are the command line's own; memory is bounded, where it is said."""
    backend.raw_sql("SET TimeZone = 'UTC'")
    backend.raw_sql("SET enable_progress_bar = false")
    if memory is None:
        return
    if not re.fullmatch(r"\d+(\.\d+)? ?[kKMGT]i?B", memory):
        raise OptionError(f"memory={memory!r}: write how much, as in 4GB or 500MB")
    backend.raw_sql(f"SET memory_limit = '{memory}'")


def without_secrets(url: str) -> str:
    """A connection string without user, password and parameters.

    >>> without_secrets("postgres://me:secret@host:5432/logs?sslkey=x")
    'postgres://host:5432/logs'
    """
    scheme, scheme_ends, rest = url.partition("://")
    if not scheme_ends:
        return url
    if scheme in _OF_FILES:
        return url.partition("?")[0]
    place = rest.partition("?")[0].partition("#")[0]
    host, slash, path = place.partition("/")
    if "@" in place and "@" not in host:  # a password may have a slash in it
        host, slash, path = place.rpartition("@")[2].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def _scrubbed(message: str, url: str) -> str:
    """A message of a driver without what is secret in the URL.

    A password of a few letters may stand within any word: it is only taken out of addresses.
    """
    scheme, _, rest = url.partition("://")
    given = parse_qsl(rest.partition("?")[2])
    secrets = {value for name, value in given if re.search(_SECRET, name, re.IGNORECASE)}
    if scheme not in _OF_FILES:
        password = rest.rpartition("@")[0].partition(":")[2]
        secrets |= {password, unquote(password)}
        message = re.sub(r"://\S*@", "://***@", message)
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _LEAST:
            message = message.replace(secret, "***")
    return re.sub(rf"(\w*{_SECRET}\w*)=[^\s&]+", r"\1=***", message, flags=re.IGNORECASE)


@contextmanager
def readable(given: str) -> Iterator[None]:
    """Turn what engines raise into an InputError that starts with the log's name."""
    import duckdb
    from ibis.common.exceptions import IbisError

    try:
        yield
    except CleverdonError:
        raise
    except (duckdb.Error, IbisError, EOFError, OSError, zlib.error) as error:
        raise _unreadable(error, given) from None
    except Exception as error:
        if "://" not in given:
            raise  # a defect, and not what a driver says
        raise _unreadable(error, given) from None


def _unreadable(error: Exception, given: str) -> InputError:
    told = str(error).strip().partition("\n")[0]
    if "://" in given:
        told = _scrubbed(told, given)
    name = without_secrets(given)
    return InputError(f"the log cannot be read: {told or type(error).__name__}", source=name)


def described(backend: Any) -> str:
    """What a connection that was handed over is called: nothing of how it was made."""
    return f"{backend.name} tables"


def tables_of(
    backend: Any, name: str, queries: str | None, events: str | None
) -> list[tuple[Kind, str, ibis.Table]]:
    """The tables that were named, or those called queries and events."""
    chosen: dict[Kind, str | None] = {"queries": queries, "events": events}
    if not queries and not events:
        known = _listed(backend, "")
        chosen = {
            role: next((table for table in known if table.lower() in (role, f"ubi_{role}")), None)
            for role in chosen
        }
        if not any(chosen.values()):
            listed = ", ".join(known[:12]) or "none"
            raise InputError(
                "which tables hold the log? name them by queries='TABLE', events='TABLE', on the "
                f"command line --queries TABLE --events TABLE; there are: {listed}",
                source=name,
            )
    return [
        (role, f"{name} {table}", _table(backend, name, table))
        for role, table in chosen.items()
        if table
    ]


def _table(backend: Any, name: str, table: str) -> ibis.Table:
    database, _, last = table.rpartition(".")
    try:
        return backend.table(last, database=database or None)
    except Exception:  # every engine has its own
        known = _listed(backend, database)
        hint = suggest(last, known) if known else ""
        raise InputError(f"there is no table {table!r}{hint}", source=name) from None


def _listed(backend: Any, database: str) -> list[str]:
    """The tables there are; none where there is no such schema either."""
    try:
        return list(backend.list_tables(database=database or None))
    except Exception:  # every engine has its own
        return []
