"""Tables as aligned text."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

from cleverdon.show.grid import Grid

_RAISED = str.maketrans(
    "0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)
"""Unicode has no raised q that fonts know."""

_STYLES = {"best": "\033[1m{}\033[0m", "second": "\033[4m{}\033[0m"}
_BETWEEN = "  "


def text(grid: Grid, *, styled: bool = False, width: int | None = None) -> str:
    """A table as aligned text, in several parts where its lines were longer than `width`."""
    parts = [
        "\n".join(_lines(grid, columns, styled=styled)) for columns in _parts(grid, width=width)
    ]
    return "\n".join(["\n\n".join(parts), "", *grid.footnotes, *grid.notes])


def line_width(grid: Grid) -> int:
    """How many characters the lines of a table take."""
    widths = [_width_of(grid, column) for column in range(len(grid.header))]
    return sum(widths) + len(_BETWEEN) * (len(widths) - 1)


def _parts(grid: Grid, *, width: int | None) -> list[list[int]]:
    """Which columns stand side by side; labels stand in every part."""
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


def _lines(grid: Grid, columns: Sequence[int], *, styled: bool) -> list[str]:
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


def _width_of(grid: Grid, column: int) -> int:
    heading = text_width(grid.header[column]) + len(grid.mark(-1, column).above)
    if column < grid.labels:
        cells = (
            text_width(row[column]) + len(grid.mark(at, column).above)
            for at, row in enumerate(grid.rows)
        )
        return max(heading, max(cells, default=0))
    widest = max((text_width(row[column]) for row in grid.rows), default=0)
    return max(heading, widest + len(grid.highest(column)))


def text_width(text: str) -> int:
    """The columns that a text takes where all letters are equally wide."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
