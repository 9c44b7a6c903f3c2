"""A prepared file of documents, read: apart from all else, so that the process stays small."""

from __future__ import annotations

import json
from collections.abc import Iterator

from cleverdon.engine.protocol import Document


def read_lines(path: str) -> Iterator[Document]:
    """The documents, one after the other."""
    with open(path, "rb") as file:
        for line in file:
            yield Document(**json.loads(line))
