"""The look of all charts: palette, shapes, dashes, short names, styles for paper and for the dark.

The colours are those of Okabe and Ito, which people with any of the usual colour deficiencies
can tell apart (Wong 2011, doi:10.1038/nmeth.1618), without the yellow and the black, one of
which is lost on white and the other in the dark. A system has the same colour in every plot.
Shapes and dashes differ beside colours, for print and for more systems than there are colours.
No altair here: pages and the checks before saving need the theme alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final

from cleverdon._common.text import text_width

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
_EIGHTH = "#9922EE"
"""A violet that is told apart as well, for the last of eight. Not for more: eight colours and four
dashes would repeat together."""
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))

DIVERGING: Final = "purpleorange"
"""For differences: its middle is pale, and its ends are told apart by everyone."""
RISING: Final = "blues"  # for amounts: darker is more, in print as well

WIDTH, HEIGHT = 480, 300
_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

_INK = {
    "light": ("white", "#1a1a1a", "#5c5c5c", "#dddddd"),
    "dark": ("#16191d", "#e8e8e8", "#a8a8a8", "#3a3f45"),
}
"""Of each mode: paper, ink, and two that are paler."""


def config(mode: str = "light") -> dict[str, Any]:
    """Return Vega-Lite's configuration for light or dark paper."""
    paper, ink, soft, faint = _INK[mode]
    return {
        "background": paper,
        "font": _FONT,
        "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT},
        "axis": {
            "labelColor": ink,
            "titleColor": ink,
            "gridColor": faint,
            "domainColor": soft,
            "tickColor": soft,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 0,  # no label loses its end: names are shortened by `short_names`
            "labelFlush": False,  # the labels at the ends stand below their ticks, as all others
        },
        "legend": {
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 0,
            "symbolLimit": 0,  # no entry is left out
        },
        "title": {
            "color": ink,
            "subtitleColor": soft,
            "anchor": "start",
            "fontSize": 14,
            "subtitleFontSize": 12,
            "offset": 12,
        },
        "header": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12},
        "text": {"color": ink, "fontSize": 11},
        "rule": {"color": soft},
        "style": {"paper": {"color": paper, "fill": paper}},
        "range": {"category": list(PALETTE)},
    }


def colours(systems: Sequence[str]) -> list[str]:
    """Return a colour for each system, by its place among all."""
    if len(systems) == len(PALETTE) + 1:
        return [*PALETTE, _EIGHTH]
    return [PALETTE[at % len(PALETTE)] for at in range(len(systems))]


def shapes(systems: Sequence[str]) -> list[str]:
    """Return a shape for each: neighbours differ, and so do those that share a colour."""
    return [_SHAPES[at % len(_SHAPES)] for at in range(len(systems))]


def dashes(systems: Sequence[str]) -> list[list[int]]:
    """Return a dash for each: neighbours differ, and so do those that share a colour."""
    return [list(_DASHES[at % len(_DASHES)]) for at in range(len(systems))]


MOST_SYSTEMS = 15  # systems that one plot can tell apart by colours and dashes

_NAME_WIDTH = 30
"""The longest name that a plot writes, in columns of text; longer ones are shortened."""


def short_names(names: Sequence[str], width: int = _NAME_WIDTH) -> dict[str, str]:
    """Return a short name for each, in which long ones lose their middle; all stay different.

    >>> short_names(["bm25", "bm25-with-a-very-long-common-part-run-01"], width=20)
    {'bm25': 'bm25', 'bm25-with-a-very-long-common-part-run-01': 'bm25-with-…rt-run-01'}
    """
    short = {name: _cut(name, width) for name in names}
    alike: dict[str, list[str]] = {}
    for name, cut in short.items():
        alike.setdefault(cut, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            start = next(
                n for n, letters in enumerate(zip_longest(*group)) if len(set(letters)) > 1
            )
            short |= {name: _cut(name, width, start) for name in group}
    taken = {name for name in short if short[name] == name}
    for name, cut in short.items():
        number = 2
        while cut != name and cut in taken:
            end = f" #{number}"
            cut, number = _cut(name, width - len(end)) + end, number + 1
        short[name] = cut
        taken.add(cut)
    return short


def _cut(name: str, width: int, start: int | None = None) -> str:
    """Cut the middle out of a name, or all but its beginning and the part from `start` on."""
    if text_width(name) <= width:
        return name
    if start is None:
        head = _fitting(name, width // 2)
        return f"{head}…{_fitting(name[::-1], width - text_width(head) - 1)[::-1]}"
    head = _fitting(name[:start], width // 3)
    rest = _fitting(name[start:], width - text_width(head) - 2)
    return f"{head}…{rest}" if name.endswith(rest) else f"{head}…{rest}…"


def _fitting(text: str, width: int) -> str:
    end = min(len(text), max(width, 0))
    while text_width(text[:end]) > width:
        end -= 1
    return text[:end]


def name_labels(names: Sequence[str]) -> dict[str, Any]:
    """Return options of an axis, a legend or a header that make its labels short names."""
    changed = {name: short for name, short in short_names(names).items() if name != short}
    if not changed:
        return {}
    # Arrays and not an object, in which "constructor" would be found though it is not there.
    places = f"indexof({json.dumps(list(changed))}, datum.value)"
    # Vega-Lite puts a longer expression in place of the last part: hence the brackets.
    return {"labelExpr": f"{json.dumps(list(changed.values()))}[{places}] || (datum.label)"}
