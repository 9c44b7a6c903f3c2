"""psycopg, or one line that says how to install it."""

from __future__ import annotations

from cleverdon.errors import MissingExtra

try:
    import psycopg
    from psycopg import conninfo, sql
    from psycopg.pq import Conninfo
except ImportError:  # of psycopg itself, or of the library of PostgreSQL's that it calls
    raise MissingExtra("searching PostgreSQL", package="'psycopg[binary]'") from None

__all__ = ["Conninfo", "conninfo", "psycopg", "sql"]
