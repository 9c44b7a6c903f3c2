"""SQLite's full-text index: whether it is there, and how a text becomes a query to it."""

from __future__ import annotations

from collections.abc import Collection
from types import ModuleType

from cleverdon.engine.adapters.words import words
from cleverdon.errors import CleverdonError

_ADVICE = (
    "{purpose} needs SQLite's FTS5, which this Python does not have ({found}); "
    "a Python whose sqlite3 module has FTS5 is needed: the usual installers' and distributions' do"
)


def match_expression(text: str, *, operator: str = "OR", ignored: Collection[str] = ()) -> str:
    """A text as an FTS5 expression: its words in quotes, joined by the operator.

    Everything that FTS5 has syntax for (`-`, `*`, `^`, `:`, `"`, NEAR, NOT) is thereby either left
    out or quoted, so that no query can be a syntax error or mean what its author did not.

    >>> match_expression('Sort by "key" - NOT value')
    '"sort" OR "by" OR "key" OR "not" OR "value"'
    """
    terms = dict.fromkeys(words(text))  # a word said twice is asked for once
    return f" {operator} ".join(f'"{term}"' for term in terms if term not in ignored)


def sqlite_with_fts5(purpose: str) -> ModuleType:
    """The module sqlite3, once it is known to have FTS5."""
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
