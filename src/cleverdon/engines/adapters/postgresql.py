"""PostgreSQL's full-text search as an engine.

Names, vectors, weights and queries are quoted, so that no text is read as SQL. Indexing fills a new
table, with a vector column that PostgreSQL maintains and a GIN index of it; the table takes the
place of the old one when it is whole.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from threading import local
from typing import Any, LiteralString, Self
from urllib.parse import unquote

from cleverdon._common.extras import importing
from cleverdon.engines.adapters import (
    check_option_names,
    checked_weights,
    parse_options,
    split_names,
    text_options,
)
from cleverdon.engines.adapters.local import ThreadedEngine
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import (
    InputError,
    OptionError,
    check_count,
    check_within,
    check_word,
    suggest,
)

# Either psycopg itself may be missing, or the library of PostgreSQL's that it calls.
with importing("searching PostgreSQL", package="'psycopg[binary]'"):
    import psycopg
    from psycopg import conninfo, sql
    from psycopg.pq import Conninfo


_WEIGHT_LABELS = "ABCD"  # the weight labels of a vector, that of the first column first

_RANK_FUNCTIONS: dict[str, LiteralString] = {"ts_rank": "ts_rank", "ts_rank_cd": "ts_rank_cd"}

_QUERY_OPERATORS: dict[str, LiteralString] = {
    # Every word is optional. Words are quoted in the text of a query, so that the operators are
    # what stands between them; a plain query has no other.
    "or": "CAST(replace(plainto_tsquery({how}, %(query)s)::text, ' & ', ' | ') AS tsquery)",
    "and": "plainto_tsquery({how}, %(query)s)",
    "phrase": "phraseto_tsquery({how}, %(query)s)",
    "websearch": "websearch_to_tsquery({how}, %(query)s)",
}
"""The functions that parse a query. No text is a syntax error for any of them."""


def _vector_expression(columns: Sequence[str], configuration: str) -> sql.Composed:
    part = sql.SQL("setweight(to_tsvector({how}, coalesce({column}, '')), {label})")
    return sql.SQL("({})").format(
        sql.SQL(" || ").join(
            part.format(
                how=_regconfig(configuration),
                column=sql.Identifier(column),
                label=sql.Literal(label),
            )
            for column, label in zip(columns, _WEIGHT_LABELS, strict=False)
        )
    )


def _table_name(table: str) -> sql.Identifier:
    return sql.Identifier(*table.split("."))


def _label_weights(given: Mapping[str, float] | None, columns: Sequence[str]) -> dict[str, float]:
    labels = {
        **dict(zip(columns, _WEIGHT_LABELS, strict=False)),
        **{label: label for label in _WEIGHT_LABELS},
    }
    weights = dict.fromkeys(_WEIGHT_LABELS, 1.0)
    for name, weight in checked_weights(given, most=1).items():
        if name not in labels:
            raise OptionError(f"weights: there is no column {name!r}{suggest(name, labels)}")
        weights[labels[name]] = weight
    return weights


def _clean_text(text: str) -> str:
    """Replace NUL and lone surrogates, which PostgreSQL cannot hold."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _regconfig(configuration: str) -> sql.Composed:
    return sql.SQL("{}::regconfig").format(sql.Literal(configuration))


_Connection = psycopg.Connection[tuple[Any, ...]]
_MADE_COMMENT = "made by cleverdon of {} documents"


def _build_table(
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
    unfinished = _table_name(f"{schema}{dot}{name}_{os.getpid()}")
    final = _table_name(table)
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
        held = _copy_documents(connection, documents, unfinished, id)
        connection.execute(
            sql.SQL("CREATE INDEX ON {} USING gin ({})").format(unfinished, sql.Identifier(vector))
        )
        connection.execute(sql.SQL("ANALYZE {}").format(unfinished))
        said = sql.Literal(_MADE_COMMENT.format(held))
        connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(unfinished, said))
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(final))
        connection.execute(
            sql.SQL("ALTER TABLE {} RENAME TO {}").format(unfinished, sql.Identifier(name))
        )


def _copy_documents(
    connection: _Connection, documents: Iterable[Document], table: sql.Identifier, id: str
) -> int:
    held = 0
    columns = sql.SQL(", ").join(map(sql.Identifier, (id, "title", "text")))
    with connection.cursor() as cursor:
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(table, columns)
        with cursor.copy(statement) as copy:
            for document in documents:
                copy.write_row(
                    (
                        _clean_text(document.id),
                        _clean_text(document.title),
                        _clean_text(document.text),
                    )
                )
                held += 1
    return held


