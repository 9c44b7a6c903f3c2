"""Tables of text, and the formats in which they are written.

Cells may stand out: the best and the second best of a measure, and letters or signs set above, as
papers have them. Each format marks that in its own way; CSV and TSV do not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

DIGITS = 4
MOST_DIGITS = 15
"""A floating-point number has no more to show."""

FORMATS = ("table", "tsv", "csv", "markdown", "latex", "latex-siunitx", "html", "json")
"""The formats of tables."""

EXACT = ("csv", "tsv", "json")
"""The formats that programs read: with all digits."""

SYSTEMS = ("auto", "rows", "columns")
"""Where systems may stand."""

Place = Literal["best", "second"]


@dataclass(frozen=True)
class Mark:
    """How a cell stands out."""

    place: Place | None = None
    above: str = ""  # set as a superscript behind the cell


@dataclass(frozen=True)
class Grid:
    """A table of text: labels on the left, numbers on the right, notes below."""

    header: list[str]
    rows: list[list[str]]
    labels: int  # how many columns on the left are labels
    notes: list[str]  # on a screen: what else there is to see, and how
    footnotes: list[str] = field(default_factory=list)  # wherever the table goes
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)  # by row and column
    """The header's row is -1."""

    def mark(self, row: int, column: int) -> Mark:
        """How a cell stands out; most do not."""
        return self.marks.get((row, column), _PLAIN)

    def highest(self, column: int) -> str:
        """The longest of what is set above the cells of a column, its heading aside."""
        above = (mark.above for (row, at), mark in self.marks.items() if at == column and row >= 0)
        return max(above, key=len, default="")

    def turned(self, corner: str) -> Grid:
        """The same with rows as columns; `corner` is the heading of the new labels."""
        (_, *header), *rows = (list(column) for column in zip(self.header, *self.rows, strict=True))
        marks = {(column - 1, row + 1): mark for (row, column), mark in self.marks.items()}
        return replace(self, header=[corner, *header], rows=rows, marks=marks)


_PLAIN = Mark()


def laid_out(grid: Grid, format: str, *, styled: bool = False, width: int | None = None) -> str:
    """A table of text in one of `FORMATS`, all but json.

    `styled` and `width` are for tables on a terminal: what stands out is bold or underlined there,
    and what is too wide for a line is written in parts, one below the other.
    """
    # Writers are loaded when they are called: an evaluation needs one of them.
    if format == "table":
        from cleverdon.show.text import text

        return text(grid, styled=styled, width=width)
    if format == "latex":
        from cleverdon.show.latex import latex

        return latex(grid)
    if format == "latex-siunitx":
        from cleverdon.show.latex import siunitx

        return siunitx(grid)
    if format == "markdown":
        from cleverdon.show.markup import markdown

        return markdown(grid)
    if format == "html":
        from cleverdon.show.markup import html

        return html(grid)
    return _separated(grid, {"csv": ",", "tsv": "\t"}[format])


def counted(number: int, what: str) -> str:
    """`1 query`, `2 queries`."""
    plural = what.removesuffix("y") + "ies" if what.endswith("y") else what + "s"
    return f"{number:,} {what if number == 1 else plural}"


def printable(name: str) -> str:
    """A name on one line, whatever is in it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


def _separated(grid: Grid, delimiter: str) -> str:
    import csv
    from io import StringIO

    text = StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([grid.header, *grid.rows])
    return text.getvalue().rstrip("\n")
