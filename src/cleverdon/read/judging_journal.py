"""The grades in a journal of judging, however little else of it can be used.

`cleverdon.pool.adaptive` writes such journals and goes on from them, for which it needs the runs as
they were. What people have judged must never be lost with a run, or with one line of the file.
"""

from __future__ import annotations

import json
import os
from math import isfinite
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError
from cleverdon.read.journal_file import unreadable

FORMAT = "cleverdon judging 1"
START = f'{{"format": "{FORMAT}"'.encode()
"""What a journal begins with."""

CUT = "the journal is cut within its first line, and holds no judgments: is there a copy of it?"

ENTRIES = frozenset(("given", "judged", "limits"))
"""What a line after the first may hold, one of them."""

_ANY_VERSION = b'{"format": "cleverdon judging '


def is_journal(head: bytes) -> bool:
    """Whether a file that begins so is a journal of judging, of this version or another."""
    return head.startswith(_ANY_VERSION)


def journal_grades(
    content: bytes, *, source: str, notes: list[str] | None = None
) -> dict[str, dict[str, float]]:
    """Query to document to grade; of a document that was judged twice, the last grade holds.

    A line that is damaged is an error, or left out with a note where there are `notes`. One that
    was cut short at the end is left out: what it says was handed to nobody.
    """
    if not content.startswith(START):
        raise InputError(
            f"is a journal of another version of Cleverdon; this is read: {FORMAT!r}",
            source=source,
            line=1,
        )
    found: dict[str, dict[str, float]] = {}
    damaged: list[int] = []
    *lines, torn = content.split(b"\n")
    if not lines:
        raise InputError(CUT, source=source, line=1)
    for number, line in enumerate(lines[1:], start=2):
        entry = parse_entry(line)
        if entry is None or ("judged" in entry and not is_judgment(entry["judged"])):
            damaged.append(number)
        elif "judged" in entry:
            query, doc, grade = entry["judged"]
            found.setdefault(query, {})[doc] = float(grade)
    if damaged and notes is None:
        raise InputError(
            "the journal is damaged here: a judgment may be missing; `cleverdon pool next "
            f"{source} -n 0 --qrels FILE` writes those that can be read",
            source=source,
            line=damaged[0],
        )
    if notes is not None:
        notes += [
            f"{source}:{number}: the line is damaged, and left out: was it a judgment, it is to be "
            "handed in again"
            for number in damaged
        ]
        if torn:
            notes.append(f"{source}:{len(lines) + 1}: the last line was cut short, and is left out")
    return found


def parse_entry(line: bytes) -> dict[str, Any] | None:
    """What a line holds, one of `ENTRIES`; None where it is damaged."""
    try:
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and len(entry.keys() & ENTRIES) == 1 else None


def is_judgment(value: object) -> bool:
    """Whether it is a query, a document and a grade."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    query, doc, grade = value
    named = isinstance(query, str) and isinstance(doc, str)
    return named and isinstance(grade, (int, float)) and isfinite(grade)


def judgments_of(path: str | os.PathLike[str]) -> list[tuple[str, str, float]]:
    """All judgments that can be read, with those that others took the place of."""
    try:
        *lines, _ = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise unreadable(os.fspath(path), error) from None
    read = [(parse_entry(line) or {}).get("judged", ()) for line in lines[1:]]
    return [(query, doc, float(grade)) for query, doc, grade in filter(is_judgment, read)]
