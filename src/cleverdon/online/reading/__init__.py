"""Reading search logs as they are: every kind of file and table to one `Log`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cleverdon.errors import MissingExtra

if TYPE_CHECKING:
    from cleverdon.online.log import Log

__all__ = ["read_log"]


def read_log(
    *sources: str | Path,
    format: str | None = None,
    mapping: str | Path | Mapping[str, Any] | None = None,
    timezone: str | None = None,
    queries: str | None = None,
    events: str | None = None,
    connection: Any = None,
    memory: str | None = None,
) -> Log:
    """A search log, from files, folders, or the tables of a database.

    `sources` are files (Parquet, JSON lines, JSON, CSV, TSV, plain lines; packed by gzip or not), a
    folder of files named `queries*` and `events*`, a DuckDB file, or one connection string as Ibis
    understands it. `connection` is an Ibis backend that is connected already, as to Spark. Of a
    database, `queries` and `events` name the tables.

    The format is seen from the columns, unless `format` names one or `mapping` says which column
    is what: a YAML or TOML file, or a dictionary. Times without a zone are taken to be in
    `timezone`, or else in UTC.

    DuckDB takes at most `memory`, as in `4GB`, and then goes on on disk; by default that is four
    fifths of what the machine has.

    Rows that cannot be used are counted and shown in `Log.aside`.
    """
    try:
        import duckdb  # noqa: F401
        import ibis  # noqa: F401
    except ImportError:
        raise MissingExtra("reading logs", package="ibis-framework", extra="logs") from None
    from cleverdon.online.reading.reader import read

    return read(
        sources,
        format=format,
        mapping=mapping,
        timezone=timezone,
        queries=queries,
        events=events,
        connection=connection,
        memory=memory,
    )
