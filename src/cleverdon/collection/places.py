"""On which line of its file a judgment stands: looked for only where something is wrong with it."""

from __future__ import annotations

import os

from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.read import open_source

_DOC = {"subtopics": 2, "stratum": 2, "probability": 1}
"""By what stands beside grades: the field of the document on a line."""


def place_of(
    label: str, judgments: Judgments, query: str, doc: str, subtopic: str | None = None
) -> str:
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
    wanted = [(0, query.encode()), (_field(judgments), doc.encode())]
    if subtopic is not None:
        wanted.append((1, subtopic.encode()))
    for number, line in enumerate(text.split(b"\n"), start=1):
        if wanted[1][1] in line and _has(line, wanted):
            return f"{judgments.source}:{number}"
    return label


def _field(judgments: Judgments) -> int | None:
    """Where on a line the document stands; None where it follows from how many fields there are."""
    notes = judgments.notes
    return next((at for name, at in _DOC.items() if getattr(notes, name) is not None), None)


def _has(line: bytes, wanted: list[tuple[int | None, bytes]]) -> bool:
    """Whether a line has these fields, whatever separates them."""
    for separator in (None, b"\t", b","):
        fields = [field.strip(b' "\r') for field in line.split(separator)]
        if all(text in _candidates(fields, at, separator) for at, text in wanted):
            return True
    return False


def _candidates(fields: list[bytes], at: int | None, separator: bytes | None) -> list[bytes]:
    """The fields that may be the one at a place; of a document, those where it may stand."""
    if at is None and separator != b"," and len(fields) == 4:
        at = 2  # TREC's lines have the iteration between query and document
    return fields[1:-1] if at is None else fields[at : at + 1]
