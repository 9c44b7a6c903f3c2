"""On which line of its file a judgment stands: looked for only where something is wrong with it."""

from __future__ import annotations

import os

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.read import open_source


def place_of(label: str, judgments: Judgments, query: str, doc: str) -> str:
    """The file of a judgment and its line, as compilers write it; the label where there is none."""
    if not judgments.source or not os.path.isfile(judgments.source):
        return label
    try:
        opened = open_source(judgments.source)
        text = opened.head(2**62)
    except InputError:
        return label
    if opened.digest() != judgments.digest:
        return label  # the file has changed since
    wanted = query.encode(), doc.encode()
    for number, line in enumerate(text.split(b"\n"), start=1):
        if wanted[1] in line and _has(line, *wanted):
            return f"{judgments.source}:{number}"
    return label


def _has(line: bytes, query: bytes, doc: bytes) -> bool:
    """Whether a line has both as fields, whatever separates them, the query first."""
    for separator in (None, b"\t", b","):
        fields = [field.strip(b' "\r') for field in line.split(separator)]
        if fields[0] == query and doc in fields[1:]:
            return True
    return False
