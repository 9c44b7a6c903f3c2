"""What an engine is asked: the words of each topic, in the order of their file."""

from __future__ import annotations

import hashlib
import os
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
    topics: Any, *, field: str = "title", judged: Container[str] | None = None
) -> dict[str, str]:
    """The words of topics by their ids, of whatever `read_texts` reads: a file, or a dict.

    Where it is said which are `judged`, only these are read.

    >>> read_queries({"q1": "who wrote it", "q2": {"title": "gold", "text": "prices of gold"}})
    {'q1': 'who wrote it', 'q2': 'gold'}
    """
    check_word("field", field, FIELDS)
    source = os.fspath(topics) if isinstance(topics, (str, os.PathLike)) else ""
    texts = read_texts(topics, kind="queries", wanted=judged)
    if not texts:
        lacking = "there are no topics"
        if judged is not None:
            lacking = "none of the topics is judged; are their ids those of the judgments?"
        raise InputError(lacking, source=source)
    queries = {id: _words(text, field) for id, text in texts.items()}
    without = next((id for id, words in queries.items() if not words), None)
    if without is not None:
        raise InputError(
            f"topic {without!r} has no words to search for; give it some, or leave it out",
            source=source,
        )
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
