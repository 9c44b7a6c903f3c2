"""Other words for queries, written by hand: a file with a line for each, query and text."""

from __future__ import annotations

import os

from cleverdon.errors import InputError
from cleverdon.read.texts import Text, records_of
from cleverdon.read.unpacked import name_of_stream


def read_rephrasings(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """The texts of each query, of which it may have any number: in the formats of queries."""
    path = os.fspath(path)
    source = name_of_stream(path)
    found: dict[str, list[str]] = {}
    try:
        for query, title, text, line, _ in records_of(path, keep=lambda _: True):
            phrase = Text(title, text).line
            if not phrase:
                message = f"query {query!r} has no text here; a line is a query and a text"
                raise InputError(message, source=source, line=line or None)
            phrases = found.setdefault(query, [])
            if phrase not in phrases:
                phrases.append(phrase)
    except FileNotFoundError:
        raise InputError("there is no such file", source=source) from None
    if not found:
        raise InputError("has no rephrasings: a line each, query and text", source=source)
    return found
