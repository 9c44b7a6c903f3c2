"""What is known of topics beside their judgments: a table with a row for each.

A file has columns separated by tabs or commas under a header, and its first column is the topic's
id; in Python it may be a dict of dicts. An empty cell means that the topic lacks the attribute.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cleverdon.errors import InputError, OptionError, suggest


@dataclass(frozen=True)
class TopicTable:
    """The attributes of topics."""

    names: tuple[str, ...]
    values: dict[str, dict[str, str]]  # topic to attribute to value; what is lacking is not there
    source: str = ""

    def column(self, by: str | None = None) -> tuple[str, dict[str, str]]:
        """An attribute's name and its value for each topic that has it.

        Where there is only one attribute, it need not be named.
        """
        if by is None:
            if len(self.names) > 1:
                listed = ", ".join(self.names)
                raise OptionError(f"there are several attributes of topics: {listed}; name one")
            by = self.names[0]
        if by not in self.names:
            where = f" in {self.source}" if self.source else ""
            raise OptionError(f"topics have no attribute {by!r}{where}{suggest(by, self.names)}")
        return by, {topic: row[by] for topic, row in self.values.items() if by in row}


def read_topics(data: Any) -> TopicTable:
    """The attributes of topics from a file, or from a dict: topic to attribute to value.

    >>> read_topics({"q1": {"language": "en", "length": 3}, "q2": {"length": 4}}).column("length")
    ('length', {'q1': '3', 'q2': '4'})
    >>> read_topics({"q1": "en", "q2": "de"}).column()
    ('slice', {'q1': 'en', 'q2': 'de'})
    """
    if isinstance(data, TopicTable):
        return data
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, (str, os.PathLike)):
        from cleverdon.read import open_source

        opened = open_source(os.fspath(data))
        return _from_text(opened.head(2**62), source=opened.name)
    raise InputError(
        f"{type(data).__name__!r} cannot be read as attributes of topics: give a file, or a dict"
    )


def _from_mapping(data: Mapping[Any, Any]) -> TopicTable:
    if not data:
        raise InputError("there are no topics with attributes")
    nested = [isinstance(row, Mapping) for row in data.values()]
    if not any(nested):
        data = {topic: {"slice": value} for topic, value in data.items()}
    elif not all(nested):
        odd = next(topic for topic, row in data.items() if not isinstance(row, Mapping))
        raise InputError(f"topic {odd!r} has a value where others have a dict of attributes")
    rows = {
        str(topic): {str(name): str(value) for name, value in row.items() if not _lacking(value)}
        for topic, row in data.items()
    }
    if len(rows) < len(data):
        raise InputError("two topics have the same id, one as a number and one as text")
    return TopicTable(tuple(dict.fromkeys(name for row in data.values() for name in row)), rows)


def _lacking(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _from_text(data: bytes, *, source: str) -> TopicTable:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("is not UTF-8", source=source, line=line) from None
    first = text.lstrip("\r\n").split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in first else ",")
    header: list[str] | None = None
    seen: dict[str, int] = {}
    values: dict[str, dict[str, str]] = {}
    before = 0
    try:
        for cells in reader:
            # A quoted cell may hold line breaks: a row begins behind the end of the last.
            line, before = before + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            cells = [cell.strip() for cell in cells]
            if header is None:
                header = _checked_header(cells, source=source, line=line)
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"expected {len(header)} columns ({', '.join(header)}), found {len(cells)}",
                    source=source,
                    line=line,
                )
            topic = cells[0]
            if not topic:
                raise InputError("the topic's id is missing", source=source, line=line)
            if topic in seen:
                raise InputError(
                    f"topic {topic!r} is listed twice, first on line {seen[topic]}",
                    source=source,
                    line=line,
                )
            seen[topic] = line
            pairs = zip(header[1:], cells[1:], strict=True)
            values[topic] = {name: cell for name, cell in pairs if cell}
    except csv.Error as error:
        raise InputError(str(error), source=source, line=reader.line_num) from None
    if header is None or not values:
        raise InputError("has no topics", source=source)
    return TopicTable(tuple(header[1:]), values, source)


def _checked_header(names: list[str], *, source: str, line: int) -> list[str]:
    if len(names) < 2:
        raise InputError(
            "expected a header: the topic's id, then attributes, separated by commas or tabs",
            source=source,
            line=line,
        )
    for place, name in enumerate(names[1:], start=2):
        if not name:
            raise InputError(f"column {place} has no name", source=source, line=line)
        if name in names[1 : place - 1]:
            raise InputError(f"two columns are called {name!r}", source=source, line=line)
    return names
