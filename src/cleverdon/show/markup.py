"""Tables as markdown and as HTML, in which whatever was given is text and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from cleverdon.show.grid import Grid

_SPECIAL = re.compile(
    r"""(?P<escaped> [\\`*~$|]                 # wherever they stand
            | (?<![^\W_])_ | _(?![^\W_])       # not within words, where it is what it looks like
            | \](?=[\[(:]) )                   # the middle of a link
      | (?P<tag> <(?=[A-Za-z/!?]) )
      | (?P<entity> &(?=\#?\w+;) )""",
    flags=re.VERBOSE,
)


def markdown(grid: Grid) -> str:
    """A table as GitHub's markdown; what markdown has no signs for is in HTML's."""

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        inside = markdown_escaped(text)
        if mark.place:
            # GitHub lets no <u> through; <ins> it does, and underlines it.
            inside = f"**{inside}**" if mark.place == "best" else f"<ins>{inside}</ins>"
        return f"{inside}<sup>{markdown_escaped(mark.above)}</sup>" if mark.above else inside

    def line(at: int, cells: Sequence[str]) -> str:
        return _row([cell(at, column, text) for column, text in enumerate(cells)])

    rule = _row([":---" if at < grid.labels else "---:" for at in range(len(grid.header))])
    lines = [line(-1, grid.header), rule, *(line(at, row) for at, row in enumerate(grid.rows))]
    below = "  \n".join(map(markdown_escaped, grid.footnotes))
    return "\n".join([*lines, *(["", below] if below else [])])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def markdown_escaped(text: str) -> str:
    """The text so that markdown shows it as it is: no emphasis, link, HTML, or end of a cell.

    >>> print(markdown_escaped("bm25_rm3 <i>_x_ p < 0.05 a|b"))
    bm25_rm3 &lt;i>\\_x\\_ p < 0.05 a\\|b
    """

    def replaced(found: re.Match[str]) -> str:
        return {"tag": "&lt;", "entity": "&amp;"}.get(str(found.lastgroup), "\\" + found[0])

    return _SPECIAL.sub(replaced, text)


def html(grid: Grid) -> str:
    """A table as HTML, with its notes below."""

    def cell(at: int, column: int, text: str) -> str:
        mark = grid.mark(at, column)
        tag = "th" if at < 0 else "td"
        style = "" if column < grid.labels else " style='text-align:right'"
        emphasis = {"best": "b", "second": "u"}.get(mark.place or "")
        inside = escape(text)
        inside = f"<{emphasis}>{inside}</{emphasis}>" if emphasis else inside
        inside += f"<sup>{escape(mark.above)}</sup>" if mark.above else ""
        return f"<{tag}{style}>{inside}</{tag}>"

    def line(at: int, cells: Sequence[str]) -> str:
        inside = "".join(cell(at, column, text) for column, text in enumerate(cells))
        return f"<tr>{inside}</tr>"

    head = line(-1, grid.header)
    body = "".join(line(at, row) for at, row in enumerate(grid.rows))
    below = "<br>".join(map(escape, [*grid.footnotes, *grid.notes]))
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"{table}<p>{below}</p>" if below else table
