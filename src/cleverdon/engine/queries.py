"""What an engine is asked: the words of each topic, in the order of their file."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping
from typing import Any

from cleverdon.errors import InputError, check_word
from cleverdon.read.texts import Text, read_texts

FIELDS = {
    "title": "the title, or the text where a topic has no title",
    "text": "the text (TREC's description and narrative), or the title where there is none",
    "both": "title and text",
}
"""What of a topic can be asked."""


def read_queries(
    topics: Any, *, field: str = "title", wanted: Container[str] | None = None
) -> dict[str, str]:
    """The words of topics by their ids, of whatever `read_texts` reads: a file, or a dict.

    `wanted` says which topics are asked; all of them where it does not.

    >>> read_queries({"q1": "who wrote it", "q2": {"title": "gold", "text": "prices of gold"}})
    {'q1': 'who wrote it', 'q2': 'gold'}
    """
    check_word("field", field, FIELDS)
    texts = read_texts(topics, kind="queries", wanted=wanted)
    if not texts:
        lacking = "" if wanted is None else " that are asked for"
        raise InputError(f"there are no topics{lacking}")
    queries = {id: _words(text, field) for id, text in texts.items()}
    without = next((id for id, words in queries.items() if not words), None)
    if without is not None:
        raise InputError(f"topic {without!r} has no words to search for")
    return queries


def digest_of(queries: Mapping[str, str]) -> str:
    """What tells one set of queries from another: SHA-256 of their ids and words, in order."""
    digest = hashlib.sha256()
    for id, words in queries.items():
        digest.update(f"{id}\0{words}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _words(text: Text, field: str) -> str:
    """Words on one line: a line break is a new query to some engines."""
    title, rest = text.line, Text(text.text, text.title).line
    if field == "title":
        return title
    return rest if field == "text" or rest == title else f"{title} {rest}"