def _check_replaceable(connection: _Connection, table: str) -> None:
    """Raise an error where a table has anything that `_build_table` did not put there."""
    quoted = _table_name(table).as_string(connection)
    row = connection.execute(
        "SELECT obj_description(to_regclass(%s), 'pg_class'), to_regclass(%s) IS NOT NULL",
        [quoted, quoted],
    ).fetchone()
    comment, there = row or (None, False)
    if not there:
        return
    made = re.fullmatch(_MADE_COMMENT.format(r"(\d+)"), comment or "")
    count = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(_table_name(table)))
    if made is None or count.fetchone() != (int(made[1]),):
        changed = "made this table, and its rows have changed since"
        found = "did not make this table" if made is None else changed
        raise InputError(
            f"cleverdon {found}; give another, or say replace = true to lose what is in it",
            source=table,
        )


_SHOWN_CONNECTION = ("host", "hostaddr", "port", "dbname", "user", "service")
"""The options of a connection that results show; none may hold a secret."""
_FAILURE_KINDS = {
    "08": "connection",  # connection exceptions
    "57P": "connection",  # shut down by an administrator, or crashed
    "57P03": "overloaded",  # starting up
    "57014": "timeout",  # statement_timeout
    "53": "overloaded",  # too many connections, no memory, disk full
    "55P03": "overloaded",  # a lock that could not be had
    "42": "refused",  # no such table, no right to read it
    "28": "refused",  # no such user, wrong password
}
"""Kinds of failures by the longest beginning of PostgreSQL's code that is here."""


