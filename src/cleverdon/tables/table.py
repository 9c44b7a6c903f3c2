"""The table type, written as aligned text or as separated values.

Cells may stand out: the best and the second best of a measure, and letters or signs set above,
as papers have them. Each format marks that in its own way; CSV and TSV do not mark it at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from cleverdon._common.text import text_width
from cleverdon.tables.markup import render_html, render_latex, render_markdown, render_siunitx

DIGITS = 4
MOST_DIGITS = 15
"""A floating-point number has no more to show."""

FORMATS = ("table", "tsv", "csv", "markdown", "latex", "latex-siunitx", "html", "json")
"""The formats of tables."""

EXACT = ("csv", "tsv", "json")
"""The formats that programs read: with all digits."""

SYSTEMS = ("auto", "rows", "columns")
"""The possible positions of systems in a table."""

Place = Literal["best", "second"]


@dataclass(frozen=True)
class Mark:
    """The highlighting of a cell."""

    place: Place | None = None
    above: str = ""  # set as a superscript behind the cell


@dataclass(frozen=True)
class TextTable:
    """A table of text: labels on the left, numbers on the right, notes below."""

    header: list[str]
    rows: list[list[str]]
    labels: int  # how many columns on the left are labels
    notes: list[str]  # on a screen: what else there is to see, and how
    footnotes: list[str] = field(default_factory=list)  # wherever the table goes
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)  # by row and column
    """The header's row is -1."""

    def mark(self, row: int, column: int) -> Mark:
        """Return the highlighting of a cell; most have none."""
        return self.marks.get((row, column), _PLAIN)

    def highest(self, column: int) -> str:
        """Return the longest superscript of a column, its heading excepted."""
        above = (mark.above for (row, at), mark in self.marks.items() if at == column and row >= 0)
        return max(above, key=len, default="")

    def turned(self, corner: str) -> TextTable:
        """Swap rows and columns; `corner` is the heading of the new labels."""
        (_, *header), *rows = (list(column) for column in zip(self.header, *self.rows, strict=True))
        marks = {(column - 1, row + 1): mark for (row, column), mark in self.marks.items()}
        return replace(self, header=[corner, *header], rows=rows, marks=marks)


_PLAIN = Mark()


_WRITERS = {
    "latex": render_latex,
    "latex-siunitx": render_siunitx,
    "markdown": render_markdown,
    "html": render_html,
}


def render_table(
    grid: TextTable, format: str, *, styled: bool = False, width: int | None = None
) -> str:
    """Write a table in one of `FORMATS`, except json.

    `styled` and `width` are for tables on a terminal: what stands out is bold or underlined there,
    and what is too wide for a line is written in parts, one below the other.
    """
    if format == "table":
        return _render_text(grid, styled=styled, width=width)
    if format in _WRITERS:
        return _WRITERS[format](grid)
    return _render_separated(grid, {"csv": ",", "tsv": "\t"}[format])


def _render_separated(grid: TextTable, delimiter: str) -> str:
    import csv
    from io import StringIO

    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([grid.header, *grid.rows])
    return text.getvalue().rstrip("\n")


_RAISED = str.maketrans(
    "0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)
"""Unicode has no raised q that fonts know."""

_STYLES = {"best": "\033[1m{}\033[0m", "second": "\033[4m{}\033[0m"}
_BETWEEN = "  "


def _render_text(grid: TextTable, *, styled: bool = False, width: int | None = None) -> str:
    """Write aligned text, in several parts where lines are longer than `width`."""
    parts = [
        "\n".join(_text_lines(grid, columns, styled=styled))
        for columns in _column_parts(grid, width=width)
    ]
    return "\n".join(["\n\n".join(parts), "", *grid.footnotes, *grid.notes])


def line_width(grid: TextTable) -> int:
    """Return the number of characters that the lines of a table take."""
    widths = [_width_of(grid, column) for column in range(len(grid.header))]
    return sum(widths) + len(_BETWEEN) * (len(widths) - 1)


def _column_parts(grid: TextTable, *, width: int | None) -> list[list[int]]:
    """Split columns into parts that fit the width; every part repeats the labels."""
    labels = list(range(grid.labels))
    numbers = range(grid.labels, len(grid.header))
    if width is None or line_width(grid) <= width or not numbers:
        return [[*labels, *numbers]]
    start = sum(_width_of(grid, column) for column in labels) + len(_BETWEEN) * (len(labels) - 1)
    parts: list[list[int]] = []
    taken = width
    for column in numbers:
        needed = len(_BETWEEN) + _width_of(grid, column)
        if taken + needed > width or not parts:
            parts.append([*labels])
            taken = start
        parts[-1].append(column)
        taken += needed
    return parts


def _text_lines(grid: TextTable, columns: Sequence[int], *, styled: bool) -> list[str]:
    widths = {column: _width_of(grid, column) for column in columns}
    rooms = {column: len(grid.highest(column)) for column in columns}

    def cell(at: int, column: int, content: str) -> str:
        mark = grid.mark(at, column)
        above = mark.above.translate(_RAISED)
        shown = _STYLES[mark.place].format(content) if styled and mark.place else content
        free = widths[column] - text_width(content)
        if column < grid.labels:
            return shown + above + " " * (free - len(above))
        # Digits stay below digits: what is set above others takes up as much room here.
        room = len(above) if at < 0 else rooms[column]
        return " " * (free - room) + shown + above.ljust(room)

    def line(at: int, cells: Sequence[str]) -> str:
        return _BETWEEN.join(cell(at, column, cells[column]) for column in columns).rstrip()

    rule = _BETWEEN.join("─" * wide for wide in widths.values())
    return [line(-1, grid.header), rule, *(line(at, row) for at, row in enumerate(grid.rows))]


def _width_of(grid: TextTable, column: int) -> int:
    heading = text_width(grid.header[column]) + len(grid.mark(-1, column).above)
    if column < grid.labels:
        cells = (
            text_width(row[column]) + len(grid.mark(at, column).above)
            for at, row in enumerate(grid.rows)
        )
        return max(heading, max(cells, default=0))
    widest = max((text_width(row[column]) for row in grid.rows), default=0)
    return max(heading, widest + len(grid.highest(column)))
