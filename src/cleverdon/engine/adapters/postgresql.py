"""PostgreSQL's full-text search as an engine."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from threading import local
from typing import Any, Self
from urllib.parse import unquote

from cleverdon.engine.adapters.option_types import names_of, texts_of
from cleverdon.engine.adapters.postgresql_driver import Conninfo, conninfo, psycopg, sql
from cleverdon.engine.adapters.postgresql_index import build, size_of
from cleverdon.engine.adapters.postgresql_text import (
    LABELS,
    OPERATORS,
    RANKS,
    asked,
    clean,
    table_name,
    vector_of,
    weights_of,
)
from cleverdon.engine.adapters.short import check_options, options_of
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Document, Results
from cleverdon.engine.threaded import ThreadedEngine
from cleverdon.errors import InputError, OptionError, check_count, check_within, check_word

_SHOWN = ("host", "hostaddr", "port", "dbname", "user", "service")
"""What results say of a connection: no password, no file of keys, no option that may hold one."""
_KINDS = {
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
        columns = names_of(columns)
        if not 1 <= len(columns) <= len(LABELS):
            raise OptionError(f"columns={columns!r}: expected one to {len(LABELS)} columns")
        check_word("rank", rank, RANKS)
        check_word("operator", operator, OPERATORS)
        check_within("timeout", timeout, 0, 86400)
        self.name = name
        self._connection = _checked_connection(connection)
        self._table, self._id, self._columns = table, id, columns
        self._vector, self._configuration = vector, configuration
        self._rank, self._operator = rank, operator
        self._normalization = check_count("normalization", normalization, least=0)
        self._weights = weights_of(weights, columns)
        self._timeout, self._replace = timeout, replace
        self._select = self._statement()
        self._held = local()

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """`postgresql://USER@HOST/DATABASE?table=TABLE`; options of libpq may stand there too."""
        place, _, given = text.partition("?")
        own = [*inspect.signature(cls).parameters]
        options = options_of(given, texts=texts_of(cls))
        # libpq reads its own as they stand.
        theirs = [part for part in given.split("&") if part and not _names(part, own)]
        allowed = [known.keyword.decode() for known in Conninfo.get_defaults()]
        check_options("postgresql", options, [*own, *allowed])
        ours = {name: value for name, value in options.items() if name in own}
        return {**ours, "connection": "?".join(filter(None, [place, "&".join(theirs)]))}

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "postgresql",
            "connection": {k: v for k, v in self._connection.items() if k in _SHOWN},
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
            cursor = self._held.connection.execute(self._select, {"query": clean(query), "k": k})
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
                vector = vector_of(self._columns, self._configuration)
                names = {"table": self._table, "id": self._id, "vector": self._vector}
                build(connection, documents, definition=vector, replace=self._replace, **names)
        except psycopg.Error as error:
            failure = _failure(error)
            if failure.kind == "connection":
                raise failure from error
            said = ": ".join(filter(None, [failure.message, error.diag.message_detail]))
            raise InputError(f"cannot be indexed: {said}", source=self._table) from error

    def size(self) -> int | None:
        """The bytes of the table with all of its indexes."""
        try:
            with self._connect() as connection:
                return size_of(connection, self._table)
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
            else vector_of(self._columns, self._configuration)
        )
        # The id last, by its bytes, so that equal scores come in the order of evaluation.
        return sql.SQL(
            "SELECT {id}::text, {rank}({weights}::real[], {vector}, asked, {normalization})::float8"
            " AS score FROM {table}, {asked} AS asked WHERE {vector} @@ asked"
            ' ORDER BY score DESC, {id}::text COLLATE "C" DESC LIMIT %(k)s'
        ).format(
            id=sql.Identifier(self._id),
            rank=sql.SQL(RANKS[self._rank]),
            weights=sql.Literal([self._weights[label] for label in reversed(LABELS)]),
            vector=vector,
            normalization=sql.Literal(self._normalization),
            table=table_name(self._table),
            asked=asked(self._operator, self._configuration),
        )


def _checked_connection(given: str) -> dict[str, Any]:
    """What a URL or a string of `name=value` says; the message never repeats it."""
    try:
        return dict(conninfo.conninfo_to_dict(given))
    except psycopg.Error:
        raise OptionError(
            "connection: PostgreSQL cannot read it; expected postgresql://USER@HOST/DATABASE, or "
            "host=HOST dbname=DATABASE user=USER"
        ) from None


def _names(part: str, options: Sequence[str]) -> bool:
    """Whether `option=value`, or `option.within=value`, is one of these options."""
    return unquote(part.partition("=")[0]).partition(".")[0] in options


def _failure(error: psycopg.Error) -> SearchFailure:
    code = error.sqlstate
    said = " ".join((error.diag.message_primary or str(error) or type(error).__name__).split())
    if code is None:
        kind = "connection" if isinstance(error, psycopg.OperationalError) else "server"
        return SearchFailure(kind, said)
    begins = sorted(filter(code.startswith, _KINDS), key=len)
    if code == "42P01":
        said += "; cleverdon index makes one, and the option table says which"
    return SearchFailure(_KINDS[begins[-1]] if begins else "server", said)
