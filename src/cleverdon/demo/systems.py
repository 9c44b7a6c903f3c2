"""Four search systems on SQLite's full-text index, different enough to be worth comparing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cleverdon.demo.documents import Document
from cleverdon.demo.topics import Topic
from cleverdon.demo.words import FUNCTION_WORDS, name_words
from cleverdon.errors import CleverdonError
from cleverdon.pool.expansion.words import words

if TYPE_CHECKING:
    from sqlite3 import Connection

DEPTH = 100
_ADVICE = (
    "the demo searches with SQLite's FTS5, which this Python does not have ({found}); "
    "a Python whose sqlite3 module has FTS5 is needed: the usual installers' and distributions' do"
)


@dataclass(frozen=True)
class System:
    """A way to search: how words are cut, how terms combine, and what a name counts."""

    name: str
    description: str
    tokenizer: Literal["unicode61", "porter unicode61"] = "unicode61"
    operator: Literal["OR", "AND"] = "OR"
    ignored: frozenset[str] = frozenset()
    name_weight: float = 1.0


@dataclass(frozen=True)
class Result:
    """One line of a run."""

    topic: str
    document: str
    rank: int
    score: float


SYSTEMS = (
    System("bm25", "BM25 over name, path and text, words as they stand"),
    System("bm25-porter", "BM25 over Porter stems", tokenizer="porter unicode61"),
    System("name-weighted", "BM25 where a match in the name counts five times", name_weight=5.0),
    # How catalogues searched before ranking, made as kind as it can be: stems, no function words
    # (hardly any text has them all), and the matches in BM25 order. Most sentences still find
    # nothing, and an empty result is a result that an evaluation has to count.
    System(
        "boolean-and",
        "every content word must occur, as a Porter stem; the matches ordered by BM25",
        tokenizer="porter unicode61",
        operator="AND",
        ignored=FUNCTION_WORDS,
    ),
)


def search(
    system: System, documents: Iterable[Document], topics: Iterable[Topic], *, depth: int = DEPTH
) -> tuple[Result, ...]:
    """Index the documents for one system and put every topic to it."""
    # Descending ids: among equal scores the rows then come in the order in which trec_eval and
    # Cleverdon read them, so that the rank column says what an evaluation will see.
    rows = sorted(documents, key=lambda document: document.id, reverse=True)
    with closing(_index(system.tokenizer, rows)) as database:
        return tuple(
            Result(topic=topic.id, document=rows[row - 1].id, rank=rank, score=score)
            for topic in topics
            for rank, (row, score) in enumerate(_matches(database, system, topic.text, depth), 1)
        )


def match_expression(
    text: str, *, operator: str = "OR", ignored: frozenset[str] = frozenset()
) -> str:
    """A text as an FTS5 expression: its words in quotes, joined by the operator.

    Everything that FTS5 has syntax for (`-`, `*`, `^`, `:`, `"`, NEAR, NOT) is thereby either left
    out or quoted, so that no query can be a syntax error or mean what its author did not.

    >>> match_expression('Sort by "key" - NOT value')
    '"sort" OR "by" OR "key" OR "not" OR "value"'
    """
    terms = dict.fromkeys(words(text))  # a word said twice is asked for once
    return f" {operator} ".join(f'"{term}"' for term in terms if term not in ignored)


def _index(tokenizer: str, documents: Sequence[Document]) -> Connection:
    """An index in memory, of everything about a document but its summary."""
    database = _connect()
    database.execute(
        f"CREATE VIRTUAL TABLE documents USING fts5(name, path, text, tokenize = '{tokenizer}')"
    )
    database.executemany("INSERT INTO documents VALUES (?, ?, ?)", map(_columns, documents))
    return database


def _connect() -> Connection:
    try:
        import sqlite3  # not above, because a Python can be built without it
    except ImportError as error:
        raise CleverdonError(_ADVICE.format(found=error)) from error
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE temp.probe USING fts5(text)")
        database.execute("DROP TABLE temp.probe")
    except sqlite3.OperationalError as error:
        database.close()
        raise CleverdonError(_ADVICE.format(found=error)) from error
    return database


def _columns(document: Document) -> tuple[str, str, str]:
    return (_with_parts(document.name), _with_parts(document.owner), document.body)


def _with_parts(name: str) -> str:
    """A name, and its words where the tokenizer would not find them: it splits no CamelCase."""
    parts = name_words(name)
    found_anyway = parts == name.replace("_", " ").replace(".", " ").strip()
    return name if found_anyway else f"{name} {parts}"


def _matches(
    database: Connection, system: System, text: str, depth: int
) -> Iterator[tuple[int, float]]:
    """The best rows and their scores; bm25() is the better the lower, so its sign is turned."""
    expression = match_expression(text, operator=system.operator, ignored=system.ignored)
    if not expression:
        return  # FTS5 takes no empty expression
    yield from database.execute(
        "SELECT rowid, -bm25(documents, ?, 1, 1) AS score FROM documents"
        " WHERE documents MATCH ? ORDER BY score DESC, rowid LIMIT ?",
        (system.name_weight, expression, depth),
    )
