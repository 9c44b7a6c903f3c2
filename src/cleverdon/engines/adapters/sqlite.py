"""SQLite's FTS5 as an engine: one file, read by several threads at once."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from threading import local
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from cleverdon.engines.adapters import checked_weights, split_names
from cleverdon.engines.adapters.local import LocalIndex, first_results, query_words, replacing_file
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import CleverdonError, InputError, OptionError, check_word, suggest

if TYPE_CHECKING:
    from sqlite3 import Connection


_ADVICE = (
    "{purpose} needs SQLite's FTS5, which this Python does not have ({found}); "
    "a Python whose sqlite3 module has FTS5 is needed: the usual installers' and distributions' do"
)


def _match_expression(text: str, *, operator: str = "OR", ignored: Collection[str] = ()) -> str:
    """Write a text as an FTS5 expression: its words in quotes, so that none is syntax.

    >>> _match_expression('Sort by "key" - NOT value')
    '"sort" OR "by" OR "key" OR "not" OR "value"'
    """
    terms = dict.fromkeys(query_words(text))  # a word said twice is asked for once
    return f" {operator} ".join(f'"{term}"' for term in terms if term not in ignored)


def _sqlite_with_fts5(purpose: str) -> ModuleType:
    """Return the module sqlite3; raise an error if it lacks FTS5."""
    try:
        import sqlite3  # not above, because a Python can be built without it
    except ImportError as error:
        raise CleverdonError(_ADVICE.format(purpose=purpose, found=error)) from error
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE temp.probe USING fts5(text)")
    except sqlite3.OperationalError as error:
        raise CleverdonError(_ADVICE.format(purpose=purpose, found=error)) from error
    finally:
        database.close()
    return sqlite3


_APPLICATION_ID = 0x436C6576  # the application_id of the files that `index` makes: "Clev"
_TOKENIZE = re.compile(r"tokenize\s*=\s*(?:'([^']*)'|\"([^\"]*)\")", re.IGNORECASE)


class SQLite(LocalIndex):
    """BM25 over an FTS5 table.

    `weights` are those of columns, by name; `operator` says whether a document needs one word of
    the query ("or") or all of them ("and"), and words that are `ignored` are not asked for. `id` is
    the column of documents' ids, which may be "rowid". A file that `index` makes has the columns
    id, title and text, cut into words by `tokenizer`, such as "porter unicode61".
    """

    kind = "sqlite"
    place_option = "file"

    def __init__(
        self,
        *,
        file: str | os.PathLike[str],
        table: str = "documents",
        id: str = "id",
        weights: Mapping[str, float] | None = None,
        tokenizer: str | None = None,
        operator: str = "or",
        ignored: Collection[str] = (),
        threads: int | None = None,
        name: str = "sqlite",
    ) -> None:
        super().__init__(file, name=name, threads=threads)
        check_word("operator", operator, ("or", "and"))
        self._table, self._id = table, id
        self._weights = checked_weights(weights)
        self._tokenizer = tokenizer
        self._operator = operator.upper()
        self._ignored = frozenset(split_names(ignored))
        self._held = local()

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "sqlite",
            "file": str(self._path),
            "table": self._table,
            "operator": self._operator.lower(),
            "weights": dict(self._weights),
            "tokenizer": self._tokenizer,
            "ignored": sorted(self._ignored),
        }

    async def __aenter__(self) -> Self:
        with self._opened() as database:  # what is wrong is said once, before anything is asked
            self._check(database)
        return await super().__aenter__()

    def begin(self) -> None:
        self._held.database = self._connect()
        self._held.sql = self._select(self._held.database)

    def end(self) -> None:
        self._held.database.close()

    def answer(self, query: str, k: int) -> Results:
        expression = _match_expression(query, operator=self._operator, ignored=self._ignored)
        if not expression:
            return []  # FTS5 takes no empty expression
        import sqlite3

        database, sql = self._held.database, self._held.sql

        def fetch(wanted: int) -> Results:
            rows = database.execute(sql, (expression, wanted)).fetchall()
            return [(self._id_of(row, held), score) for row, held, score in rows]

        try:
            return first_results(k, fetch)
        except sqlite3.Error as error:
            raise SearchFailure("server", f"SQLite: {error}") from error

    def index(self, documents: Iterable[Document]) -> None:
        """Write the file anew; it takes its place in one step, when it is whole."""
        sqlite3 = _sqlite_with_fts5("indexing")
        self._check_replaceable()
        try:
            with (
                replacing_file(self._path) as unfinished,
                closing(sqlite3.connect(unfinished, isolation_level=None)) as database,
            ):
                self._fill(database, documents)
        except sqlite3.Error as error:
            raise InputError(f"cannot be written: {error}", source=str(self._path)) from error

    def _fill(self, database: Connection, documents: Iterable[Document]) -> None:
        # Nobody else sees the file yet: there is nothing to roll back to.
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("PRAGMA synchronous = OFF")
        database.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        database.execute("BEGIN")
        self._create(database)
        rows = ((document.id, document.title, document.text) for document in documents)
        database.executemany(f"INSERT INTO {_quoted(self._table)} VALUES (?, ?, ?)", rows)
        database.execute("COMMIT")

    def size(self) -> int | None:
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        found = [file.stat().st_size for file in files if file.exists()]
        return sum(found) if found else None

    def _create(self, database: Connection) -> None:
        import sqlite3

        tokenizer = self._tokenizer or "unicode61"
        quoted = tokenizer.replace("'", "''")
        try:
            database.execute(
                f"CREATE VIRTUAL TABLE {_quoted(self._table)}"
                f" USING fts5(id UNINDEXED, title, text, tokenize = '{quoted}')"
            )
        except sqlite3.OperationalError as error:
            raise OptionError(
                f"tokenizer={tokenizer!r}: FTS5 does not take it ({error}); it has unicode61, "
                "ascii, trigram, and porter before another, as in 'porter unicode61'"
            ) from None

    def _check_replaceable(self) -> None:
        if not self._path.exists() or self._path.stat().st_size == 0:
            return
        with self._opened() as database:
            (made_by,) = database.execute("PRAGMA application_id").fetchone()
        if made_by != _APPLICATION_ID:
            raise InputError(
                "cleverdon did not make this database, and would replace all of it; give another "
                "file, or delete this one first",
                source=str(self._path),
            )

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        """Open a connection for a moment; errors of SQLite become an InputError."""
        sqlite3 = _sqlite_with_fts5("searching")
        try:
            with closing(self._connect()) as database:
                yield database
        except sqlite3.Error as error:
            raise InputError(f"SQLite cannot read it: {error}", source=str(self._path)) from None

    def _connect(self) -> Connection:
        import sqlite3

        if not self._path.is_file():
            raise InputError(
                f"there is no such index; this makes it: cleverdon index sqlite:{self._path} "
                "COLLECTION",
                source=str(self._path),
            )
        return sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)

    def _check(self, database: Connection) -> None:
        """Raise an error that says what to do where the table is not what the options say."""
        row = database.execute(
            "SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'", (self._table,)
        ).fetchone()
        if row is None or "fts5" not in str(row[0]).lower():
            tables = database.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%fts5%'")
            there = [name for (name,) in tables]
            hint = suggest(self._table, there) if there else "; it has none"
            raise InputError(
                f"there is no FTS5 table {self._table!r}{hint}", source=str(self._path)
            )
        found = _TOKENIZE.search(row[0])
        cut_by = (found[1] or found[2]) if found else "unicode61"
        if self._tokenizer is not None and self._tokenizer != cut_by:
            raise InputError(
                f"it was indexed with the tokenizer {cut_by!r}, and {self._tokenizer!r} was asked "
                "for; index it again, or leave the tokenizer out",
                source=str(self._path),
            )
        columns = self._columns(database)
        for option, names in (("id", [self._id]), ("weights", list(self._weights))):
            for name in names:
                if name not in columns and not (option == "id" and name == "rowid"):
                    raise OptionError(
                        f"{option}: {self._table!r} has no column {name!r}{suggest(name, columns)}"
                    )

    def _columns(self, database: Connection) -> list[str]:
        rows = database.execute("SELECT name FROM pragma_table_info(?)", (self._table,))
        return [name for (name,) in rows]

    def _select(self, database: Connection) -> str:
        table = _quoted(self._table)
        weights = "".join(f", {self._weights.get(c, 1.0)!r}" for c in self._columns(database))
        # The sign is turned, since bm25() is the better the lower.
        best = (
            f"SELECT rowid AS row, -bm25({table}{weights}) AS score FROM {table}"
            f" WHERE {table} MATCH ? ORDER BY score DESC LIMIT ?"
        )
        if self._id == "rowid":
            return f"SELECT row, row, score FROM ({best})"
        # Ids are read of the best alone, and in one statement: between two, threads change places.
        return (
            f"SELECT row, held.{_quoted(self._id)}, score FROM ({best}) AS found"
            f" JOIN {table} AS held ON held.rowid = found.row ORDER BY score DESC"
        )

    def _id_of(self, row: int, held: object) -> str:
        if held is None:
            raise SearchFailure(
                "missing", f"the row {row} has no {self._id}; id=rowid takes the row's number"
            )
        return str(held)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
