"""Several tables, one below the other, each under a heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon.show.grid import Grid, laid_out
from cleverdon.show.markup import markdown_escaped

FORMATS = ("table", "markdown", "csv", "tsv", "json")
"""The formats in which several tables can be written."""


Write = Callable[[int], str]
"""How counts are written."""


def counts(*, exact: bool) -> Write:
    """Counts for programs as they are, for people in groups of three digits.

    >>> counts(exact=True)(1234), counts(exact=False)(1234)
    ('1234', '1,234')
    """
    return str if exact else "{:,}".format


@dataclass(frozen=True)
class Section:
    """A table and its heading."""

    heading: str
    grid: Grid


def sections(
    parts: Sequence[Section], format: str, *, below: Sequence[str] = (), **terminal: Any
) -> str:
    """The tables in a format of text; `below` are sentences behind the last of them.

    `terminal` is what `laid_out` may be told of it.

    In CSV and TSV, where a file is one table, there is a row for each cell: section, row, column
    and value.
    """
    if format in ("csv", "tsv"):
        rows = [
            [part.heading, row[0], name, cell]
            for part in parts
            for row in part.grid.rows
            for name, cell in zip(part.grid.header[1:], row[1:], strict=True)
        ]
        return laid_out(Grid(["section", "row", "column", "value"], rows, 3, []), format)
    texts = []
    for part in parts:
        on_screen = terminal if format == "table" else {}
        table = laid_out(part.grid, format, **on_screen).rstrip("\n")
        if format == "markdown":
            table = f"## {markdown_escaped(part.heading)}\n\n{table}"
        elif part.heading.removesuffix("s") != part.grid.header[0].removesuffix("s"):
            table = f"{part.heading}\n\n{table}"  # where the first column does not say it
        texts.append(table)
    if below and format == "markdown":
        texts.append("\n".join(map(_bullet, below)))
    elif below:
        texts.append("\n".join(below))
    return "\n\n".join(texts)


def _bullet(line: str) -> str:
    """A sentence in a list; one that is indented belongs to the one above it."""
    start = "  - " if line.startswith(" ") else "- "
    return start + markdown_escaped(line.strip())
