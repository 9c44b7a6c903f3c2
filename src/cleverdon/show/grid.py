"""Tables of text, and how they are written: aligned, markdown, LaTeX, HTML, CSV, TSV.

Cells may stand out: the best and the second best of a column, and letters or signs set above, as
papers have them. Each format marks that in its own way; CSV and TSV do not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

DIGITS = 4


@dataclass(frozen=True)
class Mark:
    """How a cell stands out."""

    place: Literal["best", "second"] | None = None
    above: str = ""  # set as a superscript behind the cell


@dataclass(frozen=True)
class Grid:
    """A table of text: labels on the left, numbers on the right, notes below."""

    header: list[str]
    rows: list[list[str]]
    labels: int  # how many columns on the left are labels
    notes: list[str]  # on a screen
    footnotes: list[str] = field(default_factory=list)  # wherever the table goes
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)  # by row and column

    def mark(self, row: int, column: int) -> Mark:
        """How a cell stands out; most do not."""
        return self.marks.get((row, column), _PLAIN)

    def widest(self, column: int) -> int:
        """How many letters at most are set above a cell of a column."""
        return max(
            (len(mark.above) for (_, at), mark in self.marks.items() if at == column), default=0
        )


_PLAIN = Mark()


def laid_out(grid: Grid, format: str, *, bold: bool = False) -> str:
    """A table of text in one of `FORMATS`, all but json; `bold` where a terminal is to show it."""
    return _text(grid, bold=bold) if format == "table" else _WRITERS[format](grid)


def counted(number: int, what: str) -> str:
    """`1 query`, `2 queries`."""
    plural = what.removesuffix("y") + "ies" if what.endswith("y") else what + "s"
    return f"{number:,} {what if number == 1 else plural}"


def printable(name: str) -> str:
    """A name on one line, whatever is in it."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


_RAISED = str.maketrans(
    "0123456789abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)
"""Unicode has no raised q that fonts know."""


def _text(grid: Grid, *, bold: bool = False) -> str:
    from unicodedata import east_asian_width

    def width(text: str) -> int:
        return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)

    raised = [grid.widest(column) for column in range(len(grid.header))]
    table = [grid.header, *grid.rows]
    widths = [
        max(
            width(table[0][column]),
            max((width(row[column]) for row in grid.rows), default=0) + raised[column],
        )
        for column in range(len(grid.header))
    ]

    def line(at: int, cells: Sequence[str]) -> str:
        padded = []
        for column, cell in enumerate(cells):
            mark = grid.mark(at, column) if at >= 0 else _PLAIN
            above = mark.above.translate(_RAISED)
            shown = f"\033[1m{cell}\033[0m" if bold and mark.place == "best" else cell
            if column < grid.labels:
                shown += above + " " * (widths[column] - width(cell) - len(above))
            else:
                room = raised[column] if at >= 0 else 0
                shown = " " * (widths[column] - width(cell) - room) + shown + above.ljust(room)
            padded.append(shown)
        return "  ".join(padded).rstrip()

    lines = [line(-1, grid.header), "  ".join("─" * wide for wide in widths)]
    lines += [line(at, row) for at, row in enumerate(grid.rows)]
    return "\n".join([*lines, "", *grid.notes, *grid.footnotes])


def _markdown(grid: Grid) -> str:
    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        text = text.replace("|", r"\|")
        text = f"**{text}**" if mark.place == "best" else text
        return f"{text}<sup>{mark.above}</sup>" if mark.above else text

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    rule = [":---" if at < grid.labels else "---:" for at in range(len(grid.header))]
    lines = [line([text.replace("|", r"\|") for text in grid.header]), line(rule)]
    for at, row in enumerate(grid.rows):
        lines.append(line([cell(at, column, text) for column, text in enumerate(row)]))
    below = ["", "  \n".join(grid.footnotes)] if grid.footnotes else []
    return "\n".join([*lines, *below])


def _latex(grid: Grid) -> str:
    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        text = _latex_escaped(text)
        command = {"best": r"\textbf", "second": r"\underline"}.get(mark.place or "")
        text = f"{command}{{{text}}}" if command else text
        text += rf"$^{{{_latex_above(mark.above)}}}$" if mark.above else ""
        missing = grid.widest(column) - len(mark.above)
        if column < grid.labels or not missing:
            return text
        # Digits stay below digits: what is set above others takes up as much room here.
        longest = max((grid.mark(row, column).above for row in range(len(grid.rows))), key=len)
        return text + rf"\phantom{{$^{{{_latex_above(longest[:missing])}}}$}}"

    kinds = "l" * grid.labels + "r" * (len(grid.header) - grid.labels)
    lines = [
        " & ".join(cell(at, column, text) for column, text in enumerate(row)) + r" \\"
        for at, row in enumerate(grid.rows)
    ]
    header = " & ".join(map(_latex_escaped, grid.header)) + r" \\"
    start = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", header, r"\midrule"]
    end = [r"\bottomrule", r"\end{tabular}"]
    if grid.footnotes:
        end.append(
            r"\par\smallskip{\footnotesize " + " ".join(map(_note, grid.footnotes)) + r"\par}"
        )
    return "\n".join([*start, *lines, *end])


def _note(text: str) -> str:
    """A sentence: in LaTeX, notes follow each other on one line."""
    text = text if text.endswith(".") else f"{text}."
    return _latex_escaped(text).replace("†", r"$^{\dagger}$").replace("≤", r"$\le$")


def _latex_above(text: str) -> str:
    return text.replace("†", r"\dagger ").strip()


def _latex_escaped(text: str) -> str:
    # In the fonts that LaTeX starts with, < > and | print as other characters.
    named = {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
    escaped = "".join(named.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
    # At the start of a row, these would be taken for an argument of the line break above.
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped.startswith(("[", "*")) else escaped


def _html(grid: Grid) -> str:
    from html import escape

    def cell(at: int, column: int, text: str, tag: str) -> str:
        mark = grid.mark(at, column)
        style = "" if column < grid.labels else " style='text-align:right'"
        emphasis = {"best": "b", "second": "u"}.get(mark.place or "")
        inside = escape(text)
        inside = f"<{emphasis}>{inside}</{emphasis}>" if emphasis else inside
        inside += f"<sup>{escape(mark.above)}</sup>" if mark.above else ""
        return f"<{tag}{style}>{inside}</{tag}>"

    def line(at: int, cells: Sequence[str], tag: str) -> str:
        inside = "".join(cell(at, column, text, tag) for column, text in enumerate(cells))
        return f"<tr>{inside}</tr>"

    body = "".join(line(at, row, "td") for at, row in enumerate(grid.rows))
    below = "<br>".join(map(escape, [*grid.notes, *grid.footnotes]))
    head = line(-1, grid.header, "th")
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{below}</p>"


def _separated(delimiter: str) -> Callable[[Grid], str]:
    def write(grid: Grid) -> str:
        import csv
        from io import StringIO

        text = StringIO()
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(
            [grid.header, *grid.rows]
        )
        return text.getvalue().rstrip("\n")

    return write


_WRITERS: dict[str, Callable[[Grid], str]] = {
    "table": _text,
    "tsv": _separated("\t"),
    "csv": _separated(","),
    "markdown": _markdown,
    "latex": _latex,
    "html": _html,
}

FORMATS = (*_WRITERS, "json")
"""The formats of tables."""
