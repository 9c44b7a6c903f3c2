"""Tables in markup languages: Markdown, HTML and LaTeX.

Whatever was given is text and nothing else. LaTeX has the rules of booktabs; siunitx aligns
numbers where wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cleverdon.tables.table import Mark, TextTable

_MARKDOWN_SPECIAL = r"""(?P<escaped> [\\`*~$|]                 # wherever they stand
            | (?<![^\W_])_ | _(?![^\W_])       # not within words, where it is what it looks like
            | \](?=[\[(:]) )                   # the middle of a link
      | (?P<tag> <(?=[A-Za-z/!?]) )
      | (?P<entity> &(?=\#?\w+;) )"""
"""Compiled when it is first used: that takes a tenth of the start of an evaluation."""


def render_markdown(grid: TextTable) -> str:
    """Write a table as GitHub's Markdown, with HTML for what Markdown lacks."""

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        inside = escape_markdown(text)
        if mark.place:
            # GitHub lets no <u> through; <ins> it does, and underlines it.
            inside = f"**{inside}**" if mark.place == "best" else f"<ins>{inside}</ins>"
        return f"{inside}<sup>{escape_markdown(mark.above)}</sup>" if mark.above else inside

    def line(at: int, cells: Sequence[str]) -> str:
        return _markdown_row([cell(at, column, text) for column, text in enumerate(cells)])

    rule = _markdown_row([":---" if at < grid.labels else "---:" for at in range(len(grid.header))])
    lines = [line(-1, grid.header), rule, *(line(at, row) for at, row in enumerate(grid.rows))]
    below = "  \n".join(map(escape_markdown, grid.footnotes))
    return "\n".join([*lines, *(["", below] if below else [])])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def escape_markdown(text: str) -> str:
    """Escape text for Markdown: no emphasis, link, HTML, or end of a cell.

    >>> print(escape_markdown("bm25_rm3 <i>_x_ p < 0.05 a|b"))
    bm25_rm3 &lt;i>\\_x\\_ p < 0.05 a\\|b
    """

    def replaced(found: re.Match[str]) -> str:
        return {"tag": "&lt;", "entity": "&amp;"}.get(str(found.lastgroup), "\\" + found[0])

    return re.sub(_MARKDOWN_SPECIAL, replaced, text, flags=re.VERBOSE)


def escape_html(text: str) -> str:
    """Escape text for HTML; the module html takes long to import."""
    for character, entity in _ENTITIES.items():
        text = text.replace(character, entity)
    return text


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}


def render_html(grid: TextTable) -> str:
    """Write a table as HTML, with its notes below."""

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        tag = "th" if at < 0 else "td"
        style = "" if column < grid.labels else " style='text-align:right'"
        emphasis = {"best": "b", "second": "u"}.get(mark.place or "")
        inside = escape_html(text)
        inside = f"<{emphasis}>{inside}</{emphasis}>" if emphasis else inside
        inside += f"<sup>{escape_html(mark.above)}</sup>" if mark.above else ""
        return f"<{tag}{style}>{inside}</{tag}>"

    def line(at: int, cells: Sequence[str]) -> str:
        inside = "".join(cell(at, column, text) for column, text in enumerate(cells))
        return f"<tr>{inside}</tr>"

    head = line(-1, grid.header)
    body = "".join(line(at, row) for at, row in enumerate(grid.rows))
    below = "<br>".join(map(escape_html, [*grid.footnotes, *grid.notes]))
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"{table}<p>{below}</p>" if below else table


_NUMBER = r"([+-]?)(\d+)(?:\.(\d+))?"  # compiled where it is needed


def render_latex(grid: TextTable) -> str:
    """Write a table for LaTeX with booktabs."""
    highest = [grid.highest(column) for column in range(len(grid.header))]

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        text = _marked(text, mark)
        missing = highest[column][: len(highest[column]) - len(mark.above)]
        if at < 0 or column < grid.labels or not missing:
            return text
        # Digits stay below digits: what is set above others takes up as much room here.
        return text + rf"\phantom{{{_superscript(missing)}}}"

    kinds = "l" * grid.labels + "r" * (len(grid.header) - grid.labels)
    return "\n".join([*_tabular(grid, kinds, cell), *_footnotes(grid)])


def render_siunitx(grid: TextTable) -> str:
    """Write a table with numbers in S columns, aligned by their decimal points.

    The package typesets a cell as what stands before the number, the number, and what stands
    behind it. So the command for bold is before, the line below the second best is drawn back from
    behind, and the room for what is set above is a part of the column's format.
    """
    aligned = {
        column
        for column in range(grid.labels, len(grid.header))
        if any(re.fullmatch(_NUMBER, row[column]) for row in grid.rows)
    }

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        if column not in aligned:
            return _marked(text, mark)
        if not re.fullmatch(_NUMBER, text) or at < 0:
            return f"{{{_marked(text, mark)}}}"
        before = r"\best " if mark.place == "best" else ""
        below = rf"\secondbest{{{text}}}" if mark.place == "second" else ""
        return before + text + below + (f"{{{_superscript(mark.above)}}}" if mark.above else "")

    kinds = [
        "l" if column < grid.labels else _column_format(grid, column) if column in aligned else "r"
        for column in range(len(grid.header))
    ]
    table = _tabular(grid, "".join(kinds), cell)
    return "\n".join([*_SETTINGS, *table, r"\endgroup", *_footnotes(grid)])


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


def _tabular(grid: TextTable, kinds: str, cell: Callable[[int, int, str], str]) -> list[str]:
    """Return the lines of a table, given the kinds of its columns and how a cell is written."""

    def line(at: int, cells: list[str]) -> str:
        return " & ".join(cell(at, column, text) for column, text in enumerate(cells)) + r" \\"

    head = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", line(-1, grid.header), r"\midrule"]
    rows = (line(at, row) for at, row in enumerate(grid.rows))
    return [*head, *rows, r"\bottomrule", r"\end{tabular}"]


def _column_format(grid: TextTable, column: int) -> str:
    """Return an S column with room for its longest number and superscript."""
    found = [re.fullmatch(_NUMBER, row[column]) for row in grid.rows]
    parts = [match.groups(default="") for match in found if match]
    sign = max(sign for sign, _, _ in parts)  # a minus, where there is one, is as wide as a plus
    whole = max(len(whole) for _, whole, _ in parts)
    decimals = max(len(decimals) for _, _, decimals in parts)
    above = _superscript(grid.highest(column))
    wide = f"{sign}{whole}.{decimals}" if decimals else f"{sign}{whole}"
    return f"S[table-format={wide}{{{above}}}]" if above else f"S[table-format={wide}]"


def _footnotes(grid: TextTable) -> list[str]:
    if not grid.footnotes:
        return []
    return [r"\par\smallskip{\footnotesize " + " ".join(map(_sentence, grid.footnotes)) + r"\par}"]


def _sentence(text: str) -> str:
    text = text if text.endswith(".") else f"{text}."
    return escape_latex(text).replace("†", r"$^{\dagger}$").replace("≤", r"$\le$")


def _marked(text: str, mark: Mark) -> str:
    text = escape_latex(text)
    if mark.place:
        text = rf"\textbf{{{text}}}" if mark.place == "best" else rf"\underline{{{text}}}"
    return text + _superscript(mark.above)


def _superscript(text: str) -> str:
    text = text.replace("†", r"\dagger ").strip()
    return f"$^{{{text}}}$" if text else ""


def escape_latex(text: str) -> str:
    """Escape text for LaTeX, also at the start of a row."""
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
