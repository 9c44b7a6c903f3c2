"""How all plots look: one palette, one style on paper and one in the dark.

The colours are those of Okabe and Ito, which people with any of the usual colour deficiencies can
tell apart (Wong 2011, doi:10.1038/nmeth.1618), without the yellow and the black, one of which is
lost on white and the other in the dark. A system has the same colour in every plot. Shapes and
dashes differ beside colours, for print and for more systems than there are colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
EIGHTH = "#9922EE"
"""A violet that is told apart as well, for the last of eight. Not for more: eight colours and four
dashes would repeat together."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3))

DIVERGING: Final = "purpleorange"
"""For differences: its middle is pale, and its ends are told apart by everyone."""
RISING: Final = "blues"
"""For amounts: darker is more, in print as well."""

WIDTH, HEIGHT = 480, 300
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

_INK = {
    "light": ("white", "#1a1a1a", "#5c5c5c", "#dddddd"),
    "dark": ("#16191d", "#e8e8e8", "#a8a8a8", "#3a3f45"),
}
"""Of each mode: paper, ink, and two that are paler."""


def config(mode: str = "light") -> dict[str, Any]:
    """Vega-Lite's config for paper (light) or for the dark."""
    paper, ink, soft, faint = _INK[mode]
    return {
        "background": paper,
        "font": FONT,
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
            "labelLimit": 0,  # no label loses its end: names are shortened by `base.short_names`
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
    """A colour for each system, by its place among all of them."""
    if len(systems) == len(PALETTE) + 1:
        return [*PALETTE, EIGHTH]
    return [PALETTE[at % len(PALETTE)] for at in range(len(systems))]


def shapes(systems: Sequence[str]) -> list[str]:
    """A shape for each: neighbours differ in shape, and so do those that share a colour."""
    return [SHAPES[at % len(SHAPES)] for at in range(len(systems))]


def dashes(systems: Sequence[str]) -> list[list[int]]:
    """A dash for each: neighbours differ in it, in print as well, as do those of one colour."""
    return [list(DASHES[at % len(DASHES)]) for at in range(len(systems))]
