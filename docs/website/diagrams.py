"""Mermaid flowcharts as HTML, without a script: boxes in rows, with an arrow between two rows.

Only charts that rows can show exactly are drawn: each box of a row points to each of the next.
Anything else is an error, so that no diagram is drawn wrongly.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

_NODE = re.compile(r'(\w+)(?:\["([^"]*)"\])?')
_ARROW = re.compile(r'\s*(?:-->|-\.\s*"([^"]*)"\s*\.->)\s*')


class DiagramError(ValueError):
    """A line of a diagram that cannot be drawn; `line` counts from 0."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


class _Group(NamedTuple):
    rows: list[list[str]]
    arrows: list[str]


def flowchart(text: str) -> str:
    """Draw a flowchart from top to bottom.

    >>> "<b>one</b>" in flowchart('flowchart TB\\n  a["one"] --> b & c')
    True
    """
    lines = text.strip("\n").splitlines()
    if not lines or lines[0].split() != ["flowchart", "TB"]:
        raise DiagramError(0, "only `flowchart TB` can be drawn")
    labels: dict[str, str] = {}
    groups: dict[str, _Group] = {"": _Group([], [])}
    inside = ""
    for number, line in enumerate(map(str.strip, lines[1:]), start=1):
        if not line:
            continue
        if line.startswith("subgraph "):
            inside = line.split(None, 1)[1]
            groups[inside] = _Group([], [])
        elif line == "end":
            inside = ""
        else:
            rows, arrows = _statement(line, number, labels)
            _add(groups[inside], rows, arrows, number)
    return f'<div class="diagram">{_drawn(groups[""], groups, labels)}</div>'


def _statement(line: str, number: int, labels: dict[str, str]) -> tuple[list[list[str]], list[str]]:
    pieces = _ARROW.split(line)
    rows = []
    for piece in pieces[::2]:
        row = []
        for node in piece.split("&"):
            found = _NODE.fullmatch(node.strip())
            if not found:
                raise DiagramError(number, f"cannot draw {node.strip()!r}")
            if found[2]:
                labels[found[1]] = found[2]
            row.append(found[1])
        rows.append(row)
    return rows, [note or "" for note in pieces[1::2]]


def _add(group: _Group, rows: list[list[str]], arrows: list[str], number: int) -> None:
    if not group.rows:
        group.rows.extend(rows)
        group.arrows.extend(arrows)
    elif not arrows and not group.arrows:  # further boxes without arrows
        group.rows[-1] += rows[0]
    elif arrows and rows[0] == [group.rows[-1][-1]] == group.rows[-1]:  # goes on from the last box
        group.rows.extend(rows[1:])
        group.arrows.extend(arrows)
    else:
        raise DiagramError(number, "these arrows are no rows of boxes below each other")


def _drawn(group: _Group, groups: dict[str, _Group], labels: dict[str, str]) -> str:
    parts = []
    for row, note in zip(group.rows, [*group.arrows, None], strict=True):
        boxes = []
        for name in row:
            if name in groups:
                inner = _drawn(groups[name], groups, labels)
                boxes.append(f'<div class="diagram-group"><b>{escape(name)}</b>{inner}</div>')
            else:
                boxes.append(f"<b>{escape(labels.get(name, name))}</b>")
        parts.append(f'<div class="diagram-row">{"".join(boxes)}</div>')
        if note is not None:
            words = f" <i>{escape(note)}</i>" if note else ""
            parts.append(f'<div class="diagram-arrow">↓{words}</div>')
    return "".join(parts)