class PostgreSQL(ThreadedEngine):
    """A table with texts, searched by `@@` and ordered by a rank function.

    `operator` says what becomes of a query's words: "or" (a document needs one of them, and the
    rank decides; what a ranking is compared by), "and" (all, as plainto_tsquery), "phrase", or
    "websearch" (with quotes, OR and - as web searches have them). `weights` are those of columns,
    or of the labels A to D within a `vector` of one's own; all are 1 unless it says otherwise.
    """

    in_process = False

    def __init__(
        self,
        *,
        connection: str,
        table: str = "documents",
        id: str = "id",
        columns: Sequence[str] = ("title", "text"),
        vector: str = "vector",
        configuration: str = "english",
        rank: str = "ts_rank",
        normalization: int = 0,
        operator: str = "or",
        weights: Mapping[str, float] | None = None,
        timeout: float = 30.0,
        threads: int | None = None,
        replace: bool = False,
        name: str = "postgresql",
    ) -> None:
        super().__init__(threads=threads)
        columns = split_names(columns)
        if not 1 <= len(columns) <= len(_WEIGHT_LABELS):
            raise OptionError(f"columns={columns!r}: expected one to {len(_WEIGHT_LABELS)} columns")
        check_word("rank", rank, _RANK_FUNCTIONS)
        check_word("operator", operator, _QUERY_OPERATORS)
        check_within("timeout", timeout, 0, 86400)
        self.name = name
        self._connection = _checked_connection(connection)
        self._table, self._id, self._columns = table, id, columns
        self._vector, self._configuration = vector, configuration
        self._rank, self._operator = rank, operator
        self._normalization = check_count("normalization", normalization, least=0)
        self._weights = _label_weights(weights, columns)
        self._timeout, self._replace = timeout, replace
        self._select = self._statement()
        self._held = local()

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """`postgresql://USER@HOST/DATABASE?table=TABLE`; options of libpq may stand there too."""
        place, _, given = text.partition("?")
        own = [*inspect.signature(cls).parameters]
        options = parse_options(given, texts=text_options(cls))
        # libpq reads its own as they stand; ours are `option=value` or `option.within=value`.
        theirs = [
            part
            for part in given.split("&")
            if part and unquote(part.partition("=")[0]).partition(".")[0] not in own
        ]
        allowed = [known.keyword.decode() for known in Conninfo.get_defaults()]
        check_option_names("postgresql", options, [*own, *allowed])
        ours = {name: value for name, value in options.items() if name in own}
        return {**ours, "connection": "?".join(filter(None, [place, "&".join(theirs)]))}

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "postgresql",
            "connection": {k: v for k, v in self._connection.items() if k in _SHOWN_CONNECTION},
            "table": self._table,
            "columns": list(self._columns),
            "configuration": self._configuration,
            "rank": self._rank,
            "normalization": self._normalization,
            "operator": self._operator,
            "weights": self._weights,
        }

    async def __aenter__(self) -> Self:
        # What is wrong with the table or the connection is said once, before anything is asked.
        # To explain a statement is to plan it, and not to run it.
        try:
            with self._connect() as connection:
                connection.execute(sql.SQL("EXPLAIN ") + self._select, {"query": "", "k": 1})
        except psycopg.Error as error:
            raise _failure(error) from error
        return await super().__aenter__()

    def begin(self) -> None:
        self._held.connection = None  # made when it is needed, and again after it was lost

    def end(self) -> None:
        if self._held.connection is not None:
            self._held.connection.close()

    def answer(self, query: str, k: int) -> Results:
        try:
            if self._held.connection is None or self._held.connection.closed:
                self._held.connection = self._connect()
            cursor = self._held.connection.execute(
                self._select, {"query": _clean_text(query), "k": k}
            )
            return [(id, score) for id, score in cursor]
        except psycopg.Error as error:
            raise _failure(error) from error

    def index(self, documents: Iterable[Document]) -> None:
        """Fill a new table, which takes the place of the old one when it is whole.

        A table that others made, or changed since it was made, is only replaced with replace=true.
        """
        if self._columns != ["title", "text"] or not self._vector:
            raise OptionError(
                "columns and vector are for tables that are there already; indexing makes the "
                "columns title and text, and a vector of them"
            )
        try:
            with self._connect(timeout=0) as connection:
                vector = _vector_expression(self._columns, self._configuration)
                names = {"table": self._table, "id": self._id, "vector": self._vector}
                _build_table(
                    connection, documents, definition=vector, replace=self._replace, **names
                )
        except psycopg.Error as error:
            failure = _failure(error)
            if failure.kind == "connection":
                raise failure from error
            said = ": ".join(filter(None, [failure.message, error.diag.message_detail]))
            raise InputError(f"cannot be indexed: {said}", source=self._table) from error

    def size(self) -> int | None:
        try:
            with self._connect() as connection:
                name = _table_name(self._table).as_string(connection)
                size = "SELECT pg_total_relation_size(to_regclass(%s))"
                row = connection.execute(size, [name]).fetchone()
                return None if row is None else row[0]
        except psycopg.Error as error:
            raise _failure(error) from error

    def _connect(self, *, timeout: float | None = None) -> psycopg.Connection[tuple[Any, ...]]:
        given = {"connect_timeout": 10, "application_name": "cleverdon", **self._connection}
        # Nothing is prepared: with its words at hand the planner knows how many documents match,
        # and poolers of connections do not mix statements up.
        connection = psycopg.connect(**given, autocommit=True, prepare_threshold=None)
        limit = self._timeout if timeout is None else timeout
        connection.execute(
            "SELECT set_config('statement_timeout', %s, false)", [str(int(limit * 1000))]
        )
        return connection

    def _statement(self) -> sql.Composed:
        vector = (
            sql.Identifier(self._vector)
            if self._vector
            else _vector_expression(self._columns, self._configuration)
        )
        # The id last, by its bytes, so that equal scores come in the order of evaluation.
        return sql.SQL(
            "SELECT {id}::text, {rank}({weights}::real[], {vector}, asked, {normalization})::float8"
            " AS score FROM {table}, {asked} AS asked WHERE {vector} @@ asked"
            ' ORDER BY score DESC, {id}::text COLLATE "C" DESC LIMIT %(k)s'
        ).format(
            id=sql.Identifier(self._id),
            rank=sql.SQL(_RANK_FUNCTIONS[self._rank]),
            weights=sql.Literal([self._weights[label] for label in reversed(_WEIGHT_LABELS)]),
            vector=vector,
            normalization=sql.Literal(self._normalization),
            table=_table_name(self._table),
            asked=sql.SQL(_QUERY_OPERATORS[self._operator]).format(
                how=_regconfig(self._configuration)
            ),
        )


def _checked_connection(given: str) -> dict[str, Any]:
    try:
        return dict(conninfo.conninfo_to_dict(given))
    except psycopg.Error:
        raise OptionError(
            "connection: PostgreSQL cannot read it; expected postgresql://USER@HOST/DATABASE, or "
            "host=HOST dbname=DATABASE user=USER"
        ) from None


def _failure(error: psycopg.Error) -> SearchFailure:
    code = error.sqlstate
    said = " ".join((error.diag.message_primary or str(error) or type(error).__name__).split())
    if code is None:
        kind = "connection" if isinstance(error, psycopg.OperationalError) else "server"
        return SearchFailure(kind, said)
    begins = sorted(filter(code.startswith, _FAILURE_KINDS), key=len)
    if code == "42P01":
        said += "; cleverdon index makes one, and the option table says which"
    return SearchFailure(_FAILURE_KINDS[begins[-1]] if begins else "server", said)
