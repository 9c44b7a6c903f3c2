"""Topics as assessors read them: a title, a description, a narrative."""

from __future__ import annotations

import os
from collections.abc import Collection

from cleverdon.assess.setup.filling import Topic, check_id
from cleverdon.assess.setup.wanted import Wanted
from cleverdon.errors import InputError
from cleverdon.read.records import DESCRIPTIONS, NARRATIVES, Record
from cleverdon.read.texts import Text, files_of, records_of
from cleverdon.read.unpacked import Progress, name_of_stream

_EXAMPLES = 3


def read_topics(
    path: str | os.PathLike[str], wanted: Collection[str], *, progress: Progress | None = None
) -> list[Topic]:
    """The topics that are wanted, in the order of the file; an error where one is not there.

    TREC's topics, JSONL, CSV and TSV, and whatever else texts are read from.
    """
    keep = Wanted(wanted)
    found: dict[str, Topic] = {}
    for file in files_of(os.fspath(path), "queries"):
        source = name_of_stream(file)
        try:
            for record in records_of(file, keep=keep, progress=progress):
                topic = _topic(record, source)
                if found.setdefault(record.id, topic) != topic:
                    raise InputError(
                        f"topic {record.id!r} is there twice, and not the same: keep one of them",
                        source=source,
                        line=record.line or None,
                    )
        except FileNotFoundError:
            raise InputError("there is no such file", source=source) from None
    missing = sorted(set(wanted) - found.keys())
    if missing:
        examples = ", ".join(map(repr, missing[:_EXAMPLES]))
        raise InputError(
            f"{len(missing):,} of the {len(wanted):,} topics to judge are not there, such as "
            f"{examples}{keep.instead}: assessors would not know what is asked for; add them, or "
            "take their documents out of what is to be judged",
            source=name_of_stream(os.fspath(path)),
        )
    return list(found.values())


def _topic(record: Record, source: str) -> Topic:
    check_id(record.id, source=source, line=record.line)
    title = Text(record.title, record.text).line
    if not title:
        raise InputError(
            f"topic {record.id!r} has no text", source=source, line=record.line or None
        )
    description = record.field(DESCRIPTIONS) or (record.text.strip() if record.title else "")
    narrative = record.field(NARRATIVES)
    # Where there is no title, the description or the only text stands for it.
    if " ".join(description.split()) == title:
        description = ""
    return Topic(record.id, *map(storable, (title, description, narrative)))


def storable(text: str) -> str:
    """A text as either database takes it: no halves of surrogate pairs, no zero characters."""
    text = text.replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
