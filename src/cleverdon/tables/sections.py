"""Several tables, one below the other, each under a heading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon.tables.markup import escape_html, escape_markdown
from cleverdon.tables.table import TextTable, render_table

CountFormat = Callable[[int], str]
"""A function that writes counts."""


def count_format(*, exact: bool) -> CountFormat:
    """Return a function that writes counts: plain for programs, with commas for people.

    >>> count_format(exact=True)(1234), count_format(exact=False)(1234)
    ('1234', '1,234')
    """
    return str if exact else "{:,}".format


@dataclass(frozen=True)
class Section:
    """A table and its heading."""

    heading: str
    grid: TextTable
    titled: bool = True
    """Print the heading; otherwise it is only a name, since the table says what it is."""


def render_sections(
    parts: Sequence[Section], format: str, *, below: Sequence[str] | str = (), **terminal: Any
) -> str:
    """Write the tables in a format of text; `below` are sentences after them, or a paragraph.

    `terminal` is what `render_table` may be told of it.

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
        return render_table(TextTable(["section", "row", "column", "value"], rows, 3, []), format)
    texts = []
    for part in parts:
        on_screen = terminal if format == "table" else {}
        table = render_table(part.grid, format, **on_screen).rstrip("\n")
        if not part.titled:
            pass
        elif format == "markdown":
            table = f"## {escape_markdown(part.heading)}\n\n{table}"
        elif format == "html":
            table = f"<h2>{escape_html(part.heading)}</h2>\n{table}"
        elif format.startswith("latex"):
            table = f"% {' '.join(part.heading.split())}\n{table}"
        elif part.heading.removesuffix("s") != part.grid.header[0].removesuffix("s"):
            table = f"{part.heading}\n\n{table}"  # where the first column does not say it
        texts.append(table)
    if isinstance(below, str):
        if format in ("table", "markdown"):
            return "\n\n".join([*texts, below] if below else texts)
        below = below.splitlines()
    if below and format == "markdown":
        texts.append("\n".join(map(_bullet, below)))
    elif below and format == "html":
        texts.append(f"<p>{'<br>'.join(map(escape_html, below))}</p>")
    elif below and format.startswith("latex"):
        texts.append("\n".join(f"% {line.strip()}" for line in below))
    elif below:
        texts.append("\n".join(below))
    return "\n\n".join(texts)


def _bullet(line: str) -> str:
    """Write a sentence of a list; an indented one belongs to the one above it."""
    start = "  - " if line.startswith(" ") else "- "
    return start + escape_markdown(line.strip())
