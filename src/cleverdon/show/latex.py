"""Tables as LaTeX, with the rules of booktabs; numbers aligned by siunitx, where that is wanted."""

from __future__ import annotations

import re

from cleverdon.show.grid import Grid, Mark

_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")


def latex(grid: Grid) -> str:
    """A table that needs nothing but booktabs."""
    highest = [grid.highest(column) for column in range(len(grid.header))]

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        text = _marked(text, mark)
        missing = highest[column][: len(highest[column]) - len(mark.above)]
        if at < 0 or column < grid.labels or not missing:
            return text
        # Digits stay below digits: what is set above others takes up as much room here.
        return text + rf"\phantom{{{_above(missing)}}}"

    def line(at: int, cells: list[str]) -> str:
        return " & ".join(cell(at, column, text) for column, text in enumerate(cells)) + r" \\"

    kinds = "l" * grid.labels + "r" * (len(grid.header) - grid.labels)
    lines = [line(at, row) for at, row in enumerate(grid.rows)]
    start = _opened(kinds, line(-1, grid.header))
    return "\n".join([*start, *lines, *_CLOSED, *_below(grid)])


def siunitx(grid: Grid) -> str:
    """A table whose numbers stand in S columns, aligned by their decimal points.

    The package typesets a cell as what stands before the number, the number, and what stands
    behind it. So the command for bold is before, the line below the second best is drawn back from
    behind, and the room for what is set above is a part of the column's format.
    """
    aligned = {
        column
        for column in range(grid.labels, len(grid.header))
        if any(_NUMBER.fullmatch(row[column]) for row in grid.rows)
    }

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        if column not in aligned:
            return _marked(text, mark)
        if not _NUMBER.fullmatch(text) or at < 0:
            return f"{{{_marked(text, mark)}}}"
        before = r"\best " if mark.place == "best" else ""
        below = rf"\secondbest{{{text}}}" if mark.place == "second" else ""
        return before + text + below + (f"{{{_above(mark.above)}}}" if mark.above else "")

    def line(at: int, cells: list[str]) -> str:
        return " & ".join(cell(at, column, text) for column, text in enumerate(cells)) + r" \\"

    kinds = [
        "l" if column < grid.labels else _format(grid, column) if column in aligned else "r"
        for column in range(len(grid.header))
    ]
    lines = [line(at, row) for at, row in enumerate(grid.rows)]
    start = [*_SETTINGS, *_opened("".join(kinds), line(-1, grid.header))]
    return "\n".join([*start, *lines, *_CLOSED, r"\endgroup", *_below(grid)])


_SETTINGS = [
    r"% Needs \usepackage{booktabs,siunitx}, siunitx from version 3 on. The settings of series let",
    r"% numbers be bold (version 2 called that detect-weight); a model in bold has room for them.",
    r"\begingroup",
    r"\sisetup{reset-text-series=false, text-series-to-math=true, table-model-setup=\bfseries,",
    r"  table-align-text-after=false, group-digits=none, retain-explicit-plus=true}",
    # A cell's commands are expanded before they are looked at, unless they are protected.
    r"\protected\def\best{\bfseries}",
    r"\protected\def\secondbest#1{\llap{\underline{\phantom{$#1$}}}}",
]
"""Undone behind the table. Groups of digits would be a second way of writing the same numbers."""

_CLOSED = [r"\bottomrule", r"\end{tabular}"]


def _opened(kinds: str, header: str) -> list[str]:
    return [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", header, r"\midrule"]


def _format(grid: Grid, column: int) -> str:
    """An S column with room for its longest number, and for what is set above its numbers."""
    found = [_NUMBER.fullmatch(row[column]) for row in grid.rows]
    parts = [match.groups(default="") for match in found if match]
    sign = max(sign for sign, _, _ in parts)  # a minus, where there is one, is as wide as a plus
    whole = max(len(whole) for _, whole, _ in parts)
    decimals = max(len(decimals) for _, _, decimals in parts)
    above = _above(grid.highest(column))
    wide = f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"
    return f"S[table-format={wide}{{{above}}}]" if above else f"S[table-format={wide}]"


def _below(grid: Grid) -> list[str]:
    """The footnotes, following each other on one line."""
    if not grid.footnotes:
        return []
    return [r"\par\smallskip{\footnotesize " + " ".join(map(_sentence, grid.footnotes)) + r"\par}"]


def _sentence(text: str) -> str:
    text = text if text.endswith(".") else f"{text}."
    return escaped(text).replace("†", r"$^{\dagger}$").replace("≤", r"$\le$")


def _marked(text: str, mark: Mark) -> str:
    text = escaped(text)
    if mark.place:
        text = rf"\textbf{{{text}}}" if mark.place == "best" else rf"\underline{{{text}}}"
    return text + _above(mark.above)


def _above(text: str) -> str:
    text = text.replace("†", r"\dagger ").strip()
    return f"$^{{{text}}}$" if text else ""


def escaped(text: str) -> str:
    """The text so that LaTeX prints it as it is, at the start of a row, too."""
    # In the fonts that LaTeX starts with, < > and | print as other characters.
    named = {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
    found = "".join(named.get(c, "\\" + c if c in "&%$#_{}" else c) for c in text)
    # At the start of a row, these would be taken for an argument of the line break above.
    return f"{{{found[0]}}}{found[1:]}" if found.startswith(("[", "*")) else found
