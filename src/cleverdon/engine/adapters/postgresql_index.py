"""A table of documents in PostgreSQL, with a vector that it keeps itself and an index of that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from cleverdon.engine.adapters.postgresql_driver import psycopg, sql
from cleverdon.engine.adapters.postgresql_text import clean, table_name
from cleverdon.engine.protocol import Document
from cleverdon.errors import InputError

_Connection = psycopg.Connection[tuple[Any, ...]]
_MADE = "made by cleverdon of {} documents"


def build(
    connection: _Connection,
    documents: Iterable[Document],
    *,
    table: str,
    id: str,
    vector: str,
    definition: sql.Composed,
    replace: bool,
) -> None:
    """Fill a table of another name, and put it in the place of the old one: all or nothing."""
    if not replace:
        _check_replaceable(connection, table)
    schema, dot, name = table.rpartition(".")
    unfinished = table_name(f"{schema}{dot}{name}_{os.getpid()}")
    final = table_name(table)
    with connection.transaction():
        connection.execute(
            sql.SQL(
                "CREATE TABLE {table} ({id} text PRIMARY KEY, title text NOT NULL, text text"
                " NOT NULL, {vector} tsvector GENERATED ALWAYS AS {definition} STORED)"
            ).format(
                table=unfinished,
                id=sql.Identifier(id),
                vector=sql.Identifier(vector),
                definition=definition,
            )
        )
        held = _copy(connection, documents, unfinished, id)
        connection.execute(
            sql.SQL("CREATE INDEX ON {} USING gin ({})").format(unfinished, sql.Identifier(vector))
        )
        connection.execute(sql.SQL("ANALYZE {}").format(unfinished))
        said = sql.Literal(_MADE.format(held))
        connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(unfinished, said))
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(final))
        connection.execute(
            sql.SQL("ALTER TABLE {} RENAME TO {}").format(unfinished, sql.Identifier(name))
        )


def size_of(connection: _Connection, table: str) -> int | None:
    """The bytes of a table and of its indexes; None where there is no such table."""
    quoted = table_name(table).as_string(connection)
    row = connection.execute("SELECT pg_total_relation_size(to_regclass(%s))", [quoted]).fetchone()
    return None if row is None else row[0]


def _copy(
    connection: _Connection, documents: Iterable[Document], table: sql.Identifier, id: str
) -> int:
    held = 0
    columns = sql.SQL(", ").join(map(sql.Identifier, (id, "title", "text")))
    with connection.cursor() as cursor:
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(table, columns)
        with cursor.copy(statement) as copy:
            for document in documents:
                copy.write_row((clean(document.id), clean(document.title), clean(document.text)))
                held += 1
    return held


def _check_replaceable(connection: _Connection, table: str) -> None:
    """Raise an error where a table has anything that `build` did not put there."""
    quoted = table_name(table).as_string(connection)
    row = connection.execute(
        "SELECT obj_description(to_regclass(%s), 'pg_class'), to_regclass(%s) IS NOT NULL",
        [quoted, quoted],
    ).fetchone()
    comment, there = row or (None, False)
    if not there:
        return
    made = re.fullmatch(_MADE.format(r"(\d+)"), comment or "")
    count = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(table_name(table)))
    if made is None or count.fetchone() != (int(made[1]),):
        changed = "made this table, and its rows have changed since"
        found = "did not make this table" if made is None else changed
        raise InputError(
            f"cleverdon {found}; give another, or say replace = true to lose what is in it",
            source=table,
        )
